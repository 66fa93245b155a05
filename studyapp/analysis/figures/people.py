"""The figure of ``studyapp people fit``: the fit over the data."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from core.recall import NEVER, Answers
from studyapp.analysis.answers import SIMILAR
from studyapp.analysis.figures.drawing import (
    add_legend,
    axes_grid,
    half_widths,
    number_questions,
    percent_axis,
)
from studyapp.analysis.people import Fitted, predicted
from studyapp.reporting.plots import COLOURS, LOOK, MARKERS
from studyapp.reporting.statistics import Array, exact_ci

Mask = NDArray[np.bool_]

BANDS = ((0.0, 0.07), (0.07, 0.1), (0.1, 0.15), (0.15, 0.2), (0.2, 0.3), (0.3, 1.0))  # of likeness
LIKENESS = "likeness of the word to the target"
MOST_PERSONS = 40  # that can be told apart along an axis


def draw_fit(fitted: Fitted) -> Figure:
    """The share of yes in the sessions, and what the fitted people would say to the same questions."""
    answers, chance = fitted.sessions.answers, predicted(fitted)
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
    answers, names = fitted.sessions.answers, fitted.sessions.persons
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


def _thin_ticks(axis: Axes, questions: int) -> None:
    axis.set_xlim(0.5, questions + 0.5)
    axis.set_xticks(range(1, questions + 1, max(1, round(questions / 7))))
