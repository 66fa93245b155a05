"""Bad logs: each is refused with its line and its reason, runs nothing, hangs nothing and uses little memory.

Most of their chains are valid, because whoever makes such a log can compute one: these tests are about what
comes after the chain.  What is refused in any YAML is in ``base/test_documents.py``, what no event can be in
``test_events.py``, and what comes in the wrong place in ``test_session.py``.
"""

from __future__ import annotations

import os
import re
import socket
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chains import chained, document_of, edited, parts
from hypothesis import strategies as st
from proofs import holds_for
from study_files import recorded

from core.errors import FileError
from studyapp.analysis.extract import Broken, extract
from studyapp.session.events import Answered, Imported, RoundBegan, Started, as_mapping
from studyapp.session.log import Log
from studyapp.session.log_format import LARGEST_HEAD, LARGEST_LOG, ChangedError, encode
from studyapp.session.saved import find_logs, load_study, open_session
from studyapp.session.sitting import Participant, Sitting
from studyapp.session.verification import verify
from studyapp.tables.tables import TABLES

SPACE = 20_000_000  # bytes; a small log takes less than one million
LINE_1 = "line 1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P01.yaml"


@pytest.fixture(scope="module")
def good() -> bytes:
    return recorded().raw


@pytest.fixture
def head() -> Started:
    started = recorded().events[0]
    assert isinstance(started, Started)
    return started


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
    assert (before[0].st_mtime_ns, before[1]) == (after[0].st_mtime_ns, after[1])
    assert caught.value.path == str(path)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000
    return caught.value


def with_head(good: bytes, changed: bytes) -> bytes:
    """The valid log with this in place of a line of its head, and a new chain."""
    name = re.match(rb"(process|seed|clock_ms)?", changed)
    head, *later = parts(good)
    begin = head.index(b"\n" + ((name and name[0]) or b"host") + b": ") + 1
    return chained([head[:begin] + changed + head[head.index(b"\n", begin) :], *later])


HEADS = {
    b"host: !!python/object/apply:os.system ['touch owned']": r"tags \(",
    b"!!python/name:os.system host: here": r"tags \(",
    b"host: &a [*a, *a]": r"anchors \(&\) and aliases \(\*\) are not allowed; write the value out",
    b"host: here\n<<: *a": r"anchors \(&\) and aliases \(\*\) are not allowed; write the value out",
    b"host: " + b"[" * 1_000_000: "nested too deeply",
    b"? " * 50_000: "nested too deeply|before a colon",
    b"process: " + b"9" * 1_000_000: "process: Input should be",
    b"process: -1": "process: Input should be",
    b"seed: .nan": "seed: Input should be",
    b"seed: 1180591620717411303424": "seed: Input should be",
    b"host: here\nhost: there": "'host' is already given on line",
    b"host: here\nevent: consent": "'event' is already given on line 2",
    b"host: here\nmore: there": "more: Unexpected keyword argument",
    b"host: here\n---\nhost: there": "a second document begins here",
    b"host: [here": "can't be read as YAML",
    b"host: he\x1bre": "can't be read as YAML",
    b"host: he\xffre": "this is not UTF-8 text",
    b"host: [here]": "host: Input should be a valid string",
    b"clock_ms: -1": "clock_ms: Input should be",
    b"host: " + b"x" * LARGEST_HEAD: "bytes, too many for an event",
}


