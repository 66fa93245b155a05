"""``studyapp power``: from sessions to numbers and figures."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from made_up import quick_analysis
from study_files import Settings, loaded, run, small, write

from studyapp.analysis.gather import gather
from studyapp.analysis.power import find_power
from studyapp.analysis.rewards import compare_rewards
from studyapp.analysis.sample import Sample
from studyapp.cli import main
from studyapp.tables.tables import PUBLISHED

NEEDS = "power needs at least 2 sessions with 2 questions per round; here:"
QUICK: Settings = {"after_round": [], "at_end": [], "bonus": None, "questions": 3}


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


class Pool:
    """Sessions of a small study, and the command run on them."""

    def __init__(self, folder: Path, participants: int, **changes: Any) -> None:
        study = loaded(folder, small(**QUICK | changes))
        for number in range(participants):
            run(study, folder / "logs", f"P{number}")
        self.logs, self.words = folder / "logs", folder / "words.txt"

    def power(self, out: Path, *options: str) -> int:
        return main(["power", str(self.logs), "--words", str(self.words), "--out", str(out), *options])


@pytest.fixture(scope="module")
def two_models(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    return Pool(tmp_path_factory.mktemp("two"), 4)


@pytest.fixture(scope="module")
def three_models(tmp_path_factory: pytest.TempPathFactory) -> Pool:
    models = {name: {"teacher": "naive", "tau": tau} for name, tau in (("c", 1), ("a", 2), ("b", 3))}
    return Pool(tmp_path_factory.mktemp("three"), 3, models=models)


def document(out: Path) -> Any:
    return json.loads((out / "power.json").read_text())


def test_numbers_and_a_figure_are_written(two_models: Pool, tmp_path: Path) -> None:
    assert two_models.power(tmp_path / "out", "--participants", "8", "3", "8", "--level", "0.1") == 0
    names = {"power.json", "power.csv", "power-both+plain.svg", "power-both+plain.pdf"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    written = document(tmp_path / "out")
    assert (written["sessions"], written["kinds"], written["level"]) == (4, ["simulated"], 0.1)
    (pair,) = written["pairs"]
    assert (pair["models"], pair["participants"], pair["questions"]) == (["both", "plain"], [3, 8], [2, 3])
    assert set(pair["needed"]) == set(pair["needed_at_lower_limit"]) == {"0.8", "0.9"}
    with (tmp_path / "out" / "power.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["participants"], row["question"]) for row in rows] == list(product("38", "23"))
    for row, (i, j) in zip(rows, product(range(2), repeat=2), strict=True):
        assert (row["first"], row["second"]) == ("both", "plain")
        assert float(row["power"]) == pytest.approx(pair["power"][i][j], abs=5e-5)
        assert float(row["low"]) == pytest.approx(pair["ci95"][0][i][j], abs=5e-5)
        assert float(row["high"]) == pytest.approx(pair["ci95"][1][i][j], abs=5e-5)
        assert 0 <= float(row["low"]) <= float(row["high"]) <= 1
    ElementTree.parse(tmp_path / "out" / "power-both+plain.svg")
    assert (tmp_path / "out" / "power-both+plain.pdf").read_bytes().startswith(b"%PDF-")


def test_the_numbers_come_from_the_differences_of_the_participants(two_models: Pool, tmp_path: Path) -> None:
    assert two_models.power(tmp_path / "power", "--participants", "3", "8") == 0
    curves = compare_rewards(Sample(gather(two_models.logs, words=two_models.words).sessions)).curves
    expected = find_power((curves["both"] - curves["plain"])[:, 1:], [3, 8])
    (pair,) = document(tmp_path / "power")["pairs"]
    assert pair["power"] == expected.share.tolist()
    assert pair["ci95"] == [expected.low.tolist(), expected.high.tolist()]


def test_the_same_sessions_give_the_same_files_byte_by_byte(two_models: Pool, tmp_path: Path) -> None:
    contents = []
    for name in ("first", "second"):
        assert two_models.power(tmp_path / name, "--participants", "5") == 0
        contents.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert contents[0] == contents[1]


def test_every_pair_of_models_has_its_numbers_and_its_figure(
    three_models: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert three_models.power(tmp_path, "--participants", "4", "6") == 0
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    assert [tuple(pair["models"]) for pair in document(tmp_path)["pairs"]] == pairs
    assert {path.name for path in tmp_path.glob("power-*.svg")} == {f"power-{a}+{b}.svg" for a, b in pairs}
    with (tmp_path / "power.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 3 * 2 * 2
    printed = capsys.readouterr().out
    for one, other in pairs:
        assert f"Power for {one} against {other} (two-sided, p < 0.05)\n" in printed


def test_the_terminal_shows_the_power_within_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = {"plain-" + "x" * 58: {"teacher": "naive"}, "both-" + "y" * 59: {"teacher": "mixture"}}
    assert Pool(tmp_path, 2, questions=15, models=names).power(tmp_path / "out") == 0
    *lines, where, note = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    head = next(line for line in lines if "after 15 questions" in line)
    assert head.split("  ")[0] == "participants"
    assert ["after 5 questions" in head, "after 10 questions" in head] == [True, True]
    sizes = [line.split()[0] for line in lines if line.strip()[:1].isdigit()]
    assert sizes == ["4", "5", "6", "8", "10", "12", "15", "20", "25", "30", "40", "50"]
    assert sum(line.startswith("Participants needed for ") for line in lines) == 2
    assert sum("even at the lower limit of the interval: " in line for line in lines) == 2
    assert where.startswith("Drawn from 2 sessions (simulated). Figures and numbers: ")
    assert note == "With only 2 sessions, the true intervals are wider than these."


def test_a_goal_that_no_size_reaches_needs_more_than_the_largest(
    two_models: Pool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert two_models.power(tmp_path, "--participants", "2", "--level", "0.0001") == 0
    assert document(tmp_path)["pairs"][0]["needed"] == {"0.8": None, "0.9": None}
    assert "Participants needed for 80 % power after 3 questions: more than 2\n" in capsys.readouterr().out


def test_participants_who_did_not_have_both_models_are_left_out(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    table = tmp_path / "table.csv"
    with table.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(PUBLISHED)
        for participant, models in (
            ("P1", ["naive"]),
            *((f"P{i}", ["naive", "mixture"]) for i in range(2, 6)),
        ):
            for number, model in enumerate(models, start=1):
                for question in (1, 2, 3):
                    reward = f"{rng.uniform(0.5, 0.6) if model == 'naive' else rng.uniform(0.1, 0.2):.6f}"
                    row = [participant, number, "false", model, "tea", question, "dog", "y", reward]
                    writer.writerow(row)
    assert main(["import", str(table), "--sessions", str(tmp_path / "logs")]) == 0
    assert main(["power", str(tmp_path / "logs"), "--out", str(tmp_path), "--participants", "8"]) == 0
    assert document(tmp_path)["pairs"][0]["power"] == [[1.0, 1.0]]


# Simulated participants


class Simulation:
    """A study with its own words, in another folder than the results."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.study = write(folder / "study", small(**QUICK | changes))
        self.out = folder / "out"

    def power(self, *options: str, teacher: str = "random", count: int = 3) -> int:
        simulated = ["--study", str(self.study), "--teacher", teacher, "--simulate", str(count)]
        return main(["power", *simulated, "--out", str(self.out), "--participants", "4", *options])

    def files(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in sorted(self.out.rglob("*")) if path.is_file()}


