"""Figures with a row for every participant: yes to similar words, and the fit of the paper's teachers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.wording import counted
from studyapp.analysis.figures.drawing import (
    ReportFigure,
    draw_across,
    head,
    percent_axis,
    round_ticks,
    zero_line,
)
from studyapp.analysis.figures.layout import Entry, cut, draw_key, key_height, panels, widest
from studyapp.analysis.results import Results
from studyapp.analysis.teachers import COIN, Fit, planner
from studyapp.reporting.plots import COLOURS, INK, PAPER, Pen
from studyapp.reporting.statistics import Estimate
from studyapp.reporting.wording import number, percent

MOST_NAMED = 40  # participants whose IDs fit beside the axis
NAMED, UNNAMED = 0.19, 0.045  # inches: the height of a row
TALLEST = 6.0  # inches, of all rows
FIRST = Entry("asked for the first time", COLOURS[2], "o")  # the first two colours are those of models
AGAIN = Entry("asked again after a yes", COLOURS[3], "s", hollow=True)
PLANNING = Entry("planning teacher", COLOURS[3], "o")
MIXTURE = Entry("mixture of planning and naive that fits best", INK, "s", hollow=True)


def _rows(
    participants: Sequence[str],
    columns: int,
    key: Sequence[Entry],
    *,
    titles: bool,
    ratios: Sequence[float] = (),
) -> tuple[Figure, list[Axes]]:
    """A figure with a row for each participant, the first at the top; many have no names."""
    named = len(participants) <= MOST_NAMED
    names = [cut(participant, 24) for participant in participants] if named else []
    top = key_height(key) + (0.34 if titles else 0.1)
    rows = max(0.7, min((NAMED if named else UNNAMED) * len(participants), TALLEST))
    figure, axes = panels(
        top + 0.5 + rows,
        columns,
        left=0.25 + widest(names) if named else 0.45,
        top=top,
        bottom=0.5,
        gap=0.3,
        right=0.2,
        ratios=ratios,
        share_y=True,
    )
    axes[0].set_yticks(np.arange(len(names)), names)
    axes[0].set_ylim(len(participants) - 0.3, -0.7)
    if not named:
        axes[0].set_ylabel(counted(len(participants), "participant"))
    for axis in axes:
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
    draw_key(figure, key)
    return figure, axes


def _dots(axis: Axes, rows: Sequence[Sequence[Any]], entry: Entry, shift: float = 0.0) -> None:
    """One dot with its interval for each row of low, middle and high."""
    low, middle, high = np.array(rows, dtype=float).reshape(-1, 3).T
    named = len(rows) <= MOST_NAMED
    y = np.arange(len(rows)) + (shift if named else 0.0)
    hollow = {
        "markerfacecolor": PAPER,
        "markeredgecolor": entry.colour,
        "markeredgewidth": 1.0 if named else 0.6,
    }
    draw_across(
        axis,
        y,
        Estimate(middle, low, high, np.ones(len(rows), dtype=np.intp)),
        Pen(entry.colour, "", entry.marker),
        entry.label,
        size=(4.2 if entry.hollow else 4.8) if named else 2.2,
        **hollow if entry.hollow else {},
    )


# Yes to similar words


def _steering(results: Results) -> Figure:
    first, again = results.steering.first, results.steering.again
    shown = sorted(_asked(results), key=lambda participant: (-first[participant].share, participant))
    figure, (axis,) = _rows(shown, 1, (FIRST, AGAIN), titles=False)
    for shares, entry, shift in ((again, AGAIN, 0.16), (first, FIRST, -0.16)):
        rows = [(share.low, share.share, share.high) for share in map(shares.__getitem__, shown)]
        _dots(axis, rows, entry, shift)
    axis.set(xlabel="yes to similar words other than the target", xlim=(-0.02, 1.02))
    percent_axis(axis.xaxis)
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
        f"{counted(first, 'answer')} to similar words that were asked about for the first time in a round, "
        f"and {counted(again, 'answer')} to those that were asked about again after a yes in the same round. "
        "Lines are exact 95 % intervals for independent answers."
    )


def _steering_alt(results: Results) -> str:
    means = [
        percent(float(np.mean(shares))) if shares else "unknown"
        for shares in (
            [share.share for share in part.values() if share.answers]
            for part in (results.steering.first, results.steering.again)
        )
    ]
    return (
        f"A row for each of {counted(len(_asked(results)), 'participant')}. Mean share of yes: first time "
        f"{means[0]}, again after a yes {means[1]}."
    )


STEERING = ReportFigure(
    name="steering",
    section="answers",
    title="Yes to similar words, asked for the first time and asked again",
    caption=_steering_caption,
    alt=_steering_alt,
    draw=_steering,
    has_data=lambda results: bool(_asked(results)),
)


# The fit of the paper's teachers


def _planners(results: Results) -> Figure:
    fits = sorted(results.fits.items(), key=lambda item: -item[1].alpha.mean)
    figure, (left, right) = _rows(
        [participant for participant, _ in fits], 2, (PLANNING, MIXTURE), titles=True, ratios=(1, 1.25)
    )
    alphas = [(fit.alpha.low, fit.alpha.mean, fit.alpha.high) for _, fit in fits]
    _dots(left, alphas, Entry("alpha", COLOURS[2], "o"))
    left.set(xlabel="alpha", xlim=(-0.02, 1.02))
    zero_line(right, upright=True)
    for gains, entry, shift in (
        ([fit.mixture_minus_naive for _, fit in fits], MIXTURE, 0.16),
        ([fit.planning_minus_naive for _, fit in fits], PLANNING, -0.16),
    ):
        _dots(right, [(gain.low, gain.mean, gain.high) for gain in gains], entry, shift)
    round_ticks(right.xaxis)
    right.set_xlabel("nats per answer above the naive teacher")
    head(left, "Alpha", letter="a")
    head(right, "Which teacher fits better", letter="b")
    return figure


def _planners_caption(results: Results) -> str:
    fits = list(results.fits.values())
    beta = planner(results.sample.loaded.study).beta
    drawn, participants = len(fits), len(results.sample.participants)
    some = (
        f" {drawn} of the {participants} participants were drawn at random." if drawn < participants else ""
    )
    return (
        "(a) Alpha, the share of answers that fit the planning teacher better than the naive one "
        "(posterior mean and 95 % interval, with the target known and a uniform prior). It is not the "
        "share of answers that were planned: a participant who answers like neither teacher has an alpha "
        "too. (b) The mean log-likelihood of an answer under the planning teacher, and under the mixture of "
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


def _planners_alt(results: Results) -> str:
    fits = list(results.fits.values())
    better = sum(bool(fit.planning_minus_naive.low > 0) for fit in fits)
    return (
        f"A row for each of {counted(len(fits), 'participant')}.{_range_of_alpha(fits)} The planning teacher "
        f"fits clearly better than the naive one for {better} of them."
    )


PLANNERS = ReportFigure(
    name="planners",
    section="teachers",
    title="How well the paper's teachers describe each participant",
    caption=_planners_caption,
    alt=_planners_alt,
    draw=_planners,
    has_data=lambda results: bool(results.fits),
)
