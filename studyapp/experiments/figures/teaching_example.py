"""Figure 2: ten arms on a line, and the answer to the first question."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from studyapp.experiments.designs.measures import PROBABILITY
from studyapp.experiments.designs.teaching_example import AFTER_NO, AFTER_YES
from studyapp.experiments.figures.drawing import BLACK, Runs, estimated, grid, has, in_look, steps
from studyapp.reporting.plots import COLOURS, GREY

__all__ = ["teaching_example"]

BARS: tuple[Any, ...] = (  # shift, measure, label, look
    (-0.2, AFTER_NO, "after a no", {"facecolor": "#ffffff", "hatch": "////"}),
    (0.2, AFTER_YES, "after a yes", {"facecolor": COLOURS[1]}),
)


@in_look
def teaching_example(runs: Runs, run: str) -> Figure:
    """Left, the arms and the one asked about; right, the next question after a no and after a yes."""
    figure, (axes,) = grid(2.9, 1, 2)
    left, right = axes
    results = runs[run]
    asked = int(results.design["asked"])
    if has(runs, run, "teacher"):
        rewards = estimated(results, "teacher", PROBABILITY).mean
        arms = steps(PROBABILITY, len(rewards))
        left.vlines(arms, 0, rewards, color=BLACK, linewidth=1.4)
        others = arms != asked
        left.plot(arms[others], rewards[others], "o", color=BLACK, markersize=5)
        left.plot(arms[~others], rewards[~others], "D", color=COLOURS[0], markersize=7)
        left.annotate(
            f"asked first: arm {asked},\nreward probability {rewards[asked - 1]:.2f}",
            (asked, rewards[asked - 1]),
            (0.7, 0.86),
            fontsize=8,
            arrowprops={
                "arrowstyle": "-",
                "color": GREY,
                "linewidth": 0.8,
                "shrinkB": 6,
                "relpos": (0.75, 0.0),
            },
        )
        for shift, measure, label, look in BARS:
            mean = estimated(results, "teacher", measure).mean
            right.bar(arms + shift, mean, 0.4, label=label, edgecolor=COLOURS[1], linewidth=0.8, **look)
        right.legend(loc="lower left", bbox_to_anchor=(0, 1), borderaxespad=0, ncols=2, fontsize=8)
        for axis in axes:
            axis.set_xticks(arms)
    left.set(xlabel="arm", ylabel="reward probability", ylim=(0, 1.02))
    right.set(xlabel="arm", ylabel="probability of being asked next")
    right.set_ylim(bottom=0)
    return figure
