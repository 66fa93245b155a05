"""How alike words are, for sets so large that a table of words by words would not fit in memory.

    k(u, v) = exp(-w |u - v|^2) = exp(-2 w (1 - cos(u, v)))      on unit vectors u, v

Any row of the table is quickly computed from the vectors.  Where a learner needs the whole table again and
again, it goes through *landmarks*: m words with

    k(u, v)  ~  k(u, L) k(L, L)^-1 k(L, v)  =  (B B')_uv,      B (K, m),

which is exact between a word and a landmark, and everywhere if all words are landmarks (Nystroem's method).
Landmarks are chosen one after the other, each the word that the ones before it explain least.  This is a
Cholesky decomposition with pivots (Harbrecht, Peters and Schneider 2012), which gives B as well.

Where the table is multiplied by a vector again and again, the vector goes through the landmarks instead of
the table: K p ~ (K Q) (Q'p), where Q is an orthonormal basis of the span of the landmarks' rows.  K Q is
computed once, from the exact table.  This loses much less than B (B'p): with 3,000 Google News vectors and
500 landmarks, the error of a mean reward is a thirtieth.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from core import checks
from core.errors import SettingError
from core.rewards import LEAST, MOST, clamped, log_odds

__all__ = ["LANDMARKS", "MOST_EXACT", "Likeness"]

Array = NDArray[np.float64]
Whole = NDArray[np.intp]

MOST_EXACT = 2000  # words, with a table of words by words: 32 MB
LANDMARKS = 500  # for larger sets
EXPLAINED = 1e-10  # what is left of a word that the landmarks explain fully
TIE = 1e-9  # relative: of words that are explained equally badly, the first is next, on every machine
BLOCK = 500  # words whose rows are held at once
MOST_LIKELY = 256  # targets whose rewards are exact in a mean over all targets
DECIMALS = 10  # of a probability: of targets that are equally likely, the first count, on every machine


@dataclass(frozen=True, eq=False)
class Likeness:
    """The likeness of all words of a set, with unit vectors (K, D), through landmarks where it must be.

    It is a table of rewards, too: of every arm under every target (core.reward_tables).
    """

    units: Array
    width: float
    landmarks: int

    def __post_init__(self) -> None:
        units = checks.table("units", self.units, row="word")  # its own copy, which nobody changes
        if len(units) < 1 or not np.allclose(np.linalg.norm(units, axis=1), 1.0, atol=1e-6):
            raise SettingError("units must be a table of unit vectors, one row per word")
        units.flags.writeable = False
        object.__setattr__(self, "units", units)
        checks.number("width", self.width, above=0.0)
        checks.whole("landmarks", self.landmarks, 1, checks.MOST_ARMS)

    @property
    def targets(self) -> int:
        return len(self.units)

    @property
    def arms(self) -> int:
        return len(self.units)

    def rows(self, words: Whole) -> Array:
        """The exact likeness (n, K) of some words with all words."""
        cosines = np.minimum(self.units[words] @ self.units.T, 1.0)
        cosines[np.arange(len(words)), words] = 1.0
        cosines -= 1.0
        cosines *= 2.0 * self.width
        return np.asarray(np.exp(cosines, out=cosines))

    @cached_property
    def root(self) -> Array:
        """B' (m, K); m is smaller than the number of landmarks if fewer explain everything."""
        count = min(self.landmarks, len(self.units))
        root, left = np.zeros((count, len(self.units))), np.ones(len(self.units))
        for m in range(count):
            worst = left.max()
            if worst <= EXPLAINED:
                root = root[:m]
                break
            landmark = int(np.argmax(left >= (1.0 - TIE) * worst))
            explained = root[:m, landmark] @ root[:m]
            root[m] = (self.rows(np.array([landmark]))[0] - explained) / np.sqrt(left[landmark])
            left = np.maximum(left - root[m] ** 2, 0.0)
            left[landmark] = 0.0
        root.flags.writeable = False
        return root

    def features(self) -> Array:
        """Features X = K Q (K, m).

        The features of the study are the table K itself.  A learner with these is the learner with that table
        whose weights have no part outside the span of Q.
        """
        basis = _orthonormal(self.root.T)
        return np.concatenate([self.rows(part) @ basis for part in self._parts()])

    def _parts(self) -> list[Whole]:
        """All words, in blocks."""
        words = np.arange(len(self.units))
        return [words[begin : begin + BLOCK] for begin in range(0, len(words), BLOCK)]

    # As a table of rewards

    def about(self, arm: Whole) -> Array:
        """The reward (B, T) of each arm (B,) under every target."""
        return clamped(self.rows(arm))

    def under(self, target: Whole) -> Array:
        """The reward (B, K) of every arm under each target (B,)."""
        return clamped(self.rows(target))

    def columns(self, arms: Whole, world: int) -> Array:  # noqa: ARG002 (all learners have the same words)
        """The rewards (T, n) of some arms."""
        return self.about(arms).T

    def mean(self, chances: Array) -> Array:
        """The mean reward (B, K) of every arm, from the chance (B, T) of every target.

        Most targets are about equally likely.  Those that are more or less so than the others are taken as
        they are, and the rest goes through the landmarks.
        """
        return self._mean_power(chances, 1, self._through)

    def mean_square(self, chances: Array) -> Array:
        return self._mean_power(chances, 2, self._squares_through)

    def _mean_power(self, chances: Array, power: int, through: Array) -> Array:
        means = np.empty_like(chances)
        for b, row in enumerate(chances):
            level = np.median(row)
            apart = np.argsort(-np.abs(row - level).round(DECIMALS), kind="stable")[:MOST_LIKELY]
            rest = row.copy()
            rest[apart] = level
            means[b] = (row[apart] - level) @ self.under(apart) ** power + through @ (self._basis.T @ rest)
        return np.clip(means, LEAST**power, MOST**power)

    @cached_property
    def _basis(self) -> Array:
        """Q (K, m + 1): with the mean over all words, which is then exact."""
        return _orthonormal(np.column_stack([np.ones(self.arms), self.root.T]))

    @cached_property
    def _through(self) -> Array:
        return np.concatenate([self.under(part) @ self._basis for part in self._parts()])

    @cached_property
    def _squares_through(self) -> Array:
        return np.concatenate([self.under(part) ** 2 @ self._basis for part in self._parts()])

    def mean_odds(self, shares: Array) -> Array:
        sums = np.zeros((*shares.shape[:2], self.targets))
        for b, own in enumerate(shares):
            if b and np.array_equal(own, shares[b - 1]):  # after a no and after a yes
                sums[b] = sums[b - 1]
                continue
            arms = np.flatnonzero(own.any(0))
            for begin in range(0, len(arms), BLOCK):
                part = arms[begin : begin + BLOCK]
                sums[b] += own[:, part] @ log_odds(self.under(part))
        return sums

    @cached_property
    def sha256(self) -> str:
        about = f"{self.units.shape} {self.width!r} {self.landmarks}".encode()
        return hashlib.sha256(about + self.units.tobytes()).hexdigest()


def _orthonormal(vectors: Array) -> Array:
    """An orthonormal basis (K, m) of the span of vectors (K, m)."""
    basis, triangle = np.linalg.qr(vectors)
    return np.asarray(basis * np.where(np.diagonal(triangle) < 0, -1.0, 1.0))  # a sign is a machine's own
