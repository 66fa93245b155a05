"""What a reader must know about the sessions: notes, the flow of participants, the experimenter's decisions.

The flow is as reports of trials show it:

    started = finished + unfinished
    finished + unfinished ones that are included on request = excluded + analysed

The decisions (exclusions, deletions, the unblinding) come from the log of the study (``studyapp.office``),
where nothing is undone without a trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from core.wording import counted
from studyapp.analysis.gather import BROKEN, EXCLUDED, Gathered, LogStatus
from studyapp.office.events import Deleted, Excluded, Included
from studyapp.reporting.wording import listed
from studyapp.session.events import Withdrawn
from studyapp.tables.copies import STILL_THERE

KINDS = {  # one of a kind, and several
    "person": ("person", "people"),
    "imported": ("imported session", "imported sessions"),
    "pilot": ("pilot session", "pilot sessions"),
    "simulated": ("simulated participant", "simulated participants"),
}
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


# Boxes at the top of the report, lines in the terminal


def notes(gathered: Gathered) -> list[str]:
    """Every sentence is true of the sessions that it counts."""
    participants = len(gathered.sessions)
    kinds = Counter(session.kind for session in gathered.sessions)
    lines = mixed_kinds(gathered)
    if kinds["simulated"] == participants:
        lines.append("All participants are simulated: no people answered.")
    if count := kinds["pilot"]:
        lines.append(
            f"{_all_or_some('pilot session', count, participants)} included: the experimenter's view was on, "
            "so nobody was blind."
        )
    if count := kinds["imported"]:
        what = (
            "Imported sessions"
            if count == participants
            else f"{counted(count, 'imported session')} of {participants}"
        )
        lines.append(f"{what} {'was' if count == 1 < participants else 'were'} run elsewhere, without times.")
    if other := sum(len(session.other_rewards) for session in gathered.sessions):
        lines.append(
            f"In {counted(other, 'answer')}, the reward is not the similarity of the word to the target. "
            "The recorded rewards are used."
        )
    if gathered.broken:
        lines.append(
            f"{len(gathered.broken)} of the {len(gathered.logs)} logs could not be read; the reasons are in "
            "the list of sessions that are not included."
        )
    if gathered.registered:
        lines.append(gathered.registered.sentence)
    if participants < 2:
        lines.append("With one participant there are no tests and no intervals.")
    return lines


def mixed_kinds(gathered: Gathered) -> list[str]:
    """A sentence if simulated participants are analysed together with others; otherwise nothing."""
    kinds = Counter(session.kind for session in gathered.sessions)
    participants = len(gathered.sessions)
    if not kinds["simulated"] or kinds["simulated"] == participants:
        return []
    parts = [counted(kinds[kind], *words) for kind, words in KINDS.items() if kinds[kind]]
    return [
        f"People and simulated participants are analysed together here ({listed(parts)}): no result is about "
        "people alone. To analyse people alone, leave out --include simulated."
    ]


def _all_or_some(what: str, count: int, participants: int) -> str:
    if count == participants:
        return f"Only {what}s are" if count > 1 else f"Only a {what} is"
    return f"{counted(count, what)} of {participants} {'is' if count == 1 else 'are'}"


# The flow of participants


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


# What the experimenter decided


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
            {**_decision(event), "undone": conduct.excluded.get(event.participant) is not event}
            for event in conduct.decisions
            if isinstance(event, Excluded)
        ],
        "included_again": [
            _decision(event) for event in conduct.decisions if not isinstance(event, Excluded)
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


def _decision(event: Excluded | Included) -> dict[str, Any]:
    return {
        "participant": event.participant,
        "at": event.at,
        "reason": event.reason,
        "after_unblinding": event.unblinded,
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
    return day(date.fromisoformat(at[:10]))


def day(day: date) -> str:
    return f"{day.day} {day:%B} {day.year}"
