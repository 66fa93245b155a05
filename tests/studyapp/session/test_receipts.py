"""Receipts: what can be written on paper about a log, and what a misreading of it can't get past."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import strategies as st
from proofs import holds_for
from study_files import loaded, open_sitting, run, small

from core.errors import FileError, SettingError
from studyapp.base.chain import DIGITS
from studyapp.session import log
from studyapp.session.receipt_list import Noted, compared, read
from studyapp.session.receipts import ALPHABET, checked, receipt_of
from studyapp.session.verdict import Result
from studyapp.session.verification import verify

LINKS = st.text("0123456789abcdef", min_size=DIGITS, max_size=DIGITS)
LINK = "3a022c84635bc427ebf5ed681e98cfd0"
RECEIPT = receipt_of(LINK)
OTHER = receipt_of("f" * DIGITS)


def plain(receipt: str) -> str:
    return receipt.replace("-", "")


def some_links(count: int) -> list[str]:
    source = random.Random(0)
    return [f"{source.getrandbits(4 * DIGITS):0{DIGITS}x}" for _ in range(count)]


# The receipt of a log


@holds_for(50, 1000, link=LINKS)
def test_a_receipt_is_the_first_60_bits_of_the_last_link_in_groups_of_four(link: str) -> None:
    receipt = receipt_of(link)
    assert [len(group) for group in receipt.split("-")] == [4, 4, 4, 1]
    value = 0
    for character in plain(receipt)[:12]:
        value = 32 * value + ALPHABET.index(character)
    assert f"{value:015x}" == link[:15]


def test_the_characters_are_32_that_nobody_takes_for_each_other_in_print() -> None:
    assert sorted(ALPHABET) == sorted(set(string.digits + string.ascii_uppercase) - set("ILOU"))


def test_the_receipt_is_that_of_the_end_and_only_a_finished_session_has_one(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    sitting = open_sitting(study, tmp_path)
    assert sitting.receipt is None
    sitting.close()
    path = tmp_path / "P01.yaml"
    assert verify(path).receipt is None
    run(study, tmp_path)
    chain = log.read(path).chain
    assert chain in path.read_bytes().splitlines()[-2].decode()  # the line of 'finished'
    assert verify(path).receipt == receipt_of(chain)


# The check character


def is_caught(typed: str) -> bool:
    try:
        checked(typed)
    except SettingError as error:
        return "check character" in str(error)
    return False


def test_every_wrong_character_is_caught() -> None:
    for receipt in map(plain, map(receipt_of, some_links(20))):
        for place, right in enumerate(receipt):
            for wrong in ALPHABET.replace(right, ""):
                assert is_caught(receipt[:place] + wrong + receipt[place + 1 :])


def neighbours() -> Iterator[str]:
    """Receipts with every pair of characters at every two neighbouring places before the last."""
    for place in range(11):
        for one in range(32):
            for other in range(32):
                number = one << 5 * (11 - place) | other << 5 * (10 - place) | 7  # whatever else there is
                yield receipt_of(f"{number:015x}".ljust(DIGITS, "0"))


def test_every_swap_of_neighbours_is_caught() -> None:
    for receipt in map(plain, (*neighbours(), *map(receipt_of, some_links(500)))):
        for place in range(12):
            one, other = receipt[place : place + 2]
            swapped = receipt[:place] + other + one + receipt[place + 2 :]
            assert is_caught(swapped) == (one != other)


def test_every_swap_of_any_two_characters_is_caught() -> None:
    for receipt in map(plain, map(receipt_of, some_links(100))):
        for i in range(13):
            for j in range(i + 1, 13):
                swapped = list(receipt)
                swapped[i], swapped[j] = swapped[j], swapped[i]
                assert is_caught("".join(swapped)) == (receipt[i] != receipt[j])


# As people type it


@holds_for(30, 500, link=LINKS, data=st.data())
def test_capitals_spaces_dashes_and_lookalikes_do_not_matter(link: str, data: st.DataObject) -> None:
    receipt = receipt_of(link)
    looks = {"0": "0oO", "1": "1iIlL", "V": "vVuU"}
    typed = "".join(
        data.draw(st.sampled_from(looks.get(character, character + character.lower())))
        + data.draw(st.sampled_from(["", " ", "-", "\u2013", " - "]))
        for character in plain(receipt)
    )
    assert checked(typed) == receipt


@pytest.mark.parametrize(
    ("typed", "problem"),
    [
        (RECEIPT[:-2], "it has 12 characters, but a receipt has 13"),
        (RECEIPT + "7", "it has 14 characters, but a receipt has 13"),
        (RECEIPT.replace("-", "/", 1), "'/' is not a character of a receipt"),
        (RECEIPT[:-1] + "é", "'É' is not a character of a receipt"),
        ("", "it has 0 characters"),
    ],
)
def test_what_is_no_receipt_is_refused(typed: str, problem: str) -> None:
    with pytest.raises(SettingError, match=problem):
        checked(typed)


# Lists of receipts


def listed(folder: Path, text: str) -> list[Noted]:
    path = folder / "receipts.txt"
    path.write_text(text, encoding="utf-8")
    return read(path)


@pytest.mark.parametrize(
    "text",
    [
        f"P07 {RECEIPT}\n",
        f"P07,{RECEIPT}",
        f"\ufeffparticipant;receipt\r\nP07;{RECEIPT}\r\n",
        f"participant_id,Receipt\nP07,{RECEIPT}\n",
        f'"P07","{RECEIPT}",,\n',
        f"# Monday\n\n  P07:\t{RECEIPT.lower().replace('-', ' ')}  \n",
        f"P07 {plain(RECEIPT)}\nP07 {RECEIPT}\n",  # twice the same
    ],
)
def test_lists_are_read_as_people_and_spreadsheets_write_them(tmp_path: Path, text: str) -> None:
    ((_, participant, receipt, problem),) = [
        (one.line, one.participant, one.receipt, one.problem) for one in listed(tmp_path, text)
    ]
    assert (participant, receipt, problem) == ("P07", RECEIPT, "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("P07\n", "line 1: P07 has no receipt on this line"),
        (f"../P07 {RECEIPT}\n", "line 1: the participant ID is '../P07'"),
        (f"P07 {RECEIPT}\n\np07 {OTHER}\n", "line 3: p07 has another receipt on line 1"),
        (f"P07 {RECEIPT}\n{OTHER},P08\n", "line 2: this line begins with the receipt; write the participant"),
        ("", "this list has no receipts"),
        ("participant,receipt\n", "this list has no receipts"),
        (",\n;P07\n", "line 2: P07 has no receipt"),
        (": x\n", "line 1: this line has no participant"),
    ],
)
def test_a_list_that_cannot_be_read_is_refused_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(FileError, match=problem.replace(".", r"\.")):
        listed(tmp_path, text)


def test_a_participant_may_be_called_like_a_header(tmp_path: Path) -> None:
    (only,) = listed(tmp_path, f"ID {RECEIPT}\n")
    assert (only.participant, only.receipt) == ("ID", RECEIPT)


def test_a_list_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="a list of receipts never is"):
        listed(tmp_path, "#" * 1_000_001)


def result(participant: str, receipt: str | None) -> Result:
    return Result(Path(f"{participant}.yaml"), "verified", "", receipt=receipt)


@pytest.mark.parametrize(
    ("noted", "outcome", "code", "message"),
    [
        (f"p07 {RECEIPT.lower()}", "matches", 0, "line 1: matches"),
        (f"P07 {RECEIPT[:-1]}{'0' if RECEIPT[-1] != '0' else '1'}", "mistyped", 2, "its check character is"),
        ("P07 7K3M", "mistyped", 2, "it has 4 characters"),
        (f"P07 {receipt_of('0' * DIGITS)}", "differs", 1, f"but the log has {RECEIPT}"),
        (f"P07 {OTHER}", "differs", 1, f"{OTHER} is the receipt of P08; were two notes swapped?"),
        (f"P09 {RECEIPT}", "differs", 1, f"{RECEIPT} is the receipt of P07"),
        (f"P09 {receipt_of('0' * DIGITS)}", "differs", 1, "but this log has no receipt"),
        (f"P10 {receipt_of('0' * DIGITS)}", "no log", 1, "there is a receipt, but no log"),
        (f"P10 {RECEIPT}", "no log", 1, f"no log ({RECEIPT} is the receipt of P07)"),
    ],
)
def test_each_receipt_is_compared_with_the_log_of_its_participant(
    tmp_path: Path, noted: str, outcome: str, code: int, message: str
) -> None:
    logs = [result("P07", RECEIPT), result("P08", OTHER), result("P09", None)]
    first = compared(listed(tmp_path, noted), logs)[0]
    assert (first.outcome, first.code) == (outcome, code)
    assert message in first.message


def test_a_log_without_a_receipt_is_named_and_one_that_can_have_none_is_not(tmp_path: Path) -> None:
    logs = [result("P07", RECEIPT), result("P08", OTHER), result("P09", None)]
    found = compared(listed(tmp_path, f"P07 {RECEIPT}"), logs)
    assert [(one.participant, one.outcome, one.code) for one in found] == [
        ("P07", "matches", 0),
        ("P08", "not noted", 0),
    ]
