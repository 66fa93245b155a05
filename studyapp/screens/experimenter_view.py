"""The experimenter's view of a round: what the learner believes.

``studyapp run --pilot`` shows it beside the question, in as many rows as the window has.  Participants never
see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from studyapp.session.questions import Asked
    from studyapp.study.loaded import LoadedStudy

BAR_WIDTH = 16  # columns of a bar
BELIEF_WIDTH = 36  # columns of the view, with the space beside it
BELIEF_FROM = 80  # columns of a window with room for it
TOO_NARROW = f"the learner's belief needs a window of {BELIEF_FROM} columns"


def belief_view(loaded: LoadedStudy, model: str, asked: Asked, rows: int) -> str:
    """What the learner believes about each word, the highest first, in this number of rows.

    For a belief over targets, the probability that the word is the target; for one over weights, the
    probability of a yes that it expects.
    """
    state = asked.state
    if state.targets is not None:
        chances, about = state.targets, "is it the word to find?"
    else:
        assert state.mean is not None
        chances, about = 1 / (1 + np.exp(-loaded.features @ state.mean)), "would it get a yes?"
    words = loaded.vocabulary.words
    head = [f"the learner's belief ({model})", about]
    last = [] if state.alpha is None else [f"{'':>4}E[alpha] {state.alpha:.2f}"]
    room = max(1, rows - len(head) - len(last))
    if len(words) > room:
        room = max(1, room - 1)
        last = [f"{'':>4}and {len(words) - room} more", *last]
    return "\n".join([*head, *(_line(loaded, asked, chances, i) for i in _highest(chances)[:room]), *last])


def _highest(chances: np.ndarray) -> np.ndarray:
    return np.argsort(-chances, kind="stable")


def _line(loaded: LoadedStudy, asked: Asked, chances: np.ndarray, i: int) -> str:
    word = loaded.vocabulary.words[i]
    mark = "▸" if word == asked.word else " "
    bar = "█" * round(BAR_WIDTH * chances[i])
    return f"{mark}{word:>10.10} {bar:<{BAR_WIDTH}} {chances[i]:.2f}"
