"""``studyapp reproduce``: figures, numbers and a page from saved results alone."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from studyapp.cli import main
from studyapp.experiments.catalogue import FIGURES

FAST = ["teaching-example", "active-example", "reward-profiles"]


def reproduced(out: Path, *given: str) -> None:
    assert main(["reproduce", *given, "--processes", "1", "--out", str(out)]) == 0


def files(out: Path) -> set[str]:
    return {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}


def test_figures_numbers_and_page_are_written_for_what_was_asked(tmp_path: Path) -> None:
    reproduced(tmp_path, *FAST, "--replications", "3")
    runs = ["teaching-example", "active-example", "profile-word", "profile-word-dense", "profile-wine"]
    assert files(tmp_path) == {
        "index.html",
        *(f"results/{run}.jsonl" for run in runs),
        *(f"figures/{name}.{form}" for name in FAST for form in ("svg", "pdf", "png")),
        *(f"numbers/{name}.{form}" for name in FAST for form in ("csv", "json")),
    }
    numbers = json.loads((tmp_path / "numbers" / "teaching-example.json").read_text())
    assert [claim["verdict"] for claim in numbers["claims"]] == ["supported"] * 2


def test_everything_but_the_results_is_made_anew_from_them_to_the_byte(tmp_path: Path) -> None:
    reproduced(tmp_path, *FAST, "--replications", "3")
    before = {name: (tmp_path / name).read_bytes() for name in files(tmp_path)}
    for name in before:
        if not name.startswith("results"):
            (tmp_path / name).unlink()
    reproduced(tmp_path, "--redraw")
    assert {name: (tmp_path / name).read_bytes() for name in files(tmp_path)} == before


def test_a_second_fit_adds_a_column_and_a_figure(tmp_path: Path) -> None:
    reproduced(tmp_path, "main", "--replications", "1")
    assert "the optimiser" not in (tmp_path / "index.html").read_text()
    reproduced(tmp_path, "main", "--replications", "1", "--fit", "published")
    assert {"figures/main.svg", "figures/main-published.svg", "numbers/main-published.json"} <= files(
        tmp_path
    )
    assert "stands on" in (tmp_path / "index.html").read_text().lower()


def test_the_leaf_figure_is_there_for_those_who_bring_the_data(tmp_path: Path) -> None:
    data = tmp_path / "leaf.npy"
    np.save(data, np.random.default_rng(0).normal(size=(340, 14)))
    reproduced(tmp_path / "out", "leaf", "reward-profiles", "--data", str(data), "--replications", "1")
    assert {"figures/leaf.svg", "results/profile-leaf.jsonl"} <= files(tmp_path / "out")
    before = (tmp_path / "out" / "index.html").read_bytes()
    reproduced(tmp_path / "out", "--redraw")
    assert (tmp_path / "out" / "index.html").read_bytes() == before


def test_the_list_tells_of_every_figure_and_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reproduce", "--list"]) == 0
    told = capsys.readouterr().out
    for name, entry in FIGURES.items():
        assert name in told
        assert entry.title in told
    assert "Times are for" in told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["mian"], "there is no figure 'mian' (did you mean 'main'?)"),
        (["leaf"], "the Leaf data may not be passed on; bring its 14 features"),
        (["main", "--data", "nowhere.npy"], "nowhere.npy: there is no such file"),
        (["main", "--replications", "0"], "--replications is 0"),
        (["main", "--seed", "99999999999999999999"], "--seed is 99999999999999999999"),
        (["--redraw"], "there are no results of any figure in"),
        (["wine", "--redraw"], "there are no results of wine in"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    told: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["reproduce", *given]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_results_of_another_seed_are_not_mixed_in(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reproduced(tmp_path, "teaching-example", "--replications", "2")
    for name in ("teaching-example", "active-example"):
        assert main(["reproduce", name, "--seed", "1", "--out", str(tmp_path)]) == 2
        assert "teaching-example.jsonl: these results are of seed 0" in capsys.readouterr().err
    assert "results/active-example.jsonl" not in files(tmp_path)


def test_a_broken_line_is_told_before_anything_is_simulated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reproduced(tmp_path, "teaching-example", "--replications", "2")
    path = tmp_path / "results" / "teaching-example.jsonl"
    path.write_text(path.read_text().replace('"advantage":[', '"advantage":["'))
    assert main(["reproduce", "active-example", "--out", str(tmp_path)]) == 2
    assert (
        "teaching-example.jsonl, line 2: this is no line of JSON; delete this line" in capsys.readouterr().err
    )
    assert "results/active-example.jsonl" not in files(tmp_path)


def test_runs_that_figures_share_are_simulated_once_and_their_lines_are_of_the_same_replications(
    tmp_path: Path,
) -> None:
    """A shared run may have more replications, of some of its series, for the sake of another figure."""
    reproduced(tmp_path, "multi-step", "--replications", "2")
    assert "results/word.converged.jsonl" in files(tmp_path)
    assert "figures/main.svg" not in files(tmp_path)  # of its six pairs only one is there
    reproduced(tmp_path, "main", "--replications", "1")
    assert {"figures/main.svg", "figures/multi-step.svg"} <= files(tmp_path)
    numbers = json.loads((tmp_path / "numbers" / "main.json").read_text())
    assert {found["cumulative_reward"]["n"] for found in numbers["curves"]["word"].values()} == {1}
    steps = json.loads((tmp_path / "numbers" / "multi-step.json").read_text())
    assert steps["curves"]["word"]["P-P"]["cumulative_reward"]["n"] == 2
