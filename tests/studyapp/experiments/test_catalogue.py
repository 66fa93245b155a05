"""The catalogue is consistent: claims are about runs that exist, and shared runs are the same run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_experiments import LEAF, draw_nothing, with_leaf

import studyapp.experiments
from core.errors import SettingError
from core.settings import FITS
from studyapp.cli import main
from studyapp.experiments import catalogue
from studyapp.experiments.catalogue import FIGURES, Entry, Options, Run
from studyapp.experiments.claims import ACROSS_FITS
from studyapp.experiments.datasets import DATASETS
from studyapp.experiments.designs.bandits import Bandits
from studyapp.experiments.designs.design import PROBABILITY, Measure
from studyapp.experiments.designs.examples import ActiveExample, ActiveWine, TeachingExample
from studyapp.experiments.designs.user_study import FOUND, REWARD, UserStudy
from studyapp.experiments.figures.user_study import REAL

FOLDER = Path(studyapp.experiments.__file__).parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def runs_of(entry: Entry, fit: str = "converged") -> dict[str, Run]:
    return entry.runs(Options(fit=fit, data=with_leaf))


def steps_of(design: Any, measure: Measure) -> range:
    if isinstance(design, Bandits | UserStudy) and measure.step:
        return range(1, design.questions + 1)
    if isinstance(design, ActiveExample | ActiveWine):
        return range(design.steps + 1)
    if isinstance(design, TeachingExample) and measure is PROBABILITY:
        return range(1, design.arms + 1)
    return range(1, 2)


def test_only_the_leaf_figure_requires_data_and_only_the_user_study_is_beyond_the_paper() -> None:
    assert len(FIGURES.names) == 13
    assert [entry.name for entry in FIGURES if entry.beyond_paper] == ["user-study"]
    assert [entry.name for entry in FIGURES if entry.needs_data] == ["leaf"]
    with pytest.raises(SettingError, match="--data"):
        _ = FIGURES["leaf"].runs(Options())["leaf"].design
    profiles = FIGURES["reward-profiles"].runs(Options(data=with_leaf))
    assert [label for label, run in profiles.items() if run.optional] == ["leaf"]
    assert profiles["leaf"].design.settings()["dataset"]["sha256"] == LEAF.sha256


def test_every_claim_is_about_a_series_a_measure_and_a_step_that_its_runs_have() -> None:
    for entry in FIGURES:
        check(entry)


def check(entry: Entry) -> None:
    runs = runs_of(entry)
    assert entry.claims
    assert entry.caption
    assert entry.quick <= entry.replications
    for run in runs.values():
        assert set(run.series) <= set(run.design.series)
        json.dumps(run.design.settings(), allow_nan=False)
    for claim in entry.claims:
        for term in claim.terms:
            assert term.series in runs[term.run].series
            design = runs[term.run].design
            assert claim.measure in design.measures
            assert claim.step in steps_of(design, claim.measure)
        if entry.name not in ("teaching-example", "active-wine"):
            assert claim.step == steps_of(design, claim.measure)[-1]


def test_only_figures_that_depend_on_the_fit_have_results_by_fit_and_same_keys_are_same_designs() -> None:
    for fit in FITS:
        designs: dict[str, str] = {}
        for entry in FIGURES:
            runs = entry.runs(Options(fit, seed=5, data=with_leaf)).values()
            assert entry.beyond_paper or all(run.key.endswith(f".{fit}") is entry.by_fit for run in runs)
            assert (entry.file_name(fit) == entry.name) is (fit == "converged" or not entry.by_fit)
            for run in runs:
                settings = run.design.settings()
                assert settings["seed"] == 5
                assert designs.setdefault(run.key, json.dumps(settings)) == json.dumps(settings)
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


def test_the_user_study_has_the_protocol_and_the_numbers_of_the_published_one() -> None:
    for label, run in runs_of(FIGURES["user-study"]).items():
        study = run.design
        assert isinstance(study, UserStudy)
        assert (study.participants, study.targets, study.questions) == (10, 19, 15)
        assert (study.learner.beta, study.learner.tau, study.learner.samples) == (20, 2, 1000)
        if run.series == ("H-N", "H-M"):
            assert (study.selection, study.fit) == ("bayes-ucb", label)
    typical = [claim for claim in FIGURES["user-study"].claims if claim.relation == "typical"]
    assert len(typical) == 6
    for claim in typical:
        values = [term.weight * REAL[claim.measure][term.series] for term in claim.left]
        assert claim.right == pytest.approx(sum(values), abs=1e-9)
    assert {claim.measure for claim in typical} == {REWARD, FOUND}


# The README


def examples(kind: str) -> Iterator[str]:
    return iter(re.findall(rf"```{kind}\n(.*?)```", README, re.DOTALL))


def test_the_readme_lists_every_figure_dataset_and_outcome_across_fits() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]+) \| ([^|]+) \| (\d+) \| (\d+) \|$", README, re.MULTILINE)
    assert [(name, title.lower(), int(full), int(quick)) for name, title, _, full, quick in rows] == [
        (entry.name, entry.title.lower(), entry.replications, entry.quick) for entry in FIGURES
    ]
    for (_, _, shows, _, _), entry in zip(rows, FIGURES, strict=True):
        assert shows.startswith(entry.heading)
        assert ("needs `--data FILE`" in shows) is entry.needs_data
    for kind in DATASETS:
        given = f"--dataset {kind.name}" if kind.shipped else f"--dataset {kind.name} --data FILE"
        assert f"| `{given}` | {kind.sentence}" in README
    for outcome in ACROSS_FITS:
        assert f"| {outcome} |" in README


def test_the_readmes_example_of_a_dataset_is_in_the_help_in_errors_and_in_the_summary(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    namespace = {name: getattr(studyapp.experiments.datasets, name) for name in ("DATASETS", "DatasetKind")}
    exec(next(examples("python")).replace("@DATASETS.add\n", "").replace(" -> Array", ""), namespace)
    stone = namespace["Stone"]
    stone.table = lambda: np.random.default_rng(0).normal(size=(30, 3))
    given = f"simulate --pairs N-N --questions 2 --replications 2 --processes 1 --out {tmp_path}".split()
    with DATASETS.also(stone), pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        with pytest.raises(SystemExit):
            main(["simulate", "--help"])
        assert "stone (3 measurements of 30 stones)" in " ".join(capsys.readouterr().out.split())
        assert main([*given, "--dataset", "stone", "--arms", "30"]) == 0
        assert main([*given, "--dataset", "stones"]) == main([*given, "--dataset", "stone"]) == 2
    error = capsys.readouterr().err
    assert "did you mean 'stone'?" in error
    assert "--arms is 100, but the stone data have only 30 rows" in error
    dataset = json.loads((tmp_path / "summary.json").read_text())["settings"]["dataset"]
    assert (dataset["name"], dataset["rows"], dataset["columns"]) == ("stone", 30, 3)


def test_the_readmes_example_of_a_figure_is_one() -> None:
    setting, figure = examples("toml")
    text = (FOLDER / "catalogue.toml").read_text(encoding="utf-8")
    text = text.replace("[settings.bandits]\n", f"[settings.bandits]\n{setting}") + figure
    entry = list(catalogue.read(text))[-1]
    assert entry.name == "arms50"
    with FIGURES.also(entry):
        (run,) = FIGURES["arms50"].runs(Options()).values()
    assert run.design.settings()["arms"] == 50
    assert {term.run for claim in entry.claims for term in claim.terms} == {"arms50"}
    with pytest.raises(ValueError, match="this is no claim: arms50: P-P beats arms50: N-N"):
        list(catalogue.read(text + '[[figures.claims]]\ntext = ""\nsays = "arms50: P-P beats arms50: N-N"'))
