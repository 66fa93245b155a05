"""Figure 5: the user study with simulated people."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studyapp.experiments.designs.design import Measure
from studyapp.experiments.designs.user_study import FOUND, REWARD, STAYING
from studyapp.experiments.figures.drawing import (
    HANDLE,
    Runs,
    estimated,
    grid,
    has,
    in_look,
    line,
    whole_numbers,
)
from studyapp.reporting.plots import COLOURS, Pen

NAMES = {"H-N": "naive", "H-M": "mixture"}
FITS = {"published": "Published fits", "converged": "Converged fits"}  # runs with the learners of the paper
TARGETS = {"targets": "greedy", "targets, explore first": "explore first"}  # with a belief over targets
PENS = {  # the paper draws the mixture in red and the naive model in blue
    "naive": Pen(COLOURS[1], "-", "o"),
    "mixture": Pen(COLOURS[0], "--", "s"),
    "greedy": Pen(COLOURS[2], "-.", "^"),
    "explore first": Pen(COLOURS[4], ":", "D"),
}

# The ten participants of the published study: mean cumulative reward, and the share of rounds in which the
# target was found (175 and 158 of 190).
REAL = {REWARD: {"H-N": 6.276, "H-M": 7.451}, FOUND: {"H-N": 175 / 190, "H-M": 158 / 190}}


@in_look
def user_study(runs: Runs) -> Figure:
    """Rewards, targets found and staying, by learner."""
    figure, axes = grid(4.9, 2, 3)
    for row, measure in enumerate((REWARD, FOUND)):
        for column, (run, title) in enumerate(FITS.items()):
            for position, (series, name) in enumerate(NAMES.items()):
                line(axes[row, column], runs, run, series, measure, PENS[name], name, position)
            axes[row, column].set_title(title if row == 0 or column == 0 else f"{title}, and targets")
        _real(axes[row, 0], runs, "published", measure)
    right, below = axes[0, 2], axes[1, 1]
    line(right, runs, "converged", "H-M", REWARD, PENS["mixture"], "mixture, converged", 1)
    for axis, measure in ((right, REWARD), (below, FOUND)):
        for position, (run, name) in enumerate(TARGETS.items(), start=2):
            line(axis, runs, run, "H-HT", measure, PENS[name], name, position)
    right.set_title("Belief over targets")
    _finish(axes)
    _staying(axes[1, 2], runs)
    return figure


def _real(axis: Axes, runs: Runs, run: str, measure: Measure) -> None:
    """The published participants, at the last question."""
    for series, name in NAMES.items():
        if has(runs, run, series):
            axis.plot(
                runs[run].design["questions"],
                REAL[measure][series],
                "*",
                color=PENS[name].colour,
                markersize=9,
                markeredgecolor="white",
                markeredgewidth=0.5,
                clip_on=False,
                zorder=3,
                label=f"{name}, real",
            )


def _finish(axes: np.ndarray) -> None:
    """Labels, limits and legends; the panels below have the lines of those above."""
    top = max(axis.get_ylim()[1] for axis in axes[0])
    for axis in axes[0]:
        axis.set_ylim(0, top)
    for axis in axes[1, :2]:
        axis.set_ylim(0, 1)
    for axis in (*axes[0], *axes[1, :2]):
        axis.set_xlabel("question")
        whole_numbers(axis)
    for axis in axes[0]:
        if axis.get_legend_handles_labels()[0]:
            axis.legend(loc="upper left", fontsize=6.5, handlelength=HANDLE - 0.5)
    axes[0, 0].set_ylabel("cumulative reward")
    axes[1, 0].set_ylabel("target found")


def _staying(axis: Axes, runs: Runs) -> None:
    """How often each learner stays once the target is found, with its interval."""
    rows = [(f"{name}\n{run}", run, series, name) for run in FITS for series, name in NAMES.items()]
    rows += [(f"targets\n{name}", run, "H-HT", name) for run, name in TARGETS.items()]
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
    axis.set_yticks(range(len(rows)), [label for label, *_ in rows], fontsize=6.5)
    axis.set(xlabel="staying", xlim=(0, 1.02), ylim=(len(rows) - 0.5, -0.5))
    axis.set_title("Once found")
