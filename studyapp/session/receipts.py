"""Receipts: the beginning of a finished session's last link, short enough to be written down on paper.

A chain holds no secret, so whoever can write a log can write another one with a chain of its own.  What they
can't change is what somebody else has on paper.  When a session finishes, its receipt is shown to participant
and experimenter; a log that still has this receipt is the log of that moment, to its last byte.

A list of receipts has a participant and a receipt on each line, as people type them or as a spreadsheet
saves two columns.  Capital letters, spaces and dashes don't matter.  Blank lines, a header that ends with
"receipt", and lines that begin with # are ignored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from core.errors import FileError, SettingError
from core.files import ordinary, text_lines
from core.wording import printable
from studyapp.session.ids import check_id
from studyapp.session.verdict import Result

LARGEST: Final = 1_000_000  # bytes
LONGEST_LINE: Final = 1_000
MOST_LINES: Final = 20_000
ENTRY: Final = re.compile(r"([^\s,;:]+)[\s,;:]*(.*)")
DIGITS: Final = re.compile(r"[0-9a-f]{16}")
IGNORED: Final = re.compile(r"[\s\-\u2010-\u2015\u2212_.]")

CURE = "read the note again; if it says the same, compare the log with its backups"


@dataclass(frozen=True)
class Noted:
    """A line of the list."""

    line: int
    participant: str
    receipt: str


def receipt_of(link: str) -> str:
    """The receipt of a log with this last link, such as ``3a02-2c84-635b-c427``."""
    return "-".join(link[i : i + 4] for i in range(0, 16, 4))


def read(path: Path) -> dict[str, Noted]:
    """The receipts in a file, by participant in small letters; raises a FileError with the faulty line."""
    noted: dict[str, Noted] = {}
    with ordinary(path) as file:
        if os.fstat(file.fileno()).st_size > LARGEST:
            raise FileError(path, f"the file is larger than {LARGEST:,} bytes; a list of receipts never is")
        for line, text in text_lines(path, file, longest=LONGEST_LINE, most=MOST_LINES):
            try:
                if entry := _entry(line, text, is_first=not noted):
                    before = noted.setdefault(entry.participant.lower(), entry)
                    if before.receipt != entry.receipt:
                        problem = f"{entry.participant} has another receipt on line {before.line}"
                        raise SettingError(f"{problem}; remove the wrong one")
            except SettingError as error:
                raise FileError(path, printable(str(error)), where=f"line {line}") from None
    if not noted:
        raise FileError(path, "this list has no receipts; write a participant and a receipt on each line")
    return noted


def _entry(line: int, text: str, *, is_first: bool) -> Noted | None:
    text = text.replace('"', "").strip().strip(",;")
    if not text or text.startswith("#"):
        return None
    found = ENTRY.fullmatch(text)
    if found is None:
        raise SettingError("this line has no participant; write a participant and a receipt")
    participant, typed = found.groups()
    if is_first and typed.lower() == "receipt":
        return None
    if DIGITS.fullmatch(_plain(participant)) and not DIGITS.fullmatch(_plain(typed)):
        raise SettingError("this line begins with the receipt; write the participant, then the receipt")
    check_id(participant)
    if not typed:
        raise SettingError(f"{participant} has no receipt on this line; write it after the participant")
    return Noted(line, participant, receipt_of(plain) if DIGITS.fullmatch(plain := _plain(typed)) else typed)


def _plain(typed: str) -> str:
    return IGNORED.sub("", typed).lower().translate(str.maketrans("oil", "011"))


def matches(result: Result, noted: Mapping[str, Noted]) -> bool:
    """Does the log have the receipt that was noted for its participant?"""
    entry = noted.get(result.participant.lower())
    return entry is not None and entry.receipt == result.receipt


def compared(result: Result, noted: Mapping[str, Noted]) -> Result:
    """The result, with what a list of receipts says about its log."""
    entry = noted.get(result.participant.lower())
    if entry is None:
        notes = ["its receipt is not on the list"] if result.receipt else []
        return replace(result, notes=[*result.notes, *notes])
    if matches(result, noted):
        return replace(result, notes=[*result.notes, f"the receipt of line {entry.line} matches"])
    problem = f"{printable(entry.receipt)} was noted on line {entry.line}, but the log has "
    if result.receipt:
        problem += f"{result.receipt}: mistyped, or the log has changed; {CURE}"
    else:
        problem += "no receipt: it is not finished, or not intact"
    if owners := [other.participant for other in noted.values() if other.receipt == result.receipt]:
        problem += f" ({result.receipt} was noted for {owners[0]}: were two notes swapped?)"
    if result.code:
        return replace(result, notes=[*result.notes, problem])
    message = f"different: {problem}"
    return replace(result, verdict="different", message=message, not_rederived=problem)


def without_log(noted: Mapping[str, Noted], results: Iterable[Result]) -> list[Result]:
    """The participants on a list of receipts whose logs are missing."""
    there = {result.participant.lower() for result in results}
    why = "missing: there is a receipt on line {} of the list, but no log"
    return [
        Result(Path(f"{entry.participant}.yaml"), "missing", why.format(entry.line))
        for participant, entry in noted.items()
        if participant not in there
    ]
