"""Power against exact cases, and ``studyapp power`` from sessions to numbers and figures."""

from __future__ import annotations

import csv
import json
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from scipy import stats
from study_files import Settings, loaded, run, small, write

from studyapp.analysis.gather import gather
from studyapp.analysis.power import Power, find_power, participants_for
from studyapp.analysis.results import analyse
from studyapp.cli import main
from studyapp.tables.tables import PUBLISHED

NOISE = 0.03  # four standard errors of a share of 4000 studies


def normal_pool(effect: float, many: int = 1000) -> np.ndarray:
    """Differences of a population: normal, of this mean in standard deviations, without any chance."""
    pool = stats.norm.ppf((np.arange(many) + 0.5) / many)
    return np.asarray(effect + pool / pool.std())[:, None]


def exact_power(effect: float, n: int, level: float) -> float:
    """Of the two-sided paired t-test, by the noncentral t distribution."""
    critical = stats.t.ppf(1 - level / 2, n - 1)
    above = stats.nct.sf(critical, n - 1, effect * np.sqrt(n))
    below = stats.nct.cdf(-critical, n - 1, effect * np.sqrt(n))
    return float(above + below)


# The power


@pytest.mark.parametrize("level", [0.05, 0.01])
@pytest.mark.parametrize("effect", [0.3, 0.8, -0.8])
def test_of_normal_differences_the_power_is_that_of_the_noncentral_t(effect: float, level: float) -> None:
    sizes = [3, 5, 10, 20, 40]
    found = find_power(normal_pool(effect), sizes, level)
    expected = [exact_power(effect, n, level) for n in sizes]
    assert found.share[:, 0] == pytest.approx(expected, abs=NOISE)


def test_without_an_effect_the_power_is_about_the_level() -> None:
    for level in (0.05, 0.2):
        found = find_power(normal_pool(0.0), [2, 5, 20, 60], level)
        assert found.share[:, 0] == pytest.approx(level, abs=NOISE)


def test_of_a_small_pool_the_power_is_the_share_of_all_studies_that_can_be_drawn() -> None:
    pool = np.array([[0.4, -1.0], [0.5, 2.0], [0.7, 2.5], [0.6, 2.6]])
    found = find_power(pool, [3])
    studies = [pool[list(chosen)] for chosen in product(range(4), repeat=3) if len(set(chosen)) > 1]
    succeeded = [stats.ttest_1samp(study, 0.0).pvalue < 0.05 for study in studies]
    assert found.share[0] == pytest.approx(np.sum(succeeded, axis=0) / 4**3, abs=NOISE)
    assert 0.1 < found.share[0, 1] < found.share[0, 0] < 0.95


def test_one_session_drawn_again_and_again_is_no_study_that_succeeds() -> None:
    found = find_power(np.array([[1.0], [5.0]]), [2])
    assert (found.share.item(), found.low.item(), found.high.item()) == (0.0, 0.0, 0.0)


def test_more_participants_have_more_power() -> None:
    found = find_power(normal_pool(0.5), [4, 8, 16, 32, 64])
    assert (np.diff(found.share[:, 0]) > 0).all()
    assert found.share[-1, 0] > 0.95


def test_every_question_from_the_second_on_has_its_own_power() -> None:
    pool = np.hstack([normal_pool(effect) for effect in (0.0, 0.5, 1.0)])
    found = find_power(pool, [10, 20])
    assert found.questions.tolist() == [2, 3, 4]
    assert found.sizes.tolist() == [10, 20]
    for at, effect in enumerate((0.0, 0.5, 1.0)):
        expected = [exact_power(effect, n, 0.05) for n in (10, 20)]
        assert found.share[:, at] == pytest.approx(expected, abs=NOISE)


def test_intervals_hold_the_power_and_are_wider_where_the_pool_is_smaller() -> None:
    inside, widths = [], []
    for seed in range(6):
        people = np.random.default_rng(seed).normal(0.5, 1, (120, 1))
        few, many = find_power(people[:12], [10, 20, 30]), find_power(people, [10, 20, 30])
        inside += [(each.low <= each.share) & (each.share <= each.high) for each in (few, many)]
        widths.append([(each.high - each.low).mean() for each in (few, many)])
    assert np.mean(inside) > 0.9
    narrower = np.array(widths)
    assert (narrower[:, 1] < narrower[:, 0]).mean() > 0.8
    assert narrower[:, 1].mean() < 0.75 * narrower[:, 0].mean()


def test_the_interval_of_a_pool_is_as_likely_as_it_says_to_hold_the_power_of_its_population() -> None:
    true = exact_power(0.6, 15, 0.05)
    held = []
    for seed in range(40):
        found = find_power(np.random.default_rng(seed).normal(0.6, 1, (30, 1)), [15])
        held.append(found.low.item() <= true <= found.high.item())
    assert np.mean(held) > 0.8


def test_the_same_pool_gives_the_same_numbers_whatever_else_is_looked_at() -> None:
    pool = np.random.default_rng(3).normal(0.4, 1, (9, 4))
    first, second, alone = find_power(pool, [5, 10]), find_power(pool, [5, 10]), find_power(pool, [10])
    for name in ("share", "low", "high"):
        assert (getattr(first, name) == getattr(second, name)).all()
        assert (getattr(first, name)[1:] == getattr(alone, name)).all()


