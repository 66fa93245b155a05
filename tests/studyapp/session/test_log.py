"""The log keeps every acknowledged event through whatever happens to the process and its disk."""

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
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from chains import chained, document_of, edited, parts
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from study_files import later_events, started

from core.errors import FileError
from studyapp.session import events, log
from studyapp.session.events import Event, Responded, Resumed, Started, Withdrawn
from studyapp.session.log import LARGEST_EVENT, ChangedError, Log
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
    pilot=False,
    imported=None,
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
    reward=0.2718,
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


def kept(path: Path) -> tuple[list[Event], bytes]:
    """The events of a log, and its torn tail."""
    saved = log.read(path)
    return saved.events, saved.torn


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
    asked = ("round", "question", "word", "answer", "reward", "shown_at", "rt_ms", "compute_ms", "delay_ms")
    assert [answer[name] for name in asked] == [1, 1, "salt", "n", 0.2718, AT, 1840.0, 4.1, 500.2]
    assert later[0] == {"event": "consent", "at": AT, "chain": later[0]["chain"]}
    assert all(re.fullmatch("[0-9a-f]{16}", each["chain"]) for each in (head, *later))
    assert all(list(each)[-1] == "chain" for each in (head, *later))
    assert later[3]["value"] == SAID.value
    assert (later[5]["at"], later[5]["answers"]) == (AT, 630)


def test_every_event_after_the_head_is_a_line_of_json_and_ends_with_three_dots(path: Path) -> None:
    lines = write(path).decode().splitlines()
    assert lines[0] == "---"
    assert lines.count("...") == len(ALL)
    assert lines[-7::2] == ["..."] * 4
    consent, began, answer, response = (line.removeprefix("--- ") for line in lines[-8::2])
    assert consent.startswith(f'{{"event": "consent", "at": "{AT}", "chain": "')
    assert began.startswith(f'{{"event": "round", "round": 1, "at": "{AT}", "chain": "')
    assert json.loads(answer)["word"] == "salt"
    assert json.loads(response)["value"] == SAID.value
    assert "  - {round: 1, practice: true, model: naive, target: cat, first: salt}" in [
        f"  {line.strip()}" for line in lines
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(head=started(), later=st.lists(later_events(), max_size=4))
def test_any_events_are_read_back_as_they_were(tmp_path: Path, head: Started, later: list[Event]) -> None:
    path = tmp_path / "any.yaml"
    path.unlink(missing_ok=True)
    raw = write(path, [head, *later])
    assert kept(path) == ([head, *later], b"")
    assert log.written([head, *later]) == raw
    assert len(list(yaml.safe_load_all(raw))) == 1 + len(later)
    with opened(path) as file:
        assert (file.events, file.torn) == ([head, *later], b"")


def test_a_log_tells_on_which_line_each_event_begins(path: Path) -> None:
    lines = write(path).decode().split("\n")
    for number, line in enumerate(log.read(path).lines):
        assert lines[line - 1].startswith(f'--- {{"event": "{ALL[number].event}"' if number else "---")
        assert line == 1 or lines[line - 2] == "..."
    assert len(set(log.read(path).lines)) == len(ALL)


# The chain


def test_a_link_is_a_hash_of_the_link_before_and_of_all_that_stands_before_it_in_its_event(
    path: Path,
) -> None:
    before = ""
    for number, part in enumerate(parts(write(path))):
        body, told = re.split(rb', "chain": |\nchain: ', part)
        before = hashlib.sha256(before.encode() + body).hexdigest()[:16]
        assert told == (f'"{before}"}}\n...\n' if number else f'"{before}"\n...\n').encode()
    assert log.read(path).chain == before


def test_a_log_that_is_opened_again_continues_its_chain(path: Path) -> None:
    whole = write(path)
    path.unlink()
    for event in ALL:
        write(path, [event])
    assert path.read_bytes() == whole == log.written(ALL) == chained(parts(whole))


def test_a_log_that_is_opened_again_after_a_torn_tail_continues_its_chain(path: Path) -> None:
    whole = write(path)
    path.write_bytes(whole[:-9])
    with opened(path) as file:
        file.set_torn_aside("torn")
        file.append(ALL[-1])
    assert path.read_bytes() == whole


def refused(path: Path, raw: bytes) -> FileError:
    """What both ways of reading say of a log, which they leave as it is."""
    path.write_bytes(raw)
    with pytest.raises(FileError) as caught:
        log.read(path)
    with pytest.raises(FileError, match=re.escape(str(caught.value))):
        Log(path)
    assert path.read_bytes() == raw
    assert caught.value.path == str(path)
    return caught.value


def line_of(raw: bytes, at: int) -> int:
    """On which line the event begins that this byte is of."""
    begin = raw.rfind(b"\n...\n", 0, at) + len(b"\n...\n")
    return raw[:begin].count(b"\n") + 1 if b"\n...\n" in raw[:at] else 1


WHOLE = log.written(ALL)
LAST = len(WHOLE) - len(b"\n...\n")  # what comes behind ends the last event, which is torn without it


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300)
@given(at=st.integers(0, LAST - 1), byte=st.integers(0, 255))
def test_any_byte_that_was_changed_shows_at_the_line_of_its_event(tmp_path: Path, at: int, byte: int) -> None:
    assume(WHOLE[at] != byte)
    error = refused(tmp_path / "P07.yaml", WHOLE[:at] + bytes([byte]) + WHOLE[at + 1 :])
    if at < len(log.BEGINS):
        assert "not a session log" in error.problem
    elif at <= WHOLE.index(b"\nparticipant"):
        assert error.where == "line 3"  # the schema
    else:
        assert isinstance(error, ChangedError)
        assert error.where == f"line {line_of(WHOLE, at)}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(at=st.integers(0, LAST - 1), more=st.binary(max_size=3))
