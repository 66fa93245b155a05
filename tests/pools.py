"""Pools of 10 people from known populations: how often is the safe number of participants enough?

``python tests/pools.py`` prints a table: for every population, the participants that the goal really takes;
the share of pools with a safe number; the share in which it is too small; and the share in which the estimate
is too small.  ``python tests/pools.py DIR`` adds the sessions of a folder.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy import stats

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]  # it may be run from anywhere

import published  # noqa: E402

from studyapp.analysis.power import participants_for, safe_number  # noqa: E402

__all__ = ["POPULATIONS", "Measured", "people_like", "pools_from", "published_people"]

PEOPLE = 10  # in a pool
STUDIES = 20_000
LARGEST = 250  # participants in a study

Array = np.ndarray
Draw = Callable[[np.random.Generator, tuple[int, int]], Array]


@dataclass(frozen=True)
class Population:
    """Differences of people in standard deviations, without their mean."""

    name: str
    noise: Draw

    def draw(self, effect: float, seed: int, shape: tuple[int, int]) -> Array:
        return effect + self.noise(np.random.default_rng(seed), shape)


@dataclass(frozen=True)
class Measured:
    """Shares of pools."""

    with_number: float  # that have a safe number
    too_small: float  # whose safe number is too small
    estimate_too_small: float


def gamma(skewness: float) -> Draw:
    """A gamma distribution with this skewness; if it is negative, with a long tail against the effect."""
    shape = 4 / skewness**2
    return lambda rng, size: np.sign(skewness) * (rng.gamma(shape, 1, size) - shape) / np.sqrt(shape)


def shares(rng: np.random.Generator, size: tuple[int, int]) -> Array:
    """The difference in how many of 19 targets two models found."""
    found = rng.binomial(19, 0.85, (2, *size))
    return np.asarray((found[0] - found[1]) / np.sqrt(2 * 19 * 0.85 * 0.15))


POPULATIONS = {
    "normal": Population("normal", lambda rng, size: rng.normal(0, 1, size)),
    "uniform": Population("uniform", lambda rng, size: rng.uniform(-np.sqrt(3), np.sqrt(3), size)),
    "heavy tails": Population(
        "heavy tails (t, 5 df)", lambda rng, size: rng.standard_t(5, size) / np.sqrt(5 / 3)
    ),
    "shares": Population("shares of 19 targets", shares),
    "skewed for": Population("skewed, skewness +1", gamma(1.0)),
    "skewed against": Population("skewed, skewness -0.7", gamma(-0.7)),
    "more skewed": Population("skewed, skewness -1", gamma(-1.0)),
    "very skewed": Population("skewed, skewness -2", gamma(-2.0)),
}


def people_like(name: str, differences: Array) -> Population:
    """People drawn with replacement from these, whose effect is replaced."""
    values = (differences - differences.mean()) / differences.std()
    return Population(name, lambda rng, size: rng.choice(values, size))


def published_people() -> dict[str, Array]:
    """The differences of the published participants, mixture minus naive, in the direction of the effect."""
    rows = [row for row in published.rows() if row["practice"] == "false"]
    outcomes: dict[tuple[str, str], list[tuple[float, float, float]]] = {}
    rounds: dict[tuple[str, str, str], list[dict[str, str]]] = {}
    for row in rows:
        rounds.setdefault((row["participant"], row["model"], row["round"]), []).append(row)
    for (participant, model, _), answers in rounds.items():
        asked = [row["word"] for row in answers]
        target = answers[0]["target"]
        found = target in asked
        reward = sum(float(row["reward"]) for row in answers)
        at = asked.index(target) + 1 if found else len(asked) + 1
        outcomes.setdefault((participant, model), []).append((reward, found, at))
    means = {key: np.mean(values, axis=0) for key, values in outcomes.items()}
    people = sorted({participant for participant, _ in means})
    differences = np.array([means[person, "mixture"] - means[person, "naive"] for person in people])
    signed = differences * np.sign(differences.mean(0))
    return dict(zip(("reward", "found", "time"), signed.T, strict=True))


def really_needed(population: Population, effect: float, goal: float) -> int:
    """The participants that reach a goal in this population, from simulated studies and the t-test."""
    people = population.draw(effect, 1, (STUDIES, LARGEST))
    n = np.arange(1, LARGEST + 1)
    mean, squares = people.cumsum(1) / n, (people**2).cumsum(1) / n
    with np.errstate(all="ignore"):
        t = mean / np.sqrt((squares - mean**2) / (n - 1))
        significant = t > stats.t.isf(0.025, n - 1)
    below = np.flatnonzero(significant.mean(0) < goal)
    return int(below[-1]) + 2  # sizes begin at 1


def pools_from(population: Population, effect: float, goal: float, pools: int) -> Measured:
    people = population.draw(effect, 2, (pools, PEOPLE))
    d_z = people.mean(1) / people.std(1, ddof=1)
    needed = really_needed(population, effect, goal)
    safe = [safe_number(float(value), PEOPLE, goal) for value in d_z]
    estimates = [participants_for(float(value), goal) for value in d_z]
    return Measured(
        with_number=float(np.mean([number is not None for number in safe])),
        too_small=float(np.mean([number is not None and number < needed for number in safe])),
        estimate_too_small=float(np.mean([number is not None and number < needed for number in estimates])),
    )


def table(populations: list[Population], pools: int) -> None:
    for population in populations:
        for effect in (0.3, 0.5, 0.8, 1.2) if population.name == "normal" else (0.5, 0.8, 1.2):
            for goal in (0.8, 0.9):
                needed = really_needed(population, effect, goal)
                measured = pools_from(population, effect, goal, pools)
                print(
                    f"{population.name:32} d_z {effect:.1f}  {goal:.0%} power: {needed:3} needed;",
                    f"safe number in {measured.with_number:6.1%} of pools, too small in",
                    f"{measured.too_small:5.1%}; estimate too small in {measured.estimate_too_small:5.1%}",
                    flush=True,
                )


def folder_people(folder: Path) -> list[Population]:
    from studyapp.analysis.gather import gather
    from studyapp.analysis.outcomes import OUTCOMES
    from studyapp.analysis.sample import Sample

    sample = Sample(gather(folder).sessions)
    return [
        people_like(
            f"{one} - {other}, {outcome.name}",
            sign * (outcome.of_participants(sample, one) - outcome.of_participants(sample, other)),
        )
        for one, other in sample.pairs
        for outcome in OUTCOMES
        for sign in (1, -1)
    ]


if __name__ == "__main__":
    table(list(POPULATIONS.values()), 2_000)
    if published.SESSIONS.exists():
        table(
            [people_like(f"published {name}", values) for name, values in published_people().items()], 2_000
        )
    for argument in sys.argv[1:]:
        table(folder_people(Path(argument)), 500)
