"""The report says whether what was run is what was registered, difference by difference."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from registering import analysis_of, change, people, preregister, study_folder

from studyapp.base.environment import software
from studyapp.cli import main
from studyapp.office import study_log
from studyapp.office.conduct import read_conduct
from studyapp.office.events import Excluded, Unblinded


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = study_folder(tmp_path / "study")
    assert preregister(folder, "--no-power")[0] == 0
    return folder


def differences(folder: Path, *options: str) -> list[tuple[str, str, str, str]]:
    found, report = analysis_of(folder, *options)
    assert found is not None
    assert found["as_registered"] == (not found["differences"])
    assert ("Everything was run and analysed as registered" in report) == found["as_registered"]
    return [(one["part"], one["what"], one["registered"], one["actual"]) for one in found["differences"]]


def test_a_study_that_was_not_registered_has_no_such_section(tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "study")
    people(folder, "P01", "P02")
    found, report = analysis_of(folder)
    assert found is None
    assert "registered" not in report


def test_a_study_that_was_run_as_registered_has_one_sentence(folder: Path) -> None:
    people(folder, "P01", "P02")
    assert differences(folder) == []


def test_the_course_of_a_study_is_no_difference(folder: Path) -> None:
    people(folder, "P01", "P02")
    change(folder, collecting=False)
    assert differences(folder) == []


def test_fewer_participants_are_a_difference(folder: Path) -> None:
    people(folder, "P01")
    assert differences(folder) == [("sample", "number of participants", "2", "1 analysed so far")]
    change(folder, collecting=False)
    assert differences(folder) == [("sample", "number of participants", "2", "1 analysed")]


def test_another_number_of_planned_participants_is_a_difference_of_the_study_file_alone(folder: Path) -> None:
    change(folder, participants=3)
    people(folder, "P01", "P02")
    assert differences(folder) == [("study", "participants", "2", "3 now")]


def test_a_corrected_typo_is_listed_as_wording_with_the_number_of_sessions(folder: Path) -> None:
    people(folder, "P01")
    change(folder, consent="Yes!\n...\nNo?")
    people(folder, "P02")
    assert differences(folder) == [
        ("study", "consent", r"'Yes?\n...\nNo?'", r"'Yes!\n...\nNo?' now"),
        ("sessions", "consent", r"'Yes?\n...\nNo?'", r"'Yes!\n...\nNo?' in 1 of 2 sessions"),
    ]
    found, report = analysis_of(folder)
    assert found is not None
    assert all(one["is_wording"] for one in found["differences"])
    assert "(wording or look)" in report


def test_another_pause_is_no_wording(folder: Path) -> None:
    people(folder, "P01")
    change(folder, pace={"pause": 0.25})
    people(folder, "P02")
    assert differences(folder) == [
        ("study", "pace.pause", "0.0", "0.25 now"),
        ("sessions", "pace.pause", "0.0", "0.25 in 1 of 2 sessions"),
    ]
    found, _ = analysis_of(folder)
    assert found is not None
    assert not any(one["is_wording"] for one in found["differences"])


MODELS = {"plain": {"teacher": "naive"}, "secret": {"teacher": "planning"}}


def test_models_are_not_named_while_the_study_is_blind(folder: Path) -> None:
    change(folder, models=MODELS, seed=8)
    people(folder, "P01", "P02")
    found = differences(folder)
    assert ("study", "models", "as registered", "not the same") in [
        (part, what, registered, actual.removesuffix(" now")) for part, what, registered, actual in found
    ]
    assert ("sessions", "models", "as registered", "not the same in 2 of 2 sessions") in found
    text = json.dumps(found)
    assert not any(name in text for name in ("secret", "plain", "both", "mixture", "planning"))
    study_log.append(folder / "study.log.yaml", Unblinded("done", 2, 0))
    text = json.dumps(differences(folder))
    assert all(name in text for name in ("models.secret", "models.both"))


def test_other_words_are_a_difference(folder: Path) -> None:
    words = (folder / "words.txt").read_text().replace("tea 1 0 1", "tea 1 0 3")
    for place in (folder, folder / "sessions"):
        (place / "words.txt").write_text(words)
    people(folder, "P01", "P02")
    (folder / "words.txt").write_text(words)
    assert differences(folder) == [
        ("study", "words", "as registered", "not the same"),
        ("sessions", "words", "as registered", "not the same in 2 of 2 sessions"),
    ]


def test_sessions_before_the_registration_are_a_difference(folder: Path) -> None:
    people(folder, "P01", at="2020-01-01T00:00:00.000Z")
    people(folder, "P02")
    assert differences(folder) == [
        ("sessions", "when they began", "after the registration", "1 of 2 sessions before it")
    ]


def test_other_software_is_a_difference(folder: Path) -> None:
    people(folder, "P01")
    people(folder, "P02", software={"studyapp": "9.9"})
    found = differences(folder)
    assert (
        "sessions",
        "software: studyapp",
        f"'{software()['studyapp']}'",
        "'9.9' in 1 of 2 sessions",
    ) in found
    assert {part for part, *_ in found} == {"sessions"}


def test_options_of_the_analysis_are_differences(folder: Path) -> None:
    people(folder, "P01", "P02", "P03")
    assert differences(folder, "--margin", "0.4", "--exclude", "P03") == [
        ("analysis", "--exclude", "none", "P03"),
        ("analysis", "--margin", "0.5", "0.4"),
    ]


def test_a_registered_margin_is_no_difference(tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "study")
    preregister(folder, "--no-power", "--margin", "0.4")
    people(folder, "P01", "P02")
    assert differences(folder, "--margin", "0.4") == []
    assert differences(folder) == [("analysis", "--margin", "0.4", "0.5")]


def test_an_early_unblinding_and_exclusions_after_it_are_differences(folder: Path) -> None:
    people(folder, "P01", "P02")
    log = folder / "study.log.yaml"
    study_log.append(log, Excluded("P09", "fell ill", unblinded=False))
    assert differences(folder) == []
    study_log.append(log, Unblinded("curious", 1, 1))
    study_log.append(log, Excluded("P08", "slow", unblinded=True))
    day = read_conduct(log).registrations[0].at[:10]
    assert differences(folder) == [
        ("sample", "unblinding", "after 2 sessions", f"on {day}, after 1 session"),
        (
            "sample",
            "P08 excluded",
            "before the unblinding, if at all",
            f"on {day}, after the unblinding: slow",
        ),
    ]


def test_simulated_participants_are_not_the_registered_ones(folder: Path) -> None:
    people(folder, "P01", "P02", simulated=True, teacher="random")
    assert differences(folder) == [("sample", "who they are", "people", "simulated")]


def test_another_program_is_a_difference(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people(folder, "P01", "P02")
    monkeypatch.setattr("studyapp.analysis.registered.program_sha256", lambda: "0" * 64)
    monkeypatch.setattr("studyapp.analysis.registered.software", lambda: {"studyapp": "9.9"})
    found = differences(folder)
    assert ("program", "studyapp", software()["studyapp"], "9.9") in found
    assert ("program", "studyapp's own files", "as registered", "not the same") in found


# The files of the registration


@pytest.mark.parametrize("name", ["preregistration.md", "study.yaml", "SHA256SUMS"])
def test_a_file_of_the_registration_that_was_edited_is_named(folder: Path, name: str) -> None:
    people(folder, "P01", "P02")
    path = folder / "preregistration" / name
    path.write_text(path.read_text() + "\n")
    assert differences(folder) == [
        (
            "files",
            "preregistration",
            "as in the study's log",
            f"{name} was changed after the registration",
        )
    ]


def test_a_record_that_was_edited_is_compared_all_the_same(folder: Path) -> None:
    people(folder, "P01", "P02")
    path = folder / "preregistration" / "registration.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"participants": 1}))
    found = [(part, actual) for part, _, _, actual in differences(folder)]
    assert ("files", "registration.json was changed after the registration") in found
    assert ("sample", "2 analysed so far") in found


HOSTILE: list[Any] = [
    [],
    5,
    None,
    "x",
    {},
    {"study": 5},
    {"study": [], "software": 3, "analysis": 1, "methods": 2},
]


@pytest.mark.parametrize("content", HOSTILE)
def test_a_record_of_any_other_content_is_named_and_nothing_breaks(folder: Path, content: object) -> None:
    people(folder, "P01", "P02")
    (folder / "preregistration" / "registration.json").write_text(json.dumps(content))
    assert any(part == "files" for part, *_ in differences(folder))


def test_a_registration_that_is_gone_is_named(folder: Path) -> None:
    people(folder, "P01", "P02")
    (folder / "preregistration").rename(folder / "elsewhere")
    found = differences(folder)
    assert len(found) == 4
    assert all("can't be read: there is no such file" in actual for *_, actual in found)


def test_the_last_registration_counts_and_all_are_named(folder: Path) -> None:
    change(folder, pace={"pause": 0.25})
    assert preregister(folder, "--no-power", "--out", str(folder / "second"))[0] == 0
    people(folder, "P01", "P02")
    assert differences(folder) == []
    found, report = analysis_of(folder)
    assert found is not None
    assert [one["folder"] for one in found["registrations"]] == ["preregistration", "second"]
    assert "The study was registered 2 times" in report


def test_a_faulty_study_file_is_a_difference(folder: Path) -> None:
    people(folder, "P01", "P02")
    (folder / "study.yaml").write_text(
        (folder / "study.yaml").read_text().replace("teacher: naive", "teacher: x")
    )
    found = differences(folder)
    assert ("study", "study.yaml", "without faults", "has faults (studyapp check names them)") in found


def test_a_backup_that_was_unpacked_elsewhere_is_still_compared_with_what_was_registered(
    folder: Path, tmp_path: Path
) -> None:
    people(folder, "P01", "P02")
    assert main(["backup", "--in", str(folder)]) == 0
    (backup,) = (folder / "backups").glob("*.zip")
    with zipfile.ZipFile(backup) as archive:
        archive.extractall(tmp_path / "elsewhere")
    shutil.rmtree(folder)
    unpacked = tmp_path / "elsewhere" / "study"
    shutil.copy(unpacked / "words.txt", unpacked / "sessions")
    assert differences(unpacked) == []
    change(unpacked, participants=3)
    assert differences(unpacked) == [("study", "participants", "2", "3 now")]
