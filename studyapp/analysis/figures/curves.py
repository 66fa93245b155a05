"""Figures of what happened question by question: finding the target, reward, times of answers."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from studyapp.analysis.figures.drawing import (
    ReportFigure,
    draw_across,
    draw_lines,
    draw_upright,
    head,
    label_ends,
    number_questions,
    pair_label,
    panel_title,
    pens,
    percent_axis,
    round_ticks,
    zero_line,
)
from studyapp.analysis.figures.layout import cut, panels, widest
from studyapp.analysis.results import Results
from studyapp.reporting.paired import LEVEL
from studyapp.reporting.plots import GREY, INK, PAPER, Pen
from studyapp.reporting.statistics import Estimate
from studyapp.reporting.wording import listed, number, percent

WIDE = 8.6  # inches: wider than a column of text
COLUMNS = 3  # panels side by side, one for each pair of models


# The main result: finding the target, and reward


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


def _main_caption(results: Results) -> str:
    several = len(results.sample.participants) > 1
    bands = "; bands are 95 % intervals" if several else ""
    return (
        "(a) Share of rounds in which a question had been about the target, the word that the participant "
        "helped to find. (b) Cumulative reward, the sum of the "
        f"similarities between the target and the words asked about: means over participants{bands}. Dotted: "
        "expected if every question is about a random word."
    )


def _main_alt(results: Results) -> str:
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
    caption=_main_caption,
    alt=_main_alt,
    draw=_main,
)


# How often and how soon the target was found


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


def _found_caption(results: Results) -> str:
    last = results.sample.questions
    lines = " Lines are 95 % intervals." if len(results.sample.participants) > 1 else ""
    return (
        "The target is found when a question is about it. (a) Share of rounds. (b) Mean number of questions; "
        f"a round that ended without finding the target counts with all its {last} questions (a restricted "
        f"mean).{lines}"
    )


def _found_alt(results: Results) -> str:
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
    caption=_found_caption,
    alt=_found_alt,
    draw=_found,
)


# Differences in reward between models


def _differences(results: Results) -> Figure:
    comparisons = results.rewards.comparisons
    columns = min(COLUMNS, len(comparisons))
    rows = -(-len(comparisons) // columns)
    titles = [panel_title(pair, columns) for pair in comparisons]
    top = 0.36 + 0.16 * max(title.count("\n") + 1 for title in titles)
    tall = 2.1 if columns == 1 else 1.6
    figure, axes = panels(
        top + 0.45 + rows * tall + (rows - 1) * (0.5 + top),
        columns,
        rows,
        top=top,
        bottom=0.45,
        left=0.52,
        gap=0.2,
        row_gap=0.5 + top,
        share_y=True,
    )
    for axis in axes[len(comparisons) :]:
        axis.set_visible(False)
    for axis, title, comparison in zip(axes, titles, comparisons.values(), strict=False):
        x = results.rewards.compared_questions
        zero_line(axis)
        draw_upright(
            axis,
            x,
            Estimate(comparison.mean, comparison.low, comparison.high, x),
            Pen(INK, "", "o"),
            None,
            markerfacecolor=PAPER,
            markeredgecolor=INK,
            markeredgewidth=1.1,
        )
        sure = comparison.p_corrected < LEVEL
        axis.plot(x[sure], comparison.mean[sure], "o", color=INK, markersize=4.8)
        head(axis, title, "difference in cumulative reward")
        axis.set_xlabel("question")
        axis.grid(axis="y")
        round_ticks(axis.yaxis)
        number_questions(axis, results.sample.questions)
    return figure


def _differences_caption(results: Results) -> str:
    sure = sum(int((c.p_corrected < LEVEL).sum()) for c in results.rewards.comparisons.values())
    intervals = " with 95 % intervals" if len(results.sample.participants) > 1 else ""
    filled = (
        "Filled: p below 0.05, corrected for testing after every question."
        if sure
        else "No difference has p below 0.05, corrected for testing after every question."
    )
    return f"Mean differences over participants{intervals}. {filled}" if intervals else "Mean differences."


def _differences_alt(results: Results) -> str:
    last = [
        f"{pair_label(pair)} {number(comparison.mean[-1])} ({number(comparison.low[-1])} to "
        f"{number(comparison.high[-1])})"
        for pair, comparison in results.rewards.comparisons.items()
    ]
    return f"Dots with intervals by question. After the last question: {'; '.join(last)}."


DIFFERENCES = ReportFigure(
    name="differences",
    section="reward",
    title="Difference in cumulative reward by question",
    caption=_differences_caption,
    alt=_differences_alt,
    draw=_differences,
    has_data=lambda results: bool(results.sample.pairs) and results.sample.questions > 1,
)


# How long answers took


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


def _times_caption(results: Results) -> str:
    end = "Enter" if results.sample.loaded.study.answers.confirm else "the answer"
    several = len(results.sample.participants) > 1
    means = ": means over participants with 95 % intervals" if several else ""
    return f"Participants' median times from the question to {end}, without time away{means}."


def _times_alt(results: Results) -> str:
    means = [
        f"{model} {number(float(np.nanmean(estimate.mean)) / 1000, 1)} s"
        for model, estimate in results.times.answer.items()
    ]
    return f"Lines by question. Mean over questions: {listed(means)}."


TIMES = ReportFigure(
    name="times",
    section="quality",
    title="Time to answer by question",
    caption=_times_caption,
    alt=_times_alt,
    draw=_times,
    has_data=lambda results: bool(results.times.answer),
)
