"""Figures of yes answers by the similarity of the asked word to the target, and of the similarities."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from core.wording import counted
from studyapp.analysis.answers import BANDS, Answers
from studyapp.analysis.figures.drawing import (
    ReportFigure,
    draw_upright,
    head,
    model_key,
    offsets,
    pens,
    percent_axis,
)
from studyapp.analysis.figures.layout import Entry, cut, draw_key, key_height, panels, text_width, widest
from studyapp.analysis.results import Results
from studyapp.reporting.plots import GREY, INK, SHADES, WIDTH
from studyapp.reporting.statistics import Array, Estimate
from studyapp.reporting.wording import percent

TARGET = len(BANDS) - 1  # the band of the target itself
MOST_WORDS = 40  # whose names fit beside the axes
LONGEST = 20  # characters of a word
HALF = 0.46  # of a tile


# Yes answers by similarity


def _yes(results: Results) -> Figure:
    shown = _shown(results)
    key = [*model_key(results), Entry("if answers followed similarity alone", GREY, "_")]
    top = key_height(key) + 0.5
    figure, axes = panels(top + 0.72 + 2.2, 2, top=top, bottom=0.72, gap=0.2, share_y=True, left=0.45)
    for axis, name, title, answers in zip(
        axes,
        "ab",
        ("Asked for the first time", "Asked again"),
        (results.answers.first, results.answers.again),
        strict=True,
    ):
        _draw_bands(axis, answers, shown, results)
        head(axis, title, "yes answers", name)
        axis.set_xlabel("similarity to the target", labelpad=15)
    draw_key(figure, key)
    return figure


def _shown(results: Results) -> list[int]:
    """The bands with answers."""
    counts = results.answers.all.counts
    return [band for band in range(len(BANDS)) if any(counts[model][band] for model in counts)]


def _draw_bands(axis: Axes, answers: Answers, shown: list[int], results: Results) -> None:
    x = np.arange(len(shown))
    models = pens(results)
    axis.hlines(answers.naive[shown], x - 0.4, x + 0.4, color=GREY, linewidth=1.4)
    for shift, (model, pen) in zip(offsets(len(models), 0.2), models.items(), strict=True):
        yes = answers.yes[model]
        parts = Estimate(yes.mean[shown], yes.low[shown], yes.high[shown], yes.count[shown])
        draw_upright(axis, x + shift, parts, pen, model, size=5)
    totals = [sum(answers.counts[model][band] for model in models) for band in shown]
    axis.set_xticks(x, [band_label(band) for band in shown], fontsize=6.5)
    below: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "ha": "center"}
    for place, total in zip(x, totals, strict=True):
        axis.annotate(f"{total:,}", (place, 0), (0, -21), **below, fontsize=6.5, color=GREY)
    axis.tick_params(axis="x", length=0)
    axis.set(xlim=(-0.5, len(shown) - 0.5), ylim=(-0.02, 1.02))
    axis.grid(axis="y")
    percent_axis(axis.yaxis)


def band_label(band: int) -> str:
    """A band of similarity, in short."""
    low, high = BANDS[band]
    if band == TARGET:
        return "target"
    if band == TARGET - 1:
        return f"≥ {_short(low)}"
    return f"{_short(low)}–{_short(high)}" if band else f"< {_short(high)}"  # noqa: RUF001


def _short(similarity: float) -> str:
    return f"{similarity:g}".removeprefix("0")


def _yes_caption(results: Results) -> str:
    several = len(results.sample.participants) > 1
    intervals = ", with 95 % intervals that allow participants to differ" if several else ""
    whose = "" if results.gathered.blind else " (the paper's naive teacher)"
    return (
        f"Share of yes among all answers{intervals}, (a) to words that had not been asked about in the round "
        "and (b) to words that had. Under each band of similarity is the number of answers. Grey: a teacher "
        "who says yes with a probability equal to the similarity, however often a word is asked "
        f"about{whose}."
    )


def _yes_alt(results: Results) -> str:
    def shares(answers: Answers) -> str:
        parts = []
        for band in _shown(results):
            count = sum(answers.counts[model][band] for model in answers.counts)
            yes = sum(
                float(np.nan_to_num(answers.yes[model].mean[band])) * answers.counts[model][band]
                for model in answers.counts
            )
            if count:
                parts.append(f"{band_label(band)}: {percent(yes / count)}")
        return ", ".join(parts) or "none"

    return (
        f"Yes by similarity, all models together. First time: {shares(results.answers.first)}. Again: "
        f"{shares(results.answers.again)}."
    )


YES = ReportFigure(
    name="yes",
    section="answers",
    title="Yes answers by similarity to the target",
    caption=_yes_caption,
    alt=_yes_alt,
    draw=_yes,
)


# The words and their similarities, which are the rewards


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
