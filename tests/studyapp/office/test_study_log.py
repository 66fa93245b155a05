"""The study's own log: chained, appended to by many, never lost; and what it says, event by event."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
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

ROOT = Path(__file__).parents[3]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "study.log.yaml"


def test_events_are_read_back_as_they_were_written_also_by_any_yaml_parser(log: Path) -> None:
    assert study_log.read(log) == []
    assert read_conduct(log).unblinded is None
    events = [
        Noted("P01", "said: 'no' -- twice"),
        Excluded("P01", "wore gloves", unblinded=False),
        Deleted("P02", 30, "0" * 32),
        Unblinded("all done", 3, 1),
    ]
    study_log.append(log, *events[:1])
    study_log.append(log, *events[1:])
    assert study_log.read(log) == events
    parsed = [
        {name: value for name, value in document.items() if name != "chain"}
        for document in yaml.safe_load_all(log.read_text())
    ]
    assert parsed == [as_mapping(event) for event in events]
    assert log.stat().st_mode & 0o777 == 0o600


def test_an_event_is_on_disk_before_anybody_is_told(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All bytes are written before the file is forced to disk, and so is the name of a new file."""
    forced: list[bytes | str] = []
    fsync = os.fsync

    def forcing(file: int) -> None:
        is_log = log.exists() and os.path.samestat(os.fstat(file), log.stat())
        forced.append(log.read_bytes() if is_log else "folder")
        fsync(file)

    monkeypatch.setattr(os, "fsync", forcing)
    study_log.append(log, Noted("P01", "one"))
    assert forced == [log.read_bytes(), "folder"]
    study_log.append(log, Noted("P01", "two"))
    assert forced[2:] == [log.read_bytes()]


def test_a_log_that_was_changed_is_refused_with_the_line_and_stays_as_it_is(log: Path) -> None:
    study_log.append(log, Noted("P01", "one"), Noted("P02", "two"))
    raw = log.read_bytes()
    new = document_of({"event": "something-new", "at": "2026-11-16T09:30:00.000Z"})
    first = raw[: raw.index(b"...\n") + 4]
    for content, problem in (
        (raw.replace(b"two", b"TWO"), "line 3: .* was changed after it was written"),
        (raw[len(first) :], "line 1: .* was changed"),  # an event was removed
        (chained([first, new], has_head=False), "line 3: this version of studyapp knows no such event"),
        (b"just notes\n", "line 1: this is not the log of a study"),
        (b"\xff\xfe", "line 1"),
        (b"---\nevent: note\n...\n", "line 1"),
    ):
        log.write_bytes(content)
        with pytest.raises(FileError, match=problem):
            study_log.read(log)
        with pytest.raises(FileError, match=problem):
            study_log.append(log, Noted("P03", "three"))
        assert log.read_bytes() == content


def test_a_torn_tail_is_passed_over_and_set_aside_by_the_next_event(log: Path) -> None:
    study_log.append(log, Noted("P01", "one"))
    whole = log.read_bytes()
    study_log.append(log, Noted("P02", "two"))
    for kept in (1, 10, 60):
        torn = log.read_bytes()[len(whole) : len(whole) + kept]
        log.write_bytes(whole + torn)
        assert [event.event for event in study_log.read(log)] == ["note"]
        study_log.append(log, Noted("P03", "three"))
        assert [event.participant for event in study_log.read(log)] == ["P01", "P03"]  # type: ignore[union-attr]
        (aside,) = log.parent.glob("study.log.yaml.torn-*")
        assert aside.read_bytes() == torn
        aside.unlink()


def test_a_link_is_not_followed(log: Path) -> None:
    log.symlink_to(log.parent / "elsewhere")
    with pytest.raises(FileError, match="must be a file"):
        study_log.append(log, Noted("P01", "one"))
    assert not (log.parent / "elsewhere").exists()


def test_a_remark_that_could_not_be_read_back_is_refused(log: Path) -> None:
    for text in ("", " ", "two\nlines", "\x1b[2J", "x" * 2001):
        with pytest.raises(SettingError):
            study_log.append(log, Noted("P01", text))
        assert study_log.read(log) == []


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


