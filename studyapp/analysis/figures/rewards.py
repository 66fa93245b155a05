"""Figures of the reward: curves, differences between models, p-values."""

from __future__ import annotations

from textwrap import fill

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from studyapp.analysis.figures.drawing import (
    add_legend,
    axes_grid,
    axes_row,
    draw_line,
    half_widths,
    number_questions,
    offsets,
    pair_label,
    pens,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.results import Results
from studyapp.reporting.plots import COLOURS, GREY, MARKERS
from studyapp.reporting.statistics import EXACT, FLIPS, Comparison

__all__ = ["CURVES", "DIFFERENCES", "P_VALUES"]

MOST_VECTOR_LINES = 100  # participants; the lines of more are drawn as an image
SMALLEST_P = 1e-12  # drawn on the logarithmic axis


def _curves(results: Results) -> Figure:
    figure, (axis,) = axes_row(3.9)
    questions = results.sample.questions
    x = np.arange(1, questions + 1)
    participants = len(results.sample.participants)
    for model, pen in pens(results).items():
        lines = LineCollection(
            [np.column_stack([x, row]) for row in results.rewards.curves[model]],
            colors=pen.colour,
            alpha=max(0.03, 0.35 / (1 + participants / 20)),
            linewidths=0.8,
        )
        lines.set_rasterized(participants > MOST_VECTOR_LINES)
        axis.add_collection(lines)
        draw_line(axis, x, results.rewards.means[model], pen, model)
    axis.plot(x, results.rewards.random, color=GREY, linestyle=":", label="random questions")
    axis.set(xlabel="question", ylabel="cumulative reward")
    axis.set_ylim(bottom=0)
    number_questions(axis, questions)
    add_legend(figure, axis)
    return figure


def _curves_caption(_: Results) -> str:
    return (
        "Lines with markers show means over participants, bands their 95 % intervals, and faint lines single "
        "participants. The dotted line is the expected reward if every question is about a random word."
    )


CURVES = ReportFigure(
    name="curves",
    section="reward",
    title="Mean cumulative reward by question",
    caption=_curves_caption,
    draw=_curves,
)


def _differences(results: Results) -> Figure:
    figure, (axis,) = axes_row(3.0)
    comparisons = results.rewards.comparisons
    shifts = offsets(len(comparisons), 0.12)
    for i, (pair, comparison) in enumerate(comparisons.items()):
        axis.errorbar(
            results.rewards.compared_questions + shifts[i],
            comparison.mean,
            yerr=half_widths(comparison.mean, comparison.low, comparison.high),
            fmt=MARKERS[i % len(MARKERS)],
            color=COLOURS[(i + 2) % len(COLOURS)],
            markersize=4,
            capsize=2,
            label=fill(pair_label(pair), 80),
        )
    axis.axhline(0, color=GREY, linewidth=0.8)
    axis.set(xlabel="question", ylabel="difference in cumulative reward")
    number_questions(axis, results.sample.questions)
    add_legend(figure, axis)
    return figure


DIFFERENCES = ReportFigure(
    name="differences",
    section="reward",
    title="Difference in cumulative reward by question",
    caption=lambda _: "Markers show mean differences over participants, bars their 95 % intervals.",
    draw=_differences,
    has_data=lambda results: bool(results.sample.pairs) and results.sample.questions > 1,
)


def _p_values(results: Results) -> Figure:
    comparisons = results.rewards.comparisons
    count = max(1, len(comparisons))
    columns = min(3, count)
    rows = -(-count // columns)
    figure, axes = axes_grid(2.9 * rows, rows, columns, sharey=True)
    for axis, (pair, comparison) in zip(axes, comparisons.items(), strict=False):
        _draw_p_values(axis, results.rewards.compared_questions, comparison)
        if count > 1:
            axis.set_title(fill(pair_label(pair), 22))
        axis.set_xlabel("question")
        number_questions(axis, results.sample.questions)
    for axis in axes[len(comparisons) :]:
        axis.set_visible(False)
    axes[0].set_ylabel("p")
    add_legend(figure, axes[0])
    return figure


def _draw_p_values(axis: Axes, questions: np.ndarray, comparison: Comparison) -> None:
    for p, style, marker, colour, label in (
        (comparison.p, "-", "o", "#000000", "paired t-test"),
        (comparison.p_wilcoxon, "--", "^", COLOURS[5], "Wilcoxon"),
        (comparison.p_corrected, "-.", "s", COLOURS[3], "t-test, corrected"),
    ):
        drawn = np.maximum(p, SMALLEST_P)
        axis.plot(questions, drawn, style, marker=marker, markersize=3, color=colour, label=label)
    for level in (0.05, 0.01):
        axis.axhline(level, color=GREY, linestyle="--", linewidth=0.8)
        axis.annotate(
            f"{level:g}",
            (1, level),
            (3, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            fontsize=7,
            color=GREY,
        )
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter(lambda p, _: f"{p:g}")
    axis.yaxis.set_minor_formatter(NullFormatter())
    low, high = axis.get_ylim()
    axis.set_ylim(min(low, 0.005), max(1.2, min(high, 2.0)))


def _p_values_caption(results: Results) -> str:
    participants = len(results.sample.participants)
    flips = f"all {2**participants:,}" if participants <= EXACT else f"{FLIPS:,} random"
    return (
        "Dashed lines mark 0.05 and 0.01. Wilcoxon's signed-rank test does not assume normal differences. "
        "The corrected p is the probability, if there were no difference, that the largest |t| over all "
        f"questions is at least this large (from {flips} flips of the signs of participants' differences)."
    )


P_VALUES = ReportFigure(
    name="p-values",
    section="reward",
    title="p-values by question",
    caption=_p_values_caption,
    draw=_p_values,
    has_data=lambda results: DIFFERENCES.has_data(results) and len(results.sample.participants) > 1,
)
