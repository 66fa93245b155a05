"""Entries of the catalogue: a figure, the runs it needs, and the claims that the paper makes about it.

The runs of a figure have labels, which its claims and its drawing refer to.  Figures that share a run give it
the same key, and so share its results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

from matplotlib.figure import Figure

from core.kinds import Kinds
from core.settings import FITS
from studyapp.experiments.claims import Claim
from studyapp.experiments.datasets import DATASETS, Dataset
from studyapp.experiments.designs import Design
from studyapp.experiments.store import Results

__all__ = ["FIGURES", "Entry", "Options", "Run"]


@cache
def _shipped(name: str) -> Dataset:
    return DATASETS[name].load()


@dataclass(frozen=True)
class Options:
    """What can be chosen for all figures."""

    fit: str = "converged"
    seed: int = 0
    data: Callable[[str], Dataset] = _shipped  # finds a dataset by name


@dataclass(frozen=True, eq=False)
class Run:
    """Some series of a design that a figure needs."""

    key: str  # of the folder of its results
    series: tuple[str, ...]
    make: Callable[[], Design]
    optional: bool = False  # can the figure do without it?
    needs_data: bool = False  # must the user bring its dataset?

    @cached_property
    def design(self) -> Design:
        """Made on first use, since drawing saved results needs no dataset."""
        return self.make()


@dataclass(eq=False)
class Entry:
    """A figure of the paper, or one of our own."""

    name: str
    title: str  # its number in the paper
    heading: str
    description: str  # what it shows and how it is simulated
    caption: str  # how to read it
    replications: int  # in a full run
    quick: int  # enough replications to see the main result quickly
    runs: Callable[[Options], dict[str, Run]]  # by label
    claims: tuple[Claim, ...]
    draw: Callable[[Mapping[str, Results]], Figure]
    by_fit: bool = True  # do its results depend on how learners are fitted?
    beyond_paper: bool = False  # an experiment and claims of our own

    @property
    def needs_data(self) -> bool:
        """Must the user bring a dataset for it?"""
        return any(run.needs_data and not run.optional for run in self.runs(Options()).values())

    def file_name(self, fit: str) -> str:
        """The name of its files, without their ending."""
        return f"{self.name}-{fit}" if self.by_fit and fit != FITS[0] else self.name


FIGURES: Kinds[Entry] = Kinds("figure")
