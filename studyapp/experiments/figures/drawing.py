"""What all figures share: the look, curves with bands, and saving.

Every pair of teacher and learner has one colour (from Okabe and Ito), line style and marker in all figures,
so that colour-blind readers and prints in grey keep them apart.  Lines are means over replications,
bands their 95 % intervals.  The same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from numpy.typing import NDArray

from studyapp.experiments.designs.design import Measure
from studyapp.experiments.store import Results
from studyapp.reporting import plots
from studyapp.reporting.plots import FORMS, LOOK, WIDTH, Pen
from studyapp.reporting.statistics import Estimate, mean_ci

Runs = Mapping[str, Results]  # by label
Array = NDArray[np.float64]
P = ParamSpec("P")

BLACK = "#000000"
HANDLE = 4  # the length of a line in a legend: enough to recognise its style
MARKERS = 7  # about this many on a line


def in_look(draw: Callable[P, Figure]) -> Callable[P, Figure]:
    """Draw in the look that all figures have."""

    @wraps(draw)
    def drawn(*args: P.args, **kwargs: P.kwargs) -> Figure:
        with mpl.rc_context(LOOK):
            return draw(*args, **kwargs)

    return drawn


def save(figure: Figure, folder: Path, name: str) -> bytes:
    """Write a figure as SVG and PDF; returns the SVG."""
    contents = plots.rendered(figure, FORMS)
    plots.write(contents, folder, name)
    return contents["svg"]


def grid(height: float, rows: int, columns: int, **options: Any) -> tuple[Figure, Any]:
    """A figure of the width of a page, and its axes (rows, columns)."""
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False, **options)


def has(runs: Runs, run: str, series: str) -> bool:
    """Does a run have any replications of a series?"""
    return run in runs and bool(runs[run].numbers(series))


def estimated(results: Results, series: str, measure: Measure) -> Estimate:
    """The mean and interval of a measure, one per step."""
    return mean_ci(results.values(series, measure))


def steps(measure: Measure, count: int) -> Array:
    """The numbers of the first steps of a measure."""
    return np.arange(count, dtype=np.float64) + measure.first


def line(
    axis: Axes,
    runs: Runs,
    run: str,
    series: str,
    measure: Measure,
    pen: Pen,
    label: str,
    position: int = 0,
) -> None:
    """The mean of a series with its band, if the run has any of it."""
    if has(runs, run, series):
        curve(axis, measure, estimated(runs[run], series, measure), pen, label, position)


def curve(axis: Axes, measure: Measure, estimate: Estimate, pen: Pen, label: str, position: int = 0) -> None:
    """A mean with its band; markers are shifted by the position of the line, so that none are hidden."""
    x = steps(measure, len(estimate.mean))
    every = max(1, len(x) // MARKERS)
    axis.fill_between(x, estimate.low, estimate.high, color=pen.colour, alpha=0.2, linewidth=0)
    axis.plot(
        x,
        estimate.mean,
        pen.style,
        color=pen.colour,
        marker=pen.marker,
        markersize=4,
        markevery=(min(position * every // 3 + every // 2, len(x) - 1), every),
        linewidth=1.4,
        label=label,
    )


def whole_numbers(axis: Axes) -> None:
    """Put ticks only at whole numbers, which steps are."""
    axis.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=8, steps=[1, 2, 5, 10]))
    low, high = axis.get_xlim()
    if high - low < 1.0:  # a single question
        axis.set_xlim(low - 0.5, high + 0.5)
