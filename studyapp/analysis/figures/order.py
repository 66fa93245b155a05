"""The figure of order effects: learning over the session, and being the first model with a target."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from studyapp.analysis.figures.drawing import add_legend, axes_row, draw_line, half_widths, pens
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.results import Results
from studyapp.reporting.plots import GREY

__all__ = ["ROUNDS"]


def _rounds(results: Results) -> Figure:
    figure, (left, right) = axes_row(3.2, 2, width_ratios=(2.2, 1), sharey=False)
    x = np.arange(1, len(results.sample.targets) + 1)
    for model, pen in pens(results).items():
        draw_line(left, x, results.order.by_position[model], pen, model)
    left.set(xlabel="target, in order of presentation", ylabel="cumulative reward per round")
    left.set_ylim(bottom=0)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    add_legend(figure, left)
    _draw_gains(right, results)
    return figure


def _draw_gains(axis: Axes, results: Results) -> None:
    by_model = pens(results)
    for i, (model, pen) in enumerate(by_model.items()):
        gain = results.order.first[model]
        bars = half_widths(np.array(gain.difference), np.array(gain.low), np.array(gain.high))
        axis.errorbar([i], [gain.difference], yerr=bars, fmt=pen.marker, color=pen.colour, capsize=3)
    axis.axhline(0, color=GREY, linewidth=0.8)
    letters = sum(map(len, by_model))
    names = list(by_model) if letters <= 30 else [""] * len(by_model)  # long names are in the legend only
    axis.set_xticks(range(len(by_model)), names, rotation=20 if letters > 16 else 0)
    axis.set_xlim(-0.6, len(by_model) - 0.4)
    axis.set_ylabel("gain from being first with a target")


def _caption(results: Results) -> str:
    orders = {tuple(round_.target for round_ in session.plan) for session in results.sample.sessions}
    confounded = " The order was the same for everyone, so it can't be separated from the targets."
    return (
        "Left: reward per round by position of the target in the session. Right: reward with targets on "
        "which a model came first, minus reward with its other targets, adjusted for participants and targets. "
        f"Both have 95 % intervals over participants.{confounded if len(orders) == 1 else ''}"
    )


ROUNDS = ReportFigure(
    name="rounds",
    section="order",
    title="Reward by position in the session, and gain from being first",
    caption=_caption,
    draw=_rounds,
    has_data=lambda results: len(results.sample.targets) > 1,
)
