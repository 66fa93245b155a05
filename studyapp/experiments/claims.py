"""What the paper says of its figures, and whether results bear it out.

A claim compares two sides at one step.  A side is a series of a run, or a sum of several with weights, so
that a gain (P-N less N-N) can stand on a side too; the right side may also be a given number.  Replications
of the same number have the same arms, target and luck, so sides are compared replication by replication:

    estimate    the mean of left minus right over the replications that every series of both sides has
    interval    its 95 % interval, by the t distribution

    above, below    supported if the whole interval lies on the claimed side of 0; not supported if all of it
                    lies on the other
    close           supported if the whole interval lies within plus or minus the margin, its ends included;
                    not supported if all of it lies beyond

and undecided otherwise: also with fewer than two replications, or where a series is missing.  A margin is
an amount, or a share of what the right side has on average.  Intervals are not corrected for the number of
claims.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from studyapp.experiments.measures import MEASURES
from studyapp.experiments.results import Results
from studyapp.reporting.statistics import mean_ci
from studyapp.reporting.wording import number

__all__ = [
    "RELATIONS",
    "SUPPORTED",
    "UNDECIDED",
    "UNSUPPORTED",
    "Claim",
    "Margin",
    "Side",
    "Term",
    "Verdict",
    "gain",
    "judge",
    "of",
    "stands_on",
    "table",
]

RELATIONS = ("above", "below", "close")
SUPPORTED, UNSUPPORTED, UNDECIDED = "supported", "not supported", "undecided"

NARROW = 80  # columns of a terminal in which a table must fit
INKS = {SUPPORTED: "green", UNSUPPORTED: "red", UNDECIDED: "yellow"}


@dataclass(frozen=True)
class Term:
    """A series of a run, and how often it counts."""

    run: str  # its label within the figure
    series: str
    weight: float = 1.0


Side = tuple[Term, ...]


def of(run: str, series: str) -> Side:
    """The side that is one series."""
    return (Term(run, series),)


def gain(run: str, series: str, over: str) -> Side:
    """The side that is what one series has more than another."""
    return (Term(run, series), Term(run, over, -1.0))


@dataclass(frozen=True)
class Margin:
    """How far apart is still close: an amount, or a share of what the right side has on average."""

    amount: float
    share: bool = False

    def beside(self, right: float) -> float:
        return self.amount * abs(right) if self.share else self.amount


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper, as a comparison."""

    text: str
    left: Side
    relation: str
    right: Side | float
    measure: str
    step: int  # as people count it: questions from 1, answers from 0
    margin: Margin | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS or self.measure not in MEASURES:
            raise ValueError(f"no such relation or measure: {self.relation}, {self.measure}")
        if (self.relation == "close") is not (self.margin is not None):
            raise ValueError("a margin belongs to 'close', and only there")

    @property
    def terms(self) -> Side:
        """Every series that the claim speaks of."""
        return self.left + (self.right if isinstance(self.right, tuple) else ())


@dataclass(frozen=True)
class Verdict:
    """What results say of a claim; what cannot be told is NaN."""

    claim: Claim
    estimate: float  # left minus right
    low: float
    high: float
    left: float  # its own mean, over the same replications
    right: float
    margin: float  # of a claim that two sides are close
    verdict: str
    differences: Mapping[int, float]  # left minus right, by replication

    @property
    def n(self) -> int:
        return len(self.differences)

    @property
    def digits(self) -> int:
        return MEASURES[self.claim.measure].digits

    @property
    def interval(self) -> str:
        if math.isnan(self.low):
            return number(self.low)
        return f"{number(self.low, self.digits)} to {number(self.high, self.digits)}"


