"""The questions of a round, computed ahead of time.

An answer is yes or no, so a thread computes both possible next questions while the participant
thinks.  When the answer comes, the next question is ready.  Screens and simulated participants use the
same object.  The thread also loads torch, while the first screen is shown.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from core.errors import SettingError
from studyapp.session.events import Answered
from studyapp.study.plan import Round, learner_seed
from studyapp.study.study import LoadedStudy

if TYPE_CHECKING:
    from collections.abc import Callable

    from core import Learner, State

__all__ = ["Asked", "Questioner", "Questions", "learner_of"]


@dataclass(frozen=True)
class Asked:
    """A question, with the learner's state that chose it."""

    word: str
    state: State
    compute_ms: float | None  # None if nothing had to be computed


def learner_of(loaded: LoadedStudy, participant: str, round_: Round) -> Learner:
    """The learner that asks the questions of a round."""
    from core import Learner

    study = loaded.study
    settings = study.settings(round_.model, learner_seed(study.seed, participant, round_))
    return Learner(loaded.features, **vars(settings))


class Questioner:
    """Computes the questions of a participant's rounds, all in one thread."""

    def __init__(self, loaded: LoadedStudy, participant: str) -> None:
        self._loaded = loaded
        self._participant = participant
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="questions")
        self._pool.submit(_warm_up)

    def begin(self, round_: Round, answers: list[Answered]) -> Questions:
        """The questions of a round, continuing after these answers."""
        make_learner = partial(learner_of, self._loaded, self._participant)
        return Questions(self._pool, make_learner, round_, answers, self._loaded.vocabulary.words)

    def close(self) -> None:
        """Stop computing."""
        self._pool.shutdown(wait=False, cancel_futures=True)


def _warm_up() -> None:
    import torch

    from core import learner  # noqa: F401

    torch.set_num_threads(1)  # matrices are small: more threads would only wait for each other


class Questions:
    """The questions of one round: ``now`` is the current one, ``answer`` moves to the next.

    The work starts when this is created, so create it some time before the first question is due.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        make_learner: Callable[[Round], Learner],
        round_: Round,
        answers: list[Answered],
        words: tuple[str, ...],
    ) -> None:
        self.round = round_
        self._pool = pool
        self._words = words
        self._learner = pool.submit(make_learner, round_)
        self.now: Future[Asked] = pool.submit(self._replay, round_, list(answers))
        self._next: Future[tuple[Asked, Asked]] | None = None

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
        learner, asked = self._learner.result(), now.result()
        began = time.perf_counter()
        no, yes = learner.tell_both(asked.state)
        ms = round(1000 * (time.perf_counter() - began), 2)
        return self._asked(no, ms), self._asked(yes, ms)

    def _asked(self, state: State, ms: float | None) -> Asked:
        return Asked(self._words[state.arm], state, ms)

    def _replay(self, round_: Round, answers: list[Answered]) -> Asked:
        """The question after these answers; the learner must ask again what the log says it asked."""
        learner = self._learner.result()
        state = learner.begin(self._words.index(round_.first))
        for answer in answers:
            if self._words[state.arm] != answer.word:
                raise SettingError(
                    f"question {answer.question} of round {answer.round} is {answer.word!r} in the log but "
                    f"would be {self._words[state.arm]!r} now; resume with the studyapp that wrote the log"
                )
            state = learner.tell_both(state)[answer.answer == "y"]
        return self._asked(state, None)
