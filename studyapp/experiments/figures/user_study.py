"""Figures of the user study with simulated people."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studyapp.experiments.designs.measures import Measure
from studyapp.experiments.designs.user_study import FOUND, REWARD, STAYING
from studyapp.experiments.figures.drawing import (
    HANDLE,
    Runs,
    curve,
    estimated,
    grid,
    has,
    in_look,
    whole_numbers,
)
from studyapp.reporting.plots import COLOURS, Pen

__all__ = ["user_study"]

NAMES = {"H-N": "naive", "H-M": "mixture"}
PENS = {  # the paper draws the mixture in red and the naive model in blue
    "naive": Pen(COLOURS[1], "-", "o"),
    "mixture": Pen(COLOURS[0], "--", "s"),
    "greedy": Pen(COLOURS[2], "-.", "^"),
    "explore first": Pen(COLOURS[4], ":", "D"),
}
Real = Mapping[Measure, Mapping[str, float]]


@in_look
def user_study(runs: Runs, by_fit: Mapping[str, str], targets: Mapping[str, str], real: Real) -> Figure:
    """Rewards, targets found and staying, by learner.

    ``by_fit`` gives the title of each run with the paper's learners, ``targets`` the label of each run with
    a belief over targets, and ``real`` the last values of the published participants by measure and series.
    Their learners had the first run's fits.
    """
    figure, axes = grid(4.9, 2, len(by_fit) + 1)
    *fits, right = axes[0]
    for row, measure in enumerate((REWARD, FOUND)):
        for column, (run, title) in enumerate(by_fit.items()):
            _by_model(axes[row, column], runs, run, measure)
            if not column:
                _real(axes[row, column], runs, run, real[measure])
            axes[row, column].set_title(title if row == 0 or column == 0 else f"{title}, and targets")
    last = list(by_fit)[-1]
    if has(runs, last, "H-M"):
        curve(right, REWARD, estimated(runs[last], "H-M", REWARD), PENS["mixture"], f"mixture, {last}", 1)
    _over_targets(right, runs, targets, REWARD)
    _over_targets(axes[1, len(fits) - 1], runs, targets, FOUND)
    right.set_title("Belief over targets")
    _finish(axes, len(fits))
    _staying(axes[1, len(fits)], runs, by_fit, targets)
    return figure


def _by_model(axis: Axes, runs: Runs, run: str, measure: Measure) -> None:
    """The learners of the paper."""
    for position, (series, name) in enumerate(NAMES.items()):
        if has(runs, run, series):
            curve(axis, measure, estimated(runs[run], series, measure), PENS[name], name, position)


def _real(axis: Axes, runs: Runs, run: str, values: Mapping[str, float]) -> None:
    """The published participants, at the last question."""
    for series, name in NAMES.items():
        if has(runs, run, series):
            axis.plot(
                runs[run].design["questions"],
                values[series],
                "*",
                color=PENS[name].colour,
                markersize=9,
                markeredgecolor="white",
                markeredgewidth=0.5,
                clip_on=False,
                zorder=3,
                label=f"{name}, real",
            )


def _over_targets(axis: Axes, runs: Runs, targets: Mapping[str, str], measure: Measure) -> None:
    """Learners with a belief over targets."""
    for position, (run, name) in enumerate(targets.items(), start=2):
        if has(runs, run, "H-HT"):
            estimate = estimated(runs[run], "H-HT", measure)
            curve(axis, measure, estimate, PENS[name], name, position)


def _finish(axes: np.ndarray, fits: int) -> None:
    """Labels, limits and legends; the panels below have the lines of those above."""
    top = max(axis.get_ylim()[1] for axis in axes[0])
    for axis in axes[0]:
        axis.set_ylim(0, top)
    for axis in axes[1, :fits]:
        axis.set_ylim(0, 1)
    for axis in (*axes[0], *axes[1, :fits]):
        axis.set_xlabel("question")
        whole_numbers(axis)
    for axis in axes[0]:
        if axis.get_legend_handles_labels()[0]:
            axis.legend(loc="upper left", fontsize=6.5, handlelength=HANDLE - 0.5)
    axes[0, 0].set_ylabel("cumulative reward")
    axes[1, 0].set_ylabel("target found")


def _staying(axis: Axes, runs: Runs, by_fit: Mapping[str, str], targets: Mapping[str, str]) -> None:
    """How often each learner stays once the target is found, with its interval."""
    rows = [(f"{name}, {run}", run, series, name) for run in by_fit for series, name in NAMES.items()]
    rows += [(f"targets, {name}", run, "H-HT", name) for run, name in targets.items()]
    for place, (_, run, series, name) in enumerate(rows):
        if has(runs, run, series):
            estimate = estimated(runs[run], series, STAYING)
            mean, low, high = (float(part[-1]) for part in (estimate.mean, estimate.low, estimate.high))
            axis.errorbar(
                mean,
                place,
                xerr=np.nan_to_num([[mean - low], [high - mean]]),
                fmt=PENS[name].marker,
                color=PENS[name].colour,
                markersize=4.5,
                capsize=2,
            )
    axis.set_yticks(range(len(rows)), [label.replace(", ", "\n") for label, *_ in rows], fontsize=6.5)
    axis.set(xlabel="staying", xlim=(0, 1.02), ylim=(len(rows) - 0.5, -0.5))
    axis.set_title("Once found")
