"""What a figure of the report is: its name, its text, and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.figure import Figure

from studyapp.analysis.results import Results


def _always(_: Results) -> bool:
    return True


@dataclass(frozen=True)
class ReportFigure:
    """One figure, with everything that files and the report need to know about it."""

    name: str  # of its files
    section: str  # of the report: where report.html has figures_of(section)
    title: str
    caption: Callable[[Results], str]  # what is drawn, and how to read it
    alt: Callable[[Results], str]  # what a reader would see, for those who can't
    draw: Callable[[Results], Figure]
    has_data: Callable[[Results], bool] = _always
