"""Results of experiments, small: written by hand, or of the catalogue's figures with few arms and steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from studyapp.experiments.active import ActiveWine
from studyapp.experiments.bandits import Bandits, Profile
from studyapp.experiments.catalogue import FIGURES, Options, Run
from studyapp.experiments.datasets import Dataset
from studyapp.experiments.designs import Design, do
from studyapp.experiments.results import Results

LEAF = Dataset("leaf", np.random.default_rng(0).normal(size=(340, 14)))
SOFTWARE = {"studyapp": "0", "python": "3"}


def rewards(series: Mapping[str, Mapping[int, float]], **design: Any) -> Results:
    """Bandits of one question, whose reward and concordance are these, by series and replication."""
    records = {
        name: {
            number: {"series": name, "replication": number, "reward": [value], "concordance": [value]}
            for number, value in by_number.items()
        }
        for name, by_number in series.items()
    }
    return Results({"kind": "bandits"} | design, SOFTWARE, records)


def rising(series: Mapping[str, Sequence[float]], questions: int = 30, **design: Any) -> Results:
    """Bandits in which replication i of a series always earns the ith of its rewards."""
    records = {
        name: {
            number: {
                "series": name,
                "replication": number,
                "reward": [value] * questions,
                "concordance": [value] * questions,
                "converged": True,
            }
            for number, value in enumerate(values)
        }
        for name, values in series.items()
    }
    return Results({"kind": "bandits", "fit": "converged"} | design, SOFTWARE, records)


def _small(design: Design) -> Design:
    if isinstance(design, Bandits):
        return replace(design, arms=9, questions=4, learner=replace(design.learner, samples=8))
    if isinstance(design, Profile):
        small = _small(design.bandits)
        assert isinstance(small, Bandits)
        return Profile(small)
    if isinstance(design, ActiveWine):
        return replace(design, pool=40, steps=3)
    return design


_done: dict[tuple[str, str, int], list[dict[str, Any]]] = {}


def _results(run: Run, replications: int) -> Results:
    design = _small(run.design)
    results = Results(design.told(), SOFTWARE, {})
    for series in run.series:
        key = (run.key, series, replications)
        if key not in _done:
            jobs = design.jobs({series: list(range(replications))})
            _done[key] = [record for job in jobs for record in do(job)]
        results.records[series] = {record["replication"]: record for record in _done[key]}
    return results


@cache
def small_runs(name: str, fit: str = "converged", replications: int = 3) -> Mapping[str, Results]:
    """The runs of a figure by label, of few arms and steps; worked out once."""
    runs = FIGURES[name].runs(Options(fit=fit, leaf=LEAF))
    return {label: _results(run, replications) for label, run in runs.items()}
