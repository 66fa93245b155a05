"""Estimates of the Thompson probabilities: error against brute force, and cost, side by side.

    python tests/benchmarks/thompson.py

What matters to a planning teacher model is Q(1) - Q(0), times beta = 20.  Its error is shown for the
published estimate (1,000 independent Rao-Blackwellised draws for either answer), for its parts, and
for what ``core`` does.  Histories are simulated; the truth has 10^6 draws a posterior.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from core import Learner, Vocabulary
from core.evidence import Evidence
from core.posterior import fit_naive
from core.thompson import (
    _count_winners,
    _rao_blackwell,
    best_arm_probabilities,
    normal_points,
    thompson_points,
)

BETA = 20.0
REPEATS = 10
BRUTE = 1_000_000

Estimator = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Case:
    """A question in a simulated round: the naive posteriors after a no and a yes, and the truth."""

    arms: Tensor  # (2, K, M)
    mean: Tensor  # (2, M)
    factor: Tensor  # (2, M, M)
    value: Tensor  # (K,), the target's log odds by arm


def case(X: np.ndarray, value: np.ndarray, number: int, answers: int) -> Case:
    rng = np.random.default_rng(number)
    learner = Learner(X, teacher="naive", seed=number)
    state = learner.begin(int(rng.integers(len(X))))
    for draw in rng.random(answers):
        state = learner.tell(state, int(draw < 1.0 / (1.0 + np.exp(-value[state.arm]))))
    asked = [arm for arm, _ in state.history] + [state.arm]
    signs_so_far = [2.0 * answer - 1.0 for _, answer in state.history]
    features = torch.tensor(X[asked]).expand(2, -1, -1)
    signs = torch.tensor([[*signs_so_far, -1.0], [*signs_so_far, 1.0]])
    evidence = Evidence(features, signs, torch.zeros(2, len(asked), 2, 0, X.shape[1]))
    posterior = fit_naive(evidence, 2.0, torch.zeros(2, 1, X.shape[1]))
    arms = torch.tensor(X).expand(2, -1, -1).contiguous()
    return Case(arms, posterior.mean, posterior.factor.contiguous(), torch.tensor(value))


def study_cases() -> list[Case]:
    """The 20 words, each as the target."""
    X = Vocabulary.load("study20").features()
    rewards = np.clip(X, 1e-4, 1 - 1e-4)
    return [case(X, np.log(rewards[t] / (1 - rewards[t])), t, t % 15) for t in range(20)]


def simulation_cases(K: int) -> list[Case]:
    """K arms of the Word data, with the constant, as in the simulated experiments."""
    words = Vocabulary.load("words10k").vectors
    words = (words - words.mean(0)) / words.std(0)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    cases = []
    for number in range(20):
        drawn = words[np.random.default_rng(number).choice(len(words), K, replace=False)]
        X = np.column_stack([np.ones(K), drawn])
        cases.append(case(X, -4.0 + 8.0 * drawn @ drawn[0], number, number))
    return cases


def difference(p: Tensor, case: Case) -> float:
    return float((p[1] - p[0]) @ case.value)


def brute_force(case: Case) -> float:
    generator = torch.Generator().manual_seed(1)
    total, blocks = torch.zeros(2, case.arms.shape[1]), BRUTE // 10_000
    for _ in range(blocks):
        draws = torch.randn(10_000, case.mean.shape[1], generator=generator)
        total += _count_winners(case.mean, case.factor, case.arms, draws.unsqueeze(0))
    return difference(total / blocks, case)


def independent(estimator: Estimator, samples: int) -> Callable[[Case, int], Tensor]:
    """Fresh draws for each of the two answers."""

    def run(case: Case, seed: int) -> Tensor:
        generator = torch.Generator().manual_seed(seed)
        parts = []
        for y in (0, 1):
            draws = torch.randn(samples, case.mean.shape[1], generator=generator)
            one = slice(y, y + 1)
            parts.append(estimator(case.mean[one], case.factor[one], case.arms[one], draws.unsqueeze(0)))
        return torch.cat(parts)

    return run


def common(estimator: Estimator, samples: int) -> Callable[[Case, int], Tensor]:
    """The same independent draws for both answers."""

    def run(case: Case, seed: int) -> Tensor:
        generator = torch.Generator().manual_seed(seed)
        draws = torch.randn(samples, case.mean.shape[1], generator=generator)
        return estimator(case.mean, case.factor, case.arms, draws.unsqueeze(0))

    return run


def quasi(estimator: Estimator, samples: int) -> Callable[[Case, int], Tensor]:
    """The same quasi-random points for both answers; made once for a learner, so not timed."""
    return _with_points(estimator, lambda _, M, seed: normal_points(samples, M, seed))


def core(samples: int) -> Callable[[Case, int], Tensor]:
    """What a learner does."""
    return _with_points(best_arm_probabilities, lambda K, M, seed: thompson_points(K, M, samples, seed))


def _with_points(
    estimator: Estimator, make: Callable[[int, int, int], Tensor]
) -> Callable[[Case, int], Tensor]:
    made: dict[tuple[int, int, int], Tensor] = {}

    def run(case: Case, seed: int) -> Tensor:
        key = (*case.arms.shape[1:], seed)
        if key not in made:
            made[key] = make(*key)
        return estimator(case.mean, case.factor, case.arms, made[key].unsqueeze(0))

    return run


ROWS: dict[str, Callable[[Case, int], Tensor]] = {
    "published: Rao-Blackwell, independent, 1000": independent(_rao_blackwell, 1000),
    "winners counted, independent, 1000": independent(_count_winners, 1000),
    "Rao-Blackwell, common numbers, 1000": common(_rao_blackwell, 1000),
    "winners counted, common numbers, 1000": common(_count_winners, 1000),
    "Rao-Blackwell, common, quasi-random, 1024": quasi(_rao_blackwell, 1024),
    "winners counted, common, quasi-random, 1024": quasi(_count_winners, 1024),
    "core, samples=256": core(256),
    "core, samples=1000 (the default)": core(1000),
    "core, samples=4000": core(4000),
}


def main() -> None:
    torch.set_num_threads(1)
    torch.set_default_dtype(torch.float64)
    settings = {
        "20 words, 20 features (the study)": study_cases(),
        "100 arms, 11 features (the simulations)": simulation_cases(100),
        "1,000 arms, 11 features": simulation_cases(1000),
    }
    for name, cases in settings.items():
        truth = [brute_force(c) for c in cases]
        print(
            f"\n{name}; {len(cases)} questions, Q(1) - Q(0) has a standard deviation of {np.std(truth):.2f}"
        )
        print(f"{'estimate':46}{'error, RMS':>11}{'in logits':>11}{'worst':>8}{'ms':>9}")
        for row, estimate in ROWS.items():
            if "Rao" in row and len(cases[0].value) > 200:
                continue  # K x K matrices
            errors, times = [], []
            for seed in range(REPEATS):
                for c, true in zip(cases, truth, strict=True):
                    if seed == 0:
                        estimate(c, seed)  # points made, caches warm
                    start = time.perf_counter()
                    p = estimate(c, seed)
                    times.append(1e3 * (time.perf_counter() - start))
                    errors.append(difference(p, c) - true)
            rms = float(np.sqrt(np.mean(np.square(errors))))
            worst = float(np.abs(errors).max())
            print(f"{row:46}{rms:11.4f}{BETA * rms:11.2f}{worst:8.3f}{np.median(times):9.2f}")


if __name__ == "__main__":
    main()
