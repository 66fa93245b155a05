"""Saved sessions are found and classified, and faults are reported with file and line."""

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
from studyapp.session.events import (
    Answered,
    Event,
    Imported,
    Left,
    Resumed,
    RoundBegan,
    Started,
    Withdrawn,
    as_mapping,
)
from studyapp.session.ids import MisnamedError
from studyapp.session.log_format import ChangedError, encode
from studyapp.session.saved import (
    KINDS,
    STATES,
    find_logs,
    load_study,
    one_log,
    open_session,
)
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loaded import LoadedStudy

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
    path.write_bytes(encode([head, *events[1:]]))
    return path


def refused(path: Path, raw: bytes) -> FileError:
    """The error of a log that cannot be opened."""
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
ELSEWHERE = Imported("answers.csv", "ab12", 2, None)


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
def test_the_kind_of_a_session_says_who_answered(
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
        Sitting.open(study, Participant("P01", pilot=view), tmp_path).close()
    opened = open_session(tmp_path / "P01.yaml")
    assert opened.kind == kind
    assert sum(isinstance(event, Resumed) for event in opened.saved.events) == len(pilot) - 1


# How far it got


def test_a_complete_session_is_finished(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    assert opened.state == "finished"
    assert opened.saved.events == whole
    assert len(opened.session.answers) == 12


def test_a_session_is_incomplete_until_its_last_event(path: Path, whole: list[Event]) -> None:
    for count in range(1, len(whole)):
        assert open_session(saved(path, whole[:count])).state == "incomplete"
        assert open_session(saved(path, [*whole[:count], Left(AT, clock_ms=1e6)])).state == "incomplete"


def test_the_state_of_a_withdrawn_session_says_whether_answers_were_kept(
    study: LoadedStudy, tmp_path: Path
) -> None:
    for delete, state in ((False, "withdrawn"), (True, "deleted")):
        sitting = open_sitting(study, tmp_path, f"P-{state}")
        sitting.withdraw(delete=delete)
        sitting.close()
        opened = open_session(tmp_path / f"P-{state}.yaml")
        assert opened.state == state
        assert state in STATES


# Torn logs


def test_a_session_with_a_torn_tail_is_incomplete(path: Path, whole: list[Event]) -> None:
    raw = encode(whole)
    begin = len(encode(whole[:-1]))
    for cut in (begin + 1, len(raw) - 1):
        path.write_bytes(raw[:cut])
        opened = open_session(path)
        assert opened.saved.events == whole[:-1]
        assert opened.saved.torn == raw[begin:cut]
        assert opened.state == "incomplete"
    assert path.read_bytes() == raw[:-1]  # reading sets nothing aside


@pytest.mark.parametrize("length", [0, 1, 4, 300])
def test_a_log_torn_in_its_head_has_no_session(path: Path, whole: list[Event], length: int) -> None:
    error = refused(path, encode(whole)[:length])
    assert "this log is empty: studyapp was stopped before it wrote the first event" in error.problem


def test_a_log_of_zeros_has_no_session(path: Path) -> None:
    assert "this log is empty" in refused(path, b"\0" * 4096).problem


# Faults and their places


def test_a_changed_log_is_reported_as_changed(path: Path, whole: list[Event]) -> None:
    raw = encode(whole)
    yes, no = b'"answer": "y"', b'"answer": "n"'
    error = refused(path, raw.replace(yes, no, 1))
    assert isinstance(error, ChangedError)
    assert error.where == f"line {raw[: raw.index(yes)].count(10) + 1}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": 3}, "'answer' does not belong here; expected question 2 of round 1"),
        ({"question": 1}, "'answer' does not belong here; expected question 2 of round 1"),
        ({"round": 2}, "'answer' does not belong here; expected question 2 of round 1"),
        (
            {"answer": "maybe"},
            "this is not an event of a session: answer.answer: Input should be 'y' or 'n'",
        ),
        ({"answer": "Y"}, "this is not an event of a session: answer.answer: Input should be 'y' or 'n'"),
        (
            {"answer": None},
            "this is not an event of a session: answer.answer: Input should be 'y' or 'n'",
        ),
        ({"without": "word"}, "this is not an event of a session: answer.word: Field required"),
        ({"without": "rt_ms"}, "this is not an event of a session: answer.rt_ms: Field required"),
        (
            {"rt_ms": "1840"},
            "this is not an event of a session: answer.rt_ms: Input should be a valid number",
        ),
        ({"rt_ms": None}, "rt_ms is empty; only imported sessions may leave it out"),
        ({"mood": "good"}, "this is not an event of a session: answer.mood: Unexpected keyword argument"),
        ({"event": "answered"}, "this is not an event of a session: Input tag 'answered' found using"),
        (
            {"shown_at": "9:30"},
            "this is not an event of a session: answer.shown_at: Value error, a time must be like",
        ),
    ],
)
def test_each_fault_is_reported_with_its_own_message_file_and_line(
    path: Path, whole: list[Event], changes: dict[str, Any], message: str
) -> None:
    number = nth_answer(whole, 1)
    error = refused(path, edited(encode(whole), number, **changes))
    assert error.problem.startswith(message)
    assert error.where == f"line {len(encode(whole[:number]).splitlines()) + 1}"
    assert str(error) == f"{path}, {error.where}: {error.problem}"


