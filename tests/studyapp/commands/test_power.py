"""``studyapp power``: from sessions to numbers and figures."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from made_up import quick_analysis
from study_files import Settings, loaded, run, small, write

from studyapp.analysis.comparisons import compare_models
from studyapp.analysis.gather import gather
from studyapp.analysis.sample import Sample
from studyapp.cli import main
from studyapp.reporting.paired import power as power_for
from studyapp.tables.tables import PUBLISHED

Capture = pytest.CaptureFixture[str]
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


def document(out: Path) -> Any:
    return json.loads((out / "power.json").read_text())


def test_numbers_and_a_figure_are_written(two_models: Pool, tmp_path: Path) -> None:
    options = ["--participants", "8", "3", "8", "--level", "0.1", "--better", "plain"]
    assert two_models.power(tmp_path / "out", *options) == 0
    names = {"power.json", "power-both+plain.svg", "power-both+plain.pdf"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    written = document(tmp_path / "out")
    assert (written["sessions"], written["kinds"], written["level"]) == (4, ["simulated"], 0.1)
    (pair,) = written["pairs"]
    assert (pair["models"], pair["sessions"], pair["participants"]) == (["both", "plain"], 4, [3, 8])
    assert list(pair["effects"]) == list(pair["power"]) == ["reward", "found", "time_to_find"]
    sample = Sample(gather(two_models.logs, words=two_models.words).sessions)
    (comparison,) = compare_models(sample).values()
    for name, effect in pair["effects"].items():
        own, power = comparison.outcomes[name], pair["power"][name]
        assert list(effect) == ["difference", "ci95", "d_z", "d_z_ci95", "better"]
        assert effect["difference"] == own.test.difference
        assert set(power["needed"]) == set(power["needed_at_lower_limit"]) == {"0.8", "0.9"}
        assert (power["expected"], power["question"]) == ("plain", 3)
        sign = 1 if name == "time_to_find" else -1
        expected = power_for(sign * own.d_z, 3, 0.1)
        found = np.array(power["power"], dtype=float)
        assert found[0] == pytest.approx(float(expected), nan_ok=True)
    ElementTree.parse(tmp_path / "out" / "power-both+plain.svg")
    assert (tmp_path / "out" / "power-both+plain.pdf").read_bytes().startswith(b"%PDF-")


def test_the_same_sessions_give_the_same_files_byte_by_byte(two_models: Pool, tmp_path: Path) -> None:
    contents = []
    for name in ("first", "second"):
        assert two_models.power(tmp_path / name, "--participants", "5") == 0
        contents.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert contents[0] == contents[1]


def test_every_pair_of_models_has_its_numbers_and_its_figure(tmp_path: Path, capsys: Capture) -> None:
    models = {name: {"teacher": "naive", "tau": tau} for name, tau in (("c", 1), ("a", 2), ("b", 3))}
    assert Pool(tmp_path, 3, models=models).power(tmp_path, "--participants", "4", "6") == 0
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    assert [tuple(pair["models"]) for pair in document(tmp_path)["pairs"]] == pairs
    assert {path.name for path in tmp_path.glob("power-*.svg")} == {f"power-{a}+{b}.svg" for a, b in pairs}
    printed = capsys.readouterr().out
    assert all(f"{one} and {other}: what 3 sessions show\n" in printed for one, other in pairs)


def test_the_terminal_shows_the_power_within_80_columns(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = {"plain-" + "x" * 58: {"teacher": "naive"}, "both-" + "y" * 59: {"teacher": "mixture"}}
    assert Pool(tmp_path, 2, models=names).power(tmp_path / "out") == 0
    lines = capsys.readouterr().out.splitlines()
    tables = [line for line in lines if line.endswith(" ")]  # Rich fills the rows of tables
    assert max(map(len, tables)) <= 80
    sizes = [line.split()[0] for line in tables if line.strip()[:1].isdigit()]
    assert sizes[:14] == ["5", "8", "10", "12", "15", "20", "25", "30", "40", "50", "75", "100", "150", "200"]
    assert any(line.startswith("From 2 sessions (simulated). Figures and numbers: ") for line in lines)
    assert lines[-1] == "These participants are simulated. People may differ from them."


class People:
    """Imported sessions with known results: what each person's rounds earned, and when they found tea."""

    def __init__(self, folder: Path, **by_model: list[tuple[float, int | None]]) -> None:
        self.logs, self.out = folder / "logs", folder / "out"
        with (folder / "table.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(PUBLISHED)
            for person in range(max(map(len, by_model.values()))):
                for number, (model, results) in enumerate(by_model.items(), start=1):
                    if person < len(results):
                        reward, found = results[person]
                        for question in (1, 2, 3):
                            word = "tea" if question == found else "dog"
                            row = [f"P{person}", number, "false", model, "tea", question, word, "y"]
                            writer.writerow([*row, f"{reward:.6f}"])
        assert main(["import", str(folder / "table.csv"), "--sessions", str(self.logs)]) == 0

    def power(self, capsys: Capture, *options: str) -> tuple[str, Any]:
        """What is printed, and the one pair of models in power.json."""
        capsys.readouterr()
        assert main(["power", str(self.logs), "--out", str(self.out), "--participants", "8", *options]) == 0
        (pair,) = document(self.out)["pairs"]
        return capsys.readouterr().out, pair


NAIVE = [(0.10, 1), (0.14, 1), (0.11, 2), (0.13, 1), (0.12, 1), (0.15, 2)]
MIXTURE = [(0.50, 3), (0.52, 3), (0.57, None), (0.51, 3), (0.55, None), (0.53, 3)]


def test_the_terminal_says_which_model_is_better_and_by_how_much(tmp_path: Path, capsys: Capture) -> None:
    people = People(tmp_path, naive=NAIVE, mixture=MIXTURE)
    printed, pair = people.power(capsys)
    assert "mixture and naive: what 6 sessions show\n" in printed
    assert "Reward after 3 questions: mixture earns more than naive, by 1.21.\n" in printed
    assert "Targets found: the sessions don't show a difference.\n" in printed
    sooner = "Time to find the target: naive finds the target sooner than mixture, by 1.67 questions.\n"
    assert sooner in printed
    rows = {line[:18].strip(): line[18:].split() for line in printed.splitlines()}
    assert rows["reward"][0] == "+1.21"
    assert rows["targets found (%)"][0] == "-33.3"
    assert rows["time (questions)"][0] == "+1.67"
    better = {name: effect["better"] for name, effect in pair["effects"].items()}
    assert better == {"reward": "mixture", "found": None, "time_to_find": "naive"}
    assert [power["expected"] for power in pair["power"].values()] == ["mixture", "naive", "naive"]
    assert "is large because" not in printed  # 12 are the fewest that are safe
    assert "simulated" not in printed
    # Where no number is safe, it says why and what to do.
    assert (
        "No number is safe where the interval of d_z includes zero. Run more pilot sessions:\n"
        "  naive finds the target more often: about 12 in total, if d_z stays +0.65\n"
    ) in printed
    assert pair["power"]["found"]["needed_at_lower_limit"] == {"0.8": None, "0.9": None}


def test_power_is_for_the_model_that_is_expected_to_be_better(tmp_path: Path, capsys: Capture) -> None:
    printed, pair = People(tmp_path, naive=NAIVE, mixture=MIXTURE).power(capsys, "--better", "naive")
    reward = pair["power"]["reward"]
    needed = reward["expected"], reward["needed"]["0.8"], reward["needed_at_lower_limit"]["0.8"]
    assert needed == ("naive", None, None)
    assert reward["power"][-1] < 1e-6
    opposite = "to show that naive earns more.\n  The sessions show the opposite.\n"
    assert f"No number of participants is enough {opposite}" in printed
    assert pair["power"]["time_to_find"]["power"][-1] > 0.9


def test_a_safe_number_beyond_the_sizes_is_given_with_the_next_step(tmp_path: Path, capsys: Capture) -> None:
    mixture = [(0.1 + 0.1 * gain, 1) for gain in (0.2, 0.5, 1.4, 1.0, 0.4, 0.7)]
    printed, pair = People(tmp_path, naive=[(0.1, 1)] * 6, mixture=mixture).power(capsys)
    safe = pair["power"]["reward"]["needed_at_lower_limit"]["0.8"]
    assert safe > 8
    assert f" {safe} " in next(line for line in printed.splitlines() if line.startswith("mixture earns more"))
    large = 'The safe number for "mixture earns more" is large because the interval of d_z is wide.\n'
    assert large in printed
    more = "  Run more pilot sessions: with 12 in total and the same d_z, 18 would be safe for 80 %"
    assert more in printed


def test_an_outcome_in_which_the_models_did_the_same_has_no_power(tmp_path: Path, capsys: Capture) -> None:
    people = People(tmp_path, naive=[(0.1, 1), (0.2, 1)], mixture=[(0.5, 1), (0.5, 1)])
    printed, pair = people.power(capsys)
    same = "Targets found: the models did the same in every session, so there is no effect size and no power"
    assert same in printed
    found = pair["effects"]["found"]
    assert (found["difference"], found["d_z"], found["d_z_ci95"]) == (0, None, [None] * 2)
    assert found["better"] is None
    assert pair["power"]["found"]["power"] == [None]


def test_participants_who_did_not_have_both_models_are_left_out(tmp_path: Path, capsys: Capture) -> None:
    _, pair = People(tmp_path, naive=NAIVE, mixture=MIXTURE[:4]).power(capsys)
    assert pair["sessions"] == 4
    gains = [mixture[0] - naive[0] for mixture, naive in zip(MIXTURE, NAIVE[:4], strict=False)]
    assert pair["effects"]["reward"]["difference"] == pytest.approx(3 * np.mean(gains))


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


def test_participants_who_were_simulated_before_are_kept(tmp_path: Path, capsys: Capture) -> None:
    simulation = Simulation(tmp_path)
    assert simulation.power() == 0
    assert "From 3 sessions (simulated). Figures and numbers: " in capsys.readouterr().out
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
    tmp_path: Path, other: str, capsys: Capture
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
    first = simulation.out / "sessions" / "random-001.yaml"
    problem = f"studyapp: {first}: this session belongs to another study or to another --teacher"
    refused(problem, capsys)
    assert simulation.files() == before


# Wrong arguments


def refused(message: str, capsys: Capture) -> None:
    printed, error = capsys.readouterr()
    assert (printed, error.count("\n")) == ("", 1)
    assert error.startswith(message), error


def test_a_wrong_argument_ends_with_2_and_one_line(two_models: Pool, tmp_path: Path, capsys: Capture) -> None:
    for options, message in (
        (["--participants", "1"], "--participants is 1; it must be a whole number from 2 to 10000"),
        (["--participants", "10001"], "--participants is 10001"),
        (["--level", "0"], "--level is 0.0; it must be a finite number at least 0.0001 and at most 0.5"),
        (["--level", "nan"], "--level is nan"),
        (["--exclude", "P0", "P1", "P2"], f"{NEEDS} 1 session with 3 questions"),
        (
            ["--better", "boht"],
            "--better is 'boht' (did you mean 'both'?); it must be one of 'both', 'plain'",
        ),
        (["--exclude", "P9"], "--exclude P9: no session here has this participant"),
    ):
        assert two_models.power(tmp_path / "out", *options) == 2
        refused(f"studyapp: {message}", capsys)
        assert not (tmp_path / "out").exists()
    assert Pool(tmp_path, 2, questions=1).power(tmp_path / "out") == 2
    refused(f"studyapp: {NEEDS} 2 sessions with 1 question\n", capsys)


def test_a_fault_is_found_before_anything_is_simulated(tmp_path: Path, capsys: Capture) -> None:
    simulation = Simulation(tmp_path)
    for options, message in (
        (["--simulate", "1"], "--simulate is 1; it must be a whole number from 2 to 100000"),
        (["--study", "papr"], "papr: there is no study of this name (did you mean 'paper'?)"),
        (["--better", "nobody"], "--better is 'nobody'; it must be one of "),
    ):
        assert simulation.power(*options) == 2
        refused(f"studyapp: {message}", capsys)
        assert not simulation.out.exists()
    simulation.out.write_text("mine")
    assert simulation.power() == 2
    refused(f"studyapp: {simulation.out}: this is a file, but a folder is needed", capsys)
    assert simulation.out.read_text() == "mine"