def test_any_byte_that_was_taken_out_or_put_in_shows(tmp_path: Path, at: int, more: bytes) -> None:
    path = tmp_path / "P07.yaml"
    cut = 1 if not more else 0
    changed = WHOLE[:at] + more + WHOLE[at + cut :]
    assume(changed != WHOLE)
    refused(path, changed)


def test_a_change_of_the_end_of_the_last_event_makes_it_a_torn_tail_that_is_told(path: Path) -> None:
    begin = len(log.written(ALL[:-1]))
    for at in range(LAST, len(WHOLE)):
        path.write_bytes(WHOLE[:at] + b"x" + WHOLE[at + 1 :])
        assert kept(path) == (ALL[:-1], path.read_bytes()[begin:])


def test_any_line_that_was_taken_out_shows(path: Path) -> None:
    lines = WHOLE.splitlines(keepends=True)
    for number in range(len(lines) - 1):  # without the last line, the last event is torn
        rest = b"".join(lines[:number] + lines[number + 1 :])
        if number == len(lines) - 2:  # and without the last event, its end is what is torn
            path.write_bytes(rest)
            assert kept(path) == (ALL[:-1], b"...\n")
            continue
        error = refused(path, rest)
        assert error.where or "not a session log" in error.problem


@pytest.mark.parametrize("number", range(1, len(ALL) - 1))
def test_an_event_that_was_taken_out_shows_where_it_was(path: Path, number: int) -> None:
    documents = parts(WHOLE)
    error = refused(path, b"".join(documents[:number] + documents[number + 1 :]))
    assert isinstance(error, ChangedError)
    assert error.where == f"line {b''.join(documents[:number]).count(10) + 1}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_two_events_that_were_swapped_show_where_the_first_was(
    tmp_path: Path, data: st.DataObject
) -> None:
    later = data.draw(st.lists(later_events(), min_size=2, max_size=6, unique_by=repr))
    documents = parts(log.written([HEAD, *later]))
    one, other = sorted(data.draw(st.lists(st.integers(1, len(later)), min_size=2, max_size=2, unique=True)))
    documents[one], documents[other] = documents[other], documents[one]
    error = refused(tmp_path / "P07.yaml", b"".join(documents))
    assert isinstance(error, ChangedError)
    assert error.where == f"line {b''.join(documents[:one]).count(10) + 1}"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(event=later_events(), place=st.integers(1, len(ALL)))