@pytest.mark.parametrize("shift", [-1, 1, 100])
def test_a_plan_whose_rounds_are_not_numbered_from_1_is_refused_even_with_a_valid_chain(
    path: Path, whole: list[Event], shift: int
) -> None:
    plan = [replace(round_, round=round_.round + shift) for round_ in head_of(whole).plan]
    events = [
        replace(event, round=event.round + shift) if isinstance(event, RoundBegan | Answered) else event
        for event in whole[1:]
    ]
    for head in (head_of(whole), replace(head_of(whole), imported=ELSEWHERE)):
        error = refused(path, encode([replace(head, plan=plan), *events[: len(events) if shift > 0 else 0]]))
        assert error.problem.startswith(
            f"round 1 of the plan has the number {1 + shift}; rounds are numbered"
        )
        assert error.where == "line 1"


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([], "the plan has no rounds"),
        ([1, 1, 2, 3, 4, 5], "the plan must have one round with each model for every target"),
        ([0, 1, 2, 2, 4, 5], "the plan must have one round with each model for every target"),
        ([0, 1, 2, 4], "the plan must have one round with each model for every target"),
        ([0, 1, 2, 3, 4, 5, 2, 3], "the plan must have one round with each model for every target"),
        ([2, 3, 0, 1, 4, 5], "the plan must have its practice rounds before all others"),
        ([0, 2, 1, 3, 4, 5], "the plan must have its practice rounds before all others"),
    ],
)
def test_a_plan_that_no_session_has_is_refused_even_with_a_valid_chain(
    path: Path, whole: list[Event], order: list[int], message: str
) -> None:
    rounds = head_of(whole).plan
    plan = [replace(rounds[place], round=number) for number, place in enumerate(order, start=1)]
    error = refused(path, encode([replace(head_of(whole), plan=plan)]))
    assert error.problem.startswith(message)
    assert error.where == "line 1"


@pytest.mark.parametrize("name", ["P02.yaml", "p01.yaml", "P01 (copy).yaml", "P01.old.yaml"])
def test_a_log_under_another_participants_name_is_refused(path: Path, whole: list[Event], name: str) -> None:
    path = saved(path.with_name(name), whole)
    with pytest.raises(MisnamedError) as caught:
        open_session(path)
    assert caught.value.problem.startswith("this is the log of P01, but the file is not named P01.yaml")


@pytest.mark.parametrize("number", [0, 3, -1])
def test_only_an_imported_session_has_no_stopwatch(path: Path, whole: list[Event], number: int) -> None:
    events = list(whole)
    events[number] = replace(events[number], clock_ms=None)
    error = refused(path, encode(events))
    assert error.problem == "clock_ms is empty; only imported sessions may leave it out"
    assert open_session(saved(path, events, imported=ELSEWHERE)).kind == "imported"


def test_an_error_in_studyapp_about_one_log_is_a_fault_of_that_log(path: Path) -> None:
    with (
        pytest.raises(
            FileError, match=r"prevents the use of this log \(IndexError: 7\); please report"
        ) as caught,
        one_log(path),
    ):
        raise IndexError(7)
    assert caught.value.path == str(path)


def test_an_unplanned_first_question_is_reported_with_its_line(path: Path, whole: list[Event]) -> None:
    number = nth_answer(whole, 0)
    error = refused(path, edited(encode(whole), number, word="nonsense"))
    assert error.problem == "'answer' does not belong here; expected question 1 of round 1"
    assert error.where == f"line {len(encode(whole[:number]).splitlines()) + 1}"


def test_an_event_after_the_end_is_reported_with_its_line(path: Path, whole: list[Event]) -> None:
    raw = encode([*whole, Left(AT)])
    error = refused(path, raw)
    assert error.problem == "'left' comes after the end of the session"
    assert error.where == f"line {len(encode(whole).splitlines()) + 1}"


