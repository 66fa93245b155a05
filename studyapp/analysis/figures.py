"""The pictures of an analysis, drawn from its results alone.

Colours are Okabe and Ito's, which people with any common colour blindness can tell apart; models also
differ in line style and marker, so that print in grey will do.  The same results make the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, MaxNLocator, NullFormatter

from studyapp.analysis.power import Power
from studyapp.analysis.results import BANDS, ItemResult, Results
from studyapp.reporting import plots
from studyapp.reporting.plots import COLOURS, FORMS, GREY, LOOK, MARKERS, STYLES, WIDTH, Pen
from studyapp.reporting.statistics import Array, Estimate

__all__ = ["FIGURES", "FORMS", "draw", "draw_power", "save"]

MANY = 100  # participants, above which their lines are drawn as an image
LINE = 0.3  # inches: the height of a legend of one line
LONG = 20  # characters of a word that are drawn


def _pens(results: Results) -> dict[str, Pen]:
    return {
        model: Pen(COLOURS[i % len(COLOURS)], STYLES[i % len(STYLES)], MARKERS[i % len(MARKERS)])
        for i, model in enumerate(results.models)
    }


def _figure(height: float, columns: int = 1, **more: Any) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, squeeze=False, **more)
    return figure, list(axes[0])


def _numbers(axis: Axes, many: int) -> None:
    axis.set_xlim(0.5, many + 0.5)
    axis.xaxis.set_major_locator(
        MaxNLocator(integer=True, nbins=15) if many > 20 else FixedLocator(range(1, many + 1))
    )


def _legend(figure: Figure, axis: Axes) -> None:
    """Above all axes, where it hides nothing, in as many columns as fit; more lines make a higher figure."""
    handles = dict(zip(*reversed(axis.get_legend_handles_labels()), strict=True))
    for columns in (4, 3, 2, 1):
        legend = figure.legend(
            handles.values(), handles.keys(), loc="outside upper left", ncols=columns, fontsize=8
        )
        size = legend.get_window_extent()
        if size.width <= figure.bbox.width or columns == 1:
            break
        legend.remove()
    figure.set_figheight(figure.get_figheight() + max(0.0, size.height / figure.dpi - LINE))


def _apart(several: int, most: float) -> Array:
    """Where to draw each of several things that share a place: ``most`` apart, or as room is."""
    return np.asarray((np.arange(several) - (several - 1) / 2) * min(most, 0.8 / max(1, several)))


def _short(word: str) -> str:
    return word if len(word) <= LONG else f"{word[: LONG - 1]}…"


def _line(axis: Axes, x: Any, estimate: Estimate, pen: Pen, label: str) -> None:
    axis.fill_between(x, estimate.low, estimate.high, color=pen.colour, alpha=0.2, linewidth=0)
    axis.plot(x, estimate.mean, pen.style, color=pen.colour, marker=pen.marker, markersize=3.5, label=label)


def curves(results: Results) -> Figure:
    figure, (axis,) = _figure(3.9)
    x = np.arange(1, results.questions + 1)
    many = len(results.participants)
    for model, pen in _pens(results).items():
        lines = [np.column_stack([x, row]) for row in results.curves[model]]
        faint = LineCollection(
            lines, colors=pen.colour, alpha=max(0.03, 0.35 / (1 + many / 20)), linewidths=0.8
        )
        faint.set_rasterized(many > MANY)
        axis.add_collection(faint)
        _line(axis, x, results.mean_curves[model], pen, model)
    axis.plot(x, results.random, color=GREY, linestyle=":", label="random questions")
    axis.set(xlabel="question", ylabel="cumulative reward")
    axis.set_ylim(bottom=0)
    _numbers(axis, results.questions)
    _legend(figure, axis)
    return figure


def differences(results: Results) -> Figure:
    figure, (axis,) = _figure(3.0)
    for i, (pair, shift) in enumerate(zip(results.pairs, _apart(len(results.pairs), 0.12), strict=True)):
        tested, colour = pair.reward, COLOURS[(i + 2) % len(COLOURS)]
        axis.errorbar(
            pair.questions + shift,
            tested.mean,
            yerr=np.maximum(np.nan_to_num([tested.mean - tested.low, tested.high - tested.mean]), 0),
            fmt=MARKERS[i % len(MARKERS)],
            color=colour,
            markersize=4,
            capsize=2,
            label=fill(_named(pair.models), 80),
        )
    axis.axhline(0, color=GREY, linewidth=0.8)
    axis.set(xlabel="question", ylabel="difference in cumulative reward")
    _numbers(axis, results.questions)
    _legend(figure, axis)
    return figure


def p_values(results: Results) -> Figure:
    several = max(1, len(results.pairs))
    columns = min(3, several)
    figure = Figure(figsize=(WIDTH, 2.9 * -(-several // columns)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(-(-several // columns), columns, squeeze=False, sharey=True).ravel()
    for axis, pair in zip(axes, results.pairs, strict=False):
        tested = pair.reward
        for p, style, marker, colour, label in (
            (tested.p, "-", "o", "#000000", "paired t-test"),
            (tested.p_wilcoxon, "--", "^", COLOURS[5], "Wilcoxon"),
            (tested.p_corrected, "-.", "s", COLOURS[3], "t-test, corrected"),
        ):
            drawn = np.maximum(p, 1e-12)
            axis.plot(pair.questions, drawn, style, marker=marker, markersize=3, color=colour, label=label)
        for level in (0.05, 0.01):
            axis.axhline(level, color=GREY, linestyle="--", linewidth=0.8)
            axis.annotate(
                f"{level:g}",
                (1, level),
                (3, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                va="center",
                fontsize=7,
                color=GREY,
            )
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(lambda p, _: f"{p:g}")
        axis.yaxis.set_minor_formatter(NullFormatter())
        low, high = axis.get_ylim()
        axis.set_ylim(min(low, 0.005), max(1.2, min(high, 2.0)))
        if several > 1:
            axis.set_title(fill(_named(pair.models), 22))
        axis.set_xlabel("question")
        _numbers(axis, results.questions)
    for axis in axes[len(results.pairs) :]:
        axis.set_visible(False)
    axes[0].set_ylabel("p")
    _legend(figure, axes[0])
    return figure


def _named(models: tuple[str, str]) -> str:
    return f"{models[0]} minus {models[1]}"


def words(results: Results) -> Figure:
    vocabulary = results.loaded.vocabulary.words
    figure, (axis,) = _figure(5.6 if len(vocabulary) <= 40 else 6.2)
    image = axis.imshow(results.loaded.rewards, cmap="cividis", vmin=0, vmax=1)
    if len(vocabulary) <= 40:
        ticks = range(len(vocabulary))
        labels = [_short(word) for word in vocabulary]
        axis.set_xticks(ticks, labels, rotation=90)
        axis.set_yticks(ticks, labels)
    axis.set(xlabel="word asked about", ylabel="target")
    axis.tick_params(length=0)
    for side in axis.spines.values():
        side.set_visible(False)
    bar = figure.colorbar(image, ax=axis, shrink=0.8, pad=0.02)
    bar.set_label("reward")
    return figure


def found(results: Results) -> Figure:
    figure, (axis,) = _figure(3.2)
    x = np.arange(1, results.questions + 1)
    for model, pen in _pens(results).items():
        _line(axis, x, results.found[model].by_question, pen, model)
    axis.set(xlabel="question", ylabel="rounds with the target found", ylim=(0, 1.02))
    axis.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    _numbers(axis, results.questions)
    _legend(figure, axis)
    return figure


def times(results: Results) -> Figure:
    figure, (axis,) = _figure(3.0)
    x = np.arange(1, results.questions + 1)
    for model, pen in _pens(results).items():
        estimate = results.times[model]
        seconds = Estimate(estimate.mean / 1000, estimate.low / 1000, estimate.high / 1000, estimate.count)
        _line(axis, x, seconds, pen, model)
    axis.set(xlabel="question", ylabel="time to answer (s)")
    axis.set_ylim(bottom=0)
    _numbers(axis, results.questions)
    _legend(figure, axis)
    return figure


def yes(results: Results) -> Figure:
    figure, (axis,) = _figure(3.2)
    shown = [b for b in range(len(BANDS)) if any(results.yes_counts[model][b] for model in results.models)]
    shifts = _apart(len(results.models), 0.14)
    for shift, (model, pen) in zip(shifts, _pens(results).items(), strict=True):
        estimate = results.yes[model]
        at = np.arange(len(shown)) + shift
        mean = estimate.mean[shown]
        spread = np.nan_to_num([mean - estimate.low[shown], estimate.high[shown] - mean])
        axis.errorbar(
            at,
            mean,
            yerr=np.maximum(spread, 0),
            fmt=pen.marker,
            color=pen.colour,
            markersize=4,
            capsize=2,
            label=model,
        )
    axis.plot(
        range(len(shown)), results.naive_yes[shown], "_", color=GREY, markersize=16, label="a naive teacher"
    )
    axis.set_xticks(
        range(len(shown)),
        [f"{_band(b)}\nn = {sum(results.yes_counts[m][b] for m in results.models):,}" for b in shown],
    )
    axis.set(xlabel="reward of the word asked about", ylabel="answered yes", ylim=(-0.02, 1.02))
    axis.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    _legend(figure, axis)
    return figure


def _band(b: int) -> str:
    least, most = BANDS[b]
    if b == len(BANDS) - 1:
        return "the target"
    return f"{least:g} to {most:g}" if b < len(BANDS) - 2 else f"{least:g} and more"


def planners(results: Results) -> Figure:
    people = sorted(results.alphas.items(), key=lambda item: item[1].mean)
    few = len(people) <= 60
    figure, (axis,) = _figure(max(1.6, min(0.9 + 0.19 * len(people), 8.0)))
    at = np.arange(len(people))
    means = np.array([alpha.mean for _, alpha in people])
    low = np.array([alpha.low for _, alpha in people])
    high = np.array([alpha.high for _, alpha in people])
    axis.hlines(at, low, high, color=COLOURS[2], linewidth=2 if few else 0.5, alpha=0.6)
    axis.plot(means, at, "o", color=COLOURS[2], markersize=4 if few else 1.5)
    axis.set_yticks(at if few else [], [fill(name, 32) for name, _ in people] if few else [])
    axis.set_ylim(-0.7, len(people) - 0.3)
    axis.set(xlabel="alpha: 0 answers at face value, 1 plans every answer", xlim=(0, 1))
    if not few:
        axis.set_ylabel(f"{len(people)} participants")
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    return figure


def rounds(results: Results) -> Figure:
    figure, (left, right) = _figure(3.2, 2, width_ratios=(2.2, 1), sharey=False)
    x = np.arange(1, len(results.targets) + 1)
    pens = _pens(results)
    for model, pen in pens.items():
        _line(left, x, results.by_target[model], pen, model)
    left.set(xlabel="target, in the order played", ylabel="cumulative reward of a round")
    left.set_ylim(bottom=0)
    left.xaxis.set_major_locator(MaxNLocator(integer=True))
    _legend(figure, left)
    for i, (model, pen) in enumerate(pens.items()):
        estimate = results.place[model].estimate
        spread = np.maximum(
            np.nan_to_num([[estimate.mean - estimate.low], [estimate.high - estimate.mean]]), 0
        )
        right.errorbar([i], [estimate.mean], yerr=spread, fmt=pen.marker, color=pen.colour, capsize=3)
    right.axhline(0, color=GREY, linewidth=0.8)
    letters = sum(map(len, pens))
    names = list(pens) if letters <= 30 else [""] * len(pens)  # then the legend alone tells
    right.set_xticks(range(len(pens)), names, rotation=20 if letters > 16 else 0)
    right.set_xlim(-0.6, len(pens) - 0.4)
    right.set_ylabel("gain of coming first with a target")
    return figure


def survey(results: Results) -> Figure:
    items = _drawn(results)
    pens = _pens(results) | {"": Pen("#000000", "-", "o")}
    figure, (axis,) = _figure(max(1.9, 1.1 + 0.34 * len(items)))
    for row, result in enumerate(reversed(items)):
        groups = list(result.by_model)
        for group, shift in zip(groups, _apart(len(groups), 0.22), strict=True):
            pen = pens[group]
            mean, low, high = (_on_scale(value, result) for value in _numbers_of(result.by_model[group]))
            spread = np.maximum(np.nan_to_num([[mean - low], [high - mean]]), 0)
            axis.errorbar(
                [mean],
                [row - shift],
                xerr=spread,
                fmt=pen.marker,
                color=pen.colour,
                markersize=4,
                capsize=2,
                label=group or "at the end",
            )
    labels = [fill(_scale_told(each), 32) for each in reversed(items)]
    axis.set_yticks(range(len(items)), labels)
    axis.set_ylim(-0.6, len(items) - 0.4)
    axis.set(xlabel="mean answer, from the lowest to the highest of its scale", xlim=(-0.02, 1.02))
    axis.xaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    axis.grid(axis="x", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    _legend(figure, axis)
    return figure


def _numbers_of(estimate: Estimate) -> tuple[Array, Array, Array]:
    return estimate.mean, estimate.low, estimate.high


def _on_scale(value: Array, result: ItemResult) -> Array:
    """As a share of the scale, so that scales of different lengths can stand side by side."""
    least, most = result.scale
    return np.asarray((value - least) / (most - least))


def _scale_told(result: ItemResult) -> str:
    least, most = result.scale
    return f"{result.questionnaire}: {result.item} ({least:g} to {most:g})"


def _drawn(results: Results) -> list[ItemResult]:
    """Scales; where a score stands for several, the score."""
    scored = {each.questionnaire for each in results.survey if each.item == "score"}
    return [
        each
        for each in results.survey
        if each.kind == "scale" and (each.item == "score" or each.questionnaire not in scored)
    ]


# Every figure, in the order of the report; and whether there is anything to draw.
FIGURES: dict[str, tuple[Callable[[Results], Figure], Callable[[Results], bool]]] = {
    "curves": (curves, lambda _: True),
    "differences": (differences, lambda results: bool(results.pairs) and results.questions > 1),
    "p-values": (
        p_values,
        lambda results: bool(results.pairs) and len(results.participants) > 1 and results.questions > 1,
    ),
    "found": (found, lambda _: True),
    "planners": (planners, lambda results: bool(results.alphas)),
    "yes": (yes, lambda _: True),
    "times": (times, lambda results: bool(results.times)),
    "rounds": (rounds, lambda results: len(results.targets) > 1),
    "survey": (survey, lambda results: bool(_drawn(results))),
    "words": (words, lambda _: True),
}


def draw(results: Results) -> dict[str, Figure]:
    with mpl.rc_context(LOOK):
        return {name: make(results) for name, (make, there) in FIGURES.items() if there(results)}


def draw_power(found: dict[tuple[str, str], Power], level: float) -> dict[str, Figure]:
    """The power of a study, by participants (with intervals) and by questions."""
    with mpl.rc_context(LOOK):
        return {
            f"power-{one}+{other}": _power(power, (one, other), level)
            for (one, other), power in found.items()
        }


def _power(power: Power, models: tuple[str, str], level: float) -> Figure:
    figure, (left, right) = _figure(3.3, 2, width_ratios=(1.25, 1))
    figure.suptitle(fill(_named(models), 80), fontsize=9, x=0.02, ha="left")
    last = int(power.questions[-1])
    shown = sorted({int(np.ceil(last * part / 4)) for part in (2, 3, 4)} - {1}, reverse=True)
    left.fill_between(
        power.sizes,
        power.low[:, -1],
        power.high[:, -1],
        color="#000000",
        alpha=0.12,
        linewidth=0,
        label=f"95 % interval ({last})",
    )
    for i, question in enumerate(shown):
        left.plot(
            power.sizes,
            power.share[:, question - 2],
            STYLES[i],
            color=("#000000", *COLOURS)[i],
            marker=MARKERS[i],
            markersize=3.5,
            label=f"{question} questions",
        )
    left.axhline(0.8, color=GREY, linestyle="--", linewidth=0.8)
    left.set(xlabel="participants", ylabel=f"chance of p < {level:g}", ylim=(0, 1.02))
    left.set_xlim(0, power.sizes[-1] * 1.03)
    left.yaxis.set_major_formatter(lambda share, _: f"{share:.0%}")
    left.legend(
        loc="lower left", bbox_to_anchor=(0, 1.0), ncols=2, fontsize=7, handlelength=1.5, columnspacing=1
    )
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
    bar = figure.colorbar(image, ax=right, pad=0.02, format=lambda share, _: f"{share:.0%}")
    bar.set_label(f"chance of p < {level:g}")
    return figure


def save(drawn: dict[str, Figure], folder: Path) -> dict[str, Path]:
    """Write each figure as SVG and PDF; where the SVGs are, by name."""
    return {name: plots.save(figure, folder, name, FORMS) for name, figure in drawn.items()}