def test_an_event_that_was_put_in_shows_where_it_is(tmp_path: Path, event: Event, place: int) -> None:
    documents = parts(WHOLE)
    for forged in (document_of(events.as_mapping(event)), parts(log.written([HEAD, event]))[1]):
        raw = b"".join([*documents[:place], forged, *documents[place:]])
        assume(raw != log.written([*ALL[:place], event, *ALL[place:]]))
        error = refused(tmp_path / "P07.yaml", raw)
        assert isinstance(error, ChangedError)
        assert error.where is not None
        assert int(error.where.removeprefix("line ")) >= b"".join(documents[:place]).count(10) + 1


def test_an_event_of_another_log_does_not_fit_into_this_one(path: Path) -> None:
    other = log.written([replace(HEAD, participant="P08"), *ALL[1:]])
    for number in range(len(ALL)):
        documents = parts(WHOLE)
        documents[number] = parts(other)[number]
        error = refused(path, b"".join(documents))
        assert isinstance(error, ChangedError)


def test_each_form_of_a_link_is_taken_only_where_it_is_written(path: Path) -> None:
    head, consent, *rest = parts(WHOLE)
    for changed in (
        [head.replace(b'"\n...\n', b'"}\n...\n'), consent, *rest],
        [head, consent.replace(b"}\n...\n", b"\n...\n"), *rest],
        [head, consent.replace(b', "chain": ', b"\nchain: "), *rest],
        [head.replace(b"\nchain: ", b', "chain": '), consent, *rest],
    ):
        assert isinstance(refused(path, b"".join(changed)), ChangedError)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_only_its_owner_may_read_a_log(path: Path) -> None:
    before = os.umask(0)
    try:
        write(path)
        path.write_bytes(path.read_bytes() + b'--- {"ev')
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
        assert kept(path) == (ALL[:-1], tail)
        with opened(path) as file:
            assert (file.events, file.torn) == (ALL[:-1], tail)
            if tail:
                aside = file.set_torn_aside(f"torn-{length}")
                assert aside.read_bytes() == tail
            assert path.read_bytes() == raw[:begin]
            file.append(ANSWER)
            file.append(SAID)
        assert kept(path) == ([*ALL[:-1], ANSWER, SAID], b"")
        assert path.read_bytes() == log.written([*ALL[:-1], ANSWER, SAID])


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
    for tail in (b"\0" * zeros, b'--- {"event": "left", "at": ' + b"\0" * zeros):
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
    raw = write(path) + b'--- {"event": "le'
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
        b'--- {"event": "consent", "at": "x"}\n...\n',
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
    ("changed", "told"),
    [
        ('{"event": "round", "round": [1, "at": "x"}', "Invalid JSON"),
        ('{"event": "sound", "round": 1, "at": "x"}', "'sound' found"),
        ('{"event": "round", "round": 1, "at": "\0"}', "Invalid JSON"),
        ('{"event": "round", "round": 1}', "at: Field required"),
        ('{"event": "round", "round": 1, "at": "x"}', "at: "),
        ('{"event": "round", "round": 1, "at": "2026-11-16T09:30:00"}', "no zone"),
        ('{"event": "round", "round": "1", "at": "2026-11-16T09:30:00Z"}', "round: "),
        ('{"event": "round", "round": 1.5, "at": "2026-11-16T09:30:00Z"}', "round: "),
        ('{"event": "round", "round": 1, "at": "2026-11-16T09:30:00Z", "mood": 3}', "mood: "),
        ('{"event": "round", "round": 2026-11-16, "at": "x"}', "Invalid JSON"),
        ("{event: consent, at: x}", "Invalid JSON"),
        ('{"event": "consent", "at": !!timestamp now}', "Invalid JSON"),
        ('{"event": "consent", "at": !!python/name:os.system }', "Invalid JSON"),
        ('{"event": "consent", "at": &a [*a]}', "Invalid JSON"),
        ('{"event": "consent", "at": ' + "[" * 5000 + "]" * 5000 + "}", "recursion|Invalid JSON"),
        ('{"event": "consent", "at": "2026-11-16T09:30:00Z"}\n--- {}', "Invalid JSON"),
        ("3", "Invalid JSON"),
        ("", "Invalid JSON"),
        ("{}", "discriminator"),
        ("[]", "Invalid JSON"),
    ],
)
def test_a_fault_behind_a_chain_that_fits_is_told_with_its_line(path: Path, changed: str, told: str) -> None:
    documents = parts(WHOLE)
    line = b"".join(documents[:2]).count(10) + 1
    documents[2] = f"--- {changed}\n...\n".encode()
    error = refused(path, chained(documents))
    assert not isinstance(error, ChangedError)
    assert error.where == f"line {line}"
    assert re.match(f"this is not an event of a session: .*({told})", error.problem), error.problem
    # The same without a link: then it does not matter what it says.
    unchained = b"".join(documents)
    assert isinstance(refused(path, unchained), ChangedError)