def judge(claim: Claim, runs: Mapping[str, Results]) -> Verdict:
    """Compare the sides of a claim in results, which go by the labels of their runs."""
    numbers = _shared(claim, runs)
    left = _values(claim, claim.left, runs, numbers)
    if isinstance(claim.right, tuple):
        right = _values(claim, claim.right, runs, numbers)
    else:
        right = np.full(len(numbers), float(claim.right))
    if not numbers:
        nothing = math.nan
        return Verdict(claim, nothing, nothing, nothing, nothing, nothing, nothing, UNDECIDED, {})
    differences = left - right
    found = mean_ci(differences)
    low, high = float(found.low), float(found.high)
    margin = claim.margin.beside(float(right.mean())) if claim.margin else math.nan
    return Verdict(
        claim=claim,
        estimate=float(found.mean),
        low=low,
        high=high,
        left=float(left.mean()),
        right=float(right.mean()),
        margin=margin,
        verdict=_decided(claim.relation, low, high, margin),
        differences=dict(zip(numbers, differences.tolist(), strict=True)),
    )


def _shared(claim: Claim, runs: Mapping[str, Results]) -> list[int]:
    """The replications that every series of both sides has, up to the step."""
    shared: set[int] | None = None
    for term in claim.terms:
        results = runs.get(term.run)
        records = results.records.get(term.series, {}) if results else {}
        measure = MEASURES[claim.measure]
        there = {
            number
            for number, record in records.items()
            if 0 <= claim.step - measure.first < len(measure.take(record))
        }
        shared = there if shared is None else shared & there
    return sorted(shared or ())


def _values(claim: Claim, side: Side, runs: Mapping[str, Results], numbers: list[int]) -> NDArray[np.float64]:
    """What a side has in each of these replications."""
    total = np.zeros(len(numbers))
    measure = MEASURES[claim.measure]
    for term in side if numbers else ():
        values = measure.values(runs[term.run], term.series, numbers)
        total += term.weight * values[:, claim.step - measure.first]
    return total


def _decided(relation: str, low: float, high: float, margin: float) -> str:
    if relation == "close":
        supported, refuted = -margin <= low and high <= margin, low > margin or high < -margin
    elif relation == "above":
        supported, refuted = low > 0, high < 0
    else:
        supported, refuted = high < 0, low > 0
    # No comparison with NaN holds, so an interval that cannot be told decides nothing.
    return SUPPORTED if supported else UNSUPPORTED if refuted else UNDECIDED


def stands_on(converged: Verdict, published: Verdict) -> str:
    """What a claim owes its support to, when it was judged under both fits.

    the method      supported under both
    neither         not supported under both
    the optimiser   supported under one of them only, where the other does not support it, or leaves it
                    undecided with estimates that differ: the 95 % interval of their difference, replication
                    by replication, is on one side of 0
    open            otherwise
    """
    both = {converged.verdict, published.verdict}
    if both == {SUPPORTED}:
        return "the method"
    if both == {UNSUPPORTED}:
        return "neither"
    if both == {SUPPORTED, UNSUPPORTED} or (SUPPORTED in both and _differ(converged, published)):
        return "the optimiser"
    return "open"


def _differ(one: Verdict, other: Verdict) -> bool:
    shared = sorted(set(one.differences) & set(other.differences))
    found = mean_ci(np.array([one.differences[i] - other.differences[i] for i in shared]))
    return bool(found.low > 0 or found.high < 0)


def table(verdicts: Iterable[Verdict]) -> Table:
    """The verdicts for a terminal of 80 columns: each claim, and below it what was found by each measure."""
    found = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", width=NARROW)
    found.add_column("claim", ratio=1, overflow="fold")
    found.add_column("estimate", justify="right", no_wrap=True)
    found.add_column("95 % interval", justify="right", no_wrap=True, min_width=16)
    found.add_column("verdict", no_wrap=True, min_width=len(UNSUPPORTED))
    last = None
    for each in verdicts:
        if each.claim.text != last:
            found.add_row(Text(each.claim.text))
        last = each.claim.text
        found.add_row(
            Text(f"  {each.claim.measure}", style="dim"),
            Text(number(each.estimate, each.digits)),
            Text(each.interval),
            Text(each.verdict, style=INKS[each.verdict]),
        )
    return found
