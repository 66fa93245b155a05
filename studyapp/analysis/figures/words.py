"""The figure of the words' similarities, which are the rewards."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from core.wording import counted
from studyapp.analysis.answers import BANDS
from studyapp.analysis.figures.answers import band_label
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.figures.layout import cut, panels, text_width, widest
from studyapp.analysis.results import Results
from studyapp.reporting.plots import INK, SHADES, WIDTH
from studyapp.reporting.statistics import Array

MOST_WORDS = 40  # whose names fit beside the axes
LONGEST = 20  # characters of a word
HALF = 0.46  # of a tile


def _words(results: Results) -> Figure:
    words = list(results.sample.loaded.vocabulary.words)
    targets = sorted(words.index(target) for target in results.sample.targets)
    similarity = results.sample.loaded.rewards([words[target] for target in targets])
    names = [cut(word, LONGEST) for word in words]
    rows = [names[target] for target in targets]
    left, bottom, top = 0.32 + widest(rows), 0.3 + widest(names), 0.36
    tile = min(0.24, (WIDTH - left - 0.2) / len(words))
    figure, (axis,) = panels(
        top + bottom + tile * len(targets),
        left=left,
        right=WIDTH - left - tile * len(words),
        top=top,
        bottom=bottom,
    )
    itself = np.array(targets)[:, None] == np.arange(len(words))
    for band, shade in enumerate(SHADES):  # the last band is the target itself
        low, high = BANDS[band]
        inside = (similarity >= low) & ((similarity < high) | (band == len(SHADES) - 1)) & ~itself
        axis.add_patch(_tiles(inside, shade))
    own_row, own_column = np.nonzero(itself)
    axis.plot(own_column, own_row, "o", color=INK, markersize=3.2, linestyle="none", label="itself")
    axis.set_xlim(-0.6, len(words) - 0.4)
    axis.set_ylim(len(targets) - 0.4, -0.6)
    axis.set_xticks(range(len(words)), names, rotation=90)
    axis.set_yticks(range(len(targets)), rows)
    axis.set(xlabel="word asked about", ylabel="target")
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    _draw_scale(figure)
    return figure


def _tiles(inside: Array, shade: str) -> PathPatch:
    """One path for all tiles of a shade."""
    corners = np.array([(-HALF, -HALF), (HALF, -HALF), (HALF, HALF), (-HALF, HALF), (-HALF, -HALF)])
    places = np.argwhere(inside)[:, ::-1]
    vertices = (places[:, None, :] + corners).reshape(-1, 2)
    codes = np.tile([Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY], len(places))
    return PathPatch(Path(vertices, codes) if len(places) else Path(np.zeros((0, 2))), fc=shade, ec="none")


def _draw_scale(figure: Figure) -> None:
    """Say above the tiles which shade is which band of similarity."""
    width, height = figure.get_size_inches()
    x, y = 0.1, height - 0.16
    figure.text(x / width, y / height, "similarity", va="center_baseline")
    x += text_width("similarity") + 0.2
    for band, shade in enumerate(SHADES):
        label = band_label(band)
        square = Rectangle(
            (x / width, (y - 0.07) / height),
            0.14 / width,
            0.14 / height,
            facecolor=shade,
            edgecolor="none",
            transform=figure.transFigure,
        )
        figure.add_artist(square)
        figure.text((x + 0.19) / width, y / height, label, va="center_baseline")
        x += 0.19 + text_width(label) + 0.18
    figure.text(x / width, y / height, "● the target itself: 1", va="center_baseline")


WORDS = ReportFigure(
    name="words",
    section="methods",
    title="The words and their rewards",
    caption=lambda _: (
        "Each row shows the reward of asking about every word when the row's word is the target: their "
        "similarity. The learners know the same similarities, but not the target."
    ),
    alt=lambda results: (
        f"A table of {counted(len(results.sample.targets), 'target')} by "
        f"{len(results.sample.loaded.vocabulary.words)} words to ask about, shaded by similarity."
    ),
    draw=_words,
    has_data=lambda results: len(results.sample.loaded.vocabulary.words) <= MOST_WORDS,
)
