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
from studyapp.analysis.figures.drawing import draw_upright, head, number_questions, percent_axis
from studyapp.analysis.figures.layout import Entry, draw_key, key_height, panels
from studyapp.analysis.people import Fitted, predicted
from studyapp.reporting.plots import COLOURS, GREY, LOOK, Pen
from studyapp.reporting.statistics import Array, Estimate, exact_ci

BANDS = ((0.0, 0.07), (0.07, 0.1), (0.1, 0.15), (0.15, 0.2), (0.2, 0.3), (0.3, 1.0))  # of likeness
MOST_PERSONS = 40  # that can be told apart along an axis
MOST_NAMED = 8
FIRST = Entry("asked for the first time", COLOURS[0], "o")
FOUND = Entry("the same, after the target was asked about", COLOURS[1], "s")
AGAIN = Entry("asked again after a yes", COLOURS[2], "^")
KEY = [FIRST, FOUND, AGAIN, Entry("fitted people, asked the same questions", GREY, "_")]


def draw_fit(fitted: Fitted) -> Figure:
    """The share of yes in the sessions, and what the fitted people would say to the same questions."""
    answers, chance = fitted.sessions.answers, predicted(fitted)
    persons = fitted.sessions.persons[:MOST_PERSONS]
    other = ~answers.is_target
    first, again = other & (answers.last == NEVER), other & (answers.last == 1)
    similar = first & (answers.likeness >= SIMILAR)
    bands = [(answers.likeness >= low) & (answers.likeness < high) for low, high in BANDS]
    questions = range(1, int(answers.number.max()) + 1)
    asked = [answers.number == question for question in questions]
    people = [answers.person == person for person in range(len(persons))]
    with mpl.rc_context(LOOK):
        top = key_height(KEY) + 0.45
        figure, axes = panels(top + 4.6, 2, 2, top=top, gap=0.55, row_gap=0.95, left=0.5)
        by_likeness, repeated, by_question, by_person = axes
        for axis, which, entry, title in (
            (by_likeness, first, FIRST, "Words asked about for the first time"),
            (repeated, again, AGAIN, "Words asked about again, after a yes"),
        ):
            _draw_shares(axis, answers, chance, range(len(BANDS)), [which & band for band in bands], entry)
            axis.set_xticks(range(len(BANDS)), [f"{low:g}–" for low, _ in BANDS])  # noqa: RUF001
            axis.set_xlabel("likeness of the word to the target, from")
            head(axis, title, "yes answers")
        for entry, was, shift in ((FIRST, False, -0.12), (FOUND, True, 0.12)):
            masks = [similar & (answers.found == was) & own for own in asked]
            _draw_shares(by_question, answers, chance, questions, masks, entry, shift)
        head(by_question, "Similar words by question", f"yes answers, likeness from {SIMILAR:g}")
        by_question.set_xlabel("question")
        number_questions(by_question, len(questions))
        for entry, which, shift in ((FIRST, similar, -0.12), (AGAIN, again, 0.12)):
            masks = [which & own for own in people]
            _draw_shares(by_person, answers, chance, range(len(persons)), masks, entry, shift)
        head(by_person, "Similar words by person", f"yes answers, likeness from {SIMILAR:g}")
        few = len(persons) <= MOST_NAMED
        by_person.set_xticks(range(len(persons)), persons if few else [""] * len(persons))
        by_person.set_xlabel("" if few else "persons")
        draw_key(figure, KEY)
    return figure


def _draw_shares(
    axis: Axes,
    answers: Answers,
    chance: Array,
    x: Sequence[int],
    masks: Sequence[NDArray[np.bool_]],
    entry: Entry,
    shift: float = 0.0,
) -> None:
    """Dots for the sessions and dashes for the fit, where there are answers."""
    shown = [i for i, mask in enumerate(masks) if mask.any()]
    places = np.array([x[i] for i in shown]) + shift
    yes = np.array([answers.yes[masks[i]].sum() for i in shown], dtype=float)
    count = np.array([masks[i].sum() for i in shown])
    share = yes / np.maximum(count, 1)
    pen = Pen(entry.colour, "", entry.marker)
    draw_upright(axis, places, Estimate(share, *exact_ci(yes, count), count), pen, None, size=4)
    fit = [chance[masks[i]].mean() for i in shown]
    axis.hlines(fit, places - 0.2, places + 0.2, color=entry.colour, linewidth=1.4)
    axis.set_ylim(-0.02, 1.02)
    percent_axis(axis.yaxis)
    axis.grid(axis="y")