def test_text_behind_a_chain_that_fits_must_be_utf_8(path: Path) -> None:
    documents = parts(WHOLE)
    documents[1] = documents[1].replace(b"consent", b"cons\xffent")
    error = refused(path, chained(documents))
    assert "Invalid JSON" in error.problem
    documents[0] = documents[0].replace("Nö".encode(), "Nö".encode("latin-1"))
    error = refused(path, chained(documents))
    assert "this is not UTF-8 text" in error.problem
    assert error.where == f"line {WHOLE[: WHOLE.index('Nö'.encode())].count(10) + 1}"


def test_what_an_error_tells_of_a_log_moves_no_cursor(path: Path) -> None:
    for changes in ({"event": "\x1b[2J"}, {"\x1b]0;x\x07": 1}, {"x" * 50_000: 1}):
        error = refused(path, edited(WHOLE, 1, **changes))
        assert str(error).isprintable()
        assert len(error.problem) < 1000
    error = refused(path, WHOLE.replace(b"schema: 1", b"schema: \x1b[2J"))
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("place", "told"),
    [(2, "a session begins here in the middle of another"), (len(ALL), "a session begins here")],
)
def test_a_second_head_is_told_with_its_line(path: Path, place: int, told: str) -> None:
    documents = parts(WHOLE)
    fields = events.as_mapping(HEAD)
    line = b"".join(documents[:place]).count(10) + 1
    error = refused(path, chained([*documents[:place], document_of(fields), *documents[place:]]))
    assert error.where == f"line {line}"
    assert error.problem.startswith(told)
    error = refused(path, b"".join([*documents[:place], documents[0], *documents[place:]]))
    assert isinstance(error, ChangedError)
    assert error.where == f"line {line}"


def test_a_head_that_is_some_other_event_is_refused(path: Path) -> None:
    head = b"---\nevent: session\nschema: 1\nevent: consent\n...\n"
    assert "'event' is already given on line 2" in refused(path, chained([head])).problem


def test_a_fault_inside_the_head_is_told_with_its_own_line(path: Path) -> None:
    raw = WHOLE.replace(b"\nhost: ", b"\nhost: [", 1)
    line = raw[: raw.index(b"\nhost: ")].count(b"\n") + 2
    error = refused(path, chained(parts(raw)))
    assert error.where is not None
    assert int(error.where.removeprefix("line ")) in (line, line + 1)
    assert "cannot be read as YAML" in error.problem


@pytest.mark.parametrize("schema", [b"2", b"0", b"1.0", b'"1"', b"one", b"", b"11"])
def test_a_log_of_another_schema_asks_for_the_studyapp_that_wrote_it(path: Path, schema: bytes) -> None:
    raw = WHOLE.replace(b"schema: 1", b"schema: " + schema, 1)
    for changed in (raw, chained(parts(raw))):  # others may have another chain
        error = refused(path, changed)
        assert error.where == "line 3"
        told = f"schema {schema.decode()}, and this studyapp knows 1; use the one that wrote it"
        assert told in error.problem