def test_participants_who_were_simulated_before_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulation = Simulation(tmp_path)
    assert simulation.power() == 0
    assert "Drawn from 3 sessions (simulated). Figures and numbers: " in capsys.readouterr().out
    logs = [f"random-00{number}.yaml" for number in (1, 2, 3)]
    assert sorted(path.name for path in (simulation.out / "sessions").iterdir()) == logs
    before = simulation.files()
    assert simulation.power() == 0
    assert simulation.files() == before
    assert simulation.power(count=4) == 0
    assert document(simulation.out)["sessions"] == 4
    after = simulation.files()
    assert all(after[path] == before[path] for path in before if path.name in logs)


@pytest.mark.parametrize("other", ["study", "words", "teacher"])
def test_a_folder_with_participants_of_another_study_or_teacher_is_refused(
    tmp_path: Path, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    simulation = Simulation(tmp_path)
    assert simulation.power() == 0
    before = simulation.files()
    if other == "study":
        write(simulation.study.parent, small(**QUICK | {"questions": 2}))
    if other == "words":
        words = simulation.study.parent / "words.txt"
        words.write_text(words.read_text().replace("tea 1 0 1", "tea 1 0 3"))
    capsys.readouterr()
    assert simulation.power(teacher="naive" if other == "teacher" else "random") == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    first = simulation.out / "sessions" / "random-001.yaml"
    assert error.startswith(
        f"studyapp: {first}: this session belongs to another study or to another --teacher"
    )
    assert error.count("\n") == 1
    assert simulation.files() == before


# Wrong arguments


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--participants", "1"], "--participants is 1; it must be a whole number from 2 to 10000"),
        (["--participants", "8", "-3", "20"], "--participants is -3"),
        (["--participants", "10001"], "--participants is 10001"),
        (["--level", "0"], "--level is 0.0; it must be a finite number above 0 and at most 0.5"),
        (["--level", "1"], "--level is 1.0"),
        (["--level", "nan"], "--level is nan"),
        (["--exclude", "P0", "P1", "P2"], f"{NEEDS} 1 session with 3 questions"),
        (["--exclude", "P9"], "--exclude P9: no session here has this participant"),
    ],
)
def test_a_wrong_argument_ends_with_2_and_one_line(
    two_models: Pool, tmp_path: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert two_models.power(tmp_path / "out", *options) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith(f"studyapp: {message}")
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--simulate", "1"], "--simulate is 1; it must be a whole number from 2 to 100000"),
        (["--study", "papr"], "papr: there is no study of this name (did you mean 'paper'?)"),
        (["nowhere"], "nowhere: there is no such file"),
        (["."], ".: this folder has no session logs (*.yaml)"),
    ],
)
def test_a_missing_study_or_missing_sessions_end_with_2_and_one_line(
    tmp_path: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["power", *options]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith(f"studyapp: {message}")
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_rounds_of_one_question_have_nothing_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Pool(tmp_path, 2, questions=1).power(tmp_path / "out") == 2
    assert capsys.readouterr() == (
        "",
        f"studyapp: {NEEDS} 2 sessions with 1 question\n",
    )
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_output_folder_is_refused_before_anything_is_simulated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulation = Simulation(tmp_path)
    simulation.out.write_text("mine")
    assert simulation.power() == 2
    printed, error = capsys.readouterr()
    assert (printed, error.count("\n")) == ("", 1)
    assert error.startswith(f"studyapp: {simulation.out}: this is a file, but results need a folder")
    assert simulation.out.read_text() == "mine"


@pytest.mark.parametrize(
    "options",
    [["--teacher", "kind"], ["--participants", "two"], ["--level", "low"], ["--include", "everyone"]],
)
def test_an_argument_that_cannot_be_parsed_ends_with_2(
    two_models: Pool, tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        two_models.power(tmp_path / "out", *options)
    assert caught.value.code == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert options[0] in error.splitlines()[-1]
    assert "Traceback" not in error
    assert not (tmp_path / "out").exists()
