"""Figures of the two examples, 1 and 2, and of the active learner of wines, S1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from studyapp.experiments.designs.design import ACCURACY, PROBABILITY, Record
from studyapp.experiments.designs.examples import AFTER_NO, AFTER_YES
from studyapp.experiments.figures.drawing import (
    BLACK,
    HANDLE,
    Array,
    Runs,
    estimated,
    grid,
    in_look,
    line,
    steps,
    whole_numbers,
)
from studyapp.experiments.store import Results
from studyapp.reporting.plots import COLOURS, GREY, WIDTH, Pen

WAYS = {  # to query: a label and a pen for each series
    "random": ("random queries", Pen(COLOURS[1], ":", "o")),
    "alone": ("without teacher", Pen(COLOURS[4], "--", "s")),
    "teacher": ("with teacher", Pen(COLOURS[2], "-", "^")),
}
REFERENCES = {  # lines across the figure: a label, a colour and a style for each series
    "full pool": ("all labels of the pool known", BLACK, "-"),
    "none good": ("no wine called good", GREY, "--"),
}
SAME_CLUSTER = 0.45  # queries closer than this are numbered on one ring
FAR = 1000.0  # from the middle of a picture of a pool
SMALL = 7  # the size of letters where there is little room


@in_look
def active_example(runs: Runs) -> Figure:
    """One pool learned without and with a teacher, and the mean accuracy over all replications."""
    (results,) = runs.values()
    figure = Figure(figsize=(WIDTH, 5.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplot_mosaic([["alone", "teacher"], ["accuracy", "accuracy"]], height_ratios=(3, 2))
    number = typical(results)
    for series in ("alone", "teacher"):
        axis, label = axes[series], WAYS[series][0]
        axis.set_title(f"{label[0].upper()}{label[1:]}")
        if number is not None:
            record = results.records[series][number]
            axis.set_xlabel(f"replication {number}: accuracy {record['accuracy'][-1]:.2f}")
            _pool(axis, record)
    if number is not None:
        handles, labels = axes["teacher"].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=3, fontsize=8)
    _accuracies(axes["accuracy"], runs)
    return figure


def typical(results: Results) -> int | None:
    """The replication whose gain in final accuracy from the teacher is closest to the median gain."""
    shared = sorted(set(results.numbers("alone")) & set(results.numbers("teacher")))
    if not shared:
        return None
    alone, teacher = (results.values(series, ACCURACY, shared)[:, -1] for series in ("alone", "teacher"))
    gain = teacher - alone
    return shared[int(np.argmin(np.abs(gain - np.median(gain))))]


def _pool(axis: Axes, record: Record) -> None:
    """The pool by true label, the queries with their order, and the learned boundary."""
    pool, labels = np.array(record["pool"]), np.array(record["labels"], dtype=bool)
    for members, marker, name in ((~labels, "o", "class 0"), (labels, "s", "class 1")):
        axis.plot(*pool[members].T, marker, color="#b5b5b5", markersize=4, markeredgewidth=0, label=name)
    start = np.array(record["start"])
    axis.plot(*start.T, "*", color=COLOURS[1], markersize=11, label="known at the start")
    queries, answers, truth = (np.array(record[name], dtype=int) for name in ("queries", "answers", "truth"))
    switched = answers != truth
    for members, colour, marker, label in (
        (~switched, COLOURS[1], "o", "asked, in this order"),
        (switched, COLOURS[0], "X", "asked, label switched"),
    ):
        points = pool[queries[members]].reshape(-1, 2)
        axis.plot(*points.T, marker, color=colour, markersize=5.5, markeredgewidth=0, label=label)
    _boundary(axis, record["weights"])
    _orders(axis, pool[queries], [COLOURS[0] if wrong else COLOURS[1] for wrong in switched])
    reach = 1.1 * max(0.1, np.abs(np.vstack([pool, start])).max())
    axis.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axis.set_xticks([-1, 0, 1])
    axis.set_yticks([-1, 0, 1])


def _boundary(axis: Axes, weights: Sequence[float]) -> None:
    """Where the model gives both classes the same probability: constant + a x + b y = 0."""
    constant, a, b = weights
    slope = math.hypot(a, b)
    if (
        slope and abs(constant) <= FAR * slope
    ):  # otherwise it passes far outside the picture, or there is none
        across = np.array([a, b]) / slope
        foot = -constant / slope * across
        axis.axline(
            tuple(foot),
            tuple(foot + np.array([-across[1], across[0]])),
            color=BLACK,
            linewidth=1.2,
            label="learned boundary",
        )


def _orders(axis: Axes, points: Array, colours: Sequence[str]) -> None:
    """The number of each query; those of one cluster stand on a ring around it, sorted by direction."""
    for cluster in _clusters(points):
        centre = points[cluster].mean(0)
        directions = np.array([np.arctan2(*(points[i] - centre)[::-1]) for i in cluster])
        ring = 2 * np.pi * np.arange(len(cluster)) / len(cluster)
        order = np.argsort(directions, kind="stable")
        turn = np.angle(np.exp(1j * (directions[order] - ring)).sum())
        reach = 0.24 + 0.02 * len(cluster)
        for place, angle in zip(order, ring + turn, strict=True):
            i = cluster[place]
            axis.annotate(
                str(i + 1),
                tuple(points[i]),
                tuple(centre + reach * np.array([np.cos(angle), np.sin(angle)])),
                ha="center",
                va="center",
                fontsize=SMALL,
                color=colours[i],
                path_effects=[withStroke(linewidth=2, foreground="#ffffff")],
                arrowprops={"arrowstyle": "-", "color": colours[i], "linewidth": 0.6, "shrinkB": 2},
            )


def _clusters(points: Array) -> list[list[int]]:
    """Groups of points that are close to each other, or joined by others in between."""
    clusters: list[list[int]] = []
    for i, point in enumerate(points):
        near = [group for group in clusters if min(np.hypot(*(points[group] - point).T)) < SAME_CLUSTER]
        clusters = [group for group in clusters if group not in near] + [[*chain.from_iterable(near), i]]
    return clusters


def _accuracies(axis: Axes, runs: Runs) -> None:
    for position, (series, (label, pen)) in enumerate(WAYS.items()):
        line(axis, runs, next(iter(runs)), series, ACCURACY, pen, label, position)
    axis.set(xlabel="answers", ylabel="accuracy")
    whole_numbers(axis)
    if axis.lines:
        axis.legend(loc="lower right", fontsize=8, handlelength=HANDLE)


@in_look
def active_wine(runs: Runs) -> Figure:
    """Accuracy by answers for each way to query, and for models that know all labels or none."""
    (results,) = runs.values()
    figure, ((axis,),) = grid(3.4, 1, 1)
    for series, (label, colour, style) in REFERENCES.items():
        if results.numbers(series):
            estimate = estimated(results, series, ACCURACY)
            x = steps(ACCURACY, len(estimate.mean))
            axis.fill_between(x, estimate.low, estimate.high, color=colour, alpha=0.15, linewidth=0)
            axis.plot(x, estimate.mean, style, color=colour, linewidth=1.0, label=label)
    _accuracies(axis, runs)
    return figure


# Figure 2: ten arms on a line, and the answer to the first question

BARS: tuple[Any, ...] = (  # shift, measure, label, look
    (-0.2, AFTER_NO, "after a no", {"facecolor": "#ffffff", "hatch": "////"}),
    (0.2, AFTER_YES, "after a yes", {"facecolor": COLOURS[1]}),
)


@in_look
def teaching_example(runs: Runs) -> Figure:
    """Left, the arms and the one asked about; right, the next question after a no and after a yes."""
    figure, (axes,) = grid(2.9, 1, 2)
    left, right = axes
    (results,) = runs.values()
    asked = int(results.design["asked"])
    if results.numbers("teacher"):
        rewards = estimated(results, "teacher", PROBABILITY).mean
        arms = steps(PROBABILITY, len(rewards))
        left.vlines(arms, 0, rewards, color=BLACK, linewidth=1.4)
        others = arms != asked
        left.plot(arms[others], rewards[others], "o", color=BLACK, markersize=5)
        left.plot(arms[~others], rewards[~others], "D", color=COLOURS[0], markersize=7)
        left.annotate(
            f"asked first: arm {asked},\nreward probability {rewards[asked - 1]:.2f}",
            (asked, rewards[asked - 1]),
            (0.7, 0.86),
            fontsize=8,
            arrowprops={
                "arrowstyle": "-",
                "color": GREY,
                "linewidth": 0.8,
                "shrinkB": 6,
                "relpos": (0.75, 0.0),
            },
        )
        for shift, measure, label, look in BARS:
            mean = estimated(results, "teacher", measure).mean
            right.bar(arms + shift, mean, 0.4, label=label, edgecolor=COLOURS[1], linewidth=0.8, **look)
        right.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, ncols=2, fontsize=8)
        for axis in axes:
            axis.set_xticks(arms)
    left.set(xlabel="arm", ylabel="reward probability", ylim=(0, 1.02))
    right.set(xlabel="arm", ylabel="probability of being asked next")
    right.set_ylim(bottom=0)
    return figure