def test_a_log_without_a_schema_is_refused(path: Path) -> None:
    error = refused(path, chained(parts(WHOLE.replace(b"schema: 1\n", b"", 1))))
    assert "schema (none)" in error.problem


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
        assert file.events == ALL[: len(file.events)]  # nothing but what was written
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
from studyapp.session.log import Log
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
    assert kept(path) == ([HEAD, ANSWER, SAID], b"")


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
    assert kept(path) == ([HEAD, ANSWER], b"")


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
    assert kept(path) == ([HEAD, ANSWER], b"")


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
        assert kept(path) == ([HEAD, *[said] * saved], b"")
        filler.unlink()
        file.append(said)
    assert kept(path) == ([HEAD, *[said] * (saved + 1)], b"")


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
    path.write_bytes(path.read_bytes() + b'--- {"event": "answer", "word": "secr')
    bystander = path.with_name("P07.yaml.notes")
    bystander.write_text("the experimenter's")
    with opened(path) as file:
        file.set_torn_aside(f"{path.name}.torn-20261116")
        file.erase(HEAD, withdrawn)
        assert file.events == [HEAD, withdrawn]
    assert kept(path) == ([HEAD, withdrawn], b"")
    assert path.read_bytes() == log.written([HEAD, withdrawn])  # its chain is whole
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


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that has no room for a second file."""
    begin = os.open

    def no_new_files(name: str | os.PathLike[str], flags: int, mode: int = 0o777) -> int:
        if str(name).endswith(".part"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return begin(name, flags, mode)

    monkeypatch.setattr(os, "open", no_new_files)


@pytest.mark.usefixtures("full")
def test_on_a_full_disk_answers_can_still_be_deleted(path: Path) -> None:
    write(path)
    with opened(path) as file:
        file.erase(HEAD, Withdrawn("deleted", 1, AT))
        assert file.events == [HEAD, Withdrawn("deleted", 1, AT)]
    assert kept(path) == ([HEAD, Withdrawn("deleted", 1, AT)], b"")
    assert path.read_bytes() == log.written([HEAD, Withdrawn("deleted", 1, AT)])  # its chain is whole
    assert b'"answer"' not in path.read_bytes()


@pytest.mark.usefixtures("full")
def test_on_a_full_disk_what_was_set_aside_is_deleted_too(path: Path) -> None:
    path.write_bytes(write(path) + b'--- {"event": "answer", "word": "secr')
    with opened(path) as file:
        file.set_torn_aside(f"{path.name}.torn-20261116")
        file.erase(HEAD, Withdrawn("deleted", 1, AT))
    assert [each.name for each in path.parent.iterdir()] == ["P07.yaml"]


@pytest.mark.usefixtures("full")
def test_on_a_full_disk_a_head_that_is_spaced_in_another_way_stays_whole(path: Path) -> None:
    head, *later = parts(WHOLE)
    path.write_bytes(chained([head.replace(b"\nhost: ", b"\n# by another version\nhost: "), *later]))
    with opened(path) as file:
        file.erase(HEAD, Withdrawn("deleted", 1, AT))
    assert kept(path) == ([HEAD, Withdrawn("deleted", 1, AT)], b"")


# What is too large to be read again


def test_an_event_that_could_not_be_read_again_is_not_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = replace(SAID, value="x" * LARGEST_EVENT)
    with opened(path) as file:
        file.append(HEAD)
        with pytest.raises(FileError, match="'response' it would be too large to read again"):
            file.append(long)
        file.append(ANSWER)
        monkeypatch.setattr(log, "LARGEST_LOG", path.stat().st_size + 100)
        with pytest.raises(FileError, match="'answer' it would be too large to read again"):
            file.append(ANSWER)
    assert kept(path) == ([HEAD, ANSWER], b"")
    monkeypatch.setattr(log, "LARGEST_HEAD", 100)
    with opened(path.with_name("other.yaml")) as file:
        with pytest.raises(FileError, match="'session' it would be too large to read again"):
            file.append(HEAD)
        assert path.with_name("other.yaml").read_bytes() == b""


def test_the_longest_text_that_may_be_typed_can_be_read_again(path: Path) -> None:
    write(path, [HEAD, replace(SAID, value="\x9f" * 5000), replace(SAID, value="\U0001f600" * 5000)])
    assert len(log.read(path).events) == 3


def test_an_event_that_is_too_large_is_refused_with_its_line(path: Path) -> None:
    long = document_of(events.as_mapping(replace(SAID, value="x" * LARGEST_EVENT)))
    error = refused(path, chained([*parts(WHOLE), long]))
    assert error.where == f"line {WHOLE.count(10) + 1}"
    assert "no event of a session does" in error.problem


def test_a_long_log_is_read_in_time_that_grows_with_its_length(path: Path) -> None:
    path.write_bytes(log.written([HEAD, *[ANSWER] * 20_000]))
    began = time.process_time()
    assert len(log.read(path).events) == 20_001
    assert time.process_time() - began < 1.5  # a sixth of a second, and twenty times that if it were squared
