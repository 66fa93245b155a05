"""Saved sessions are found and classified, and so are their words."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chains import edited
from study_files import VECTORS, loaded, open_sitting, recorded, small

from core.errors import FileError
from studyapp.session.events import Answered, Event, Imported, Left, Resumed, Started, Withdrawn
from studyapp.session.ids import MisnamedError
from studyapp.session.log_format import encode
from studyapp.session.saved import KINDS, STATES, find_logs, load_study, one_log, open_session
from studyapp.session.sitting import Participant, Sitting

AT = "2026-11-16T09:30:00.123Z"
ELSEWHERE = Imported("answers.csv", "ab12", 2, None)


@pytest.fixture
def whole() -> list[Event]:
    return list(recorded().events)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "P01.yaml"


def saved(path: Path, events: list[Event], **changes: Any) -> Path:
    """A log of these events, some fields of its head changed; without words beside it."""
    assert isinstance(events[0], Started)
    path.write_bytes(encode([replace(events[0], **changes), *events[1:]]))
    return path


# Who answered, and how far it got


def test_the_kind_of_a_session_says_who_answered(path: Path, whole: list[Event]) -> None:
    person: dict[str, Any] = {"simulated": False, "teacher": None}
    for changes, kind in (
        ({}, "simulated"),
        (person, "person"),
        (person | {"pilot": True}, "pilot"),
        (person | {"imported": ELSEWHERE}, "imported"),
        ({"imported": ELSEWHERE}, "imported"),
        ({"pilot": True}, "simulated"),
    ):
        opened = open_session(saved(path, whole, **changes))
        assert (opened.kind, opened.participant) == (kind, "P01")
        assert kind in KINDS


def test_one_sitting_with_the_experimenters_view_makes_a_session_a_pilot(tmp_path: Path) -> None:
    for number, (views, kind) in enumerate(
        (
            ([False, False], "person"),
            ([True], "pilot"),
            ([True, False], "pilot"),
            ([False, True, False], "pilot"),
        )
    ):
        for view in views:
            Sitting.open(recorded().study, Participant(f"P{number}", pilot=view), tmp_path).close()
        opened = open_session(tmp_path / f"P{number}.yaml")
        assert opened.kind == kind
        assert sum(isinstance(event, Resumed) for event in opened.saved.events) == len(views) - 1


def test_the_state_of_a_session_says_how_far_it_got(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    assert (opened.state, opened.saved.events, len(opened.session.answers)) == ("finished", whole, 12)
    for count in range(1, len(whole)):
        assert open_session(saved(path, whole[:count])).state == "incomplete"
        assert open_session(saved(path, [*whole[:count], Left(AT, clock_ms=1e6)])).state == "incomplete"
    for data, state in (("kept", "withdrawn"), ("deleted", "deleted")):
        assert open_session(saved(path, [whole[0], Withdrawn(data, 0, AT, clock_ms=9.0)])).state == state
        assert state in STATES
    torn = encode(whole)[:-1]
    path.write_bytes(torn)
    opened = open_session(path)
    assert (opened.state, opened.saved.events) == ("incomplete", whole[:-1])
    assert path.read_bytes() == torn  # reading sets nothing aside


def test_a_log_under_another_participants_name_is_refused(path: Path, whole: list[Event]) -> None:
    for name in ("P02.yaml", "p01.yaml", "P01 (copy).yaml", "P01.old.yaml"):
        with pytest.raises(MisnamedError) as caught:
            open_session(saved(path.with_name(name), whole))
        assert caught.value.problem.startswith("this is the log of P01, but the file is not named P01.yaml")


def test_an_error_in_studyapp_about_one_log_is_a_fault_of_that_log(path: Path) -> None:
    problem = r"prevents the use of this log \(IndexError: 7\); please report"
    with pytest.raises(FileError, match=problem) as caught, one_log(path):
        raise IndexError(7)
    assert caught.value.path == str(path)


def test_the_line_of_an_answer_is_found(path: Path, whole: list[Event]) -> None:
    opened = open_session(saved(path, whole))
    lines = path.read_text(encoding="utf-8").splitlines()
    for answer in opened.session.answers:
        message = f'--- {{"event": "answer", "round": {answer.round}, "question": {answer.question}, '
        assert lines[opened.line(answer) - 1].startswith(message)


# Its words


def put_words(path: Path, vectors: str = VECTORS) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(vectors, encoding="utf-8")
    return path


def test_the_words_of_a_session_are_found(
    path: Path, whole: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, study = path.parent, recorded().study
    saved(path, whole)
    other = put_words(folder / "words.txt", "other 1 2\nwords 2 1\n")  # which are ignored, if a file is given
    for words in (put_words(folder / "given.txt"), None, None):
        found = load_study(open_session(path), words)
        assert found.vocabulary.sha256 == study.vocabulary.sha256
        assert (found.study.record(), found.name) == (study.study.record(), str(path))
        if words:
            put_words(other)  # then they are beside the log
        else:
            other.unlink(missing_ok=True)  # and then in the current folder
            monkeypatch.chdir(put_words(folder / "elsewhere" / "words.txt").parent)
    put_words(folder / "sets" / "words")
    assert load_study(open_session(saved(path, whole, words="sets/words"))).vocabulary.words[0] == "tea"
    bundled = loaded(folder, small(words="study20", targets=["tea", "salt"], practice=[]))
    open_sitting(bundled, folder / "bundled").close()
    assert (
        load_study(open_session(folder / "bundled" / "P01.yaml")).vocabulary.words == bundled.vocabulary.words
    )


def test_missing_words_are_asked_for(path: Path, whole: list[Event], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    names = ["./pipe", "/dev/zero", "/dev/null", "/dev", "/proc/self/mem"]
    if sys.platform == "win32":
        names = []
    else:
        os.mkfifo(path.with_name("pipe"))
    for words, why in (
        ("words.txt", "words.txt: there is no such file"),
        ("/nowhere/words.txt", "/nowhere/words.txt: there is no such file"),
        ("study21", "there is no word set 'study21' (did you mean 'study20'?)"),
        *((name, "") for name in ("a\0b.txt", "x" * 300 + ".txt", "", ".", "..", *names)),
    ):
        with pytest.raises(FileError) as caught:
            load_study(open_session(saved(path, whole, words=words)))
        assert caught.value.path == str(path)
        assert caught.value.problem.startswith(f"its word set was not found ({why}"), words
        assert caught.value.problem.endswith("; name its file with --words FILE")


def test_other_words_are_refused_and_unknown_ones_named_with_their_line(
    path: Path, whole: list[Event]
) -> None:
    put_words(path.with_name("words.txt"))
    place = recorded().nth(Answered, 1)
    path.write_bytes(edited(encode(whole), place, word="nonsense"))
    with pytest.raises(FileError, match="'nonsense' is not in the word set") as caught:
        load_study(open_session(path))
    assert caught.value.where == f"line {encode(whole[:place]).count(10) + 1}"
    rounds = whole[0].plan
    for name in ("target", "first"):
        plan = [replace(one, **{name: "nonsense"}) if one.target == "no" else one for one in rounds]
        with pytest.raises(FileError, match="'nonsense' in the plan is not in the word set") as caught:
            load_study(open_session(saved(path, whole[:1], plan=plan)))
        assert caught.value.where == "line 1"
    put_words(path.with_name("other") / "words.txt", VECTORS.replace("1 0 2", "1 0 3"))
    opened = open_session(saved(path.with_name("other") / "P01.yaml", whole))
    with pytest.raises(FileError, match=r"the words in 'words.txt' here are not the words of this session"):
        load_study(opened)
    with pytest.raises(FileError, match="the words in the --words file are not the words of this session"):
        load_study(opened, path.with_name("other") / "words.txt")
    with pytest.raises(FileError, match=r"given.txt: there is no such file"):
        load_study(opened, path.with_name("given.txt"))


# Where logs are


def test_the_logs_in_folders_are_found_each_once_in_the_order_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    for folder in (a, b):
        folder.mkdir()
        for name in ("P10.yaml", "P02.yaml", "P1.yaml"):
            (folder / name).write_text("")
    for name in (".P03.yaml", "P02.yaml.torn-20261116", "README.md", "x.yml"):
        (a / name).write_text("")
    (a / "folder.yaml").mkdir()
    inside = ["P02.yaml", "P1.yaml", "P10.yaml"]
    assert find_logs([b, a]) == [*(b / name for name in inside), *(a / name for name in inside)]
    assert find_logs([a / "P1.yaml", a, a]) == [a / "P1.yaml", a / "P02.yaml", a / "P10.yaml"]
    assert find_logs([a / ".P03.yaml"]) == [a / ".P03.yaml"]  # given by name, it may have any
    monkeypatch.chdir(tmp_path)
    assert find_logs([Path("a"), a, Path("b/../a")]) == [Path("a") / name for name in inside]


def test_a_folder_without_logs_and_a_missing_place_are_reported(tmp_path: Path) -> None:
    for name in ("notes.txt", ".P01.yaml"):
        with pytest.raises(FileError, match=r"this folder has no session logs \(\*.yaml\)") as caught:
            find_logs([tmp_path])
        assert caught.value.path == str(tmp_path)
        (tmp_path / name).write_text("")
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


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_a_log_without_read_permission_is_reported(path: Path, whole: list[Event]) -> None:
    saved(path, whole).chmod(0)
    with pytest.raises(FileError, match="permission denied"):
        open_session(path)
