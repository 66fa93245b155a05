"""Figures of how people answered: alpha by participant, and yes answers by similarity."""

from __future__ import annotations

from textwrap import fill

import numpy as np
from matplotlib.figure import Figure

from core.wording import counted
from studyapp.analysis.answers import BANDS
from studyapp.analysis.figures.drawing import (
    add_legend,
    axes_row,
    half_widths,
    offsets,
    pens,
    percent_axis,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.results import Results
from studyapp.reporting.plots import COLOURS, GREY

__all__ = ["PLANNERS", "YES"]

MOST_NAMED = 60  # participants whose IDs fit beside the axis


def _planners(results: Results) -> Figure:
    alphas = sorted(results.alphas.items(), key=lambda item: item[1].mean)
    named = len(alphas) <= MOST_NAMED
    figure, (axis,) = axes_row(max(1.6, min(0.9 + 0.19 * len(alphas), 8.0)))
    y = np.arange(len(alphas))
    low, mean, high = (
        np.array([getattr(alpha, name) for _, alpha in alphas]) for name in ("low", "mean", "high")
    )
    axis.hlines(y, low, high, color=COLOURS[2], linewidth=2 if named else 0.5, alpha=0.6)
    axis.plot(mean, y, "o", color=COLOURS[2], markersize=4 if named else 1.5)
    axis.set_yticks(y if named else [], [fill(name, 32) for name, _ in alphas] if named else [])
    axis.set_ylim(-0.7, len(alphas) - 0.3)
    axis.set(xlabel="alpha (0: all answers at face value, 1: all answers planned)", xlim=(0, 1))
    if not named:
        axis.set_ylabel(counted(len(alphas), "participant"))
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    return figure


def _planners_caption(results: Results) -> str:
    drawn, participants = len(results.alphas), len(results.sample.participants)
    some = (
        f" {drawn} of the {participants} participants were drawn at random." if drawn < participants else ""
    )
    return (
        "Posterior mean and 95 % interval of alpha, the share of answers that a planning teacher would give; "
        "a naive teacher would give the others. It is estimated from all answers that count, with the target "
        "known and a uniform prior. Participants who answer like neither get a value in between: about 0.2 "
        "to 0.35 for simulated participants who answer by similarity alone, 0.1 to 0.2 for random answers, "
        f"0.27 to 0.48 for the published participants, and more than 0.9 for simulated planners.{some}"
    )


PLANNERS = ReportFigure(
    name="planners",
    section="answers",
    title="How much each participant plans",
    caption=_planners_caption,
    draw=_planners,
    has_data=lambda results: bool(results.alphas),
)


def _yes(results: Results) -> Figure:
    figure, (axis,) = axes_row(3.2)
    answers, models = results.answers, results.sample.models
    totals = [sum(answers.counts[model][band] for model in models) for band in range(len(BANDS))]
    shown = [band for band, total in enumerate(totals) if total]
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
    axis.set_xticks(x, [f"{_band_label(band)}\nn = {totals[band]:,}" for band in shown])
    axis.set(xlabel="similarity of the word to the target", ylabel="yes answers", ylim=(-0.02, 1.02))
    percent_axis(axis.yaxis)
    add_legend(figure, axis)
    return figure


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
        "Share of yes among all answers, with 95 % intervals that allow participants to differ. "
        "A naive teacher says yes with a probability equal to the reward (grey)."
    ),
    draw=_yes,
)
