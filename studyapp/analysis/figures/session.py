"""Figures of the course of a session: order effects (learning, being the first model), and questionnaires."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from studyapp.analysis.figures.drawing import (
    ReportFigure,
    draw_across,
    draw_lines,
    head,
    model_key,
    offsets,
    pens,
    single,
    zero_line,
)
from studyapp.analysis.figures.layout import Entry, cut, draw_key, key_height, panels, widest, wrapped
from studyapp.analysis.questionnaires import AT_END, ItemResult
from studyapp.analysis.results import Results
from studyapp.reporting.plots import GRID, INK, WIDTH, Pen
from studyapp.reporting.statistics import Array
from studyapp.reporting.wording import listed, number

OF_ALL = Pen(INK, "-", "o")  # items that are asked at the end
COLUMNS, MOST = 38, 110  # characters of a line, and of a label


# Order effects


def _rounds(results: Results) -> Figure:
    models, key = pens(results), model_key(results)
    names = [cut(model, 12) for model in models]
    top = key_height(key) + 0.5
    figure, (left, right) = panels(
        top + 2.3, 2, top=top, bottom=0.5, gap=0.3 + widest(names), ratios=(1.7, 1), left=0.4
    )
    x = np.arange(1, len(results.sample.targets) + 1)
    draw_lines(left, x, results.order.by_position, models)
    for row, (model, pen) in enumerate(models.items()):
        effect = results.order.first[model]
        estimate = single(effect.difference, effect.low, effect.high)
        draw_across(right, np.array([row]), estimate, pen, model, size=5)
    left.set_xlabel("position of the target in the session")
    left.set_ylim(bottom=0)
    left.grid(axis="y")
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    zero_line(right, upright=True)
    right.grid(axis="x")
    right.set_yticks(range(len(models)), names)
    right.set_ylim(len(models) - 0.5, -0.5)
    right.tick_params(axis="y", length=0)
    right.spines["left"].set_visible(False)
    right.set_xlabel("gain in the reward of a round")
    low, high = right.get_xlim()
    right.set_xlim(min(low, -0.1), max(high, 0.1))
    head(left, "Over the session", "reward of a round", "a")
    head(right, "Being first with a target", letter="b")
    draw_key(figure, key)
    return figure


def _rounds_caption(results: Results) -> str:
    orders = {tuple(round_.target for round_ in session.plan) for session in results.sample.sessions}
    same = (
        " The order of targets was the same for everyone, so (a) can't tell learning from differences "
        "between targets."
        if len(orders) == 1
        else ""
    )
    intervals = ", with 95 % intervals" if len(results.sample.participants) > 1 else ""
    return (
        f"(a) Mean reward of a round by the position of its target in the session{intervals}. (b) Gain "
        "in reward when a model is the first with a target rather than a later one, adjusted for targets and "
        f"participants{intervals}.{same}"
    )


def _rounds_alt(results: Results) -> str:
    gains = [f"{model} {number(results.order.first[model].difference)}" for model in results.sample.models]
    return f"Lines by position in the session, and the gain from being first with a target: {listed(gains)}."


ROUNDS = ReportFigure(
    name="rounds",
    section="order",
    title="Reward over the session, and gain from being first with a target",
    caption=_rounds_caption,
    alt=_rounds_alt,
    draw=_rounds,
    has_data=lambda results: len(results.sample.targets) > 1,
)


# Scales and scores of questionnaires


def _survey(results: Results) -> Figure:
    items = _scales(results)
    key = _key(results)
    labels = [wrapped(_label(item), COLUMNS) for item in items]
    lines = [
        max(1.6, label.count("\n") + 1.3, 0.85 * len(item.by_group))
        for label, item in zip(labels, items, strict=True)
    ]
    places = np.cumsum(lines) - np.array(lines) / 2
    top, left = key_height(key) + 0.1, 0.3 + widest(labels)
    figure, (axis,) = panels(top + 0.35 + 0.165 * sum(lines), left=left, top=top, bottom=0.35, right=0.2)
    by_group = pens(results) | {AT_END: OF_ALL}
    for place, item in zip(places, items, strict=True):
        shifts = offsets(len(item.by_group), 0.62)
        for shift, (group, estimate) in zip(shifts, item.by_group.items(), strict=True):
            ends = (estimate.mean, estimate.low, estimate.high)
            shown = single(*(_on_scale(value, item) for value in ends))
            draw_across(axis, np.array([place + shift]), shown, by_group[group], group or "asked at the end")
    axis.set_yticks([])
    for place, label in zip(places, labels, strict=True):
        at: Any = axis.get_yaxis_transform()
        axis.text(-left / (WIDTH - left - 0.2) + 0.02, place, label, va="center", transform=at)
    axis.set_ylim(sum(lines), 0)
    axis.set_xlim(-0.02, 1.02)
    axis.set_xticks([0, 0.25, 0.5, 0.75, 1], ["lowest", "", "middle", "", "highest"])
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    axis.grid(axis="x")
    for border in np.cumsum(lines)[:-1]:
        axis.axhline(border, color=GRID, linewidth=0.6)
    draw_key(figure, key)
    return figure


def _key(results: Results) -> list[Entry]:
    groups = {group for item in _scales(results) for group in item.by_group}
    key = model_key(results) if groups != {AT_END} else []
    return [*key, *([Entry("asked at the end", OF_ALL.colour, OF_ALL.marker)] if AT_END in groups else [])]


def _scales(results: Results) -> list[ItemResult]:
    """The scales; for a questionnaire with a score, the score instead of its items."""
    scored = {item.questionnaire for item in results.questionnaires if item.item == "score"}
    return [
        item
        for item in results.questionnaires
        if item.kind == "scale" and (item.item == "score" or item.questionnaire not in scored)
    ]


def _on_scale(value: Array, item: ItemResult) -> Array:
    """As a share of the scale, so that different scales fit on one axis."""
    least, most = item.scale
    return (value - least) / (most - least)


def _label(item: ItemResult) -> str:
    least, most = item.scale
    ask = cut(" ".join(item.ask.split()), MOST)
    return ask if item.item == "score" else f"{ask} ({least:g} to {most:g})"  # a score's title has its ends


def _survey_alt(results: Results) -> str:
    rows = []
    for item in _scales(results):
        means = ", ".join(
            f"{group or 'all'} {number(float(estimate.mean), 1)}" for group, estimate in item.by_group.items()
        )
        rows.append(f"{cut(' '.join(item.ask.split()), MOST)}: {means}")
    return f"Mean answers. {'; '.join(rows)}."


SURVEY = ReportFigure(
    name="survey",
    section="questionnaires",
    title="Answers on scales, and scores",
    caption=lambda results: (
        "Means over participants"
        + (" with 95 % intervals" if len(results.sample.participants) > 1 else "")
        + ", from the lowest to the highest possible answer, whose numbers are beside the question. "
        "For scales after rounds, each participant's mean per model is used."
    ),
    alt=_survey_alt,
    draw=_survey,
    has_data=lambda results: bool(_scales(results)),
)
