"""``studyapp export`` writes a Psych-DS dataset, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from exports import cells, records, table
from hypothesis import strategies as st
from proofs import holds_for
from published import SESSIONS, needs_sessions
from study_files import VECTORS, WORDS, loaded, open_sitting, run, small, write
from study_folders import make

from studyapp.cli import main
from studyapp.commands import export
from studyapp.session.events import Started
from studyapp.session.log_format import encode
from studyapp.session.saved import open_session
from studyapp.tables import psych_ds
from studyapp.tables.tables import PUBLISHED, TABLES

Capture = pytest.CaptureFixture[str]

# The rules

NAMED = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")
KEYWORDS = {"study", "site", "subject", "session", "task", "condition", "trial", "stimulus", "description"}
PROPERTIES = {"@type", "name", "description", "unitText", "minValue", "maxValue", "valuePattern"}


def check_psych_ds(folder: Path) -> None:
    """Check every rule, and every recommendation that does not depend on the study."""
    described = json.loads((folder / "dataset_description.json").read_text(encoding="utf-8"))
    assert (described["@context"], described["@type"]) == ("https://schema.org/", "Dataset")
    assert described["name"]
    assert described["description"]
    measured = variables(folder)
    assert len(measured) == len(described["variableMeasured"])
    for variable in measured.values():
        assert variable["@type"] == "PropertyValue"
        assert variable["description"]
        assert set(variable) <= PROPERTIES
    columns: set[str] = set()
    files = sorted((folder / "data").rglob("*"))
    for path in files:
        assert NAMED.fullmatch(path.name)
        assert {pair.split("-")[0] for pair in path.name.split("_")[:-1]} <= KEYWORDS
        header, *rows = cells(path)
        assert len(set(header)) == len(header)
        assert {len(row) for row in rows} == {len(header)}
        columns |= set(header)
    assert columns == set(measured)
    about = {"dataset_description.json", "README.md", "CHANGES.md", ".psychdsignore", "data"}
    scripts = set(psych_ds.SCRIPTS) if list((folder / "data").glob("*-rounds_data.csv")) else set()
    assert {path.name for path in folder.iterdir() if path.stat().st_size} == about | scripts


def variables(folder: Path) -> dict[str, dict[str, Any]]:
    described = json.loads((folder / "dataset_description.json").read_text(encoding="utf-8"))
    return {variable["name"]: variable for variable in described["variableMeasured"]}


# Sessions to export


@pytest.fixture(scope="module")
def log_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    folder = tmp_path_factory.mktemp("sessions")
    run(loaded(folder, small()), folder)
    return (folder / "P01.yaml").read_bytes()


class Bench:
    """Logs, and the command run on them."""

    def __init__(self, folder: Path, log_bytes: bytes) -> None:
        self.sessions = folder / "sessions"
        self.out = folder / "out"
        self.sessions.mkdir()
        (self.sessions / "words.txt").write_text(VECTORS, encoding="utf-8")
        (self.sessions / "P01.yaml").write_bytes(log_bytes)

    def add(self, participant: str, **changes: Any) -> Path:
        """The log of another participant, who did the same."""
        started, *events = open_session(self.sessions / "P01.yaml").saved.events
        assert isinstance(started, Started)
        path = self.sessions / f"{participant}.yaml"
        path.write_bytes(encode([replace(started, participant=participant, **changes), *events]))
        return path

    def export(self, *options: str) -> int:
        code = main(["export", str(self.sessions), *options, "--out", str(self.out)])
        assert list(self.sessions.parent.rglob(".[!p]*")) == []  # nothing is left, but .psychdsignore
        return code


@pytest.fixture
def bench(tmp_path: Path, log_bytes: bytes) -> Bench:
    return Bench(tmp_path, log_bytes)


# What is written


def test_sessions_become_a_dataset_that_holds_their_tables(bench: Bench, capsys: Capture) -> None:
    bench.add("P02")
    assert bench.export() == 0
    printed, error = capsys.readouterr()
    assert printed == f"2 sessions exported (2 simulated) with 24 answers; the tables are in {bench.out}\n"
    assert error == ""
    check_psych_ds(bench.out)
    opened = [open_session(bench.sessions / f"{name}.yaml") for name in ("P01", "P02")]
    for kind in TABLES:
        expected = [row for session in opened for row in kind.rows(session)]
        assert cells(table(bench.out, kind.name)) == [kind.header, *expected]


def test_the_data_dictionary_describes_every_column(bench: Bench) -> None:
    bench.export()
    found = variables(bench.out)
    assert (found["rt_ms"]["unitText"], found["rt_ms"]["minValue"]) == ("ms", 0)
    assert found["rt_ms"]["description"].startswith("in answers: from the appearance of the question to")
    assert "; in responses: from the appearance of the item to" in found["rt_ms"]["description"]
    assert (found["reward"]["minValue"], found["reward"]["maxValue"]) == (0, 1)
    assert found["kind"]["valuePattern"] == "person|pilot|imported|simulated"
    assert found["asked_before"]["valuePattern"] == found["counted"]["valuePattern"] == "TRUE|FALSE"
    assert "apostrophe" in found["value"]["description"]
    assert set(found["late"]) == {"@type", "name", "description"}  # true or false, and a count
    readme = (bench.out / "README.md").read_text(encoding="utf-8")
    assert not [name for name in found if f"| `{name}` |" not in readme]


def test_tables_have_all_their_columns_and_one_without_rows_is_left_out(bench: Bench, tmp_path: Path) -> None:
    (bench.sessions / "P01.yaml").unlink()
    run(loaded(tmp_path, small(after_round=None, at_end=None, bonus=None)), bench.sessions, "P02")
    sitting = open_sitting(loaded(tmp_path, small()), bench.sessions, "P03")
    sitting.withdraw(delete=True)
    sitting.close()
    assert bench.export() == 0
    check_psych_ds(bench.out)
    assert not list((bench.out / "data").glob("*responses*"))
    states = [(row["participant"], row["state"], row["bonus"]) for row in records(bench.out, "participants")]
    assert states == [("P02", "finished", ""), ("P03", "deleted", "")]
    (row,) = records(bench.out, "deleted")
    assert (row["participant"], row["deleted_by"], row["answers"]) == ("P03", "participant", "0")


def test_an_excluded_participant_stays_and_is_marked_with_the_reason(tmp_path: Path) -> None:
    lab = make(tmp_path / "lab", "P01", "P02").path
    assert main(["exclude", "P01", "--reason", "=fell asleep", "--in", str(lab)]) == 0
    assert main(["export", str(lab), "--out", str(tmp_path / "out")]) == 0
    decided = ("participant", "excluded", "exclusion_reason", "excluded_after_unblinding")
    rows = records(tmp_path / "out", "participants")
    assert [[row[name] for name in decided] for row in rows] == [
        ["P01", "TRUE", "'=fell asleep", "FALSE"],
        ["P02", "FALSE", "", ""],
    ]
    assert {row["participant"] for row in records(tmp_path / "out", "rounds")} == {"P01", "P02"}


def test_sessions_of_several_folders_and_studies_become_one_dataset(bench: Bench) -> None:
    started = open_session(bench.sessions / "P01.yaml").session.started
    other = bench.sessions.with_name("other")
    other.mkdir()
    bench.add("P02", study=started.study | {"title": "=Another | study"}).rename(other / "P02.yaml")
    assert bench.export(str(other)) == 0
    check_psych_ds(bench.out)
    assert table(bench.out, "answers").name == "study-several_description-answers_data.csv"
    titles = [(row["participant"], row["title"]) for row in records(bench.out, "participants")]
    assert titles == [("P01", "A small study"), ("P02", "'=Another | study")]


def test_a_title_becomes_part_of_a_file_name() -> None:
    for title, slug in (
        ("Finding a word together", "FindingAWordTogether"),
        ("Étude n° 2: mots", "EtudeN2Mots"),
        ("言葉", "untitled"),
        ("a" * 100, "A" + "a" * 39),
    ):
        name = psych_ds.data_name([title], TABLES[0])
        assert name == f"study-{slug}_description-answers_data.csv"
        assert psych_ds.FILES.fullmatch(f"data/{name}")


# Which sessions


def test_only_exports_the_given_kinds(bench: Bench, capsys: Capture) -> None:
    bench.add("P02", simulated=False, teacher=None)
    bench.add("P03", simulated=False, teacher=None, pilot=True)
    assert bench.export("--only", "person", "pilot") == 0
    message = "2 sessions exported (1 person, 1 pilot) with 24 answers; left out by --only: 1 simulated; the"
    assert message in capsys.readouterr().out
    assert [row["kind"] for row in records(bench.out, "participants")] == ["person", "pilot"]


def test_broken_logs_are_reported_with_their_lines_and_the_rest_is_exported(
    bench: Bench, capsys: Capture
) -> None:
    changed = bench.add("P02")
    changed.write_bytes(changed.read_bytes().replace(b'"answer": "n"', b'"answer": "y"', 1))
    foreign = bench.sessions / "notes.yaml"
    foreign.write_text("title: mine\n...\n")
    bench.add("P03")
    assert bench.export() == 1
    error = capsys.readouterr().err.splitlines()
    assert re.match(rf"studyapp: {re.escape(str(changed))}, line \d+: this event, or something", error[0])
    assert error[1].startswith(f"studyapp: {foreign}: this is not a studyapp session log")
    assert error[2:] == ["studyapp: 2 of 4 logs could not be read"]
    check_psych_ds(bench.out)
    assert [row["participant"] for row in records(bench.out, "participants")] == ["P01", "P03"]
    assert "2 of 4 logs could not be read" in (bench.out / "README.md").read_text()
    for path in (bench.sessions / "P01.yaml", bench.sessions / "P03.yaml"):
        path.unlink()
    shutil.rmtree(bench.out)
    assert bench.export() == 2
    assert "nothing was exported: none of the 2 logs could be read" in capsys.readouterr().err
    assert not bench.out.exists()


def test_different_sessions_under_one_id_are_reported_and_left_out(
    bench: Bench, tmp_path: Path, capsys: Capture
) -> None:
    bench.add("P02")
    run(loaded(tmp_path, small()), tmp_path / "machine", "P01")
    first, second = bench.sessions / "P01.yaml", tmp_path / "machine" / "P01.yaml"
    assert bench.export(str(second.parent)) == 1
    error = capsys.readouterr().err.splitlines()
    cure = "none of them counts until you name the log that counts instead of its folder, or move the others"
    assert error[0].startswith(f"studyapp: {first}: another session has the same ID, P01: {second}; {cure}")
    assert error[1].startswith(f"studyapp: {second}: another session has the same ID, P01: {first}; {cure}")
    assert error[2:] == ["studyapp: left out 2 of 3 logs: they are different sessions under the same ID"]
    assert [row["participant"] for row in records(bench.out, "participants")] == ["P02"]
    assert "2 of 3 logs share an ID with another session" in (bench.out / "README.md").read_text()
    # The cure works.
    assert main(["export", str(second), str(bench.sessions / "P02.yaml"), "--out", str(tmp_path / "o")]) == 0


# Where it is written


def test_an_earlier_export_is_replaced_only_with_force(bench: Bench, capsys: Capture) -> None:
    bench.out = bench.out.parent / "a" / "b"
    bench.out.mkdir(parents=True)
    assert bench.export() == 0
    bench.add("P02")
    capsys.readouterr()
    assert bench.export() == 2
    message = "this folder is not empty; choose another --out, or replace an old export with --force"
    assert capsys.readouterr().err == f"studyapp: {bench.out}: {message}\n"
    assert len(records(bench.out, "participants")) == 1
    (bench.out / "curves.png").write_text("a figure")  # what the scripts draw is replaced
    assert bench.export("--force") == 0
    assert len(records(bench.out, "participants")) == 2
    check_psych_ds(bench.out)


def test_nothing_that_is_not_from_an_export_is_ever_removed(
    bench: Bench, log_bytes: bytes, capsys: Capture
) -> None:
    bench.export()
    for name in ("analysis.R", "data/notes.txt", "figures", "starter.R", "starter.py"):
        foreign = bench.out / name
        before = foreign.read_bytes() if foreign.exists() else None
        foreign.mkdir() if name == "figures" else foreign.write_text("mine")
        assert bench.export("--force") == 2
        problem = "this is not from an export" if before is None else "you have changed this script"
        assert f"studyapp: {foreign}: {problem}" in capsys.readouterr().err
        assert foreign.is_dir() or foreign.read_text() == "mine"
        if before is not None:
            foreign.write_bytes(before)
        elif foreign.is_dir():
            foreign.rmdir()
        else:
            foreign.unlink()
    for place in (bench.sessions, bench.sessions.parent):
        bench.out = place
        assert bench.export("--force") == 2
    assert (bench.sessions / "P01.yaml").read_bytes() == log_bytes


def test_an_interrupted_export_leaves_everything_as_it_was(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.export()
    before = {path: path.read_bytes() for path in bench.out.rglob("*") if path.is_file()}
    for error, code in ((KeyboardInterrupt(), 130), (OSError(28, "No space left on device"), 2)):

        def fail(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(export, "write_documents", fail)
        assert bench.export("--force") == code
        assert {path: path.read_bytes() for path in bench.out.rglob("*") if path.is_file()} == before


# Import and export


_words = st.sampled_from(WORDS)


@st.composite
def tables(draw: st.DrawFn) -> list[list[str]]:
    """Any table that may be imported, participants in the order of their logs."""
    questions = draw(st.integers(1, 3))
    names = draw(st.lists(st.from_regex(r"[A-Za-z0-9]{1,4}", fullmatch=True), min_size=1, max_size=3))
    rows = []
    for name in sorted({name.lower() for name in names}):
        rounds = draw(st.integers(1, 3))
        for number in range(1, rounds + 1):
            practice, target = draw(st.sampled_from(["TRUE", "FALSE"])), draw(_words)
            model = draw(st.sampled_from(["plain", "both"]))
            count = questions if number < rounds else draw(st.integers(1, questions))
            for question in range(1, count + 1):
                reward = draw(st.integers(0, 10**6).map(lambda n: f"{n / 1e6:.6f}"))
                answer = draw(st.sampled_from("yn"))
                rows.append(
                    [name, str(number), practice, model, target, str(question), draw(_words), answer, reward]
                )
    return [list(PUBLISHED), *rows]


@holds_for(2, 40, rows=tables())
def test_exporting_an_import_gives_the_same_table(rows: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        folder = Path(name)
        study = write(folder, small())
        with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        given, out, sessions = str(folder / "table.csv"), folder / "out", str(folder / "sessions")
        assert main(["import", given, "--study", str(study), "--sessions", sessions]) == 0
        assert main(["export", sessions, "--out", str(out)]) == 0
        assert [row[: len(PUBLISHED)] for row in cells(table(out, "answers"))] == rows
        check_psych_ds(out)
        # and the exported table can be imported again
        again = str(folder / "again")
        assert main(["import", str(table(out, "answers")), "--study", str(study), "--sessions", again]) == 0


@needs_sessions
def test_exporting_the_published_data_gives_the_published_columns(tmp_path: Path) -> None:
    assert main(["import", str(SESSIONS), "--sessions", str(tmp_path / "sessions")]) == 0
    assert main(["export", str(tmp_path / "sessions"), "--out", str(tmp_path / "out")]) == 0
    exported = [row[: len(PUBLISHED)] for row in cells(table(tmp_path / "out", "answers"))]
    truth = {"true": "TRUE", "false": "FALSE"}  # which the published file has in small letters
    assert exported == [[truth.get(cell, cell) for cell in row] for row in cells(SESSIONS)]
    placeholder = records(tmp_path / "out", "rounds")[1]
    assert [placeholder[name] for name in ("participant", "round", "took_place")] == ["P103", "2", "FALSE"]
