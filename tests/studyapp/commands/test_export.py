"""``studyapp export`` writes a Psych-DS dataset, whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st
from proofs import holds_for
from published import SESSIONS, needs_sessions
from study_files import VECTORS, WORDS, loaded, open_sitting, run, small, write

from studyapp.cli import main
from studyapp.commands import export
from studyapp.session.events import Started
from studyapp.session.log_format import encode
from studyapp.session.saved import open_session
from studyapp.tables import psych_ds
from studyapp.tables.tables import PUBLISHED, TABLES

# The rules

NAMED = re.compile(r"([a-z]+-[a-zA-Z0-9]+)(_[a-z]+-[a-zA-Z0-9]+)*_data\.csv")
KEYWORDS = {"study", "site", "subject", "session", "task", "condition", "trial", "stimulus", "description"}
PROPERTIES = {"@type", "name", "description", "unitText", "minValue", "maxValue", "valuePattern"}


def check_psych_ds(folder: Path) -> None:
    """Check every rule, and every recommendation that does not depend on the study."""
    described = json.loads((folder / "dataset_description.json").read_text(encoding="utf-8"))
    assert described["@context"] == "https://schema.org/"
    assert described["@type"] == "Dataset"
    assert described["name"]
    assert described["description"]
    measured = [variable["name"] for variable in described["variableMeasured"]]
    assert len(set(measured)) == len(measured)
    for variable in described["variableMeasured"]:
        assert variable["@type"] == "PropertyValue"
        assert variable["description"]
        assert set(variable) <= PROPERTIES
    columns: set[str] = set()
    files = sorted((folder / "data").rglob("*"))
    assert files
    for path in files:
        assert NAMED.fullmatch(path.name)
        assert {pair.split("-")[0] for pair in path.name.split("_")[:-1]} <= KEYWORDS
        header, *rows = cells(path)
        assert len(set(header)) == len(header)
        assert {len(row) for row in rows} == {len(header)}
        columns |= set(header)
    assert columns == set(measured)
    assert (folder / "README.md").stat().st_size
    assert (folder / "CHANGES.md").stat().st_size
    files = {"dataset_description.json", "README.md", "CHANGES.md", ".psychdsignore", "data"}
    scripts = {"starter.R", "starter.py"} if list((folder / "data").glob("*-rounds_data.csv")) else set()
    assert {path.name for path in folder.iterdir()} == files | scripts


def cells(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


def table(folder: Path, name: str) -> Path:
    (path,) = (folder / "data").glob(f"*_description-{name}_data.csv")
    return path


def records(folder: Path, name: str) -> list[dict[str, str]]:
    header, *rows = cells(table(folder, name))
    return [dict(zip(header, row, strict=True)) for row in rows]


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

    def add(self, participant: str, name: str | None = None, **changes: Any) -> Path:
        """The log of another participant, who did the same."""
        started, *events = open_session(self.sessions / "P01.yaml").saved.events
        assert isinstance(started, Started)
        path = self.sessions / (name or f"{participant}.yaml")
        path.write_bytes(encode([replace(started, participant=participant, **changes), *events]))
        return path

    def export(self, *options: str) -> int:
        return main(["export", str(self.sessions), *options, "--out", str(self.out)])

    def clean(self) -> bool:
        """Whether no temporary file is left."""
        return not any(path.name.startswith(".") for path in self.out.parent.iterdir())


@pytest.fixture
def bench(tmp_path: Path, log_bytes: bytes) -> Bench:
    return Bench(tmp_path, log_bytes)


# What is written


def test_sessions_become_a_dataset(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.add("P02")
    assert bench.export() == 0
    printed, error = capsys.readouterr()
    assert printed == f"2 sessions exported (2 simulated) with 24 answers; the tables are in {bench.out}\n"
    assert error == ""
    check_psych_ds(bench.out)
    assert bench.clean()
    for kind in TABLES:
        assert cells(table(bench.out, kind.name))[0] == kind.header
    answers = records(bench.out, "answers")
    assert [row["participant"] for row in answers] == ["P01"] * 12 + ["P02"] * 12
    places = [(int(row["round"]), int(row["question"])) for row in answers]
    assert places == 2 * sorted(places[:12])
    assert len(records(bench.out, "rounds")) == 12
    assert len(records(bench.out, "participants")) == 2
    assert len(records(bench.out, "responses")) == 14


def test_the_exported_tables_match_the_sessions(bench: Bench) -> None:
    bench.export()
    opened = open_session(bench.sessions / "P01.yaml")
    for kind in TABLES:
        assert cells(table(bench.out, kind.name)) == [kind.header, *kind.rows(opened)]


def test_the_data_dictionary_describes_every_column(bench: Bench) -> None:
    bench.export()
    found = variables(bench.out)
    assert found["rt_ms"]["unitText"] == "ms"
    assert found["rt_ms"]["minValue"] == 0
    assert found["rt_ms"]["description"].startswith("in answers: from the appearance of the question to")
    assert "; in responses: from the appearance of the item to" in found["rt_ms"]["description"]
    assert (found["reward"]["minValue"], found["reward"]["maxValue"]) == (0, 1)
    assert found["answer"]["valuePattern"] == "y|n"
    assert found["kind"]["valuePattern"] == "person|pilot|imported|simulated"
    assert found["asked_before"]["valuePattern"] == found["counted"]["valuePattern"] == "TRUE|FALSE"
    assert found["time_to_find"]["unitText"] == "questions"
    assert "apostrophe" in found["value"]["description"]
    assert set(found["late"]) == {"@type", "name", "description"}  # true or false, and a count
    readme = (bench.out / "README.md").read_text(encoding="utf-8")
    for name in found:
        assert f"| `{name}` |" in readme


def test_tables_have_all_their_columns_and_one_without_rows_is_left_out(bench: Bench, tmp_path: Path) -> None:
    run(loaded(tmp_path, small(after_round=None, at_end=None, bonus=None)), bench.sessions, "P02")
    (bench.sessions / "P01.yaml").unlink()
    assert bench.export() == 0
    check_psych_ds(bench.out)
    assert not list((bench.out / "data").glob("*responses*"))
    assert [row["bonus"] for row in records(bench.out, "participants")] == [""]
    assert "bonus" in variables(bench.out)


def test_a_participant_with_deleted_answers_is_still_listed(bench: Bench, tmp_path: Path) -> None:
    sitting = open_sitting(loaded(tmp_path, small()), bench.sessions, "P02")
    sitting.withdraw(delete=True)
    sitting.close()
    (bench.sessions / "P01.yaml").unlink()
    assert bench.export() == 0
    check_psych_ds(bench.out)
    (row,) = records(bench.out, "participants")
    assert (row["participant"], row["state"], row["answers"]) == ("P02", "deleted", "0")
    (row,) = records(bench.out, "deleted")
    assert (row["participant"], row["deleted_by"], row["answers"]) == ("P02", "participant", "0")
    assert len(list((bench.out / "data").iterdir())) == 4  # and one row per participant, and likenesses


def test_several_logs_are_exported_in_order_without_the_broken_one(bench: Bench) -> None:
    names = ["P02", "P03", "P04"]
    for name in names:
        bench.add(name)
    broken = bench.sessions / "P03.yaml"
    broken.write_bytes(broken.read_bytes().replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert bench.export() == 1
    check_psych_ds(bench.out)
    expected = [name for name in ["P01", *names] if name != "P03"]
    assert [row["participant"] for row in records(bench.out, "participants")] == expected


def test_sessions_of_several_folders_become_one_dataset(bench: Bench) -> None:
    other = bench.sessions.with_name("other")
    other.mkdir()
    bench.add("P02").rename(other / "P02.yaml")
    assert main(["export", str(other), str(bench.sessions), "--out", str(bench.out)]) == 0
    check_psych_ds(bench.out)
    assert [row["participant"] for row in records(bench.out, "participants")] == ["P02", "P01"]


def test_sessions_of_several_studies_are_distinguished_by_title(bench: Bench) -> None:
    started = open_session(bench.sessions / "P01.yaml").session.started
    bench.add("P02", study=started.study | {"title": "=Another | study"})
    assert bench.export() == 0
    check_psych_ds(bench.out)
    assert table(bench.out, "answers").name == "study-several_description-answers_data.csv"
    titles = [row["title"] for row in records(bench.out, "participants")]
    assert titles == ["A small study", "'=Another | study"]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Finding a word together", "FindingAWordTogether"),
        ("Étude n° 2: mots", "EtudeN2Mots"),
        ("言葉", "untitled"),
        ("a" * 100, "A" + "a" * 39),
    ],
)
def test_a_title_becomes_part_of_a_file_name(title: str, slug: str) -> None:
    name = psych_ds.data_name([title], TABLES[0])
    assert name == f"study-{slug}_description-answers_data.csv"
    assert NAMED.fullmatch(name)
    assert psych_ds.FILES.fullmatch(f"data/{name}")


# Which sessions


def test_only_exports_the_given_kinds(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.add("P02", simulated=False, teacher=None)
    bench.add("P03", simulated=False, teacher=None, pilot=True)
    assert bench.export("--only", "person", "pilot") == 0
    message = (
        "2 sessions exported (1 person, 1 pilot) with 24 answers; left out by --only: 1 simulated; the tables"
    )
    assert message in capsys.readouterr().out
    assert [row["kind"] for row in records(bench.out, "participants")] == ["person", "pilot"]


def test_nothing_is_exported_if_no_session_has_the_given_kinds(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.export("--only", "person") == 2
    message = "studyapp: nothing was exported: all sessions are of other kinds (1 simulated)\n"
    assert capsys.readouterr() == ("", message)
    assert not bench.out.exists()
    assert bench.clean()


def test_broken_logs_are_reported_with_their_lines_and_the_rest_is_exported(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = bench.add("P02")
    changed.write_bytes(changed.read_bytes().replace(b'"answer": "n"', b'"answer": "y"', 1))
    foreign = bench.sessions / "notes.yaml"
    foreign.write_text("title: mine\n...\n")
    assert bench.export() == 1
    error = capsys.readouterr().err.splitlines()
    assert re.match(
        rf"studyapp: {re.escape(str(changed))}, line \d+: this event, or something before it,", error[0]
    )
    assert error[1].startswith(f"studyapp: {foreign}: this is not a studyapp session log")
    assert error[2:] == ["studyapp: 2 of 3 logs could not be read"]
    check_psych_ds(bench.out)
    assert [row["participant"] for row in records(bench.out, "participants")] == ["P01"]
    assert "2 of 3 logs could not be read" in (bench.out / "README.md").read_text()


def test_nothing_is_written_if_no_log_can_be_read(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    (bench.sessions / "P01.yaml").write_text("nothing")
    assert bench.export() == 2
    error = capsys.readouterr().err.splitlines()
    assert len(error) == 2
    assert error[1] == "studyapp: nothing was exported: the log could not be read"
    assert not bench.out.exists()
    assert bench.clean()


def test_a_copied_log_is_exported_once_and_said(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    first = bench.sessions / "P01.yaml"
    copy = bench.sessions.parent / "copy" / "P01.yaml"
    copy.parent.mkdir()
    copy.write_bytes(first.read_bytes())
    assert bench.export(str(copy)) == 0
    printed, error = capsys.readouterr()
    assert printed.splitlines()[0] == f"not exported: {copy}: the same session as {first}, which counts"
    assert error == ""
    assert len(records(bench.out, "answers")) == 12


def test_different_sessions_under_one_id_are_reported_and_left_out(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
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


def test_a_folder_without_logs_is_reported(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    (bench.sessions / "P01.yaml").unlink()
    assert bench.export() == 2
    assert "this folder has no session logs" in capsys.readouterr().err


# Where it is written


def test_an_export_may_go_to_an_empty_or_new_folder(bench: Bench) -> None:
    bench.out.mkdir()
    assert bench.export() == 0
    bench.out = bench.out.parent / "a" / "b"
    assert bench.export() == 0
    check_psych_ds(bench.out)


def test_an_earlier_export_is_replaced_only_with_force(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.export()
    bench.add("P02")
    capsys.readouterr()
    assert bench.export() == 2
    message = "this folder is not empty; choose another --out, or replace an old export with --force"
    assert capsys.readouterr().err == f"studyapp: {bench.out}: {message}\n"
    assert len(records(bench.out, "participants")) == 1
    assert bench.export("--force") == 0
    assert len(records(bench.out, "participants")) == 2
    check_psych_ds(bench.out)
    assert bench.clean()


@pytest.mark.parametrize("name", ["starter.R", "starter.py"])
def test_a_script_that_was_changed_is_never_replaced(
    bench: Bench, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.export()
    for figure in ("curves.pdf", "curves.png"):  # what the scripts draw is replaced
        (bench.out / figure).write_text("a figure")
    assert bench.export("--force") == 0
    with (bench.out / name).open("a") as file:
        file.write("# mine\n")
    assert bench.export("--force") == 2
    assert f"{bench.out / name}: you have changed this script" in capsys.readouterr().err
    assert (bench.out / name).read_text().endswith("# mine\n")


@pytest.mark.parametrize("name", ["analysis.R", "data/notes.txt", "figures"])
def test_files_that_are_not_from_an_export_are_never_removed(
    bench: Bench, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.export()
    foreign = bench.out / name
    foreign.mkdir() if name == "figures" else foreign.write_text("mine")
    assert bench.export("--force") == 2
    assert f"studyapp: {foreign}: this is not from an export" in capsys.readouterr().err
    assert foreign.exists()


def test_logs_are_never_overwritten(bench: Bench, log_bytes: bytes) -> None:
    bench.out = bench.sessions
    assert bench.export("--force") == 2
    bench.out = bench.sessions.parent
    assert bench.export("--force") == 2
    assert (bench.sessions / "P01.yaml").read_bytes() == log_bytes


def test_an_export_cannot_replace_a_file(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.out.write_text("mine")
    assert bench.export("--force") == 2
    assert "this is a file, but a folder is needed" in capsys.readouterr().err
    bench.out = bench.out / "below"
    assert bench.export() == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_an_interrupted_export_leaves_everything_as_it_was(
    bench: Bench, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise error

    bench.export()
    before = {path: path.read_bytes() for path in bench.out.rglob("*") if path.is_file()}
    monkeypatch.setattr(export, "write_documents", fail)
    assert bench.export("--force") == (2 if isinstance(error, OSError) else 130)
    assert {path: path.read_bytes() for path in bench.out.rglob("*") if path.is_file()} == before
    assert bench.clean()


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


@holds_for(10, 200, rows=tables())
def test_exporting_an_import_gives_the_same_table(rows: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
        folder = Path(name)
        study = write(folder, small())
        with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        given_, out = str(folder / "table.csv"), folder / "out"
        sessions = str(folder / "sessions")
        assert main(["import", given_, "--study", str(study), "--sessions", sessions]) == 0
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
    check_psych_ds(tmp_path / "out")
    placeholder = records(tmp_path / "out", "rounds")[1]
    assert (placeholder["participant"], placeholder["round"]) == ("P103", "2")
    assert placeholder["took_place"] == "FALSE"
    assert {placeholder[name] for name in ("cumulative_reward", "found_at", "time_to_find", "found")} == {""}


def test_an_export_cannot_go_where_a_link_leads_in_a_circle(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.out.symlink_to(bench.out)
    assert bench.export() == 2
    assert "a folder is needed" in capsys.readouterr().err
