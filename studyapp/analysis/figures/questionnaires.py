"""The figure of the scales and scores of questionnaires."""

from __future__ import annotations

from textwrap import fill

from matplotlib.figure import Figure

from studyapp.analysis.figures.drawing import (
    add_legend,
    axes_row,
    half_widths,
    offsets,
    pens,
    percent_axis,
)
from studyapp.analysis.figures.figure import ReportFigure
from studyapp.analysis.questionnaires import AT_END, ItemResult
from studyapp.analysis.results import Results
from studyapp.reporting.plots import Pen
from studyapp.reporting.statistics import Array

__all__ = ["SURVEY"]


def _survey(results: Results) -> Figure:
    items = _scales(results)[::-1]  # the first item at the top
    by_group = pens(results) | {AT_END: Pen("#000000", "-", "o")}
    figure, (axis,) = axes_row(max(1.9, 1.1 + 0.34 * len(items)))
    for row, item in enumerate(items):
        for shift, (group, estimate) in zip(
            offsets(len(item.by_group), 0.22), item.by_group.items(), strict=True
        ):
            mean, low, high = (
                _on_scale(value, item) for value in (estimate.mean, estimate.low, estimate.high)
            )
            pen = by_group[group]
            axis.errorbar(
                [mean],
                [row - shift],
                xerr=half_widths(mean, low, high),
                fmt=pen.marker,
                color=pen.colour,
                markersize=4,
                capsize=2,
                label=group or "at the end",
            )
    axis.set_yticks(range(len(items)), [fill(_label(item), 32) for item in items])
    axis.set_ylim(-0.6, len(items) - 0.4)
    axis.set(xlabel="mean answer, as a share of the scale", xlim=(-0.02, 1.02))
    percent_axis(axis.xaxis)
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    add_legend(figure, axis)
    return figure


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
    return f"{item.questionnaire}: {item.item} ({least:g} to {most:g})"


SURVEY = ReportFigure(
    name="survey",
    section="questionnaires",
    title="Scales and scores",
    caption=lambda _: (
        "Means over participants with 95 % intervals, as a share of the scale whose ends are in parentheses. "
        "For scales after rounds, each participant's mean per model is used."
    ),
    draw=_survey,
    has_data=lambda results: bool(_scales(results)),
)
