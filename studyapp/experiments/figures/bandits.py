"""Figures of bandit learners: 3, 4, and S2 to S9."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studyapp.experiments.designs.bandits import CONCORDANCE, CUMULATIVE_REWARD
from studyapp.experiments.designs.design import PROBABILITY, Measure
from studyapp.experiments.figures.drawing import (
    HANDLE,
    Runs,
    curve,
    estimated,
    grid,
    has,
    in_look,
    line,
    steps,
    whole_numbers,
)
from studyapp.reporting.plots import COLOURS, GREY, Pen
from studyapp.reporting.statistics import Estimate, mean_ci

PENS = {
    "N-N": Pen(COLOURS[1], "-", "o"),
    "P-N": Pen(COLOURS[4], "--", "s"),
    "P-P": Pen(COLOURS[0], "-.", "^"),
    "N-P": Pen(COLOURS[3], ":", "v"),
    "N-M": Pen(COLOURS[5], "--", "D"),
    "P-M": Pen(COLOURS[2], "-.", "P"),
}
HORIZONS = (Pen(COLOURS[1], "--", "s"), Pen(COLOURS[2], "-.", "D"), Pen(COLOURS[0], "-", "^"))
PROFILES = {
    "word": ("words (main)", Pen(COLOURS[0], "-", "o")),
    "word-dense": ("words (supplementary)", Pen(COLOURS[1], "--", "s")),
    "wine": ("wines", Pen(COLOURS[2], "-.", "^")),
    "leaf": ("leaves", Pen(COLOURS[3], ":", "D")),
}
COLUMNS = {
    "Planning against naive teachers": ("N-N", "P-N", "P-P"),
    "Mismatch and mixture": ("N-P", "N-M", "P-M"),
}
REFERENCES = {"N-N": "-", "P-P": "--"}  # pairs of the left column that the right one repeats in grey


@in_look
def bandits(runs: Runs) -> Figure:
    """Teachers and learners of the first run: reward above, concordance below."""
    run = next(iter(runs))
    columns = _columns(runs, run)
    figure, axes = grid(5.0, 2, max(1, len(columns)), sharex=True, sharey="row")
    for column, (title, pairs) in enumerate(columns.items()):
        for row, measure in enumerate((CUMULATIVE_REWARD, CONCORDANCE)):
            axis = axes[row, column]
            for position, pair in enumerate(pairs):
                line(axis, runs, run, pair, measure, _pen(pair, position), pair, position)
            if column:
                _references(axis, runs, run, measure)
            whole_numbers(axis)
        axes[0, column].set_title(title)
        axes[1, column].set_xlabel("question")
        axes[0, column].legend(loc="upper left", fontsize=8, handlelength=HANDLE)
    axes[0, 0].set(ylabel="cumulative reward")
    axes[0, 0].set_ylim(bottom=0)
    axes[1, 0].set(ylabel="concordance")
    low, high = axes[1, 0].get_ylim()
    axes[1, 0].set_ylim(max(0.0, low), min(1.0, high))
    return figure


def _columns(runs: Runs, run: str) -> dict[str, Sequence[str]]:
    """The paper's columns, those with results, and one for pairs of kinds that the paper does not have."""
    others = [pair for pair in runs[run].records if pair not in PENS]
    columns = {**COLUMNS, "Other pairs": others}
    return {title: pairs for title, pairs in columns.items() if any(has(runs, run, pair) for pair in pairs)}


def _pen(pair: str, position: int) -> Pen:
    cycle = list(PENS.values())
    return PENS.get(pair, cycle[position % len(cycle)])


def _references(axis: Axes, runs: Runs, run: str, measure: Measure) -> None:
    for pair, style in REFERENCES.items():
        if has(runs, run, pair):
            mean = estimated(runs[run], pair, measure).mean
            x = steps(measure, len(mean))
            axis.plot(x, mean, style, color=GREY, linewidth=0.9, zorder=1.5, label=f"{pair} (left)")


@in_look
def multi_step(runs: Runs) -> Figure:
    """What planning further ahead adds to planning one step, which is the first run."""
    one, *others = runs
    figure, (axes,) = grid(3.0, 1, 2)
    for axis, measure in zip(axes, (CUMULATIVE_REWARD, CONCORDANCE), strict=True):
        axis.axhline(0, color=GREY, linewidth=0.8)
        for position, run in enumerate(others):
            estimate = _difference(runs, run, one, measure)
            if estimate is not None:
                label = f"{run.removeprefix('horizon')} steps"
                curve(axis, measure, estimate, HORIZONS[position], label, position)
        axis.set(xlabel="question", ylabel=f"difference in {measure.name}")
        whole_numbers(axis)
    if axes[0].get_legend_handles_labels()[0]:
        axes[0].legend(loc="upper left", fontsize=8, handlelength=HANDLE)
    return figure


def _difference(runs: Runs, run: str, one: str, measure: Measure, series: str = "P-P") -> Estimate | None:
    """The difference between two runs, paired by replication; None if they share none."""
    if not (has(runs, run, series) and has(runs, one, series)):
        return None
    shared = sorted(set(runs[run].numbers(series)) & set(runs[one].numbers(series)))
    if not shared:
        return None
    return mean_ci(runs[run].values(series, measure, shared) - runs[one].values(series, measure, shared))


@in_look
def profile(runs: Runs) -> Figure:
    """The reward probabilities of the arms, sorted, by dataset."""
    figure, ((axis,),) = grid(3.2, 1, 1)
    for position, (run, (label, pen)) in enumerate(PROFILES.items()):
        line(axis, runs, run, "profile", PROBABILITY, pen, label, position)
    axis.set(xlabel="arms, from the least to the most rewarding", ylabel="reward probability", ylim=(0, 1))
    if axis.lines:
        axis.legend(loc="upper left", fontsize=8, handlelength=HANDLE)
    return figure
