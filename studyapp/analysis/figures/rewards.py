"""The figure of differences in reward between models."""

from __future__ import annotations

from matplotlib.figure import Figure

from studyapp.analysis.figures.drawing import (
    draw_upright,
    head,
    number_questions,
    pair_label,
    panel_title,
    round_ticks,
    zero_line,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.figures.layout import panels
from studyapp.analysis.results import Results
from studyapp.reporting.plots import INK, PAPER, Pen
from studyapp.reporting.statistics import Estimate
from studyapp.reporting.wording import number

LEVEL = 0.05
COLUMNS = 3  # panels side by side, one for each pair of models


def _differences(results: Results) -> Figure:
    comparisons = results.rewards.comparisons
    columns = min(COLUMNS, len(comparisons))
    rows = -(-len(comparisons) // columns)
    titles = [panel_title(pair, columns) for pair in comparisons]
    top = 0.36 + 0.16 * max(title.count("\n") + 1 for title in titles)
    tall = 2.1 if columns == 1 else 1.6
    figure, axes = panels(
        top + 0.45 + rows * tall + (rows - 1) * (0.5 + top),
        columns,
        rows,
        top=top,
        bottom=0.45,
        left=0.52,
        gap=0.2,
        row_gap=0.5 + top,
        share_y=True,
    )
    for axis in axes[len(comparisons) :]:
        axis.set_visible(False)
    for axis, title, comparison in zip(axes, titles, comparisons.values(), strict=False):
        x = results.rewards.compared_questions
        zero_line(axis)
        draw_upright(
            axis,
            x,
            Estimate(comparison.mean, comparison.low, comparison.high, x),
            Pen(INK, "", "o"),
            None,
            markerfacecolor=PAPER,
            markeredgecolor=INK,
            markeredgewidth=1.1,
        )
        sure = comparison.p_corrected < LEVEL
        axis.plot(x[sure], comparison.mean[sure], "o", color=INK, markersize=4.8)
        head(axis, title, "difference in cumulative reward")
        axis.set_xlabel("question")
        axis.grid(axis="y")
        round_ticks(axis.yaxis)
        number_questions(axis, results.sample.questions)
    return figure


def _caption(results: Results) -> str:
    sure = sum(int((c.p_corrected < LEVEL).sum()) for c in results.rewards.comparisons.values())
    intervals = " with 95 % intervals" if len(results.sample.participants) > 1 else ""
    filled = (
        "Filled: p below 0.05, corrected for testing after every question."
        if sure
        else "No difference has p below 0.05, corrected for testing after every question."
    )
    return f"Mean differences over participants{intervals}. {filled}" if intervals else "Mean differences."


def _alt(results: Results) -> str:
    last = [
        f"{pair_label(pair)} {number(comparison.mean[-1])} ({number(comparison.low[-1])} to "
        f"{number(comparison.high[-1])})"
        for pair, comparison in results.rewards.comparisons.items()
    ]
    return f"Dots with intervals by question. After the last question: {'; '.join(last)}."


DIFFERENCES = ReportFigure(
    name="differences",
    section="reward",
    title="Difference in cumulative reward by question",
    caption=_caption,
    alt=_alt,
    draw=_differences,
    has_data=lambda results: bool(results.sample.pairs) and results.sample.questions > 1,
)
