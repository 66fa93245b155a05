"""``studyapp import`` turns a table into logs, whole or not at all, and reports faults with their line."""

from __future__ import annotations

import contextlib
import io
import stat
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import strategies as st
from proofs import holds_for
from study_files import WORDS, open_sitting, small, write

from studyapp.cli import main
from studyapp.session.events import Imported
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

    def read(self, content: bytes) -> list[object]:
        """The contents of a table, without line numbers."""
        self.table.write_bytes(content)
        return [
            (person.participant, round_.practice, round_.model, round_.target, *round_.answers)
            for person in read(self.table, load(self.study)).people
            for round_ in person.rounds
        ]


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
    assert "study: A small study" in printed
    assert "has no round with" not in printed
    assert printed.endswith("incomplete, because the last round has too few questions: P02\n")
    assert error == ""
    assert list(bench.files()) == ["P01.yaml", "P02.yaml"]
    opened = [open_session(bench.sessions / name) for name in bench.files()]
    assert [(session.participant, session.kind, session.state) for session in opened] == [
        ("P01", "imported", "finished"),
        ("P02", "imported", "incomplete"),
    ]
    sha256 = read(bench.table, load(bench.study)).sha256
    assert [session.session.started.imported for session in opened] == [
        Imported("table.csv", sha256, line, "study.yaml")  # without its folder, which is nobody's business
        for line in (2, 6)
    ]
    if sys.platform != "win32":
        modes = [stat.S_IMODE((bench.sessions / name).stat().st_mode) for name in bench.files()]
        assert modes == [0o600, 0o600]