def test_many_processes_append_at_once_and_each_decides_alone(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What each writes follows from the events so far: how many there are."""
    program = (
        "import sys; from pathlib import Path; from studyapp.office import study_log; "
        "from studyapp.office.events import Noted; study_log.PATIENCE = 600\n"
        "for _ in range(15): study_log.extend(Path(sys.argv[1]), lambda old: [Noted('P01', str(len(old)))])"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    writers = [subprocess.Popen([sys.executable, "-c", program, str(log)], env=environment) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    texts = [event.text for event in study_log.read(log) if isinstance(event, Noted)]
    assert texts == [str(number) for number in range(45)]
    # Whoever waits too long for another process says so.
    monkeypatch.setattr(study_log, "PATIENCE", 0.0)
    held = study_log._open_locked(log)
    try:
        with pytest.raises(FileError, match="another studyapp has been writing this for too long"):
            study_log.append(log, Noted("P01", "one"))
    finally:
        os.close(held)


# --- what the events say


def test_events_count_in_the_order_of_their_times() -> None:
    """On two machines, they may come in any order."""
    events: list[StudyEvent] = [
        Excluded("P01", "spoke to P02", unblinded=False, at="2026-11-16T09:30:00.000Z"),
        Excluded("P02", "spoke to P01", unblinded=False, at="2026-11-16T09:31:00.000Z"),
        Included("P01", "it was somebody else", unblinded=False, at="2026-11-16T09:32:00.000Z"),
        Verified("P01", "0" * 32, "verified", at="2026-11-16T09:33:00.000Z"),
        Verified("P01", "1" * 32, "different", at="2026-11-17T09:33:00.000Z"),
        Unblinded("done", 2, 0, at="2026-11-17T09:34:00.000Z"),
        Unblinded("done", 3, 0, at="2026-11-18T09:34:00.000Z"),
    ]
    conduct = conduct_of(reversed(events))
    assert list(conduct.excluded) == ["P02"]
    assert conduct.decisions == events[:3]
    assert conduct.verified == {"P01": events[4]}
    assert conduct.unblinded == events[5]


def test_every_event_is_written_with_its_name_first_and_explained_in_the_reference() -> None:
    page = (ROOT / "studyapp" / "office" / "README.md").read_text(encoding="utf-8")
    listed = page[page.index("\n## Events") : page.index("\n## Backups")]
    names_and_texts = re.split(r"^### `(\w+)`$", listed, flags=re.MULTILINE)[1:]
    sections = dict(zip(names_and_texts[::2], names_and_texts[1::2], strict=True))
    examples: dict[str, Any] = {
        "dict[str, Hash]": {"study.yaml": "0" * 64},
        "list[str]": ["texts"],
        "list[Name]": ["P01"],
        "bool": True,
        "Count": 3,
        "Hash": "0" * 32,
    }
    shared = ("at", "host", "user", "id")
    kinds = get_args(StudyEvent)
    assert sorted(sections) == sorted(kind.event for kind in kinds)
    for kind in kinds:
        own = [field for field in fields(kind) if field.name not in (*shared, "event")]
        explained = re.findall(r"^\| `(\w+)` \|", sections[kind.event], re.MULTILINE)
        assert sorted(explained) == sorted(field.name for field in own), kind.event
        types = {field.name: str(field.type).removesuffix(" | None") for field in own}
        event = kind(**{name: examples.get(of, "something") for name, of in types.items()})
        assert next(iter(as_mapping(event))) == "event"
        assert documents.json_line(as_mapping(event))
    of_all = page[page.index("Every event has these fields") : page.index("\n## Events")]
    assert [name for name in shared if f"`{name}`" not in of_all] == []
    modules = {path.name for path in (ROOT / "studyapp" / "office").glob("*.py")} - {"__init__.py"}
    assert modules <= set(re.findall(r"`(\w+\.py)`", page))
