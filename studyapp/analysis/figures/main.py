"""The figure of the main result: finding the target and reward, question by question."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from studyapp.analysis.figures.drawing import (
    draw_lines,
    head,
    label_ends,
    number_questions,
    pens,
    percent_axis,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.figures.layout import cut, panels, widest
from studyapp.analysis.results import Results
from studyapp.reporting.plots import GREY
from studyapp.reporting.statistics import Estimate
from studyapp.reporting.wording import listed, number, percent

WIDE = 8.6  # inches: wider than a column of text


def _main(results: Results) -> Figure:
    models, questions = pens(results), results.sample.questions
    by_question = {model: results.found[model].by_question for model in models}
    rewards, random = results.rewards.means, results.rewards.random
    found_ends = [
        (float(by_question[model].mean[-1]), f"{cut(model, 18)} {percent(by_question[model].mean[-1])}", pen)
        for model, pen in models.items()
    ]
    reward_ends = [
        (float(rewards[model].mean[-1]), f"{cut(model, 18)} {number(rewards[model].mean[-1])}", pen)
        for model, pen in models.items()
    ]
    labels = [label for _, label, _ in (*found_ends, *reward_ends)]
    room = 0.12 + 1.12 * widest([*labels, "random 0.00"])  # bold letters are wider
    figure, (left, right) = panels(2.95, 2, width=WIDE, right=room, gap=room + 0.45, top=0.5, left=0.45)
    x = np.arange(1, questions + 1)
    ends = np.append(x, questions + 0.5)  # the last step is as visible as the others
    draw_lines(left, ends, {model: _held(by_question[model]) for model in models}, models, steps=True)
    draw_lines(right, x, rewards, models)
    left.set(ylim=(0, 1.02), xlabel="question")
    percent_axis(left.yaxis)
    right.plot(x, random, color=GREY, linestyle=(0, (1, 2)), linewidth=1.2, label="random questions")
    right.set(xlabel="question")
    right.set_ylim(bottom=0)
    for axis in (left, right):
        number_questions(axis, questions)
        axis.grid(axis="y")
    left.set_xlim(0.5, questions + 0.5)
    head(left, "Finding the target", "rounds in which the target was found", "a")
    head(right, "Reward", "cumulative reward of a round", "b")
    label_ends(left, [(y, label, pen.colour) for y, label, pen in found_ends])
    label_ends(
        right,
        [
            *((y, label, pen.colour) for y, label, pen in reward_ends),
            (float(random[-1]), f"random {number(random[-1])}", GREY),
        ],
    )
    return figure


def _held(estimate: Estimate) -> Estimate:
    """The estimate with its last value repeated, for the end of a line of steps."""
    return Estimate(*(np.append(values, values[-1]) for values in vars(estimate).values()))


def _caption(results: Results) -> str:
    several = len(results.sample.participants) > 1
    bands = "; bands are 95 % intervals" if several else ""
    return (
        "(a) Share of rounds in which a question had been about the target, the word that the participant "
        "helped to find. (b) Cumulative reward, the sum of the "
        f"similarities between the target and the words asked about: means over participants{bands}. Dotted: "
        "expected if every question is about a random word."
    )


def _alt(results: Results) -> str:
    found = [
        f"{model} {percent(results.found[model].by_question.mean[-1])}" for model in results.sample.models
    ]
    earned = [f"{model} {number(results.rewards.means[model].mean[-1])}" for model in results.sample.models]
    return (
        f"Two panels of curves by question. Targets found by question {results.sample.questions}: "
        f"{listed(found)} of rounds. Mean cumulative reward by then: {listed(earned)}; random questions "
        f"{number(results.rewards.random[-1])}."
    )


MAIN = ReportFigure(
    name="main",
    section="first",
    title="Finding the target, and reward",
    caption=_caption,
    alt=_alt,
    draw=_main,
)
