"""How long one ``tell`` takes with a belief over targets, beside a belief over weights, on one thread.

python tests/benchmarks/targets.py
"""

from __future__ import annotations

import statistics
import time
import timeit
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from core import Learner, Vocabulary

ANSWERS = 14
WORDS = (20, 1000)
MODELS = (("naive", "weights"), ("naive", "targets"), ("person", "targets"), ("mixture", "targets"))


def milliseconds(call: Callable[[], object], repeats: int) -> float:
    """The median time of a call."""
    return 1e3 * statistics.median(timeit.repeat(call, number=1, repeat=repeats))


def main() -> None:
    torch.set_num_threads(1)
    everything = Vocabulary.load("words10k")
    print(f"One tell after {ANSWERS} answers, one thread; milliseconds\n")
    print(
        f"{'words':>6} {'teacher':8} {'belief':8}{'tell':>8}{'both':>8}{'make':>8}{'over naive weights':>20}"
    )
    for words in WORDS:
        vectors = everything.vectors[:words] / np.linalg.norm(everything.vectors[:words], axis=1)[:, None]
        likeness = np.exp(-3 * (1 - np.clip(vectors @ vectors.T, -1, 1)))
        np.fill_diagonal(likeness, 1.0)
        peer = None
        for teacher, belief in MODELS:
            if teacher == "mixture" and words > 20:
                continue  # its look-ahead is that of a belief over weights, and takes seconds
            start = time.perf_counter()
            learner = Learner(likeness, teacher=teacher, belief=belief, selection="greedy")
            make = 1e3 * (time.perf_counter() - start)
            state = learner.condition([(7 * i % words, i % 3 == 0) for i in range(ANSWERS)])
            repeats = 50 if words == 20 else 10
            tell = milliseconds(partial(learner.tell, state, 1), repeats)
            both = milliseconds(partial(learner.tell_both, state), repeats)
            peer = peer or tell
            print(
                f"{words:6,} {teacher:8} {belief:8}{tell:8.2f}{both:8.2f}{make:8.0f}{tell / peer:19.2f}x",
                flush=True,
            )


if __name__ == "__main__":
    main()
