"""Replay: the questions of a session, asked again by the same learners from the answers in the log.

A learner is a pure function of its settings, seed and history, so a log needs no stored state.  The learner
goes on with the question and the answer of the log, whether or not it would have asked that question itself.
Floating point differs in its last digits between machines, so a question that won by less than 1e-9 may come
out differently: that is a near-tie, and no difference.

Rounds of the same model are replayed together: a fit takes little longer for twenty rounds than for one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.rewards import LEAST, MOST
from core.thompson import numbers_held
from core.version import same_digest
from studyapp.session.events import Answered
from studyapp.session.questions import learner_of
from studyapp.session.saved import SavedSession
from studyapp.session.session import Session
from studyapp.session.verdict import DifferentError, Replayed
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

if TYPE_CHECKING:
    from core import State

NEAR_TIE = 1e-9  # scores closer than this, relative to their size, may win or lose by rounding
MOST_NUMBERS = 4_000_000  # that rounds replayed together may hold at once: 32 MB


def _asked_again(
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


class Replay:
    """Compares every question of a session with its replay.

    The questions of an imported session were asked elsewhere: nothing is known of its learner's states, and
    neither the first questions nor those of models that draw random numbers have to come out the same.
    """

    def __init__(self, opened: SavedSession, loaded: LoadedStudy) -> None:
        self._opened = opened
        self._loaded = loaded
        self.session = opened.session
        self._imported = self.session.started.imported is not None
        self.rounds = [round_ for round_ in self.session.plan if self._is_replayed(round_)]
        self.rederived = 0  # answers before the first difference
        self.models: dict[str, Replayed] = {}
        self.notes: list[str] = []  # near-ties

    def _is_replayed(self, round_: Round) -> bool:
        return bool(self.session.answers_in(round_)) and self.session.took_place(round_)

    @property
    def agreed(self) -> int:
        """How many questions after the first of each round came out the same."""
        return sum(model.rederived for model in self.models.values())

    def run(self) -> None:
        """Raises a DifferentError at the first question, state or reward in the log that must be another."""
        models = self._loaded.study.models
        draws = {model: self._loaded.study.settings(model, seed=0).draws for model in models}
        asked: Counter[str] = Counter()
        agreed: Counter[str] = Counter()
        problems: dict[int, str] = {}  # by line: rounds are not replayed in the order of the log
        ties: dict[int, str] = {}
        for round_, answer, state in _asked_again(self.session, self._loaded, self.rounds):
            line, model = self._opened.line(answer), round_.model
            other = self._other_question(answer, state)
            free = self._imported and (answer.question == 1 or draws[model])
            if answer.question > 1:
                asked[model] += 1
                agreed[model] += other is None or (other.near_tie and not free)
            if other and not free:
                if not other.near_tie:
                    problems[line] = other.text
                    continue
                ties[line] = f"line {line}: near-tie: {other.text}"
                state = replace(state, arm=self._loaded.vocabulary.index(answer.word))
            if problem := self._state_problem(state, answer) or self._reward_problem(round_, answer):
                problems[line] = problem
        self.models = {
            model: Replayed(asked[model], agreed[model], draws[model]) for model in models if asked[model]
        }
        first = min(problems, default=None)
        answers = self.session.answers
        self.rederived = sum(first is None or self._opened.line(answer) < first for answer in answers)
        self.notes = [ties[line] for line in sorted(ties)]
        if first is not None:
            raise DifferentError(first, problems[first])

    def _other_question(self, answer: Answered, state: State) -> _Other | None:
        """How the question that a state asks differs from the log's; None if it does not."""
        words = self._loaded.vocabulary
        expected, asked = words.words[state.arm], words.index(answer.word)
        if answer.word == expected:
            return None
        behind = state.scores[state.arm] - state.scores[asked]
        text = f"{_wording(answer)} is {answer.word!r}"
        if answer.question > 1 and behind <= NEAR_TIE * (1.0 + abs(state.scores).max()):
            return _Other(f"{text}; here {expected!r} wins by {behind:.1e}", near_tie=True)
        return _Other(f"{text}; expected {expected!r} (better by {behind:.3g})", near_tie=False)

    def _state_problem(self, state: State, answer: Answered) -> str | None:
        if answer.digest is None:  # imported
            return None
        if not same_digest(answer.digest, state.digest):
            return f"the learner's state at {_wording(answer)} is {answer.digest}; expected {state.digest}"
        if answer.converged != state.fit.converged:
            words = {True: "converged", False: "not converged", None: "not known"}
            problem = f"the fit at {_wording(answer)} is {words[answer.converged]}"
            return f"{problem}; expected {words[state.fit.converged]}"
        return None

    def _reward_problem(self, round_: Round, answer: Answered) -> str | None:
        # An imported table may have 1 for the target's own reward, or clamp it as studyapp does.
        reward = min(max(answer.reward, LEAST), MOST) if self._imported else answer.reward
        if self._loaded.is_reward(reward, round_.target, answer.word):
            return None
        expected = self._loaded.reward(round_.target, answer.word)
        return f"the reward of {_wording(answer)} is {answer.reward}; expected {expected}"


@dataclass(frozen=True)
class _Other:
    """The replay asks another question than the log."""

    text: str  # for a message
    near_tie: bool  # could rounding explain it?


def _wording(answer: Answered) -> str:
    """A question, for a message."""
    return f"question {answer.question} of round {answer.round}"
