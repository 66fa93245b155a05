"""What an analysis needs of one log: small arrays in place of its events.

Runs in a process of its own for each log, so that a thousand can be read on all cores; what it
returns is small.  A log that cannot be used comes back as the reason why.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.vocabulary import Vocabulary
from studyapp.session.events import Answered, Responded
from studyapp.session.saved import SavedSession, load_study, open_session
from studyapp.study.plan import Round
from studyapp.study.study import LoadedStudy, Study
from studyapp.tables import tables
from studyapp.tables.table_files import Part, part_of

__all__ = ["Broken", "Extract", "Response", "extract"]


@dataclass(frozen=True)
class Broken:
    """A log that cannot be read."""

    path: Path
    problem: str  # with its line


@dataclass(frozen=True)
class Response:
    """An answer to a questionnaire."""

    questionnaire: str
    item: str
    model: str | None  # of the round it was asked after; None at the end
    value: str | int | None


@dataclass(frozen=True)
class Extract:
    """One session.  Rounds are rows (R, or R x Q with the questions); what is not known is NaN."""

    path: Path
    participant: str
    kind: str
    state: str
    torn: bool
    chain: str
    study: Study
    words_sha256: str
    vocabulary: Vocabulary | None  # None where there are no answers to need it
    plan: list[Round]
    asked: NDArray[np.intp]  # (R, Q), words by number; -1 where nothing was asked
    yes: NDArray[np.bool_]  # (R, Q)
    reward: NDArray[np.float64]  # (R, Q)
    thinking: NDArray[np.float64]  # (R, Q), ms from question to answer, without time away
    delay: NDArray[np.float64]  # (R, Q), ms from the key before to the question
    late: int  # questions
    other_rewards: list[Answered]  # answers whose reward is not the likeness of the word to the target
    minutes: float | None
    responses: list[Response]
    parts: list[Part]  # of the tidy tables, in the order of TABLES

    @cached_property
    def counted(self) -> NDArray[np.bool_]:
        """(R,), the rounds that count: no practice, every question answered, every model on the same targets.

        A target that one model has not gone through would favour one of them, and is left out.
        """
        complete = (self.asked >= 0).all(-1)
        usable = complete & np.array([not played.practice for played in self.plan], dtype=bool)
        done: dict[str, set[str]] = {}
        for played, ok in zip(self.plan, usable, strict=True):
            if ok:
                done.setdefault(played.target, set()).add(played.model)
        whole = set(self.study.models)
        usable &= np.array([done.get(played.target) == whole for played in self.plan], dtype=bool)
        return np.asarray(usable)


def extract(path: Path, words: Path | None = None) -> Extract | Broken:
    """Read one log."""
    try:
        opened = open_session(path)
        loaded = load_study(opened, words) if opened.session.answers else None
        found = _extract(opened, loaded)
        if found.other_rewards and found.kind != "imported":
            line = opened.line(found.other_rewards[0])
            problem = "the reward is not the likeness of the word to the target"
            raise FileError(path, problem, where=f"line {line}")
    except FileError as error:
        return Broken(path, f"{error.where}: {error.problem}" if error.where else error.problem)
    return found


def _extract(opened: SavedSession, loaded: LoadedStudy | None) -> Extract:
    session = opened.session
    shape = (len(session.plan), session.study.questions)
    asked = np.full(shape, -1)
    yes = np.zeros(shape, dtype=bool)
    reward, thinking, delay = (np.full(shape, np.nan) for _ in range(3))
    index = {word: i for i, word in enumerate(loaded.vocabulary.words)} if loaded else {}
    for answer in session.answers:
        at = answer.round - 1, answer.question - 1
        asked[at] = index[answer.word]
        yes[at] = answer.answer == "y"
        reward[at] = answer.reward
        if answer.rt_ms is not None and answer.delay_ms is not None:
            thinking[at] = answer.rt_ms - (answer.away_ms or 0.0)
            delay[at] = answer.delay_ms
    models = {played.round: played.model for played in session.plan}
    return Extract(
        path=opened.path,
        participant=opened.participant,
        kind=opened.kind,
        state=opened.state,
        torn=bool(opened.saved.torn),
        chain=opened.saved.chain,
        study=session.study,
        words_sha256=session.started.words_sha256,
        vocabulary=loaded.vocabulary if loaded else None,
        plan=session.plan,
        asked=asked,
        yes=yes,
        reward=reward,
        thinking=thinking,
        delay=delay,
        late=sum(bool(answer.late) for answer in session.answers),
        other_rewards=_other_rewards(opened, loaded) if loaded else [],
        minutes=tables.minutes(opened),
        responses=[
            Response(event.questionnaire, event.item, models.get(event.after or 0), event.value)
            for event in opened.saved.events
            if isinstance(event, Responded)
        ],
        parts=[part_of(table, opened) for table in tables.TABLES],
    )


def _other_rewards(opened: SavedSession, loaded: LoadedStudy) -> list[Answered]:
    """Practice aside, which does not count."""
    targets = {played.round: played.target for played in opened.session.plan if not played.practice}
    return [
        answer
        for answer in opened.session.answers
        if answer.round in targets and not loaded.is_reward(answer.reward, targets[answer.round], answer.word)
    ]
