"""Figures of bandit learners: 3, 4, S2 to S9, and the one about fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from studyapp.experiments.designs.bandits import CONCORDANCE, CONTRAST, CUMULATIVE_REWARD
from studyapp.experiments.designs.measures import PROBABILITY, Measure
from studyapp.experiments.figures.drawing import (
    HANDLE,
    Runs,
    curve,
    estimated,
    grid,
    has,
    in_look,
    steps,
    whole_numbers,
)
from studyapp.experiments.results import Results
from studyapp.reporting.plots import COLOURS, GREY, Pen
from studyapp.reporting.statistics import Estimate, mean_ci

__all__ = ["PENS", "bandits", "factorial", "multi_step", "profiles"]

PENS = {
    "N-N": Pen(COLOURS[1], "-", "o"),
    "P-N": Pen(COLOURS[4], "--", "s"),
    "P-P": Pen(COLOURS[0], "-.", "^"),
    "N-P": Pen(COLOURS[3], ":", "v"),
    "N-M": Pen(COLOURS[5], "--", "D"),
    "P-M": Pen(COLOURS[2], "-.", "P"),
}
HORIZONS = (Pen(COLOURS[1], "--", "s"), Pen(COLOURS[2], "-.", "D"), Pen(COLOURS[0], "-", "^"))
FITS = (
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
COLUMNS = {
    "Planning against naive teachers": ("N-N", "P-N", "P-P"),
    "Mismatch and mixture": ("N-P", "N-M", "P-M"),
}
REFERENCES = {"N-N": "-", "P-P": "--"}  # pairs of the left column that the right one repeats in grey


@in_look
def bandits(runs: Runs, run: str) -> Figure:
    """Teachers and learners on one dataset: reward above, concordance below."""
    columns = _columns(runs, run)
    figure, axes = grid(5.0, 2, max(1, len(columns)), sharex=True, sharey="row")
    for column, (title, pairs) in enumerate(columns.items()):
        for row, measure in enumerate((CUMULATIVE_REWARD, CONCORDANCE)):
            axis = axes[row, column]
            for position, pair in enumerate(pairs):
                if has(runs, run, pair):
                    estimate = estimated(runs[run], pair, measure)
                    curve(axis, measure, estimate, _pen(pair, position), pair, position)
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
def multi_step(runs: Runs, one: str, others: Mapping[str, str]) -> Figure:
    """What planning further ahead adds to planning one step; ``others`` gives the label of each run."""
    figure, (axes,) = grid(3.0, 1, 2)
    for axis, measure in zip(axes, (CUMULATIVE_REWARD, CONCORDANCE), strict=True):
        axis.axhline(0, color=GREY, linewidth=0.8)
        for position, (run, label) in enumerate(others.items()):
            estimate = _difference(runs, run, one, measure)
            if estimate is not None:
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
def factorial(runs: Runs, pairs: Sequence[str], further: str, contrast: str) -> Figure:
    """Rewards by the fits of the learner and of the imagined learner, and the contrast between yes and no.

    A run is labelled with these two fits, as in "converged, published", followed by ``further`` where
    teachers plan further ahead.
    """
    figure, ((left, right),) = grid(3.4, 1, 2, width_ratios=(1.5, 1))
    fits = [label for label in runs if not label.endswith(further)]
    columns = [(pair, pair, "") for pair in pairs] + [(f"{pairs[-1]}{further}", pairs[-1], further)]
    shifts = (np.arange(len(fits)) - (len(fits) - 1) / 2) * 0.17
    for position, fit in enumerate(fits):
        pen = FITS[position % len(FITS)]
        present = [
            (i, runs[fit + ending], pair)
            for i, (_, pair, ending) in enumerate(columns)
            if has(runs, fit + ending, pair)
        ]
        _last_rewards(left, present, shifts[position], pen, fit)
        if has(runs, fit, contrast):
            curve(right, CONTRAST, estimated(runs[fit], contrast, CONTRAST), pen, fit, position)
    left.set_xticks(range(len(columns)), [name.replace(", ", "\n") for name, _, _ in columns])
    left.set_xlim(-0.6, len(columns) - 0.4)
    left.set(xlabel="pair", ylabel="cumulative reward")
    right.set(xlabel="question", ylabel=f"contrast of yes and no ({contrast})")
    right.set_ylim(bottom=0)
    whole_numbers(right)
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


def _last_rewards(
    axis: Axes, columns: Sequence[tuple[int, Results, str]], shift: float, pen: Pen, fit: str
) -> None:
    """The final reward of one fit in each column: its place, its results and its pair."""
    estimates = [estimated(results, pair, CUMULATIVE_REWARD) for _, results, pair in columns]
    mean, low, high = (
        np.array([getattr(estimate, part)[-1] for estimate in estimates]) for part in ("mean", "low", "high")
    )
    axis.errorbar(
        np.array([place for place, _, _ in columns]) + shift,
        mean,
        yerr=np.nan_to_num([mean - low, high - mean]),
        fmt=pen.marker,
        color=pen.colour,
        markerfacecolor=pen.colour if fit.endswith("converged") else "white",
        markersize=5,
        capsize=2,
        label=fit,
    )


@in_look
def profiles(runs: Runs, labels: Mapping[str, str]) -> Figure:
    """The reward probabilities of the arms, sorted, by dataset; ``labels`` gives the label of each run."""
    figure, ((axis,),) = grid(3.2, 1, 1)
    for position, (run, label) in enumerate(labels.items()):
        if has(runs, run, "profile"):
            estimate = estimated(runs[run], "profile", PROBABILITY)
            curve(axis, PROBABILITY, estimate, PROFILES[position], label, position)
    axis.set(xlabel="arms, from the least to the most rewarding", ylabel="reward probability", ylim=(0, 1))
    if axis.lines:
        axis.legend(loc="upper left", fontsize=8, handlelength=HANDLE)
    return figure
