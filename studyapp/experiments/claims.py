"""Claims of the paper about its figures, and whether results support them.

A claim compares two sides at one step.  A side is a series of a run, or a weighted sum of several, so that a
gain (P-N minus N-N) can be a side too; the right side may also be a plain number.  Replications with the same
number share their arms, target and luck, so sides are compared replication by replication:

    estimate    the mean of left minus right over the replications that every series of both sides has
    interval    its 95 % interval, from the t distribution

    above, below    supported if the whole interval is on the claimed side of 0; not supported if all of it is
                    on the other side
    close           supported if the whole interval is within plus or minus the margin, its ends included;
                    not supported if all of it is outside
    typical         the right side is a number that was observed once, in a study of the same size as a
                    replication.  The interval is that of one more replication, not of the mean: supported if
                    it includes the number, not supported if it does not

Everything else is undecided, including fewer than two replications or a missing series.  A margin is an
amount, or a share of the right side's mean.  Intervals are not corrected for the number of claims.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text
from scipy import stats

from studyapp.experiments.designs.design import Measure
from studyapp.experiments.store import Results
from studyapp.reporting.statistics import mean_ci
from studyapp.reporting.wording import number

RELATIONS = ("above", "below", "close", "typical")
SUPPORTED, UNSUPPORTED, UNDECIDED = "supported", "not supported", "undecided"

# What a claim comes to when both fits are compared.
BOTH_FITS, OPTIMISER, NEITHER_FIT = "holds under both fits", "depends on the optimiser", "holds under neither"
ACROSS_FITS = (BOTH_FITS, OPTIMISER, NEITHER_FIT, UNDECIDED)

TERMINAL_WIDTH = 80  # columns that a table must fit in
INKS = {SUPPORTED: "green", UNSUPPORTED: "red", UNDECIDED: "yellow"}


@dataclass(frozen=True)
class Term:
    """A series of a run, with its weight in a side."""

    run: str  # its label within the figure
    series: str
    weight: float = 1.0


Side = tuple[Term, ...]


@dataclass(frozen=True)
class Margin:
    """How far apart two sides may be and still be close: an amount, or a share of the right side's mean."""

    amount: float
    share: bool = False

    def around(self, right: float) -> float:
        return self.amount * abs(right) if self.share else self.amount


@dataclass(frozen=True)
class Claim:
    """One sentence of the paper, as a comparison."""

    text: str
    left: Side
    relation: str
    right: Side | float
    measure: Measure
    step: int  # as people count: questions from 1, answers from 0
    margin: Margin | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"no such relation: {self.relation}")
        if (self.relation == "close") is not (self.margin is not None):
            raise ValueError("'close' needs a margin, and nothing else may have one")
        if self.relation == "typical" and isinstance(self.right, tuple):
            raise ValueError("'typical' is about a number")

    @property
    def terms(self) -> Side:
        """Every series in the claim."""
        return self.left + (self.right if isinstance(self.right, tuple) else ())

    @property
    def where(self) -> str:
        """The measure, and the step at which it is compared."""
        measure = self.measure
        return f"{measure.name}, {measure.step} {self.step}" if measure.step else measure.name


@dataclass(frozen=True)
class Verdict:
    """What results say about a claim; numbers that can't be computed are NaN."""

    claim: Claim
    estimate: float  # left minus right
    low: float
    high: float
    left: float  # the mean of the left side, over the same replications
    right: float
    margin: float  # for a claim that two sides are close
    verdict: str
    differences: Mapping[int, float]  # left minus right, by replication

    @property
    def n(self) -> int:
        return len(self.differences)

    @property
    def digits(self) -> int:
        return self.claim.measure.digits

    @property
    def interval(self) -> str:
        if math.isnan(self.low):
            return number(self.low)
        return f"{number(self.low, self.digits)} to {number(self.high, self.digits)}"


def judge(claim: Claim, runs: Mapping[str, Results]) -> Verdict:
    """Compare the two sides of a claim in the results of its figure's runs, given by label."""
    numbers = _shared(claim, runs)
    if not numbers:
        nothing = math.nan
        return Verdict(claim, nothing, nothing, nothing, nothing, nothing, nothing, UNDECIDED, {})
    left = _values(claim, claim.left, runs, numbers)
    if isinstance(claim.right, tuple):
        right = _values(claim, claim.right, runs, numbers)
    else:
        right = np.full(len(numbers), float(claim.right))
    differences = left - right
    estimate = mean_ci(differences)
    low, high = float(estimate.low), float(estimate.high)
    if claim.relation == "typical":
        low, high = _one_more(differences)
    margin = claim.margin.around(float(right.mean())) if claim.margin else math.nan
    return Verdict(
        claim=claim,
        estimate=float(estimate.mean),
        low=low,
        high=high,
        left=float(left.mean()),
        right=float(right.mean()),
        margin=margin,
        verdict=_decided(claim.relation, low, high, margin),
        differences=dict(zip(numbers, differences.tolist(), strict=True)),
    )


