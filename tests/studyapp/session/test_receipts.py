"""Receipts: what can be written on paper about a log, and how a list of them is compared with the logs."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_files import recorded

from core.errors import FileError
from studyapp.session.receipts import Noted, compared, matches, read, receipt_of, without_log
from studyapp.session.saved import open_session
from studyapp.session.verdict import Result
from studyapp.session.verification import verify

LINK = "3a022c84635bc427ebf5ed681e98cfd0"
RECEIPT = "3a02-2c84-635b-c427"
OTHER = receipt_of("f" * 32)
NOBODYS = receipt_of("0" * 32)


def test_a_receipt_is_the_first_16_digits_of_the_last_link_and_only_a_finished_session_has_one(
    tmp_path: Path,
) -> None:
    assert receipt_of(LINK) == RECEIPT
    finished = recorded()
    path = finished.put(tmp_path)
    chain = open_session(path).saved.chain
    assert chain in finished.raw.splitlines()[-2].decode()  # the line of 'finished'
    assert verify(path).receipt == receipt_of(chain)
    assert verify(finished.put(tmp_path, finished.events[:-1])).receipt is None


def listed(folder: Path, text: str) -> dict[str, Noted]:
    path = folder / "receipts.txt"
    path.write_text(text, encoding="utf-8")
    return read(path)


@pytest.mark.parametrize("separator", ["\n", "\r\n"])
def test_lists_are_read_as_people_and_spreadsheets_write_them(tmp_path: Path, separator: str) -> None:
    for text in (
        f"P07 {RECEIPT}\n",
        f"P07,{RECEIPT}",
        f"\ufeffparticipant;receipt\nP07;{RECEIPT}\n",
        f"participant_id,Receipt\nP07,{RECEIPT}\n",
        f'"P07","{RECEIPT}",,\n',
        f"# Monday\n\n  P07:\t{RECEIPT.upper().replace('-', ' ').replace('0', 'O')}  \n",
        f"P07 {RECEIPT.replace('-', '')}\nP07 {RECEIPT.replace('-', ' – ')}\n",  # noqa: RUF001 (twice the same)
    ):
        (only,) = listed(tmp_path, text.replace("\n", separator)).values()
        assert (only.participant, only.receipt) == ("P07", RECEIPT), text
    (only,) = listed(tmp_path, f"ID {RECEIPT}\n").values()  # a participant called like a header
    assert (only.participant, only.receipt) == ("ID", RECEIPT)


def test_a_list_that_cannot_be_read_is_refused_with_its_line(tmp_path: Path) -> None:
    for text, problem in (
        ("P07\n", "line 1: P07 has no receipt on this line"),
        (f"../P07 {RECEIPT}\n", "line 1: the participant ID is '../P07'"),
        (f"P07 {RECEIPT}\n\np07 {OTHER}\n", "line 3: p07 has another receipt on line 1"),
        (f"P07 {RECEIPT}\n{OTHER},P08\n", "line 2: this line begins with the receipt; write the participant"),
        ("", "this list has no receipts"),
        ("participant,receipt\n", "this list has no receipts"),
        (",\n;P07\n", "line 2: P07 has no receipt"),
        (": x\n", "line 1: this line has no participant"),
        ("#" * 1_000_001, "a list of receipts never is"),
    ):
        with pytest.raises(FileError) as caught:
            listed(tmp_path, text)
        assert problem in str(caught.value), text[:40]


def test_each_receipt_is_compared_with_the_log_of_its_participant(tmp_path: Path) -> None:
    logs = {
        "P07": Result(Path("P07.yaml"), "verified", "", receipt=RECEIPT),
        "P09": Result(Path("P09.yaml"), "verified", ""),
        "P11": Result(Path("P11.yaml"), "unreadable", "unreadable: line 3"),
    }
    cure = "mistyped, or the log has changed; read the note again"
    for text, participant, code, said in (
        (f"p07 {RECEIPT.upper()}", "P07", 0, "the receipt of line 1 matches"),
        (f"P08 {OTHER}", "P07", 0, "its receipt is not on the list"),
        (f"P07 {RECEIPT[:-1]}0", "P07", 1, f"but the log has {RECEIPT}: {cure}"),
        (f"P07 {RECEIPT[:-1]}", "P07", 1, cure),
        ("P07 7K3M-Q9TX", "P07", 1, "7K3M-Q9TX was noted on line 1, but the log has"),
        (f"P07 {OTHER}\nP08 {RECEIPT}", "P07", 1, f"({RECEIPT} was noted for P08: were two notes swapped?)"),
        (f"P09 {NOBODYS}", "P09", 1, "the log has no receipt: it is not finished, or not intact"),
        (f"P11 {NOBODYS}", "P11", 2, "the log has no receipt"),
    ):
        noted = listed(tmp_path, text)
        result = compared(logs[participant], noted)
        assert result.code == code, text
        assert said in "; ".join([result.message, *result.notes]), text
        assert matches(logs[participant], noted) == ("matches" in said)
    assert compared(logs["P09"], listed(tmp_path, f"P07 {RECEIPT}")) == logs["P09"]  # it can have none


def test_a_receipt_without_a_log_is_a_missing_log(tmp_path: Path) -> None:
    noted = listed(tmp_path, f"p07 {RECEIPT}\nP10 {NOBODYS}")
    (missing,) = without_log(noted, [Result(Path("P07.yaml"), "verified", "", receipt=RECEIPT)])
    assert (missing.path, missing.verdict, missing.code) == (Path("P10.yaml"), "missing", 1)
    assert missing.message == "missing: there is a receipt on line 2 of the list, but no log"
