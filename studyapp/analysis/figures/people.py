"""The figures of ``studyapp people``: the fit over the data, the comparison with other models, the checks."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from core.people_fit import Answers
from core.recall import NEVER
from studyapp.analysis.figures.drawing import (
    add_legend,
    axes_grid,
    axes_row,
    half_widths,
    number_questions,
    percent_axis,
)
from studyapp.analysis.people.checking import BANDS, SIMILAR, Check, Checks
from studyapp.analysis.people.comparing import MODELS, Comparison
from studyapp.analysis.people.fitted import Fitted, predicted
from studyapp.analysis.planners import COIN
from studyapp.reporting.plots import COLOURS, GREY, GRID, LOOK, MARKERS
from studyapp.reporting.statistics import Array, exact_ci

__all__ = ["draw_checks", "draw_comparison", "draw_fit"]

Mask = NDArray[np.bool_]
LIKENESS = "likeness of the word to the target"
MOST_PERSONS = 40  # that can be told apart along an axis
MOST_LINES = 12  # persons with a line of their own


def draw_fit(fitted: Fitted) -> Figure:
    """The share of yes in the sessions, and what the fitted people would say to the same questions."""
    answers, chance = fitted.sessions.rounds.answers, predicted(fitted)
    other = ~answers.is_target
    first, again = other & (answers.last == NEVER), other & (answers.last == 1)
    similar = answers.likeness >= SIMILAR
    with mpl.rc_context(LOOK):
        figure, (by_likeness, repeated, by_question, by_person) = axes_grid(5.6, 2, 2)
        bands = [(answers.likeness >= low) & (answers.likeness < high) for low, high in BANDS]
        for axis, which, title in (
            (by_likeness, first, "words asked about for the first time"),
            (repeated, again, "words asked about again, after a yes"),
        ):
            _shares(axis, range(len(BANDS)), [which & band for band in bands], answers, chance, 0)
            axis.set_xticks(range(len(BANDS)), [f"{low:g}–" for low, _ in BANDS])  # noqa: RUF001
            axis.set(title=title, xlabel=f"{LIKENESS}, from")
        numbers = range(1, int(answers.number.max()) + 1)
        for series, was in enumerate((False, True)):
            masks = [first & similar & (answers.found == was) & (answers.number == q) for q in numbers]
            _shares(by_question, numbers, masks, answers, chance, series)
            label = "after the target was asked about" if was else "before the target was asked about"
            by_question.plot([], [], MARKERS[series], color=COLOURS[series], markersize=4, label=label)
        by_question.set(title=f"similar words (from {SIMILAR:g}), first time", xlabel="question")
        number_questions(by_question, len(numbers))
        _thin_ticks(by_question, len(numbers))
        by_question.set_ylim(-0.02, 1.35)
        by_question.set_yticks([0, 0.25, 0.5, 0.75, 1])
        by_question.legend(fontsize=7, loc="upper right", handletextpad=0.2)
        _by_person(by_person, fitted, [first & similar, again], chance)
        for axis in (by_likeness, by_question):
            axis.set_ylabel("yes answers")
        handles = by_likeness
        handles.errorbar([], [], yerr=[], fmt="o", color="black", markersize=4, label="the sessions (95 %)")
        handles.plot([], [], "-", color="black", label="fitted people, asked the same questions")
        add_legend(figure, handles)
    return figure


def _shares(
    axis: Axes,
    x: Sequence[int],
    masks: list[Mask],
    answers: Answers,
    chance: Array,
    series: int,
) -> None:
    """Points for the sessions and a line for the fit, where there are answers."""
    shown = [i for i, mask in enumerate(masks) if mask.any()]
    at = np.array([x[i] for i in shown], dtype=float)
    yes = np.array([answers.yes[masks[i]].sum() for i in shown], dtype=float)
    count = np.array([masks[i].sum() for i in shown], dtype=float)
    low, high = exact_ci(yes, count)
    share = yes / count if shown else yes
    axis.errorbar(
        at + (series - 0.5) * 0.12 * (len(x) > len(BANDS)),
        share,
        yerr=half_widths(share, low, high),
        fmt=MARKERS[series],
        color=COLOURS[series],
        markersize=4,
        elinewidth=0.8,
    )
    axis.plot(at, [chance[masks[i]].mean() for i in shown], "-", color=COLOURS[series], linewidth=1.4)
    axis.set_ylim(-0.02, 1.02)
    percent_axis(axis.yaxis)


def _by_person(axis: Axes, fitted: Fitted, kinds: list[Mask], chance: Array) -> None:
    """Each person's share of yes to similar words, asked first and again, and the fit."""
    answers, names = fitted.sessions.rounds.answers, fitted.sessions.rounds.persons
    shown = names[:MOST_PERSONS]
    for series, (which, label) in enumerate(zip(kinds, ("first time", "again, after a yes"), strict=True)):
        for person in range(len(shown)):
            own = which & (answers.person == person)
            if not own.any():
                continue
            yes, count = np.array(own & answers.yes).sum(), own.sum()
            low, high = exact_ci(np.array(float(yes)), np.array(float(count)))
            share = np.array(yes / count)
            axis.errorbar(
                person + (series - 0.5) * 0.24,
                share,
                yerr=half_widths(share, low, high),
                fmt=MARKERS[series],
                color=COLOURS[series],
                markersize=4,
                elinewidth=0.8,
            )
            axis.plot(
                person + (series - 0.5) * 0.24 + np.array([-0.12, 0.12]),
                [chance[own].mean()] * 2,
                color=COLOURS[series],
                linewidth=1.4,
            )
        axis.plot([], [], MARKERS[series], color=COLOURS[series], markersize=4, label=label)
    few = len(shown) <= 8
    axis.set_xticks(range(len(shown)), shown if few else [""] * len(shown))
    axis.set(title="similar words, by person", xlabel="" if few else "persons", ylim=(-0.02, 1.35))
    axis.set_yticks([0, 0.25, 0.5, 0.75, 1])
    percent_axis(axis.yaxis)
    axis.legend(fontsize=7, loc="upper right", ncols=2, handletextpad=0.2)


