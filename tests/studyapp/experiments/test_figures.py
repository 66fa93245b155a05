"""Figures are drawn from whatever results there are, fit their page, and always have the same bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.collections import FillBetweenPolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from small_experiments import constant, small_runs

from core.pairs import TABLE_1
from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.figures.bandits import PENS, bandits, multi_step
from studyapp.experiments.figures.examples import typical
from studyapp.experiments.store import Results

# One figure for each drawing; the others differ only in their data.
DRAWN = list({entry.draw: entry.name for entry in reversed(list(FIGURES))}.values())


def lines(figure: Figure) -> list[dict[str, Line2D]]:
    """The labelled lines of every axes."""
    return [
        {str(line.get_label()): line for line in axis.lines if not str(line.get_label()).startswith("_")}
        for axis in figure.axes
    ]


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_fits_its_page_and_can_be_drawn_from_few_replications_or_none(name: str) -> None:
    figure = FIGURES[name].draw(small_runs(name))
    figure.canvas.draw()
    tight = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert min(tight.x0, tight.y0) >= -0.01
    assert tight.x1 <= width + 0.01
    assert tight.y1 <= height + 0.01
    assert all(axis.get_xlabel() for axis in figure.axes if axis.get_subplotspec().is_last_row())
    assert all(axis.has_data() for axis in figure.axes)
    FIGURES[name].draw(small_runs(name, replications=1)).canvas.draw()
    empty = {
        label: Results(results.design, results.software, {series: {} for series in results.records})
        for label, results in small_runs(name).items()
    }
    FIGURES[name].draw(empty).canvas.draw()


def test_pairs_are_in_the_same_panels_as_in_the_paper_each_with_its_own_colour_and_marker() -> None:
    panels = lines(FIGURES["main"].draw(small_runs("main")))
    left, right = {"N-N", "P-N", "P-P"}, {"N-P", "N-M", "P-M", "N-N (left)", "P-P (left)"}
    assert [set(panel) for panel in panels] == [left, right, left, right]
    looks = {pair: (line.get_color(), line.get_marker()) for panel in panels for pair, line in panel.items()}
    own = [looks[pair] for pair in TABLE_1]
    assert len({colour for colour, _ in own}) == len({marker for _, marker in own}) == 6
    assert looks | {pair: (pen.colour, pen.marker) for pair, pen in PENS.items()} == looks


def test_lines_are_means_and_bands_are_their_intervals() -> None:
    results = constant({"P-P": [0.2, 0.4, 0.9]}, questions=3)
    axis = bandits({"word": results}).axes[0]
    (line,) = axis.lines
    assert line.get_xdata() == pytest.approx([1, 2, 3])
    assert line.get_ydata() == pytest.approx(0.5 * np.arange(1, 4))
    (band,) = (item for item in axis.collections if isinstance(item, FillBetweenPolyCollection))
    half = 4.302652729911275 * np.std([0.2, 0.4, 0.9], ddof=1) / np.sqrt(3)
    heights = band.get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(3 * (0.5 + half))


def test_planning_horizons_are_compared_within_replications() -> None:
    runs = {"word": constant({"P-P": [0.1, 0.5, 0.9]}), "horizon2": constant({"P-P": [0.2, 0.6]})}
    reward, concordance = lines(multi_step(runs))
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


def test_the_example_is_the_replication_with_the_median_improvement() -> None:
    assert typical(accuracies([0.8, 0.8, 0.8], [0.9, 1.0, 0.8])) == 0
    assert typical(accuracies([0.8, 0.9, 0.5], [0.8, 1.0, 1.0])) == 1
    assert typical(accuracies([], [])) is None


def test_the_example_names_its_replication_and_shows_every_query_and_the_boundary() -> None:
    runs = small_runs("active-example")
    figure = FIGURES["active-example"].draw(runs)
    number = typical(runs["active-example"])
    assert number is not None
    for axis, series in zip(figure.axes, ("alone", "teacher"), strict=False):
        record = runs["active-example"].records[series][number]
        assert axis.get_xlabel() == f"replication {number}: accuracy {record['accuracy'][-1]:.2f}"
        assert {text.get_text() for text in axis.texts} == {str(i) for i in range(1, 11)}
        by_label = {str(line.get_label()): line for line in axis.lines}
        switched = sum(a != t for a, t in zip(record["answers"], record["truth"], strict=True))
        assert len(by_label["asked, label switched"].get_xdata()) == switched
        assert len(by_label["asked, in this order"].get_xdata()) == 10 - switched
        boundary = by_label["learned boundary"]
        constant, a, b = record["weights"]
        for x, y in (boundary.get_xy1(), boundary.get_xy2()):
            assert constant + a * x + b * y == pytest.approx(0, abs=1e-9)
