"""The paper's figures are drawn from whatever results there are, whole, and each time with the same bytes."""

from __future__ import annotations

from dataclasses import astuple, replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from small_experiments import rising, small_runs

from core.simulation import PAIRS
from studyapp.experiments import figures
from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.results import Results

ALL = pytest.mark.parametrize("name", FIGURES)


def lines(figure: Figure) -> list[dict[str, Line2D]]:
    """Of every axes, by label."""
    return [
        {str(line.get_label()): line for line in axis.lines if not str(line.get_label()).startswith("_")}
        for axis in figure.axes
    ]


def without(results: Results, series: str) -> Results:
    return replace(results, records={name: each for name, each in results.records.items() if name != series})


@ALL
def test_a_figure_is_drawn_whole(name: str) -> None:
    figure = FIGURES[name].draw(small_runs(name))
    figure.canvas.draw()
    tight = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert tight.x0 >= -0.01
    assert tight.y0 >= -0.01
    assert tight.x1 <= width + 0.01
    assert tight.y1 <= height + 0.01
    assert all(axis.get_xlabel() for axis in figure.axes if axis.get_subplotspec().is_last_row())
    assert all(axis.has_data() for axis in figure.axes)


@ALL
def test_a_single_replication_is_drawn_too(name: str) -> None:
    FIGURES[name].draw(small_runs(name, replications=1)).canvas.draw()


@ALL
def test_a_figure_without_any_replications_is_empty(name: str) -> None:
    nothing = {
        label: Results(results.design, results.software, {series: {} for series in results.records})
        for label, results in small_runs(name).items()
    }
    FIGURES[name].draw(nothing).canvas.draw()


@pytest.mark.parametrize("name", ["multi-step", "active-example"])
def test_the_same_results_make_the_same_bytes(name: str, tmp_path: Path) -> None:
    for folder in ("one", "other"):
        svg = figures.save(FIGURES[name].draw(small_runs(name)), tmp_path / folder, "a")
        assert svg == tmp_path / folder / "a.svg"
    for form in ("svg", "pdf", "png"):
        one, other = ((tmp_path / folder / f"a.{form}").read_bytes() for folder in ("one", "other"))
        assert one == other
        assert one
    ElementTree.fromstring(svg.read_bytes())


def test_every_pair_has_one_pen_and_no_two_the_same() -> None:
    assert set(figures.PENS) == set(PAIRS)
    for one, other in combinations(figures.PENS.values(), 2):
        assert one.colour != other.colour
        assert one.marker != other.marker
    for name in ("main", "wine", "beta5"):
        for by_label in lines(FIGURES[name].draw(small_runs(name))):
            for pair in set(by_label) & set(PAIRS):
                line, pen = by_label[pair], figures.PENS[pair]
                assert (line.get_color(), line.get_linestyle(), line.get_marker()) == astuple(pen)


def test_pairs_stand_where_the_paper_has_them() -> None:
    found = lines(FIGURES["main"].draw(small_runs("main")))
    left, right = {"N-N", "P-N", "P-P"}, {"N-P", "N-M", "P-M", "N-N (left)", "P-P (left)"}
    assert [set(each) for each in found] == [left, right, left, right]


def test_lines_are_means_and_bands_their_intervals() -> None:
    results = rising({"P-P": [0.2, 0.4, 0.9]}, questions=3)
    axis = figures.bandits({"word": results}, run="word").axes[0]
    (line,) = axis.lines
    assert line.get_xdata() == pytest.approx([1, 2, 3])
    assert line.get_ydata() == pytest.approx(0.5 * np.arange(1, 4))
    (band,) = (each for each in axis.collections if isinstance(each, FillBetweenPolyCollection))
    half = 4.302652729911275 * np.std([0.2, 0.4, 0.9], ddof=1) / np.sqrt(3)
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(3 * (0.5 + half))


def test_steps_are_compared_within_replications() -> None:
    runs = {"word": rising({"P-P": [0.1, 0.5, 0.9]}), "horizon2": rising({"P-P": [0.2, 0.6]})}
    figure = figures.multi_step(runs, one="word", others={"horizon2": "2 steps", "horizon3": "3 steps"})
    reward, concordance = lines(figure)
    assert set(reward) == {"2 steps"}
    assert reward["2 steps"].get_ydata() == pytest.approx(0.1 * np.arange(1, 31))
    assert concordance["2 steps"].get_ydata() == pytest.approx(0.1)


def accuracies(alone: list[float], teacher: list[float]) -> Results:
    def records(series: str, ends: list[float]) -> dict[int, Any]:
        return {
            number: {"series": series, "replication": number, "accuracy": [0.5, end]}
            for number, end in enumerate(ends)
        }

    return Results({}, {}, {"alone": records("alone", alone), "teacher": records("teacher", teacher)})


def test_the_example_is_the_replication_that_improves_as_the_median_does() -> None:
    assert figures.typical(accuracies([0.8, 0.8, 0.8], [0.9, 1.0, 0.8])) == 0
    assert figures.typical(accuracies([0.8, 0.9, 0.5], [0.8, 1.0, 1.0])) == 1
    assert figures.typical(accuracies([], [])) is None


def test_the_example_tells_its_replication_and_shows_every_query() -> None:
    runs = small_runs("active-example")
    figure = FIGURES["active-example"].draw(runs)
    number = figures.typical(runs["active-example"])
    assert number is not None
    for axis, series in zip(figure.axes, ("alone", "teacher"), strict=False):
        record = runs["active-example"].records[series][number]
        assert axis.get_xlabel() == f"replication {number}: accuracy {record['accuracy'][-1]:.2f}"
        assert {text.get_text() for text in axis.texts} == {str(i) for i in range(1, 11)}
        by_label = {str(line.get_label()): line for line in axis.lines}
        switched = sum(a != t for a, t in zip(record["answers"], record["truth"], strict=True))
        assert len(by_label["asked, label switched"].get_xdata()) == switched
        assert len(by_label["asked, in this order"].get_xdata()) == 10 - switched


def test_the_border_is_where_both_classes_have_the_same_chance() -> None:
    runs = small_runs("active-example")
    number = figures.typical(runs["active-example"])
    assert number is not None
    axis = FIGURES["active-example"].draw(runs).axes[1]
    border = next(line for line in axis.lines if line.get_label() == "border that was learned")
    constant, a, b = runs["active-example"].records["teacher"][number]["weights"]
    for x, y in (border.get_xy1(), border.get_xy2()):
        assert constant + a * x + b * y == pytest.approx(0, abs=1e-9)


def test_a_series_that_is_missing_is_left_out() -> None:
    runs = dict(small_runs("active-wine"))
    runs["active-wine"] = without(runs["active-wine"], "random")
    assert set(lines(FIGURES["active-wine"].draw(runs))[0]) == {
        "without teacher",
        "with teacher",
        "all labels of the pool",
        "no wine called good",
    }
