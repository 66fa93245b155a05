"""How ``tell`` of the mixture learner grows with the number of arms, on one thread.

python tests/benchmarks/arms.py
"""

from __future__ import annotations

import studyapp  # noqa: F401 (one thread, set before NumPy is loaded)

# isort: split

import resource
import statistics
import time

import numpy as np

from core import Learner

FEATURES = 20
ANSWERS = 14


def main() -> None:
    print(f"One tell of the mixture learner after {ANSWERS} answers, {FEATURES} features, one thread\n")
    print(f"{'arms':>8}{'tell, ms':>12}{'ms per arm':>14}{'peak memory, MB':>18}")
    for arms in (20, 100, 1_000, 10_000):
        rng = np.random.default_rng(arms)
        features = rng.normal(size=(arms, FEATURES))
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        learner = Learner(features)
        state = learner.begin(0)
        for answer in rng.integers(0, 2, ANSWERS):
            state = learner.tell(state, int(answer))
        times = []
        for _ in range(50 if arms <= 1_000 else 10):
            start = time.perf_counter()
            learner.tell(state, 1)
            times.append(1e3 * (time.perf_counter() - start))
        median = statistics.median(times)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{arms:8,}{median:12.2f}{median / arms:14.4f}{memory:18.0f}")


if __name__ == "__main__":
    main()
