"""The questions of a round, worked out ahead of time.

An answer is yes or no, so while the participant thinks, a thread works out both next questions; when
the answer comes, the next question is there.  Headless sessions and screens ask through the same
object.  Torch is loaded in the thread, behind the first screen.
"""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import SettingError
from studyapp.session.events import Answered
from studyapp.study.plan import Round, learner_seed
from studyapp.study.study import LoadedStudy

if TYPE_CHECKING:
    from collections.abc import Callable

    from core import Learner, State

__all__ = ["Asked", "Questioner", "Questions"]


@dataclass(frozen=True)
class Asked:
    """A question, and what is known of how it came about."""

    word: str
    state: State
    compute_ms: float | None  # None where nothing had to be found out


class Questioner:
    """Makes the questions of a participant's rounds, all in one thread."""

    def __init__(self, loaded: LoadedStudy, participant: str) -> None:
        self._loaded = loaded
        self._participant = participant
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="questions")
        self._pool.submit(_warm_up)

    def begin(self, played: Round, answers: list[Answered]) -> Questions:
        """The questions of a round that may have been begun before."""
        return Questions(self._pool, self._learner, played, answers, self._loaded.vocabulary.words)

    def _learner(self, played: Round) -> Learner:
        from core import Learner

        study = self._loaded.study
        settings = study.settings(played.model, learner_seed(study.seed, self._participant, played))
        return Learner(self._loaded.features, **vars(settings))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _warm_up() -> None:
    import torch

    from core import learner  # noqa: F401

    torch.set_num_threads(1)  # a question is a few small matrices: more threads only wait for each other


class Questions:
    """One round: ``now`` is the question that is on, ``answer`` goes to the next.

    Making it begins the work, so make it some time before the first question is due.
    """

    def __init__(
        self,
        pool: ThreadPoolExecutor,
        make_learner: Callable[[Round], Learner],
        played: Round,
        answers: list[Answered],
        words: tuple[str, ...],
    ) -> None:
        self.played = played
        self._pool = pool
        self._words = words
        self._made = pool.submit(make_learner, played)
        self.now: Future[Asked] = pool.submit(self._replay, played, list(answers))
        self._next: Future[tuple[Asked, Asked]] | None = None

    def look_ahead(self) -> None:
        """Begin to work out what follows a no and a yes to the question that is on."""
        if self._next is None:
            self._next = self._pool.submit(self._both, self.now)

    def answer(self, yes: bool) -> None:
        """Go on to the question that follows this answer."""
        self.look_ahead()
        both, self._next = self._next, None
        assert both is not None
        self.now = self._pool.submit(lambda: both.result()[yes])

    def _both(self, now: Future[Asked]) -> tuple[Asked, Asked]:
        learner, asked = self._made.result(), now.result()
        began = time.perf_counter()
        no, yes = learner.tell_both(asked.state)
        ms = round(1000 * (time.perf_counter() - began), 2)
        return self._asked(no, ms), self._asked(yes, ms)

    def _asked(self, state: State, ms: float | None) -> Asked:
        return Asked(self._words[state.arm], state, ms)

    def _replay(self, played: Round, answers: list[Answered]) -> Asked:
        """The question after these answers; each must have been to the question that comes up again."""
        learner = self._made.result()
        state = learner.begin(self._words.index(played.first))
        for answer in answers:
            if self._words[state.arm] != answer.word:
                raise SettingError(
                    f"question {answer.question} of round {answer.round} was {answer.word!r} in the log, and "
                    f"would now be {self._words[state.arm]!r}; go on with the studyapp that wrote the log"
                )
            state = learner.tell_both(state)[answer.answer == "y"]
        return self._asked(state, None)
