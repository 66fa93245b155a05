"""Replay: the questions of a session, asked again by the same learners from the answers in the log.

A learner is a pure function of its settings, seed and history, so a log needs no stored state.  The learner
goes on with the question and the answer of the log, whether or not it would have asked that question itself.
Floating point differs in its last digits between machines, so a question that won by less than 1e-9 may come
out differently: that is a near-tie, and no difference.

Rounds of the same model are replayed together: a fit takes little longer for twenty rounds than for one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.thompson import numbers_held
from studyapp.session.events import Answered
from studyapp.session.questions import learner_of
from studyapp.session.session import Session
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

if TYPE_CHECKING:
    from core import State

__all__ = ["Other", "asked_again", "other_question", "wording"]

NEAR_TIE = 1e-9  # scores closer than this, relative to their size, may win or lose by rounding
MOST_NUMBERS = 4_000_000  # that rounds replayed together may hold at once: 32 MB


def asked_again(
    session: Session, loaded: LoadedStudy, rounds: Sequence[Round]
) -> Iterator[tuple[Round, Answered, State]]:
    """Every answered question of these rounds, with the state whose question it should be; in any order."""
    for model in loaded.study.models:
        own = [round_ for round_ in rounds if round_.model == model and session.answers_in(round_)]
        size = _together(loaded, model)
        for begin in range(0, len(own), size):
            yield from _asked_together(session, loaded, own[begin : begin + size])


def _together(loaded: LoadedStudy, model: str) -> int:
    """How many rounds of a model are replayed at once."""
    settings, (words, features) = loaded.study.settings(model, seed=0), loaded.features.shape
    spans = words * features * 2**settings.horizon  # at most: what the fits of all trajectories work in
    numbers = int(max(spans, numbers_held(words, features, settings.samples)))
    return max(1, MOST_NUMBERS // numbers)


def _asked_together(
    session: Session, loaded: LoadedStudy, rounds: Sequence[Round]
) -> Iterator[tuple[Round, Answered, State]]:
    from core.learner import tell_each

    words = loaded.vocabulary
    answers = [session.answers_in(round_) for round_ in rounds]
    learners = [learner_of(loaded, session.started.participant, round_) for round_ in rounds]
    states = [
        learner.begin(words.index(round_.first)) for learner, round_ in zip(learners, rounds, strict=True)
    ]
    for number in range(max(map(len, answers))):
        for i, round_ in enumerate(rounds):
            if number < len(answers[i]):
                yield round_, answers[i][number], states[i]
        on = [i for i in range(len(rounds)) if number + 1 < len(answers[i])]
        if on:
            now = [answers[i][number] for i in on]
            told = tell_each(
                [learners[i] for i in on],
                [replace(states[i], arm=words.index(answer.word)) for i, answer in zip(on, now, strict=True)],
                [int(answer.answer == "y") for answer in now],
            )
            for i, state in zip(on, told, strict=True):
                states[i] = state


@dataclass(frozen=True)
class Other:
    """The replay asks another question than the log."""

    text: str  # for a message
    near_tie: bool  # could rounding explain it?


def other_question(loaded: LoadedStudy, answer: Answered, state: State) -> Other | None:
    """How the question that a state asks differs from the log's; None if it does not."""
    expected, asked = loaded.vocabulary.words[state.arm], loaded.vocabulary.index(answer.word)
    if answer.word == expected:
        return None
    behind = state.scores[state.arm] - state.scores[asked]
    text = f"{wording(answer)} is {answer.word!r}"
    if answer.question > 1 and behind <= NEAR_TIE * (1.0 + abs(state.scores).max()):
        return Other(f"{text}; here {expected!r} wins by {behind:.1e}", near_tie=True)
    return Other(f"{text}; expected {expected!r} (better by {behind:.3g})", near_tie=False)


def wording(answer: Answered) -> str:
    """A question, for a message."""
    return f"question {answer.question} of round {answer.round}"
