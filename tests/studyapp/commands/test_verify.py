"""``studyapp verify``: what it prints, exit codes, several logs, the source of an import, and receipts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from study_files import Recording, recorded, small, write

from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Answered, Withdrawn
from studyapp.session.log_format import encode
from studyapp.session.receipts import receipt_of
from studyapp.session.verification import verify

QUESTIONS = 4


@pytest.fixture
def whole() -> Recording:
    return recorded(questions=QUESTIONS)


@pytest.fixture
def path(whole: Recording, tmp_path: Path) -> Path:
    """The log of a finished session, its words beside it."""
    return whole.put(tmp_path / "logs")


class Verify:
    """The command, with what it printed last."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> int:
        self._capsys.readouterr()
        code = main(["verify", *map(str, arguments)])
        self.out, self.err = self._capsys.readouterr()
        return code

    def results(self, *arguments: str | Path) -> tuple[int, list[dict[str, Any]]]:
        """The exit code and the results as JSON."""
        code = self("--json", *arguments)
        assert self.err == ""
        return code, json.loads(self.out)


@pytest.fixture
def run_verify(capsys: pytest.CaptureFixture[str]) -> Verify:
    return Verify(capsys)


def turned(event: Any) -> Any:
    return replace(event, answer="n" if event.answer == "y" else "y")


def test_a_finished_session_is_verified_in_one_line(path: Path, run_verify: Verify) -> None:
    chain = log.read(path).chain
    message = f"verified: 24 questions re-derived; chain {chain}; receipt {receipt_of(chain)}"
    assert run_verify(path) == 0
    assert (run_verify.out, run_verify.err) == (f"{path}: {message}\n", "")


def test_terminal_codes_in_a_log_are_not_printed(whole: Recording, path: Path, run_verify: Verify) -> None:
    whole.put(path.parent, whole.changed(whole.nth(Answered, 1), digest="\x1b[31mred\x1b]0;title\x07"))
    run_verify(path)
    assert "red" in run_verify.out
    assert "\x1b" not in run_verify.out


