"""The log keeps every saved event, whatever happens to the process and its disk."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
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
from tempfile import mkdtemp
from typing import Any

import pytest
import yaml
from chains import chained, document_of, parts
from hypothesis import assume
from hypothesis import strategies as st
from meddling import DAMAGE, cut, overwritten, removed, replaced, replaced_by_a_copy
from proofs import holds_for
from study_files import AN_ANSWER, later_events, started

from core.errors import FileError
from studyapp.base import disk
from studyapp.session import events, log
from studyapp.session.events import Event, Responded, Resumed, Rewritten, Started, Withdrawn
from studyapp.session.log import Log
from studyapp.session.log_format import BEGIN, LARGEST_EVENT, ChangedError, encode
from studyapp.study.plan import Round

REPOSITORY = Path(__file__).parents[3]
AT = "2026-11-16T09:30:00.123Z"

HEAD = Started(
    participant="P07",
    at=AT,
    host=socket.gethostname(),
    process=os.getpid(),
    software={"python": "3.11.9"},
    simulated=False,
    teacher=None,
    people_sha256=None,
    pilot=False,
    imported=None,
    words="study20",
    words_sha256="ab12",
    seed=2019,
    study={"title": "Nö", "consent": "One\n...\n---\nthree", "answers": {"yes": "y", "no": "n"}},
    plan=[Round(1, True, "naive", "cat", "salt"), Round(2, False, "naive", "no", "cat")],
)
ANSWER = events.Answered(**AN_ANSWER)
RESPONSE = Responded("you", "remarks", None, "Tür\n...\n--- {event: finished}\n...\n", AT, 900.5, 0.0)
ALL: list[Event] = [HEAD, events.Consented(AT), events.RoundBegan(1, AT), ANSWER, RESPONSE]
WHOLE = encode(ALL)
LAST = len(WHOLE) - len(b"\n...\n")  # without the rest, the last event is torn
WITHDRAWN = Withdrawn("deleted", 1, AT)


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


def append_all(file: Log, count: list[Event]) -> None:
    for event in count:
        file.append(event)


def write(path: Path, count: list[Event] = ALL) -> bytes:
    """A log of these events; its bytes."""
    with opened(path) as file:
        append_all(file, count)
    return path.read_bytes()


def kept(path: Path) -> tuple[list[Event], bytes]:
    """The events of a log, and its torn tail."""
    saved = log.read(path)
    return saved.events, saved.torn


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


# What is written


def test_any_yaml_parser_reads_the_events_and_all_but_the_first_are_lines_of_json(path: Path) -> None:
    raw = write(path)
    head, *later = yaml.safe_load_all(raw)
    assert list(head)[:3] == ["event", "schema", "participant"]
    assert (head["schema"], head["participant"], head["words"]) == (3, "P07", "study20")
    assert head["plan"] == [
        {"round": 1, "practice": True, "model": "naive", "target": "cat", "first": "salt"},
        {"round": 2, "practice": False, "model": "naive", "target": "no", "first": "cat"},
    ]
    assert [list(event)[-1] for event in (head, *later)] == ["chain"] * len(ALL)
    assert later[2] == {"event": "answer", **AN_ANSWER, "clock_ms": None, "chain": later[2]["chain"]}
    lines = raw.decode().splitlines()
    assert "- {round: 1, practice: true, model: naive, target: cat, first: salt}" in map(str.strip, lines)
    assert lines.count("...") == len(ALL)
    assert [json.loads(line.removeprefix("--- ")) for line in lines[-8::2]] == later
    assert lines[-8].startswith(f'--- {{"event": "consent", "at": "{AT}", "clock_ms": null, "chain": "')
    for number, line in enumerate(log.read(path).lines):
        assert lines[line - 1].startswith(f'--- {{"event": "{ALL[number].event}"' if number else "---")
        assert line == 1 or lines[line - 2] == "..."


@holds_for(15, 150, head=started(), later=st.lists(later_events(), max_size=4))
def test_any_events_read_back_as_they_were_written(tmp_path: Path, head: Started, later: list[Event]) -> None:
    path = tmp_path / "any.yaml"
    path.unlink(missing_ok=True)
    raw = write(path, [head, *later])
    assert kept(path) == ([head, *later], b"")
    assert encode([head, *later]) == raw
    assert len(list(yaml.safe_load_all(raw))) == 1 + len(later)
    with opened(path) as file:
        assert (file.events, file.torn) == ([head, *later], b"")


def test_an_event_too_large_to_be_read_again_is_neither_written_nor_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(path, [HEAD, replace(RESPONSE, value="\U0001f600" * 5000)])  # the longest that is allowed
    assert len(log.read(path).events) == 2
    long = replace(RESPONSE, value="x" * LARGEST_EVENT)
    error = refused(path, chained([*parts(WHOLE), document_of(events.as_mapping(long))]))
    assert error.where == f"line {WHOLE.count(10) + 1}"
    assert "too many for an event" in error.problem
    path.unlink()
    with opened(path) as file:
        file.append(HEAD)
        with pytest.raises(FileError, match="'response' would make the log too large to read"):
            file.append(long)
        file.append(ANSWER)
        monkeypatch.setattr(log, "LARGEST_LOG", path.stat().st_size + 100)
        with pytest.raises(FileError, match="'answer' would make the log too large to read"):
            file.append(ANSWER)
    assert kept(path) == ([HEAD, ANSWER], b"")
    monkeypatch.setattr(log, "LARGEST_HEAD", 100)
    path.unlink()
    with opened(path) as file, pytest.raises(FileError, match="'session' would make the log too large"):
        file.append(HEAD)
    assert path.read_bytes() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_only_the_owner_may_read_a_log(path: Path) -> None:
    before = os.umask(0)
    try:
        path.write_bytes(write(path) + b'--- {"ev')
        with opened(path) as file:
            aside = file.set_torn_aside()
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(aside.stat().st_mode) == 0o600


def test_an_event_is_forced_to_disk_before_append_returns(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[tuple[bool, int]] = []  # is it the log, and how long is it?
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


# The chain


def test_a_chain_value_hashes_the_previous_one_and_everything_before_it_in_its_event(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = ""
    for number, part in enumerate(parts(write(path))):
        body, message = re.split(rb', "chain": |\nchain: ', part)
        before = hashlib.sha256(before.encode() + body).hexdigest()[:32]
        assert message == (f'"{before}"}}\n...\n' if number else f'"{before}"\n...\n').encode()
    hashed: list[int] = []
    sha256 = hashlib.sha256
    monkeypatch.setattr(disk.hashlib, "sha256", lambda raw: hashed.append(len(raw)) or sha256(raw))
    assert log.read(path).chain == before
    assert sum(hashed) < len(WHOLE)  # each byte once, so that reading takes no longer than the log is long


def test_a_reopened_log_continues_its_chain_after_a_torn_tail_too(path: Path) -> None:
    for event in ALL:
        write(path, [event])
    assert path.read_bytes() == WHOLE == chained(parts(WHOLE))
    path.write_bytes(WHOLE[:-9])
    with opened(path) as file:
        file.set_torn_aside()
        file.append(ALL[-1])
    assert path.read_bytes() == WHOLE


def refused(path: Path, raw: bytes) -> FileError:
    """The error of both ways of reading, which leave the log as it is."""
    path.write_bytes(raw)
    with pytest.raises(FileError) as caught:
        log.read(path)
    with pytest.raises(FileError, match=re.escape(str(caught.value))):
        Log(path)
    assert path.read_bytes() == raw
    assert caught.value.path == str(path)
    return caught.value


def line_of(raw: bytes, at: int) -> int:
    """The first line of the event that this byte belongs to."""
    begin = raw.rfind(b"\n...\n", 0, at) + len(b"\n...\n")
    return raw[:begin].count(b"\n") + 1 if b"\n...\n" in raw[:at] else 1


@holds_for(100, 1000, at=st.integers(0, LAST - 1), byte=st.integers(0, 255))
def test_any_changed_byte_is_detected_at_the_line_of_its_event(tmp_path: Path, at: int, byte: int) -> None:
    assume(WHOLE[at] != byte)
    error = refused(tmp_path / "P07.yaml", WHOLE[:at] + bytes([byte]) + WHOLE[at + 1 :])
    if at < len(BEGIN):
        assert "not a studyapp session log" in error.problem
    elif at <= WHOLE.index(b"\nparticipant"):
        assert error.where == "line 3"  # the schema
    else:
        assert isinstance(error, ChangedError)
        assert error.where == f"line {line_of(WHOLE, at)}"


@holds_for(80, 500, data=st.data())
def test_a_damaged_log_is_refused_unless_only_its_tail_is_torn(tmp_path: Path, data: st.DataObject) -> None:
    path, raw = tmp_path / "P07.yaml", bytearray(WHOLE)
    for _ in range(data.draw(st.integers(1, 2))):
        at, length = data.draw(st.integers(0, len(raw) - 1)), data.draw(st.integers(0, 20))
        raw[at : at + length] = data.draw(
            st.binary(max_size=6) | st.sampled_from([b"\n...\n", b"---", b": ", b"!!"])
        )
    same = next(
        (n for n, (ours, theirs) in enumerate(zip(raw, WHOLE, strict=False)) if ours != theirs), len(raw)
    )
    if b"\n...\n" in raw[max(0, same - 4) :]:  # another event ends after the damage, or in it
        assume(raw[: len(WHOLE)] != WHOLE)
        refused(path, bytes(raw))
        return
    path.write_bytes(raw)
    with contextlib.suppress(FileError), opened(path) as file:
        assert file.events == ALL[: len(file.events)]  # nothing but what was written
    assert path.read_bytes() == bytes(raw)


@holds_for(50, 400, later=st.lists(later_events(), min_size=1, max_size=4), data=st.data())
def test_events_left_out_doubled_swapped_or_of_another_log_are_detected_where_that_begins(
    tmp_path: Path, later: list[Event], data: st.DataObject
) -> None:
    own = [HEAD, *later, *ALL[1:]]
    documents = [*parts(encode(own)), *parts(encode([replace(HEAD, participant="P08"), *own[1:]]))]
    documents += [document_of(events.as_mapping(event)) for event in later]  # without a link
    order = [0, *data.draw(st.lists(st.integers(1, len(documents) - 1), max_size=len(own) + 1))]
    kept_in_order = next((n for n, place in enumerate(order) if n != place), len(order))
    if kept_in_order < len(order) and order != list(range(len(own))):
        raw = b"".join(documents[place] for place in order)
        error = refused(tmp_path / "P07.yaml", raw)
        assert isinstance(error, ChangedError)
        line = b"".join(documents[:kept_in_order]).count(b"\n") + 1
        assert error.where == f"line {line}"


def test_the_link_of_the_head_and_of_later_events_are_not_interchangeable(path: Path) -> None:
    head, consent, *rest = parts(WHOLE)
    for changed in (
        [head.replace(b'"\n...\n', b'"}\n...\n'), consent, *rest],
        [head, consent.replace(b"}\n...\n", b"\n...\n"), *rest],
        [head, consent.replace(b', "chain": ', b"\nchain: "), *rest],
        [head.replace(b"\nchain: ", b', "chain": '), consent, *rest],
    ):
        assert isinstance(refused(path, b"".join(changed)), ChangedError)


# A writer that dies


def test_a_log_torn_at_any_byte_sets_its_tail_aside_and_continues(path: Path) -> None:
    head = encode([HEAD])
    begin = len(encode(ALL[:-1]))
    torn = [([], head[:length]) for length in range(1, len(head))]
    torn += [(ALL[:-1], WHOLE[begin:length]) for length in range(begin + 1, len(WHOLE))]
    torn += [(ALL[:-1], WHOLE[begin:at] + b"x" + WHOLE[at + 1 :]) for at in range(LAST, len(WHOLE))]
    torn += [(ALL[:-1], b"...\n"), ([], b"\0" * 512)]
    torn += [(ALL, tail + b"\0" * zeros) for tail in (b"", b'--- {"event": ') for zeros in (1, 4096)]
    for before, tail in torn:
        path.write_bytes(encode(before) + tail)
        assert kept(path) == (before, tail)
        with opened(path) as file:
            assert (file.events, file.torn) == (before, tail)
            aside = file.set_torn_aside()
            assert aside.name.startswith("P07.yaml.torn-")
            assert aside.read_bytes() == tail
            assert path.read_bytes() == encode(before)
            file.append(ANSWER if before else HEAD)
        assert path.read_bytes() == encode([*before, ANSWER if before else HEAD])
        aside.unlink()


def test_a_torn_tail_stays_in_the_log_if_it_cannot_be_set_aside(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = write(path) + b'--- {"event": "le'
    path.write_bytes(raw)
    with opened(path) as file:
        monkeypatch.setattr(os, "write", fail_after(3, errno.ENOSPC))
        with pytest.raises(FileError, match=r"P07.yaml.torn-\w+: the disk is full"):
            file.set_torn_aside()
    assert path.read_bytes() == raw


# One writer


HOLD = """
import sys
from pathlib import Path
from studyapp.session.log import Log
log = Log(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_writer_learns_who_holds_the_log_and_gets_it_after_a_kill(path: Path) -> None:
    write(path, [HEAD, Resumed(AT, "lab-3", 4711, {}, False)])
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(
            FileError, match=rf"\(process 4711 on lab-3, since {re.escape(AT)}\); continue there"
        ):
            Log(path)
        assert len(log.read(path).events) == 2  # readers are not locked out
        other.send_signal(signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)
    with opened(path) as file:  # the other process has ended
        file.append(ANSWER)
    assert len(log.read(path).events) == 3


def test_a_log_is_locked_while_it_is_open_and_only_then(path: Path) -> None:
    with opened(path) as file:
        append_all(file, ALL)
        with pytest.raises(FileError, match="already open"):
            Log(path)
        file.close()
        file.close()  # twice does no harm
    path.write_bytes(b"precious\n")
    with pytest.raises(FileError):
        Log(path)
    path.write_bytes(WHOLE)
    with opened(path) as file:  # the refused one is not locked either
        assert file.events == ALL


# A disk that fails


def fail_after(count: int, error: int) -> Callable[[int, Any], int]:
    """An os.write that writes this number of bytes and then fails."""
    write, left = os.write, [count]

    def failing(descriptor: int, data: Any) -> int:
        if not left[0]:
            raise OSError(error, os.strerror(error))
        wrote = write(descriptor, bytes(data)[: left[0]])
        left[0] -= wrote
        return wrote

    return failing


def broken(*_: object) -> None:
    raise OSError(errno.EIO, "Input/output error")


def test_a_failed_write_leaves_no_trace_and_can_be_repeated(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected: list[Event] = [HEAD]
    with opened(path) as file:
        file.append(HEAD)
        for count in (0, 1, 17, 200):
            for error, message in ((errno.ENOSPC, "the disk is full"), (errno.EIO, "error")):
                before = path.read_bytes()
                for _ in range(2):
                    monkeypatch.setattr(os, "write", fail_after(count, error))
                    with pytest.raises(FileError, match=f"P07.yaml: .*{message}"):
                        file.append(ANSWER)
                    monkeypatch.undo()
                    assert path.read_bytes() == before
                    assert file.events == expected
                file.append(ANSWER)
                expected.append(ANSWER)
    assert kept(path) == (expected, b"")


def test_the_next_write_removes_what_a_failed_one_left(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
            file.append(RESPONSE)
        monkeypatch.undo()
        assert path.read_bytes() != whole
        file.append(ANSWER)
        assert not file.rewritten  # nobody else did that
    assert kept(path) == ([HEAD, ANSWER], b"")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not sync folders, nor replace an open file")
def test_an_event_is_saved_again_if_its_folder_could_not_be_synced(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def not_folders(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            broken()
        fsync(descriptor)

    with opened(path) as file:
        for event in (HEAD, ANSWER):  # a new log, and one that is written again
            if event is ANSWER:
                cut(path)
            monkeypatch.setattr(os, "fsync", not_folders)
            with pytest.raises(FileError):
                file.append(event)
            assert event not in file.events
            monkeypatch.undo()
            file.append(event)
        assert len(file.rewritten) == 1
    assert log.read(path).events == [HEAD, *file.rewritten, ANSWER]


@pytest.mark.prove
@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_disk_that_is_really_full_loses_no_event(tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no permission to mount a small disk")
    try:
        path, filler, message = (
            tmp_path / "P07.yaml",
            tmp_path / "filler",
            replace(RESPONSE, value="x" * 1000),
        )
        filler.write_bytes(b"x" * 16384)
        with opened(path) as file:
            file.append(HEAD)
            with pytest.raises(FileError, match="the disk is full; free some space"):
                append_all(file, [message] * 100)
            saved = file.events[:]
            assert 10 < len(saved) < 100
            assert kept(path) == (saved, b"")
            filler.unlink()
            file.append(message)  # once there is space
        assert kept(path) == ([*saved, message], b"")
    finally:
        subprocess.run(["umount", tmp_path], check=True)


# Another program


posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let an open file be replaced")


@posix
def test_a_log_that_another_program_changes_is_written_again_whole(tmp_path: Path) -> None:
    for damage in DAMAGE:
        path = Path(mkdtemp(dir=tmp_path)) / "sessions" / "P07.yaml"  # in a folder that can be moved
        path.parent.mkdir()
        with opened(path) as file:
            append_all(file, ALL[:3])
            damage(path)
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
            file.append(ANSWER)
            assert file.events == log.read(path).events
            *before, note, last = file.events
            assert (before, last) == (ALL[:3], ANSWER)
            assert isinstance(note, Rewritten)
            assert note.found == DAMAGE[damage], damage.__name__
            assert file.rewritten == [note]
            if note.kept_in is not None and content is not None:
                assert path.with_name(note.kept_in).read_bytes() == content  # nothing is thrown away
            assert (note.kept_in is None) == (note.found == "missing")
            assert path.read_bytes() == encode(file.events)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert not list(path.parent.glob(".*"))
            with pytest.raises(FileError, match="this session is already open"):
                Log(path)
            file.append(RESPONSE)  # and again in place
            assert len(file.rewritten) == 1
        with opened(path) as again:
            assert again.events == [*ALL[:3], note, ANSWER, RESPONSE]


@posix
@holds_for(20, 150, damages=st.lists(st.sampled_from([None, *DAMAGE]), min_size=1, max_size=8))
def test_a_log_changed_again_and_again_loses_nothing(
    tmp_path: Path, damages: list[Callable[[Path], None] | None]
) -> None:
    path = Path(mkdtemp(dir=tmp_path)) / "P07.yaml"
    with opened(path) as file:
        append_all(file, ALL)
        for damage in damages:
            if damage:
                damage(path)
            file.append(ANSWER)
            assert log.read(path).events == file.events
        notes = [event.found for event in file.events if isinstance(event, Rewritten)]
        assert notes == [DAMAGE[damage] for damage in damages if damage]
    later = [event for event in log.read(path).events if not isinstance(event, Rewritten)]
    assert later == [*ALL, *[ANSWER] * len(damages)]


@posix
def test_a_log_changed_before_its_head_is_written_begins_all_the_same(path: Path) -> None:
    with opened(path) as file:
        path.write_text("something else")
        append_all(file, ALL)
        os.utime(path)  # only touched, or written with the same bytes: it is not written again
        path.write_bytes(path.read_bytes())
        file.append(ANSWER)
    assert kept(path) == ([*ALL, ANSWER], b"")
    assert file.rewritten == []
    (aside,) = path.parent.glob("P07.yaml.damaged-*")
    assert aside.read_text() == "something else"


@posix
def test_a_full_disk_while_a_log_is_written_again_loses_nothing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(path) as file:
        append_all(file, [*ALL, *[ANSWER] * 10])
        cut(path)
        found = path.read_bytes()
        for count in (0, 0, 100, 3000):
            monkeypatch.setattr(os, "write", fail_after(count, errno.ENOSPC))
            with pytest.raises(FileError, match="the disk is full"):
                file.append(RESPONSE)
            monkeypatch.undo()
            assert path.read_bytes() == found
            assert names(path.parent) == ["P07.yaml"]
        file.append(RESPONSE)
        assert [note.found for note in file.rewritten] == ["cut short"]
    assert log.read(path).events == [*ALL, *[ANSWER] * 10, *file.rewritten, RESPONSE]


@posix
def test_a_log_is_not_taken_from_another_studyapp_that_opened_it(path: Path) -> None:
    with opened(path) as file:
        append_all(file, ALL)
        replaced_by_a_copy(path)
        with opened(path) as other:
            other.append(ANSWER)
            with pytest.raises(FileError, match=r"this session is already open \(process"):
                file.append(RESPONSE)
            other.append(ANSWER)
        file.append(RESPONSE)  # the other one has ended
        assert file.events == [*ALL, *file.rewritten, RESPONSE] == log.read(path).events
    (aside,) = path.parent.glob("P07.yaml.damaged-*")
    assert log.read(aside).events == [*ALL, ANSWER, ANSWER]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no FIFOs, and links for administrators only")
def test_what_is_no_place_for_a_log_is_refused(path: Path) -> None:
    path.symlink_to(path.with_name("elsewhere"))
    with pytest.raises(FileError, match="a link or a device"):
        Log(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(FileError, match="a link or a device"):
        Log(path)
    (path.parent / "file").write_text("")
    for place in (path.parent, path.parent / "missing" / "P07.yaml", path.parent / "file" / "P07.yaml"):
        with pytest.raises(FileError) as caught:
            Log(place)
        assert caught.value.path == str(place)


# Withdrawal


@contextlib.contextmanager
def full_disk() -> Iterator[None]:
    """A disk without room for a second file."""
    begin = os.open

    def no_new_files(name: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        if str(name).endswith(".part"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return begin(name, flags, mode)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", no_new_files)
        yield


@pytest.mark.parametrize("disk", [contextlib.nullcontext, full_disk])
def test_erasing_leaves_only_the_head_and_the_withdrawal(
    path: Path, disk: Callable[[], contextlib.AbstractContextManager[None]]
) -> None:
    path.write_bytes(write(path) + b'--- {"event": "answer", "word": "secr')
    path.with_name("P07.yaml.notes").write_text("the experimenter's")
    with opened(path) as file, disk():
        file.set_torn_aside()
        file.erase(HEAD, WITHDRAWN)
        assert file.events == [HEAD, WITHDRAWN]
    assert kept(path) == ([HEAD, WITHDRAWN], b"")
    assert path.read_bytes() == encode([HEAD, WITHDRAWN])  # its chain is whole
    assert b'"answer"' not in path.read_bytes()
    assert names(path.parent) == ["P07.yaml", "P07.yaml.notes"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_erasing_removes_what_other_programs_left_of_the_answers(tmp_path: Path) -> None:
    for damage in (cut, overwritten, replaced, removed):
        for space in (contextlib.nullcontext, full_disk):
            path = Path(mkdtemp(dir=tmp_path)) / "P07.yaml"
            with opened(path) as file:
                append_all(file, ALL)
                cut(path)
                file.append(ANSWER)
                assert list(path.parent.glob("P07.yaml.damaged-*"))
                path.with_name(".P07.yaml.123.part").write_bytes(path.read_bytes())  # of a killed process
                damage(path)
                with space():
                    if space is full_disk and damage in (replaced, removed):  # there is no file to cut
                        with pytest.raises(FileError, match="the disk is full"):
                            file.erase(HEAD, WITHDRAWN)
                        continue
                    file.erase(HEAD, WITHDRAWN)
            assert names(path.parent) == ["P07.yaml"]
            assert path.read_bytes() == encode([HEAD, WITHDRAWN])


def test_a_failed_erasure_leaves_the_log_as_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = write(path)
    with opened(path) as file:
        monkeypatch.setattr(os, "write", fail_after(100, errno.EIO))
        with pytest.raises(FileError):
            file.erase(HEAD, WITHDRAWN)
        monkeypatch.undo()
        assert file.events == ALL
        assert path.read_bytes() == raw
        assert names(path.parent) == ["P07.yaml"]
        file.append(ANSWER)
    assert log.read(path).events == [*ALL, ANSWER]


def test_on_a_full_disk_a_head_with_other_formatting_stays_whole(path: Path) -> None:
    head, *later = parts(WHOLE)
    path.write_bytes(chained([head.replace(b"\nhost: ", b"\n# by another version\nhost: "), *later]))
    with opened(path) as file, full_disk():
        file.erase(HEAD, WITHDRAWN)
    assert kept(path) == ([HEAD, WITHDRAWN], b"")