def _shared(claim: Claim, runs: Mapping[str, Results]) -> list[int]:
    """The replications that every series of both sides has, up to the step of the claim."""
    measure = claim.measure
    shared: set[int] | None = None
    for term in claim.terms:
        results = runs.get(term.run)
        records = results.records.get(term.series, {}) if results else {}
        numbers = {
            number
            for number, record in records.items()
            if 0 <= claim.step - measure.first < len(measure.take(record))
        }
        shared = numbers if shared is None else shared & numbers
    return sorted(shared or ())


def _values(
    claim: Claim, terms: Side, runs: Mapping[str, Results], numbers: list[int]
) -> NDArray[np.float64]:
    """The value of a side in each of these replications."""
    total = np.zeros(len(numbers))
    for term in terms:
        values = runs[term.run].values(term.series, claim.measure, numbers)
        total += term.weight * values[:, claim.step - claim.measure.first]
    return total


def _one_more(values: NDArray[np.float64]) -> tuple[float, float]:
    """The 95 % interval of one more value like these, if they are normal; NaN if there are too few."""
    count = len(values)
    if count < 2:
        return math.nan, math.nan
    half = stats.t.ppf(0.975, count - 1) * values.std(ddof=1) * math.sqrt(1 + 1 / count)
    return float(values.mean() - half), float(values.mean() + half)


def _decided(relation: str, low: float, high: float, margin: float) -> str:
    if relation == "close":
        supported, refuted = -margin <= low and high <= margin, low > margin or high < -margin
    elif relation == "typical":
        supported, refuted = low <= 0 <= high, low > 0 or high < 0
    elif relation == "above":
        supported, refuted = low > 0, high < 0
    else:
        supported, refuted = high < 0, low > 0
    # Comparisons with NaN are false, so an unknown interval decides nothing.
    return SUPPORTED if supported else UNSUPPORTED if refuted else UNDECIDED


def across_fits(converged: Verdict, published: Verdict) -> str:
    """What a claim comes to when it was judged under both fits.

    holds under both fits       supported under both
    holds under neither         not supported under both
    depends on the optimiser    supported under one only; under the other it is not supported, or undecided
                                with a different estimate: the 95 % interval of the difference between the
                                fits, replication by replication, excludes 0
    undecided                   otherwise
    """
    verdicts = {converged.verdict, published.verdict}
    if verdicts == {SUPPORTED}:
        return BOTH_FITS
    if verdicts == {UNSUPPORTED}:
        return NEITHER_FIT
    if verdicts == {SUPPORTED, UNSUPPORTED} or (SUPPORTED in verdicts and _differ(converged, published)):
        return OPTIMISER
    return UNDECIDED


def _differ(one: Verdict, other: Verdict) -> bool:
    shared = sorted(set(one.differences) & set(other.differences))
    estimate = mean_ci(np.array([one.differences[i] - other.differences[i] for i in shared]))
    return bool(estimate.low > 0 or estimate.high < 0)


def table(verdicts: Iterable[Verdict]) -> Table:
    """Verdicts for a terminal of 80 columns: each claim, then one row per measure."""
    rows = Table(box=None, padding=(0, 1, 0, 0), header_style="bold", width=TERMINAL_WIDTH)
    rows.add_column("claim", ratio=1, overflow="fold")
    rows.add_column("estimate", justify="right", no_wrap=True)
    rows.add_column("95 % interval", justify="right", no_wrap=True, min_width=16)
    rows.add_column("verdict", no_wrap=True, min_width=len(UNSUPPORTED))
    text = None
    for verdict in verdicts:
        if verdict.claim.text != text:
            text = verdict.claim.text
            rows.add_row(Text(text))
        rows.add_row(
            Text(f"  {verdict.claim.measure.name}", style="dim"),
            Text(number(verdict.estimate, verdict.digits)),
            Text(verdict.interval),
            Text(verdict.verdict, style=INKS[verdict.verdict]),
        )
    return rows
