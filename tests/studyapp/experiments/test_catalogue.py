"""The catalogue is consistent: claims are about runs that exist, and shared runs are the same run."""

from __future__ import annotations

import json
from typing import Any

import pytest
from small_experiments import LEAF, with_leaf

from core.errors import SettingError
from core.settings import FITS
from studyapp.experiments.catalogue import FIGURES, Entry, Options, Run
from studyapp.experiments.designs import ActiveExample, ActiveWine, Bandits, TeachingExample, UserStudy
from studyapp.experiments.designs.measures import PROBABILITY, Measure

ENTRIES = pytest.mark.parametrize("entry", FIGURES, ids=FIGURES.names)


def runs_of(entry: Entry, fit: str = "converged") -> dict[str, Run]:
    return entry.runs(Options(fit=fit, data=with_leaf))


def steps_of(design: Any, measure: Measure) -> range:
    if isinstance(design, Bandits):
        return range(1, design.questions + 1)
    if isinstance(design, UserStudy) and measure.step:
        return range(1, design.questions + 1)
    if isinstance(design, ActiveExample | ActiveWine):
        return range(design.steps + 1)
    if isinstance(design, TeachingExample) and measure is PROBABILITY:
        return range(1, design.arms + 1)
    return range(1, 2)


def test_the_figures_are_those_of_the_paper_in_its_order_and_some_of_our_own() -> None:
    assert FIGURES.names == (
        "active-example",
        "teaching-example",
        "main",
        "multi-step",
        "user-study",
        "active-wine",
        "reward-profiles",
        "word-dense",
        "wine",
        "leaf",
        "beta5",
        "beta10",
        "arms500",
    )
    own = [entry.name for entry in FIGURES if entry.beyond_paper]
    assert own == ["user-study"]
    assert [entry.name for entry in FIGURES if entry.needs_data] == ["leaf"]


@ENTRIES
def test_every_claim_is_about_a_series_a_measure_and_a_step_that_its_runs_have(entry: Entry) -> None:
    runs = runs_of(entry)
    assert entry.claims
    assert entry.quick <= entry.replications
    for claim in entry.claims:
        for term in claim.terms:
            assert term.series in runs[term.run].series
            design = runs[term.run].design
            assert claim.measure in design.measures
            assert claim.step in steps_of(design, claim.measure)
        if entry.name not in ("teaching-example", "active-wine"):
            assert claim.step == steps_of(design, claim.measure)[-1]


@ENTRIES
def test_runs_ask_for_series_that_their_design_has_and_settings_are_json(entry: Entry) -> None:
    for run in runs_of(entry).values():
        assert set(run.series) <= set(run.design.series)
        json.dumps(run.design.settings(), allow_nan=False)


@ENTRIES
def test_only_figures_that_depend_on_the_fit_have_results_by_fit(entry: Entry) -> None:
    keys = {fit: {run.key for run in runs_of(entry, fit).values()} for fit in FITS}
    for fit in FITS:
        assert entry.beyond_paper or all(key.endswith(f".{fit}") is entry.by_fit for key in keys[fit])
    assert (keys["converged"] == keys["published"]) is not entry.by_fit
    assert entry.file_name("converged") == entry.name
    assert (entry.file_name("published") == f"{entry.name}-published") is entry.by_fit


@pytest.mark.parametrize("fit", FITS)
def test_runs_with_the_same_key_have_the_same_design_and_others_differ(fit: str) -> None:
    designs: dict[str, str] = {}
    for entry in FIGURES:
        for run in runs_of(entry, fit).values():
            design = json.dumps(run.design.settings())
            assert designs.setdefault(run.key, design) == design
    assert len(set(designs.values())) == len(designs)


def test_the_settings_are_those_of_the_paper() -> None:
    def design(name: str, label: str) -> Bandits:
        bandits = runs_of(FIGURES[name])[label].design
        assert isinstance(bandits, Bandits)
        return bandits

    main, dense = design("main", "word"), design("word-dense", "word-dense")
    assert (main.c, main.d, main.arms, main.questions, main.teacher_beta) == (-4, 8, 100, 30, 20)
    assert (dense.c, dense.d) == (-2, 6)
    assert main.learner.selection == "thompson"
    for beta in (5, 10):
        less_optimal = design(f"beta{beta}", f"beta{beta}")
        assert less_optimal.teacher_beta == less_optimal.learner.beta == beta
        assert (less_optimal.c, less_optimal.d) == (-2, 6)
    for name in ("wine", "leaf"):
        assert (design(name, name).dataset.name, design(name, name).c) == (name, -2)
    assert (design("arms500", "arms500").arms, design("arms500", "arms500").c) == (500, -2)
    learners = [design("multi-step", label).learner for label in runs_of(FIGURES["multi-step"])]
    assert [learner.horizon for learner in learners] == [1, 2, 3, 4]
    assert {learner.gamma for learner in learners} == {1.0}
    assert {design("multi-step", label).c for label in runs_of(FIGURES["multi-step"])} == {-4}


def test_the_user_study_has_the_protocol_of_the_published_one() -> None:
    for label, run in runs_of(FIGURES["user-study"]).items():
        study = run.design
        assert isinstance(study, UserStudy)
        assert (study.participants, study.targets, study.questions) == (10, 19, 15)
        assert (study.learner.beta, study.learner.tau, study.learner.samples) == (20, 2, 1000)
        if run.series == ("H-N", "H-M"):
            assert (study.selection, study.fit) == ("bayes-ucb", label)


def test_every_run_has_the_seed_that_was_chosen() -> None:
    for entry in FIGURES:
        for run in entry.runs(Options(seed=5, data=with_leaf)).values():
            assert run.design.settings()["seed"] == 5


def test_only_the_leaf_figure_requires_the_leaf_data() -> None:
    with pytest.raises(SettingError, match="--data"):
        _ = FIGURES["leaf"].runs(Options())["leaf"].design
    profiles = FIGURES["reward-profiles"].runs(Options(data=with_leaf))
    assert [label for label, run in profiles.items() if run.optional] == ["leaf"]
    assert profiles["leaf"].design.settings()["dataset"]["sha256"] == LEAF.sha256
