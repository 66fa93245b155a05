"""Streams are identified by name and never change."""

from __future__ import annotations

import numpy as np
from scipy import stats

from core import stream


def test_a_stream_gives_exactly_these_numbers_on_every_machine_and_release() -> None:
    named = stream(7, "participant", "P07")
    assert named.uniform(3).tolist() == [0.2777619100044165, 0.8565111409625764, 0.8626970528986028]
    assert stream(7, "participant", "P07").permutation(6).tolist() == [3, 0, 5, 1, 2, 4]


def test_other_seeds_names_orders_and_divisions_into_names_give_other_numbers() -> None:
    names: list[tuple[int, *tuple[str | int, ...]]] = [(1, "a", "b"), (2, "a", "b"), (1, "b", "a")]
    names += [(1, "ab"), (1, "a", "b", ""), (1, 'a", "b'), (1, 2), (1, "2")]
    assert len({tuple(stream(*one).uniform(5)) for one in names}) == len(names)
    assert np.array_equal(stream(1, "a", 2).uniform(5), stream(1, "a", 2).uniform(5))


def test_uniform_numbers_are_uniform_and_never_0_or_1() -> None:
    numbers = stream(0, "test").uniform(100_000)
    assert 0.0 < numbers.min() < numbers.max() < 1.0
    assert stats.kstest(numbers, "uniform").pvalue > 1e-3


def test_normal_numbers_are_standard_normal() -> None:
    assert stats.kstest(stream(0, "test").normal(100_000), "norm").pvalue > 1e-3


def test_integers_are_equally_likely() -> None:
    counts = np.bincount([stream(seed, "test").integer(6) for seed in range(6_000)], minlength=6)
    assert stats.chisquare(counts).pvalue > 1e-3


def test_a_permutation_has_every_number_once_and_every_order_is_equally_likely() -> None:
    orders = [tuple(stream(seed, "test").permutation(3).tolist()) for seed in range(3_000)]
    assert {tuple(sorted(order)) for order in orders} == {(0, 1, 2)}
    _, counts = np.unique(orders, axis=0, return_counts=True)
    assert len(counts) == 6
    assert stats.chisquare(counts).pvalue > 1e-3


def test_a_sample_is_the_beginning_of_a_permutation() -> None:
    for n, k in ((1, 1), (5, 5), (100, 1), (1000, 37)):
        assert stream(3, "s").sample(n, k).tolist() == stream(3, "s").permutation(n)[:k].tolist()
