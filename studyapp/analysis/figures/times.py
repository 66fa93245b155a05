"""The figure of how long answers took."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from studyapp.analysis.figures.drawing import (
    draw_lines,
    head,
    label_ends,
    number_questions,
    pens,
    round_ticks,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.figures.layout import cut, panels, widest
from studyapp.analysis.results import Results
from studyapp.reporting.statistics import Estimate
from studyapp.reporting.wording import listed, number


def _times(results: Results) -> Figure:
    models, questions = pens(results), results.sample.questions
    names = [cut(model) for model in models]
    figure, (axis,) = panels(2.7, right=0.15 + 1.12 * widest(names), top=0.5, left=0.4)
    seconds = {model: _seconds(results.times.answer[model]) for model in models}
    draw_lines(axis, np.arange(1, questions + 1), seconds, models)
    axis.set_xlabel("question")
    head(axis, "Time to answer", "seconds")
    axis.set_ylim(bottom=0)
    round_ticks(axis.yaxis)
    axis.grid(axis="y")
    number_questions(axis, questions)
    label_ends(
        axis,
        [
            (float(seconds[model].mean[-1]), name, pen.colour)
            for name, (model, pen) in zip(names, models.items(), strict=True)
        ],
    )
    return figure


def _seconds(ms: Estimate) -> Estimate:
    return Estimate(ms.mean / 1000, ms.low / 1000, ms.high / 1000, ms.count)


def _caption(results: Results) -> str:
    end = "Enter" if results.sample.loaded.study.answers.confirm else "the answer"
    several = len(results.sample.participants) > 1
    means = ": means over participants with 95 % intervals" if several else ""
    return f"Participants' median times from the question to {end}, without time away{means}."


def _alt(results: Results) -> str:
    means = [
        f"{model} {number(float(np.nanmean(estimate.mean)) / 1000, 1)} s"
        for model, estimate in results.times.answer.items()
    ]
    return f"Lines by question. Mean over questions: {listed(means)}."


TIMES = ReportFigure(
    name="times",
    section="quality",
    title="Time to answer by question",
    caption=_caption,
    alt=_alt,
    draw=_times,
    has_data=lambda results: bool(results.times.answer),
)