def test_what_is_missing_is_pointed_out(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run(text([row.replace(",both,", ",plain,") for row in TABLE])) == 0
    assert "the table has no round with both; studyapp analyse compares all models" in capsys.readouterr().out
    bench.table.write_text(text(["P03,1,false,naive,tea,1,dog,n,0.1"]), encoding="utf-8")
    assert main(["import", str(bench.table), "--sessions", str(bench.sessions)]) == 0
    assert "no study was named, so studyapp verify can't replay the rounds" in capsys.readouterr().out
    imported = open_session(bench.sessions / "P03.yaml").session.started.imported
    assert imported is not None
    assert imported.study is None


def test_a_log_holds_what_the_table_contains_and_no_more(bench: Bench) -> None:
    bench.run(text([*TABLE, "P03,1,true,plain,tea,1,no,n,0.25"]))
    opened = open_session(bench.sessions / "P01.yaml")
    study = opened.session.study
    assert (study.targets, study.practice, study.questions, study.order) == (["n"], ["tea"], 2, "fixed")
    assert (study.consent, study.breaks, study.bonus) == (None, None, None)
    assert (study.instructions, study.questionnaires) == ([], {})
    assert (study.after_round, study.at_end) == ([], [])
    plan = [(one.round, one.practice, one.model, one.target, one.first) for one in opened.session.plan]
    assert plan == [(1, True, "plain", "tea", "no"), (2, False, "both", "n", "café")]
    kinds = ["session", "round", "answer", "answer", "round", "answer", "answer", "finished"]
    assert [event.event for event in opened.saved.events] == kinds
    answers = opened.session.answers
    assert [answer.reward for answer in answers] == [0.25, 0.9999, 0.0, 1.0]
    known = {"round", "question", "word", "answer", "reward", "event"}
    unknown = {value for answer in answers for name, value in vars(answer).items() if name not in known}
    assert unknown == {None}
    only_practice = open_session(bench.sessions / "P03.yaml")  # has the targets of the study
    assert (only_practice.session.study.targets, only_practice.state) == (["tea", "no"], "incomplete")
    assert only_practice.session.study.questions == 2  # as the rest of the table has it


def test_tables_are_read_as_common_programs_write_them(bench: Bench) -> None:
    expected, own = bench.read(text(TABLE).encode()), text(TABLE)
    turned = "".join(",".join(line.split(",")[::-1]) + "\n" for line in [HEADER, *TABLE])
    for content in (
        own.encode("utf-8-sig"),
        own.replace("\n", "\r\n").encode(),
        own.replace("\n", "\r").encode(),
        own.rstrip("\n").encode(),
        own.replace("P0", "\n\nP0").encode(),
        own.replace("ice cream", '"ice cream"').encode(),
        turned.encode(),  # the columns in another order
    ):
        assert bench.read(content) == expected, content
    assert bench.read(
        text(["P01,1,false,plain,tea,1,no,n,0", "P01,2,true,plain,tea,1,no,n,0"]).encode()
    )  # practice may follow other rounds


# Existing logs


def test_a_second_import_keeps_existing_logs(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.run(text(TABLE))
    before = bench.files()
    (bench.sessions / "P01.yaml").unlink()
    bench.table = bench.table.rename(bench.table.with_name("renamed.csv"))
    capsys.readouterr()
    assert bench.run() == 0
    assert "1 participant imported, 1 imported before; " in capsys.readouterr().out
    assert list(bench.files()) == list(before)
    assert bench.files()["P02.yaml"] == before["P02.yaml"]


@pytest.mark.parametrize("kind", ["another table", "another study", "session", "case", "a file", "folder"])
def test_a_different_log_with_the_same_name_is_refused_and_nothing_is_written(
    bench: Bench, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.sessions.mkdir(parents=True)
    name = "p02.yaml" if kind == "case" else "P02.yaml"
    if kind in ("another table", "another study"):
        bench.run(text(TABLE[:6] if kind == "another table" else TABLE))
        (bench.sessions / "P01.yaml").unlink()
        write(bench.study.parent, small(seed=7 if kind == "another table" else 8))
    elif kind in ("session", "case"):
        open_sitting(load(bench.study), bench.sessions, name.removesuffix(".yaml")).close()
    elif kind == "a file":
        (bench.sessions / name).write_text("mine")
    else:
        (bench.sessions / name).mkdir()
    capsys.readouterr()
    assert bench.run(text(TABLE)) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"studyapp: {bench.sessions / name}: ")
    assert ("p02 and P02 differ only in upper and lower case" in error) == (kind == "case")
    assert error.count("\n") == 1
    assert [path.name for path in bench.sessions.iterdir()] == [name]


# Faults


def changed(line: int, **cells: str) -> str:
    """The table with other cells in a line, counted from 1 with the header."""
    rows = [dict(zip(PUBLISHED, row.split(","), strict=True)) for row in TABLE]
    rows[line - 2] |= cells
    return text([",".join(row.values()) for row in rows])


def without(line: int) -> str:
    return text([row for number, row in enumerate(TABLE, start=2) if number != line])


OWN = text(TABLE)
FAULTS: list[tuple[str | bytes, int | None, str]] = [
    (OWN.encode("latin-1"), 4, "this is not UTF-8 text; save"),
    (OWN.encode("utf-16"), 1, "this is not UTF-8 text; save"),
    (OWN.replace("no,n", "no,\0n"), 2, "this line has a NUL byte"),
    (b"PK\x03\x04....", None, "this is a spreadsheet or an archive"),
    ("", None, "the file is empty"),
    ("\ufeff \n\n", None, "the file is empty"),
    (HEADER + "\n", None, "the table has a header but no rows"),
    ("\n".join(TABLE), 1, "the header is missing; the columns must be participant,"),
    (OWN.replace(",", ";"), 1, "the cells are separated by ';'"),
    (OWN.replace(",", "\t"), 1, r"the cells are separated by '\t'"),
    (text(TABLE, HEADER.replace("word", "wrod")), 1, "'wrod' (did you mean 'word'?)"),
    (text(TABLE, HEADER + ",mood"), 1, "unknown column 'mood'"),
    (text(TABLE, HEADER + ",rt_ms"), 2, "this row has 9 cells, but the table has 10 columns"),
    (text(TABLE, HEADER.replace(",word", "")), 1, "the column 'word' is missing"),
    (text(TABLE, HEADER.replace("word", "target")), 1, "the column 'target' appears twice"),
    (text([*TABLE[:2], "P01,2,false,both,n,1,tea,y"]), 4, "this row has 8 cells, but"),
    (text([TABLE[0] + ","]), 2, "this row has 10 cells, but the table has 9"),
    (OWN.replace("ice cream", '"ice cream'), 5, "this is not valid CSV"),
    (OWN.replace("ice cream", '"ice" cream'), 5, "this is not valid CSV"),
    (changed(3, word="a" * 5000), 3, "this line has more than 4,000 bytes"),
    (changed(3, participant=""), 3, "the participant ID is ''"),
    (changed(3, participant="../P"), 3, "the participant ID is '../P'; use 1 to 64"),
    (changed(6, participant="p01"), 6, "'p01' and 'P01' (line 2) differ only in capital"),
    (text([*TABLE, "P01,3,false,both,n,1,tea,y,0"]), 9, "the rows of 'P01' begin on line 2"),
    (changed(4, round="two"), 4, "round is 'two'; it must be a whole number"),
    (changed(4, round="2.0"), 4, "round is '2.0'; it must be a whole number"),
    (changed(4, round="02"), 4, "round is '02'; it must be a whole number"),
    (changed(4, round="²"), 4, "round is '²'; it must be a whole number"),
    (changed(4, round="9" * 8), 4, "round is 99999999; expected 1 or 2"),
    (changed(4, round="3"), 4, "round is 3; expected 1 or 2 (each participant"),
    (changed(2, round="0"), 2, "round is '0'; it must be a whole number from 1"),
    (without(6).replace("P02,1", "P02,2"), 6, "round is 2; expected 1 ("),
    (changed(5, round="1"), 5, "round is 1; expected 2 or 3"),
    (changed(3, question="3"), 3, "question is 3; expected 2"),
    (changed(3, question="1"), 3, "question is 1; expected 2"),
    (without(2), 2, "question is 2; expected 1"),
    (changed(3, question=""), 3, "question is ''; it must be a whole number"),
    (changed(3, practice="yes"), 3, "practice is 'yes'; it must be TRUE or FALSE"),
    (changed(3, model="plane"), 3, "model is 'plane' (did you mean 'plain'?); the models of"),
    (changed(3, word="cafe"), 3, "word is 'cafe', which is not in the study's word set"),
    (changed(5, word="ice creme"), 5, "(did you mean 'ice cream'?)"),
    (changed(3, target="teas"), 3, "target is 'teas', which is not in the study's word set"),
    (changed(3, answer="yes"), 3, "answer is 'yes'; it must be y or n"),
    (changed(3, answer="Y"), 3, "answer is 'Y'; it must be y or n"),
    (changed(3, reward="high"), 3, "reward is 'high'; it must be a number"),
    (changed(3, reward=""), 3, "reward is ''; it must be a number"),
    (changed(3, reward='"0,5"'), 3, "reward is '0,5'; it must be a number"),
    (changed(3, reward="0.1_0"), 3, "reward is '0.1_0'; it must be a number"),
    (changed(3, reward="NaN"), 3, "reward is 'NaN'; it must be a finite number"),
    (changed(3, reward="-inf"), 3, "reward is '-inf'; it must be a finite number"),
    (changed(3, reward="-0.1"), 3, "reward is '-0.1'; it must be from 0 to 1"),
    (changed(3, reward="1e999"), 3, "reward is '1e999'; it must be from 0 to 1"),
    (changed(3, model="both"), 3, "model is 'both', but it is 'plain' on line 2, where"),
    (changed(3, target="no"), 3, "target is 'no', but it is 'tea' on line 2"),
    (changed(3, practice="false"), 3, "practice is FALSE, but it is TRUE on line 2"),
    (without(3), 2, "round 1 of P01 has 1 question, but the longest round has 2"),
]


def test_a_fault_is_reported_with_its_line_and_nothing_is_written(
    bench: Bench, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(place: str) -> str:
        """The one line about it."""
        printed, error = capsys.readouterr()
        assert (printed, error.count("\n"), bench.sessions.exists()) == ("", 1, False), error
        assert error.startswith(f"studyapp: {place}: "), error
        return error

    for content, line, message in FAULTS:
        assert bench.run(content) == 2, message
        assert message in refused(f"{bench.table}, line {line}" if line else f"{bench.table}")
    with monkeypatch.context() as patch:
        patch.setattr(answer_table, "MOST_LINES", 5)
        assert bench.run(text(TABLE)) == 2
        assert "the file has more than 5 lines; keep only some of them" in refused(f"{bench.table}")
    for table in (bench.table.with_name("missing.csv"), bench.table.parent):
        bench.table = table
        assert bench.run() == 2
        refused(f"{table}")


# Any file

CELLS = st.sampled_from(
    ["P01", "P02", "1", "2", "3", "true", "false", "plain", "both", *WORDS, "y", "n", "0.5", "nan", "", '"']
)
LINES = st.sampled_from([HEADER, *TABLE]) | st.lists(CELLS | st.text(max_size=5), max_size=10).map(",".join)
BYTES = st.tuples(st.integers(0, len(OWN.encode()) - 1), st.binary(min_size=1, max_size=1)).map(
    lambda changed: OWN.encode()[: changed[0]] + changed[1] + OWN.encode()[changed[0] + 1 :]
)
CONTENTS = (
    st.binary(max_size=200)
    | st.text(max_size=200).map(lambda given: given.encode("utf-8", "replace"))
    | st.lists(LINES, max_size=12).map(lambda lines: "\n".join([HEADER, *lines]).encode())
    | BYTES
)


@holds_for(40, 300, content=CONTENTS)
def test_any_file_is_imported_or_refused_with_one_line(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench, message = Bench(Path(folder)), io.StringIO()
        with contextlib.redirect_stderr(message), contextlib.redirect_stdout(io.StringIO()):
            code = bench.run(content)
        assert code in (0, 2)
        assert message.getvalue().count("\n") == (code == 2)
        assert bench.sessions.exists() == (code == 0)
