"""Whatever in a log does not follow from its study, seed and answers is shown by verification."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st
from proofs import holds_for
from study_files import VECTORS, WORDS, Recording, loaded, open_sitting, recorded, run, small

from core import learner
from core.selection import SELECTIONS
from core.teachers import TEACHERS
from studyapp.session import events as ev
from studyapp.session.log_format import encode
from studyapp.session.verdict import Result
from studyapp.session.verification import verify

QUESTIONS = 4
AT = "2026-11-16T09:30:00.123Z"


@pytest.fixture
def whole() -> Recording:
    bonus = {"within": 4, "rounds": 1, "won": "Well done."}
    return recorded(questions=QUESTIONS, pace={"pause": 0.5}, bonus=bonus)


def checked(folder: Path, recording: Recording, events: list[ev.Event] | None = None) -> Result:
    """The verdict on a recording, or on other events with a valid chain, as a forger would write them."""
    return verify(recording.put(folder, events))


def test_a_finished_session_is_verified(whole: Recording, tmp_path: Path) -> None:
    result = checked(tmp_path, whole)
    asked = 6 * QUESTIONS
    assert (result.verdict, result.questions, result.rederived) == ("verified", asked, asked)
    assert (result.not_rederived, result.notes) == (None, [])
    assert result.message == (
        f"verified: {asked} questions re-derived; chain {result.chain}; receipt {result.receipt}"
    )


EVERY = [
    (model.name, belief, selection, fit)
    for model in TEACHERS
    for belief in model.beliefs
    for selection in SELECTIONS.names
    for fit in ("converged", "published")
]


@pytest.mark.parametrize("step", [3, pytest.param(1, marks=pytest.mark.prove)])
def test_every_kind_of_model_is_verified(tmp_path: Path, step: int) -> None:
    for teacher, belief, selection, fit in EVERY[::step]:
        model = {"teacher": teacher, "belief": belief}
        study = small(
            questions=2,
            models={"a": model, "b": model | {"horizon": 2}},
            learner={"samples": 8, "selection": selection, "fit": fit},
            targets=["tea"],
            practice=[],
            after_round=[],
        )
        folder = tmp_path / "-".join((teacher, belief, selection, fit))
        run(loaded(folder, study), folder)
        assert verify(folder / "P01.yaml").code == 0, folder.name


def test_a_balanced_order_of_models_is_verified_and_another_is_a_difference(tmp_path: Path) -> None:
    for order in ("fixed", "random"):
        for ids in ("P{number:02}", ["P03", "P02", "P01"]):
            three = {name: {"teacher": "naive"} for name in "abc"}
            settings = {"models": three, "order": order, "order_of_models": "balanced", "ids": ids}
            for participant in ("P01", "P02", "P03", "P04"):
                recording = recorded(participant, **settings)
                path = recording.put(tmp_path, name=f"{participant}.yaml")
                assert verify(path).verdict == "verified", (order, ids, participant)
    started, *later = recording.events
    assert isinstance(started, ev.Started)
    one, other, *rest = started.plan
    swapped = [replace(one, model=other.model), replace(other, model=one.model), *rest]
    path.write_bytes(encode([replace(started, plan=swapped), *later]))
    assert "line 1: round 1 of the plan has another model than expected" in verify(path).message


def test_unfinished_and_withdrawn_sessions_are_verified_as_far_as_they_go(tmp_path: Path) -> None:
    recording = recorded()
    path = recording.put(tmp_path)
    path.write_bytes(recording.raw[: len(encode(recording.events[:9])) + 20])
    result = verify(path)
    answers = sum(isinstance(event, ev.Answered) for event in recording.events[:9])
    assert result.code == 0
    assert result.message.startswith(f"verified: {answers} questions re-derived (incomplete);")
    assert "torn tail of 20 bytes" in result.notes[0]
    sitting = open_sitting(recording.study, tmp_path)
    sitting.withdraw(delete=False)
    sitting.close()
    assert f"{answers} questions re-derived (withdrawn)" in verify(path).message
    events = [*recording.events[:9], ev.Withdrawn("kept", 5, AT, clock_ms=1e6)]
    assert (
        f"answers is 5 in the last event; expected {answers}" in checked(tmp_path, recording, events).message
    )
    result = checked(tmp_path, recording, [recording.events[0], ev.Withdrawn("deleted", 0, AT, clock_ms=9.0)])
    assert (result.code, result.message) == (0, "nothing to verify: the answers were deleted on request")


# A new chain does not help: the learner disagrees


NUMBERS = st.integers(0, 6 * QUESTIONS - 1)


@holds_for(8, 100, i=NUMBERS.filter(lambda i: i % QUESTIONS < QUESTIONS - 1))
def test_a_changed_answer_shows_in_the_next_question_or_state(
    whole: Recording, tmp_path: Path, i: int
) -> None:
    place = whole.nth(ev.Answered, i)
    answer = "n" if whole.events[place].answer == "y" else "y"
    result = checked(tmp_path, whole, whole.changed(place, answer=answer))
    round_, question = divmod(i, QUESTIONS)
    assert result.code == 1
    assert f"question {question + 2} of round {round_ + 1}" in result.message
    assert "expected" in result.message


@holds_for(20, 150, i=NUMBERS, word=st.sampled_from(WORDS), reward=st.floats(0, 1))
def test_a_changed_word_reward_or_state_is_caught(
    whole: Recording, tmp_path: Path, i: int, word: str, reward: float
) -> None:
    place = whole.nth(ev.Answered, i)
    right = whole.events[place]
    if word != right.word:
        result = checked(tmp_path, whole, whole.changed(place, word=word))
        # The plan has the first word of a round, so a log with another word is not even readable.
        assert result.verdict == ("different" if i % QUESTIONS else "unreadable")
        assert f"is {word!r}; expected" in result.message or not i % QUESTIONS
    if abs(reward - right.reward) > 2e-6:
        result = checked(tmp_path, whole, whole.changed(place, reward=reward))
        assert (result.code, result.rederived) == (1, i)
        assert f"is {reward}; expected {right.reward}" in result.message
    for state in ({"digest": "0-0-0"}, {"converged": not right.converged}):
        assert checked(tmp_path, whole, whole.changed(place, **state)).code == 1


FIELDS = {"model": ["plain", "both"], "practice": [True, False], "target": WORDS, "first": WORDS}


@holds_for(15, 150, i=st.integers(0, 5), name=st.sampled_from(list(FIELDS)), data=st.data())
def test_a_changed_plan_is_caught(
    whole: Recording, tmp_path: Path, i: int, name: str, data: st.DataObject
) -> None:
    plan = list(whole.events[0].plan)
    value = data.draw(st.sampled_from(FIELDS[name]).filter(lambda other: other != getattr(plan[i], name)))
    plan[i] = replace(plan[i], **{name: value})
    if name == "first" and (order := data.draw(st.permutations(range(6)))) != sorted(order):
        plan = [replace(plan[j], round=n) for n, j in enumerate(order, start=1)]  # in another order, too
    result = checked(tmp_path, whole, whole.changed(0, plan=plan))
    assert result.code in (1, 2)
    if result.code == 1:
        assert "the plan has" in result.message
        assert "expected" in result.message
        assert not {"plain", "both"} & set(result.message.split())  # whoever verifies logs is blind


def test_another_seed_and_another_participant_are_caught(whole: Recording, tmp_path: Path) -> None:
    head = whole.events[0]
    result = checked(tmp_path, whole, whole.changed(0, seed=8))
    assert "the seed is 8, but 7 in the study" in result.message
    for changes in (
        {"seed": 8, "study": head.study | {"seed": 8}},
        {"participant": "P02"},
        {"plan": head.plan[:-1]},
    ):
        assert checked(tmp_path, whole, whole.changed(0, **changes)).code in (1, 2), changes
    old = whole.changed(0, seed=8, software=head.software | {"numpy": "1.0"})
    assert checked(tmp_path, whole, old).notes[0].startswith("the log was written with numpy 1.0 (here ")


def test_a_log_under_another_participants_name_is_different(whole: Recording, tmp_path: Path) -> None:
    result = verify(whole.put(tmp_path, name="P02.yaml"))
    assert result.code == 1
    assert result.message.startswith("different: this is the log of P01, but the file is not named P01.yaml")


LONG = 5_000_000.0


def test_impossible_counts_and_times_are_caught(whole: Recording, tmp_path: Path) -> None:
    for kind, changes, message in (
        (ev.Finished, {"answers": 3}, "answers is 3 in the last event; expected 24"),
        (ev.Finished, {"found": 0}, "found is 0 in the last event; expected"),
        (ev.Finished, {"bonus": False}, "bonus is False in the last event; expected True"),
        (ev.Answered, {"rt_ms": LONG}, "'answer' took 5000000.0 ms, longer than the time there was"),
        (ev.Responded, {"rt_ms": LONG}, "'response' took 5000000.0 ms, longer than the time there was"),
        (ev.Rested, {"ms": LONG}, "'break' took 5000000.0 ms, longer than the time there was"),
        (ev.Read, {"ms": LONG}, "'instructions' took 5000000.0 ms, longer than the time there was"),
        (ev.Answered, {"delay_ms": LONG}, "delay_ms is 5000000.0, longer than the sitting so far"),
        (ev.Answered, {"delay_ms": 400.0}, "delay_ms is 400.0, but the study has a pause of 500 ms"),
        (ev.Responded, {"clock_ms": 3.5}, "to 3.5: no stopwatch does"),
        (ev.Finished, {"clock_ms": 0.0}, "to 0.0: no stopwatch does"),
        (ev.Started, {"clock_ms": 7.0}, "clock_ms is 7.0, but a sitting begins with 0"),
    ):
        place = whole.nth(kind)
        result = checked(tmp_path, whole, whole.changed(place, **changes))
        assert result.code == 1, changes
        assert message in result.message
        line = encode(whole.events[:place]).count(b"\n") + 1
        assert result.message.startswith(f"different: line {line}: "), changes


def test_a_study_that_needs_too_much_memory_is_refused(whole: Recording, tmp_path: Path) -> None:
    study = whole.events[0].study
    models = {name: model | {"samples": 1 << 24} for name, model in study["models"].items()}
    result = checked(tmp_path, whole, whole.changed(0, study=study | {"models": models}))
    assert result.code == 2
    assert "numbers in memory; 50,000,000 are allowed" in result.message
    assert not {"plain", "both"} & set(result.message.split())


def test_a_log_that_was_written_again_says_so_in_a_note(tmp_path: Path) -> None:
    sitting = open_sitting(recorded().study, tmp_path)
    sitting.record(ev.Consented(sitting.at()))
    (tmp_path / "P01.yaml").write_bytes(b"")
    sitting.record(ev.Left(sitting.at()))
    sitting.close()
    (tmp_path / "words.txt").write_text(VECTORS, encoding="utf-8")
    (note,) = verify(tmp_path / "P01.yaml").notes
    (aside,) = tmp_path.glob("P01.yaml.damaged-*")
    assert "another program changed this file during the session (cut short)" in note
    assert note.endswith(f"wrote it again, whole; {aside.name} has what was found")


# Floating point on other machines


def told(monkeypatch: pytest.MonkeyPatch, change: Any) -> None:
    """Let every learner's states be changed after an answer."""
    tell_each = learner.tell_each
    monkeypatch.setattr(learner, "tell_each", lambda *told: [change(state) for state in tell_each(*told)])


def test_a_near_tie_is_noted_and_a_question_that_lost_by_more_than_rounding_is_a_difference(
    whole: Recording, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        level = np.linspace(0, 1e-10, len(WORDS))
        told(patch, lambda state: replace(state, arm=len(WORDS) - 1, scores=level))
        result = checked(tmp_path, whole)
    assert result.code == 0
    assert result.notes
    assert all("near-tie: question" in note for note in result.notes)
    with monkeypatch.context() as patch:
        next_ = np.roll(np.arange(len(WORDS)), -1)
        told(patch, lambda state: replace(state, arm=next_[state.arm], scores=np.eye(6)[next_[state.arm]]))
        result = checked(tmp_path, whole)
    assert result.code == 1
    assert "(better by 1)" in result.message
