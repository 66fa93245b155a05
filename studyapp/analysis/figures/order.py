"""The figure of order effects: learning over the session, and being the first model with a word."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from studyapp.analysis.figures.drawing import (
    draw_across,
    draw_lines,
    head,
    model_key,
    pens,
    single,
    zero_line,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.figures.layout import cut, draw_key, key_height, panels, widest
from studyapp.analysis.results import Results
from studyapp.reporting.wording import listed, number


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


def _caption(results: Results) -> str:
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


def _alt(results: Results) -> str:
    gains = [f"{model} {number(results.order.first[model].difference)}" for model in results.sample.models]
    return f"Lines by position in the session, and the gain from being first with a target: {listed(gains)}."


ROUNDS = ReportFigure(
    name="rounds",
    section="order",
    title="Reward over the session, and gain from being first with a target",
    caption=_caption,
    alt=_alt,
    draw=_rounds,
    has_data=lambda results: len(results.sample.targets) > 1,
)
