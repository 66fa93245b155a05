"""The figure of how long answers took."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from studyapp.analysis.figures.drawing import add_legend, axes_row, draw_line, number_questions, pens
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.results import Results
from studyapp.reporting.statistics import Estimate

__all__ = ["TIMES"]


def _times(results: Results) -> Figure:
    figure, (axis,) = axes_row(3.0)
    questions = results.sample.questions
    for model, pen in pens(results).items():
        ms = results.times.answer[model]
        seconds = Estimate(ms.mean / 1000, ms.low / 1000, ms.high / 1000, ms.count)
        draw_line(axis, np.arange(1, questions + 1), seconds, pen, model)
    axis.set(xlabel="question", ylabel="time to answer (s)")
    axis.set_ylim(bottom=0)
    number_questions(axis, questions)
    add_legend(figure, axis)
    return figure


def _caption(results: Results) -> str:
    end = "Enter" if results.sample.loaded.study.answers.confirm else "the answer"
    return (
        f"Participants' median times from the question to {end}, without time away: means over participants "
        "with 95 % intervals."
    )


TIMES = ReportFigure(
    name="times",
    section="answers",
    title="Time to answer by question",
    caption=_caption,
    draw=_times,
    has_data=lambda results: bool(results.times.answer),
)
