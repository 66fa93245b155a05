"""Bad logs: each is refused with its line and its reason, runs nothing, hangs nothing and uses little memory.

Most of their chains are valid, because whoever makes such a log can compute one: these tests are about what
comes after the chain.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tracemalloc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chains import chained, document_of, edited, event_of, parts
from hypothesis import strategies as st
from proofs import holds_for
from study_files import recorded

from core.errors import FileError
from studyapp.analysis.extract import Broken, extract
from studyapp.base import documents
from studyapp.session.events import Answered, Event, Imported, Left, RoundBegan, Started, as_mapping
from studyapp.session.log import Log
from studyapp.session.log_format import LARGEST_HEAD, LARGEST_LOG, ChangedError, encode
from studyapp.session.saved import SavedSession, find_logs, load_study, open_session
from studyapp.session.sitting import Participant, Sitting
from studyapp.session.verification import verify
from studyapp.tables.tables import TABLES

SPACE = 20_000_000  # bytes; a small log takes less than one million
AT = "2026-11-16T09:30:00.123Z"

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
Rows = Iterable[tuple[bytes, str]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P01.yaml"


@pytest.fixture(scope="module")
def good() -> bytes:
    return recorded().raw


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < SPACE
    finally:
        tracemalloc.stop()


def refused(path: Path, raw: bytes | None = None, *, writer: bool = True) -> FileError:
    """The error of a log, which every way of reading refuses and leaves as it is."""
    if raw is not None:
        path.write_bytes(raw)
    before = path.stat(), sorted(path.parent.iterdir())
    with pytest.raises(FileError) as caught:
        open_session(path)
    if writer:
        with pytest.raises(FileError):
            Log(path)
    after = path.stat(), sorted(path.parent.iterdir())
    assert (before[0].st_size, before[0].st_mtime_ns, before[1]) == (
        *(after[0].st_size, after[0].st_mtime_ns, after[1]),
    )
    assert caught.value.path == str(path)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000
    return caught.value


def with_head(good: bytes, changed: bytes, name: bytes = b"host") -> bytes:
    """The valid log with this in place of a line of its head, and a new chain."""
    head, *later = parts(good)
    begin = head.index(b"\n" + name + b": ") + 1
    return chained([head[:begin] + changed + head[head.index(b"\n", begin) :], *later])


# The head

LAUGHS = "a0: &a0 [ha, ha]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)
TAGS = b"""host: !!python/object/apply:os.system ['touch owned']
host: !!python/object/new:os.system ['touch owned']
host: !!python/object/apply:builtins.open [owned, w]
host: !!python/name:os.system
host: !<tag:yaml.org,2002:python/object/apply:os.system> ['touch owned']
host: !local here
host: !%1B%5B2J here
host: !!binary aGVyZQ==
host: !!timestamp 2026-11-16
!!python/name:os.system host: here
software: !!set {a, b}""".split(b"\n")
ALIASES = [
    LAUGHS.rstrip().encode(),
    b"host: &a [*a, *a]",
    b"host: &a here",
    b"host: *a",
    b"host: here\n<<: *a",
    b"host: here\n*a : b",
    b"host: here\n? &a b\n: c",
]
DEEP = [
    b"host: " + b"[" * 1_000_000,
    b"host: " + b"{a: " * 50_000,
    b"host: " + b'{"a":' * 50_000,
    b"host:\n" + b"".join(b" " * n + b"a:\n" for n in range(1, 1000)).rstrip(),
    b"host:\n  " + b"- " * 50_000,
    b"? " * 50_000,
]
NUMBERS = [b"9" * 101, b"9" * 1_000_000, *b"1e999 -.inf .nan 0x1F 1_000 1.5 -1 null".split()]
HEADS: list[tuple[bytes, str]] = [
    *((tag, r"tags \(") for tag in TAGS),
    *((alias, r"anchors \(&\) and aliases \(\*\) are not allowed; write the value out") for alias in ALIASES),
    *((deep, "nested too deeply|before a colon") for deep in DEEP),
    *((b"process: " + number, "process: Input should be") for number in NUMBERS),
    *((b"seed: " + number, "seed: Input should be") for number in NUMBERS if number != b"-1"),
    (b"seed: 1180591620717411303424", "seed: Input should be"),
    (b"host: here\nhost: there", "'host' is already given on line"),
    (b"host: here\nevent: consent", "'event' is already given on line 2"),
    (b"host: here\n3: there", "a name before a colon must be a word"),
    (b"host: here\nmore: there", "more: Unexpected keyword argument"),
    (b"host: here\n---\nhost: there", "a second document begins here"),
    (b"host: 'here", "can't be read as YAML"),
    (b"host: [here", "can't be read as YAML"),
    (b'host: "\\UFFFFFFFF"', "can't be read as YAML"),
    (b'host: "\\uD800"', "can't be read as YAML"),
    (b"host: he\0re", "can't be read as YAML"),
    (b"host: he\x1bre", "can't be read as YAML"),
    (b"host: he\xffre", "this is not UTF-8 text"),
    (b"host: \xed\xa0\x80", "this is not UTF-8 text"),
    ("host: he\ufffere".encode(), "can't be read as YAML"),
    (b"host: 3", "host: Input should be a valid string"),
    (b"host:", "host: Input should be a valid string"),
    (b"host: [here]", "host: Input should be a valid string"),
    (b"clock_ms: -1", "clock_ms: Input should be"),
    (b"host: " + b"x" * LARGEST_HEAD, "bytes, too many for an event"),
]


def test_a_malformed_head_is_refused_early_with_its_line_and_runs_nothing(
    path: Path, good: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    path.write_bytes(with_head(good, b"host: here"))
    assert open_session(path).state == "finished"  # the log behind these tests is valid
    line = 1 + good[: good.index(b"\nhost: ") + 1].count(b"\n")
    for changed, message in HEADS:
        name = re.match(rb"(process|seed|clock_ms)?", changed)
        path.write_bytes(with_head(good, changed, name[0] or b"host" if name else b"host"))
        with little_memory() if len(changed) < LARGEST_HEAD else nullcontext():
            error = refused(path)
        assert re.search(message, error.problem), (changed[:80], error.problem)
        assert error.where is not None, changed[:80]
        if changed in (*TAGS, *ALIASES):
            assert int(error.where.removeprefix("line ")) in (line, line + 1), changed[:80]
    assert list(path.parent.iterdir()) == [path]


def test_a_head_with_too_many_values_is_not_read_to_its_end(
    path: Path, good: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "MOST_LOGGED", 500)
    path.write_bytes(with_head(good, b"software: [" + b"[], " * 1_900))
    assert "there are more than 500 values" in refused(path).problem


def test_a_log_of_another_schema_asks_for_the_version_that_wrote_it(path: Path, good: bytes) -> None:
    for schema in (b"1", b"0", b"2", b"3.0", b'"3"', b"three", b"", b"33", b"\x1b[2J"):
        raw = good.replace(b"schema: 3", b"schema: " + schema, 1)
        for changed in (raw, chained(parts(raw))):  # another schema may have another chain
            error = refused(path, changed)
            assert error.where == "line 3"
            shown = schema.decode().replace("\x1b", "\\x1b")
            said = f"schema {shown}, but this version of studyapp reads schema 3; use the version that"
            assert said in error.problem
    assert "schema (none)" in refused(path, chained(parts(good.replace(b"schema: 3\n", b"", 1)))).problem


def test_what_is_no_log_is_refused(path: Path, good: bytes) -> None:
    for content in (
        b"precious\n",
        b"- a\n- b\n",
        b"event: session\n",
        b"title: a study file\nmodels: {}\n",
        b"\xff\xfe-\0-\0-\0",
        b"\x1f\x8b\x08",
        b"PK\x03\x04",
        b'--- {"event": "consent", "at": "x"}\n',
        b"---\nevent: sessions\n",
    ):
        for raw in (content, content + b"...\n", content + good):
            assert "not a studyapp session log" in refused(path, raw).problem, raw[:80]
    for raw in (b"\xef\xbb\xbf" + good, good.replace(b"\n", b"\r\n")):
        error = refused(path, raw)
        assert isinstance(error, ChangedError)
        assert "an editor or a file transfer changed" in error.problem
    for raw in (b"", good[:1], good[:4], good[:300], b"\0" * 4096):
        error = refused(path, raw, writer=False)  # which begins again
        assert "this log is empty: studyapp was stopped before it wrote the first event" in error.problem


# The events after it

CONSENT = '{"event": "consent", "at": '
EVENTS = {
    '{"event": "round", "round": [1, "at": "x"}': "Invalid JSON",
    '{"event": "sound", "round": 1, "at": "x"}': "'sound' found",
    '{"event": "round", "round": 1, "at": "\0"}': "Invalid JSON",
    '{"event": "round", "round": 1}': "at: Field required",
    '{"event": "round", "round": 1, "at": "2026-11-16T09:30:00"}': "a time must be like",
    '{"event": "round", "round": "1", "at": "2026-11-16T09:30:00.123Z"}': "round: ",
    '{"event": "round", "round": 1, "at": "2026-11-16T09:30:00.123Z", "mood": 3}': "mood: ",
    '{"event": "round", "round": 2026-11-16, "at": "x"}': "Invalid JSON",
    '{"event": "\x1b[2J"}': "Invalid JSON",
    '{"event": "\\u001b[2J"}': "found using",
    '{"event": "left", "' + "x" * 50_000 + '": 1}': "Field required",
    "{event: consent, at: x}": "Invalid JSON",
    CONSENT + "!!python/name:os.system }": "Invalid JSON",
    CONSENT + "&a [*a]}": "Invalid JSON",
    CONSENT + "[" * 5000 + "]" * 5000 + "}": "recursion|Invalid JSON",
    CONSENT + '"2026-11-16T09:30:00.123Z"}\n--- {}': "Invalid JSON",
    CONSENT + '"\xff"}': "Invalid JSON",
    "3": "Invalid JSON",
    "": "Invalid JSON",
    "{}": "discriminator",
    "[]": "Invalid JSON",
}


def test_what_is_no_event_is_refused_with_its_line(path: Path, good: bytes) -> None:
    events = parts(good)
    line = b"".join(events[:2]).count(10) + 1
    for text, message in EVENTS.items():
        events[2] = b"--- " + text.encode("latin-1") + b"\n...\n"
        error = refused(path, chained(events))
        assert not isinstance(error, ChangedError)
        assert error.where == f"line {line}", text[:80]
        assert re.match(f"this is not an event of a session: .*({message})", error.problem), error.problem
        # Without a chain, its content does not matter.
        assert isinstance(refused(path, b"".join(events)), ChangedError), text[:80]


def test_a_second_head_is_refused_with_its_line(path: Path, good: bytes) -> None:
    events = parts(good)
    for place in (2, len(events)):
        line = b"".join(events[:place]).count(10) + 1
        head = document_of(as_mapping(recorded().events[0]))
        error = refused(path, chained([*events[:place], head, *events[place:]]))
        assert (error.problem, error.where) == (
            *("a second session begins here; a log holds one session", f"line {line}"),
        )
        error = refused(path, b"".join([*events[:place], events[0], *events[place:]]))
        assert isinstance(error, ChangedError)
        assert error.where == f"line {line}"


ODD = ["NaN", "-Infinity", "1e999", "9" * 5000, "[" * 50_000, "0x1F", "01", ".5", "-1", "null"]
ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"question": 3}, "'answer' does not belong here; expected question 2 of round 1"),
    ({"question": 1}, "'answer' does not belong here; expected question 2 of round 1"),
    ({"round": 2}, "'answer' does not belong here; expected question 2 of round 1"),
    ({"answer": "maybe"}, "this is not an event of a session: answer.answer: Input should be 'y' or 'n'"),
    ({"without": "word"}, "this is not an event of a session: answer.word: Field required"),
    ({"rt_ms": "1840"}, "this is not an event of a session: answer.rt_ms: Input should be a valid number"),
    ({"rt_ms": None}, "rt_ms is empty; only imported sessions may leave it out"),
    ({"shown_at": None}, "shown_at is empty; only imported sessions may leave it out"),
    ({"clock_ms": None}, "clock_ms is empty; only imported sessions may leave it out"),
    ({"mood": "good"}, "this is not an event of a session: answer.mood: Unexpected keyword argument"),
    ({"event": "answered"}, "this is not an event of a session: Input tag 'answered' found using"),
    ({"rt_ms": 0.5}, "this is not an event of a session: Value error, last_choice_ms is"),
    ({"away_ms": 1e9}, "this is not an event of a session: Value error, away_ms is"),
]


def test_a_bad_answer_is_refused_with_its_line(path: Path, good: bytes) -> None:
    place = recorded().nth(Answered, 1)
    where = f"line {encode(recorded().events[:place]).count(10) + 1}"
    for changes, message in ANSWERS:
        error = refused(path, edited(good, place, **changes), writer=False)
        assert error.problem.startswith(message), (changes, error.problem)
        assert (error.where, str(error)) == (where, f"{path}, {where}: {error.problem}")
    events, answer = parts(good), event_of(parts(good)[place])
    for name in ("rt_ms", "reward", "question"):
        for number in ODD if name != "rt_ms" else ODD[:-1]:
            changed = document_of(answer | {name: "HERE"}).replace(b'"HERE"', number.encode())
            error = refused(path, chained([*events[:place], changed, *events[place + 1 :]]))
            assert error.where == where, (name, number)
            assert error.problem.startswith("this is not an event of a session: "), (name, number)


def test_an_event_in_the_wrong_place_is_refused_with_its_line(path: Path) -> None:
    whole = list(recorded().events)
    first, last = recorded().nth(Answered), whole[-1]
    for events, message in (
        (recorded().changed(first, word="nonsense"), "'answer' does not belong here; expected question 1 of"),
        ([*whole, Left(AT)], "'left' comes after the end of the session"),
        ([*whole[:5], last], "'finished' comes too early; expected question 2 of round 1"),
    ):
        error = refused(path, encode(events), writer=False)
        assert error.problem.startswith(message)
        bad = next(n for n, event in enumerate(events) if n >= len(whole) or event != whole[n])
        assert error.where == f"line {encode(events[:bad]).count(10) + 1}"


# The plan and the study


def test_a_plan_that_no_session_has_is_refused(path: Path) -> None:
    head, *later = recorded().events
    assert isinstance(head, Started)
    rounds = head.plan
    each = "the plan must have one round with each model for every target"
    before = "the plan must have its practice rounds before all others"
    for order, message in (
        ([], "the plan has no rounds"),
        ([1, 1, 2, 3, 4, 5], each),
        ([0, 1, 2, 2, 4, 5], each),
        ([0, 1, 2, 4], each),
        ([0, 1, 2, 3, 4, 5, 2, 3], each),
        ([2, 3, 0, 1, 4, 5], before),
        ([0, 2, 1, 3, 4, 5], before),
    ):
        plan = [replace(rounds[place], round=number) for number, place in enumerate(order, start=1)]
        error = refused(path, encode([replace(head, plan=plan)]), writer=False)
        assert (error.problem.startswith(message), error.where) == (True, "line 1"), order
    for changes in ({"practice": True}, {"practice": False}, {"model": "plain"}, {"target": "tea"}):
        plan = [replace(round_, **changes) for round_ in rounds]
        assert refused(path, encode([replace(head, plan=plan), *later]), writer=False), changes
    for renumber in (-1, 1, 100, 10**12):
        plan = [replace(round_, round=round_.round + renumber) for round_ in rounds]
        moved: list[Event] = [
            replace(event, round=event.round + renumber)
            if isinstance(event, RoundBegan | Answered)
            else event
            for event in later
        ]
        for by in (head, replace(head, imported=Imported("answers.csv", "ab12", 2, None))):
            events = [replace(by, plan=plan), *(moved if renumber in (1, 100) else [])]
            assert refused(path, encode(events), writer=False).where == "line 1"


def test_an_invalid_study_or_id_is_refused_at_the_head(path: Path, good: bytes) -> None:
    head = recorded().events[0]
    assert isinstance(head, Started)
    for change in (
        {"questions": "two"},
        {"questions": -1},
        {"kernel_width": 1e308},
        {"models": {}},
        {"surprise": 1},
        {"consent": "\x1b[2J"},
        {"at_end": ["nonsense"]},
        {"texts": {"ask": "{word} {\x1b[2J}"}},
    ):
        error = refused(path, encode([replace(head, study=head.study | change)]), writer=False)
        assert error.problem.startswith("the study in the log is not valid: "), change
        assert error.where == "line 1"
    for participant in ("../P01", "", "P 01", "a" * 65, "\x1b[2J"):
        error = refused(path, encode([replace(head, participant=participant)]), writer=False)
        assert (error.problem.startswith("the participant ID is "), error.where) == (True, "line 1")
    text, *later = parts(good)
    for name in ("kernel_width", "questions", "pause", "within", "beta", "horizon", "seed"):
        for number in ("1e999", ".inf", ".nan", "-1e999", "9" * 400):
            changed = re.sub(rf"(\n +{name}: )\S+", rf"\g<1>{number}", text.decode(), count=1).encode()
            assert changed != text
            error = refused(path, chained([changed, *later]), writer=False)
            assert error.problem.startswith("the study in the log is not valid: "), (name, number)
            assert error.where == "line 1"


def test_a_short_log_cannot_describe_an_enormous_session(path: Path) -> None:
    head = recorded().events[0]
    assert isinstance(head, Started)
    items = [{"id": str(n), "kind": "text", "ask": "?"} for n in range(100)]
    you: dict[str, Any] = {"questionnaires": {"you": items}, "at_end": []}
    for changes, times, message in (
        ({"questions": 1000}, 60, "more than 300,000 steps, too many for a log"),
        (you | {"after_round": ["you"] * 50}, 1, "or the same one twice"),
        (you | {"after_round": ["you"] * 10_000}, 1, "at most 50 items"),
    ):
        path.write_bytes(encode([replace(head, study=head.study | changes, plan=head.plan * times)]))
        error = refused(path, writer=False)
        assert (message in error.problem, error.where) == (True, "line 1")


# Sizes, and what is not a file


def test_a_file_of_a_gigabyte_is_refused_without_being_read(path: Path, good: bytes) -> None:
    for begins in (b"", b"---\nevent: session\nschema: 3\nhost: ", b"\xff"):
        path.write_bytes(begins)
        for size in (1_000_000_000, LARGEST_LOG + 1):
            os.truncate(path, size)
            with little_memory():
                error = refused(path)
            assert error.problem == "the file is larger than 64,000,000 bytes; a session log never is"
    head = parts(good)[0]
    path.write_bytes(head)
    os.truncate(path, 10_000_000)  # an enormous torn tail is ignored
    opened = open_session(path)
    assert (opened.state, len(opened.saved.torn)) == ("incomplete", 10_000_000 - len(head))


@posix
def test_pipes_devices_sockets_and_folders_are_refused_without_waiting(
    path: Path, good: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(path)
    assert "this is a pipe or a device; an ordinary file is needed" in refused(path).problem
    assert find_logs([path.parent]) == find_logs([path]) == [path]  # opening it reports the problem
    path.unlink()
    for device in ("/dev/zero", "/dev/null", "/dev/tty", "/dev/full", "/proc/kmsg"):
        if Path(device).exists():
            path.symlink_to(device)
            with little_memory():
                refused(path, writer="/dev/" in device)
            path.unlink()
    monkeypatch.chdir(path.parent)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("P01.yaml")
        assert "this is a pipe or a device" in refused(path).problem
    path.unlink()
    folder = path.with_name("x.yaml")
    folder.mkdir()
    assert "this is a folder; a file is needed" in refused(folder).problem
    with pytest.raises(FileError, match="this folder has no session logs"):
        find_logs([path.parent])
    path.write_bytes(good)
    assert find_logs([path.parent]) == [path]


# Anything at all


def attempt(path: Path) -> tuple[SavedSession | None, FileError | None]:
    """A session, or the error; nothing else may result from a log."""
    try:
        return open_session(path), None
    except FileError as error:
        return None, error


PIECES = [
    *(b"!!python/name:os.system ", b"&a", b"*a", b"<<: ", b"- ", b"? ", b": ", b"[", b"]", b"{", b"}", b"\n"),
    *(b"...\n", b"---\n", b"\0", b"\xff", b"\xed\xa0\x80", b'"', b"'", b"|\n", b">\n", b"#", b"%", b"\t"),
    *b", null true 1e999 .nan -1 0 NaN \\ round practice models session y cat imported".split(),
    *(b"9" * 200, b'"\\ud800"', b"\xc2\x85", b"questions: 1000\n"),
]


@holds_for(50, 1000, data=st.data())
def test_any_log_with_a_valid_chain_is_opened_or_refused(
    tmp_path: Path, good: bytes, data: st.DataObject
) -> None:
    path, events = tmp_path / "P01.yaml", parts(good)
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.just(0) | st.integers(0, len(events) - 1))
        at = data.draw(st.integers(0, len(events[number]) - 5))
        length = data.draw(st.integers(0, 12))
        piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=4))
        events[number] = events[number][:at] + piece + events[number][at + length :]
    recorded().put(tmp_path)
    path.write_bytes(chained(events))
    opened, error = attempt(path)
    if opened is None:
        assert str(error).isprintable()
        return
    assert opened.state in ("finished", "incomplete")
    with suppress(FileError):
        load_study(opened)


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers())


@holds_for(25, 500, name=st.sampled_from(sorted(Answered.__dataclass_fields__)), value=VALUES)
def test_any_value_in_any_field_of_an_answer_is_kept_or_refused(
    tmp_path: Path, good: bytes, name: str, value: object
) -> None:
    path, place = tmp_path / "P01.yaml", recorded().nth(Answered, 1)
    path.write_bytes(edited(good, place, **{name: value}))
    opened, error = attempt(path)
    if opened is None:
        assert error is not None
        assert error.where == f"line {encode(recorded().events[:place]).count(10) + 1}"
    else:
        message = as_mapping(opened.session.answers[1])[name]
        assert message == value
        assert isinstance(message, bool) == isinstance(value, bool)


ANY_NUMBER = st.one_of(
    st.integers(-(10**20), 10**20),
    st.integers(-3, 8),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-10, 10_000),
    st.sampled_from([-1e6, 1e9, 1e18, 1e308, -0.0, 5e-324, 10**400, 2**63, -(2**63) - 1]),
)


def with_other_numbers(data: st.DataObject, events: list[Any]) -> list[Any]:
    """The same events, some numbers in them changed."""
    changed = list(events)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed) - 1))
        event = changed[place]
        if isinstance(event, Started) and data.draw(st.booleans()):
            plan = list(event.plan)
            which = data.draw(st.integers(0, len(plan) - 1))
            plan[which] = replace(plan[which], round=data.draw(ANY_NUMBER))
            changed[place] = replace(event, plan=plan)
            continue
        names = [name for name, value in vars(event).items() if type(value) in (int, float)]
        name = data.draw(st.sampled_from(sorted(set(names) - {"schema"})))
        changed[place] = replace(event, **{name: data.draw(ANY_NUMBER)})
    return changed


@holds_for(40, 1000, data=st.data(), finished=st.booleans())
def test_any_number_in_any_event_is_refused_or_does_no_harm(
    tmp_path: Path, data: st.DataObject, finished: bool
) -> None:
    events = list(recorded().events)
    path = recorded().put(tmp_path, with_other_numbers(data, events if finished else events[:-1]))
    result, extracted = verify(path), extract(path, None)
    assert "error in studyapp" not in result.message
    opened, error = attempt(path)
    if opened is None:
        assert (result.verdict, result.code) == ("unreadable", 2)
        assert isinstance(extracted, Broken)
        assert str(error).isprintable()
    else:
        if isinstance(extracted, Broken):
            assert "the reward is not" in extracted.problem
        else:
            assert (extracted.minutes or 0) >= 0
            assert not (extracted.thinking < 0).any()
            assert not (extracted.delay < 0).any()
        for table in TABLES:
            table.rows(opened)
    with suppress(FileError):
        Sitting.open(recorded().study, Participant("P01", teacher="random"), tmp_path).close()
    for aside in tmp_path.glob("P01.yaml*"):
        aside.unlink()
