"""The experimenter's view of a round: what the learner believes.

``studyapp run --pilot`` shows it beside the question in a wide window.  Participants never see it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from studyapp.session.questions import Asked
    from studyapp.study.study import LoadedStudy

__all__ = ["belief_view"]

ROWS = 20  # words shown
BAR_WIDTH = 16  # columns of a bar


def belief_view(loaded: LoadedStudy, model: str, asked: Asked) -> str:
    """What the learner believes about each word, the highest first.

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
    lines = [f"the learner's belief ({model})", about, ""]
    for i in np.argsort(-chances, kind="stable")[:ROWS]:
        mark = "▸" if words[i] == asked.word else " "
        bar = "█" * round(BAR_WIDTH * chances[i])
        lines.append(f"{mark}{words[i]:>10.10} {bar:<{BAR_WIDTH}} {chances[i]:.2f}")
    if asked.state.alpha is not None:
        lines.append(f"{'':>4}E[alpha] {asked.state.alpha:.2f}")
    return "\n".join(lines)
