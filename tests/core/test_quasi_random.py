"""Quasi-random points are those of Sobol's sequence, shifted by the stream that their seed names."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import qmc

from core.quasi_random import BITS, MOST_DIMENSIONS, uniform_points
from core.randomness import stream

EXPONENTS = (0, 1, 2, 5, 10, 13)


def cells(points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Of 2^30 equal cells in every dimension, the one that each point is in the middle of."""
    whole = np.floor(points * 2.0**BITS).astype(np.int64)
    assert np.array_equal((whole + 0.5) * 2.0**-BITS, points)
    return whole


def test_without_their_shift_the_points_are_scipys_sobol_points() -> None:
    assert MOST_DIMENSIONS == 64
    for exponent in EXPONENTS:
        for dimension in (1, 7, 64):
            shift = (stream(3, "some", 7).uniform(dimension) * 2.0**BITS).astype(np.int64)
            ours = cells(uniform_points(exponent, dimension, 3, "some", 7)) ^ shift
            engine = qmc.Sobol(dimension, scramble=False, bits=BITS)
            theirs = (engine.random_base2(exponent) * 2.0**BITS).astype(np.int64)
            # SciPy goes through the same points in the order of Gray's code.
            assert sorted(map(tuple, ours.tolist())) == sorted(map(tuple, theirs.tolist()))


def test_every_dimension_has_one_point_strictly_inside_each_of_as_many_strata() -> None:
    for exponent in EXPONENTS:
        points = uniform_points(exponent, MOST_DIMENSIONS, 5, "some")
        assert 0.0 < points.min() <= points.max() < 1.0
        for column in np.sort(cells(points) >> (BITS - exponent), axis=0).T:
            assert column.tolist() == list(range(2**exponent))


def test_the_first_points_and_dimensions_of_more_are_those_of_fewer() -> None:
    most = uniform_points(10, MOST_DIMENSIONS, 1, "some")
    for exponent in range(10):
        assert np.array_equal(uniform_points(exponent, MOST_DIMENSIONS, 1, "some"), most[: 2**exponent])
    for dimension in (1, 2, 33):
        assert np.array_equal(uniform_points(10, dimension, 1, "some"), most[:, :dimension])


def test_points_belong_to_their_seed_and_names() -> None:
    points = uniform_points(6, 5, 1, "some")
    assert np.array_equal(points, uniform_points(6, 5, 1, "some"))
    for other in (uniform_points(6, 5, 2, "some"), uniform_points(6, 5, 1, "others")):
        assert not np.array_equal(points, other)


def test_a_mean_over_the_points_is_nearer_the_truth_than_one_over_random_points() -> None:
    def error(points: NDArray[np.float64]) -> float:
        return float(np.prod(1.5 - np.abs(2 * points - 1), axis=1).mean() - 1.0)

    ours = [error(uniform_points(10, 8, seed, "some")) for seed in range(30)]
    random = [error(stream(seed, "random").uniform(8192).reshape(-1, 8)) for seed in range(30)]
    assert np.std(ours) < np.std(random) / 3
    assert abs(np.mean(ours)) < 4 * np.std(ours) / np.sqrt(30)
