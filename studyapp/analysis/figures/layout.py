"""Where things go in a figure of the report.

Axes are placed in inches, so that figures align on the page, text has the same size in all of them, and no
layout has to be solved: solving takes as long as drawing.  Names, whose length is not known beforehand, are
measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.lines import Line2D

from studyapp.reporting.plots import INK, LOOK, PAPER, WIDTH, any_script
from studyapp.reporting.statistics import Array

SIZE = LOOK["font.size"]
LINE = 0.165  # inches: the height of a line of text
INDENT, BETWEEN = 0.2, 0.3  # inches: of a label in the key from its mark, and from the label before
LONGEST = 26  # characters of a name


@dataclass(frozen=True)
class Entry:
    """One entry of a figure's key."""

    label: str
    colour: str
    marker: str
    hollow: bool = False


def panels(
    height: float,
    columns: int = 1,
    rows: int = 1,
    *,
    width: float = WIDTH,
    left: float = 0.62,
    right: float = 0.15,
    top: float = 0.32,
    bottom: float = 0.5,
    gap: float = 0.62,
    row_gap: float = 0.75,
    ratios: Sequence[float] = (),
    share_y: bool = False,
) -> tuple[Figure, list[Axes]]:
    """A figure with axes row by row; everything in inches, but for the ratios of the columns' widths."""
    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    shares = np.array(ratios or [1.0] * columns)
    widths = (width - left - right - gap * (columns - 1)) * shares / shares.sum()
    tall = (height - top - bottom - row_gap * (rows - 1)) / rows
    axes: list[Axes] = []
    for row in range(rows):
        y = height - top - (row + 1) * tall - row * row_gap
        for column in range(columns):
            x = left + widths[:column].sum() + gap * column
            place = (x / width, y / height, widths[column] / width, tall / height)
            shared: Any = {"sharey": axes[0]} if share_y and axes else {}
            axes.append(figure.add_axes(place, **shared))
            if share_y and column:
                axes[-1].tick_params(labelleft=False)
    return figure, axes


# Texts


@cache
def text_width(text: str, size: float = SIZE) -> float:
    """The width of a text in inches."""
    font = get_font(findfont(FontProperties(family=LOOK["font.sans-serif"])))
    font.set_size(size, 72)
    with any_script():
        font.set_text(text)
    return float(font.get_width_height()[0]) / 64 / 72


def widest(texts: Sequence[str], size: float = SIZE) -> float:
    """The width in inches of the widest line."""
    return max((text_width(line, size) for text in texts for line in text.split("\n")), default=0.0)


def cut(name: str, most: int = LONGEST) -> str:
    """A name that fits into a figure."""
    return name if len(name) <= most else f"{name[: most - 1]}…"


def wrapped(text: str, columns: int) -> str:
    """The text in lines of at most so many characters."""
    return "\n".join(wrap(text, columns))


def spread(places: Sequence[float], least: float, low: float, high: float) -> Array:
    """The places, moved as little as needed to be at least this far apart, between low and high."""
    order = np.argsort(places, kind="stable")
    least = min(least, (high - low) / max(1, len(order) - 1))
    steps = least * np.arange(len(order))
    # Without the steps, places need only be in order: neighbours that are not share their mean.
    groups: list[list[float]] = []
    for place in np.asarray(places, dtype=float)[order] - steps:
        groups.append([float(place)])
        while len(groups) > 1 and np.mean(groups[-2]) > np.mean(groups[-1]):
            last = groups.pop()
            groups[-1] += last
    in_order = np.array([np.mean(group) for group in groups for _ in group])
    result = np.empty(len(order))
    result[order] = np.clip(in_order, low, high - least * (len(order) - 1)) + steps
    return result


# The key: what marks and colours mean


def _key_rows(entries: Sequence[Entry], width: float) -> list[list[tuple[float, Entry, str]]]:
    """The entries line by line, each with its place from the left."""
    lines: list[list[tuple[float, Entry, str]]] = [[]]
    x = 0.0
    for entry in entries:
        label = cut(entry.label, 60)
        wide = INDENT + text_width(label)
        if lines[-1] and x + wide > width:
            lines.append([])
            x = 0.0
        lines[-1].append((x, entry, label))
        x += wide + BETWEEN
    return lines


def key_height(entries: Sequence[Entry], width: float = WIDTH) -> float:
    """The room in inches that the key of a figure of this width takes."""
    return LINE * len(_key_rows(entries, width - 0.3)) + 0.06


def draw_key(figure: Figure, entries: Sequence[Entry]) -> None:
    """Write the key at the top, in as many lines as it takes."""
    width, height = figure.get_size_inches()
    for number, line in enumerate(_key_rows(entries, width - 0.3)):
        y = 1 - (0.1 + LINE * number) / height
        for x, entry, label in line:
            at = (0.06 + x) / width
            mark = Line2D(
                [at + 0.06 / width],
                [y],
                linestyle="none",
                marker=entry.marker,
                markersize=11 if entry.marker == "_" else 5,
                color=entry.colour,
                markerfacecolor=PAPER if entry.hollow else entry.colour,
                transform=figure.transFigure,
                label=entry.label,
            )
            figure.add_artist(mark)
            figure.text(at + INDENT / width, y - 0.005 / height, label, va="center_baseline", color=INK)
