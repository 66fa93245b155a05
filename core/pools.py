"""Pools for an active learner to ask about: the example of Figure 1, or any labelled dataset.

Everything random is derived from the seed and the number of the replication.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from core import checks
from core.errors import SettingError
from core.randomness import stream
from core.wording import counted

# The clusters of the example, by label: centre and number of points.
EXAMPLE = (
    (((-1.0, 1.0), 6), ((-1.0, -1.0), 6), ((0.0, 0.5), 18)),
    (((1.0, 1.0), 6), ((1.0, -1.0), 6), ((0.0, -0.5), 18)),
)
EXAMPLE_SPREAD = 0.1


@dataclass(frozen=True, eq=False)
class Pool:
    """What one learner may ask about, what it starts from, and what it is tested on."""

    features: NDArray[np.float64]  # (N, M); the first column is 1
    labels: NDArray[np.int64]  # (N,), 0 or 1: the truth, which the teacher knows
    start_features: NDArray[np.float64]  # (S, M)
    start_labels: NDArray[np.int64]  # (S,)
    test_features: NDArray[np.float64]  # (E, M); if empty, the test is on pool plus start
    test_labels: NDArray[np.int64]  # (E,)

    def __post_init__(self) -> None:
        width = self.features.shape[-1]
        for name in ("", "start_", "test_"):
            features, labels = getattr(self, f"{name}features"), getattr(self, f"{name}labels")
            if features.ndim != 2 or labels.shape != features.shape[:1] or features.shape[1] != width:
                shapes = f"{features.shape} and {labels.shape}"
                raise SettingError(
                    f"{name}features and {name}labels of a pool have the shapes {shapes}; they must be "
                    f"(rows, {width}) and (rows,)"
                )
            _labels(f"{name}labels", labels)
        _both_labels("labels of pool and start", np.concatenate([self.labels, self.start_labels]))

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Rows of the pool, the start and the test, and the number of features."""
        return len(self.labels), len(self.start_labels), len(self.test_labels), self.features.shape[1]

    @property
    def known(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Features and labels of pool plus start: what the teacher knows."""
        features = np.concatenate([self.features, self.start_features])
        return features, np.concatenate([self.labels, self.start_labels])

    @property
    def scored(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Features and labels that accuracy is measured on."""
        return (self.test_features, self.test_labels) if len(self.test_labels) else self.known


def pool_example(seed: int, replication: int) -> Pool:
    """The example of Figure 1: uncertainty sampling stays between the two large clusters."""
    centres = np.array([centre for label in EXAMPLE for centre, size in label for _ in range(size)])
    noise = stream(seed, "replication", replication, "pool").normal(centres.size).reshape(centres.shape)
    start = _with_constant(np.array([EXAMPLE[0][2][0], EXAMPLE[1][2][0]]))
    return Pool(
        _with_constant(centres + EXAMPLE_SPREAD * noise),
        np.repeat([0, 1], [sum(size for _, size in label) for label in EXAMPLE]),
        start,
        np.array([0, 1]),
        start[:0],
        np.zeros(0, dtype=np.int64),
    )


def pool_of(features: ArrayLike, labels: ArrayLike, pool: int = 2000, *, seed: int, replication: int) -> Pool:
    """Divide a dataset: one row of each label to start from, ``pool`` rows to ask about, the rest to test.

    The balance of labels in the pool is as close as possible to that of the rows it is drawn from, with at
    least one row of each label.
    """
    X, y = checks.table("features", features, row="row"), _labels("labels", labels)
    if y.shape != X.shape[:1]:
        raise SettingError(f"features has {len(X)} rows and labels has {y.size}; every row needs one label")
    _both_labels("labels", y)
    counts = np.bincount(y, minlength=2)
    if counts.min() < 2 or len(y) < 5:
        raise SettingError(
            f"there are {counted(counts[0], 'row')} with label 0 and {counts[1]} with label 1; at least 2 of "
            "each are needed, one to start from and one for the pool, and one more row to test"
        )
    checks.whole("pool (it leaves 2 rows to start from and at least 1 to test)", pool, 2, len(y) - 3)
    X = _with_constant(_standardised(X))

    ones = round(pool * (counts[1] - 1) / (len(y) - 2))
    ones = min(max(ones, 1), pool - 1)
    order = stream(seed, "replication", replication, "pool").permutation(len(y))
    start, asked, tested = [], [], []
    for label, size in enumerate((pool - ones, ones)):
        rows = order[y[order] == label]
        start.append(rows[:1])
        asked.append(rows[1 : size + 1])
        tested.append(rows[size + 1 :])
    first, middle, last = (np.sort(np.concatenate(rows)) for rows in (start, asked, tested))
    return Pool(X[middle], y[middle], X[first], y[first], X[last], y[last])


def _with_constant(features: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.concatenate([np.ones((len(features), 1)), features], -1)


def _standardised(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every column with mean 0 and standard deviation 1."""
    constant = np.flatnonzero(np.ptp(X, 0) == 0)
    if len(constant):
        raise SettingError(
            f"feature {constant[0]} is {X[0, constant[0]]:g} in every row, so it can't be standardised; "
            "leave it out (a constant is added anyway)"
        )
    standardised: NDArray[np.float64] = (X - X.mean(0)) / X.std(0)
    return standardised


def _labels(name: str, labels: ArrayLike) -> NDArray[np.int64]:
    y = np.asarray(labels)
    if y.ndim != 1 or not np.isin(y, (0, 1)).all():
        raise SettingError(f"{name} must be a list of labels, each 0 or 1")
    return y.astype(np.int64)


def _both_labels(name: str, labels: NDArray[np.int64]) -> None:
    if len(set(labels.tolist())) < 2:
        raise SettingError(f"{name}: both labels, 0 and 1, must occur")
