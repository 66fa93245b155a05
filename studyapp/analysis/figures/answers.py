"""The figure of yes answers by the similarity of the word to the target."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studyapp.analysis.answers import BANDS, Answers
from studyapp.analysis.figures.drawing import (
    add_legend,
    axes_grid,
    half_widths,
    offsets,
    pens,
    percent_axis,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.results import Results
from studyapp.reporting.plots import GREY

__all__ = ["YES"]


def _yes(results: Results) -> Figure:
    answers = results.answers
    totals = [
        sum(answers.all.counts[model][band] for model in results.sample.models) for band in range(len(BANDS))
    ]
    shown = [band for band, total in enumerate(totals) if total]
    figure, (first, again) = axes_grid(4.8, 2, 1, sharex=False, sharey=True)
    _draw_bands(first, answers.first, shown, results)
    first.set_title("asked for the first time in a round")
    _draw_bands(again, answers.again, shown, results)
    again.set_title("asked again")
    again.set_xlabel("similarity of the word to the target")
    add_legend(figure, first)
    return figure


def _draw_bands(axis: Axes, answers: Answers, shown: list[int], results: Results) -> None:
    models = results.sample.models
    x = np.arange(len(shown))
    for shift, (model, pen) in zip(offsets(len(models), 0.14), pens(results).items(), strict=True):
        yes = answers.yes[model]
        axis.errorbar(
            x + shift,
            yes.mean[shown],
            yerr=half_widths(yes.mean[shown], yes.low[shown], yes.high[shown]),
            fmt=pen.marker,
            color=pen.colour,
            markersize=4,
            capsize=2,
            label=model,
        )
    axis.plot(x, answers.naive[shown], "_", color=GREY, markersize=16, label="naive teacher")
    totals = [sum(answers.counts[model][band] for model in models) for band in shown]
    labels = [f"{_band_label(band)}\nn = {total:,}" for band, total in zip(shown, totals, strict=True)]
    axis.set_xticks(x, labels)
    axis.set(ylabel="yes answers", xlim=(-0.5, len(shown) - 0.5), ylim=(-0.02, 1.02))
    percent_axis(axis.yaxis)


def _band_label(band: int) -> str:
    low, high = BANDS[band]
    if band == len(BANDS) - 1:
        return "target"
    return f"{low:g} to {high:g}" if band < len(BANDS) - 2 else f"{low:g} or more"


YES = ReportFigure(
    name="yes",
    section="answers",
    title="Yes answers by similarity of the word to the target",
    caption=lambda _: (
        "Share of yes among all answers, with 95 % intervals that allow participants to differ. Above, words "
        "that had not been asked about in the round; below, words that had. A naive teacher says yes with a "
        "probability equal to the reward (grey), however often a word is asked about."
    ),
    draw=_yes,
)
