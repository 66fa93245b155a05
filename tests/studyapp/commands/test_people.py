"""``studyapp people``: from sessions to a file of people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_up import answer_table, imported, quick_analysis, sessions_of_every_kind
from published import SESSIONS, needs_sessions

from core.people import PARAMETERS, People
from studyapp.analysis.people import Fitted, fit_sessions
from studyapp.analysis.people_sessions import Sessions
from studyapp.cli import main
from studyapp.study.loading import read_people

TARGETS = ["dog", "tea"]


@pytest.fixture(scope="module", autouse=True)
def _quick_analysis() -> Iterator[None]:
    with quick_analysis():
        yield


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(tmp_path_factory.mktemp("logs"), answer_table(2, TARGETS, 6, seed=5))


def fit(logs: Path, out: Path, *options: str) -> int:
    return main(["people", "fit", str(logs), "--out", str(out), *options])


def test_the_file_of_people_can_be_read_and_says_where_it_comes_from(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("people.yaml", "people.json"):
        assert fit(logs, tmp_path / name, "--force") == 0
    out = capsys.readouterr().out
    assert "fitted to 48 answers of 2 persons (imported)" in out
    assert "says yes to a word of likeness 0.15" in out
    assert "The fit converged" in out
    document = json.loads((tmp_path / "people.json").read_text())
    assert set(PARAMETERS) <= set(document)
    assert set(document["standard_errors"]) == set(PARAMETERS)
    assert document["fitted_to"]["answers"] == 48
    assert document["fitted_to"]["persons"] == 2
    assert document["fitted_to"]["converged"] is True
    assert round(document["ready"], 6) == document["ready"]
    from_yaml, from_json = read_people(tmp_path / "people.yaml"), People.from_mapping(document)
    assert from_yaml.to_mapping() == from_json.to_mapping()
    assert from_yaml.pairs is not None
    ElementTree.parse(tmp_path / "people.svg")


def test_the_same_sessions_give_the_same_bytes(logs: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        assert fit(logs, tmp_path / folder / "people.yaml") == 0
    for name in ("people.yaml", "people.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_nothing_is_overwritten_without_force(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("people.yaml", "people.svg"):
        (tmp_path / name).write_text("mine")
        assert fit(logs, tmp_path / "people.yaml") == 2
        assert "already exists" in capsys.readouterr().err
        assert (tmp_path / name).read_text() == "mine"
        (tmp_path / name).unlink()


def test_people_can_be_fitted_to_one_person(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    logs = imported(tmp_path, answer_table(1, TARGETS, 6, seed=5))
    assert fit(logs, tmp_path / "people.yaml") == 0
    assert "With one person" in capsys.readouterr().out


def test_sessions_without_repeated_questions_can_be_fitted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    logs = imported(tmp_path, answer_table(2, TARGETS, 1, seed=5))
    assert fit(logs, tmp_path / "people.yaml") == 0
    assert "No word but a target was asked about again" in capsys.readouterr().out


def test_a_fit_that_did_not_converge_says_how_many_answers_are_enough(
    logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def unconverged(sessions: Sessions) -> Fitted:
        fitted = fit_sessions(sessions)
        return replace(fitted, fit=replace(fitted.fit, converged=False))

    monkeypatch.setattr("studyapp.analysis.people.fit_sessions", unconverged)
    assert fit(logs, tmp_path / "people.yaml") == 0
    assert capsys.readouterr().err.splitlines() == [
        "studyapp: the fit to 48 answers of 2 persons did not converge, so don't rely on it; "
        "two people with 180 answers each are usually enough"
    ]


def test_bad_input_is_one_message(logs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = sessions_of_every_kind(tmp_path)
    for arguments, problem in (
        (["fit", str(logs), "--out", str(tmp_path / "people.txt")], "must end in .yaml or .json"),
        (["fit", str(tmp_path / "none"), "--out", str(tmp_path / "p.yaml")], "no such file or folder"),
        (["fit", str(damaged), "--out", str(tmp_path / "p.yaml")], "move it to another folder"),
        (["fit", str(logs), "--out", str(tmp_path / "a" / "p.yaml")], "there is no folder"),
    ):
        assert main(["people", *arguments]) == 2
        error = capsys.readouterr().err
        assert problem in error
        assert "Traceback" not in error
    assert not (tmp_path / "p.yaml").exists()


@needs_sessions
def test_the_default_people_are_those_of_the_published_sessions(tmp_path: Path) -> None:
    assert main(["import", str(SESSIONS), "--sessions", str(tmp_path / "logs")]) == 0
    assert fit(tmp_path / "logs", tmp_path / "people.json") == 0
    made = json.loads((tmp_path / "people.json").read_text())
    shipped = json.loads((Path(__file__).parents[3] / "core" / "people.json").read_text())
    assert made["fitted_to"]["answers_sha256"] == shipped["fitted_to"]["answers_sha256"]
    for name in PARAMETERS:
        error = shipped["standard_errors"][name]
        assert made[name] == pytest.approx(shipped[name], abs=0.01 * error), name
        assert made["standard_errors"][name] == pytest.approx(error, rel=0.02), name
    default, again = People.default().pairs, People.from_mapping(made).pairs
    assert default is not None
    assert again is not None
    assert default.mean == pytest.approx(again.mean, abs=0.02)
    assert default.sd == pytest.approx(again.sd, abs=0.02, nan_ok=True)
