"""A saved session without anything that tells which model asked.

Models have labels.  Their settings are gone, and so is what only some
models leave behind: how long a question took to compute, the fingerprint of the learner's state, whether its
fit converged, and the seed, from which the questions of each model follow.  Whatever is made from such a
session is blind, because nothing else is there.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from string import ascii_uppercase

from core.randomness import stream
from studyapp.session.events import Answered, Event, Started
from studyapp.session.saved import SavedSession
from studyapp.session.session import Session
from studyapp.study.study import Study


def blind_labels(study: Study) -> dict[str, str]:
    """The label of every model: A, B, C, by a draw of the study's own.

    The draw follows from the study's seed, so everyone with the study file, and every later analysis, has the
    same labels.  It is no secret: whoever works it out, or opens a log, knows.  It protects those who want to
    be protected.
    """
    names = sorted(study.models)
    taken = {name.upper() for name in names}  # a model that is called A must not be taken for the label
    letters = (before + last for before in ("", *ascii_uppercase) for last in ascii_uppercase)
    labels = list(islice((letter for letter in letters if letter not in taken), len(names)))
    order = stream(study.seed, "blind labels").permutation(len(names))
    return {names[place]: label for place, label in zip(order, labels, strict=True)}


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
