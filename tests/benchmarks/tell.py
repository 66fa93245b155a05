"""How long one ``tell`` takes, beside the paper's own recipe on Pyro, on one thread.

python tests/benchmarks/tell.py
"""

from __future__ import annotations

import studyapp  # noqa: F401 (one thread, set before NumPy is loaded)

# isort: split

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pyro_recipe  # beside this file
import torch

from core import Learner, Vocabulary
from core.learner import State

ANSWERS = 14
ROUNDS = 20  # rounds that the median is taken over


def milliseconds(call: Callable[[], object], repeats: int) -> list[float]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(1e3 * (time.perf_counter() - start))
    return times


def person(reward: float, draw: float) -> int:
    """Answers as a naive teacher would."""
    return int(draw < reward)


def after_answers(learner: Learner, features: np.ndarray, target: int) -> State:
    """A round that has gone on for some answers."""
    draws = np.random.default_rng(target).random(ANSWERS)
    state = learner.begin((target + 7) % len(features))
    for draw in draws:
        state = learner.tell(state, person(features[target, state.arm], draw))
    return state


def peer(model: str, features: np.ndarray, state: State) -> Callable[[], object]:
    """The same step by the paper's recipe."""
    arms = torch.tensor(features)
    asked = torch.tensor([arm for arm, _ in state.history] + [state.arm])
    answers = torch.tensor([float(answer) for _, answer in state.history] + [1.0])
    if model == "naive":
        return lambda: pyro_recipe.tell_naive(arms, asked, answers)
    sums = state._memory.evidence.sums[0]
    differences = torch.tensor(sums[:, 1, 0] - sums[:, 0, 0])
    return lambda: pyro_recipe.tell_mixture(arms, asked, answers, differences)


def main() -> None:
    torch.set_num_threads(1)  # for Pyro
    torch.set_default_dtype(torch.float64)
    features = Vocabulary.load("study20").features()
    print(f"One tell after {ANSWERS} answers, 20 words, one thread; milliseconds\n")
    print(f"{'model':10}{'median':>9}{'90 %':>9}{'Pyro':>11}{'ratio':>9}")
    for model, repeats in (("naive", 9), ("mixture", 5)):
        learner = Learner(features, teacher=model)
        states = [after_answers(learner, features, target) for target in range(ROUNDS)]
        ours = [t for state in states for t in milliseconds(partial(learner.tell, state, 1), 20)]
        theirs = milliseconds(peer(model, features, states[0]), repeats)
        median, pyro = statistics.median(ours), statistics.median(theirs)
        print(f"{model:10}{median:9.2f}{np.quantile(ours, 0.9):9.2f}{pyro:11.0f}{pyro / median:8.0f}x")


if __name__ == "__main__":
    main()
