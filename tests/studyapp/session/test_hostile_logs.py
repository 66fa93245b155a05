"""Logs made to do harm: they run nothing, hang nothing, use little memory, and are refused.

Their chains are valid, because whoever makes such a log can compute one.  These tests are about what comes
after the chain.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import sys
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from chains import chained, document_of, edited, event_of, parts
from hypothesis import strategies as st
from proofs import holds_for
from study_files import VECTORS, loaded, run, small

from core.errors import FileError
from studyapp.analysis.extract import Broken, extract
from studyapp.session import log
from studyapp.session.events import Answered, Started, as_mapping
from studyapp.session.log import Log
from studyapp.session.log_format import LARGEST_HEAD, LARGEST_LOG, encode
from studyapp.session.saved import SavedSession, find_logs, load_study, open_session
from studyapp.session.sitting import Participant, Sitting
from studyapp.session.verification import verify
from studyapp.tables.tables import TABLES

PATIENCE = 20  # seconds; every log here is refused within one or two
LONG_PROOF = 30  # times as patient: a long proof opens hundreds of logs
SPACE = 20_000_000  # bytes; a small log takes less than one million

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders, nor alarms")


@pytest.fixture(autouse=True)
def _in_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that hangs: waiting for a pipe would never end."""

    def over(_: int, __: FrameType | None) -> None:
        raise AssertionError("it hangs")

    if sys.platform == "win32":
        yield
        return
    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(PATIENCE * (LONG_PROOF if request.node.get_closest_marker("prove") else 1))
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A valid log."""
    folder = tmp_path_factory.mktemp("good")
    run(loaded(folder, small()), folder / "sessions")
    return (folder / "sessions" / "P01.yaml").read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P01.yaml"


@contextmanager
def little_memory() -> Iterator[None]:
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < SPACE
    finally:
        tracemalloc.stop()


def refused(path: Path) -> FileError:
    """The error of a log, which every way of reading refuses and leaves as it is."""
    before = path.stat(), sorted(path.parent.iterdir())
    with pytest.raises(FileError) as caught:
        open_session(path)
    with pytest.raises(FileError):
        Log(path)
    after = path.stat(), sorted(path.parent.iterdir())
    assert (before[0].st_size, before[0].st_mtime_ns, before[1]) == (
        *(after[0].st_size, after[0].st_mtime_ns, after[1]),
    )
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1000
    return caught.value


def with_head(good: bytes, changed: bytes) -> bytes:
    """The valid log with this in place of the host in its head, and a new chain."""
    head, *later = parts(good)
    begin = head.index(b"host: ")
    end = head.index(b"\n", begin)
    return chained([head[:begin] + changed + head[end:], *later])


def line_of_host(good: bytes) -> int:
    return good[: good.index(b"host: ")].count(b"\n") + 1


def test_the_log_behind_these_tests_is_valid(path: Path, good: bytes) -> None:
    path.write_bytes(with_head(good, b"host: here"))
    assert open_session(path).state == "finished"


# YAML tricks


@pytest.mark.parametrize(
    "trick",
    [
        b"host: !!python/object/apply:os.system ['touch owned']",
        b"host: !!python/object/apply:subprocess.check_output [[touch, owned]]",
        b"host: !!python/object/new:os.system ['touch owned']",
        b"host: !!python/object/apply:builtins.open [owned, w]",
        b"host: !!python/name:os.system",
        b"host: !!python/module:antigravity",
        b"host: !<tag:yaml.org,2002:python/object/apply:os.system> ['touch owned']",
        b"host: !local here",
        b"host: !%1B%5B2J here",
        b"host: ! here",
        b"host: !!binary aGVyZQ==",
        b"host: !!timestamp 2026-11-16",
        b"host: !!str here",
        b"!!python/name:os.system host: here",
        b"software: !!set {a, b}",
    ],
)
def test_yaml_tags_are_refused_and_run_nothing(
    path: Path, good: bytes, trick: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    path.write_bytes(with_head(good, trick))
    error = refused(path)
    assert error.problem.startswith("tags (")
    assert error.where == f"line {line_of_host(good)}"
    assert list(path.parent.iterdir()) == [path]


LAUGHS = "a0: &a0 [ha, ha]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    "bomb",
    [
        LAUGHS,
        "host: [" + ", ".join(line.partition(": ")[2] for line in LAUGHS.splitlines()) + "]",
        "host: &a [*a, *a]",
        "host: &a here",
        "host: *a",
        "host: here\n<<: *a",
        "host: here\n*a : b",
        "host: here\n? &a b\n: c",
    ],
)
def test_yaml_aliases_are_refused_without_being_expanded(path: Path, good: bytes, bomb: str) -> None:
    path.write_bytes(with_head(good, bomb.rstrip().encode()))
    with little_memory():
        error = refused(path)
    assert error.problem == "anchors (&) and aliases (*) are not allowed; write the value out"
    assert error.where in (f"line {line_of_host(good)}", f"line {line_of_host(good) + 1}")


@pytest.mark.parametrize(
    "deep",
    [
        b"host: " + b"[" * 1_000_000,
        b"host: " + b"[" * 50_000 + b"]" * 50_000,
        b"host: " + b"{a: " * 50_000,
        b"host: " + b'{"a":' * 50_000,
        b"host:\n" + b"".join(b" " * n + b"a:\n" for n in range(1, 1000)).rstrip(),
        b"host:\n  " + b"- " * 50_000,
        b"? " * 50_000,
    ],
)
def test_deep_nesting_is_refused_early(path: Path, good: bytes, deep: bytes) -> None:
    path.write_bytes(with_head(good, deep))
    with little_memory():
        error = refused(path)
    assert error.where is not None
    assert "nested too deeply" in error.problem or "before a colon" in error.problem


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (b"host: here\nhost: there", "'host' is already given on line"),
        (b"host: here\n3: there", "a name before a colon must be a word"),
        (b"host: here\nmore: there", "more: Unexpected keyword argument"),
        (b"host: here\n---\nhost: there", "a second document begins here"),
        (b"host: 'here", "can't be read as YAML"),
        (b'host: "\\UFFFFFFFF"', "can't be read as YAML"),
        (b'host: "\\uD800"', "can't be read as YAML"),
        (b"host: he\0re", "can't be read as YAML"),
        (b"host: he\x1bre", "can't be read as YAML"),
        (b"host: he\xffre", "this is not UTF-8 text"),
        (b"host: \xed\xa0\x80", "this is not UTF-8 text"),
        (b"host: \xc0\x80", "this is not UTF-8 text"),
        ("host: he\ufffere".encode(), "can't be read as YAML"),
        (b"host: 3", "host: Input should be a valid string"),
        (b"host: null", "host: Input should be a valid string"),
        (b"host:", "host: Input should be a valid string"),
        (b"host: [here]", "host: Input should be a valid string"),
    ],
)
def test_a_malformed_head_is_refused_with_its_line(
    path: Path, good: bytes, changed: bytes, message: str
) -> None:
    path.write_bytes(with_head(good, changed))
    error = refused(path)
    assert message in error.problem
    assert error.where is not None


# Numbers


@pytest.mark.parametrize(
    "number",
    [
        "9" * 101,
        "9" * 5000,
        "9" * 1_000_000,
        "1e999",
        "-1e999",
        ".inf",
        "-.inf",
        ".nan",
        "0x1F",
        "1_000",
        "1.5",
    ],
)
@pytest.mark.parametrize("name", [b"process", b"seed"])
def test_numbers_that_are_not_whole_or_far_too_long_are_refused(
    path: Path, good: bytes, name: bytes, number: str
) -> None:
    head, *later = parts(good)
    begin = head.index(b"\n" + name + b": ") + 1
    end = head.index(b"\n", begin)
    path.write_bytes(chained([head[:begin] + name + b": " + number.encode() + head[end:], *later]))
    with little_memory():
        error = refused(path)
    assert f"{name.decode()}: Input should be" in error.problem


@pytest.mark.parametrize("number", ["1e999", ".inf", ".nan", "-1e999", "9" * 400])
@pytest.mark.parametrize("name", ["kernel_width", "questions", "pause", "within", "beta", "horizon", "seed"])
def test_a_study_with_infinite_or_invalid_numbers_is_refused(
    path: Path, good: bytes, name: str, number: str
) -> None:
    head, *later = parts(good)
    changed = re.sub(rf"(\n +{name}: )\S+", rf"\g<1>{number}", head.decode(), count=1).encode()
    assert changed != head
    path.write_bytes(chained([changed, *later]))
    with pytest.raises(FileError, match="the study in the log is not valid: ") as caught:
        open_session(path)
    assert caught.value.where == "line 1"


@pytest.mark.parametrize(
    "number", ["NaN", "Infinity", "-Infinity", "1e999", "9" * 5000, "[" * 50_000, "0x1F", "01", "1_0", ".5"]
)
@pytest.mark.parametrize("name", ["rt_ms", "reward", "question"])
def test_an_answer_with_infinite_or_invalid_numbers_is_refused_with_its_line(
    path: Path, good: bytes, name: str, number: str
) -> None:
    documents = parts(good)
    place = next(n for n, part in enumerate(documents) if part.startswith(b'--- {"event": "answer"'))
    message = event_of(documents[place])
    documents[place] = document_of(message | {name: "HERE"}).replace(b'"HERE"', number.encode())
    path.write_bytes(chained(documents))
    error = refused(path)
    assert error.where == f"line {b''.join(documents[:place]).count(10) + 1}"
    assert error.problem.startswith("this is not an event of a session: ")


# Sizes


@pytest.mark.parametrize("begins", [b"", b"---\nevent: session\nschema: 3\nhost: ", b"\xff"])
def test_a_file_of_a_gigabyte_is_refused_without_being_read(path: Path, begins: bytes) -> None:
    path.write_bytes(begins)
    os.truncate(path, 1_000_000_000)
    with little_memory():
        error = refused(path)
    assert error.problem == "the file is larger than 64,000,000 bytes; a session log never is"
    os.truncate(path, LARGEST_LOG + 1)
    with little_memory():
        assert refused(path).problem == error.problem


def test_a_head_with_an_enormous_text_is_refused_before_it_is_parsed(path: Path, good: bytes) -> None:
    path.write_bytes(with_head(good, b"host: " + b"x" * LARGEST_HEAD))
    error = refused(path)
    assert error.problem.endswith("bytes, too many for an event")
    assert error.where == "line 1"


def test_an_enormous_torn_tail_is_ignored(path: Path, good: bytes) -> None:
    head = parts(good)[0]
    path.write_bytes(head)
    os.truncate(path, 10_000_000)
    opened = open_session(path)
    assert (opened.state, len(opened.saved.torn)) == ("incomplete", 10_000_000 - len(head))


def test_a_head_with_too_many_values_is_not_read_to_its_end(path: Path, good: bytes) -> None:
    path.write_bytes(with_head(good, b"software: [" + b"[], " * 1_900_000))
    with pytest.raises(FileError, match="there are more than 500,000 values") as caught:
        open_session(path)
    assert caught.value.where == f"line {line_of_host(good)}"


def test_a_short_log_cannot_describe_an_enormous_session(path: Path, good: bytes) -> None:
    path.write_bytes(good)
    head = log.read(path).events[0]
    assert isinstance(head, Started)
    count = [{"id": str(n), "kind": "text", "ask": "?"} for n in range(100)]
    you: dict[str, Any] = {"questionnaires": {"you": count}, "at_end": []}
    for changes, times, message in (
        ({"questions": 1000}, 60, "more than 300,000 steps, too many for a log"),
        (you | {"after_round": ["you"]}, 1000, "more than 300,000 steps"),
        (you | {"after_round": ["you"] * 50}, 1, "or the same one twice"),
        (you | {"after_round": ["you"] * 10_000}, 1, "at most 50 items"),
    ):
        endless = replace(head, study=head.study | changes, plan=head.plan * times)
        path.write_bytes(encode([endless]))
        with pytest.raises(FileError, match=message) as caught:
            open_session(path)
        assert caught.value.where == "line 1"


# Not a file


@posix
def test_pipes_and_devices_are_refused_without_waiting(path: Path) -> None:
    os.mkfifo(path)
    assert "this is a pipe or a device; an ordinary file is needed" in refused(path).problem
    assert find_logs([path.parent]) == find_logs([path]) == [path]  # opening it reports the problem
    path.unlink()
    for device in ("/dev/zero", "/dev/null", "/dev/tty", "/dev/full"):
        if Path(device).exists():
            path.symlink_to(device)
            with little_memory():
                assert "this is a pipe or a device" in refused(path).problem
            path.unlink()


@posix
def test_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("P01.yaml")
        assert "this is a pipe or a device" in refused(tmp_path / "P01.yaml").problem


@posix
@pytest.mark.skipif(not Path("/proc/kmsg").exists(), reason="only Linux has it")
def test_an_endless_kernel_file_is_refused_without_waiting(path: Path) -> None:
    path.symlink_to("/proc/kmsg")
    with pytest.raises(FileError):
        open_session(path)


def test_a_folder_named_like_a_log_is_refused(tmp_path: Path, good: bytes) -> None:
    (tmp_path / "x.yaml").mkdir()
    with pytest.raises(FileError, match="this folder has no session logs"):
        find_logs([tmp_path])
    with pytest.raises(FileError, match="this is a folder; a file is needed"):
        open_session(tmp_path / "x.yaml")
    with pytest.raises(FileError, match="this is a folder; a file is needed"):
        Log(tmp_path / "x.yaml")
    (tmp_path / "P01.yaml").write_bytes(good)
    assert find_logs([tmp_path]) == [tmp_path / "P01.yaml"]


@posix
@pytest.mark.parametrize("words", ["pipe.txt", "./pipe", "/dev/zero", "/dev/null", "/dev", "/proc/self/mem"])
def test_a_word_file_that_is_a_pipe_or_device_is_refused_without_waiting(
    path: Path, good: bytes, words: str
) -> None:
    os.mkfifo(path.parent / "pipe.txt")
    os.mkfifo(path.parent / "pipe")
    path.write_bytes(good)
    head, *later = log.read(path).events
    assert isinstance(head, Started)
    path.write_bytes(encode([replace(head, words=words), *later]))
    opened = open_session(path)
    with (
        little_memory(),
        pytest.raises(FileError, match=r"its word set was not found \(.*; name its file with --words"),
    ):
        load_study(opened)


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"\xef\xbb\xbf", b"\xff\xfe-\0-\0-\0", b"PK\x03\x04"])
def test_files_that_do_not_begin_like_a_log_are_refused(path: Path, good: bytes, content: bytes) -> None:
    for raw in (content, content + b"\n...\n", content + good if content else b"\n" + good):
        path.write_bytes(raw)
        with pytest.raises(FileError):
            open_session(path)


# Anything at all


def attempt(path: Path) -> tuple[SavedSession | None, FileError | None]:
    """A session, or the error; nothing else may result from a log."""
    try:
        return open_session(path), None
    except FileError as error:
        return None, error


PIECES = (
    *(
        b"!!python/name:os.system ",
        b"&a ",
        b"*a",
        b"<<: ",
        b"- ",
        b"? ",
        b": ",
        b"[",
        b"]",
        b"{",
        b"}",
        b"\n",
    ),
    *(
        b"...\n",
        b"---\n",
        b"\0",
        b"\xff",
        b"\xed\xa0\x80",
        b'"',
        b"'",
        b"|\n",
        b">\n",
        b"#",
        b"%",
        b"\t",
        b",",
    ),
    *(b"null", b"true", b"1e999", b".nan", b"9" * 200, b"-1", b"0", b"NaN", b'"\\ud800"', b"\xc2\x85", b"\\"),
    *(b"round", b"practice", b"models", b"session", b"y", b"cat", b"questions: 1000\n", b"imported"),
)


@holds_for(50, 1000, data=st.data())
def test_any_log_with_a_valid_chain_is_opened_or_refused(
    tmp_path: Path, good: bytes, data: st.DataObject
) -> None:
    path, words = tmp_path / "P01.yaml", tmp_path / "given.txt"
    words.write_text(VECTORS, encoding="utf-8")
    documents = parts(good)
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.just(0) | st.integers(0, len(documents) - 1))
        at = data.draw(st.integers(0, len(documents[number]) - 5))
        length = data.draw(st.integers(0, 12))
        piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=4))
        documents[number] = documents[number][:at] + piece + documents[number][at + length :]
    path.write_bytes(chained(documents))
    opened, error = attempt(path)
    if opened is None:
        assert str(error).isprintable()
        return
    assert opened.state in ("finished", "incomplete")
    with suppress(FileError):
        load_study(opened, words)


@holds_for(
    25,
    500,
    name=st.sampled_from(sorted(Answered.__dataclass_fields__)),
    value=st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers()),
)
def test_any_value_in_any_field_of_an_answer_is_kept_or_refused(
    tmp_path: Path, good: bytes, name: str, value: object
) -> None:
    path = tmp_path / "P01.yaml"
    path.write_bytes(good)
    events = log.read(path).events
    number = [n for n, event in enumerate(events) if isinstance(event, Answered)][1]
    path.write_bytes(edited(good, number, **{name: value}))  # type: ignore[arg-type]
    opened, error = attempt(path)
    if opened is None:
        assert error is not None
        assert error.where == f"line {encode(events[:number]).count(10) + 1}"
    else:
        message = as_mapping(opened.session.answers[1])[name]
        assert message == value
        assert isinstance(message, bool) == isinstance(value, bool)


NUMBERS = st.one_of(
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
            plan[which] = replace(plan[which], round=data.draw(NUMBERS))
            changed[place] = replace(event, plan=plan)
            continue
        names = [name for name, value in vars(event).items() if type(value) in (int, float)]
        name = data.draw(st.sampled_from(sorted(set(names) - {"schema"})))
        changed[place] = replace(event, **{name: data.draw(NUMBERS)})
    return changed


@holds_for(40, 1000, data=st.data(), finished=st.booleans())
def test_any_number_in_any_event_is_refused_or_does_no_harm(
    tmp_path: Path, good: bytes, data: st.DataObject, finished: bool
) -> None:
    path, words = tmp_path / "P01.yaml", tmp_path / "words.txt"
    study = loaded(tmp_path, small())
    path.write_bytes(good)
    events = list(log.read(path).events)
    path.write_bytes(encode(with_other_numbers(data, events if finished else events[:-1])))
    result, extracted = verify(path, words), extract(path, words)
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
        Sitting.open(study, Participant("P01", teacher="random"), tmp_path).close()
    for aside in tmp_path.glob("P01.yaml*"):
        aside.unlink()
