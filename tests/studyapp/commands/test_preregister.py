"""``studyapp preregister``: what it writes, what it enters in the study's log, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from registering import change, people, preregister, study_folder

from studyapp.analysis.explanations import EXPLAINED
from studyapp.base.environment import program_sha256, software
from studyapp.cli import main
from studyapp.office.conduct import read_conduct
from studyapp.study.loading import load

FILES = ["SHA256SUMS", "preregistration.md", "registration.json", "study.yaml"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return study_folder(tmp_path / "study")


def written(folder: Path) -> tuple[str, dict[str, Any]]:
    place = folder / "preregistration"
    return (place / "preregistration.md").read_text(), json.loads((place / "registration.json").read_text())


# What it writes


def test_a_registration_is_the_study_file_the_document_the_record_and_their_hashes(folder: Path) -> None:
    assert preregister(folder, "--no-power")[0] == 0
    place = folder / "preregistration"
    assert sorted(path.name for path in place.iterdir()) == FILES
    assert (place / "study.yaml").read_bytes() == (folder / "study.yaml").read_bytes()
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=place, check=True)
    document, record = written(folder)
    sha256 = hashlib.sha256((folder / "study.yaml").read_bytes()).hexdigest()
    assert record["study_sha256"] == sha256
    assert sha256 in document
    loaded = load(folder / "study.yaml")
    assert record["study"] == json.loads(json.dumps(loaded.study.record()))
    assert record["words_sha256"] == loaded.vocabulary.sha256
    assert record["participants"] == 2
    assert record["software"] == software()
    assert record["program_sha256"] == program_sha256()
    assert record["analysis"] == {
        "command": "studyapp analyse",
        "include": [],
        "exclude": [],
        "margin": 0.5,
        "level": 0.05,
    }


def test_the_registration_is_entered_in_the_log_with_the_hash_of_every_file(folder: Path) -> None:
    preregister(folder, "--no-power")
    (event,) = read_conduct(folder / "study.log.yaml").registrations
    assert event.folder == "preregistration"
    assert (event.participants, event.finished) == (2, 0)
    assert sorted(event.files) == FILES
    for name, sha256 in event.files.items():
        assert hashlib.sha256((folder / "preregistration" / name).read_bytes()).hexdigest() == sha256


def test_the_document_explains_every_statistic_in_the_words_of_the_report(folder: Path) -> None:
    preregister(folder, "--no-power")
    document, record = written(folder)
    for name, sentence in EXPLAINED.items():
        assert sentence in document or name == "p_holm"
    assert record["methods"] == EXPLAINED


def test_the_document_has_every_setting_of_every_model(folder: Path) -> None:
    preregister(folder, "--no-power")
    document, _ = written(folder)
    assert (
        "| model | teacher | belief | selection | beta | tau | horizon | gamma | samples | fit |" in document
    )
    assert "| `plain` | naive | weights | bayes-ucb | 20 | 2 | 1 | 1 | 16 | converged |" in document
    assert "| `both` | mixture | weights | bayes-ucb | 20 | 2 | 1 | 1 | 16 | converged |" in document
    first = document.splitlines()[2]
    assert first.startswith("> **Not for anyone who must stay blind.**")


@pytest.mark.parametrize(
    ("changes", "sentences"),
    [
        ({"order": "fixed"}, ["as listed, for all participants"]),
        ({"order": "random"}, ["Order of the targets: drawn for each participant."]),
        ({"order_of_models": "random"}, ["Order of the models: drawn for each participant and target."]),
        (
            {"order_of_models": "balanced", "participants": 4},
            [
                "balanced, by rows of Latin squares",
                "each model comes first 1 time for each participant, and 2 times with each target",
            ],
        ),
        ({"blind": True}, ["after data collection and unblinding:", "before the study is unblinded"]),
        ({"blind": False}, ["The experimenters are not blind", "after data collection:"]),
        ({"practice": None}, ["each of 2 questions. It is"]),
        ({"practice": ["n", "no"]}, ["after 4 practice rounds that do not count (n and no)"]),
        ({"breaks": {"every": 2, "seconds": 30}}, ["after every 2 rounds, of at least 30 seconds"]),
        ({"resume": {"allowed": False}}, ["can't be continued"]),
        ({"resume": {"within_hours": 1.5}}, ["within 1.5 hours of its last event"]),
        ({"after_round": None, "at_end": None}, ["answered, and how well the paper's two teachers"]),
        (
            {"bonus": {"within": 2, "rounds": 1, "won": "Well done."}},
            ["within 2 questions in at least 1 round."],
        ),
        (
            {"models": {name: {"teacher": "naive"} for name in "abc"}},
            ["Each of the 3 pairs of models is compared", "after Holm's correction (1979) for 3 pairs"],
        ),
        ({"title": "*Bold* <b>|x|"}, [r"# Preregistration: \*Bold\* \<b\>\|x\|"]),
        ({"ids": ["anna", "zoe"]}, ["the participant's ID (from a list of 2)", "(anna to zoe)"]),
    ],
)
def test_the_document_says_how_the_study_is_set(
    tmp_path: Path, changes: dict[str, Any], sentences: list[str]
) -> None:
    folder = study_folder(tmp_path / "study", **changes)
    assert preregister(folder, "--no-power")[0] == 0
    document, _ = written(folder)
    for sentence in sentences:
        assert sentence in document
    assert not re.search(r"\{[{%]|  \S|None(?!\. No)|\n\n\n", document.replace("\n    studyapp", ""))


def test_the_primary_outcome_the_expected_model_and_the_margin_can_be_chosen(folder: Path) -> None:
    options = ["--primary", "found", "--better", "both", "--margin", "0.25"]
    assert preregister(folder, "--no-power", *options)[0] == 0
    document, record = written(folder)
    assert "Primary outcome: the share of rounds in which the target was found." in document
    expected = "we expect `both` to be better than `plain`, that is, that it finds the target more often"
    assert expected in document
    assert "\n    studyapp analyse --margin 0.25\n" in document
    assert (record["primary"], record["better"], record["analysis"]["margin"]) == ("found", "both", 0.25)


# Power


def test_the_power_comes_from_simulated_participants_who_are_kept(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyapp.commands.preregister.SIMULATED", 4)
    code, _, errors = preregister(folder)
    assert code == 0
    assert "simulating 4 participants" in errors
    document, record = written(folder)
    assert "from 4 simulated participants of this study" in document
    assert "People may differ from simulated participants." in document
    logs = sorted((folder / "power" / "sessions").glob("*.yaml"))
    assert len(logs) == 4
    before = [path.stat().st_mtime_ns for path in logs]
    again = ["--simulate", "4", "--participants", "2", "--out", str(folder / "power")]
    assert main(["power", "--study", str(folder / "study.yaml"), *again]) == 0
    assert [path.stat().st_mtime_ns for path in logs] == before
    # The same as studyapp power says of a study of this size.
    saved = json.loads((folder / "power" / "power.json").read_text())
    for effect in record["power"]["effects"]:
        (pair,) = saved["pairs"]
        expected = pair["power"][effect["outcome"]]
        assert effect["power"][0] == pytest.approx(expected["power"][0], nan_ok=True)
        assert [expected["ci95"][0][0], expected["ci95"][1][0]] == pytest.approx(effect["power"][1:])
    # And from the file itself.
    assert (
        preregister(folder, "--power", str(folder / "power" / "power.json"), "--out", str(folder / "2"))[0]
        == 0
    )
    second = json.loads((folder / "2" / "registration.json").read_text())
    assert second["power"] == record["power"]


def test_a_file_without_the_power_of_this_study_is_refused(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "power.json"
    whole = {"sessions": 4, "kinds": [], "level": 0.05, "pairs": []}
    pair = {"models": ["both", "plain"], "sessions": 4, "participants": [], "effects": {}, "power": {}}
    for content, problem in (
        (b"", "this is not a power.json of studyapp power"),
        (b"[]", "this is not a power.json of studyapp power"),
        (b"\xff", "this is not a power.json of studyapp power"),
        (whole, "the power of a study with other models"),
        (whole | {"pairs": [pair | {"models": ["a", "b"]}]}, "the power of a study with other models"),
        (whole | {"pairs": [pair]}, "there is no reward of both and plain"),
    ):
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        code, _, errors = preregister(folder, "--power", str(path))
        assert code == 2
        assert problem in errors
        assert not (folder / "preregistration").exists()
        assert not (folder / "study.log.yaml").exists()


# What it refuses, and what it warns of


def test_an_earlier_registration_is_never_overwritten(folder: Path) -> None:
    preregister(folder, "--no-power")
    before = written(folder)
    code, _, errors = preregister(folder, "--no-power")
    assert code == 2
    assert "a registration is here already, and nothing is overwritten" in errors
    assert written(folder) == before
    assert len(read_conduct(folder / "study.log.yaml").registrations) == 1


def test_a_study_can_be_registered_again_in_another_folder(folder: Path, tmp_path: Path) -> None:
    preregister(folder, "--no-power")
    code, _, errors = preregister(folder, "--no-power", "--out", str(tmp_path / "elsewhere"))
    assert code == 0
    assert "the study was registered before (preregistration)" in errors
    places = [event.folder for event in read_conduct(folder / "study.log.yaml").registrations]
    assert places == ["preregistration", str(tmp_path / "elsewhere")]


def test_a_registration_after_the_first_session_says_so(folder: Path) -> None:
    people(folder, "P01")
    code, _, errors = preregister(folder, "--no-power")
    assert code == 0
    assert "data collection has begun (1 session finished, 0 not yet)" in errors
    document, record = written(folder)
    assert "**Data collection had begun when this was written:** 1 session that would count" in document
    assert record["sessions_before"] == {"finished": 1, "unfinished": 0}
    assert read_conduct(folder / "study.log.yaml").registrations[0].finished == 1


def test_pilots_and_simulations_are_no_data(folder: Path) -> None:
    people(folder, "P01", pilot=True)
    people(folder, "P02", simulated=True, teacher="random")
    assert preregister(folder, "--no-power")[2] == ""
    assert "None. No session that would count had begun" in written(folder)[0]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--participants", "3"], "--participants is 3, but the study file has participants: 2"),
        (["--better", "bth"], "did you mean 'both'?"),
        (["--margin", "0"], "--margin"),
    ],
)
def test_bad_options_are_refused_before_anything_is_written(
    folder: Path, options: list[str], problem: str
) -> None:
    code, _, errors = preregister(folder, "--no-power", *options)
    assert code == 2
    assert problem in errors
    assert not (folder / "preregistration").exists()


def test_the_sample_size_is_needed(folder: Path) -> None:
    change(folder, participants=None)
    code, _, errors = preregister(folder, "--no-power")
    assert code == 2
    assert "the number of participants is missing" in errors
    assert "set participants in the study file, or give --participants N" in errors
    assert preregister(folder, "--no-power", "--participants", "1")[0] == 2
    assert preregister(folder, "--no-power", "--participants", "7")[0] == 0
    assert "**7 participants** who finish" in written(folder)[0]


def test_outside_a_study_folder_nothing_is_registered(tmp_path: Path) -> None:
    code, _, errors = preregister(tmp_path, "--no-power")
    assert code == 2
    assert "is not a study folder" in errors
