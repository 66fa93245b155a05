"""``studyapp import`` turns a table into logs, whole or not at all, and reports faults with their line."""

from __future__ import annotations

import contextlib
import csv
import io
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import strategies as st
from proofs import holds_for
from published import SESSIONS, needs_sessions
from study_files import WORDS, open_sitting, small, write

from core.errors import FileError
from studyapp.cli import main
from studyapp.session.events import Answered, Imported, RoundBegan, Started
from studyapp.session.saved import open_session
from studyapp.study.loading import load
from studyapp.tables import answer_table
from studyapp.tables.answer_table import read
from studyapp.tables.tables import PUBLISHED

HEADER = ",".join(PUBLISHED)

# Two rounds of two questions.  The second participant stopped early.
TABLE = [
    "P01,1,true,plain,tea,1,no,n,0.25",
    "P01,1,true,plain,tea,2,tea,y,0.999900",
    "P01,2,false,both,n,1,café,y,0",
    "P01,2,false,both,n,2,ice cream,n,1",
    "P02,1,false,both,no,1,tea,n,0.1",
    "P02,1,false,both,no,2,no,y,0.9999",
    "P02,2,false,plain,no,1,tea,n,0.1",
]


def text(rows: list[str], header: str = HEADER) -> str:
    return "".join(f"{line}\n" for line in [header, *rows])


class Bench:
    """A small study, a table, and the command run on them."""

    def __init__(self, folder: Path) -> None:
        self.study = write(folder, small())
        self.table = folder / "table.csv"
        self.sessions = folder / "logs" / "imported"

    def run(self, content: str | bytes | None = None) -> int:
        if content is not None:
            self.table.write_bytes(content if isinstance(content, bytes) else content.encode())
        return main(["import", str(self.table), "--study", str(self.study), "--sessions", str(self.sessions)])

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.sessions.glob("*"))}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


# Logs from a table


