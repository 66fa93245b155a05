"""``studyapp verify``: whole sessions are re-derived, and whatever is changed in one is caught."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chains import edited, event_of, parts
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from study_files import WORDS, loaded, open_sitting, run, small

from core import Learner
from core.selection import SELECTIONS
from core.teachers import TEACHERS
from studyapp.base import documents
from studyapp.cli import main
from studyapp.commands.verify import verify
from studyapp.session import log
from studyapp.session.events import Answered, Finished, Responded, RoundBegan, Started

QUESTIONS = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("verify")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """A finished session, its words beside it."""
    study = loaded(folder, small(questions=QUESTIONS, bonus={"within": 4, "rounds": 1, "won": "Well done."}))
    run(study, folder)
    (folder / "study.yaml").unlink()
    return folder / "P01.yaml"


def told(path: Path) -> tuple[int, str]:
    verdict = verify(path)
    return verdict.code, verdict.told


def rewritten(whole: Path, events: list[Any]) -> Path:
    """A log of these events, with a chain that fits: by someone who knows how."""
    path = whole.with_name("forged.yaml")
    path.write_bytes(log.written(events))
    return path


def test_a_finished_session_is_verified(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = 6 * QUESTIONS
    chain = log.read(whole).chain
    assert told(whole) == (0, f"verified: {answers} questions re-derived; chain {chain}")
    assert main(["verify", str(whole)]) == 0
    assert capsys.readouterr() == (f"{whole}: verified: {answers} questions re-derived; chain {chain}\n", "")


@pytest.mark.parametrize("teacher", TEACHERS.names)
@pytest.mark.parametrize("selection", SELECTIONS.names)
@pytest.mark.parametrize("fit", ["converged", "published"])
def test_every_kind_of_model_is_verified(tmp_path: Path, teacher: str, selection: str, fit: str) -> None:
    models = {"a": {"teacher": teacher}, "b": {"teacher": teacher, "horizon": 2}}
    learner = {"samples": 16, "selection": selection, "fit": fit}
    run(loaded(tmp_path, small(questions=3, models=models, learner=learner, targets=["tea"])), tmp_path)
    assert told(tmp_path / "P01.yaml")[0] == 0


def test_an_unfinished_a_resumed_and_a_withdrawn_session_are_verified_as_far_as_they_go(
    tmp_path: Path,
) -> None:
    study = loaded(tmp_path, small())
    run(study, tmp_path)
    path = tmp_path / "P01.yaml"
    documents_ = parts(path.read_bytes())
    path.write_bytes(b"".join(documents_[:9]) + documents_[9][:20])
    code, said = told(path)
    answers = sum(b'"event": "answer"' in each for each in documents_[:9])
    assert (code, said.split(";")[0]) == (0, f"verified: {answers} questions re-derived (incomplete)")
    assert "torn tail of 20 bytes" in verify(path).notes[0]
    sitting = open_sitting(study, tmp_path)
    sitting.withdraw(delete=False)
    sitting.close()
    assert f"{answers} questions re-derived (withdrawn)" in told(path)[1]


def test_deleted_answers_leave_nothing_to_verify(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    sitting = open_sitting(study, tmp_path)
    sitting.withdraw(delete=True)
    sitting.close()
    assert told(tmp_path / "P01.yaml") == (0, "nothing to verify: withdrawn, and the answers were deleted")


# Whatever is changed by hand breaks the chain


@given(st.data())
@settings(max_examples=200)
def test_any_field_of_any_event_that_is_changed_in_the_file_is_caught(
    whole: Path, data: st.DataObject
) -> None:
    documents_ = parts(whole.read_bytes())
    number = data.draw(st.integers(1, len(documents_) - 1))
    event = event_of(documents_[number])
    name = data.draw(st.sampled_from(sorted(set(event) - {"event"})))
    before = documents.json_line({name: event[name]})[1:-1]
    after = documents.json_line({name: _other(data, event[name])})[1:-1]
    assume(before != after)
    documents_[number] = documents_[number].replace(before.encode(), after.encode(), 1)
    path = whole.with_name("changed.yaml")
    path.write_bytes(b"".join(documents_))
    line = sum(each.count(b"\n") for each in documents_[:number]) + 1
    assert told(path)[0] == 1
    assert told(path)[1].startswith(f"changed: line {line}: ")


def _other(data: st.DataObject, value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + data.draw(st.sampled_from([1, -1, 0.000001]))
        case "y" | "n":
            return "n" if value == "y" else "y"
        case str():
            return data.draw(st.sampled_from([*WORDS, value + "x"]))
    return 1.0


@given(st.data())
def test_answers_that_are_taken_out_doubled_or_swapped_are_caught(whole: Path, data: st.DataObject) -> None:
    documents_ = parts(whole.read_bytes())
    one, other = data.draw(st.lists(st.integers(1, len(documents_) - 1), min_size=2, max_size=2, unique=True))
    match data.draw(st.sampled_from(["out", "doubled", "swapped"])):
        case "out":
            assume(one < len(documents_) - 1)  # a log without its last event is one that was left there
            del documents_[one]
        case "doubled":
            documents_.insert(other, documents_[one])
        case "swapped":
            documents_[one], documents_[other] = documents_[other], documents_[one]
    path = whole.with_name("moved.yaml")
    path.write_bytes(b"".join(documents_))
    assert told(path)[0] == 1


# And who works out a new chain still has the learner against them


def events(whole: Path) -> list[Any]:
    return list(log.read(whole).events)


def answers(whole: Path) -> list[int]:
    return [i for i, event in enumerate(events(whole)) if isinstance(event, Answered)]


def each_answer(last_too: bool) -> st.SearchStrategy[int]:
    numbers = st.integers(0, 6 * QUESTIONS - 1)
    return numbers if last_too else numbers.filter(lambda i: i % QUESTIONS < QUESTIONS - 1)


@given(each_answer(last_too=False))
def test_an_answer_that_is_changed_shows_in_the_question_or_the_state_after_it(whole: Path, i: int) -> None:
    changed, at = events(whole), answers(whole)[i]
    changed[at] = replace(changed[at], answer="n" if changed[at].answer == "y" else "y")
    code, said = told(rewritten(whole, changed))
    assert code == 1
    played, question = divmod(i, QUESTIONS)
    assert f"question {question + 2} of round {played + 1}" in said
    assert "expected" in said


@given(each_answer(last_too=True), st.sampled_from(WORDS))
def test_a_word_that_is_changed_is_caught(whole: Path, i: int, word: str) -> None:
    changed, at = events(whole), answers(whole)[i]
    assume(word != changed[at].word)
    changed[at] = replace(changed[at], word=word)
    code, said = told(rewritten(whole, changed))
    # The first word of a round stands in the plan, so that a log with another does not even read.
    assert (code, said.split(":")[0]) == ((2, "not readable") if i % QUESTIONS == 0 else (1, "different"))
    if i % QUESTIONS:
        assert f"is {word!r}; expected" in said


@given(each_answer(last_too=True), st.floats(0, 1))
def test_a_reward_that_is_changed_is_caught(whole: Path, i: int, reward: float) -> None:
    changed, at = events(whole), answers(whole)[i]
    assume(abs(reward - changed[at].reward) > 2e-6)
    changed[at] = replace(changed[at], reward=reward)
    code, said = told(rewritten(whole, changed))
    assert code == 1
    assert f"is {reward}; expected {events(whole)[at].reward}" in said


@given(each_answer(last_too=True), st.sampled_from(["digest", "converged"]))
def test_a_state_that_is_changed_is_caught(whole: Path, i: int, name: str) -> None:
    changed, at = events(whole), answers(whole)[i]
    value: Any = "0-0-0" if name == "digest" else not changed[at].converged
    changed[at] = replace(changed[at], **{name: value})
    assert told(rewritten(whole, changed))[0] == 1


@given(st.integers(0, 5), st.sampled_from(["model", "target", "first", "practice"]), st.data())
def test_a_plan_that_is_changed_is_caught(whole: Path, i: int, name: str, data: st.DataObject) -> None:
    head, *rest = events(whole)
    plan = list(head.plan)
    others = {"model": ["plain", "both"], "practice": [True, False]}.get(name, list(WORDS))
    value = data.draw(st.sampled_from(others).filter(lambda other: other != getattr(plan[i], name)))
    plan[i] = replace(plan[i], **{name: value})
    code, said = told(rewritten(whole, [replace(head, plan=plan), *rest]))
    assert code in (1, 2)
    if code == 1:
        assert "the plan has" in said
        assert "expected" in said


@given(st.permutations(range(6)).filter(lambda order: list(order) != sorted(order)))
def test_rounds_in_another_order_are_caught(whole: Path, order: list[int]) -> None:
    head, *rest = events(whole)
    plan = [replace(head.plan[j], round=i + 1) for i, j in enumerate(order)]
    assume(plan != head.plan)
    assert told(rewritten(whole, [replace(head, plan=plan), *rest]))[0] in (1, 2)


def test_another_seed_and_another_participant_are_caught(whole: Path) -> None:
    head, *rest = events(whole)
    assert "the seed is 8, and 7 in the study" in told(rewritten(whole, [replace(head, seed=8), *rest]))[1]
    other_study = replace(head, seed=8, study=head.study | {"seed": 8})
    assert told(rewritten(whole, [other_study, *rest]))[0] == 1
    assert told(rewritten(whole, [replace(head, participant="P02"), *rest]))[0] == 1
    shorter = replace(head, plan=head.plan[:-1])
    assert told(rewritten(whole, [shorter, *rest]))[0] in (1, 2)


@pytest.mark.parametrize(
    ("kind", "changes", "said"),
    [
        (Finished, {"answers": 3}, "answers at the end is 3; expected 24"),
        (Finished, {"found": 0}, "found at the end is 0; expected"),
        (Finished, {"bonus": False}, "bonus at the end is False; expected True"),
        (RoundBegan, {"at": "2020-01-01T00:00:00.000Z"}, "before what it follows (was the clock set back?)"),
        (Answered, {"shown_at": "2020-01-01T00:00:00.000Z"}, "before what it follows"),
        (Answered, {"rt_ms": 5_000_000.0}, "before what it follows"),
        (Answered, {"rt_ms": 1e308}, "a time is beyond all times"),
        (Answered, {"first_choice_ms": 5_000_000.0}, "must not decrease"),
        (Answered, {"first_choice_ms": -1.0}, "must not decrease"),
    ],
)
def test_counts_times_and_responses_that_cannot_be_are_caught(
    whole: Path, kind: type[Any], changes: dict[str, Any], said: str
) -> None:
    changed = events(whole)
    at = next(i for i, event in enumerate(changed) if isinstance(event, kind))
    changed[at] = replace(changed[at], **changes)
    code, what = told(rewritten(whole, changed))
    assert code == 1
    assert said in what
    line = log.read(whole.with_name("forged.yaml")).lines[at]
    if kind is not Answered or "decrease" in said:
        assert abs(int(what.split("line ")[1].split(":")[0]) - line) <= 60


@pytest.mark.parametrize("value", [99, None, "left", 10**400])
def test_a_response_that_nobody_could_give_makes_no_log(whole: Path, value: Any) -> None:
    changed = events(whole)
    at = next(i for i, event in enumerate(changed) if isinstance(event, Responded))
    changed[at] = replace(changed[at], value=value)
    code, said = told(rewritten(whole, changed))
    assert code == 2
    assert said.startswith("not readable: line ")


def test_a_study_that_no_machine_has_memory_for_is_refused(whole: Path) -> None:
    head, *rest = events(whole)
    models = {name: model | {"samples": 1 << 24} for name, model in head.study["models"].items()}
    code, said = told(rewritten(whole, [replace(head, study=head.study | {"models": models}), *rest]))
    assert code == 2
    assert "samples x words x 2^horizon is" in said


def test_nothing_in_a_log_reaches_the_terminal_as_a_code(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed, at = events(whole), answers(whole)[1]
    changed[at] = replace(changed[at], digest="\x1b[31mred\x1b]0;title\x07")
    main(["verify", str(rewritten(whole, changed))])
    printed = capsys.readouterr().out
    assert "red" in printed
    assert "\x1b" not in printed


def test_a_withdrawal_that_tells_of_other_answers_is_caught(tmp_path: Path) -> None:
    sitting = open_sitting(loaded(tmp_path, small()), tmp_path)
    sitting.withdraw(delete=False)
    sitting.close()
    path = tmp_path / "P01.yaml"
    path.write_bytes(edited(path.read_bytes(), -1, answers=5))
    assert "5 answers are told of at the end; there are 0" in told(path)[1]


# Floating point on other machines


@pytest.fixture
def level(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A learner to whom all arms score the same, but for what rounding may do on another machine."""
    tell_both = Learner.tell_both

    def tied(self: Learner, state: Any) -> tuple[Any, Any]:
        no, yes = tell_both(self, state)
        scores = np.linspace(0, 1e-10, len(state.scores))
        return tuple(replace(each, arm=len(scores) - 1, scores=scores) for each in (no, yes))  # type: ignore[return-value]

    monkeypatch.setattr(Learner, "tell_both", tied)
    return iter(())


