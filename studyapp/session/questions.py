"""The questions of a round, computed ahead of time.

An answer is yes or no, so a thread computes both possible next questions while the participant
thinks.  When the answer comes, the next question is ready.  Screens and simulated participants use the
same object.  The thread also loads what learners need, while the first screen is shown.

At a person's terminal, *every* model of the study computes every question, always in the same order, and
the question of the round's own model is used.  A process that has computed for longer is woken later by
a busy system, its fan runs faster, and its first question after a restart takes longer: equal work makes
the models alike in all of that, where hiding the differences one by one would not.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.errors import SettingError
from studyapp.session.events import Answered
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round, learner_seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from core import Learner, State


@dataclass(frozen=True)
class Asked:
    """A question, with the learner's state that chose it."""

    word: str
    state: State
    compute_ms: float | None  # None if nothing had to be computed
    at_work: tuple[State, ...]  # of every model that computes, ``state`` among them


def learner_of(loaded: LoadedStudy, participant: str, round_: Round) -> Learner:
    """The learner that asks the questions of a round."""
    study = loaded.study
    return loaded.learner(study.settings(round_.model, learner_seed(study.seed, participant, round_)))


class Questioner:
    """Computes the questions of a participant's rounds, all in one thread.

    With ``equal_work``, all models of the study compute every question; otherwise only the one that asks.
    """

    def __init__(self, loaded: LoadedStudy, participant: str, *, equal_work: bool) -> None:
        self._loaded = loaded
        self._participant = participant
        self._equal_work = equal_work
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="questions")
        self._pool.submit(warm_up)
        if equal_work:  # at a person's terminal: the first round must not take longer than the others
            self._pool.submit(self._make_learners)

    def _make_learners(self) -> None:
        for model in self._loaded.study.models:
            learner = self._loaded.learner(self._loaded.study.settings(model, seed=0))
            learner.tell_both(learner.begin(0))  # with thousands of words, the first question takes seconds

    def begin(self, round_: Round, answers: list[Answered]) -> Questions:
        """The questions of a round, continuing after these answers."""
        models = list(self._loaded.study.models) if self._equal_work else [round_.model]

        def learners() -> list[Learner]:
            rounds = (replace(round_, model=model) for model in models)
            return [learner_of(self._loaded, self._participant, one) for one in rounds]

        words = self._loaded.vocabulary.words
        return Questions(self._pool, learners, models.index(round_.model), round_, answers, words)

    def close(self) -> None:
        """Stop computing."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def warm_up() -> None:
    """Load what the learners need, which takes half a second the first time."""
    from core import learner  # noqa: F401


class Questions:
    """The questions of one round: ``now`` is the current one, ``answer`` moves to the next.

    The work starts when this is created, so create it some time before the first question is due.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        make_learners: Callable[[], list[Learner]],
        asking: int,  # which of the learners asks
        round_: Round,
        answers: list[Answered],
        words: tuple[str, ...],
    ) -> None:
        self.round = round_
        self._pool = pool
        self._asking = asking
        self._words = words
        self._learners = pool.submit(make_learners)
        self.now: Future[Asked] = pool.submit(self._replay, round_, list(answers))
        self._next: Future[tuple[Asked, Asked]] | None = None
        self.look_ahead()  # the first question needs no time, so there is time for the second

    def look_ahead(self) -> None:
        """Start to compute what follows a no and a yes to the current question."""
        if self._next is None:
            self._next = self._pool.submit(self._both, self.now)

    def answer(self, yes: bool) -> None:
        """Move to the question that follows this answer."""
        self.look_ahead()
        both, self._next = self._next, None
        assert both is not None
        self.now = self._pool.submit(lambda: both.result()[yes])

    def _both(self, now: Future[Asked]) -> tuple[Asked, Asked]:
        began = time.perf_counter()
        no, yes = self._tell_both(now.result().at_work)
        ms = round(1000 * (time.perf_counter() - began), 2)
        return self._asked(no, ms), self._asked(yes, ms)

    def _tell_both(self, states: tuple[State, ...]) -> tuple[tuple[State, ...], tuple[State, ...]]:
        """What follows a no and a yes, for every model."""
        told = [
            learner.tell_both(state) for learner, state in zip(self._learners.result(), states, strict=True)
        ]
        return self._same_question(no for no, _ in told), self._same_question(yes for _, yes in told)

    def _same_question(self, states: Iterable[State]) -> tuple[State, ...]:
        """The states, all of them with the question that the asking model chose."""
        each = tuple(states)
        return tuple(replace(state, arm=each[self._asking].arm) for state in each)

    def _asked(self, states: tuple[State, ...], ms: float | None) -> Asked:
        state = states[self._asking]
        return Asked(self._words[state.arm], state, ms, states)

    def _replay(self, round_: Round, answers: list[Answered]) -> Asked:
        """The question after these answers; the learner must ask again what the log says it asked."""
        states = tuple(learner.begin(self._words.index(round_.first)) for learner in self._learners.result())
        for answer in answers:
            expected = self._words[states[self._asking].arm]
            if expected != answer.word:
                raise SettingError(
                    f"question {answer.question} of round {answer.round} is {answer.word!r} in the log but "
                    f"would be {expected!r} now; resume with the studyapp that wrote the log"
                )
            states = self._tell_both(states)[answer.answer == "y"]
        return self._asked(states, None)
