"""``studyapp check`` shows what a participant goes through, or says what is wrong."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from study_files import Settings, loaded, small, write

from studyapp.cli import main
from studyapp.study import plan
from studyapp.study.loading import load
from studyapp.study.texts import Texts

REPOSITORY = Path(__file__).parents[3]


def test_the_published_study_is_shown_with_its_plan_counts_and_duration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Finding a word together (paper): no faults found."
    assert lines[2] == "The plan of P01:"
    assert lines[4].split() == ["round", "model", "target", "first", "question"]
    table = [line.split() for line in lines[6:48]]
    rounds = plan.make(load("paper"), "P01")
    assert table == [
        [str(each.round), *["practice"] * each.practice, each.model, each.target, each.first]
        for each in rounds
    ]
    assert lines[49:] == [
        "words      20 (study20), 20 of them targets",
        "models     naive (naive), mixture (mixture)",
        "rounds     40, and 2 of practice",
        "questions  630 (15 a round)",
        "breaks     0",
        "duration   about 75 minutes, at the pace of the published study",
    ]


def test_the_columns_of_the_plan_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "paper", "--participant", "P07"])
    lines = capsys.readouterr().out.splitlines()
    assert "The plan of P07:" in lines
    begin = lines[4].index("target")
    assert all(line[begin - 2 : begin] == "  " and line[begin] != " " for line in lines[4:48])


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {},
            [
                "rounds     4, and 2 of practice",
                "questions  12 (2 a round), and 7 in questionnaires",
                "breaks     1",
            ],
        ),
        ({"targets": ["tea"], "breaks": None}, ["rounds     2, and 2 of practice", "breaks     0"]),
        (
            {"practice": None, "after_round": None, "at_end": None},
            ["rounds     4, and 0", "questions  8 (2 a round)\n"],
        ),
        ({"targets": "all"}, ["words      6 (words.txt), 6 of them targets", "rounds     12, and"]),
        ({"learner": {"teacher": "planning", "samples": 16}}, ["models     plain (naive), both (mixture)"]),
    ],
)
def test_the_counts_are_those_of_the_study(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: Settings, told: list[str]
) -> None:
    assert main(["check", str(write(tmp_path, small(**changes)))]) == 0
    printed = capsys.readouterr().out
    for each in told:
        assert each in printed


@pytest.mark.parametrize(
    ("changes", "minutes"),
    [
        ({"pace": {"pause": 0.5}}, 2.5),  # 12 questions of 75 min / 630, 7 items of 8 s
        ({"pace": {"pause": 5.5}}, 3.5),
        ({"pace": {"pause": 0.5}, "breaks": {"every": 2, "seconds": 600}}, 12.5),
    ],
)
def test_the_duration_counts_pauses_questionnaires_and_breaks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], changes: Settings, minutes: float
) -> None:
    assert main(["check", str(write(tmp_path, small(**changes)))]) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("duration"))
    assert abs(int(line.split()[2]) - minutes) < 0.6


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"title: x\n", ", line 1: models is missing; add it\n"),
        (b"", ": the file is empty\n"),
        (b"\xff", ", line 1: this is not UTF-8 text; save it as UTF-8\n"),
        (b"a: [", "this is not YAML"),
    ],
)
def test_a_bad_file_ends_with_2_and_one_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: str
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_bytes(content)
    assert main(["check", str(path)]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith(f"studyapp: {path}")
    assert said in error


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["missing.yaml"], ["."], ["paper", "--participant", "../x"]]
)
def test_what_cannot_be_checked_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *arguments]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith("studyapp: ")
    assert error.count("\n") == 1


def test_a_fault_is_told_at_once_without_a_traceback_and_without_torch(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("title: [\n")
    command = [sys.executable, "-X", "importtime", "-m", "studyapp.cli", "check"]
    good = subprocess.run([*command, "paper"], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert "no faults found" in good.stdout
    bad = subprocess.run([*command, str(path)], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert (bad.returncode, bad.stdout) == (2, "")
    loaded_modules = {line.rpartition("|")[2].strip() for line in bad.stderr.splitlines()}
    assert "yaml" in loaded_modules
    assert not {"torch", "textual", "scipy"} & loaded_modules
    assert f"studyapp: {path}, line 2: this is not YAML" in bad.stderr
    assert "Traceback" not in bad.stderr


# Notes


def test_it_notes_what_may_not_be_meant(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changes = {
        "models": {"one": {"teacher": "naive"}, "two": {"teacher": "naive"}},
        "questionnaires": {"forgotten": [{"id": "a", "kind": "text", "ask": "?"}]},
        "after_round": [],
        "at_end": [],
        "answers": {"confirm": False},
        "pace": {"pause": 0.0},
    }
    path = write(tmp_path, small() | changes)
    assert main(["check", str(path)]) == 0
    printed = capsys.readouterr().out
    assert "models 'one' and 'two' have the same settings" in printed
    assert "the questionnaire 'forgotten' is never asked" in printed
    assert "does not count (pace.hold)" in printed
    assert "participants could feel which model asks" in printed


def test_of_the_published_study_there_is_nothing_to_note(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check"]) == 0
    assert "note" not in capsys.readouterr().out


# The texts


def test_the_texts_are_listed_as_part_of_a_study_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--texts"]) == 0
    printed = capsys.readouterr().out
    assert yaml.safe_load(printed) == {"texts": Texts().model_dump()}
    assert 'ask: "Is {word} relevant?"  # may use {word}\n' in printed
    path = write(tmp_path, small())
    with path.open("a") as file:
        file.write(printed)
    assert load(path).study.texts == Texts()


def test_the_texts_of_a_study_are_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = {
        "ask": "Passt {word}? # {{1}}",
        "yes": "no",
        "no": "null",
        "enter": "Weiter: 'Enter', \"ja\"",
        "end": "-",
    }
    path = write(tmp_path, small(texts=texts))
    assert main(["check", str(path), "--texts"]) == 0
    printed = yaml.safe_load(capsys.readouterr().out)["texts"]
    assert printed == Texts().model_dump() | texts
    assert loaded(tmp_path, small(texts=printed)).study.texts.model_dump() == printed
