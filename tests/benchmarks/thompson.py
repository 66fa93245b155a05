"""Estimates of what a Thompson sampling learner asks next: error against brute force, and cost, side by side.

    python tests/benchmarks/thompson.py            everything, in some minutes
    python tests/benchmarks/thompson.py 100        only what has so many arms

What matters to a planning teacher model is Q(1) - Q(0), times beta = 20.  Its error is shown for the
published estimate (1,000 independent Rao-Blackwellised draws for either answer), for its parts, and for
what ``core`` does.  Histories are simulated; the truth has 10^6 draws per posterior.  The last column is the
time for both answers; the draws from the prior are made once per learner and are not timed.

The last line of each table says how many arms could be left out: those that are the best one with a
probability of at most 0.001 in all, bounded by comparing each with the arm of the highest mean.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

import studyapp  # noqa: F401 (one thread; before NumPy)

# isort: split
import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from core import Learner, Vocabulary
from core.likelihoods import Evidence
from core.posterior import Posterior, fit_naive
from core.rewards import clamped, weights
from core.thompson import (
    PriorDraws,
    best_arm,
    count_winners,
    normal_points,
    rao_blackwell,
    winners_and_heights,
)

BETA = 20.0
TAU = 2.0
BRUTE = 1_000_000
NEGLIGIBLE = 1e-3

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A question in a simulated round: the naive posteriors after a no and a yes, and the truth."""

    arms: Array  # (2, K, M)
    posterior: Posterior  # a batch of two
    theta: Array  # (M,), what the teacher has in mind


Estimate = Callable[[Case, int], Array]  # S (2, M), from a case and a seed


def case(X: np.ndarray, theta: np.ndarray, number: int, answers: int) -> Case:
    rng = np.random.default_rng(number)
    learner = Learner(X, teacher="naive", seed=number)
    state = learner.begin(int(rng.integers(len(X))))
    for draw in rng.random(answers):
        state = learner.tell(state, int(draw < 1.0 / (1.0 + np.exp(-X[state.arm] @ theta))))
    asked = [arm for arm, _ in state.history] + [state.arm]
    signs_so_far = [2.0 * answer - 1.0 for _, answer in state.history]
    features = np.stack([X[asked], X[asked]])
    signs = np.array([[*signs_so_far, -1.0], [*signs_so_far, 1.0]])
    posterior = fit_naive(Evidence.without_plans(features, signs), TAU, np.zeros((2, 1, X.shape[1])))
    return Case(np.broadcast_to(X, (2, *X.shape)), posterior, theta)


def study_cases(K: int, count: int) -> list[Case]:
    """Words with as many features: those of the study, or frequent ones."""
    if K == 20:
        X = Vocabulary.load("study20").features()
    else:
        vocabulary = Vocabulary.load("words10k")
        X = Vocabulary(vocabulary.words[:K], vocabulary.vectors[:K]).features()
    theta = weights(X, clamped(X[:count]))
    return [case(X, theta[t], t, t % 15) for t in range(count)]


def simulation_cases(K: int) -> list[Case]:
    """K arms of the Word data, with the constant, as in the simulated experiments."""
    words = Vocabulary.load("words10k").vectors
    words = (words - words.mean(0)) / words.std(0)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    cases = []
    for number in range(20):
        drawn = words[np.random.default_rng(number).choice(len(words), K, replace=False)]
        X = np.column_stack([np.ones(K), drawn])
        cases.append(case(X, np.append(-4.0, 8.0 * drawn[0]), number, number))
    return cases


def advantage(S: Array, case: Case) -> float:
    return float((S[1] - S[0]) @ case.theta)


