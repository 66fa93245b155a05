"""The figure of the power of a study, by participants: a panel for each outcome."""

from __future__ import annotations

import math

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from core.wording import counted
from studyapp.analysis.figures.drawing import percent_axis
from studyapp.analysis.figures.layout import LINE, panels, wrapped
from studyapp.analysis.outcomes import OUTCOMES
from studyapp.analysis.power import PairPower, Power
from studyapp.reporting.plots import GREY, LOOK, MARKERS
from studyapp.reporting.wording import number

TITLE = 25  # characters of a title that fit above one of three axes
MOST_TICKS = 10  # sizes that have a label; of more, some


def draw_power(pair: PairPower, level: float) -> Figure:
    one, other = pair.models
    sessions = counted(pair.sessions, "session")
    heading = f"{one} and {other}: power (two-sided p < {level:g}) from {sessions}, with its 95 % interval"
    lines = wrapped(heading, 70)
    titles = [_title(power, name) for name, power in pair.power.items()]
    top = 0.2 + LINE * (lines.count("\n") + 1 + max(title.count("\n") + 1 for title in titles))
    with mpl.rc_context(LOOK):
        figure, axes = panels(top + 2.0, len(titles), top=top, bottom=0.6, gap=0.25, left=0.5, share_y=True)
        figure.text(0.01, 1 - 0.08 / (top + 2.0), lines, va="top", fontweight="bold")
        for axis, title, power in zip(axes, titles, pair.power.values(), strict=True):
            axis.set_title(title, fontweight="normal", fontsize=7)
            _draw_shares(axis, pair.participants, power)
    return figure


def _title(power: Power, name: str) -> str:
    """What a study has to show, the effect size in that direction, and whether the sessions show it."""
    d_z, low, high = power.d_z
    lines = [wrapped(f"to show that {power.expected} {OUTCOMES[name].does}", TITLE)]
    if not math.isfinite(d_z):
        return "\n".join([*lines, "no effect size: all sessions equal"])
    shown = "show this" if low > 0 else "show the opposite" if high < 0 else "don't show this"
    lines.append(wrapped(f"d_z {number(d_z)} ({number(low)} to {number(high)})", TITLE))
    return "\n".join([*lines, f"the sessions {shown}"])


def _draw_shares(axis: Axes, sizes: list[int], power: Power) -> None:
    axis.fill_between(sizes, *power.ci95, color="#000000", alpha=0.12, linewidth=0)
    axis.plot(sizes, power.power, color="#000000", marker=MARKERS[0], markersize=3.5)
    axis.axhline(0.8, color=GREY, linestyle="--", linewidth=0.8)
    axis.set(xlabel="participants", ylim=(0, 1.02), xscale="log")
    ticks = sizes[:: math.ceil(len(sizes) / MOST_TICKS)]
    axis.set_xticks(ticks, [str(size) for size in ticks], fontsize=7, rotation=90)
    axis.xaxis.set_minor_locator(NullLocator())
    percent_axis(axis.yaxis)
