"""The study's own log: chained, appended to by many, never lost."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
from chains import chained, document_of

from core.errors import FileError, SettingError
from studyapp.base import documents
from studyapp.office import study_log
from studyapp.office.conduct import conduct_of, read_conduct
from studyapp.office.events import (
    Deleted,
    Excluded,
    Included,
    Noted,
    StudyEvent,
    Unblinded,
    Verified,
    as_mapping,
)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "study.log.yaml"


def test_a_study_without_a_log_has_no_events(log: Path) -> None:
    assert study_log.read(log) == []
    assert read_conduct(log).unblinded is None


def test_events_are_read_back_as_they_were_written(log: Path) -> None:
    events = [
        Noted("P01", "wore gloves"),
        Excluded("P01", "wore gloves", unblinded=False),
        Deleted("P02", 30, "0" * 32),
        Unblinded("all done", 3, 1),
    ]
    study_log.append(log, *events[:1])
    study_log.append(log, *events[1:])
    assert study_log.read(log) == events


def test_any_yaml_parser_reads_the_log(log: Path) -> None:
    import yaml

    event = Noted("P01", "said: 'no' -- twice")
    study_log.append(log, event)
    (document,) = yaml.safe_load_all(log.read_text())
    assert {name: value for name, value in document.items() if name != "chain"} == as_mapping(event)


def test_a_changed_event_is_refused_with_its_line(log: Path) -> None:
    study_log.append(log, Noted("P01", "one"), Noted("P02", "two"))
    log.write_bytes(log.read_bytes().replace(b"two", b"TWO"))
    with pytest.raises(FileError, match=r"study\.log\.yaml, line 3: .* was changed after it was written"):
        study_log.read(log)
    with pytest.raises(FileError, match="line 3"):
        study_log.append(log, Noted("P03", "three"))


def test_a_removed_event_is_noticed(log: Path) -> None:
    study_log.append(log, Noted("P01", "one"), Noted("P02", "two"))
    raw = log.read_bytes()
    log.write_bytes(raw[raw.index(b"...\n") + 4 :])
    with pytest.raises(FileError, match="line 1"):
        study_log.read(log)


@pytest.mark.parametrize("kept", [1, 10, 60])
def test_a_torn_tail_is_passed_over_and_set_aside_by_the_next_event(log: Path, kept: int) -> None:
    study_log.append(log, Noted("P01", "one"))
    whole = log.read_bytes()
    study_log.append(log, Noted("P02", "two"))
    torn = log.read_bytes()[len(whole) : len(whole) + kept]
    log.write_bytes(whole + torn)
    assert [event.event for event in study_log.read(log)] == ["note"]
    study_log.append(log, Noted("P03", "three"))
    notes = study_log.read(log)
    assert [event.participant for event in notes if isinstance(event, Noted)] == ["P01", "P03"]
    (aside,) = log.parent.glob("study.log.yaml.torn-*")
    assert aside.read_bytes() == torn


def test_only_the_owner_may_read_the_log(log: Path) -> None:
    study_log.append(log, Noted("P01", "one"))
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_link_is_not_followed(log: Path) -> None:
    log.symlink_to(log.parent / "elsewhere")
    with pytest.raises(FileError, match="must be a file"):
        study_log.append(log, Noted("P01", "one"))
    assert not (log.parent / "elsewhere").exists()


@pytest.mark.parametrize("text", ["", "two\nlines", "\x1b[2J", "x" * 2001])
def test_a_remark_that_could_not_be_read_back_is_refused(log: Path, text: str) -> None:
    with pytest.raises(SettingError):
        study_log.append(log, Noted("P01", text))
    assert study_log.read(log) == []


def test_many_processes_append_at_once_and_nothing_is_lost(log: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from studyapp.office import study_log; "
        "from studyapp.office.events import Noted\n"
        "for i in range(20): study_log.append(Path(sys.argv[1]), Noted(sys.argv[2], f'note {i}'))"
    )
    path = str(Path(__file__).parents[3])
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(log), f"P{number}"], env=os.environ | {"PYTHONPATH": path}
        )
        for number in range(3)
    ]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    notes = conduct_of(study_log.read(log)).notes
    expected = [f"note {i}" for i in range(20)]
    assert {who: [note.text for note in own] for who, own in notes.items()} == {
        f"P{number}": expected for number in range(3)
    }


def test_an_exclusion_is_undone_as_openly_as_it_was_made() -> None:
    events: list[StudyEvent] = [
        Excluded("P01", "spoke to P02", unblinded=False, at="2026-11-16T09:30:00.000Z"),
        Excluded("P02", "spoke to P01", unblinded=False, at="2026-11-16T09:31:00.000Z"),
        Included("P01", "it was somebody else", unblinded=False, at="2026-11-16T09:32:00.000Z"),
    ]
    conduct = conduct_of(reversed(events))  # on two machines, events may come in any order
    assert list(conduct.excluded) == ["P02"]
    assert conduct.decisions == events


def test_the_last_verification_and_the_first_unblinding_count() -> None:
    one = Verified("P01", "0" * 32, "verified", at="2026-11-16T09:30:00.000Z")
    two = Verified("P01", "1" * 32, "different", at="2026-11-17T09:30:00.000Z")
    first = Unblinded("done", 2, 0, at="2026-11-16T09:30:00.000Z")
    again = Unblinded("done", 3, 0, at="2026-11-17T09:30:00.000Z")
    conduct = conduct_of([two, one, again, first])
    assert conduct.verified == {"P01": two}
    assert conduct.unblinded == first


@pytest.mark.parametrize("kind", get_args(StudyEvent), ids=lambda kind: kind.event)
def test_an_event_is_a_mapping_with_its_name_first(kind: type[Any]) -> None:
    examples: dict[str, Any] = {
        "sha256": "0" * 64,
        "chain": "0" * 32,
        "files": {"study.yaml": "0" * 64},
        "settings": ["texts"],
        "hashes": {"texts": "0" * 16},
        "head": "0" * 32,
        "unblinded": False,
        "blind": True,
        "events": 3,
    }
    given = {
        field.name: examples.get(field.name, [] if "list" in str(field.type) else 3)
        for field in fields(kind)
        if field.name not in ("at", "host", "user", "id", "event")
    }
    for name in ("participant", "text", "reason", "verdict", "file", "folder", "source"):
        if name in given:
            given[name] = "something"
    event = kind(**given)
    assert next(iter(as_mapping(event))) == "event"
    assert documents.json_line(as_mapping(event))


def test_a_full_disk_leaves_the_log_as_it_was(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study_log.append(log, Noted("P01", "one"))
    before = log.read_bytes()

    def half(file: int, data: bytes) -> None:
        os.write(file, data[: len(data) // 2])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(study_log, "write_all", half)
        with pytest.raises(FileError, match="the disk is full"):
            study_log.append(log, Noted("P02", "two"))
    assert log.read_bytes() == before
    study_log.append(log, Noted("P03", "three"))
    assert len(study_log.read(log)) == 2


def test_an_event_of_another_version_is_refused_with_its_line(log: Path) -> None:
    study_log.append(log, Noted("P01", "one"))
    first = log.read_bytes().removesuffix(b"\n...\n") + b"\n...\n"
    new = document_of({"event": "something-new", "at": "2026-11-16T09:30:00.000Z"})
    log.write_bytes(chained([first, new], has_head=False))
    with pytest.raises(FileError, match="line 3: this version of studyapp knows no such event"):
        study_log.read(log)


@pytest.mark.parametrize(
    "raw", [b"just notes\n", b"title: A study\n", b"\xff\xfe", b"---\nevent: note\n...\n"]
)
def test_a_file_that_is_no_log_is_neither_read_nor_changed(log: Path, raw: bytes) -> None:
    log.write_bytes(raw)
    with pytest.raises(FileError, match="line 1"):
        study_log.read(log)
    with pytest.raises(FileError, match="line 1"):
        study_log.append(log, Noted("P01", "one"))
    assert log.read_bytes() == raw


def test_what_is_decided_from_the_events_so_far_is_decided_by_one_process_at_a_time(log: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from studyapp.office import study_log; "
        "from studyapp.office.events import Noted\n"
        "for _ in range(15): study_log.extend(Path(sys.argv[1]), lambda old: [Noted('P01', str(len(old)))])"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    writers = [subprocess.Popen([sys.executable, "-c", program, str(log)], env=environment) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    texts = [event.text for event in study_log.read(log) if isinstance(event, Noted)]
    assert texts == [str(number) for number in range(45)]