def test_one_bad_log_does_not_hide_the_others(
    whole: Recording, path: Path, run_verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    from studyapp.base import parallel

    monkeypatch.setattr(parallel, "cores", lambda: 1)
    folder = path.parent
    other = recorded("P02", questions=QUESTIONS)
    other.put(folder, name="P02.yaml")
    (folder / "A.yaml").write_bytes(b"nothing\n...\n")
    (folder / "B.yaml").write_bytes(whole.raw.replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert run_verify(folder) == 1
    lines = run_verify.out.splitlines()
    assert [line.split(": ")[1] for line in lines[:-1]] == ["unreadable", "changed", "verified", "verified"]
    assert lines[-1] == "2 of 4 logs passed"
    (folder / "B.yaml").unlink()
    assert run_verify(folder) == 2


def test_what_is_missing_is_named_before_the_replay(path: Path, tmp_path: Path, run_verify: Verify) -> None:
    none = tmp_path / "none.csv"
    for arguments, problem in (
        ([tmp_path / "P01.yaml"], "there is no such file"),
        ([tmp_path], "this folder has no session logs"),
        ([path, "--source", none], f"studyapp: {none}: there is no such file"),
        ([path, "--receipts", none], f"studyapp: {none}: there is no such file"),
        ([path, "--words", none], f"studyapp: {none}: there is no such file"),
    ):
        assert run_verify(*arguments) == 2
        assert run_verify.out == ""
        assert problem in run_verify.err


def test_the_word_file_can_be_given(path: Path, tmp_path: Path, run_verify: Verify) -> None:
    alone = tmp_path / "P01.yaml"
    alone.write_bytes(path.read_bytes())
    assert run_verify(alone) == 2
    assert "--words FILE" in run_verify.out
    assert run_verify(alone, "--words", path.parent / "words.txt") == 0


# The results as JSON


def test_json_has_the_verdict_and_how_much_was_rederived(
    whole: Recording, path: Path, run_verify: Verify
) -> None:
    chain = log.read(path).chain
    code, (result,) = run_verify.results(path)
    assert (code, result["log"], result["verdict"], result["path"]) == (0, "P01.yaml", "verified", str(path))
    assert (result["questions"], result["rederived"], result["not_rederived"]) == (24, 24, None)
    assert (result["chain"], result["receipt"]) == (chain, receipt_of(chain))
    changed = whole.changed(whole.nth(Answered, 5), reward=0.5)
    code, (result,) = run_verify.results(whole.put(path.parent, changed))
    assert (code, result["verdict"]) == (1, "different")
    assert (result["questions"], result["rederived"]) == (24, 5)
    assert "the reward of question 2 of round 2 is 0.5" in result["not_rederived"]
    deleted = Withdrawn("deleted", 0, "2026-11-16T09:30:00.123Z", clock_ms=9.0)
    for verdict, code, content in (
        ("deleted", 0, encode([whole.events[0], deleted])),
        ("changed", 1, whole.raw.replace(b'"answer": "y"', b'"answer": "n"', 1)),
        ("unreadable", 2, b"nothing\n...\n"),
    ):
        path.write_bytes(content)
        ended, (result,) = run_verify.results(path)
        assert (ended, result["verdict"]) == (code, verdict)
        assert result["not_rederived"]


# The table that an import comes from


@pytest.fixture
def imported(path: Path, tmp_path: Path) -> tuple[Path, Path]:
    """The log of an imported session, and its table."""
    folder = tmp_path / "imported"
    assert main(["export", str(path.parent), "--out", str(tmp_path / "data")]) == 0
    table = next((tmp_path / "data").rglob("*answers*.csv"))
    study = write(tmp_path, small(questions=QUESTIONS))
    assert main(["import", str(table), "--study", str(study), "--sessions", str(folder)]) == 0
    (folder / "words.txt").write_bytes((path.parent / "words.txt").read_bytes())
    return folder / "P01.yaml", table


def test_answers_are_called_as_imported_only_when_they_were_compared(
    path: Path, imported: tuple[Path, Path], run_verify: Verify
) -> None:
    log_, table = imported
    assert run_verify(log_) == 0
    assert "as they were imported" not in run_verify.out
    assert run_verify(log_, "--source", table) == 0
    said = f"the answers are as they were imported: they were compared with {table.name}"
    assert said in run_verify.out
    assert run_verify(path, "--source", table) == 0
    assert "not imported, so it was not compared with the table" in run_verify.out
    text = table.read_text(encoding="utf-8")
    table.write_text(f"{text}\n", encoding="utf-8")
    assert run_verify(log_, "--source", table) == 0
    assert f"{table.name} has changed since the import, but not in this participant's rows" in run_verify.out
    table.write_text(text.replace(",plain,", ",third,"), encoding="utf-8")
    assert run_verify(log_, path, "--source", table) == 1
    assert f"different: {table.name} is not the table of this log: on line " in run_verify.out
    assert "it has a model or a word that the study of the log does not have\n" in run_verify.out
    assert "1 of 2 logs passed" in run_verify.out
    assert run_verify.err == ""


def test_a_log_that_was_changed_differs_from_the_table_even_where_no_question_follows(
    imported: tuple[Path, Path], run_verify: Verify
) -> None:
    path, table = imported
    read = log.read(path)
    places = [place for place, event in enumerate(read.events) if isinstance(event, Answered)]
    for question in (2, QUESTIONS):
        at = places[question - 1]
        path.write_bytes(encode([*read.events[:at], turned(read.events[at]), *read.events[at + 1 :]]))
        code, (result,) = run_verify.results(path, "--source", table)
        assert (code, result["verdict"]) == (1, "different")
        assert f"line {read.lines[at]}: question {question} of round 1 is" in result["not_rederived"]
        assert result["not_rederived"].endswith(f"in {table.name}")
        assert "as they were imported" not in str(result)
    path.write_bytes(encode(read.events[: 2 + QUESTIONS]))
    assert run_verify(path, "--source", table) == 1
    assert "the log ends too early: 'round' is next in" in run_verify.out
    path.write_bytes(encode([replace(read.events[0], participant="P02"), *read.events[1:]]))
    assert run_verify(path.rename(path.with_name("P02.yaml")), "--source", table) == 1
    assert f"P02 is not in {table.name}" in run_verify.out


# Receipts


def test_receipts_are_compared_with_the_logs(
    whole: Recording, path: Path, tmp_path: Path, run_verify: Verify
) -> None:
    receipt, other, noted = verify(path).receipt, receipt_of("0" * 32), tmp_path / "receipts.csv"
    assert receipt is not None

    def listed(text: str) -> int:
        noted.write_text(text, encoding="utf-8")
        return run_verify(path, "--receipts", noted)

    assert listed(f"participant,receipt\np01,{receipt.upper().replace('-', ' ')}\n") == 0
    assert run_verify.out.endswith(f"  the receipt of line 2 matches\n{noted}: matching receipts: 1 of 1\n")
    assert listed(f"P01 {other}") == 1
    assert f"{path}: different: {other} was noted on line 1, but the log has {receipt}" in run_verify.out
    noted.write_text(f"P01 {receipt}\nP02 {receipt}\n", encoding="utf-8")
    code, (here, missing) = run_verify.results(path, "--receipts", noted)
    assert (code, here["verdict"], here["notes"]) == (1, "verified", ["the receipt of line 1 matches"])
    assert (missing["log"], missing["verdict"]) == ("P02.yaml", "missing")
    # The last answer of a round can be changed without a trace: no question follows from it.
    place = whole.nth(Answered, QUESTIONS - 1)
    forged = [*whole.events[:place], turned(whole.events[place]), *whole.events[place + 1 :]]
    whole.put(path.parent, forged)
    assert verify(path).verdict == "verified"
    assert listed(f"P01 {receipt}\n") == 1
    assert "matching receipts: 0 of 1" in run_verify.out
    whole.put(path.parent, forged[:-1])  # the same, without its end
    assert listed(f"P01 {receipt}\n") == 1
    assert "but the log has no receipt" in run_verify.out
