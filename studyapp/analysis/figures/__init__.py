"""The figures of an analysis, drawn from its results alone.

Each figure is one ``ReportFigure`` in the module of its topic.  To add one, declare it there and list it in
``FIGURES``; the report shows it in its section.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from core.kinds import Kinds
from studyapp.analysis.figures import answers, curves, effects, participants, session
from studyapp.analysis.figures.drawing import ReportFigure
from studyapp.analysis.results import Results
from studyapp.reporting import plots
from studyapp.reporting.plots import FORMS, LOOK, SVG

FIGURES: Kinds[ReportFigure] = Kinds("figure")  # in the order of the report
for _figure in (
    curves.MAIN,
    curves.FOUND,
    curves.DIFFERENCES,
    effects.BY_TARGET,
    effects.PAIRED,
    answers.YES,
    participants.STEERING,
    session.ROUNDS,
    session.SURVEY,
    participants.PLANNERS,
    answers.WORDS,
    curves.TIMES,
):
    FIGURES.add(_figure)


def draw(results: Results) -> dict[str, Figure]:
    """Draw every figure for which there are data, by name."""
    with mpl.rc_context(LOOK):
        return {figure.name: figure.draw(results) for figure in FIGURES if figure.has_data(results)}


def write(drawn: Mapping[str, Figure], folder: Path, *, pdf: bool = False) -> dict[str, bytes]:
    """Write figures as SVG, and as PDF if asked to; returns the SVGs by name."""
    images = {}
    for name, figure in drawn.items():
        contents = plots.rendered(figure, FORMS if pdf else SVG)
        plots.write(contents, folder, name)
        images[name] = contents["svg"]
    return images


def unused(drawn: Mapping[str, object], folder: Path, *, pdf: bool = False) -> list[Path]:
    """The files of figures that were not written this time."""
    return [
        folder / f"{name}.{form}"
        for name in FIGURES.names
        for form in FORMS
        if name not in drawn or (form == "pdf" and not pdf)
    ]
