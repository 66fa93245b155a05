"""The catalogue is consistent: what claims speak of is run, and shared runs are the same."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_experiments import LEAF

from core.errors import SettingError
from core.settings import FITS
from studyapp.experiments.active import ActiveExample, ActiveWine
from studyapp.experiments.bandits import Bandits
from studyapp.experiments.catalogue import FIGURES, Entry, Options, Run
from studyapp.experiments.measures import MEASURES
from studyapp.experiments.teaching_example import TeachingExample

ENTRIES = pytest.mark.parametrize("entry", FIGURES.values(), ids=list(FIGURES))
QUICK = 2 * 240.0  # seconds of one core: four minutes of two


def runs_of(entry: Entry, fit: str = "converged") -> dict[str, Run]:
    return entry.runs(Options(fit=fit, leaf=LEAF))


def steps_of(design: Any, measure: str) -> range:
    if isinstance(design, Bandits):
        return range(1, design.questions + 1)
    if isinstance(design, ActiveExample | ActiveWine):
        return range(design.steps + 1)
    if isinstance(design, TeachingExample) and measure == "probability":
        return range(1, design.arms + 1)
    return range(1, 2)


def test_the_figures_are_the_papers_and_one_of_our_own() -> None:
    assert [name for name, entry in FIGURES.items() if entry.ours] == ["optimiser"]
    assert set(FIGURES) - {"optimiser"} == {
        "teaching-example",
        "active-example",
        "main",
        "multi-step",
        "reward-profiles",
        "word-dense",
        "wine",
        "leaf",
        "beta5",
        "beta10",
        "arms500",
        "active-wine",
    }
    assert [name for name, entry in FIGURES.items() if entry.needs_leaf] == ["leaf"]


@ENTRIES
def test_every_claim_speaks_of_something_that_is_run(entry: Entry) -> None:
    runs = runs_of(entry)
    assert entry.claims
    for claim in entry.claims:
        for term in claim.terms:
            assert term.series in runs[term.run].series
            design = runs[term.run].design
            assert design.told()["kind"] in MEASURES[claim.measure].kinds
            assert claim.step in steps_of(design, claim.measure)
        if entry.name not in ("teaching-example", "active-wine", "optimiser"):
            assert claim.step == steps_of(design, claim.measure)[-1]


@ENTRIES
def test_series_are_those_of_the_design(entry: Entry) -> None:
    for run in runs_of(entry).values():
        assert set(run.series) <= set(run.design.series)
        json.dumps(run.design.told(), allow_nan=False)


@ENTRIES
def test_only_what_depends_on_the_fit_is_kept_by_fit(entry: Entry) -> None:
    keys = {fit: {run.key for run in runs_of(entry, fit).values()} for fit in FITS}
    for fit in FITS:
        assert entry.ours or all(key.endswith(f".{fit}") is entry.by_fit for key in keys[fit])
    assert (keys["converged"] == keys["published"]) is not entry.by_fit


@pytest.mark.parametrize("fit", FITS)
def test_runs_with_the_same_key_are_the_same_and_others_differ(fit: str) -> None:
    told: dict[str, str] = {}
    for entry in FIGURES.values():
        for run in runs_of(entry, fit).values():
            design = json.dumps(run.design.told())
            assert told.setdefault(run.key, design) == design
    assert len(set(told.values())) == len(told)


def test_settings_are_the_papers() -> None:
    def design(name: str, label: str) -> Bandits:
        found = runs_of(FIGURES[name])[label].design
        assert isinstance(found, Bandits)
        return found

    main, dense = design("main", "word"), design("word-dense", "word-dense")
    assert (main.c, main.d, main.arms, main.questions, main.teacher_beta) == (-4, 8, 100, 30, 20)
    assert (dense.c, dense.d) == (-2, 6)
    assert main.learner.selection == "thompson"
    for beta in (5, 10):
        found = design(f"beta{beta}", f"beta{beta}")
        assert found.teacher_beta == found.learner.beta == beta
        assert (found.c, found.d) == (-2, 6)
    for name in ("wine", "leaf"):
        assert (design(name, name).dataset.name, design(name, name).c) == (name, -2)
    assert (design("arms500", "arms500").arms, design("arms500", "arms500").c) == (500, -2)
    horizons = [design("multi-step", label).learner for label in runs_of(FIGURES["multi-step"])]
    assert [each.horizon for each in horizons] == [1, 2, 3, 4]
    assert {each.gamma for each in horizons} == {1.0}
    assert {design("multi-step", label).c for label in runs_of(FIGURES["multi-step"])} == {-4}


def test_the_seed_is_that_of_every_run() -> None:
    for entry in FIGURES.values():
        for run in entry.runs(Options(seed=5, leaf=LEAF)).values():
            assert run.design.told()["seed"] == 5


def test_leaves_must_be_brought() -> None:
    with pytest.raises(SettingError, match="--data"):
        FIGURES["leaf"].runs(Options())
    assert "leaf" not in FIGURES["reward-profiles"].runs(Options())
    assert "leaf" in FIGURES["reward-profiles"].runs(Options(leaf=LEAF))


def test_all_but_leaf_take_less_than_four_minutes_of_two_cores_when_quick() -> None:
    seconds: dict[str, float] = {}
    for entry in FIGURES.values():
        for run in entry.runs(Options()).values() if not entry.needs_leaf else ():
            for series in run.series:
                one = Run(run.key, run.design, (series,)).seconds(entry.quick)
                seconds[f"{run.key} {series}"] = max(one, seconds.get(f"{run.key} {series}", 0.0))
    assert sum(seconds.values()) < QUICK / 2  # with room for slower machines


@ENTRIES
def test_the_time_it_takes_grows_with_replications_and_with_published_fits(entry: Entry) -> None:
    assert 0 < entry.seconds(10) < entry.seconds(20)
    assert (entry.seconds(10, "published") > entry.seconds(10)) is entry.by_fit
    assert entry.quick <= entry.replications
