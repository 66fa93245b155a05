"""Saved sessions are found and told apart, and what is wrong with one is told with its file and line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chains import chained, document_of, edited, parts
from study_files import VECTORS, loaded, open_sitting, run, small

from core.errors import FileError
from studyapp.session import log
from studyapp.session.events import Answered, Event, Imported, Left, Resumed, Started, Withdrawn, as_mapping
from studyapp.session.log import ChangedError
from studyapp.session.saved import KINDS, STATES, find_logs, load_study, open_session
from studyapp.session.sitting import Sitting
from studyapp.study.study import LoadedStudy

AT = "2026-11-16T09:30:00.123Z"


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> LoadedStudy:
    return loaded(tmp_path_factory.mktemp("study"), small())


@pytest.fixture(scope="module")
def whole(study: LoadedStudy, tmp_path_factory: pytest.TempPathFactory) -> list[Event]:
    """A finished session of a simulated participant."""
    return run(study, tmp_path_factory.mktemp("sessions"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P01.yaml"


def head_of(events: list[Event]) -> Started:
    head = events[0]
    assert isinstance(head, Started)
    return head


def saved(path: Path, events: list[Event], **changes: Any) -> Path:
    """A log of these events, some fields of its head changed."""
    head = replace(head_of(events), **changes)
    path.write_bytes(log.written([head, *events[1:]]))
    return path


def refused(path: Path, raw: bytes) -> FileError:
    """What is said of a log that cannot be opened."""
    path.write_bytes(raw)
    with pytest.raises(FileError) as caught:
        open_session(path)
    assert caught.value.path == str(path)
    return caught.value


def nth_answer(events: list[Event], nth: int) -> int:
    """The number of an answer among all events."""
    return [number for number, event in enumerate(events) if isinstance(event, Answered)][nth]


# Who answered

PERSON: dict[str, Any] = {"simulated": False, "teacher": None}
ELSEWHERE = Imported("answers.csv", "ab12", 2)


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "simulated"),
        (PERSON, "person"),
        (PERSON | {"pilot": True}, "pilot"),
        (PERSON | {"imported": ELSEWHERE}, "imported"),
        ({"imported": ELSEWHERE}, "imported"),
        ({"pilot": True}, "simulated"),
    ],
)
def test_a_session_is_known_by_who_answered(
    path: Path, whole: list[Event], changes: dict[str, Any], kind: str
) -> None:
    opened = open_session(saved(path, whole, **changes))
    assert opened.kind == kind
    assert kind in KINDS
    assert opened.participant == "P01"


@pytest.mark.parametrize(
    ("pilot", "kind"),
    [
        ([False], "person"),
        ([False, False], "person"),
        ([True], "pilot"),
        ([True, False], "pilot"),
        ([False, True], "pilot"),
        ([False, True, False], "pilot"),
    ],
)
def test_one_sitting_with_the_experimenters_view_makes_a_session_a_pilot(
    study: LoadedStudy, tmp_path: Path, pilot: list[bool], kind: str
) -> None:
    for view in pilot:
        Sitting(study, "P01", tmp_path, pilot=view).close()
    opened = open_session(tmp_path / "P01.yaml")
    assert opened.kind == kind
    assert sum(isinstance(event, Resumed) for event in opened.saved.events) == len(pilot) - 1


# How far it got


def test_a_session_that_came_to_its_end_is_finished(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    assert opened.state == "finished"
    assert opened.saved.events == whole
    assert len(opened.session.answers) == 12


def test_a_session_is_incomplete_until_its_very_end(path: Path, whole: list[Event]) -> None:
    for many in range(1, len(whole)):
        assert open_session(saved(path, whole[:many])).state == "incomplete"
        assert open_session(saved(path, [*whole[:many], Left(AT)])).state == "incomplete"


def test_a_withdrawal_tells_whether_the_answers_were_kept(study: LoadedStudy, tmp_path: Path) -> None:
    for delete, state in ((False, "withdrawn"), (True, "deleted")):
        sitting = open_sitting(study, tmp_path, f"P-{state}")
        sitting.withdraw(delete=delete)
        sitting.close()
        opened = open_session(tmp_path / f"P-{state}.yaml")
        assert opened.state == state
        assert state in STATES


# Torn logs


def test_a_torn_tail_is_kept_apart_and_its_session_is_incomplete(path: Path, whole: list[Event]) -> None:
    raw = log.written(whole)
    begin = len(log.written(whole[:-1]))
    for cut in (begin + 1, len(raw) - 1):
        path.write_bytes(raw[:cut])
        opened = open_session(path)
        assert opened.saved.events == whole[:-1]
        assert opened.saved.torn == raw[begin:cut]
        assert opened.state == "incomplete"
    assert path.read_bytes() == raw[:-1]  # who only reads sets nothing aside


@pytest.mark.parametrize("length", [0, 1, 4, 300])
def test_a_log_that_was_torn_in_its_head_tells_of_no_session(
    path: Path, whole: list[Event], length: int
) -> None:
    error = refused(path, log.written(whole)[:length])
    assert "there is nothing in this log; its writer died before the head was written" in error.problem


def test_a_log_of_zeros_tells_of_no_session(path: Path) -> None:
    assert "there is nothing in this log" in refused(path, b"\0" * 4096).problem


# What is wrong, and where


def test_a_log_that_was_changed_is_told_as_such(path: Path, whole: list[Event]) -> None:
    raw = log.written(whole)
    yes, no = b'"answer": "y"', b'"answer": "n"'
    error = refused(path, raw.replace(yes, no, 1))
    assert isinstance(error, ChangedError)
    assert error.where == f"line {raw[: raw.index(yes)].count(10) + 1}"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"question": 3}, "'answer' does not fit here; question 2 of round 1 was next"),
        ({"question": 1}, "'answer' does not fit here; question 2 of round 1 was next"),
        ({"round": 2}, "'answer' does not fit here; question 2 of round 1 was next"),
        ({"answer": "maybe"}, "this is not an event of a session: answer.answer: Input should be 'y' or 'n'"),
        ({"answer": "Y"}, "this is not an event of a session: answer.answer: Input should be 'y' or 'n'"),
        ({"answer": None}, "this is not an event of a session: answer.answer: Input should be 'y' or 'n'"),
        ({"without": "word"}, "this is not an event of a session: answer.word: Field required"),
        ({"without": "rt_ms"}, "this is not an event of a session: answer.rt_ms: Field required"),
        (
            {"rt_ms": "1840"},
            "this is not an event of a session: answer.rt_ms: Input should be a valid number",
        ),
        ({"rt_ms": None}, "rt_ms is empty, which it may be in imported sessions only"),
        ({"mood": "good"}, "this is not an event of a session: answer.mood: Unexpected keyword argument"),
        ({"event": "answered"}, "this is not an event of a session: Input tag 'answered' found using"),
        ({"shown_at": "9:30"}, "this is not an event of a session: answer.shown_at: Value error, Invalid"),
    ],
)
def test_each_fault_has_a_message_of_its_own_with_file_and_line(
    path: Path, whole: list[Event], changes: dict[str, Any], told: str
) -> None:
    number = nth_answer(whole, 1)
    error = refused(path, edited(log.written(whole), number, **changes))
    assert error.problem.startswith(told)
    assert error.where == f"line {len(log.written(whole[:number]).splitlines()) + 1}"
    assert str(error) == f"{path}, {error.where}: {error.problem}"


def test_a_first_question_that_was_not_planned_is_told_with_its_line(path: Path, whole: list[Event]) -> None:
    number = nth_answer(whole, 0)
    error = refused(path, edited(log.written(whole), number, word="nonsense"))
    assert error.problem == "'answer' does not fit here; question 1 of round 1 was next"
    assert error.where == f"line {len(log.written(whole[:number]).splitlines()) + 1}"


def test_an_event_that_comes_after_the_end_is_told_with_its_line(path: Path, whole: list[Event]) -> None:
    raw = log.written([*whole, Left(AT)])
    error = refused(path, raw)
    assert error.problem == "'left' comes after the session was over"
    assert error.where == f"line {len(log.written(whole).splitlines()) + 1}"


def test_an_end_that_comes_too_early_is_told_with_its_line(path: Path, whole: list[Event]) -> None:
    error = refused(path, log.written([*whole[:5], whole[-1]]))
    assert error.problem == "'finished' comes too early; question 2 of round 1 was next"
    assert error.where == f"line {len(log.written(whole[:5]).splitlines()) + 1}"


def test_another_schema_is_told_with_its_line(path: Path, whole: list[Event]) -> None:
    raw = log.written(whole).replace(b"schema: 1", b"schema: 7", 1)
    error = refused(path, chained(parts(raw)))
    assert error.problem == "it has the schema 7, and this studyapp knows 1; use the one that wrote it"
    assert error.where == "line 3"


@pytest.mark.parametrize("participant", ["../P01", "", "P 01", "a" * 65, "\x1b[2J"])
def test_an_id_that_is_none_is_refused_wherever_it_comes_from(
    path: Path, whole: list[Event], participant: str
) -> None:
    head = replace(head_of(whole), participant=participant)
    error = refused(path, log.written([head]))
    assert error.problem.startswith("the participant ID is ")
    assert error.where == "line 1"
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"questions": "two"}, "the study in the log is not valid: "),
        ({"questions": -1}, "the study in the log is not valid: "),
        ({"kernel_width": float("1e308")}, "the study in the log is not valid: "),
        ({"models": {}}, "the study in the log is not valid: "),
        ({"surprise": 1}, "the study in the log is not valid: "),
        ({"consent": "\x1b[2J"}, "the study in the log is not valid: "),
        (
            {"at_end": ["nonsense"]},
            "the study in the log is not valid: it asks a questionnaire that it does not",
        ),
        ({"texts": {"ask": "{word} {\x1b[2J}"}}, "the study in the log is not valid: "),
    ],
)
def test_a_study_that_is_not_valid_is_told_at_the_head(
    path: Path, whole: list[Event], change: dict[str, Any], told: str
) -> None:
    head = head_of(whole)
    error = refused(path, log.written([replace(head, study=head.study | change)]))
    assert error.problem.startswith(told)
    assert error.where == "line 1"
    assert str(error).isprintable()


def test_the_line_of_an_answer_is_found(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    lines = path.read_text(encoding="utf-8").splitlines()
    for answer in opened.session.answers:
        told = f'--- {{"event": "answer", "round": {answer.round}, "question": {answer.question}, '
        assert lines[opened.line(answer) - 1].startswith(told)


# Its words


def test_words_that_come_with_studyapp_are_found_by_their_name(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(words="study20", targets=["tea", "salt"], practice=[]))
    Sitting(study, "P01", tmp_path / "sessions").close()
    found = load_study(open_session(tmp_path / "sessions" / "P01.yaml"))
    assert found.vocabulary.sha256 == study.vocabulary.sha256
    assert found.study.record() == study.study.record()


def put_words(folder: Path, name: str = "words.txt", vectors: str = VECTORS) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(vectors, encoding="utf-8")
    return folder / name


def beside(folder: Path, _: pytest.MonkeyPatch) -> None:
    put_words(folder)


def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_words(folder / "elsewhere")
    monkeypatch.chdir(folder / "elsewhere")


def given(folder: Path, _: pytest.MonkeyPatch) -> Path:
    put_words(folder, vectors="other 1 2\nwords 2 1\n")  # which count for nothing then
    return put_words(folder, "given.txt")


@pytest.mark.parametrize("place", [beside, here, given])
def test_words_of_a_file_are_found_beside_the_log_or_here_or_where_they_are_said_to_be(
    path: Path,
    study: LoadedStudy,
    whole: list[Event],
    monkeypatch: pytest.MonkeyPatch,
    place: Callable[[Path, pytest.MonkeyPatch], Path | None],
) -> None:
    saved(path, whole)
    found = load_study(open_session(path), place(path.parent, monkeypatch))
    assert found.vocabulary.sha256 == study.vocabulary.sha256
    assert found.study.record() == study.study.record()
    assert found.name == str(path)


def test_words_in_a_folder_of_their_own_are_found_beside_the_log(path: Path, whole: list[Event]) -> None:
    put_words(path.parent / "sets", "words")
    saved(path, whole, words="sets/words")
    assert load_study(open_session(path)).vocabulary.words[0] == "tea"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("words.txt", "its words are not here (words.txt: there is no such file"),
        ("/nowhere/words.txt", "its words are not here (/nowhere/words.txt: there is no such file"),
        ("study21", "its words are not here (there is no word set 'study21' (did you mean 'study20'?)"),
        ("a\0b.txt", "its words are not here ("),
        ("x" * 300 + ".txt", "its words are not here ("),
        ("", "its words are not here ("),
        (".", "its words are not here ("),
        ("..", "its words are not here ("),
    ],
)
def test_words_that_are_not_here_are_asked_for(
    path: Path, whole: list[Event], monkeypatch: pytest.MonkeyPatch, words: str, told: str
) -> None:
    monkeypatch.chdir(path.parent)
    opened = open_session(saved(path, whole, words=words))
    with pytest.raises(FileError) as caught:
        load_study(opened)
    assert caught.value.path == str(path)
    assert caught.value.problem.startswith(told)
    assert caught.value.problem.endswith("; give them with --words FILE")


def test_other_words_than_those_of_the_session_are_refused(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    other = VECTORS.replace("1 0 2", "1 0 3")
    put_words(path.parent, vectors=other)
    with pytest.raises(FileError, match=r"the words of 'words.txt' here are not those of the session"):
        load_study(opened)
    put_words(path.parent, "given.txt", other)
    with pytest.raises(
        FileError, match="the words in the file given by --words are not those of the session"
    ):
        load_study(opened, path.parent / "given.txt")


def test_a_word_file_that_is_given_and_cannot_be_read_is_named(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    with pytest.raises(FileError, match=r"given.txt: there is no such file"):
        load_study(opened, path.parent / "given.txt")
    with pytest.raises(FileError, match="this is a folder"):
        load_study(opened, path.parent)


def test_a_word_that_nobody_knows_is_told_with_its_line(path: Path, whole: list[Event]) -> None:
    number = nth_answer(whole, 1)
    path.write_bytes(edited(log.written(whole), number, word="nonsense"))
    put_words(path.parent)
    with pytest.raises(FileError) as caught:
        load_study(open_session(path))
    assert caught.value.problem == "'nonsense' is not in the word set"
    assert caught.value.where == f"line {len(log.written(whole[:number]).splitlines()) + 1}"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"target": "nonsense"}, "'nonsense' in the plan is not in the word set"),
        ({"first": "nonsense"}, "'nonsense' in the plan is not in the word set"),
        ({"model": "nonsense"}, "'nonsense' in the plan is not a model of the study"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_told(
    path: Path, whole: list[Event], change: dict[str, Any], told: str
) -> None:
    plan = head_of(whole).plan
    saved(path, whole[:1], plan=[*plan[:-1], replace(plan[-1], **change)])
    put_words(path.parent)
    with pytest.raises(FileError) as caught:
        load_study(open_session(path))
    assert (caught.value.problem, caught.value.where) == (told, "line 1")


# Where logs are


def test_the_logs_of_a_folder_come_by_name_and_nothing_else_does(tmp_path: Path) -> None:
    for name in (
        "P10.yaml",
        "P02.yaml",
        "P1.yaml",
        ".P03.yaml",
        "P02.yaml.torn-20261116",
        "README.md",
        "x.yml",
    ):
        (tmp_path / name).write_text("")
    (tmp_path / "folder.yaml").mkdir()
    assert [path.name for path in find_logs([tmp_path])] == ["P02.yaml", "P1.yaml", "P10.yaml"]


def test_logs_come_in_the_order_in_which_they_are_asked_for_and_each_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for name in ("P1.yaml", "P2.yaml"):
            (tmp_path / folder / name).write_text("")
    a, b = tmp_path / "a", tmp_path / "b"
    assert find_logs([b, a]) == [b / "P1.yaml", b / "P2.yaml", a / "P1.yaml", a / "P2.yaml"]
    assert find_logs([a / "P2.yaml", a]) == [a / "P2.yaml", a / "P1.yaml"]
    assert find_logs([a, a, a / "P1.yaml"]) == [a / "P1.yaml", a / "P2.yaml"]
    monkeypatch.chdir(tmp_path)
    assert find_logs([Path("a"), a, Path("b/../a")]) == [Path("a/P1.yaml"), Path("a/P2.yaml")]


def test_a_log_may_have_any_name_when_it_is_given_by_it(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("")
    assert find_logs([tmp_path / ".hidden"]) == [tmp_path / ".hidden"]


@pytest.mark.parametrize("name", [".P01.yaml", "notes.txt", None])
def test_a_folder_without_logs_is_told(tmp_path: Path, name: str | None) -> None:
    if name:
        (tmp_path / name).write_text("")
    with pytest.raises(FileError, match=r"there are no session logs \(\*.yaml\) in this folder") as caught:
        find_logs([tmp_path])
    assert caught.value.path == str(tmp_path)


def test_a_place_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        find_logs([tmp_path / "missing"])


@pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators on Windows")
def test_a_link_is_followed_and_one_that_leads_nowhere_is_told(tmp_path: Path, whole: list[Event]) -> None:
    saved(tmp_path / "kept", whole)
    (tmp_path / "P01.yaml").symlink_to("kept")
    (tmp_path / "P02.yaml").symlink_to("gone")
    (tmp_path / "P03.yaml").symlink_to("P03.yaml")
    (tmp_path / "P04.yaml").symlink_to("P01.yaml")
    first, second, third = find_logs([tmp_path])
    assert open_session(first).participant == "P01"
    with pytest.raises(FileError, match="there is no such file"):
        open_session(second)
    with pytest.raises(FileError, match=re.escape(str(third))):
        open_session(third)


def test_a_file_of_someone_else_is_told_as_such(path: Path) -> None:
    assert "this is not a session log" in refused(path, b"title: A study\nmodels: {}\n").problem


def test_a_folder_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="this is a folder"):
        open_session(tmp_path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_log_that_may_not_be_read_is_told(path: Path, whole: list[Event]) -> None:
    saved(path, whole).chmod(0)
    with pytest.raises(FileError, match="permission denied"):
        open_session(path)


# What an imported session leaves open

OPEN: dict[str, Any] = dict.fromkeys(
    ("shown_at", "rt_ms", "first_choice_ms", "last_choice_ms", "compute_ms", "delay_ms", "late", "changes")
)


def test_an_imported_session_may_leave_open_what_it_does_not_know(path: Path, whole: list[Event]) -> None:
    number = nth_answer(whole, 1)
    imported: list[Event] = [replace(head_of(whole), imported=ELSEWHERE), *whole[1:]]
    path.write_bytes(edited(log.written(imported), number, **OPEN))
    opened = open_session(path)
    assert opened.session.answers[1].rt_ms is None
    assert opened.kind == "imported"
    put_words(path.parent)
    assert load_study(opened).study.title == "A small study"
    error = refused(path, edited(log.written(whole), number, **OPEN))
    assert "shown_at is empty, which it may be in imported sessions only" in error.problem


def test_a_second_session_in_a_log_is_refused(path: Path, whole: list[Event]) -> None:
    documents = parts(log.written(whole[:3]))
    error = refused(path, chained([*documents, document_of(as_mapping(head_of(whole)))]))
    assert error.problem == "a session begins here in the middle of another"
    assert error.where == f"line {b''.join(documents).count(10) + 1}"


def test_nothing_comes_after_a_withdrawal(path: Path, whole: list[Event]) -> None:
    error = refused(path, log.written([*whole[:3], Withdrawn("kept", 0, AT), *whole[3:]]))
    assert error.problem == "'round' comes after the session was over"