def test_it_is_told_how_many_sizes_are_done() -> None:
    told: list[float] = []
    find_power(np.array([[1.0], [2.0]]), [2, 3, 5], 0.05, told.append)
    assert told == [1, 2, 3]


# How many are needed


def known(*shares: float) -> Power:
    """After the last question; after the one before, all studies succeed."""
    share = np.array([[1.0, share] for share in shares])
    sizes = np.array([4, 8, 16, 32][: len(shares)])
    return Power(sizes, np.array([2, 3]), share, share, share)


@pytest.mark.parametrize(
    ("shares", "needed"),
    [
        ((0.1, 0.5, 0.8, 0.9), 16),
        ((0.9, 0.95, 0.97, 1.0), 4),
        ((0.1, 0.2, 0.3, 0.79), None),
        ((0.1, 0.2, 0.3, 0.8), 32),
        ((0.85, 0.7, 0.9, 0.95), 16),  # reached, lost, and reached again
        ((0.85, 0.9, 0.95, 0.7), None),  # not kept
        ((0.8,), 4),
        ((0.7,), None),
    ],
)
def test_the_participants_needed_are_the_fewest_that_reach_a_power_and_keep_it(
    shares: tuple[float, ...], needed: int | None
) -> None:
    assert participants_for(known(*shares), 0.8) == needed


# The command

QUICK: Settings = {"after_round": [], "at_end": [], "bonus": None, "questions": 3}


class Bench:
    """Sessions of a small study, and the command run on them."""

    def __init__(self, folder: Path, participants: int, **changes: Any) -> None:
        study = loaded(folder, small(**QUICK | changes))
        for number in range(participants):
            run(study, folder / "logs", f"P{number}")
        self.logs, self.words = folder / "logs", folder / "words.txt"

    def power(self, out: Path, *options: str) -> int:
        return main(["power", str(self.logs), "--words", str(self.words), "--out", str(out), *options])


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("two"), 4)