@pytest.mark.usefixtures("level")
def test_a_near_tie_that_came_out_otherwise_is_noted_and_no_difference(whole: Path) -> None:
    verdict = verify(whole)
    assert verdict.code == 0
    assert verdict.notes
    assert all("near-tie: question" in note for note in verdict.notes)


def test_a_question_that_lost_by_more_than_rounding_is_a_difference(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_both = Learner.tell_both

    def other(self: Learner, state: Any) -> tuple[Any, Any]:
        no, yes = (
            replace(each, arm=(each.arm + 1) % len(each.scores), scores=np.eye(6)[(each.arm + 1) % 6])
            for each in tell_both(self, state)
        )
        return no, yes

    monkeypatch.setattr(Learner, "tell_both", other)
    code, said = told(whole)
    assert code == 1
    assert "(better by 1)" in said


def test_a_difference_tells_with_which_software_the_log_was_written(whole: Path) -> None:
    head, *rest = events(whole)
    old = replace(head, software=head.software | {"torch": "1.0"}, seed=8)
    assert (
        verify(rewritten(whole, [old, *rest]))
        .notes[0]
        .startswith("the log was written with torch 1.0 (here ")
    )


# Several logs


def test_one_bad_log_does_not_hide_the_others(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    study = loaded(tmp_path, small())
    sessions = tmp_path / "logs"
    for participant in ("A", "B", "C", "D"):
        run(study, sessions, participant)
    (sessions / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    (sessions / "A.yaml").write_bytes(b"nothing\n...\n")
    raw = (sessions / "C.yaml").read_bytes()
    (sessions / "C.yaml").write_bytes(raw.replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert main(["verify", str(sessions)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in lines[:-1]] == ["not readable", "verified", "changed", "verified"]
    assert lines[-1] == "2 of 4 logs are as they should be"
    (sessions / "C.yaml").unlink()
    assert main(["verify", str(sessions)]) == 2


def test_logs_that_are_not_there_end_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "P01.yaml")]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert main(["verify", str(tmp_path)]) == 2
    assert "there are no session logs" in capsys.readouterr().err


def test_the_words_may_be_given(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = tmp_path / "P01.yaml"
    alone.write_bytes(whole.read_bytes())
    assert main(["verify", str(alone)]) == 2
    assert "--words FILE" in capsys.readouterr().out
    assert main(["verify", str(alone), "--words", str(whole.parent / "words.txt")]) == 0
    assert isinstance(log.read(alone).events[0], Started)