def brute_force(case: Case) -> float:
    rng = np.random.default_rng(1)
    _, K, M = case.arms.shape
    block = min(50_000, 50_000_000 // max(K, M))
    total, blocks = np.zeros((2, M)), BRUTE // block
    for _ in range(blocks):
        points = rng.normal(size=(1, block, M))
        total += count_winners(case.posterior, case.arms, with_values(case, points)) @ case.arms[0]
    return advantage(total / blocks, case)


def with_values(case: Case, points: Array) -> PriorDraws:
    return PriorDraws(points, None if case.posterior.basis is None else points @ case.arms[0].T)


def probabilities(
    estimator: Callable[[Posterior, Array, PriorDraws], Array],
) -> Callable[[Posterior, Array, PriorDraws], Array]:
    """S from an estimator of the probabilities."""
    return lambda posterior, arms, draws: estimator(posterior, arms, draws) @ arms[0]


def independent(estimator: Callable[[Posterior, Array, PriorDraws], Array], samples: int) -> Estimate:
    """Fresh draws for each of the two answers."""

    def run(case: Case, seed: int) -> Array:
        rng = np.random.default_rng(seed)
        M = case.arms.shape[2]
        parts = []
        for y in (0, 1):
            draws = with_values(case, rng.normal(size=(1, samples, M)))
            parts.append(estimator(case.posterior.only(y), case.arms[:1], draws))
        return np.concatenate(parts)

    return run


def common(estimator: Callable[[Posterior, Array, PriorDraws], Array], samples: int) -> Estimate:
    """The same independent draws for both answers."""

    def run(case: Case, seed: int) -> Array:
        points = np.random.default_rng(seed).normal(size=(1, samples, case.arms.shape[2]))
        return estimator(case.posterior, case.arms, with_values(case, points))

    return run


def quasi(estimator: Callable[[Posterior, Array, PriorDraws], Array], samples: int) -> Estimate:
    """The same quasi-random points for both answers."""
    return _made_once(
        estimator,
        lambda case, seed: with_values(case, normal_points(samples, case.arms.shape[2], seed)[None]),
    )


def core(samples: int) -> Estimate:
    """What a learner does."""
    return _made_once(probabilities(best_arm), lambda case, seed: PriorDraws.of(case.arms[0], samples, seed))


def _made_once(
    estimator: Callable[[Posterior, Array, PriorDraws], Array], make: Callable[[Case, int], PriorDraws]
) -> Estimate:
    made: dict[tuple[int, int], PriorDraws] = {}

    def run(case: Case, seed: int) -> Array:
        if (id(case), seed) not in made:
            made.clear()
            made[id(case), seed] = make(case, seed)
        return estimator(case.posterior, case.arms, made[id(case), seed])

    return run


RAO_BLACKWELL, COUNTED = probabilities(rao_blackwell), probabilities(count_winners)
HEIGHTS = probabilities(winners_and_heights)

ROWS: dict[str, Estimate] = {
    "published: Rao-Blackwell, independent, 1000": independent(RAO_BLACKWELL, 1000),
    "winners counted, independent, 1000": independent(COUNTED, 1000),
    "Rao-Blackwell, common numbers, 1000": common(RAO_BLACKWELL, 1000),
    "winners counted, common numbers, 1000": common(COUNTED, 1000),
    "Rao-Blackwell, common, quasi-random, 1024": quasi(RAO_BLACKWELL, 1024),
    "winners counted, common, quasi-random, 1024": quasi(COUNTED, 1024),
    "winners counted, common, quasi-random, 2048": quasi(COUNTED, 2048),
    "winners and heights, quasi-random, 1024": quasi(HEIGHTS, 1024),
    "winners and heights, quasi-random, 2048": quasi(HEIGHTS, 2048),
    "core, samples=256": core(256),
    "core, samples=1000 (the default)": core(1000),
    "core, samples=4000": core(4000),
}


def left_out(case: Case) -> float:
    """The share of arms that are the best one with a negligible probability in all."""
    posterior, X = case.posterior.only(1), case.arms[0]
    mean = X @ posterior.mean[0]
    spread = X @ np.linalg.cholesky(posterior.cov[0])
    best = int(mean.argmax())
    apart = np.linalg.norm(spread - spread[best], axis=1)
    bound = ndtr((mean - mean[best]) / np.maximum(apart, 1e-300))
    bound[best] = 1.0
    return float((np.cumsum(np.sort(bound)) <= NEGLIGIBLE).mean())


def main() -> None:
    settings: dict[str, tuple[int, Callable[[], list[Case]], int]] = {
        "20 words, 20 features (the study)": (20, lambda: study_cases(20, 20), 10),
        "50 words, 50 features": (50, lambda: study_cases(50, 20), 10),
        "100 words, 100 features": (100, lambda: study_cases(100, 15), 5),
        "100 arms, 11 features (the simulations)": (100, lambda: simulation_cases(100), 10),
        "1,000 arms, 11 features": (1000, lambda: simulation_cases(1000), 5),
        "1,000 words, 1,000 features": (1000, lambda: study_cases(1000, 4), 5),
    }
    wanted = {int(number) for number in sys.argv[1:]}
    for name, (K, make, repeats) in settings.items():
        if wanted and K not in wanted:
            continue
        cases = make()
        truth = [brute_force(c) for c in cases]
        print(
            f"\n{name}; {len(cases)} questions, Q(1) - Q(0) has a standard deviation of {np.std(truth):.2f}"
        )
        print(f"{'estimate':46}{'error, RMS':>11}{'in logits':>11}{'worst':>8}{'ms':>9}")
        for row, estimate in ROWS.items():
            if ("Rao" in row and K > 200) or ("heights" in row and cases[0].posterior.basis is not None):
                continue  # K x K matrices; slopes of more features than points
            errors, times = [], []
            for seed in range(repeats):
                for c, true in zip(cases, truth, strict=True):
                    estimate(c, seed)  # points made, caches warm
                    start = time.process_time()
                    S = estimate(c, seed)
                    times.append(1e3 * (time.process_time() - start))
                    errors.append(advantage(S, c) - true)
            rms = float(np.sqrt(np.mean(np.square(errors))))
            worst = float(np.abs(errors).max())
            print(f"{row:46}{rms:11.4f}{BETA * rms:11.2f}{worst:8.3f}{np.median(times):9.2f}", flush=True)
        print(f"arms that could be left out: {100 * np.mean([left_out(c) for c in cases]):.1f} %")


if __name__ == "__main__":
    main()
