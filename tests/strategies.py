"""Hypothesis strategies for the mathematics: arms, histories of answers, and evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from core import Vocabulary

if TYPE_CHECKING:
    from core.likelihoods import Evidence

WORDS = Vocabulary.load("study20")
FEATURES = WORDS.features()

Arms = NDArray[np.float64]
History = list[tuple[int, int]]  # (arm, answer)
Place = tuple["Evidence", NDArray[np.float64]]


def histories(arms: int, *, least: int = 0, most: int = 15) -> st.SearchStrategy[History]:
    """Any answers to questions about any arms."""
    return st.lists(st.tuples(st.integers(0, arms - 1), st.integers(0, 1)), min_size=least, max_size=most)


@st.composite
def small_arms(draw: st.DrawFn) -> Arms:
    """A few arms with a few features, drawn by seed, up to three times as long as a word's."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(2, 7)), draw(st.integers(1, 5))
    return draw(st.floats(0.3, 3.0)) * rng.normal(size=shape)


@st.composite
def small_problems(draw: st.DrawFn) -> tuple[Arms, History]:
    """A few arms, and answers to questions about them."""
    arms = draw(small_arms())
    return arms, draw(histories(len(arms), least=1, most=10))


@st.composite
def places(draw: st.DrawFn) -> Place:
    """A few answers, with one or more trajectories, and a point (theta, lambda) to see their density at."""
    from core.likelihoods import Evidence

    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, M, J = draw(st.integers(1, 5)), draw(st.integers(1, 4)), draw(st.sampled_from([1, 2, 4]))
    evidence = Evidence(
        rng.normal(size=(1, n, M)),
        rng.choice([-1.0, 1.0], size=(1, n)),
        0.1 * rng.normal(size=(1, n, 2, J, M)),
    )
    return evidence, rng.normal(size=M + 1)