def test_each_participant_gets_a_log_marked_as_imported(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.run(text(TABLE)) == 0
    printed, error = capsys.readouterr()
    assert printed.startswith(f"2 participants imported; the logs are in {bench.sessions}\n")
    assert printed.endswith("incomplete, because the last round has too few questions: P02\n")
    assert error == ""
    assert list(bench.files()) == ["P01.yaml", "P02.yaml"]
    opened = [open_session(bench.sessions / name) for name in bench.files()]
    assert [(session.participant, session.kind, session.state) for session in opened] == [
        ("P01", "imported", "finished"),
        ("P02", "imported", "incomplete"),
    ]
    first, second = (session.session.started.imported for session in opened)
    assert isinstance(first, Imported)
    assert isinstance(second, Imported)
    assert (first.file, first.line, second.line) == ("table.csv", 2, 6)
    assert first.sha256 == second.sha256 == read(bench.table, load(bench.study)).sha256


def test_a_log_has_the_name_of_its_study_only_if_one_was_named(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.run(text(TABLE))
    assert "study: A small study" in capsys.readouterr().out
    imported = open_session(bench.sessions / "P01.yaml").session.started.imported
    assert imported is not None
    assert imported.study == "study.yaml"  # without its folder, which is nobody's business
    row = "P03,1,false,naive,tea,1,dog,n,0.1"
    bench.table.write_text(text([row]), encoding="utf-8")
    assert main(["import", str(bench.table), "--sessions", str(bench.sessions)]) == 0
    printed = capsys.readouterr().out
    assert "no study was named, so studyapp verify can't replay the rounds" in printed
    imported = open_session(bench.sessions / "P03.yaml").session.started.imported
    assert imported is not None
    assert imported.study is None


def test_a_study_with_models_that_nobody_had_is_pointed_out(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.run(text(TABLE)) == 0
    assert "has no round with" not in capsys.readouterr().out
    assert bench.run(text([row.replace(",both,", ",plain,").replace("P0", "Q0") for row in TABLE])) == 0
    assert "the table has no round with both; studyapp analyse compares all models" in capsys.readouterr().out


def test_a_log_holds_what_the_table_contains_and_no_more(bench: Bench) -> None:
    bench.run(text(TABLE))
    opened = open_session(bench.sessions / "P01.yaml")
    study = opened.session.study
    assert (study.targets, study.practice, study.questions, study.order) == (["n"], ["tea"], 2, "fixed")
    assert (study.consent, study.breaks, study.bonus) == (None, None, None)
    assert (study.instructions, study.questionnaires) == ([], {})
    assert (study.after_round, study.at_end) == ([], [])
    plan = [
        (round_.round, round_.practice, round_.model, round_.target, round_.first)
        for round_ in opened.session.plan
    ]
    assert plan == [(1, True, "plain", "tea", "no"), (2, False, "both", "n", "café")]
    kinds = ["session", "round", "answer", "answer", "round", "answer", "answer", "finished"]
    assert [event.event for event in opened.saved.events] == kinds
    answers = opened.session.answers
    assert [answer.reward for answer in answers] == [0.25, 0.9999, 0.0, 1.0]
    known = {"round", "question", "word", "answer", "reward", "event"}
    assert {value for answer in answers for name, value in vars(answer).items() if name not in known} == {
        None
    }


def test_a_participant_with_practice_only_has_the_targets_of_the_study(bench: Bench) -> None:
    bench.run(text([*TABLE[:4], "P02,1,true,plain,tea,1,no,n,0.25"]))
    opened = open_session(bench.sessions / "P02.yaml")
    assert (opened.session.study.targets, opened.state) == (["tea", "no"], "incomplete")
    assert opened.session.study.questions == 2  # as the rest of the table has it


def test_practice_may_follow_other_rounds(bench: Bench) -> None:
    rows = ["P01,1,false,plain,tea,1,no,n,0", "P01,2,true,plain,tea,1,no,n,0"]
    assert bench.run(text(rows)) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_only_the_owner_may_read_imported_logs(bench: Bench) -> None:
    bench.run(text(TABLE))
    for name in bench.files():
        assert stat.S_IMODE((bench.sessions / name).stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "content",
    [
        text(TABLE).encode("utf-8-sig"),
        text(TABLE).replace("\n", "\r\n").encode(),
        text(TABLE).replace("\n", "\r").encode(),
        text(TABLE).rstrip("\n").encode(),
        text(TABLE).replace("P0", "\n\nP0").encode(),
        text(TABLE).replace("ice cream", '"ice cream"').encode(),
    ],
    ids=["mark", "CRLF", "CR", "no last line end", "blank lines", "quotes"],
)
def test_tables_are_read_as_common_programs_write_them(bench: Bench, content: bytes) -> None:
    expected = read_text(bench, text(TABLE).encode())
    assert read_text(bench, content) == expected


def test_columns_may_come_in_any_order(bench: Bench) -> None:
    turned = [line.split(",")[::-1] for line in [HEADER, *TABLE]]
    content = "".join(",".join(line) + "\n" for line in turned)
    assert read_text(bench, content.encode()) == read_text(bench, text(TABLE).encode())


def read_text(bench: Bench, content: bytes) -> list[list[tuple[object, ...]]]:
    """The contents of a table, without line numbers."""
    bench.table.write_bytes(content)
    people = read(bench.table, load(bench.study)).people
    return [
        [
            (person.participant, round_.practice, round_.model, round_.target, *round_.answers)
            for round_ in person.rounds
        ]
        for person in people
    ]


# Existing logs


def test_a_second_import_keeps_existing_logs(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.run(text(TABLE))
    before = bench.files()
    (bench.sessions / "P01.yaml").unlink()
    bench.table.rename(bench.table.with_name("renamed.csv"))
    bench.table = bench.table.with_name("renamed.csv")
    capsys.readouterr()
    assert bench.run() == 0
    assert "1 participant imported, 1 imported before; " in capsys.readouterr().out
    assert list(bench.files()) == list(before)
    assert bench.files()["P02.yaml"] == before["P02.yaml"]


@pytest.mark.parametrize("kind", ["another table", "another study", "session", "something else", "folder"])
def test_a_different_log_with_the_same_name_is_refused_and_nothing_is_written(
    bench: Bench, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.sessions.mkdir(parents=True)
    if kind == "another table":
        bench.run(text([*TABLE[:4], *TABLE[4:6]]))
        (bench.sessions / "P01.yaml").unlink()
    elif kind == "another study":
        bench.run(text(TABLE))
        (bench.sessions / "P01.yaml").unlink()
        write(bench.study.parent, small(seed=8))
    elif kind == "session":
        open_sitting(load(bench.study), bench.sessions, "P02").close()
    elif kind == "something else":
        (bench.sessions / "P02.yaml").write_text("mine")
    else:
        (bench.sessions / "P02.yaml").mkdir()
    capsys.readouterr()
    assert bench.run(text(TABLE)) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"studyapp: {bench.sessions / 'P02.yaml'}: ")
    assert error.count("\n") == 1
    assert not (bench.sessions / "P01.yaml").exists()


def test_a_participant_whose_id_differs_from_a_log_only_in_case_is_refused_and_nothing_is_written(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    open_sitting(load(bench.study), bench.sessions, "p02").close()
    assert bench.run(text(TABLE)) == 2
    problem = "p02 and P02 differ only in upper and lower case"
    assert capsys.readouterr().err.startswith(f"studyapp: {bench.sessions / 'p02.yaml'}: {problem}")
    assert [path.name for path in bench.sessions.iterdir()] == ["p02.yaml"]


def test_a_sessions_folder_that_is_a_file_is_refused(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.sessions.parent.mkdir()
    bench.sessions.write_text("a file")
    assert bench.run(text(TABLE)) == 2
    assert "this is a file, or inside one, but a folder is needed" in capsys.readouterr().err


# Faults


def changed(line: int, **cells: str) -> str:
    """The table with other cells in a line, counted from 1 with the header."""
    rows = [dict(zip(PUBLISHED, row.split(","), strict=True)) for row in TABLE]
    rows[line - 2] |= cells
    return text([",".join(row.values()) for row in rows])


def without(line: int) -> str:
    return text([row for number, row in enumerate(TABLE, start=2) if number != line])


FAULTS = {
    "not UTF-8": (text(TABLE).encode("latin-1"), 4, "this is not UTF-8 text; save"),
    "UTF-16": (text(TABLE).encode("utf-16"), 1, "this is not UTF-8 text; save"),
    "NUL": (text(TABLE).replace("no,n", "no,\0n"), 2, "this line has a NUL byte"),
    "workbook": (b"PK\x03\x04....", None, "this is a spreadsheet or an archive"),
    "binary": (bytes(range(128, 256)), 1, "this is not UTF-8 text"),
    "empty": ("", None, "the file is empty"),
    "blank": ("\ufeff \n\n", None, "the file is empty"),
    "no rows": (HEADER + "\n", None, "the table has a header but no rows"),
    "no header": ("\n".join(TABLE), 1, "the header is missing; the columns must be participant,"),
    "semicolons": (text(TABLE).replace(",", ";"), 1, "the cells are separated by ';'"),
    "tabs": (text(TABLE).replace(",", "\t"), 1, r"the cells are separated by '\t'"),
    "unknown column": (text(TABLE, HEADER.replace("word", "wrod")), 1, "'wrod' (did you mean 'word'?)"),
    "one more column": (text(TABLE, HEADER + ",mood"), 1, "unknown column 'mood'"),
    "known column, no cells": (
        text(TABLE, HEADER + ",rt_ms"),
        2,
        "this row has 9 cells, but the table has 10 columns",
    ),
    "missing column": (text(TABLE, HEADER.replace(",word", "")), 1, "the column 'word' is missing"),
    "column twice": (text(TABLE, HEADER.replace("word", "target")), 1, "the column 'target' appears twice"),
    "a cell too few": (text([*TABLE[:2], "P01,2,false,both,n,1,tea,y"]), 4, "this row has 8 cells, but"),
    "a cell too count": (text([TABLE[0] + ","]), 2, "this row has 10 cells, but the table has 9"),
    "open quote": (text(TABLE).replace("ice cream", '"ice cream'), 5, "this is not valid CSV"),
    "quote in the middle": (text(TABLE).replace("ice cream", '"ice" cream'), 5, "this is not valid CSV"),
    "long line": (changed(3, word="a" * 5000), 3, "this line has more than 4,000 bytes"),
    "no ID": (changed(3, participant=""), 3, "the participant ID is ''"),
    "bad ID": (changed(3, participant="../P"), 3, "the participant ID is '../P'; use 1 to 64"),
    "long ID": (changed(3, participant="P" * 65), 3, "the participant ID is 'PPP"),
    "ID in capitals": (changed(6, participant="p01"), 6, "'p01' and 'P01' (line 2) differ only in capital"),
    "two places": (text([*TABLE, "P01,3,false,both,n,1,tea,y,0"]), 9, "the rows of 'P01' begin on line 2"),
    "round no number": (changed(4, round="two"), 4, "round is 'two'; it must be a whole number"),
    "round 2.0": (changed(4, round="2.0"), 4, "round is '2.0'; it must be a whole number"),
    "round 02": (changed(4, round="02"), 4, "round is '02'; it must be a whole number"),
    "round of other digits": (changed(4, round="²"), 4, "round is '²'; it must be a whole number"),
    "round far too large": (changed(4, round="9" * 8), 4, "round is 99999999; expected 1 or 2"),
    "round left out": (changed(4, round="3"), 4, "round is 3; expected 1 or 2 (each participant"),
    "round 0": (changed(2, round="0"), 2, "round is '0'; it must be a whole number from 1"),
    "first round not 1": (without(6).replace("P02,1", "P02,2"), 6, "round is 2; expected 1 ("),
    "round before": (changed(5, round="1"), 5, "round is 1; expected 2 or 3"),
    "question skipped": (changed(3, question="3"), 3, "question is 3; expected 2"),
    "question twice": (changed(3, question="1"), 3, "question is 1; expected 2"),
    "first question gone": (without(2), 2, "question is 2; expected 1"),
    "question no number": (changed(3, question=""), 3, "question is ''; it must be a whole number"),
    "question too large": (changed(3, question="1001"), 3, "question is 1001; expected 2"),
    "practice": (changed(3, practice="yes"), 3, "practice is 'yes'; it must be TRUE or FALSE"),
    "model": (changed(3, model="plane"), 3, "model is 'plane' (did you mean 'plain'?); the models of"),
    "word": (changed(3, word="cafe"), 3, "word is 'cafe', which is not in the study's word set"),
    "near word": (changed(5, word="ice creme"), 5, "(did you mean 'ice cream'?)"),
    "target": (changed(3, target="teas"), 3, "target is 'teas', which is not in the study's word set"),
    "answer": (changed(3, answer="yes"), 3, "answer is 'yes'; it must be y or n"),
    "answer in capitals": (changed(3, answer="Y"), 3, "answer is 'Y'; it must be y or n"),
    "reward no number": (changed(3, reward="high"), 3, "reward is 'high'; it must be a number"),
    "no reward": (changed(3, reward=""), 3, "reward is ''; it must be a number"),
    "reward with a comma": (changed(3, reward='"0,5"'), 3, "reward is '0,5'; it must be a number"),
    "reward with an underscore": (changed(3, reward="0.1_0"), 3, "reward is '0.1_0'; it must be a number"),
    "reward NaN": (changed(3, reward="NaN"), 3, "reward is 'NaN'; it must be a finite number"),
    "reward infinite": (changed(3, reward="-inf"), 3, "reward is '-inf'; it must be a finite number"),
    "reward below 0": (changed(3, reward="-0.1"), 3, "reward is '-0.1'; it must be from 0 to 1"),
    "reward above 1": (changed(3, reward="1e999"), 3, "reward is '1e999'; it must be from 0 to 1"),
    "model changes": (
        changed(3, model="both"),
        3,
        "model is 'both', but it is 'plain' on line 2, where",
    ),
    "target changes": (changed(3, target="no"), 3, "target is 'no', but it is 'tea' on line 2"),
    "practice changes": (changed(3, practice="false"), 3, "practice is FALSE, but it is TRUE on line 2"),
    "short round": (without(3), 2, "round 1 of P01 has 1 question, but the longest round has 2"),
}


@pytest.mark.parametrize(("content", "line", "message"), FAULTS.values(), ids=FAULTS)
def test_a_fault_is_reported_with_its_line_and_nothing_is_written(
    bench: Bench, content: str | bytes, line: int | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.run(content) == 2
    printed, error = capsys.readouterr()
    place = f"{bench.table}, line {line}" if line else f"{bench.table}"
    assert error.startswith(f"studyapp: {place}: ")
    assert message in error
    assert error.count("\n") == 1
    assert printed == ""
    assert not bench.sessions.exists()


def test_a_table_with_too_many_lines_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(answer_table, "MOST_LINES", 5)
    assert bench.run(text(TABLE)) == 2
    assert "the file has more than 5 lines; keep only some of them" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["missing.csv", "."])
def test_a_missing_table_is_reported(bench: Bench, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    bench.table = bench.table.with_name(name) if name != "." else bench.table.parent
    assert bench.run() == 2
    assert capsys.readouterr().err.startswith(f"studyapp: {bench.table}: th")


# Any file

CELLS = st.sampled_from(
    ["P01", "P02", "1", "2", "3", "true", "false", "plain", "both", *WORDS, "y", "n", "0.5", "nan", "", '"']
)
LINES = st.sampled_from([HEADER, *TABLE]) | st.lists(CELLS | st.text(max_size=5), max_size=10).map(",".join)
CONTENTS = (
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda given: given.encode("utf-8", "replace"))
    | st.lists(LINES, max_size=12).map(lambda lines: "\n".join([HEADER, *lines]).encode())
)


@holds_for(30, 500, content=CONTENTS)
def test_any_file_is_imported_or_refused_with_one_line(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        message = io.StringIO()
        with contextlib.redirect_stderr(message), contextlib.redirect_stdout(io.StringIO()):
            code = bench.run(content)
        assert code in (0, 2)
        assert message.getvalue().count("\n") == (code == 2)
        assert bench.sessions.exists() == (code == 0)


@holds_for(30, 500, data=st.data())
def test_any_changed_byte_is_read_or_refused(data: st.DataObject) -> None:
    raw = bytearray(text(TABLE).encode())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        bench.table.write_bytes(bytes(raw))
        with contextlib.suppress(FileError):
            read(bench.table, load(bench.study))


# The published data


@needs_sessions
def test_the_published_data_are_imported(tmp_path: Path) -> None:
    for message in ("5 participants imported; ", "0 participants imported, 5 imported before; "):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            assert main(["import", str(SESSIONS), "--sessions", str(tmp_path)]) == 0
        assert printed.getvalue().startswith(message)
    with SESSIONS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for path in sorted(tmp_path.iterdir()):
        opened = open_session(path)
        head, *events = opened.saved.events
        assert isinstance(head, Started)
        own = [row for row in rows if row["participant"] == opened.participant]
        answers = [event for event in events if isinstance(event, Answered)]
        assert [(answer.word, answer.answer) for answer in answers] == [
            (row["word"], row["answer"]) for row in own
        ]
        assert sum(isinstance(event, RoundBegan) for event in events) == 40
        assert (opened.kind, opened.state) == ("imported", "finished")
        assert head.study["practice"] == ["cat"]
        assert len(head.study["targets"]) == 19
