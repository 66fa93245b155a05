"""What the experimenter decided, as a report tells it: exclusions, deletions, the unblinding.

All of it comes from the log of the study (``studyapp.office``), where nothing is undone without a trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from core.wording import counted
from studyapp.analysis.gather import Gathered
from studyapp.office.events import Deleted, Excluded
from studyapp.session.events import Withdrawn

__all__ = ["Decided", "about_blinding", "conduct_as_json", "day_of", "decisions"]


@dataclass(frozen=True)
class Decided:
    """One decision about a participant."""

    participant: str
    at: str  # the day
    what: str
    when: str  # before or after the unblinding; empty if there was none
    reason: str


def decisions(gathered: Gathered) -> list[Decided]:
    """Every exclusion, those that were undone too, and every deletion, in their order."""
    conduct = gathered.standing.conduct
    undone = {
        event.id
        for event in conduct.decisions
        if isinstance(event, Excluded) and conduct.excluded.get(event.participant) is not event
    }
    found = []
    for event in conduct.decisions:
        what = "excluded" if isinstance(event, Excluded) else "included again"
        if event.id in undone:
            what = "excluded (no longer)"
        when = "after" if event.unblinded else "before" if conduct.unblinded else ""
        found.append((event.at, Decided(event.participant, day_of(event.at), what, when, event.reason)))
    for participant, how in _deleted(gathered).items():
        if isinstance(how, Withdrawn) and how.by == "participant":
            continue  # that was no decision of the experimenter
        noted = conduct.deleted.get(participant)
        reason = (noted.reason if noted else None) or ""
        when = _relative_to_unblinding(how.at, gathered)
        found.append((how.at, Decided(participant, day_of(how.at), "deleted on request", when, reason)))
    return [decided for _, decided in sorted(found, key=lambda pair: pair[0])]


def about_blinding(gathered: Gathered) -> str:
    """Who knew the models when; empty if these sessions are in no study folder and nobody asked for it."""
    standing, unblinded = gathered.standing, gathered.standing.conduct.unblinded
    if standing.blind:
        return (
            "This analysis is blind: the models are called A, B and so on, by letters drawn for the study. "
            "Whatever would tell which is which is left out."
        )
    if unblinded is not None:
        later = sum((session.finished_at or "") > unblinded.at for session in gathered.sessions)
        rest = (
            f"; {counted(later, 'session')} of this analysis finished after that"
            if later
            else "; no session of this analysis finished after that"
        )
        return (
            f"The study was blind until {day_of(unblinded.at)}, when "
            f"{counted(unblinded.finished, 'session')} had finished and {unblinded.unfinished} had "
            f"not{rest}. Reason: “{unblinded.reason}”."
        )
    return "The study was not blind: its file does not have blind: true." if standing.folders else ""


def conduct_as_json(gathered: Gathered) -> dict[str, Any]:
    """The same for summary.json."""
    standing = gathered.standing
    conduct, unblinded = standing.conduct, standing.conduct.unblinded
    return {
        "blind": standing.blind,
        "unblinded": unblinded
        and {
            "at": unblinded.at,
            "reason": unblinded.reason,
            "finished": unblinded.finished,
            "unfinished": unblinded.unfinished,
            "finished_later": sum((one.finished_at or "") > unblinded.at for one in gathered.sessions),
        },
        "excluded": [
            {
                "participant": event.participant,
                "at": event.at,
                "reason": event.reason,
                "after_unblinding": event.unblinded,
                "undone": conduct.excluded.get(event.participant) is not event,
            }
            for event in conduct.decisions
            if isinstance(event, Excluded)
        ],
        "included_again": [
            {
                "participant": event.participant,
                "at": event.at,
                "reason": event.reason,
                "after_unblinding": event.unblinded,
            }
            for event in conduct.decisions
            if not isinstance(event, Excluded)
        ],
        "deleted": [
            {
                "participant": participant,
                "at": how.at,
                "by": how.by if isinstance(how, Withdrawn) else "experimenter",
                "answers": how.answers,
            }
            for participant, how in sorted(_deleted(gathered).items())
        ],
    }


def _deleted(gathered: Gathered) -> dict[str, Deleted | Withdrawn]:
    """How answers were deleted: from the logs, and from the study's log where a log is gone."""
    deleted: dict[str, Deleted | Withdrawn] = {**gathered.standing.conduct.deleted}
    for log in gathered.logs:
        if log.participant and log.deleted:
            deleted[log.participant] = log.deleted
    return deleted


def _relative_to_unblinding(at: str, gathered: Gathered) -> str:
    unblinded = gathered.standing.conduct.unblinded
    return "" if unblinded is None else "after" if at > unblinded.at else "before"


def day_of(at: str) -> str:
    """The day of a moment, for people."""
    day = date.fromisoformat(at[:10])
    return f"{day.day} {day:%B} {day.year}"
