"""The figure of how soon the target was found."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from studyapp.analysis.figures.drawing import (
    add_legend,
    axes_row,
    draw_line,
    number_questions,
    pens,
    percent_axis,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.results import Results

__all__ = ["FOUND"]


def _found(results: Results) -> Figure:
    figure, (axis,) = axes_row(3.2)
    questions = results.sample.questions
    for model, pen in pens(results).items():
        by_question = results.finding.found[model].by_question
        draw_line(axis, np.arange(1, questions + 1), by_question, pen, model)
    axis.set(xlabel="question", ylabel="rounds with the target found", ylim=(0, 1.02))
    percent_axis(axis.yaxis)
    number_questions(axis, questions)
    add_legend(figure, axis)
    return figure


FOUND = ReportFigure(
    name="found",
    section="finding",
    title="Rounds with the target found, by question",
    caption=lambda _: (
        "A target is found when a question is about it. Lines show mean shares over participants, bands "
        "their 95 % intervals."
    ),
    draw=_found,
)
