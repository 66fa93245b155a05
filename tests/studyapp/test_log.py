"""The log keeps every acknowledged event through whatever happens to the process and its disk."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from study_files import later_events, started

from core.errors import FileError
from studyapp import events, log
from studyapp.events import Event, Responded, Resumed, Started, Withdrawn
from studyapp.log import Log
from studyapp.plan import Round

REPOSITORY = Path(__file__).parents[2]
AT = "2026-11-16T09:30:00.123Z"

HEAD = Started(
    participant="P07",
    at=AT,
    host=socket.gethostname(),
    process=os.getpid(),
    software={"python": "3.11.9"},
    simulated=False,
    teacher=None,
    pilot=False,
    words="study20",
    words_sha256="ab12",
    seed=2019,
    study={"title": "Nö", "consent": "One\n...\n---\nthree", "answers": {"yes": "y", "no": "n"}},
    plan=[Round(1, True, "naive", "cat", "salt"), Round(2, False, "naive", "no", "cat")],
)
ANSWER = events.Answered(
    round=1,
    question=1,
    word="salt",
    answer="n",
    shown_at=AT,
    rt_ms=1840.0,
    first_choice_ms=900.0,
    last_choice_ms=1500.0,
    compute_ms=4.1,
    delay_ms=500.2,
    late=False,
    changes=0,
    stray_keys=0,
    away_ms=0.0,
    digest="ab12",
    converged=True,
)
SAID = Responded("you", "remarks", None, "Tür\n...\n--- {event: finished}\n...\n", AT, 900.5, 0.0)
ALL: list[Event] = [HEAD, events.Consented(AT), events.RoundBegan(1, AT), ANSWER, SAID]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P07.yaml"


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Log]:
    file = Log(path)
    try:
        yield file
    finally:
        file.close()


def write(path: Path, many: list[Event] = ALL) -> bytes:
    """A log of these events; its bytes."""
    with opened(path) as file:
        append_all(file, many)
    return path.read_bytes()


def append_all(file: Log, many: list[Event]) -> None:
    for event in many:
        file.append(event)


def sizes(path: Path, many: list[Event] = ALL) -> list[int]:
    """How long the log is after each event, 0 first."""
    found = [0]
    with opened(path) as file:
        for event in many:
            file.append(event)
            found.append(path.stat().st_size)
    return found


# What is written


def test_any_yaml_parser_reads_the_events_in_order_under_their_names_of_the_contract(path: Path) -> None:
    write(path, [*ALL, Resumed(AT, "here", 1, {}, False), events.Finished(AT, 630, 31, True)])
    head, *later = yaml.safe_load_all(path.read_text(encoding="utf-8"))
    assert list(head)[:2] == ["event", "schema"]
    assert head["schema"] == 1
    assert head["participant"] == "P07"
    assert head["words"] == "study20"
    assert {"study", "words_sha256", "seed", "software", "simulated"} < set(head)
    assert head["plan"] == [
        {"round": 1, "practice": True, "model": "naive", "target": "cat", "first": "salt"},
        {"round": 2, "practice": False, "model": "naive", "target": "no", "first": "cat"},
    ]
    assert [each["event"] for each in later] == [
        "consent",
        "round",
        "answer",
        "response",
        "resumed",
        "finished",
    ]
    answer = later[2]
    asked = ("round", "question", "word", "answer", "shown_at", "rt_ms", "compute_ms", "delay_ms")
    assert [answer[name] for name in asked] == [1, 1, "salt", "n", AT, 1840.0, 4.1, 500.2]
    assert later[0] == {"event": "consent", "at": AT}
    assert later[3]["value"] == SAID.value
    assert (later[5]["at"], later[5]["answers"]) == (AT, 630)


def test_an_event_is_on_one_line_and_ends_with_three_dots(path: Path) -> None:
    lines = write(path).decode().splitlines()
    assert lines[0] == "---"
    assert lines.count("...") == len(ALL)
    assert lines[-8:] == [
        "--- {event: consent, at: " + f'"{AT}"' + "}",
        "...",
        "--- {event: round, round: 1, at: " + f'"{AT}"' + "}",
        "...",
        lines[-4],
        "...",
        lines[-2],
        "...",
    ]
    assert "  - {round: 1, practice: true, model: naive, target: cat, first: salt}" in [
        f"  {line.strip()}" for line in lines
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(head=started(), later=st.lists(later_events(), max_size=4))
def test_any_events_are_read_back_as_they_were(tmp_path: Path, head: Started, later: list[Event]) -> None:
    path = tmp_path / "any.yaml"
    path.unlink(missing_ok=True)
    raw = write(path, [head, *later])
    assert log.read(path) == log.Saved([head, *later], b"")
    assert len(list(yaml.safe_load_all(raw))) == 1 + len(later)
    with opened(path) as file:
        assert (file.events, file.torn) == ([head, *later], b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_only_its_owner_may_read_a_log(path: Path) -> None:
    before = os.umask(0)
    try:
        write(path)
        path.write_bytes(path.read_bytes() + b"--- {ev")
        with opened(path) as file:
            aside = file.set_torn_aside("P07.yaml.torn")
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(aside.stat().st_mode) == 0o600


def test_an_event_is_forced_to_disk_before_append_returns(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[tuple[bool, int]] = []  # is it the log? and how long was it then?
    fsync = os.fsync

    def watched(descriptor: int) -> None:
        status = os.fstat(descriptor)
        forced.append((os.path.samestat(status, path.stat()), status.st_size))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    with opened(path) as file:
        file.append(HEAD)
        assert forced[0] == (True, path.stat().st_size)
        assert [of_log for of_log, _ in forced] == [True, sys.platform == "win32"][: len(forced)]
        for number, event in enumerate(ALL[1:], start=1):
            forced.clear()
            file.append(event)
            assert forced == [(True, path.stat().st_size)], f"event {number}"
    monkeypatch.undo()


# A writer that dies


def test_a_torn_tail_is_set_aside_and_the_log_goes_on_wherever_it_was_torn(path: Path) -> None:
    lengths = sizes(path)
    raw = path.read_bytes()
    begin = lengths[-2]
    for length in range(begin, len(raw)):
        path.write_bytes(raw[:length])
        tail = raw[begin:length]
        assert log.read(path) == log.Saved(ALL[:-1], tail)
        with opened(path) as file:
            assert (file.events, file.torn) == (ALL[:-1], tail)
            if tail:
                aside = file.set_torn_aside(f"torn-{length}")
                assert aside.read_bytes() == tail
            assert path.read_bytes() == raw[:begin]
            file.append(ANSWER)
            file.append(SAID)
        assert log.read(path) == log.Saved([*ALL[:-1], ANSWER, SAID], b"")
        assert path.read_bytes().endswith(raw[begin:])


def test_a_head_that_was_torn_is_set_aside_wherever_it_was_torn(path: Path) -> None:
    raw = write(path, [HEAD])
    for length in range(1, len(raw)):
        path.write_bytes(raw[:length])
        with opened(path) as file:
            assert (file.events, file.torn) == ([], raw[:length])
            assert file.set_torn_aside(f"torn-{length}").read_bytes() == raw[:length]
            assert path.read_bytes() == b""
            file.append(HEAD)
        assert path.read_bytes() == raw


@pytest.mark.parametrize("zeros", [1, 4096])
def test_zeros_that_a_crash_left_at_the_end_are_a_torn_tail(path: Path, zeros: int) -> None:
    raw = write(path)
    for tail in (b"\0" * zeros, b"--- {event: left, at: " + b"\0" * zeros):
        path.write_bytes(raw + tail)
        with opened(path) as file:
            assert (file.events, file.torn) == (ALL, tail)
            assert file.set_torn_aside(f"torn-{len(tail)}").read_bytes() == tail
        assert path.read_bytes() == raw


def test_a_log_of_nothing_but_zeros_is_a_torn_head(path: Path) -> None:
    path.write_bytes(b"\0" * 512)
    with opened(path) as file:
        assert (file.events, file.torn) == ([], b"\0" * 512)


def test_a_torn_tail_stays_where_it_is_when_it_cannot_be_set_aside(path: Path) -> None:
    raw = write(path) + b"--- {event: le"
    path.write_bytes(raw)
    (path.parent / "taken").write_text("precious")
    with opened(path) as file, pytest.raises(FileError, match="taken"):
        file.set_torn_aside("taken")
    assert path.read_bytes() == raw
    assert (path.parent / "taken").read_text() == "precious"


def test_a_reader_sees_whole_events_while_another_writes(path: Path) -> None:
    with opened(path) as file:
        for many, event in enumerate(ALL):
            file.append(event)
            assert log.read(path).events == ALL[: many + 1]


# A log that is not as it was written


@pytest.mark.parametrize(
    "content",
    [
        b"precious\n",
        b"precious\n...\n",
        b"- a\n- b\n...\n",
        b"event: session\n...\n",
        b"title: a study file\nmodels: {}\n",
        b"\xff\xfe\x00",
        b"\x1f\x8b\x08",
        b"--- {event: consent, at: x}\n...\n",
        b"---\nevent: sessions\n",
    ],
)
def test_a_file_of_someone_else_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    for reading in (Log, log.read):
        with pytest.raises(FileError, match="not a session log") as caught:
            reading(path)
        assert caught.value.path == str(path)
    assert path.read_bytes() == content
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "changed",
    [
        b"--- {event: round, round: 1, at: x\n...\n",
        b"--- {event: sound, round: 1, at: x}\n...\n",
        b"--- {event: round, round: 1, at: x\0}\n...\n",
        b"--- {event: round, round: 1, at: x\xff}\n...\n",
        b"--- {event: round, round: 1}\n...\n",
        b"--- {event: round, round: '1', at: x}\n...\n",
        b"--- {event: round, round: 2026-11-16, at: x}\n...\n",
        b"--- {event: round, round: 2026-99-99, at: x}\n...\n",
        b"--- {event: consent, at: 0001-01-01 00:00:00+10:00}\n...\n",
        b"--- {event: consent, at: !!bool maybe}\n...\n",
        b"--- {event: consent, at: !!timestamp now}\n...\n",
        b"--- {event: consent, at: !!int ''}\n...\n",
        b"--- {event: consent, at: !!python/name:os.system }\n...\n",
        b"--- {event: consent, at: &a [*a]}\n...\n",
        b"--- {event: consent, at: " + b"[" * 5000 + b"]" * 5000 + b"}\n...\n",
        b"--- {event: consent, at: x}\n--- {event: consent, at: x}\n...\n",
        b"--- 3\n...\n",
        b"---\n\n...\n",
        b"---\nevent: session\nschema: 1\n...\n",
    ],
)
def test_a_part_that_was_changed_in_the_middle_is_told_with_its_line(path: Path, changed: bytes) -> None:
    begin, end = sizes(path)[2:4]
    raw = path.read_bytes()
    line = raw[:begin].count(b"\n") + 1
    raw = raw[:begin] + changed + raw[end:]
    path.write_bytes(raw)
    for reading in (Log, log.read):
        with pytest.raises(FileError) as caught:
            reading(path)
        assert caught.value.where in (f"line {line}", f"line {line + 1}")
    assert path.read_bytes() == raw


def test_a_second_head_in_the_middle_is_told_with_its_line(path: Path) -> None:
    begin, end = sizes(path)[1:3]
    raw = path.read_bytes()
    path.write_bytes(raw[:end] + raw[:begin] + raw[end:])
    with pytest.raises(FileError, match="in the middle of another") as caught:
        Log(path)
    assert caught.value.where == f"line {raw[:end].count(10) + 1}"


def test_a_fault_inside_the_head_is_told_with_its_own_line(path: Path) -> None:
    raw = write(path).replace(b"\nhost: ", b"\nhost: [", 1)
    line = raw[: raw.index(b"\nhost: ")].count(b"\n") + 2
    path.write_bytes(raw)
    with pytest.raises(FileError) as caught:
        log.read(path)
    assert caught.value.where is not None
    assert int(caught.value.where.removeprefix("line ")) in (line, line + 1)


def test_a_log_of_a_later_version_asks_for_a_newer_studyapp(path: Path) -> None:
    path.write_bytes(write(path).replace(b"schema: 1", b"schema: 2", 1))
    with pytest.raises(FileError, match="schema 2, and this studyapp knows 1; use a newer one"):
        Log(path)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(data=st.data())
def test_a_damaged_log_is_read_or_refused_and_never_a_riddle(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "damaged.yaml"
    path.unlink(missing_ok=True)
    raw = bytearray(write(path))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw) - 1))
        length = data.draw(st.integers(0, 20))
        raw[at : at + length] = data.draw(
            st.binary(max_size=6) | st.sampled_from([b"\n...\n", b"---", b": ", b"!!"])
        )
    path.write_bytes(raw)
    with contextlib.suppress(FileError), opened(path) as file:
        assert len(file.events) <= bytes(raw).count(b"\n...\n")
    assert path.read_bytes() == bytes(raw)


# One writer


def test_a_second_writer_of_the_same_process_is_refused(path: Path) -> None:
    with opened(path) as file:
        file.append(HEAD)
        with pytest.raises(FileError, match="open already") as caught:
            Log(path)
        assert f"by process {os.getpid()} on {socket.gethostname()}, since {AT}" in str(caught.value)
        file.append(ANSWER)
    with opened(path) as file:
        assert file.events == [HEAD, ANSWER]


HOLD = """
import sys
from pathlib import Path
from studyapp.log import Log
log = Log(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_writer_is_told_who_has_the_log_and_gets_it_when_that_one_is_killed(path: Path) -> None:
    write(path, [HEAD, Resumed(AT, "lab-3", 4711, {}, False)])
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(FileError, match=rf"by process 4711 on lab-3, since {re.escape(AT)}; go on there"):
            Log(path)
        assert len(log.read(path).events) == 2  # who only reads is not kept out
        other.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
        other.wait(timeout=60)
    with opened(path) as file:
        file.append(ANSWER)
    assert len(log.read(path).events) == 3


def test_a_log_that_was_closed_can_be_opened_again_and_closed_twice(path: Path) -> None:
    write(path)
    file = Log(path)
    file.close()
    file.close()
    with opened(path) as again:
        assert again.events == ALL


def test_a_refused_log_is_not_kept_locked(path: Path) -> None:
    raw = write(path)
    path.write_bytes(b"precious\n")
    with pytest.raises(FileError):
        Log(path)
    path.write_bytes(raw)
    with opened(path) as file:
        assert file.events == ALL


# A disk that fails


def fail_after(many: int, error: int) -> Callable[[int, Any], int]:
    """An os.write that writes so many bytes and then fails."""
    write, left = os.write, [many]

    def failing(descriptor: int, data: Any) -> int:
        if not left[0]:
            raise OSError(error, os.strerror(error))
        wrote = write(descriptor, bytes(data)[: left[0]])
        left[0] -= wrote
        return wrote

    return failing


@pytest.mark.parametrize("many", [0, 1, 17, 200])
@pytest.mark.parametrize(("error", "said"), [(errno.ENOSPC, "the disk is full"), (errno.EIO, "error")])
def test_an_event_that_could_not_be_written_leaves_no_trace_and_can_be_written_later(
    path: Path, monkeypatch: pytest.MonkeyPatch, many: int, error: int, said: str
) -> None:
    with opened(path) as file:
        file.append(HEAD)
        before = path.read_bytes()
        for _ in range(2):
            monkeypatch.setattr(os, "write", fail_after(many, error))
            with pytest.raises(FileError, match=f"P07.yaml: .*{said}"):
                file.append(ANSWER)
            monkeypatch.undo()
            assert path.read_bytes() == before
            assert file.events == [HEAD]
        file.append(ANSWER)
        file.append(SAID)
    assert log.read(path) == log.Saved([HEAD, ANSWER, SAID], b"")


def test_what_a_failed_write_left_is_gone_before_the_next_even_where_it_could_not_be_cut_off(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with opened(path) as file:
        file.append(HEAD)
        whole = path.read_bytes()
        truncate, calls = os.ftruncate, []

        def fails_the_second_time(descriptor: int, size: int) -> None:
            calls.append(size)
            if len(calls) > 1:
                broken()
            truncate(descriptor, size)

        monkeypatch.setattr(os, "ftruncate", fails_the_second_time)
        monkeypatch.setattr(os, "fsync", broken)
        with pytest.raises(FileError):
            file.append(SAID)
        monkeypatch.undo()
        assert path.read_bytes() != whole
        file.append(ANSWER)
    assert log.read(path) == log.Saved([HEAD, ANSWER], b"")


def test_a_head_whose_folder_could_not_be_forced_to_disk_is_written_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("Windows does not sync folders")
    fsync = os.fsync

    def not_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EIO, "Input/output error")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", not_folders)
    with opened(path) as file:
        with pytest.raises(FileError):
            file.append(HEAD)
        assert file.events == []
        monkeypatch.undo()
        file.append(HEAD)
        file.append(ANSWER)
    assert log.read(path) == log.Saved([HEAD, ANSWER], b"")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 64 kB, where one may be had."""
    folder = tmp_path / "disk"
    folder.mkdir()
    try:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], capture_output=True, check=False
        )
    except OSError:
        pytest.skip("there is no mount here")
    if made.returncode:
        pytest.skip("a small disk may not be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_full_disk_costs_no_event_and_the_same_one_is_saved_when_there_is_space(small_disk: Path) -> None:
    path, filler = small_disk / "P07.yaml", small_disk / "filler"
    filler.write_bytes(b"x" * 16384)
    said = replace(SAID, value="x" * 1000)
    with opened(path) as file:
        file.append(HEAD)
        with pytest.raises(FileError, match="the disk is full; free some space"):
            append_all(file, [said] * 100)
        saved = len(file.events) - 1
        assert 10 < saved < 100
        assert log.read(path) == log.Saved([HEAD, *[said] * saved], b"")
        filler.unlink()
        file.append(said)
    assert log.read(path) == log.Saved([HEAD, *[said] * (saved + 1)], b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let an open file be removed")
def test_a_log_that_was_removed_or_moved_during_the_session_is_written_anew(path: Path) -> None:
    with opened(path) as file:
        file.append(HEAD)
        path.unlink()
        file.append(ANSWER)
        assert log.read(path).events == [HEAD, ANSWER]
        path.parent.rename(path.parent.with_name("moved"))
        file.append(ANSWER)
        assert log.read(path).events == [HEAD, ANSWER, ANSWER]
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with pytest.raises(FileError, match="this session is open already"):
            Log(path)
        path.rename(path.with_name("aside"))
        path.write_text("something else")
        with pytest.raises(FileError, match="another file was put in the place"):
            file.append(ANSWER)
        path.unlink()
        file.append(ANSWER)
    assert log.read(path).events == [HEAD, ANSWER, ANSWER, ANSWER]


def test_a_log_that_was_cut_during_the_session_is_not_written_to(path: Path) -> None:
    with opened(path) as file:
        file.append(HEAD)
        raw = path.read_bytes()
        path.write_bytes(raw[:-10])
        with pytest.raises(FileError, match="cut this file short"):
            file.append(ANSWER)
        path.write_bytes(raw)
        file.append(ANSWER)
    assert log.read(path).events == [HEAD, ANSWER]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs, and links for administrators only")
def test_a_link_or_a_device_is_no_log(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))
    with pytest.raises(FileError, match="a link or a device"):
        Log(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(FileError, match="a link or a device"):
        Log(path)


def test_a_place_where_no_log_can_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "missing" / "P07.yaml", tmp_path / "file" / "P07.yaml"):
        with pytest.raises(FileError) as caught:
            Log(path)
        assert caught.value.path == str(path)


# Withdrawal


def test_erasing_leaves_only_the_head_and_the_withdrawal(path: Path) -> None:
    withdrawn = Withdrawn("deleted", 1, AT)
    write(path)
    path.write_bytes(path.read_bytes() + b"--- {event: answer, word: secr")
    bystander = path.with_name("P07.yaml.notes")
    bystander.write_text("the experimenter's")
    with opened(path) as file:
        file.set_torn_aside(f"{path.name}.torn-20261116")
        file.erase(HEAD, withdrawn)
        assert file.events == [HEAD, withdrawn]
    assert log.read(path) == log.Saved([HEAD, withdrawn], b"")
    assert b"salt" not in path.read_bytes().partition(b"plan:")[2].partition(b"...")[2]
    assert sorted(each.name for each in path.parent.iterdir()) == ["P07.yaml", "P07.yaml.notes"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_an_erasing_that_fails_leaves_the_log_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = write(path)
    with opened(path) as file:
        monkeypatch.setattr(os, "write", fail_after(100, errno.EIO))
        with pytest.raises(FileError):
            file.erase(HEAD, Withdrawn("deleted", 1, AT))
        monkeypatch.undo()
        assert file.events == ALL
        assert path.read_bytes() == raw
        assert [each.name for each in path.parent.iterdir()] == ["P07.yaml"]
        file.append(ANSWER)
    assert log.read(path).events == [*ALL, ANSWER]


def test_on_a_full_disk_answers_can_still_be_deleted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(path)
    begin = os.open

    def no_new_files(name: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        if str(name).endswith(".part"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return begin(name, flags, mode)

    with opened(path) as file:
        monkeypatch.setattr(os, "open", no_new_files)
        file.erase(HEAD, Withdrawn("deleted", 1, AT))
    assert log.read(path).events == [HEAD, Withdrawn("deleted", 1, AT)]
    assert b"event: answer" not in path.read_bytes()