def test_a_malformed_head_is_refused_early_with_its_line_and_runs_nothing(
    path: Path, good: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    path.write_bytes(with_head(good, b"host: here"))
    assert open_session(path).state == "finished"  # the log behind these tests is valid
    line = 1 + good[: good.index(b"\nhost: ") + 1].count(b"\n")
    for changed, message in HEADS.items():
        path.write_bytes(with_head(good, changed))
        with little_memory() if len(changed) < LARGEST_HEAD else nullcontext():
            error = refused(path)
        assert re.search(message, error.problem), (changed[:80], error.problem)
        assert error.where is not None, changed[:80]
        if message.startswith(("tags", "anchors")):
            assert int(error.where.removeprefix("line ")) in (line, line + 1), changed[:80]
    assert list(path.parent.iterdir()) == [path]


def test_a_log_of_another_schema_asks_for_the_version_that_wrote_it(path: Path, good: bytes) -> None:
    for schema in (b"1", b"2", b"3.0", b'"3"', b"three", b"", b"33", b"\x1b[2J"):
        raw = good.replace(b"schema: 3", b"schema: " + schema, 1)
        for changed in (raw, chained(parts(raw))):  # another schema may have another chain
            error = refused(path, changed)
            shown = schema.decode().replace("\x1b", "\\x1b")
            said = f"schema {shown}, but this version of studyapp reads schema 3; use the version that"
            assert (said in error.problem, error.where) == (True, "line 3")
    assert "schema (none)" in refused(path, chained(parts(good.replace(b"schema: 3\n", b"", 1)))).problem


def test_what_is_no_log_is_refused(path: Path, good: bytes) -> None:
    for content in (
        *(b"precious\n", b"- a\n- b\n", b"event: session\n", b"title: a study\nmodels: {}\n", b"\xff\xfe-\0"),
        *(b"PK\x03\x04", b'--- {"event": "consent", "at": "x"}\n', b"---\nevent: sessions\n"),
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


CONSENT = '{"event": "consent", "at": '
EVENTS = {
    '{"event": "\\u001b[2J"}': "found using",
    '{"event": "left", "' + "x" * 50_000 + '": 1}': "Field required",
    CONSENT + "!!python/name:os.system }": "Invalid JSON",
    CONSENT + "[" * 5000 + "]" * 5000 + "}": "recursion|Invalid JSON",
    CONSENT + '"2026-11-16T09:30:00.123Z"}\n--- {}': "Invalid JSON",
    CONSENT + '"\xff"}': "Invalid JSON",
    "": "Invalid JSON",
}


def test_what_is_no_event_is_refused_with_its_line(path: Path, good: bytes) -> None:
    events = parts(good)
    line = f"line {b''.join(events[:2]).count(10) + 1}"
    second = document_of(as_mapping(recorded().events[0]))
    error = refused(path, chained([*events[:2], second, *events[2:]]))
    assert (error.problem, error.where) == ("a second session begins here; a log holds one session", line)
    for text, message in EVENTS.items():
        events[2] = b"--- " + text.encode("latin-1") + b"\n...\n"
        error = refused(path, chained(events))
        assert not isinstance(error, ChangedError)
        assert error.where == line, text[:80]
        assert re.match(f"this is not an event of a session: .*({message})", error.problem), error.problem
        # Without a chain, its content does not matter.
        assert isinstance(refused(path, b"".join(events)), ChangedError), text[:80]


WRONG_PLACE = "'answer' does not belong here; expected question 2 of round 1"
NO_EVENT = "this is not an event of a session: "
ANSWERS: list[tuple[dict[str, Any], str]] = [
    ({"question": 3}, WRONG_PLACE),
    ({"round": 2}, WRONG_PLACE),
    ({"answer": "maybe"}, f"{NO_EVENT}answer.answer: Input should be 'y' or 'n'"),
    ({"without": "word"}, f"{NO_EVENT}answer.word: Field required"),
    ({"rt_ms": "1840"}, f"{NO_EVENT}answer.rt_ms: Input should be a valid number"),
    ({"rt_ms": None}, "rt_ms is empty; only imported sessions may leave it out"),
    ({"clock_ms": None}, "clock_ms is empty; only imported sessions may leave it out"),
    ({"mood": "good"}, f"{NO_EVENT}answer.mood: Unexpected keyword argument"),
    ({"away_ms": 1e9}, f"{NO_EVENT}Value error, away_ms is"),
]


def test_a_bad_answer_is_refused_with_its_line(path: Path, good: bytes) -> None:
    place = recorded().nth(Answered, 1)
    where = f"line {encode(recorded().events[:place]).count(10) + 1}"
    for changes, message in ANSWERS:
        error = refused(path, edited(good, place, **changes), writer=False)
        assert error.problem.startswith(message), (changes, error.problem)
        assert (error.where, str(error)) == (where, f"{path}, {where}: {error.problem}")


def test_a_plan_that_no_session_has_is_refused(path: Path, head: Started) -> None:
    later, rounds = recorded().events[1:], head.plan
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
        assert (error.problem.startswith(message), error.where) == (True, LINE_1), order
    changes: list[dict[str, Any]] = [{"practice": True}, {"practice": False}, {"model": "plain"}]
    for change in (*changes, {"model": "nonsense"}, {"target": "tea"}):
        plan = [replace(round_, **change) for round_ in rounds]
        assert refused(path, encode([replace(head, plan=plan), *later]), writer=False), change
    for by in (-1, 1, 100, 10**12):
        plan = [replace(round_, round=round_.round + by) for round_ in rounds]
        moved = [
            replace(event, round=event.round + by) if isinstance(event, RoundBegan | Answered) else event
            for event in later
        ]
        for imported in (None, Imported("answers.csv", "ab12", 2, None)):
            begin = replace(head, plan=plan, imported=imported)
            error = refused(path, encode([begin, *(moved if by in (1, 100) else [])]), writer=False)
            assert (error.problem.startswith("round 1 of the plan has the number "), error.where) == (
                True,
                LINE_1,
            )


def test_an_invalid_study_or_id_is_refused_at_the_head(path: Path, head: Started) -> None:
    for change in (
        *({"questions": "two"}, {"questions": -1}, {"kernel_width": 1e308}, {"models": {}}, {"surprise": 1}),
        *({"consent": "\x1b[2J"}, {"at_end": ["nonsense"]}, {"texts": {"ask": "{word} {\x1b[2J}"}}),
    ):
        error = refused(path, encode([replace(head, study=head.study | change)]), writer=False)
        assert error.problem.startswith("the study in the log is not valid: "), change
        assert error.where == LINE_1
    for participant in ("../P01", "", "P 01", "a" * 65, "\x1b[2J"):
        error = refused(path, encode([replace(head, participant=participant)]), writer=False)
        assert (error.problem.startswith("the participant ID is "), error.where) == (True, LINE_1)
    items = [{"id": str(n), "kind": "text", "ask": "?"} for n in range(100)]
    you: dict[str, Any] = {"questionnaires": {"you": items}, "at_end": []}
    for changes, times, message in (  # a short log can't describe an enormous session
        ({"questions": 1000}, 60, "more than 300,000 steps, too many for a log"),
        (you | {"after_round": ["you"] * 50}, 1, "or the same one twice"),
        (you | {"after_round": ["you"] * 10_000}, 1, "at most 50 items"),
    ):
        enormous = replace(head, study=head.study | changes, plan=head.plan * times)
        error = refused(path, encode([enormous]), writer=False)
        assert (message in error.problem, error.where) == (True, LINE_1)


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


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
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
    path.with_name("x.yaml").mkdir()
    assert "this is a folder; a file is needed" in refused(path.with_name("x.yaml")).problem
    with pytest.raises(FileError, match="this folder has no session logs"):
        find_logs([path.parent])
    path.write_bytes(good)
    assert find_logs([path.parent]) == [path]


# Anything at all

PIECES = (
    b"!!python/name:os.system |&a |*a|<<: |- |? |: |[|]|{|}|\n|...\n|---\n|\0|\xff|\"|'|>\n|#|\t|,|null|1e999"
)
PIECES += b"|.nan|-1|0|NaN|\\|round|models|session|y|cat|imported|\xed\xa0\x80|\xc2\x85|questions: 1000\n"
ANY_NUMBER = st.one_of(
    st.integers(-(10**20), 10**20),
    st.integers(-3, 8),
    st.floats(),
    st.floats(-10, 10_000),
    st.sampled_from([-1e6, 1e9, 1e18, 1e308, -0.0, 5e-324, 10**400, 2**63, -(2**63) - 1]),
)
ANY_VALUE = ANY_NUMBER | st.none() | st.booleans() | st.text() | st.lists(st.integers())


def forged(data: st.DataObject) -> bytes:
    """The log with other values in some fields of some events, or other bytes, and a new chain."""
    whole = recorded()
    if data.draw(st.booleans()):
        documents = parts(whole.raw)
        for _ in range(data.draw(st.integers(1, 3))):
            number = data.draw(st.just(0) | st.integers(0, len(documents) - 1))
            at = data.draw(st.integers(0, len(documents[number]) - 5))
            piece = data.draw(st.sampled_from(PIECES.split(b"|")) | st.binary(max_size=4))
            rest = documents[number][at + data.draw(st.integers(0, 12)) :]
            documents[number] = documents[number][:at] + piece + rest
        return chained(documents)
    changed: list[Any] = list(whole.events[: data.draw(st.sampled_from([None, -1]))])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(changed) - 1))
        event = changed[place]
        if isinstance(event, Started) and data.draw(st.booleans()):
            plan, which = list(event.plan), data.draw(st.integers(0, 5))
            plan[which] = replace(plan[which], round=data.draw(ANY_NUMBER))
            changed[place] = replace(event, plan=plan)
            continue
        names = [name for name, value in vars(event).items() if not isinstance(value, dict | list)]
        name = data.draw(st.sampled_from(sorted(set(names) - {"schema", "event"})))
        number = isinstance(getattr(event, name), int | float) and data.draw(st.booleans())
        changed[place] = replace(event, **{name: data.draw(ANY_NUMBER if number else ANY_VALUE)})
    return encode(changed)


@holds_for(100, 500, data=st.data())
def test_any_log_with_a_valid_chain_is_refused_or_does_no_harm(tmp_path: Path, data: st.DataObject) -> None:
    path = recorded().put(tmp_path)
    path.write_bytes(forged(data))
    result, extracted = verify(path), extract(path, None)
    assert "error in studyapp" not in result.message
    opened = None
    with suppress(FileError):
        opened = open_session(path)
    if opened is None:
        assert result.verdict in ("unreadable", "different")
        assert isinstance(extracted, Broken)
        assert f"{result.message} {extracted.problem}".isprintable()
    else:
        if not isinstance(extracted, Broken):
            assert (extracted.minutes or 0) >= 0
            assert not (extracted.thinking < 0).any()
            assert not (extracted.delay < 0).any()
        for table in TABLES:
            table.rows(opened)
        with suppress(FileError):
            load_study(opened)
    with suppress(FileError):
        Sitting.open(recorded().study, Participant("P01", teacher="random"), tmp_path).close()
    for aside in tmp_path.glob("P01.yaml*"):
        aside.unlink()
