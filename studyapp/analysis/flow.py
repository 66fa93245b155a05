"""The flow of participants, as reports of trials show it: started, finished, excluded and why, analysed.

started = finished + unfinished
finished + unfinished ones that are included on request = excluded + analysed
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studyapp.analysis.gather import BROKEN, EXCLUDED, LogStatus
from studyapp.tables.copies import STILL_THERE

__all__ = ["Flow", "flow_of"]

ON_REQUEST = "deleted on request"  # by the experimenter, perhaps after the session had finished
FINISHED = "finished"
UNFINISHED = {
    "incomplete": "did not reach the end",
    "withdrawn": "withdrew",
    "deleted": "withdrew, answers deleted",
}
LONGEST = 60  # characters of a reason that the experimenter gave; the report has it in full elsewhere
REASONS = {  # how the reasons of gather.py begin, and what they are called here
    "simulated": "simulated",
    "pilot": "pilot",
    "imported": "imported",
    "excluded by --exclude": "on request (--exclude)",
    "belongs to a different study": "of a different study",
    "no target was completed": "without a target completed with every model",
    "another session has the same ID": "with the ID of another session",
    STILL_THERE: ON_REQUEST,
}


@dataclass(frozen=True)
class Flow:
    unreadable: int  # logs
    started: int
    unfinished: dict[str, int]  # by how they ended, included ones too
    finished: int
    excluded: dict[str, int]  # by reason; those who could have been analysed
    analysed: int
    analysed_unfinished: int  # on request

    @property
    def deleted_later(self) -> bool:
        """Were answers deleted by the experimenter?  These sessions may have finished before."""
        return ON_REQUEST in self.unfinished


def flow_of(logs: Sequence[LogStatus]) -> Flow:
    logs = [log for log in logs if not log.is_copy]  # of a participant who is counted anyway
    readable = [log for log in logs if log.state != BROKEN]
    finished = [log for log in readable if log.state == FINISHED]
    unfinished = [log for log in readable if log.state != FINISHED]
    included = [log for log in readable if log.included]
    return Flow(
        unreadable=len(logs) - len(readable),
        started=len(readable),
        unfinished=_counts(map(_ended, unfinished)),
        finished=len(finished),
        excluded=_counts(_short(log.reason) for log in finished if not log.included),
        analysed=len(included),
        analysed_unfinished=sum(log.state != FINISHED for log in included),
    )


def _ended(log: LogStatus) -> str:
    by_experimenter = log.deleted is not None and log.deleted.by == "experimenter"
    return ON_REQUEST if by_experimenter else UNFINISHED.get(log.state, log.state)


def _counts(names: Iterable[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(Counter(names).most_common())


def _short(reason: str) -> str:
    for start, name in REASONS.items():
        if reason.startswith(start):
            return name
    if not reason.startswith(EXCLUDED):
        return reason
    when, _, words = reason.removeprefix(EXCLUDED).partition(": ")
    short = words if len(words) <= LONGEST else f"{words[: LONGEST - 1]}…"
    return f"“{short}”" + (f" ({when.strip()})" if when else "")
