"""What an analysis needs from one log, as small arrays, and how the session went.

Logs are read in several processes.  What comes back from each is small; a log that cannot be read comes back
as the reason.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.recall import NEVER
from core.vocabulary import Vocabulary
from studyapp.session.blinding import blinded
from studyapp.session.events import Answered, Finished, Recovered, Resumed, Rewritten, Withdrawn
from studyapp.session.history import counted_rounds, what_came_before
from studyapp.session.saved import SavedSession, load_study, one_log, open_session
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round
from studyapp.study.study import Study
from studyapp.tables import tables
from studyapp.tables.columns import Part, part_of


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


@dataclass(frozen=True)
class Broken:
    """A log that cannot be read."""

    path: Path
    problem: str  # with its line


@dataclass(frozen=True)
class Response:
    """An answer to one item of a questionnaire."""

    questionnaire: str
    item: str
    model: str | None  # of the round it was asked after; None at the end
    value: str | int | None


@dataclass(frozen=True)
class Extract:
    """One session.  Arrays are (R,) by round or (R, Q) by round and question; unknown values are NaN."""

    path: Path
    participant: str
    kind: str
    state: str
    torn: bool
    chain: str
    finished_at: str | None
    deleted: Withdrawn | None  # how, if the answers were deleted
    study: Study
    models_sha256: str  # of the models' settings, by what the models are called here
    words_sha256: str
    vocabulary: Vocabulary | None  # None where there are no answers
    plan: list[Round]
    asked: NDArray[np.intp]  # (R, Q), indices of words; -1 where nothing was asked
    yes: NDArray[np.bool_]  # (R, Q)
    reward: NDArray[np.float64]  # (R, Q)
    thinking: NDArray[np.float64]  # (R, Q), ms from question to answer, without time away
    delay: NDArray[np.float64]  # (R, Q), ms from the previous key to the question
    found_at: NDArray[np.float64]  # (R,), the question that was the first about the target; NaN if none was
    took_place: NDArray[np.bool_]  # (R,), False for a round that an imported table only holds the place of
    counted: NDArray[np.bool_]  # (R,), the rounds in which models are compared: complete, with every model
    last: NDArray[np.intp]  # (R, Q), the last answer to the word in the round before: 1, 0 or NEVER
    yes_before: NDArray[np.bool_]  # (R, Q), did the word get a yes before?
    found_before: NDArray[np.bool_]  # (R, Q), was the target asked about before?
    late: NDArray[np.intp]  # (R,), questions that were not ready in time
    other_rewards: list[Answered]  # answers whose reward is not the similarity of the word to the target
    minutes: float | None
    conduct: Conduct
    responses: list[Response]
    parts: list[Part]  # of the tidy tables, in the order of TABLES

    @property
    def asked_before(self) -> NDArray[np.bool_]:
        """(R, Q), was the word asked about earlier in the round?"""
        return np.asarray(self.last != NEVER)


def extract(path: Path, words: Path | None = None, *, blind: bool = False) -> Extract | Broken:
    """Read one log; if blind, models have their labels, and nothing tells which is which."""
    try:
        with one_log(path):
            opened = open_session(path)
            named = opened.session.study
            if blind:
                opened = blinded(opened)
            loaded = load_study(opened, words) if opened.session.answers else None
            session = _extract(opened, loaded, _models_sha256(named, opened.labels))
            if session.other_rewards and session.kind != "imported":
                line = opened.line(session.other_rewards[0])
                problem = "the reward is not the similarity of the word to the target"
                raise FileError(path, problem, where=f"line {line}")
    except FileError as error:
        return Broken(path, f"{error.where}: {error.problem}" if error.where else error.problem)
    return session


def _models_sha256(study: Study, labels: Mapping[str, str] | None) -> str:
    """Two studies can be compared only if they mean the same by each name, or by each label."""
    settings = {labels[name] if labels else name: study.settings(name, seed=0) for name in study.models}
    return hashlib.sha256(repr(sorted(settings.items())).encode()).hexdigest()


def _extract(opened: SavedSession, loaded: LoadedStudy | None, models_sha256: str) -> Extract:
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
    last = np.full(shape, NEVER)
    yes_before, found_before = (np.zeros(shape, dtype=bool) for _ in range(2))
    for row, round_ in enumerate(session.plan):
        for column, before in enumerate(what_came_before(session, round_)):
            last[row, column] = before.last_answer == "y" if before.asked else NEVER
            yes_before[row, column], found_before[row, column] = before.yes, before.found
    counted = counted_rounds(session)
    models = {round_.round: round_.model for round_ in session.plan}
    return Extract(
        path=opened.path,
        participant=opened.participant,
        kind=opened.kind,
        state=opened.state,
        torn=bool(opened.saved.torn),
        chain=opened.saved.chain,
        finished_at=session.over.at if isinstance(session.over, Finished) else None,
        deleted=session.over if isinstance(session.over, Withdrawn) and opened.state == "deleted" else None,
        study=session.study,
        models_sha256=models_sha256,
        words_sha256=session.started.words_sha256,
        vocabulary=loaded.vocabulary if loaded else None,
        plan=session.plan,
        asked=asked,
        yes=yes,
        reward=reward,
        thinking=thinking,
        delay=delay,
        found_at=np.array([session.found_at(round_) or np.nan for round_ in session.plan], dtype=float),
        took_place=np.array([session.took_place(round_) for round_ in session.plan], dtype=bool),
        counted=np.array([round_.round in counted for round_ in session.plan], dtype=bool),
        last=last,
        yes_before=yes_before,
        found_before=found_before,
        late=np.array(
            [sum(bool(answer.late) for answer in session.answers_in(round_)) for round_ in session.plan],
            dtype=int,
        ),
        other_rewards=_other_rewards(opened, loaded) if loaded else [],
        minutes=tables.minutes(opened),
        conduct=conduct_of(opened),
        responses=[
            Response(event.questionnaire, event.item, models.get(event.after or 0), event.value)
            for event, _ in session.responses()
        ],
        parts=[part_of(table, opened) for table in tables.TABLES],
    )


def _other_rewards(opened: SavedSession, loaded: LoadedStudy) -> list[Answered]:
    """Answers, practice aside, whose reward is not the similarity of the word to the target."""
    targets = {round_.round: round_.target for round_ in opened.session.plan if not round_.practice}
    return [
        answer
        for answer in opened.session.answers
        if answer.round in targets and not loaded.is_reward(answer.reward, targets[answer.round], answer.word)
    ]
