"""The figure of the power of a study: for each outcome by participants, for the reward also by questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import fill

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullLocator

from core.wording import counted
from studyapp.analysis.figures.drawing import axes_grid, percent_axis
from studyapp.analysis.power import Power
from studyapp.analysis.sample import Pair
from studyapp.reporting.plots import COLOURS, GREY, LOOK, MARKERS, STYLES
from studyapp.reporting.wording import number, percent

__all__ = ["draw_power"]

TITLE = 34  # characters of a title that fit above one of two axes
MOST_TICKS = 14  # sizes that have a label; of more, some


def draw_power(powers: Mapping[Pair, Sequence[Power]]) -> dict[str, Figure]:
    """One figure for each pair of models, by name."""
    with mpl.rc_context(LOOK):
        return {f"power-{pair[0]}+{pair[1]}": _figure(pair, outcomes) for pair, outcomes in powers.items()}


def _figure(pair: Pair, powers: Sequence[Power]) -> Figure:
    reward, *others = powers
    figure, (left, right, *below) = axes_grid(6.4, 2, 2)
    sessions, level = reward.effect.sessions, reward.level
    heading = f"{pair[0]} and {pair[1]}: power (two-sided p < {level:g}), from {counted(sessions, 'session')}"
    figure.suptitle(fill(heading, 80), fontsize=9, x=0.02, ha="left")
    _by_participants(left, reward)
    _by_question(figure, right, reward)
    for axis, power in zip(below, others, strict=True):
        _by_participants(axis, power)
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=4, fontsize=7)
    return figure


def _title(power: Power) -> str:
    """What a study has to show, the effect size in that direction, and whether the sessions show it."""
    d_z, low, high = power.d_z[-1]
    lines = [fill(f"to show that {power.claim}", TITLE)]
    if not math.isfinite(d_z):
        return "\n".join([*lines, "no effect size: all sessions equal"])
    shown = "show this" if low > 0 else "show the opposite" if high < 0 else "don't show this"
    lines.append(fill(f"d_z {number(d_z)} ({number(low)} to {number(high)})", TITLE))
    return "\n".join([*lines, f"the sessions {shown}"])


def _by_participants(axis: Axes, power: Power) -> None:
    """After half, three quarters and all of the questions, with the interval of the last."""
    questions = power.effect.questions
    axis.set_title(_title(power), fontweight="normal")
    axis.fill_between(
        power.sizes,
        power.low[:, -1],
        power.high[:, -1],
        color="#000000",
        alpha=0.12,
        linewidth=0,
        label=f"95 % interval ({questions[-1]} questions)",
    )
    last = int(questions[-1])
    shown = sorted({math.ceil(last * quarters / 4) for quarters in (2, 3, 4)} & set(questions), reverse=True)
    for i, question in enumerate(shown):
        axis.plot(
            power.sizes,
            power.share[:, question - questions[0]],
            STYLES[i],
            color=("#000000", *COLOURS)[i],
            marker=MARKERS[i],
            markersize=3.5,
            label=f"{question} questions",
        )
    axis.axhline(0.8, color=GREY, linestyle="--", linewidth=0.8)
    axis.set(xlabel="participants", ylabel="power", ylim=(0, 1.02), xscale="log")
    ticks = _some(power.sizes.tolist())
    axis.set_xticks(ticks, [str(size) for size in ticks], fontsize=7, rotation=90)
    axis.xaxis.set_minor_locator(NullLocator())
    percent_axis(axis.yaxis)


def _some(sizes: list[int]) -> list[int]:
    """Sizes for labels: all if they are few, otherwise every second, third, ..."""
    return sizes[:: math.ceil(len(sizes) / MOST_TICKS)]


def _by_question(figure: Figure, axis: Axes, power: Power) -> None:
    """The same for every number of questions, as colours."""
    questions, sizes = power.effect.questions, power.sizes.tolist()
    axis.set_title(fill(f"to show that {power.claim}, by questions", TITLE), fontweight="normal")
    image = axis.imshow(
        power.share.T,
        cmap="cividis",
        vmin=0,
        vmax=1,
        aspect="auto",
        origin="lower",
        extent=(0, len(sizes), questions[0] - 0.5, questions[-1] + 0.5),
    )
    ticks = _some(sizes)
    places = [sizes.index(size) + 0.5 for size in ticks]
    axis.set_xticks(places, [str(size) for size in ticks], fontsize=7, rotation=90)
    axis.set(xlabel="participants", ylabel="questions")
    axis.yaxis.set_major_locator(
        FixedLocator(questions.tolist()) if len(questions) < 4 else MaxNLocator(integer=True)
    )
    bar = figure.colorbar(image, ax=axis, pad=0.02, format=lambda share, _: percent(share))
    bar.set_label("power")
