"""The figure of how often and how soon the target was found."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from studyapp.analysis.figures.drawing import draw_across, head, pens, percent_axis
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.figures.layout import cut, panels, widest
from studyapp.analysis.results import Results
from studyapp.reporting.wording import number, percent


def _found(results: Results) -> Figure:
    models = pens(results)
    names = [cut(model, 16) for model in models]
    left = 0.3 + widest(names)
    height = 0.95 + 0.27 * len(models)
    figure, (share, question) = panels(
        height, 2, left=left, gap=0.35, top=0.3, bottom=0.48, share_y=True, right=0.2
    )
    for row, (model, pen) in enumerate(models.items()):
        found = results.found[model]
        draw_across(share, np.array([row]), found.share, pen, model, size=5)
        draw_across(question, np.array([row]), found.question, pen, model, size=5)
    share.set(
        xlim=(-0.02, 1.02), xlabel="rounds in which the target was found", ylim=(len(models) - 0.5, -0.5)
    )
    share.set_yticks(range(len(models)), names)
    percent_axis(share.xaxis)
    question.set(xlim=(1, results.sample.questions + 0.3), xlabel="questions until the target was found")
    head(share, "How often", letter="a")
    head(question, "How soon", letter="b")
    question.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    for axis in (share, question):
        axis.grid(axis="x")
        axis.tick_params(axis="y", length=0)
        axis.spines["left"].set_visible(False)
    return figure


def _caption(results: Results) -> str:
    last = results.sample.questions
    lines = " Lines are 95 % intervals." if len(results.sample.participants) > 1 else ""
    return (
        "The target is found when a question is about it. (a) Share of rounds. (b) Mean number of questions; "
        f"a round that ended without finding the target counts with all its {last} questions (a restricted "
        f"mean).{lines}"
    )


def _alt(results: Results) -> str:
    rows = [
        f"{model}: {percent(float(found.share.mean))} of rounds, after "
        f"{number(float(found.question.mean), 1)} questions"
        for model, found in results.found.items()
    ]
    return f"{'; '.join(rows)}."


FOUND = ReportFigure(
    name="found",
    section="finding",
    title="How often and how soon the target was found",
    caption=_caption,
    alt=_alt,
    draw=_found,
)
