"""Figures with a row for every participant: yes to similar words, and the fit of the paper's teachers."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.wording import counted
from studyapp.analysis.figures.drawing import add_legend, axes_row, percent_axis
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.planners import COIN, Fit, planner
from studyapp.analysis.results import Results
from studyapp.reporting.plots import COLOURS, GREY
from studyapp.reporting.statistics import Array
from studyapp.reporting.wording import number

__all__ = ["PLANNERS", "STEERING"]

MOST_NAMED = 60  # participants whose IDs fit beside the axis
INCHES = 0.19  # for a row with a name
SMALL_NAMES = 36  # from this number of names on, they are smaller
GREEN, PURPLE, BLACK = COLOURS[2], COLOURS[3], "#000000"  # the first two colours are those of models


def _rows(participants: Sequence[str], panels: int, **options: Any) -> tuple[Figure, list[Axes]]:
    """A figure with a row for each participant, the first at the bottom."""
    named = len(participants) <= MOST_NAMED
    height = max(1.9, min(1.2 + INCHES * len(participants), 8.0))
    figure, panes = axes_row(height, panels, sharey=True, **options)
    names = [fill(participant, 32) for participant in participants] if named else []
    panes[0].set_yticks(np.arange(len(names)), names, fontsize=7 if len(names) > SMALL_NAMES else None)
    panes[0].set_ylim(-0.7, len(participants) - 0.3)
    if not named:
        panes[0].set_ylabel(counted(len(participants), "participant"))
    for axis in panes:
        axis.grid(axis="x", color="#dddddd", linewidth=0.6)
        axis.set_axisbelow(True)
    return figure, panes


def _dots(
    axis: Axes, values: Array, colour: str, label: str, *, shift: float = 0.0, hollow: bool = False
) -> None:
    """One dot with its interval for each row; ``values`` are (rows, 3): low, middle and high."""
    low, middle, high = values.T
    named = len(values) <= MOST_NAMED
    y = np.arange(len(values)) + (shift if named else 0.0)
    axis.hlines(y, low, high, color=colour, linewidth=1.6 if named else 0.5, alpha=0.5)
    axis.plot(
        middle,
        y,
        "s" if hollow else "o",
        color=colour,
        markerfacecolor="white" if hollow else colour,
        markersize=(4 if hollow else 4.5) if named else 2,
        markeredgewidth=1.0 if named else 0.6,
        label=label,
    )


# Yes to similar words


def _steering(results: Results) -> Figure:
    first, again = results.steering.first, results.steering.again
    shown = sorted(_asked(results), key=lambda participant: (first[participant].share, participant))
    figure, (axis,) = _rows(shown, 1)
    for shares, colour, shift, hollow, label in (
        (first, GREEN, 0.16, False, "asked for the first time in a round"),
        (again, PURPLE, -0.16, True, "asked again after a yes"),
    ):
        rows = [(share.low, share.share, share.high) for share in map(shares.__getitem__, shown)]
        _dots(axis, np.array(rows), colour, label, shift=shift, hollow=hollow)
    axis.set(xlabel="yes to similar words other than the target", xlim=(-0.02, 1.02))
    percent_axis(axis.xaxis)
    add_legend(figure, axis)
    return figure


def _asked(results: Results) -> list[str]:
    """The participants who were asked about similar words."""
    return [participant for participant, share in results.steering.first.items() if share.answers]


def _steering_caption(results: Results) -> str:
    steering = results.steering
    first, again = (
        sum(share.answers for share in shares.values()) for shares in (steering.first, steering.again)
    )
    return (
        f"Similar words have a similarity of at least {steering.least_reward:.2g} to the target. There were "
        f"{counted(first, 'answer')} to similar words that were asked for the first time in a round, and "
        f"{counted(again, 'answer')} to those that were asked again after a yes in the same round. Lines are "
        "exact 95 % intervals for independent answers."
    )


STEERING = ReportFigure(
    name="steering",
    section="answers",
    title="Yes to similar words, asked for the first time and asked again",
    caption=_steering_caption,
    draw=_steering,
    has_data=lambda results: bool(_asked(results)),
)


# The fit of the paper's teachers


def _planners(results: Results) -> Figure:
    fits = sorted(results.fits.items(), key=lambda item: item[1].alpha.mean)
    figure, (left, right) = _rows([participant for participant, _ in fits], 2, width_ratios=(1, 1.25))
    alphas = np.array([(fit.alpha.low, fit.alpha.mean, fit.alpha.high) for _, fit in fits])
    _dots(left, alphas, GREEN, "alpha")
    left.set(xlabel="alpha", xlim=(0, 1))
    right.tick_params(left=False)
    for name, colour, shift, hollow, label in (
        ("planning_gain", PURPLE, 0.16, False, "planning teacher"),
        ("mixture_gain", BLACK, -0.16, True, "mixture with the best alpha"),
    ):
        gains = [getattr(fit, name) for _, fit in fits]
        rows = [(gain.low, gain.mean, gain.high) for gain in gains]
        _dots(right, np.array(rows, dtype=float), colour, label, shift=shift, hollow=hollow)
    right.axvline(0, color=GREY, linewidth=0.8)
    right.set_xlabel("nats per answer above\nthe naive teacher")
    add_legend(figure, right)
    return figure


def _planners_caption(results: Results) -> str:
    fits = list(results.fits.values())
    beta = planner(results.sample.loaded.study).beta
    drawn, participants = len(fits), len(results.sample.participants)
    some = (
        f" {drawn} of the {participants} participants were drawn at random." if drawn < participants else ""
    )
    return (
        "Left: alpha, the share of answers that fit the planning teacher better than the naive one "
        "(posterior mean and 95 % interval, with the target known and a uniform prior). It is not the share "
        "of answers that were planned: a participant who answers like neither teacher has an alpha too. "
        "Right: the mean log-likelihood of an answer under the planning teacher, and under the mixture of "
        "both teachers that fits best, minus that under the naive teacher, with 95 % intervals over targets; "
        "a teacher to the right of 0 fits better than the naive one. The planning teacher has a beta of "
        f"{beta:g}."
        f"{_range_of_alpha(fits)}{_worse_than_a_coin(fits)}{some}"
    )


def _range_of_alpha(fits: list[Fit]) -> str:
    means = [fit.alpha.mean for fit in fits]
    if len(fits) == 1:
        return f" Alpha is {number(means[0])} here."
    return f" Alpha ranges from {number(min(means))} to {number(max(means))} here."


def _worse_than_a_coin(fits: list[Fit]) -> str:
    worse = sum(fit.planning < COIN for fit in fits)
    if not worse:
        return ""
    return (
        f" The answers of {worse} of {counted(len(fits), 'participant')} are predicted worse by the planning "
        "teacher than by tossing a coin."
    )


PLANNERS = ReportFigure(
    name="planners",
    section="answers",
    title="How well the paper's teachers describe each participant",
    caption=_planners_caption,
    draw=_planners,
    has_data=lambda results: bool(results.fits),
)
