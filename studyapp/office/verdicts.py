"""Writing down what ``studyapp verify`` found about the sessions of a study."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from studyapp.office.conduct import Conduct
from studyapp.office.events import StudyEvent, Verified
from studyapp.office.recording import record_decision
from studyapp.session.verdict import Result
from studyapp.study.folder import StudyFolder, folder_of
from studyapp.study.ids import is_id

__all__ = ["record_verdicts"]


def record_verdicts(results: Iterable[Result]) -> None:
    """Write down every verdict that is new, in the log of the study whose session it is about."""
    by_folder: dict[Path, list[Result]] = {}
    for result in results:
        by_folder.setdefault(Path(os.path.realpath(result.path.parent)), []).append(result)
    for sessions, own in by_folder.items():
        folder = folder_of(sessions)
        if folder is not None and sessions != Path(os.path.realpath(folder.path)):
            _record(folder, own)


def _record(folder: StudyFolder, results: list[Result]) -> None:
    def new(conduct: Conduct) -> list[StudyEvent]:
        found = {
            result.participant: (result.chain, result.verdict)
            for result in results
            if is_id(result.participant)  # any other is no log of a participant
        }
        known = {one.participant: (one.chain, one.verdict) for one in conduct.verified.values()}
        return [
            Verified(participant, chain, verdict)
            for participant, (chain, verdict) in found.items()
            if known.get(participant) != (chain, verdict)
        ]

    record_decision(folder, new)
