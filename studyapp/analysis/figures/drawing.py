"""What the figures share: pens for models, lines with bands, dots with intervals, labels, legends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from studyapp.analysis.figures.layout import Entry, cut, spread, wrapped
from studyapp.analysis.results import Results
from studyapp.analysis.sample import Pair
from studyapp.reporting.plots import COLOURS, GREY, MARKERS, PAPER, STYLES, Pen
from studyapp.reporting.statistics import Array, Estimate
from studyapp.reporting.wording import percent

LARGER = {"^": 1.3, "v": 1.3}  # markers that look smaller than others of their size
SMALL = 3  # points: a marker without room for an edge


# What a figure is


def _always(_: Results) -> bool:
    return True


@dataclass(frozen=True)
class ReportFigure:
    """One figure, with everything that files and the report need to know about it."""

    name: str  # of its files
    section: str  # of the report: where report.html has figures_of(section)
    title: str
    caption: Callable[[Results], str]  # what is drawn, and how to read it
    alt: Callable[[Results], str]  # what a reader would see, for those who can't
    draw: Callable[[Results], Figure]
    has_data: Callable[[Results], bool] = _always


# Models and pairs of models


def pens(results: Results) -> dict[str, Pen]:
    """How each model is drawn: the same in all figures."""
    return {
        model: Pen(
            COLOURS[i % len(COLOURS)],
            STYLES[i // len(COLOURS) % len(STYLES)],
            MARKERS[i % len(MARKERS)],
        )
        for i, model in enumerate(results.sample.models)
    }


def model_key(results: Results) -> list[Entry]:
    return [Entry(model, pen.colour, pen.marker) for model, pen in pens(results).items()]


def pair_label(pair: Pair, most: int = 40) -> str:
    """The difference between two models, with names of at most so many characters."""
    return f"{cut(pair[0], most)} minus {cut(pair[1], most)}"


def panel_title(pair: Pair, columns: int) -> str:
    """The same above one of several panels side by side, in lines that fit."""
    return wrapped(pair_label(pair, 30 if columns == 1 else 13), 80 if columns == 1 else 22)


# Axes


def number_questions(axis: Axes, questions: int) -> None:
    """Number the x axis by question."""
    axis.set_xlim(0.5, questions + 0.5)
    fives = [1, *range(5, questions + 1, 5)]
    axis.xaxis.set_major_locator(
        MaxNLocator(integer=True, nbins=8)
        if questions > 40
        else FixedLocator(fives if questions > 9 else list(range(1, questions + 1)))
    )


def percent_axis(axis: Any) -> None:
    """Label an x or y axis in per cent."""
    axis.set_major_formatter(lambda share, _: percent(share))


def round_ticks(axis: Any, most: int = 6) -> None:
    """Put about as many ticks on an x or y axis, at round numbers."""
    axis.set_major_locator(MaxNLocator(nbins=most, steps=[1, 2, 5, 10]))


def zero_line(axis: Axes, *, upright: bool = False) -> None:
    """Where there is no difference."""
    (axis.axvline if upright else axis.axhline)(0, color=GREY, linewidth=0.8, zorder=0.5)


def head(axis: Axes, title: str, what: str = "", letter: str = "") -> None:
    """Say above a panel what it shows: its title, and under it in words what is measured upwards."""
    lines = what.count("\n") + 1 if what else 0
    text: Any = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "baseline"}
    bold: Any = {"fontweight": "bold", "fontsize": mpl.rcParams["axes.titlesize"]}
    up = 6 + 11.5 * lines
    if letter:
        axis.annotate(letter, (0, 1), (0, up), **text | bold)
    axis.annotate(title, (0, 1), (13 if letter else 0, up), **text | bold)
    if what:
        axis.annotate(what, (0, 1), (0, 6), **text, color=GREY)


# Lines, and dots with intervals


def draw_lines(
    axis: Axes, x: Any, estimates: Mapping[str, Estimate], models: Mapping[str, Pen], *, steps: bool = False
) -> None:
    """Lines of means with bands for the 95 % intervals; in steps where nothing changes between places."""
    for model, pen in models.items():
        _draw_line(axis, x, estimates[model], pen, model, steps, alpha=0.28 / max(2, len(models)))


def _draw_line(
    axis: Axes, x: Any, estimate: Estimate, pen: Pen, label: str, steps: bool, alpha: float
) -> None:
    step: Any = "post" if steps else None
    axis.fill_between(
        x, estimate.low, estimate.high, step=step, color=pen.colour, alpha=alpha, linewidth=0, zorder=1
    )
    axis.plot(
        x,
        estimate.mean,
        pen.style,
        color=pen.colour,
        drawstyle="steps-post" if steps else "default",
        marker=None if steps else pen.marker,
        markersize=4.2 * LARGER.get(pen.marker, 1.0),
        markeredgecolor=PAPER,
        markeredgewidth=0.5,
        label=label,
    )


def label_ends(
    axis: Axes, ends: Sequence[tuple[float, str, str]], *, x: float = 1.015, gap: float = 0.16
) -> None:
    """Write at the end of each line what it shows: its height, its label, its colour.

    Labels keep a distance of ``gap`` inches; they are bold in the colour of the line.
    """
    low, high = axis.get_ylim()
    tall = axis.get_position().height * axis.figure.get_size_inches()[1]  # type: ignore[union-attr]
    known = [end for end in ends if np.isfinite(end[0])]
    places = spread([end[0] for end in known], gap * (high - low) / tall, low, high)
    for place, (_, label, colour) in zip(places, known, strict=True):
        axis.text(
            x,
            place,
            label,
            color=colour,
            transform=axis.get_yaxis_transform(),
            va="center",
            fontweight="bold" if colour != GREY else None,
            clip_on=False,
        )


def draw_upright(
    axis: Axes, x: Any, estimate: Estimate, pen: Pen, label: str | None, *, size: float = 4.8, **look: Any
) -> None:
    """Dots at x with upright intervals."""
    axis.vlines(x, estimate.low, estimate.high, color=pen.colour, linewidth=1.3)
    axis.plot(x, estimate.mean, pen.marker, **_dot(pen, size) | look, label=label)


def draw_across(
    axis: Axes, y: Any, estimate: Estimate, pen: Pen, label: str | None, *, size: float = 4.8, **look: Any
) -> None:
    """Dots at y with level intervals."""
    axis.hlines(y, estimate.low, estimate.high, color=pen.colour, linewidth=1.3 if size > SMALL else 0.6)
    axis.plot(estimate.mean, y, pen.marker, **_dot(pen, size) | look, label=label)


def single(middle: float | Array, low: float | Array, high: float | Array) -> Estimate:
    """One value with its interval, as an estimate that can be drawn."""
    mean, least, most = (np.array([float(value)]) for value in (middle, low, high))
    return Estimate(mean, least, most, np.ones(1, dtype=np.intp))


def _dot(pen: Pen, size: float) -> dict[str, Any]:
    return {
        "color": pen.colour,
        "markersize": size * LARGER.get(pen.marker, 1.0),
        "markeredgecolor": PAPER if size > SMALL else pen.colour,
        "markeredgewidth": 0.6,
    }


def offsets(count: int, most: float) -> Array:
    """Where to draw things that share a place: at most this far apart, and closer if there are many."""
    return np.asarray((np.arange(count) - (count - 1) / 2) * min(most, 0.8 / max(1, count)))
