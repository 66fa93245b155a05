"""The results in the terminal: the main result, the curves as a plot of characters, and tables."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from rich.table import Table
from rich.text import Text

from core.wording import visible
from studyapp.analysis.main_result import main_result
from studyapp.analysis.results import Results
from studyapp.analysis.sample import Pair
from studyapp.analysis.summary import baseline
from studyapp.base.console import Console
from studyapp.reporting.statistics import Array
from studyapp.reporting.terminal import print_sentence, short
from studyapp.reporting.wording import number, p_value

WIDTH, HEIGHT = 45, 12  # of the plot, in braille characters of 2 x 4 dots
BRAILLE = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
INKS = ("red", "blue", "green", "magenta", "yellow", "cyan")


def show(results: Results, console: Console) -> None:
    """Print the main result, the curves, then a table for each pair of models."""
    for sentence in main_result(results).sentences:
        print_sentence(f"{visible(sentence)}\n", console)
    try:
        chr(BRAILLE).encode(console.encoding)
    except (UnicodeEncodeError, LookupError):
        pass  # this terminal cannot show the plot
    else:
        console.print(_plot(results))
    models, pairs = results.sample.models, results.sample.pairs
    if len(pairs) == 1:
        console.print(_table(results, models, pairs[0]))
    else:
        console.print(_table(results, models, None))
        for one, other in pairs:
            console.print(Text(f"\n{short(one)} - {short(other)}", style="bold"))
            console.print(_table(results, [], (one, other)))


def _table(results: Results, models: list[str], pair: Pair | None) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="bold")
    headers = ["", *map(short, models), *([baseline(models)] if models else [])]
    headers += ["difference", "95 % interval", "p", "corrected"] if pair else []
    for header in headers:
        table.add_column(Text(header), justify="right", no_wrap=True)
    rewards = results.rewards
    for i in range(results.sample.questions):
        cells = [str(i + 1), *(number(rewards.means[model].mean[i]) for model in models)]
        cells += [number(rewards.random[i])] if models else []
        if pair and i:
            comparison = rewards.comparisons[pair]
            cells += [number(comparison.mean[i - 1])]
            cells += [f"{number(comparison.low[i - 1])} to {number(comparison.high[i - 1])}"]
            cells += [p_value(comparison.p[i - 1]), p_value(comparison.p_corrected[i - 1])]
        table.add_row(*cells)
    return table


def _plot(results: Results) -> Text:
    """The mean cumulative reward by question, in braille dots."""
    models, rewards = results.sample.models, results.rewards
    series = [rewards.means[model].mean for model in models] + [rewards.random]
    names = [*map(short, models), baseline(models)]
    inks = [INKS[i % len(INKS)] for i in range(len(models))] + ["bright_black"]
    top = max(1e-9, *(float(np.nanmax(values)) for values in series))
    cells = np.zeros((HEIGHT, WIDTH), dtype=int)
    owner = np.full((HEIGHT, WIDTH), -1)
    for k, values in reversed(list(enumerate(series))):
        _draw(values, top, k, cells, owner)
    text = Text()
    text.append("Mean cumulative reward by question\n", style="bold")
    for row in range(HEIGHT):
        label = f"{top * (1 - row / HEIGHT):7.1f} " if row % 4 == 0 else " " * 8
        text.append(label + "│", style="bright_black")
        for column in range(WIDTH):
            ink = inks[owner[row, column]] if owner[row, column] >= 0 else ""
            text.append(chr(BRAILLE + int(cells[row, column])), style=ink)
        if row < len(names):
            text.append("  ━ ", style=inks[row])
            text.append(names[row])
        text.append("\n")
    text.append(" " * 8 + "└" + "─" * WIDTH + "\n", style="bright_black")
    last = str(results.sample.questions)
    text.append(" " * 9 + "1" + "question".center(WIDTH - 1 - len(last)) + last + "\n", style="bright_black")
    return text


def _draw(values: Array, top: float, k: int, cells: NDArray[np.intp], owner: NDArray[np.intp]) -> None:
    steps = 2 * WIDTH
    at = np.linspace(0, len(values) - 1, steps)
    heights = np.interp(at, np.arange(len(values)), values)
    last = None
    for x, height in enumerate(heights):
        if not math.isfinite(height):
            continue
        y = min(4 * HEIGHT - 1, max(0, round((1 - height / top) * (4 * HEIGHT - 1))))
        for dot in range(min(y, y if last is None else last), max(y, y if last is None else last) + 1):
            cells[dot // 4, x // 2] |= DOTS[dot % 4][x % 2]
            owner[dot // 4, x // 2] = k
        last = y
