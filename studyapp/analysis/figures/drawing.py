"""What the figures share: axes, pens for models, lines with intervals, legends."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator

from studyapp.analysis.results import Results
from studyapp.analysis.sample import Pair
from studyapp.reporting.plots import COLOURS, MARKERS, STYLES, WIDTH, Pen
from studyapp.reporting.statistics import Array, Estimate
from studyapp.reporting.wording import percent

__all__ = [
    "add_legend",
    "axes_grid",
    "axes_row",
    "draw_line",
    "half_widths",
    "number_questions",
    "offsets",
    "pair_label",
    "pens",
    "percent_axis",
]

LEGEND_LINE = 0.3  # inches: the height of a legend with one line


def pens(results: Results) -> dict[str, Pen]:
    """How each model is drawn: the same in all figures."""
    return {
        model: Pen(COLOURS[i % len(COLOURS)], STYLES[i % len(STYLES)], MARKERS[i % len(MARKERS)])
        for i, model in enumerate(results.sample.models)
    }


def axes_grid(height: float, rows: int, columns: int, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure of this height in inches, and its axes row by row."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, list(figure.subplots(rows, columns, squeeze=False, **options).ravel())


def axes_row(height: float, columns: int = 1, **options: Any) -> tuple[Figure, list[Axes]]:
    return axes_grid(height, 1, columns, **options)


def number_questions(axis: Axes, questions: int) -> None:
    """Number the x axis by question."""
    axis.set_xlim(0.5, questions + 0.5)
    axis.xaxis.set_major_locator(
        MaxNLocator(integer=True, nbins=15) if questions > 20 else FixedLocator(range(1, questions + 1))
    )


def percent_axis(axis: Any) -> None:
    """Label an x or y axis in per cent."""
    axis.set_major_formatter(lambda share, _: percent(share))


def add_legend(figure: Figure, axis: Axes) -> None:
    """Put a legend above all axes in as many columns as fit; a legend of many lines makes a taller figure."""
    handles = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    for columns in (4, 3, 2, 1):
        legend = figure.legend(
            handles.values(), handles.keys(), loc="outside upper left", ncols=columns, fontsize=8
        )
        size = legend.get_window_extent()
        if size.width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    figure.set_figheight(figure.get_figheight() + max(0.0, size.height / figure.dpi - LEGEND_LINE))


def offsets(count: int, most: float) -> Array:
    """Where to draw things that share a place: at most this far apart, and closer if there are many."""
    return np.asarray((np.arange(count) - (count - 1) / 2) * min(most, 0.8 / max(1, count)))


def draw_line(axis: Axes, x: Any, estimate: Estimate, pen: Pen, label: str) -> None:
    """A line of means with a band for the 95 % intervals."""
    axis.fill_between(x, estimate.low, estimate.high, color=pen.colour, alpha=0.2, linewidth=0)
    axis.plot(x, estimate.mean, pen.style, color=pen.colour, marker=pen.marker, markersize=3.5, label=label)


def half_widths(mean: Array, low: Array, high: Array) -> Array:
    """Error bars for matplotlib: below and above the mean; 0 where there is no interval."""
    widths = np.nan_to_num(np.array([np.atleast_1d(mean - low), np.atleast_1d(high - mean)]))
    return np.asarray(np.maximum(widths, 0))


def pair_label(pair: Pair) -> str:
    return f"{pair[0]} minus {pair[1]}"
