"""A saved session without anything that tells which model asked.

Models have their labels (``studyapp.study.blinding``).  Their settings are gone, and so is what only some
models leave behind: how long a question took to compute, the fingerprint of the learner's state, whether its
fit converged, and the seed, from which the questions of each model follow.  Whatever is made from such a
session is blind, because nothing else is there.
"""

from __future__ import annotations

from dataclasses import replace

from studyapp.session.events import Answered, Event, Started
from studyapp.session.saved import SavedSession
from studyapp.session.session import Session
from studyapp.study.blinding import blind_labels


def blinded(opened: SavedSession) -> SavedSession:
    """The session as someone sees it who must not know the models."""
    labels = blind_labels(opened.session.study)
    started = _blind_head(opened.session.started, labels)
    events = [_blind_answer(event) for event in opened.saved.events[1:]]
    session = Session(started)
    for event in events:
        session.advance(event)  # all were checked when the log was read
    saved = replace(opened.saved, events=[started, *events])
    return replace(opened, saved=saved, session=session, labels=labels)


def _blind_head(started: Started, labels: dict[str, str]) -> Started:
    study = {name: value for name, value in started.study.items() if name not in ("people", "learner")}
    return replace(
        started,
        seed=0,
        teacher=None,
        people_sha256=None,
        study=study | {"seed": 0, "models": {label: {} for label in sorted(labels.values())}},
        plan=[replace(round_, model=labels[round_.model]) for round_ in started.plan],
    )


def _blind_answer(event: Event) -> Event:
    if not isinstance(event, Answered):
        return event
    return replace(event, compute_ms=None, digest=None, converged=None)
