"""What models are compared in: the reward, the targets found, and the time to find them.

A model earns more reward by asking about the target again and again, so it can be better in one outcome and
worse in another.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.kinds import Kinds
from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Pair, Sample
from studyapp.reporting.statistics import Array
from studyapp.reporting.wording import number

ROUNDING = 1e-9  # a difference this small is none


@dataclass(frozen=True)
class Outcome:
    """One outcome, and how it is said."""

    name: str  # in files
    title: str  # in a table, with the unit of a difference
    topic: str  # of a sentence
    registered: str  # in a registration
    does: str  # what the better model does
    more: str  # what it is: "... with A than with B"
    of_rounds: Callable[[Extract], Array]  # (R,), the value of every round
    more_is_better: bool = True
    unit: str = ""  # of a difference, in a sentence
    of_what: str = ""  # after a value
    scale: float = 1  # values are shown times this
    sign: str = ""
    digits: int = 2  # of a difference
    value_digits: int = 2

    def ahead(self, pair: Pair, difference: float) -> str | None:
        """The model of a pair that did better, from the first minus the second; None if they did the same."""
        if not abs(difference) > ROUNDING:
            return None
        return pair[0] if (difference > 0) == self.more_is_better else pair[1]

    def towards(self, pair: Pair, model: str) -> int:
        """1 if a positive difference means that this model of the pair is better; otherwise -1."""
        return 1 if (model == pair[0]) == self.more_is_better else -1

    def value(self, value: float) -> str:
        return f"{number(self.scale * value, self.value_digits)}{self.sign}"

    def size(self, difference: float) -> str:
        """A difference, without its unit."""
        return number(self.scale * difference, self.digits)

    def of_participants(self, sample: Sample, model: str) -> Array:
        """(P,), each participant's mean over rounds with a model."""
        return sample.by_participant(model, lambda session, rounds: self.of_rounds(session)[rounds].mean())

    def by_target(self, sample: Sample, model: str) -> Array:
        """(P, T), each participant's value with a target; NaN where there is no round."""
        cells: list[list[list[float]]] = [[[] for _ in sample.targets] for _ in sample.sessions]
        index = {target: i for i, target in enumerate(sample.targets)}
        for row, session in zip(cells, sample.sessions, strict=True):
            own = sample.rounds(session, model)
            for round_, counts, value in zip(session.plan, own, self.of_rounds(session), strict=True):
                if counts:
                    row[index[round_.target]].append(float(value))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # no round
            return np.array([[np.mean(cell) for cell in row] for row in cells])


def _time(session: Extract) -> Array:
    return np.nan_to_num(session.found_at, nan=session.study.questions)


OUTCOMES: Kinds[Outcome] = Kinds("outcome")
REWARD = OUTCOMES.add(
    Outcome(
        name="reward",
        title="reward",
        topic="Reward after {last} questions",
        registered="the cumulative reward after the last question",
        does="earns more",
        more="higher",
        of_rounds=lambda session: session.reward.sum(-1),
    )
)
FOUND = OUTCOMES.add(
    Outcome(
        name="found",
        title="targets found (%)",
        topic="Targets found",
        registered="the share of rounds in which the target was found",
        does="finds the target more often",
        more="more often",
        of_rounds=lambda session: np.isfinite(session.found_at).astype(float),
        unit=" percentage points",
        of_what=" of rounds",
        scale=100,
        sign=" %",
        digits=1,
        value_digits=1,
    )
)
TIME = OUTCOMES.add(
    Outcome(
        name="time_to_find",
        title="time (questions)",
        topic="Time to find the target",
        registered="the number of questions until the target was found",
        does="finds the target sooner",
        more="sooner",
        of_rounds=_time,
        more_is_better=False,
        unit=" questions",
        of_what=" questions",
        value_digits=1,
    )
)
