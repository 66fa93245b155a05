"""The README of the experiments says what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from small_experiments import make_bandits_small

import studyapp.experiments
from studyapp.experiments import figures
from studyapp.experiments.catalogue import FIGURES, Entry, Options, bandits, runs, shared_claims
from studyapp.experiments.claims import ACROSS_FITS
from studyapp.experiments.datasets import DATASETS, DatasetKind

FOLDER = Path(studyapp.experiments.__file__).parent
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_the_table_of_figures_is_the_catalogue() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]+) \| ([^|]+) \| (\d+) \| (\d+) \|$", README, re.MULTILINE)
    assert [(name, title.lower(), int(full), int(quick)) for name, title, _, full, quick in rows] == [
        (entry.name, entry.title.lower(), entry.replications, entry.quick) for entry in FIGURES
    ]
    for (_, _, shows, _, _), entry in zip(rows, FIGURES, strict=True):
        assert shows.startswith(entry.heading)
        assert ("needs `--data FILE`" in shows) is entry.needs_data


def test_every_dataset_and_every_outcome_across_fits_is_described() -> None:
    for kind in DATASETS:
        given = f"--dataset {kind.name}" if kind.shipped else f"--dataset {kind.name} --data FILE"
        assert f"| `{given}` | {kind.sentence}" in README
    for outcome in ACROSS_FITS:
        assert f"| {outcome} |" in README


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)]+)\)", README):
        if target.startswith("#"):
            headings = re.findall(r"^#+ (.+)$", README, re.MULTILINE)
            assert target[1:] in {heading.lower().replace(" ", "-") for heading in headings}
        elif not target.startswith("https://"):
            assert (FOLDER / target.partition("#")[0]).exists(), target


def test_the_example_of_a_dataset_is_one() -> None:
    namespace = {name: getattr(studyapp.experiments.datasets, name) for name in ("DATASETS", "DatasetKind")}
    source = examples()[0].replace("@DATASETS.add\n", "").replace(" -> Array", "")
    exec(source, namespace)
    stone = namespace["Stone"]
    assert issubclass(stone, DatasetKind)
    with DATASETS.also(stone):
        assert stone.blank().table.shape == (30, 3)


def test_the_example_of_a_figure_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    make_bandits_small(monkeypatch)
    setting = re.search(r'# "arms50": (.+) in SETTINGS', examples()[1])
    assert setting is not None
    monkeypatch.setitem(runs.SETTINGS, "arms50", eval(setting[1], vars(runs)))
    namespace = {**vars(bandits), **vars(shared_claims), "figures": figures}
    exec(examples()[1], namespace)
    entry = namespace["FIFTY_ARMS"]
    assert isinstance(entry, Entry)
    with FIGURES.also(entry):
        assert FIGURES["arms50"].runs(Options())["arms50"].design.series
