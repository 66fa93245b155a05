"""Small results of experiments: written by hand, or simulated with few arms and steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.settings import Settings
from studyapp.experiments import catalogue
from studyapp.experiments.catalogue import FIGURES, Options, Run
from studyapp.experiments.claims import judge
from studyapp.experiments.datasets import Dataset
from studyapp.experiments.designs.bandits import Bandits, Profile
from studyapp.experiments.designs.design import Design, Record
from studyapp.experiments.designs.examples import ActiveWine
from studyapp.experiments.designs.user_study import UserStudy
from studyapp.experiments.figures import drawing
from studyapp.experiments.running import Wanted
from studyapp.experiments.section import Section
from studyapp.experiments.store import Results, load

LEAF = Dataset("leaf", np.random.default_rng(0).normal(size=(340, 14)))
SOFTWARE = {"studyapp": "0", "python": "3"}
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"/>'


def with_leaf(name: str) -> Dataset:
    """The datasets, with made-up leaves."""
    return LEAF if name == "leaf" else Options().data(name)


def rewards(series: Mapping[str, Mapping[int, float]], **design: Any) -> Results:
    """Bandits with one question and these rewards, by series and replication; concordance is the same."""
    return bandits({name: {i: [value] for i, value in of.items()} for name, of in series.items()}, **design)


def constant(series: Mapping[str, Sequence[float]], questions: int = 30, **design: Any) -> Results:
    """Bandits in which replication i earns the ith reward of its series at every question."""
    return bandits(
        {name: {i: [value] * questions for i, value in enumerate(values)} for name, values in series.items()},
        **design,
    )


def bandits(values: Mapping[str, Mapping[int, Sequence[float]]], **design: Any) -> Results:
    """Bandits whose rewards and concordances have these values, by series and replication."""
    records = {
        name: {
            number: {
                "series": name,
                "replication": number,
                "reward": one,
                "concordance": one,
                "converged": True,
            }
            for number, one in by_number.items()
        }
        for name, by_number in values.items()
    }
    return Results({"kind": "bandits", "fit": "converged"} | design, SOFTWARE, records)


def small(design: Design) -> Design:
    """A design with few arms and steps."""
    if isinstance(design, Bandits):
        return replace(design, arms=9, questions=4, learner=replace(design.learner, samples=8))
    if isinstance(design, Profile):
        bandits = small(design.bandits)
        assert isinstance(bandits, Bandits)
        return Profile(bandits)
    if isinstance(design, UserStudy):
        return replace(design, participants=2, targets=3, questions=5, samples=8)
    if isinstance(design, ActiveWine):
        return replace(design, pool=40, steps=3)
    return design


def make_designs_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands simulate the catalogue's figures with few arms, people and questions."""
    made = catalogue.made
    monkeypatch.setattr(catalogue, "made", lambda *arguments: small(made(*arguments)))


def draw_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands build their figures without the slow part: drawing them."""
    monkeypatch.setattr(drawing, "save", lambda _figure, _folder, _name: SVG)


REPLICATIONS = 3


@cache
def _records(run: Run, series: str) -> list[Record]:
    jobs = small(run.design).jobs({series: list(range(REPLICATIONS))})
    return [record for work in jobs for record in work()]


_runs: dict[str, Run] = {}  # by key: figures share runs


def _results(run: Run, replications: int) -> Results:
    first = _runs.setdefault(run.key, run)
    records = {
        series: {record["replication"]: record for record in _records(first, series)} for series in run.series
    }
    return Results(small(first.design).settings(), SOFTWARE, records).first(run.series, replications)


@cache
def small_runs(name: str, fit: str = "converged", replications: int = REPLICATIONS) -> Mapping[str, Results]:
    """The runs of a figure by label, with few arms and steps; simulated once."""
    figure_runs = FIGURES[name].runs(Options(fit=fit, data=with_leaf))
    return {label: _results(run, replications) for label, run in figure_runs.items()}


def small_section(name: str, fits: Sequence[str] = ("converged",)) -> Section:
    """A figure with small results; its drawing is tested elsewhere."""
    return Section(FIGURES[name], {fit: small_runs(name, fit) for fit in fits}, dict.fromkeys(fits, SVG))


def verdicts(name: str, results: Mapping[str, Results]) -> list[Any]:
    """The verdicts on a figure's claims."""
    return [judge(claim, results) for claim in FIGURES[name].claims]


TABLE = Dataset("made up", np.random.default_rng(0).normal(size=(60, 4)))


def wanted(
    folder: Path, replications: int = 8, pairs: tuple[str, ...] = ("N-N", "N-M", "P-P"), **settings: Any
) -> Wanted:
    """A bandit experiment with 12 arms and 5 questions, to be simulated."""
    learner = Settings(selection="thompson", samples=64)
    bandits = Bandits(TABLE, **({"arms": 12, "questions": 5, "learner": learner} | settings))
    return Wanted(folder, bandits, pairs, replications)


def read(folder: Path) -> Results:
    """The results in a folder that has some."""
    results = load(folder)
    assert results is not None
    return results
