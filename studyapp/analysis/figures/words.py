"""The figure of the words and their rewards."""

from __future__ import annotations

from matplotlib.figure import Figure

from studyapp.analysis.figures.drawing import axes_row
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.results import Results

__all__ = ["WORDS"]

MOST_NAMED = 40  # words whose names fit beside the axes
LONGEST = 20  # characters of a word


def _words(results: Results) -> Figure:
    words = results.sample.loaded.vocabulary.words
    named = len(words) <= MOST_NAMED
    figure, (axis,) = axes_row(5.6 if named else 6.2)
    image = axis.imshow(results.sample.loaded.rewards, cmap="cividis", vmin=0, vmax=1)
    if named:
        labels = [_short(word) for word in words]
        axis.set_xticks(range(len(words)), labels, rotation=90)
        axis.set_yticks(range(len(words)), labels)
    axis.set(xlabel="word asked about", ylabel="target")
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)
    bar = figure.colorbar(image, ax=axis, shrink=0.8, pad=0.02)
    bar.set_label("reward")
    return figure


def _short(word: str) -> str:
    return word if len(word) <= LONGEST else f"{word[: LONGEST - 1]}…"


WORDS = ReportFigure(
    name="words",
    section="words",
    title="Rewards by target and word",
    caption=lambda _: (
        "Each row shows the reward of asking about every word when the row's word is the target. The same "
        "similarities are the features that the learners use."
    ),
    draw=_words,
)
