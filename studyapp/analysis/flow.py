"""The flow of participants, as reports of trials show it: started, finished, excluded and why, analysed.

started = finished + unfinished
finished + unfinished ones that are included on request = excluded + analysed
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studyapp.analysis.gather import BROKEN, LogStatus

__all__ = ["Flow", "flow_of"]

FINISHED = "finished"
UNFINISHED = {
    "incomplete": "did not reach the end",
    "withdrawn": "withdrew",
    "deleted": "withdrew, answers deleted",
}
REASONS = {  # how the reasons of gather.py begin, and what they are called here
    "simulated": "simulated",
    "pilot": "pilot",
    "imported": "imported",
    "excluded by --exclude": "on request (--exclude)",
    "belongs to a different study": "of a different study",
    "no target was completed": "without a target completed with every model",
    "another session has the same ID": "with the ID of another session",
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


def flow_of(logs: Sequence[LogStatus]) -> Flow:
    logs = [log for log in logs if not log.is_copy]  # of a participant who is counted anyway
    readable = [log for log in logs if log.state != BROKEN]
    finished = [log for log in readable if log.state == FINISHED]
    unfinished = [log for log in readable if log.state != FINISHED]
    included = [log for log in readable if log.included]
    return Flow(
        unreadable=len(logs) - len(readable),
        started=len(readable),
        unfinished=_counts(UNFINISHED.get(log.state, log.state) for log in unfinished),
        finished=len(finished),
        excluded=_counts(_short(log.reason) for log in finished if not log.included),
        analysed=len(included),
        analysed_unfinished=sum(log.state != FINISHED for log in included),
    )


def _counts(names: Iterable[str]) -> dict[str, int]:
    """The most frequent first."""
    return dict(Counter(names).most_common())


def _short(reason: str) -> str:
    for start, name in REASONS.items():
        if reason.startswith(start):
            return name
    return reason
