"""``studyapp reproduce``: figures, numbers and a page from saved results alone."""

from __future__ import annotations

import base64
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from small_experiments import draw_nothing, make_designs_small

from studyapp.cli import main
from studyapp.experiments.catalogue import FIGURES
from studyapp.experiments.designs.examples import TeachingExample
from studyapp.experiments.store import opened, save

FAST = ["teaching-example", "reward-profiles"]


@pytest.fixture
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small bandits and no drawing, where neither is what is tested."""
    make_designs_small(monkeypatch)
    draw_nothing(monkeypatch)


def reproduced(out: Path, *given: str) -> None:
    assert main(["reproduce", *given, "--processes", "1", "--out", str(out)]) == 0


def files(out: Path) -> set[str]:
    """All that was written; of results, the folders."""
    found = {path.relative_to(out) for path in out.rglob("*") if path.is_file()}
    return {str(path.parent if path.parts[0] == "results" else path) for path in found}


@pytest.fixture(scope="module")
def reproduction(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The fast figures, simulated and drawn once."""
    out = tmp_path_factory.mktemp("reproduction")
    reproduced(out, *FAST, "--replications", "3")
    return out


def test_the_figures_asked_for_their_numbers_and_a_page_with_them_are_written(reproduction: Path) -> None:
    runs = ["teaching-example", "profile-word", "profile-word-dense", "profile-wine"]
    assert files(reproduction) == {
        "index.html",
        *(f"results/{run}" for run in runs),
        *(f"figures/{name}.{form}" for name in FAST for form in ("svg", "pdf")),
        *(f"numbers/{name}.{form}" for name in FAST for form in ("csv", "json")),
    }
    numbers = json.loads((reproduction / "numbers" / "teaching-example.json").read_text())
    assert [claim["verdict"] for claim in numbers["claims"]] == ["supported"] * 2
    page = (reproduction / "index.html").read_text()
    embedded = [base64.b64decode(data) for data in re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page)]
    names = [name for name in FIGURES.names if name in FAST]
    assert embedded == [(reproduction / "figures" / f"{name}.svg").read_bytes() for name in names]


def test_redraw_gives_the_same_files_from_the_results_alone(tmp_path: Path, reproduction: Path) -> None:
    shutil.copytree(reproduction / "results", tmp_path / "results")
    reproduced(tmp_path, "--redraw")
    assert files(tmp_path) == files(reproduction)
    for name in files(reproduction):
        if (reproduction / name).is_file():
            assert (tmp_path / name).read_bytes() == (reproduction / name).read_bytes()


@pytest.mark.usefixtures("fast")
def test_a_second_fit_adds_a_figure_and_a_comparison(tmp_path: Path) -> None:
    reproduced(tmp_path, "main", "--replications", "1")
    assert "the optimiser" not in (tmp_path / "index.html").read_text()
    reproduced(tmp_path, "main", "--replications", "1", "--fit", "published")
    assert {"numbers/main.json", "numbers/main-published.json"} <= files(tmp_path)
    page = (tmp_path / "index.html").read_text()
    assert "What depends on the method, and what on the optimiser" in page
    assert "Figure 3, published fits." in page


@pytest.mark.usefixtures("fast")
def test_the_leaf_figure_is_made_for_those_who_bring_the_data(tmp_path: Path) -> None:
    data = tmp_path / "leaf.npy"
    np.save(data, np.random.default_rng(0).normal(size=(340, 14)))
    out = tmp_path / "out"
    reproduced(out, "leaf", "reward-profiles", "--data", str(data), "--replications", "1")
    assert {"numbers/leaf.json", "results/profile-leaf"} <= files(out)
    before = (out / "index.html").read_bytes()
    reproduced(out, "--redraw")
    assert (out / "index.html").read_bytes() == before


def test_the_list_has_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    printed = capsys.readouterr().out
    for entry in FIGURES:
        assert entry.name in printed
        assert entry.title in printed


@pytest.mark.usefixtures("fast")
def test_results_of_another_seed_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduced(tmp_path, "teaching-example", "--replications", "2")
    for name in ("teaching-example", "active-example"):
        assert main(["reproduce", name, "--seed", "1", "--out", str(tmp_path)]) == 2
        assert ".teacher.0.json: these results have seed 0" in capsys.readouterr().err
    assert "results/active-example" not in files(tmp_path)


@pytest.mark.usefixtures("fast")
def test_a_damaged_file_and_results_of_other_settings_are_refused_and_nothing_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduced(tmp_path, "main", "teaching-example", "--replications", "1")
    made = [path for path in tmp_path.rglob("*") if path.is_file() and "results" not in path.parts]
    for path in made:
        path.unlink()
    place = tmp_path / "results" / "teaching-example"
    (path,) = place.iterdir()
    content = path.read_bytes()
    path.write_bytes(content.replace(b'"advantage": [', b'"advantage": [1'))
    for given in (["--redraw"], ["teaching-example"]):
        assert main(["reproduce", *given, "--out", str(tmp_path)]) == 2
        error = capsys.readouterr().err
        assert f"{path}: this file of results was changed or damaged after it was written; delete it" in error
        assert error.count("\n") == 1
    path.unlink()
    other = opened(place, TeachingExample(tau=3.0))
    save(place, other, [{"series": "teacher", "replication": 0}])
    assert main(["reproduce", "--redraw", "--out", str(tmp_path)]) == 2
    assert "these results have other settings: tau was 3.0 and is now 2.0" in capsys.readouterr().err
    assert not any(path.exists() for path in made)  # of any figure


@pytest.mark.usefixtures("fast")
def test_shared_runs_are_simulated_once_and_lines_of_a_figure_have_the_same_replications(
    tmp_path: Path,
) -> None:
    """A shared run may have more replications of some series because another figure needs them."""
    reproduced(tmp_path, "multi-step", "--replications", "2")
    assert "results/word.converged" in files(tmp_path)
    assert "numbers/main.json" not in files(tmp_path)  # only one of its six pairs is there
    reproduced(tmp_path, "main", "--replications", "1")
    assert {"numbers/main.json", "numbers/multi-step.json"} <= files(tmp_path)
    numbers = json.loads((tmp_path / "numbers" / "main.json").read_text())
    assert {curves["cumulative_reward"]["n"] for curves in numbers["curves"]["word"].values()} == {1}
    steps = json.loads((tmp_path / "numbers" / "multi-step.json").read_text())
    assert steps["curves"]["word"]["P-P"]["cumulative_reward"]["n"] == 2
