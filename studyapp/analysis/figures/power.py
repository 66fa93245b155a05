"""The figure of the power of a study, by participants and by questions."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from studyapp.analysis.figures.drawing import axes_row, pair_label, percent_axis
from studyapp.analysis.power import Power
from studyapp.analysis.sample import Pair
from studyapp.reporting.plots import COLOURS, GREY, LOOK, MARKERS, STYLES
from studyapp.reporting.wording import percent

__all__ = ["draw_power"]


def draw_power(powers: Mapping[Pair, Power], level: float) -> dict[str, Figure]:
    """One figure for each pair of models, by name."""
    with mpl.rc_context(LOOK):
        return {f"power-{pair[0]}+{pair[1]}": _power(power, pair, level) for pair, power in powers.items()}


def _power(power: Power, pair: Pair, level: float) -> Figure:
    figure, (left, right) = axes_row(3.3, 2, width_ratios=(1.25, 1))
    figure.suptitle(fill(pair_label(pair), 80), fontsize=9, x=0.02, ha="left")
    label = f"power (p < {level:g})"
    _draw_by_participants(left, power)
    left.set_ylabel(label)
    last = int(power.questions[-1])
    image = right.imshow(
        power.share.T,
        cmap="cividis",
        vmin=0,
        vmax=1,
        aspect="auto",
        origin="lower",
        extent=(0, len(power.sizes), 1.5, last + 0.5),
    )
    sizes = [str(size) for size in power.sizes]
    right.set_xticks(np.arange(len(sizes)) + 0.5, sizes, fontsize=7, rotation=90)
    right.set(xlabel="participants", ylabel="questions")
    right.yaxis.set_major_locator(MaxNLocator(integer=True))
    bar = figure.colorbar(image, ax=right, pad=0.02, format=lambda share, _: percent(share))
    bar.set_label(label)
    return figure


def _draw_by_participants(axis: Axes, power: Power) -> None:
    """After half, three quarters and all of the questions, with the interval of the last."""
    last = int(power.questions[-1])
    shown = sorted({int(np.ceil(last * quarters / 4)) for quarters in (2, 3, 4)} - {1}, reverse=True)
    axis.fill_between(
        power.sizes,
        power.low[:, -1],
        power.high[:, -1],
        color="#000000",
        alpha=0.12,
        linewidth=0,
        label=f"95 % interval ({last})",
    )
    for i, question in enumerate(shown):
        axis.plot(
            power.sizes,
            power.share[:, question - 2],
            STYLES[i],
            color=("#000000", *COLOURS)[i],
            marker=MARKERS[i],
            markersize=3.5,
            label=f"{question} questions",
        )
    axis.axhline(0.8, color=GREY, linestyle="--", linewidth=0.8)
    axis.set(xlabel="participants", ylim=(0, 1.02))
    axis.set_xlim(0, power.sizes[-1] * 1.03)
    percent_axis(axis.yaxis)
    axis.legend(
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize=7, handlelength=1.5, columnspacing=1
    )
