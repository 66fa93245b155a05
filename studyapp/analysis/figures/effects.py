"""Figures of where the effect comes from: target by target, and participant by participant."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray

from core.wording import counted
from studyapp.analysis.comparisons import PairComparison
from studyapp.analysis.figures.drawing import (
    ReportFigure,
    draw_across,
    draw_upright,
    head,
    pair_label,
    panel_title,
    pens,
    round_ticks,
    single,
    zero_line,
)
from studyapp.analysis.figures.layout import cut, panels, widest, wrapped
from studyapp.analysis.outcomes import TIME
from studyapp.analysis.results import Results
from studyapp.reporting.plots import GREY, INK, PAPER, Pen
from studyapp.reporting.statistics import Array, mean_ci
from studyapp.reporting.wording import number

MOST_NAMED = 40  # targets whose words fit beside the axis
MOST_VECTOR = 100  # participants; the lines and dots of more are drawn as an image
COLUMNS = 3  # panels side by side


# Target by target


def _by_target(results: Results) -> Figure:
    comparisons = results.comparisons
    first = next(iter(comparisons.values()))
    order = np.argsort(-np.nan_to_num(mean_ci(first.reward.differences).mean, nan=-np.inf), kind="stable")
    targets = [cut(results.sample.targets[i], 20) for i in order]
    named = len(targets) <= MOST_NAMED
    columns = min(COLUMNS, len(comparisons))
    rows = -(-len(comparisons) // columns)
    titles = [panel_title(pair, columns) for pair in comparisons]
    top = 0.2 + 0.16 * max(title.count("\n") + 1 for title in titles)
    tall = (0.185 if named else 0.05) * (len(targets) + 2)
    figure, axes = panels(
        top + 0.5 + rows * tall + (rows - 1) * (0.5 + top),
        columns,
        rows,
        left=0.25 + widest([*(targets if named else []), "all targets"]),
        top=top,
        bottom=0.5,
        gap=0.25,
        row_gap=0.5 + top,
        share_y=True,
        right=0.2,
    )
    for axis in axes[len(comparisons) :]:
        axis.set_visible(False)
    for axis, title, comparison in zip(axes, titles, comparisons.values(), strict=False):
        _draw_targets(axis, comparison, order)
        head(axis, title)
        axis.set_xlabel("difference in reward")
    ends = [end for axis in axes[: len(comparisons)] for end in axis.get_xlim()]
    for axis in axes:
        axis.set_xlim(min(ends), max(ends))
        round_ticks(axis.xaxis, 6 if columns > 1 else 9)
    places = [*range(len(targets)), len(targets) + 0.6] if named else [len(targets) + 0.6]
    axes[0].set_yticks(places, [*(targets if named else []), "all targets"])
    axes[0].set_ylim(len(targets) + 1.2, -0.7)
    return figure


def _draw_targets(axis: Axes, comparison: PairComparison, order: NDArray[np.intp]) -> None:
    effect = mean_ci(comparison.reward.differences[:, order])
    zero_line(axis, upright=True)
    y = np.arange(len(order))
    few = len(order) <= MOST_NAMED
    draw_across(axis, y, effect, Pen(INK, "", "o"), None, size=4.8 if few else 2.4)
    test = comparison.reward.test
    everything = single(test.difference, test.low, test.high)
    draw_across(axis, np.array([len(order) + 0.6]), everything, Pen(INK, "", "D"), None, size=6)
    axis.axhline(len(order) - 0.2, color=GREY, linewidth=0.6)
    axis.grid(axis="x")
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)


def _by_target_caption(results: Results) -> str:
    several = len(results.sample.participants) > 1
    intervals = ", with 95 % intervals over participants" if several else ""
    pairs = len(results.comparisons)
    order = "sorted by size" if pairs == 1 else "sorted by size in the first panel"
    return (
        f"Difference in the reward of a round for every target{intervals}, {order}. The diamond is the "
        "mean over all targets: the main comparison."
    )


def _by_target_alt(results: Results) -> str:
    rows = []
    for pair, comparison in results.comparisons.items():
        means = mean_ci(comparison.reward.differences).mean
        above = int((means > 0).sum())
        rows.append(f"{pair_label(pair)} is above 0 for {above} of {counted(len(means), 'target')}")
    return f"A row for every target. {'; '.join(rows)}."


BY_TARGET = ReportFigure(
    name="by-target",
    section="samples",
    title="Difference in reward by target",
    caption=_by_target_caption,
    alt=_by_target_alt,
    draw=_by_target,
    has_data=lambda results: bool(results.comparisons) and len(results.sample.targets) > 1,
)


# Participant by participant


def _paired(results: Results) -> Figure:
    models = pens(results)
    names = [wrapped(cut(model, 24), 12) for model in models]
    lines = max(name.count("\n") + 1 for name in names)
    figure, (left, right) = panels(
        2.75 + 0.13 * lines, 2, top=0.5, bottom=0.2 + 0.15 * lines, gap=0.55, left=0.4
    )
    last = results.sample.questions
    _draw_paired(left, results, [TIME.of_participants(results.sample, model) for model in models], names)
    left.set_ylim(0, last + 0.5)
    head(left, "Finding the target", "questions until the target was found", "a")
    _draw_paired(right, results, [results.rewards.curves[model][:, -1] for model in models], names)
    right.set_ylim(bottom=0)
    head(right, "Reward", "cumulative reward of a round", "b")
    return figure


def _draw_paired(axis: Axes, results: Results, values: Sequence[Array], names: Sequence[str]) -> None:
    """Lines join the values of one participant."""
    participants = len(results.sample.participants)
    x = np.arange(len(values))
    lines = LineCollection(
        [np.column_stack([x, row]) for row in np.column_stack(values)],
        colors=GREY,
        alpha=max(0.12, 0.6 / (1 + participants / 15)),
        linewidths=0.8,
        zorder=1,
    )
    many = participants > MOST_VECTOR
    lines.set_rasterized(many)
    axis.add_collection(lines)
    size = 3.6 if participants <= 20 else 2.6 if participants <= 60 else 2.0
    for place, own, pen in zip(x, values, pens(results).values(), strict=True):
        axis.plot(
            np.full(len(own), place),
            own,
            pen.marker,
            color=pen.colour,
            markersize=size,
            markeredgecolor=PAPER,
            markeredgewidth=0.4,
            rasterized=many,
        )
        mean = mean_ci(own)
        beside = place - 0.2 if place == 0 and len(values) > 1 else place + 0.2
        draw_upright(axis, np.array([beside]), single(mean.mean, mean.low, mean.high), pen, None, size=5.5)
    axis.set_xticks(x, names)
    axis.set_xlim(-0.45, len(values) - 0.55)
    axis.tick_params(axis="x", length=0)
    axis.grid(axis="y")


def _paired_caption(results: Results) -> str:
    several = len(results.sample.participants) > 1
    means = " Large markers are means with 95 % intervals." if several else ""
    return (
        "Small markers are participants, and a line joins the values of one participant. (a) Mean number of "
        f"questions (fewer are better); a round that did not find the target counts with all its "
        f"{results.sample.questions} questions. (b) Mean cumulative reward of a round.{means}"
    )


def _paired_alt(results: Results) -> str:
    parts = []
    for pair, comparison in results.comparisons.items():
        own = np.nanmean(comparison.reward.differences, 1)
        parts.append(
            f"{pair_label(pair)} is above 0 in reward for {int((own > 0).sum())} of "
            f"{counted(len(own), 'participant')}, from {number(float(np.nanmin(own)))} to "
            f"{number(float(np.nanmax(own)))}"
        )
    return f"Dots by model, joined by participant. {'; '.join(parts)}."


PAIRED = ReportFigure(
    name="paired",
    section="samples",
    title="Every participant with every model",
    caption=_paired_caption,
    alt=_paired_alt,
    draw=_paired,
    has_data=lambda results: bool(results.comparisons),
)
