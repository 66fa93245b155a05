"""Randomness by name.

Every random number comes from a stream that is identified by a seed and names, as in
``stream(seed, "participant", "P07", "target", "cat", "first question")``.  Nothing depends on the order of
calls or on a global generator.  So a session can be resumed or replayed without a stored generator state,
and one more draw in one place changes nothing in another.

Only NumPy's raw bit streams and ``SeedSequence`` are used: NumPy promises never to change these, while the
methods of ``Generator`` may change with any release.  Logs must replay for years.
"""

from __future__ import annotations

import hashlib
import json

import numpy as np
from numpy.typing import NDArray


class Stream:
    """An endless supply of random numbers, the same on every machine and NumPy release."""

    def __init__(self, entropy: int) -> None:
        self._bits = np.random.PCG64(np.random.SeedSequence(entropy))

    def uniform(self, size: int) -> NDArray[np.float64]:
        """Numbers strictly between 0 and 1 (the midpoints of 2^52 equal cells)."""
        raw = self._bits.random_raw(size) >> np.uint64(12)
        return (raw.astype(np.float64) + 0.5) * 2.0**-52

    def normal(self, size: int) -> NDArray[np.float64]:
        """Standard normal numbers, each by inversion of one uniform number."""
        from scipy.special import ndtri

        return np.asarray(ndtri(self.uniform(size)), dtype=np.float64)

    def permutation(self, n: int) -> NDArray[np.intp]:
        """The integers 0..n-1 in random order."""
        return np.argsort(self.uniform(n), kind="stable")

    def sample(self, n: int, k: int) -> NDArray[np.intp]:
        """k different integers from 0..n-1 in random order: the first k of ``permutation(n)``."""
        keys = self.uniform(n)
        first = np.argpartition(keys, k - 1)[:k]
        return np.asarray(first[np.argsort(keys[first], kind="stable")])

    def integer(self, n: int) -> int:
        """One of 0..n-1, each with the same chance (to within n / 2^52)."""
        return int(self.uniform(1)[0] * n)


def stream(seed: int, *names: str | int) -> Stream:
    """The stream that ``seed`` and ``names`` identify; 2 and "2" are different names."""
    plain = [name if isinstance(name, str) else int(name) for name in (seed, *names)]
    text = json.dumps(plain)  # no two lists of names have the same text
    return Stream(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))
