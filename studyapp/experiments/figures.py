"""The paper's figures, drawn from results alone.

The look is that of the analysis' figures.  Every pair of teacher and learner has one colour (Okabe and
Ito's), line style and marker in all of them, so that neither colour blindness nor print in grey mixes them
up.  Lines are means over replications, bands their 95 % intervals.  The same results make the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from itertools import chain
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from studyapp.experiments.designs import Record
from studyapp.experiments.measures import MEASURES
from studyapp.experiments.results import Results
from studyapp.reporting import plots
from studyapp.reporting.plots import COLOURS, FORMS, GREY, LOOK, WIDTH, Pen
from studyapp.reporting.statistics import Estimate, mean_ci

__all__ = [
    "PENS",
    "active_example",
    "active_wine",
    "bandits",
    "factorial",
    "multi_step",
    "profiles",
    "save",
    "teaching_example",
]

Runs = Mapping[str, Results]  # by label
Array = NDArray[np.float64]
P = ParamSpec("P")

BLACK = "#000000"
PENS = {
    "N-N": Pen(COLOURS[1], "-", "o"),
    "P-N": Pen(COLOURS[4], "--", "s"),
    "P-P": Pen(COLOURS[0], "-.", "^"),
    "N-P": Pen(COLOURS[3], ":", "v"),
    "N-M": Pen(COLOURS[5], "--", "D"),
    "P-M": Pen(COLOURS[2], "-.", "P"),
}
WAYS = {  # to query, and how each is called
    "random": ("random queries", Pen(COLOURS[1], ":", "o")),
    "alone": ("without teacher", Pen(COLOURS[4], "--", "s")),
    "teacher": ("with teacher", Pen(COLOURS[2], "-", "^")),
}
ACROSS = {
    "full pool": ("all labels of the pool", BLACK, "-"),
    "none good": ("no wine called good", GREY, "--"),
}
HORIZONS = (Pen(COLOURS[1], "--", "s"), Pen(COLOURS[2], "-.", "D"), Pen(COLOURS[0], "-", "^"))
FITTED = (
    Pen(COLOURS[1], "-", "o"),
    Pen(COLOURS[5], "--", "s"),
    Pen(COLOURS[0], "-", "^"),
    Pen(COLOURS[4], "--", "D"),
)
PROFILES = (
    Pen(COLOURS[0], "-", "o"),
    Pen(COLOURS[1], "--", "s"),
    Pen(COLOURS[2], "-.", "^"),
    Pen(COLOURS[3], ":", "D"),
)
KINDS = FORMS | {"png": {"Software": None}}
DOTS = 200  # of an inch of a PNG
MARKS = 7  # about as many markers a line
TOGETHER = 0.45  # points of the pool closer than this are of one cluster
SMALL = 7  # the size of letters that have little room
HANDLE = 4  # the length of a line in a legend: enough to tell its style

COLUMNS = {
    "Planning against naive teachers": ("N-N", "P-N", "P-P"),
    "Mismatch and mixture": ("N-P", "N-M", "P-M"),
}
REFERENCES = {"N-N": "-", "P-P": "--"}  # what the pairs of the right side are held against


def _in_look(make: Callable[P, Figure]) -> Callable[P, Figure]:
    @wraps(make)
    def made(*args: P.args, **more: P.kwargs) -> Figure:
        with mpl.rc_context(LOOK):
            return make(*args, **more)

    return made


def save(figure: Figure, folder: Path, name: str) -> Path:
    """Write a figure as SVG, PDF and PNG; where the SVG is."""
    return plots.save(figure, folder, name, KINDS, DOTS)


def _grid(height: float, rows: int, columns: int, **more: Any) -> tuple[Figure, Any]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False, **more)


def _has(runs: Runs, run: str, series: str) -> bool:
    return run in runs and bool(runs[run].numbers(series))


def _estimate(results: Results, series: str, measure: str) -> Estimate:
    return mean_ci(MEASURES[measure].values(results, series, results.numbers(series)))


def _steps(measure: str, many: int) -> Array:
    return np.arange(many, dtype=np.float64) + MEASURES[measure].first


def _curve(axis: Axes, x: Array, estimate: Estimate, pen: Pen, label: str, turn: int = 0) -> None:
    """A mean with its band; markers of the ``turn``-th line are moved along, so that they hide no others."""
    every = max(1, len(x) // MARKS)
    axis.fill_between(x, estimate.low, estimate.high, color=pen.colour, alpha=0.2, linewidth=0)
    axis.plot(
        x,
        estimate.mean,
        pen.style,
        color=pen.colour,
        marker=pen.marker,
        markersize=4,
        markevery=(min(turn * every // 3 + every // 2, len(x) - 1), every),
        linewidth=1.4,
        label=label,
    )


def _whole_numbers(axis: Axes) -> None:
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8, steps=[1, 2, 5, 10]))
    low, high = axis.get_xlim()
    if high - low < 1.0:  # a single question
        axis.set_xlim(low - 0.5, high + 0.5)


@_in_look
def bandits(runs: Runs, run: str) -> Figure:
    """Teachers and learners on one dataset: reward above, concordance below."""
    columns = {
        title: pairs for title, pairs in COLUMNS.items() if any(_has(runs, run, pair) for pair in pairs)
    }
    figure, axes = _grid(5.0, 2, max(1, len(columns)), sharex=True, sharey="row")
    for column, (title, pairs) in enumerate(columns.items()):
        for row, measure in enumerate(("cumulative reward", "concordance")):
            axis = axes[row, column]
            for turn, pair in enumerate(pairs):
                if _has(runs, run, pair):
                    found = _estimate(runs[run], pair, measure)
                    _curve(axis, _steps(measure, len(found.mean)), found, PENS[pair], pair, turn)
            if column:
                _references(axis, runs, run, measure)
            _whole_numbers(axis)
        axes[0, column].set_title(title)
        axes[1, column].set_xlabel("question")
        axes[0, column].legend(loc="upper left", fontsize=8, handlelength=HANDLE)
    axes[0, 0].set(ylabel="cumulative reward")
    axes[0, 0].set_ylim(bottom=0)
    axes[1, 0].set(ylabel="concordance")
    low, high = axes[1, 0].get_ylim()
    axes[1, 0].set_ylim(max(0.0, low), min(1.0, high))
    return figure


def _references(axis: Axes, runs: Runs, run: str, measure: str) -> None:
    for pair, style in REFERENCES.items():
        if _has(runs, run, pair):
            found = _estimate(runs[run], pair, measure)
            x = _steps(measure, len(found.mean))
            axis.plot(x, found.mean, style, color=GREY, linewidth=0.9, zorder=1.5, label=f"{pair} (left)")


@_in_look
def multi_step(runs: Runs, one: str, others: Mapping[str, str]) -> Figure:
    """What planning further ahead (``others``: what each run is called) adds to planning one step."""
    figure, (axes,) = _grid(3.0, 1, 2)
    for axis, measure in zip(axes, ("cumulative reward", "concordance"), strict=True):
        axis.axhline(0, color=GREY, linewidth=0.8)
        for turn, (run, label) in enumerate(others.items()):
            found = _difference(runs, run, one, measure)
            if found is not None:
                _curve(axis, _steps(measure, len(found.mean)), found, HORIZONS[turn], label, turn)
        axis.set(xlabel="question", ylabel=f"difference in {measure}")
        _whole_numbers(axis)
    if axes[0].get_legend_handles_labels()[0]:
        axes[0].legend(loc="upper left", fontsize=8, handlelength=HANDLE)
    return figure


def _difference(runs: Runs, run: str, one: str, measure: str, series: str = "P-P") -> Estimate | None:
    """Paired by replication."""
    if not (_has(runs, run, series) and _has(runs, one, series)):
        return None
    shared = sorted(set(runs[run].numbers(series)) & set(runs[one].numbers(series)))
    if not shared:
        return None
    take = MEASURES[measure].values
    return mean_ci(take(runs[run], series, shared) - take(runs[one], series, shared))


@_in_look
def factorial(runs: Runs, pairs: Sequence[str], further: str, contrast: str) -> Figure:
    """Rewards by fit of learner and imagined learner, and the contrast between the answers to a question.

    Runs go by these two fits, as "converged, published", with ``further`` behind where teachers plan so.
    """
    figure, ((left, right),) = _grid(3.4, 1, 2, width_ratios=(1.5, 1))
    fits = [label for label in runs if not label.endswith(further)]
    columns = [(pair, pair, "") for pair in pairs] + [(f"{pairs[-1]}{further}", pairs[-1], further)]
    shifts = (np.arange(len(fits)) - (len(fits) - 1) / 2) * 0.17
    for turn, fit in enumerate(fits):
        pen = FITTED[turn % len(FITTED)]
        there = [
            (i, runs[fit + more], pair)
            for i, (_, pair, more) in enumerate(columns)
            if _has(runs, fit + more, pair)
        ]
        found = [_estimate(results, pair, "cumulative reward") for _, results, pair in there]
        mean, low, high = (
            np.array([getattr(each, part)[-1] for each in found]) for part in ("mean", "low", "high")
        )
        left.errorbar(
            np.array([i for i, _, _ in there]) + shifts[turn],
            mean,
            yerr=np.nan_to_num([mean - low, high - mean]),
            fmt=pen.marker,
            color=pen.colour,
            markerfacecolor=pen.colour if fit.endswith("converged") else "white",
            markersize=5,
            capsize=2,
            label=fit,
        )
        if _has(runs, fit, contrast):
            wide = _estimate(runs[fit], contrast, "contrast")
            _curve(right, _steps("contrast", len(wide.mean)), wide, pen, fit, turn)
    left.set_xticks(range(len(columns)), [name.replace(", ", "\n") for name, _, _ in columns])
    left.set_xlim(-0.6, len(columns) - 0.4)
    left.set(xlabel="pair", ylabel="cumulative reward")
    right.set(xlabel="question", ylabel=f"contrast of yes and no ({contrast})")
    right.set_ylim(bottom=0)
    _whole_numbers(right)
    handles, labels = left.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper left",
        ncols=2,
        fontsize=8,
        title="fits of the learner, and of the imagined one",
        title_fontsize=8,
        alignment="left",
    )
    return figure


@_in_look
def profiles(runs: Runs, labels: Mapping[str, str]) -> Figure:
    """How many arms have how high a reward probability, by dataset."""
    figure, ((axis,),) = _grid(3.2, 1, 1)
    for turn, (run, label) in enumerate(labels.items()):
        if _has(runs, run, "profile"):
            found = _estimate(runs[run], "profile", "probability")
            _curve(axis, _steps("probability", len(found.mean)), found, PROFILES[turn], label, turn)
    axis.set(xlabel="arms, from the lowest to the highest", ylabel="reward probability", ylim=(0, 1))
    if axis.lines:
        axis.legend(loc="upper left", fontsize=8, handlelength=HANDLE)
    return figure


@_in_look
def teaching_example(runs: Runs, run: str) -> Figure:
    """Ten arms and the one asked about; and where the learner goes after a no and after a yes."""
    figure, (axes,) = _grid(2.9, 1, 2)
    left, right = axes
    results = runs[run]
    asked = int(results.design["asked"])
    if _has(runs, run, "teacher"):
        rewards = _estimate(results, "teacher", "probability").mean
        arms = _steps("probability", len(rewards))
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
        for shift, measure, label, look in (
            (-0.2, "after no", "after a no", {"facecolor": "#ffffff", "hatch": "////"}),
            (0.2, "after yes", "after a yes", {"facecolor": COLOURS[1]}),
        ):
            found = _estimate(results, "teacher", measure)
            right.bar(arms + shift, found.mean, 0.4, label=label, edgecolor=COLOURS[1], linewidth=0.8, **look)
        right.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, ncols=2, fontsize=8)
        for axis in axes:
            axis.set_xticks(arms)
    left.set(xlabel="arm", ylabel="reward probability", ylim=(0, 1.02))
    right.set(xlabel="arm", ylabel="probability of being next")
    right.set_ylim(bottom=0)
    return figure


@_in_look
def active_example(runs: Runs, run: str) -> Figure:
    """A pool learned without and with a teacher, and the accuracy of many such."""
    figure = Figure(figsize=(WIDTH, 5.6), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplot_mosaic([["alone", "teacher"], ["accuracy", "accuracy"]], height_ratios=(3, 2))
    number = typical(runs[run])
    for series in ("alone", "teacher"):
        axis, name = axes[series], WAYS[series][0]
        axis.set_title(f"{name[0].upper()}{name[1:]}")
        if number is not None:
            record = runs[run].records[series][number]
            axis.set_xlabel(f"replication {number}: accuracy {record['accuracy'][-1]:.2f}")
            _pool(axis, record)
    if number is not None:
        handles, labels = axes["teacher"].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", ncols=3, fontsize=8)
    _accuracies(axes["accuracy"], runs, run)
    return figure


def typical(results: Results) -> int | None:
    """The replication whose teacher improved the final accuracy closest to the median improvement."""
    shared = sorted(set(results.numbers("alone")) & set(results.numbers("teacher")))
    if not shared:
        return None
    improved = (
        results.values("teacher", "accuracy", shared)[:, -1]
        - results.values("alone", "accuracy", shared)[:, -1]
    )
    return shared[int(np.argmin(np.abs(improved - np.median(improved))))]


def _pool(axis: Axes, record: Record) -> None:
    """The pool by true label, what was asked in which order, and the border that was learned."""
    pool, labels = np.array(record["pool"]), np.array(record["labels"], dtype=bool)
    for chosen, marker, name in ((~labels, "o", "class 0"), (labels, "s", "class 1")):
        axis.plot(*pool[chosen].T, marker, color="#b5b5b5", markersize=4, markeredgewidth=0, label=name)
    start = np.array(record["start"])
    axis.plot(*start.T, "*", color=COLOURS[1], markersize=11, label="known at the start")
    queries, answers, truth = (np.array(record[name], dtype=int) for name in ("queries", "answers", "truth"))
    switched = answers != truth
    for wanted, colour, marker, label in (
        (~switched, COLOURS[1], "o", "asked, in this order"),
        (switched, COLOURS[0], "X", "asked, label switched"),
    ):
        points = pool[queries[wanted]].reshape(-1, 2)
        axis.plot(*points.T, marker, color=colour, markersize=5.5, markeredgewidth=0, label=label)
    _border(axis, record["weights"])
    _orders(axis, pool[queries], [COLOURS[0] if each else COLOURS[1] for each in switched])
    reach = 1.1 * np.abs(np.vstack([pool, start])).max()
    axis.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    axis.set_xticks([-1, 0, 1])
    axis.set_yticks([-1, 0, 1])


def _border(axis: Axes, weights: Sequence[float]) -> None:
    """Where the model gives both classes the same chance: constant + a x + b y = 0."""
    constant, a, b = weights
    if a or b:
        foot = -constant * np.array([a, b]) / (a**2 + b**2)
        axis.axline(
            tuple(foot),
            tuple(foot + np.array([-b, a])),
            color=BLACK,
            linewidth=1.2,
            label="border that was learned",
        )


def _orders(axis: Axes, points: Array, colours: Sequence[str]) -> None:
    """The number of each query, those of a cluster on a ring around it, in the order of their directions."""
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
    """Points that lie together, or are joined by others between them."""
    found: list[list[int]] = []
    for i, point in enumerate(points):
        near = [each for each in found if min(np.hypot(*(points[each] - point).T)) < TOGETHER]
        found = [each for each in found if each not in near] + [[*chain.from_iterable(near), i]]
    return found


def _accuracies(axis: Axes, runs: Runs, run: str) -> None:
    for turn, (series, (label, pen)) in enumerate(WAYS.items()):
        if _has(runs, run, series):
            found = _estimate(runs[run], series, "accuracy")
            _curve(axis, _steps("accuracy", len(found.mean)), found, pen, label, turn)
    axis.set(xlabel="answers", ylabel="accuracy")
    _whole_numbers(axis)
    if axis.lines:
        axis.legend(loc="lower right", fontsize=8, handlelength=HANDLE)


@_in_look
def active_wine(runs: Runs, run: str) -> Figure:
    """Accuracy by answers for each way to query, and of two models across: one knows all, one nothing."""
    figure, ((axis,),) = _grid(3.4, 1, 1)
    for series, (label, colour, style) in ACROSS.items():
        if _has(runs, run, series):
            found = _estimate(runs[run], series, "accuracy")
            x = _steps("accuracy", len(found.mean))
            axis.fill_between(x, found.low, found.high, color=colour, alpha=0.15, linewidth=0)
            axis.plot(x, found.mean, style, color=colour, linewidth=1.0, label=label)
    _accuracies(axis, runs, run)
    return figure