def test_an_early_end_is_reported_with_its_line(path: Path, whole: list[Event]) -> None:
    error = refused(path, encode([*whole[:5], whole[-1]]))
    assert error.problem == "'finished' comes too early; expected question 2 of round 1"
    assert error.where == f"line {len(encode(whole[:5]).splitlines()) + 1}"


def test_another_schema_is_reported_with_its_line(path: Path, whole: list[Event]) -> None:
    raw = encode(whole).replace(b"schema: 3", b"schema: 7", 1)
    error = refused(path, chained(parts(raw)))
    assert error.problem == (
        "this log has schema 7, but this version of studyapp reads schema 3; "
        "use the version that wrote the log"
    )
    assert error.where == "line 3"


@pytest.mark.parametrize("participant", ["../P01", "", "P 01", "a" * 65, "\x1b[2J"])
def test_an_invalid_id_in_a_log_is_refused(path: Path, whole: list[Event], participant: str) -> None:
    head = replace(head_of(whole), participant=participant)
    error = refused(path, encode([head]))
    assert error.problem.startswith("the participant ID is ")
    assert error.where == "line 1"
    assert str(error).isprintable()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"questions": "two"}, "the study in the log is not valid: "),
        ({"questions": -1}, "the study in the log is not valid: "),
        ({"kernel_width": float("1e308")}, "the study in the log is not valid: "),
        ({"models": {}}, "the study in the log is not valid: "),
        ({"surprise": 1}, "the study in the log is not valid: "),
        ({"consent": "\x1b[2J"}, "the study in the log is not valid: "),
        (
            {"at_end": ["nonsense"]},
            "the study in the log is not valid: it asks an unknown questionnaire",
        ),
        ({"texts": {"ask": "{word} {\x1b[2J}"}}, "the study in the log is not valid: "),
    ],
)
def test_an_invalid_study_is_reported_at_the_head(
    path: Path, whole: list[Event], change: dict[str, Any], message: str
) -> None:
    head = head_of(whole)
    error = refused(path, encode([replace(head, study=head.study | change)]))
    assert error.problem.startswith(message)
    assert error.where == "line 1"
    assert str(error).isprintable()


def test_the_line_of_an_answer_is_found(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    lines = path.read_text(encoding="utf-8").splitlines()
    for answer in opened.session.answers:
        message = f'--- {{"event": "answer", "round": {answer.round}, "question": {answer.question}, '
        assert lines[opened.line(answer) - 1].startswith(message)


# Its words


def test_bundled_word_sets_are_found_by_name(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(words="study20", targets=["tea", "salt"], practice=[]))
    Sitting.open(study, Participant("P01"), tmp_path / "sessions").close()
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
    put_words(folder, vectors="other 1 2\nwords 2 1\n")  # which are ignored then
    return put_words(folder, "given.txt")


@pytest.mark.parametrize("place", [beside, here, given])
def test_a_word_file_is_found_beside_the_log_in_the_current_folder_or_where_given(
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


def test_words_in_a_subfolder_are_found_beside_the_log(path: Path, whole: list[Event]) -> None:
    put_words(path.parent / "sets", "words")
    saved(path, whole, words="sets/words")
    assert load_study(open_session(path)).vocabulary.words[0] == "tea"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("words.txt", "its word set was not found (words.txt: there is no such file"),
        ("/nowhere/words.txt", "its word set was not found (/nowhere/words.txt: there is no such file"),
        ("study21", "its word set was not found (there is no word set 'study21' (did you mean 'study20'?)"),
        ("a\0b.txt", "its word set was not found ("),
        ("x" * 300 + ".txt", "its word set was not found ("),
        ("", "its word set was not found ("),
        (".", "its word set was not found ("),
        ("..", "its word set was not found ("),
    ],
)
def test_missing_words_are_asked_for(
    path: Path, whole: list[Event], monkeypatch: pytest.MonkeyPatch, words: str, message: str
) -> None:
    monkeypatch.chdir(path.parent)
    opened = open_session(saved(path, whole, words=words))
    with pytest.raises(FileError) as caught:
        load_study(opened)
    assert caught.value.path == str(path)
    assert caught.value.problem.startswith(message)
    assert caught.value.problem.endswith("; name its file with --words FILE")


