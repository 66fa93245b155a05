"""The figure of yes answers by the similarity of the asked word to the target."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studyapp.analysis.answers import BANDS, Answers
from studyapp.analysis.figures.drawing import (
    draw_upright,
    head,
    model_key,
    offsets,
    pens,
    percent_axis,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.figures.layout import Entry, draw_key, key_height, panels
from studyapp.analysis.results import Results
from studyapp.reporting.plots import GREY
from studyapp.reporting.statistics import Estimate
from studyapp.reporting.wording import percent

TARGET = len(BANDS) - 1  # the band of the target itself


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


def _caption(results: Results) -> str:
    several = len(results.sample.participants) > 1
    intervals = ", with 95 % intervals that allow participants to differ" if several else ""
    whose = "" if results.gathered.blind else " (the paper's naive teacher)"
    return (
        f"Share of yes among all answers{intervals}, (a) to words that had not been asked about in the round "
        "and (b) to words that had. Under each band of similarity is the number of answers. Grey: a teacher "
        "who says yes with a probability equal to the similarity, however often a word is asked "
        f"about{whose}."
    )


def _alt(results: Results) -> str:
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
    caption=_caption,
    alt=_alt,
    draw=_yes,
)
