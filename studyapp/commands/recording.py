"""Analyses and exports of a study's sessions are events in the study's own log."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from core.errors import FileError
from studyapp.base.terminal import report
from studyapp.office.events import Analysed, Exported
from studyapp.office.standing import Standing


def record(
    standing: Standing, event: type[Analysed | Exported], out: Path, participants: Sequence[str]
) -> None:
    """Write down what was done; of an archive that can't be written to, only say so."""
    try:
        standing.record(event, out, participants)
    except FileError as error:
        report(f"studyapp: this was done, but not written into the study's log: {error}")