def test_words_other_than_those_of_the_session_are_refused(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    other = VECTORS.replace("1 0 2", "1 0 3")
    put_words(path.parent, vectors=other)
    with pytest.raises(FileError, match=r"the words in 'words.txt' here are not the words of this session"):
        load_study(opened)
    put_words(path.parent, "given.txt", other)
    with pytest.raises(FileError, match="the words in the --words file are not the words of this session"):
        load_study(opened, path.parent / "given.txt")


def test_an_unreadable_word_file_is_named(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    with pytest.raises(FileError, match=r"given.txt: there is no such file"):
        load_study(opened, path.parent / "given.txt")
    with pytest.raises(FileError, match="this is a folder"):
        load_study(opened, path.parent)


def test_an_unknown_word_is_reported_with_its_line(path: Path, whole: list[Event]) -> None:
    number = nth_answer(whole, 1)
    path.write_bytes(edited(encode(whole), number, word="nonsense"))
    put_words(path.parent)
    with pytest.raises(FileError) as caught:
        load_study(open_session(path))
    assert caught.value.problem == "'nonsense' is not in the word set"
    assert caught.value.where == f"line {len(encode(whole[:number]).splitlines()) + 1}"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"target": "nonsense"}, "'nonsense' in the plan is not in the word set"),
        ({"first": "nonsense"}, "'nonsense' in the plan is not in the word set"),
        ({"model": "nonsense"}, "round 5 of the plan has a model that the study does not have"),
    ],
)
def test_a_plan_with_unknown_words_or_models_is_reported(
    path: Path, whole: list[Event], change: dict[str, Any], message: str
) -> None:
    rounds = head_of(whole).plan
    target = rounds[-1].target  # in the rounds of all models
    plan = [replace(round_, **change) if round_.target == target else round_ for round_ in rounds]
    saved(path, whole[:1], plan=plan)
    put_words(path.parent)
    with pytest.raises(FileError) as caught:
        load_study(open_session(path))
    assert (caught.value.problem, caught.value.where) == (message, "line 1")


# Where logs are


def test_only_the_logs_in_a_folder_are_found_sorted_by_name(tmp_path: Path) -> None:
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


def test_logs_are_found_in_the_order_given_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_a_log_given_by_name_may_have_any_name(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("")
    assert find_logs([tmp_path / ".hidden"]) == [tmp_path / ".hidden"]


@pytest.mark.parametrize("name", [".P01.yaml", "notes.txt", None])
def test_a_folder_without_logs_is_reported(tmp_path: Path, name: str | None) -> None:
    if name:
        (tmp_path / name).write_text("")
    with pytest.raises(FileError, match=r"this folder has no session logs \(\*.yaml\)") as caught:
        find_logs([tmp_path])
    assert caught.value.path == str(tmp_path)


def test_a_missing_place_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="there is no such file"):
        find_logs([tmp_path / "missing"])


@pytest.mark.skipif(sys.platform == "win32", reason="links are for administrators on Windows")
def test_links_are_followed_and_broken_ones_are_reported(tmp_path: Path, whole: list[Event]) -> None:
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


def test_a_file_that_is_not_a_log_is_reported(path: Path) -> None:
    assert "this is not a studyapp session log" in refused(path, b"title: A study\nmodels: {}\n").problem


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="this is a folder"):
        open_session(tmp_path)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_log_without_read_permission_is_reported(path: Path, whole: list[Event]) -> None:
    saved(path, whole).chmod(0)
    with pytest.raises(FileError, match="permission denied"):
        open_session(path)


# Empty fields of an imported session

OPEN: dict[str, Any] = dict.fromkeys(
    ("shown_at", "rt_ms", "first_choice_ms", "last_choice_ms", "compute_ms", "delay_ms", "late", "changes")
)


def test_an_imported_session_may_have_empty_fields(path: Path, whole: list[Event]) -> None:
    number = nth_answer(whole, 1)
    imported: list[Event] = [replace(head_of(whole), imported=ELSEWHERE), *whole[1:]]
    path.write_bytes(edited(encode(imported), number, **OPEN))
    opened = open_session(path)
    assert opened.session.answers[1].rt_ms is None
    assert opened.kind == "imported"
    put_words(path.parent)
    assert load_study(opened).study.title == "A small study"
    error = refused(path, edited(encode(whole), number, **OPEN))
    assert "shown_at is empty; only imported sessions may leave it out" in error.problem


def test_a_second_session_in_a_log_is_refused(path: Path, whole: list[Event]) -> None:
    documents = parts(encode(whole[:3]))
    error = refused(path, chained([*documents, document_of(as_mapping(head_of(whole)))]))
    assert error.problem == "a second session begins here; a log holds one session"
    assert error.where == f"line {b''.join(documents).count(10) + 1}"


def test_nothing_comes_after_a_withdrawal(path: Path, whole: list[Event]) -> None:
    error = refused(path, encode([*whole[:3], Withdrawn("kept", 0, AT, clock_ms=9.0), *whole[3:]]))
    assert error.problem == "'round' comes after the end of the session"
