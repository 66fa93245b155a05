"""Quasi-random points: Sobol's sequence with a random digital shift, in up to 64 dimensions.

The points fill the unit cube more evenly than random ones, so a mean over them has a smaller error.  A
digital shift (exclusive or with one random number per dimension) keeps that, and makes the mean unbiased.
The direction numbers are those of Joe and Kuo (2008), "Constructing Sobol sequences with better
two-dimensional projections", which SciPy and PyTorch use too; tests compare.  They are here because either
would take longer to load than a short simulation takes.

In a hundred dimensions a few thousand points can't be even, and random ones do as well.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.randomness import stream

BITS = 30

# For every dimension after the first, a primitive polynomial, as the bits of its coefficients, and the first
# direction numbers.
_TABLE = """
3:1 7:1,3 11:1,3,1 13:1,1,1 19:1,1,3,3 25:1,3,5,13 37:1,1,5,5,17 41:1,1,5,5,5 47:1,1,7,11,19
55:1,1,5,1,1 59:1,1,1,3,11 61:1,3,5,5,31 67:1,3,3,9,7,49 91:1,1,1,15,21,21 97:1,3,1,13,27,49
103:1,1,1,15,7,5 109:1,3,1,15,13,25 115:1,1,5,5,19,61 131:1,3,7,11,23,15,103 137:1,3,7,13,13,15,69
143:1,1,3,13,7,35,63 145:1,3,5,9,1,25,53 157:1,3,1,13,9,35,107 167:1,3,1,5,27,61,31
171:1,1,5,11,19,41,61 185:1,3,5,3,3,13,69 191:1,1,7,13,1,19,1 193:1,3,7,5,13,19,59 203:1,1,3,9,25,29,41
211:1,3,5,13,23,1,55 213:1,3,7,3,13,59,17 229:1,3,1,3,5,53,69 239:1,1,5,5,23,33,13 241:1,1,7,7,1,61,123
247:1,1,7,9,13,61,49 253:1,3,3,5,3,55,33 285:1,3,1,15,31,13,49,245 299:1,3,5,15,31,59,63,97
301:1,3,1,11,11,11,77,249 333:1,3,1,11,27,43,71,9 351:1,1,7,15,21,11,81,45 355:1,3,7,3,25,31,65,79
357:1,3,1,1,19,11,3,205 361:1,1,5,9,19,21,29,157 369:1,3,7,11,1,33,89,185 391:1,3,3,3,15,9,79,71
397:1,3,7,11,15,39,119,27 425:1,1,3,1,11,31,97,225 451:1,1,1,3,23,43,57,177 463:1,3,7,7,17,17,37,71
487:1,3,1,5,27,63,123,213 501:1,1,3,5,11,43,53,133 529:1,3,5,5,29,17,47,173,479
539:1,3,3,11,3,1,109,9,69 545:1,1,1,5,17,39,23,5,343 557:1,3,1,5,25,15,31,103,499
563:1,1,1,11,11,17,63,105,183 601:1,1,5,11,9,29,97,231,363 607:1,1,5,15,19,45,41,7,383
617:1,3,7,7,31,19,83,137,221 623:1,1,1,3,23,15,111,223,83 631:1,1,5,13,31,15,55,25,161
637:1,1,3,13,25,47,39,87,257
"""
_DIRECTIONS = [
    (int(polynomial), tuple(map(int, first.split(","))))
    for polynomial, first in (entry.split(":") for entry in _TABLE.split())
]
MOST_DIMENSIONS = 1 + len(_DIRECTIONS)


def uniform_points(exponent: int, dimension: int, seed: int, *names: str | int) -> NDArray[np.float64]:
    """2^exponent points (N, dimension) inside the unit cube; the shift is named by seed and names."""
    whole = np.zeros((1 << exponent, dimension), dtype=np.int64)
    for bit, direction in enumerate(_directions(dimension, exponent)):
        whole[1 << bit : 2 << bit] = whole[: 1 << bit] ^ direction
    whole ^= (stream(seed, *names).uniform(dimension) * 2.0**BITS).astype(np.int64)
    return np.asarray((whole + 0.5) * 2.0**-BITS, dtype=np.float64)


def _directions(dimension: int, count: int) -> NDArray[np.int64]:
    """The first direction numbers (count, dimension) of every dimension."""
    columns = [[1] * count] + [_continued(*each, count) for each in _DIRECTIONS[: dimension - 1]]
    shifts = BITS - 1 - np.arange(count)
    return np.array(columns, dtype=np.int64).T << shifts[:, None]


def _continued(polynomial: int, first: tuple[int, ...], count: int) -> list[int]:
    """Direction numbers by the recurrence that the polynomial defines."""
    numbers, degree = list(first), len(first)
    for k in range(degree, count):
        number = numbers[k - degree]
        for step in range(1, degree + 1):
            if polynomial >> (degree - step) & 1:
                number ^= numbers[k - step] << step
        numbers.append(number)
    return numbers[:count]
