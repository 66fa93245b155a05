"""How a session went: what tells a reader whether its data are in order."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.session.events import Recovered, Resumed, Rewritten
from studyapp.session.saved import SavedSession


@dataclass(frozen=True)
class Conduct:
    """When a session ran and what happened in it; of imported sessions, little is known."""

    began: str | None  # the day, in UTC; None if it ran elsewhere
    ended: str | None
    resumed: int  # times that it was continued after a pause or an interruption
    repaired: int  # times that its log was found damaged and was repaired
    answers: int  # with known times, practice included
    changed: int  # of these, with another choice before the one that was confirmed
    stray_keys: int  # keys without a meaning, or pressed too soon
    fits: int  # questions for which a learner fitted its model
    unconverged: int  # of these, whose fit did not converge


def conduct_of(opened: SavedSession) -> Conduct:
    events, answers = opened.saved.events, opened.session.answers
    known = [answer for answer in answers if answer.rt_ms is not None]
    days = [at[:10] for event in events if (at := getattr(event, "at", None))]
    here = opened.kind != "imported"  # an imported log has the time of its import
    return Conduct(
        began=days[0] if here and days else None,
        ended=days[-1] if here and days else None,
        resumed=sum(isinstance(event, Resumed) for event in events),
        repaired=sum(isinstance(event, Recovered | Rewritten) for event in events),
        answers=len(known),
        changed=sum(bool(answer.changes) for answer in known),
        stray_keys=sum(answer.stray_keys or 0 for answer in known),
        fits=sum(answer.converged is not None for answer in answers),
        unconverged=sum(answer.converged is False for answer in answers),
    )
