"""A list of receipts that somebody noted, compared with the logs.

A line has a participant and a receipt, as a person would type them, or as a spreadsheet saves two columns:

    P07  7K3M-Q9TX-B2HF-5
    p08, 7k3m q9tx b2hf 5

Capital letters, spaces and dashes don't matter.  Blank lines, a header, and lines that begin with # are
ignored.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from core.errors import FileError, SettingError
from core.files import ordinary
from core.text_lines import text_lines
from core.wording import printable
from studyapp.session.ids import check_id
from studyapp.session.receipts import checked
from studyapp.session.verdict import Result

__all__ = ["Comparison", "Noted", "compared", "read"]

LARGEST: Final = 1_000_000  # bytes
LONGEST_LINE: Final = 1_000
MOST_LINES: Final = 20_000
ENTRY: Final = re.compile(r"([^\s,;:]+)[\s,;:]*(.*)")
HEADER: Final = ("participant", "id", "receipt")  # any of them begins a header; "receipt" also ends one

Outcome = Literal["matches", "differs", "mistyped", "no log", "not noted"]
EXIT_CODES: Final[dict[Outcome, int]] = {
    "matches": 0,
    "not noted": 0,
    "differs": 1,
    "no log": 1,
    "mistyped": 2,
}


@dataclass(frozen=True)
class Noted:
    """A line of the list."""

    line: int
    participant: str
    receipt: str | None  # None if it was mistyped
    problem: str  # why; empty if it was not


@dataclass(frozen=True)
class Comparison:
    """What became of one participant's receipt."""

    participant: str
    outcome: Outcome
    message: str
    log: Path | None = None

    @property
    def code(self) -> int:
        """The exit code: 1 if the receipt is not that of the log, 2 if it could not be read."""
        return EXIT_CODES[self.outcome]


def read(path: Path) -> list[Noted]:
    """The receipts in a file; raises a FileError where a line is not a participant and a receipt."""
    noted: dict[str, Noted] = {}
    with ordinary(path) as file:
        if os.fstat(file.fileno()).st_size > LARGEST:
            raise FileError(path, f"the file is larger than {LARGEST:,} bytes; a list of receipts never is")
        for line, text in text_lines(path, file, longest=LONGEST_LINE, most=MOST_LINES):
            try:
                entry = _entry(line, text, is_first=not noted)
                if entry is None:
                    continue
                before = noted.setdefault(entry.participant.lower(), entry)
                if (before.receipt, before.problem) != (entry.receipt, entry.problem):
                    problem = f"{entry.participant} has another receipt on line {before.line}"
                    raise SettingError(f"{problem}; remove the wrong one")
            except SettingError as error:
                raise FileError(path, printable(str(error)), where=f"line {line}") from None
    if not noted:
        raise FileError(path, "this list has no receipts; write a participant and a receipt on each line")
    return list(noted.values())


def _entry(line: int, text: str, *, is_first: bool) -> Noted | None:
    text = text.replace('"', "").strip().strip(",;")
    if not text or text.startswith("#"):
        return None
    found = ENTRY.fullmatch(text)
    if found is None:
        raise SettingError("this line has no participant; write a participant and a receipt")
    participant, typed = found.groups()
    problem, receipt = "", None
    try:
        receipt = checked(typed)
    except SettingError as error:
        problem = str(error)
    if problem and is_first and (participant.lower() in HEADER or typed.lower() == "receipt"):
        return None
    if problem and _is_receipt(participant):
        raise SettingError("this line begins with the receipt; write the participant, then the receipt")
    check_id(participant)
    if not typed:
        raise SettingError(f"{participant} has no receipt on this line; write it after the participant")
    return Noted(line, participant, receipt, problem)


def _is_receipt(text: str) -> bool:
    try:
        return bool(checked(text))
    except SettingError:
        return False


def compared(noted: Sequence[Noted], results: Sequence[Result]) -> list[Comparison]:
    """Compare a list with the logs that were verified: first what is on the list, then what is missing."""
    owners = {result.receipt: result.participant for result in results if result.receipt}
    comparisons = []
    for entry in noted:
        own = [result for result in results if result.participant.lower() == entry.participant.lower()]
        comparisons += [_comparison(entry, result, owners) for result in own]
        if not own:
            problem = "there is a receipt, but no log"
            if entry.receipt in owners:
                problem += f" ({entry.receipt} is the receipt of {owners[entry.receipt]})"
            comparisons.append(Comparison(entry.participant, "no log", f"line {entry.line}: {problem}"))
    listed = {entry.participant.lower() for entry in noted}
    comparisons += [
        Comparison(result.participant, "not noted", "its receipt is not on the list", result.path)
        for result in results
        if result.receipt and result.participant.lower() not in listed
    ]
    return comparisons


def _comparison(entry: Noted, result: Result, owners: dict[str, str]) -> Comparison:
    where = f"line {entry.line}: "
    if entry.receipt is None:
        message = f"{where}mistyped: {entry.problem}; read it again from the note"
        return Comparison(result.participant, "mistyped", message, result.path)
    if entry.receipt == result.receipt:
        return Comparison(result.participant, "matches", f"{where}matches", result.path)
    if entry.receipt in owners:
        problem = f"{entry.receipt} is the receipt of {owners[entry.receipt]}; were two notes swapped?"
    elif result.receipt is None:
        problem = f"{entry.receipt} was noted when the session finished, but this log has no receipt: "
        problem += "it is not finished, or not intact"
    else:
        problem = f"{entry.receipt} was noted, but the log has {result.receipt}: it was changed or replaced"
    return Comparison(result.participant, "differs", f"{where}{problem}", result.path)
