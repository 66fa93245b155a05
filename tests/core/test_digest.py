"""Digests agree for the same state on another machine and differ for another state."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from core import same_digest
from core.version import CELL, digest

HISTORY = [(3, 1), (7, 0)]
posteriors = arrays(np.float64, 20, elements=st.floats(-9, 9))


@given(posteriors, arrays(np.float64, 20, elements=st.floats(-1e-9, 1e-9)))
def test_rounding_on_another_machine_leaves_the_digest_the_same(
    posterior: np.ndarray, rounding: np.ndarray
) -> None:
    moved = posterior + rounding
    # It could fail only if two numbers lie on borders, one of each grid.
    borders = np.abs((posterior / CELL * 2 + 0.5) % 1.0 - 0.5) < 1e-4
    if borders.sum() <= 1:
        assert same_digest(digest(HISTORY, 2, posterior), digest(HISTORY, 2, moved))


@given(posteriors, st.integers(0, 19), st.floats(2 * CELL, 1.0))
def test_a_posterior_that_differs_by_two_cells_has_another_digest(
    posterior: np.ndarray, where: int, by: float
) -> None:
    moved = posterior.copy()
    moved[where] += by
    assert not same_digest(digest(HISTORY, 2, posterior), digest(HISTORY, 2, moved))


def test_another_history_answer_order_or_question_has_another_digest() -> None:
    posterior = np.zeros(20)
    one = digest(HISTORY, 2, posterior)
    for history, arm in (
        (HISTORY[:1], 2),
        ([(3, 0), (7, 0)], 2),
        (HISTORY[::-1], 2),
        ([(37, 0), (3, 1)], 2),
        (HISTORY, 3),
    ):
        assert not same_digest(one, digest(history, arm, posterior))


def test_a_digest_has_38_letters_digits_and_hyphens_and_is_not_the_same_if_cut_short() -> None:
    whole = digest(HISTORY, 2, np.zeros(3))
    assert len(whole) == 38
    assert whole.replace("-", "").isalnum()
    assert not same_digest(whole, whole.rpartition("-")[0])
