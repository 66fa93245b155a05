"""Hypothesis strategies for the mathematics: arms and histories of answers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from core import Vocabulary

WORDS = Vocabulary.load("study20")
FEATURES = WORDS.features()

Arms = NDArray[np.float64]
History = list[tuple[int, int]]


def histories(arms: int, *, least: int = 0, most: int = 15) -> st.SearchStrategy[History]:
    """Which arm was asked and what was answered, any arm and any answer."""
    return st.lists(st.tuples(st.integers(0, arms - 1), st.integers(0, 1)), min_size=least, max_size=most)


@st.composite
def small_arms(draw: st.DrawFn) -> Arms:
    """A few arms with a few features, drawn by seed; up to three times as long as a word's."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(2, 7)), draw(st.integers(1, 5))
    return draw(st.floats(0.3, 3.0)) * rng.normal(size=shape)


@st.composite
def small_problems(draw: st.DrawFn) -> tuple[Arms, History]:
    arms = draw(small_arms())
    return arms, draw(histories(len(arms), least=1, most=10))