def draw_comparison(comparison: Comparison) -> Figure:
    """The log-likelihood of each person who was left out, by model."""
    with mpl.rc_context(LOOK):
        figure, (axis,) = axes_row(0.9 + 0.33 * len(MODELS))
        places = np.arange(len(MODELS))[::-1]
        few = len(comparison.persons) <= MOST_LINES
        for i, person in enumerate(comparison.persons):
            scores = [comparison.scores[model][i] for model in MODELS]
            axis.plot(
                scores,
                places + 0.0,
                MARKERS[i % len(MARKERS)] if few else ".",
                color=COLOURS[i % len(COLOURS)] if few else GREY,
                markersize=4,
                alpha=0.8,
                label=person if few else ("one person" if i == 0 else None),
            )
        means = [comparison.mean(model) for model in MODELS]
        axis.plot(means, places, "|", color="black", markersize=15, markeredgewidth=2, label="mean")
        axis.axvline(COIN, color=GREY, linestyle=":", linewidth=1, label="coin")
        axis.set_yticks(places, list(MODELS.values()))
        axis.set_xlabel("log-likelihood per answer, in nats")
        axis.grid(axis="y", color=GRID)
        axis.set_axisbelow(True)
        add_legend(figure, axis)
    return figure


def draw_checks(checks: Checks) -> Figure:
    """Each measure of the sessions beside the simulated studies."""
    with mpl.rc_context(LOOK):
        figure, axes = axes_grid(6.6, 3, 2)
        first, again, by_question, finding, reward, difference = axes
        questions = np.arange(1, checks.questions + 1)
        labels = [f"{low:g}–" for low, _ in BANDS]  # noqa: RUF001
        for axis, name, title in (
            (first, "yes_first", "yes, word asked about for the first time"),
            (again, "yes_again", "yes, word asked about again after a yes"),
        ):
            _band(axis, np.arange(len(BANDS)), checks.measures[name], COLOURS[1])
            axis.set_xticks(range(len(BANDS)), labels)
            axis.set(title=title, xlabel=f"{LIKENESS}, from", ylim=(-0.02, 1.02))
            percent_axis(axis.yaxis)
        _band(by_question, questions, checks.measures["yes_by_question"], COLOURS[1])
        by_question.set(
            title=f"yes, similar word (from {SIMILAR:g}), first time", xlabel="question", ylim=(-0.02, 1.02)
        )
        percent_axis(by_question.yaxis)
        _thin_ticks(by_question, checks.questions)
        _finding(finding, checks)
        for i, model in enumerate(checks.models):
            colour = COLOURS[i % len(COLOURS)]
            _band(reward, questions, checks.measures[f"reward_{model}"], colour, MARKERS[i % len(MARKERS)])
            reward.plot([], [], MARKERS[i % len(MARKERS)], color=colour, markersize=4, label=model)
        reward.set(title="mean cumulative reward", xlabel="question")
        reward.legend(fontsize=7, loc="upper left")
        _thin_ticks(reward, checks.questions)
        _time_to_find(difference, checks)
        first.plot([], [], "o", color="black", markersize=4, label="real")
        first.plot([], [], "-", color="black", label="simulated mean")
        first.fill_between(
            [], [], [], color="black", alpha=0.2, linewidth=0, label="95 % of simulated studies"
        )
        add_legend(figure, first)
    return figure


def _thin_ticks(axis: Axes, questions: int) -> None:
    axis.set_xlim(0.5, questions + 0.5)
    axis.set_xticks(range(1, questions + 1, max(1, round(questions / 7))))


def _band(axis: Axes, x: NDArray[np.intp], check: Check, colour: str, marker: str = "o") -> None:
    axis.fill_between(x, check.low, check.high, color=colour, alpha=0.2, linewidth=0)
    axis.plot(x, check.mean, "-", color=colour, linewidth=1.2)
    axis.plot(x, check.real, marker, color=colour, markersize=4)


def _finding(axis: Axes, checks: Checks) -> None:
    _by_model(axis, checks, "found")
    axis.set(title="rounds in which the target was found", ylim=(0, 1.02))
    percent_axis(axis.yaxis)


def _time_to_find(axis: Axes, checks: Checks) -> None:
    _by_model(axis, checks, "time_to_find")
    axis.set(title="question that found it, on average", ylim=(0, checks.questions + 0.5))


def _by_model(axis: Axes, checks: Checks, name: str) -> None:
    """One interval for each model, with the real value on it."""
    for i, model in enumerate(checks.models):
        check, colour = checks.measures[f"{name}_{model}"], COLOURS[i % len(COLOURS)]
        axis.bar(i, check.high - check.low, 0.3, check.low, color=colour, alpha=0.2, linewidth=0)
        axis.plot([i - 0.15, i + 0.15], [check.mean[0]] * 2, color=colour, linewidth=1.2)
        axis.plot(i, check.real[0], MARKERS[i % len(MARKERS)], color=colour, markersize=4)
    axis.set_xticks(range(len(checks.models)), checks.models)
    axis.set_xlim(-0.5, len(checks.models) - 0.5)