@pytest.fixture(scope="module")
def three_models(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    models = {name: {"teacher": "naive", "tau": tau} for name, tau in (("c", 1), ("a", 2), ("b", 3))}
    return Bench(tmp_path_factory.mktemp("three"), 3, models=models)


def document(out: Path) -> Any:
    return json.loads((out / "power.json").read_text())


def test_numbers_and_a_figure_are_written(bench: Bench, tmp_path: Path) -> None:
    assert bench.power(tmp_path / "out", "--participants", "8", "3", "8", "--level", "0.1") == 0
    names = {"power.json", "power.csv", "power-both+plain.svg", "power-both+plain.pdf"}
    assert {path.name for path in (tmp_path / "out").iterdir()} == names
    found = document(tmp_path / "out")
    assert (found["sessions"], found["kinds"], found["level"]) == (4, ["simulated"], 0.1)
    (pair,) = found["pairs"]
    assert (pair["models"], pair["participants"], pair["questions"]) == (["both", "plain"], [3, 8], [2, 3])
    assert set(pair["needed"]) == {"0.8", "0.9"}
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


def test_the_numbers_are_those_of_the_participants_differences(bench: Bench, tmp_path: Path) -> None:
    assert bench.power(tmp_path / "power", "--participants", "3", "8") == 0
    curves = analyse(gather(bench.logs, words=bench.words), planners=0).curves
    expected = find_power((curves["both"] - curves["plain"])[:, 1:], [3, 8])
    (pair,) = document(tmp_path / "power")["pairs"]
    assert pair["power"] == expected.share.tolist()
    assert pair["ci95"] == [expected.low.tolist(), expected.high.tolist()]


def test_the_same_sessions_give_the_same_files_byte_by_byte(bench: Bench, tmp_path: Path) -> None:
    contents = []
    for name in ("first", "second"):
        assert bench.power(tmp_path / name, "--participants", "5") == 0
        contents.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert contents[0] == contents[1]


def test_every_pair_of_models_has_its_numbers_and_its_figure(
    three_models: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert three_models.power(tmp_path, "--participants", "4", "6") == 0
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    assert [tuple(pair["models"]) for pair in document(tmp_path)["pairs"]] == pairs
    assert {path.name for path in tmp_path.glob("power-*.svg")} == {f"power-{a}+{b}.svg" for a, b in pairs}
    with (tmp_path / "power.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 3 * 2 * 2
    printed = capsys.readouterr().out
    for one, other in pairs:
        assert f"chance of p < 0.05 (either way) for {one} against {other}\n" in printed


def test_the_terminal_tells_the_power_within_80_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = {"plain-" + "x" * 58: {"teacher": "naive"}, "both-" + "y" * 59: {"teacher": "mixture"}}
    assert Bench(tmp_path, 2, questions=15, models=names).power(tmp_path / "out") == 0
    *lines, where, few = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    head = next(line for line in lines if "after 15 questions" in line)
    assert head.split("  ")[0] == "participants"
    assert ["after 5 questions" in head, "after 10 questions" in head] == [True, True]
    sizes = [line.split()[0] for line in lines if line.strip()[:1].isdigit()]
    assert sizes == ["4", "5", "6", "8", "10", "12", "15", "20", "25", "30", "40", "50"]
    assert sum(line.startswith(("a power of 80%", "a power of 90%")) for line in lines) == 2
    assert where.startswith("drawn from 2 sessions (simulated); figure and numbers are in")
    assert few == "2 sessions are few: the intervals should be even wider"


def test_a_power_that_no_size_reaches_is_told_as_more_than_the_largest(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.power(tmp_path, "--participants", "2", "--level", "0.0001") == 0
    assert document(tmp_path)["pairs"][0]["needed"] == {"0.8": None, "0.9": None}
    assert "a power of 80% after 3 questions takes more than 2 participants\n" in capsys.readouterr().out


def test_participants_who_did_not_have_both_models_are_not_drawn(tmp_path: Path) -> None:
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
    """A study of words of its own, in a folder that is neither this one nor that of the results."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.study = write(folder / "study", small(**QUICK | changes))
        self.out = folder / "out"

    def power(self, *options: str, teacher: str = "random", many: int = 3) -> int:
        simulated = ["--study", str(self.study), "--teacher", teacher, "--simulate", str(many)]
        return main(["power", *simulated, "--out", str(self.out), "--participants", "4", *options])

    def files(self) -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in sorted(self.out.rglob("*")) if path.is_file()}


def test_participants_are_simulated_once_and_drawn_from_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulation = Simulation(tmp_path)
    assert simulation.power() == 0
    assert "drawn from 3 sessions (simulated); figure and numbers are in" in capsys.readouterr().out
    logs = [f"random-00{number}.yaml" for number in (1, 2, 3)]
    assert sorted(path.name for path in (simulation.out / "sessions").iterdir()) == logs
    before = simulation.files()
    assert simulation.power() == 0
    assert simulation.files() == before
    assert simulation.power(many=4) == 0
    assert document(simulation.out)["sessions"] == 4
    after = simulation.files()
    assert all(after[path] == before[path] for path in before if path.name in logs)


@pytest.mark.parametrize("other", ["study", "words", "teacher"])
def test_participants_of_another_study_or_teacher_are_not_drawn_from(
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
    assert error.startswith(f"studyapp: {first}: this session is of another study, or of another --teacher")
    assert error.count("\n") == 1
    assert simulation.files() == before


# What is asked wrongly


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--participants", "1"], "--participants is 1; it must be a whole number from 2 to 10000"),
        (["--participants", "8", "-3", "20"], "--participants is -3"),
        (["--participants", "10001"], "--participants is 10001"),
        (["--level", "0"], "--level is 0.0; it must be a finite number above 0 and at most 0.5"),
        (["--level", "1"], "--level is 1.0"),
        (["--level", "nan"], "--level is nan"),
        (["--exclude", "P0", "P1", "P2"], "there are 1 sessions of 3 questions to draw from; two of each"),
        (["--exclude", "P9"], "--exclude P9: there is no such participant here"),
    ],
)
def test_what_is_asked_wrongly_ends_with_2_and_one_line(
    bench: Bench, tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.power(tmp_path / "out", *options) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith(f"studyapp: {said}")
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--simulate", "1"], "--simulate is 1; it must be a whole number from 2 to 100000"),
        (["--study", "papr"], "papr: there is no study of this name (did you mean 'paper'?)"),
        (["nowhere"], "nowhere: there is no such file"),
        (["."], ".: this folder has no session logs (*.yaml)"),
    ],
)
def test_what_cannot_be_drawn_from_ends_with_2_and_one_line(
    tmp_path: Path,
    options: list[str],
    said: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["power", *options]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith(f"studyapp: {said}")
    assert error.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_sessions_of_one_question_have_nothing_to_compare(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert Bench(tmp_path, 2, questions=1).power(tmp_path / "out") == 2
    assert capsys.readouterr() == (
        "",
        "studyapp: there are 2 sessions of 1 questions to draw from; two of each are needed\n",
    )
    assert not (tmp_path / "out").exists()


def test_a_file_in_the_place_of_the_results_is_told_before_anything_is_simulated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    simulation = Simulation(tmp_path)
    simulation.out.write_text("mine")
    assert simulation.power() == 2
    printed, error = capsys.readouterr()
    assert (printed, error.count("\n")) == ("", 1)
    assert error.startswith(f"studyapp: {simulation.out}: this is a file, and results need a folder")
    assert simulation.out.read_text() == "mine"


@pytest.mark.parametrize(
    "options",
    [["--teacher", "kind"], ["--participants", "two"], ["--level", "low"], ["--include", "everyone"]],
)
def test_an_argument_that_is_not_understood_ends_with_2(
    bench: Bench, tmp_path: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        bench.power(tmp_path / "out", *options)
    assert caught.value.code == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert options[0] in error.splitlines()[-1]
    assert "Traceback" not in error
    assert not (tmp_path / "out").exists()
