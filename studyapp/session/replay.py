"""Replay: was every question of a log asked as its study, seed and answers have it?

A session is replayed from its answers alone, through the very learner: its plan, every question and
the learner's state behind it, every reward, the times and the counts must come out as they are in the
log.  Floating point differs in its last digits between machines, so a question that won by less than
1e-9 may come out otherwise; such a near-tie is told, and the replay goes on with the question in the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core.digest import same_digest
from core.errors import FileError
from studyapp.base.environment import software
from studyapp.session.events import Answered, Event, Finished
from studyapp.session.log import ChangedError
from studyapp.session.saved import SavedSession, load_study, open_session
from studyapp.study import plan
from studyapp.study.plan import Round
from studyapp.study.study import LoadedStudy

if TYPE_CHECKING:
    from core import State

__all__ = ["Verdict", "verify"]

NEAR_TIE = 1e-9  # scores closer than this, on the scale of their size, may win or lose by rounding
SLACK = timedelta(seconds=1)  # by which the wall clock may be behind the stopwatch


@dataclass(frozen=True)
class Verdict:
    """What came of a log."""

    path: Path
    code: int  # 0: it is as it should be; 1: it is not; 2: it could not be read
    told: str
    questions: int = 0  # derived again
    notes: list[str] = field(default_factory=list)


class _DifferentError(Exception):
    """The first difference between a log and its replay."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


def verify(path: Path, words: Path | None = None) -> Verdict:
    """Replay one log."""
    try:
        opened = open_session(path)
        if opened.state == "deleted":
            return Verdict(path, 0, "nothing to verify: withdrawn, and the answers were deleted")
        loaded = load_study(opened, words)
    except ChangedError as error:
        return Verdict(path, 1, f"changed: {error.where}: {error.problem}")
    except FileError as error:
        where = f"{error.where}: " if error.where else ""
        return Verdict(path, 2, f"not readable: {where}{error.problem}")
    if opened.kind == "imported":
        return _imported(opened, loaded)
    try:
        _check_plan(opened, loaded)
        _check_times(opened)
        notes = list(_replay(opened, loaded))
        _check_end(opened)
    except _DifferentError as difference:
        return Verdict(path, 1, f"different: {difference}", notes=_written_with(opened))
    many = len(opened.session.answers)
    told = f"verified: {many} questions re-derived"
    if opened.state != "finished":
        told += f" ({opened.state})"
    if opened.saved.torn:
        notes.append(f"a torn tail of {len(opened.saved.torn)} bytes, never acknowledged, is left out")
    return Verdict(path, 0, f"{told}; chain {opened.saved.chain}", many, notes)


def _imported(opened: SavedSession, loaded: LoadedStudy) -> Verdict:
    """Nobody can derive questions that were asked elsewhere; that nothing was changed since is known."""
    targets = {played.round: played.target for played in opened.session.plan}
    answers = opened.session.answers
    other = [
        answer
        for answer in answers
        if not loaded.is_reward(answer.reward, targets[answer.round], answer.word)
    ]
    told = f"imported: {len(answers)} questions, asked elsewhere, are as they were imported"
    notes = []
    if other:
        line = opened.line(other[0])
        notes.append(
            f"{len(other)} rewards are not the likeness of word and target; the first is on line {line}"
        )
    return Verdict(opened.path, 0, f"{told}; chain {opened.saved.chain}", notes=notes)


def _check_plan(opened: SavedSession, loaded: LoadedStudy) -> None:
    started = opened.session.started
    if started.seed != loaded.study.seed:
        problem = f"the seed is {started.seed}, and {loaded.study.seed} in the study"
        raise _DifferentError(1, problem)
    expected = plan.make(loaded, started.participant)
    if len(expected) != len(started.plan):
        raise _DifferentError(1, f"the plan has {len(started.plan)} rounds; expected {len(expected)}")
    for ours, theirs in zip(expected, started.plan, strict=True):
        if ours != theirs:
            raise _DifferentError(1, f"the plan has {_told(theirs)}; expected {_told(ours)}")


def _told(played: Round) -> str:
    practice = ", practice" if played.practice else ""
    return (
        f"round {played.round} ({played.model}, target {played.target!r}, first {played.first!r}{practice})"
    )


def _check_times(opened: SavedSession) -> None:
    """Time goes on: no event before the one before it, no answer longer than there was time for."""
    last: datetime | None = None
    for event, line in zip(opened.saved.events, opened.saved.lines, strict=True):
        try:
            begin, end = _span(event)
        except OverflowError:
            raise _DifferentError(line, "a time is beyond all times") from None
        if last is not None and begin < last:
            back = (last - begin).total_seconds()
            problem = f"{event.event!r} is {back:.3f} s before what it follows (was the clock set back?)"
            raise _DifferentError(line, problem)
        if isinstance(event, Answered):
            choices = (event.first_choice_ms, event.last_choice_ms, event.rt_ms)
            assert None not in choices
            if not 0 <= choices[0] <= choices[1] <= choices[2]:  # type: ignore[operator]
                raise _DifferentError(line, "first_choice_ms, last_choice_ms and rt_ms must not decrease")
        last = end


def _span(event: Event) -> tuple[datetime, datetime]:
    """When an event began, and when it was surely over."""
    if not isinstance(event, Answered):
        at = datetime.fromisoformat(event.at)
        return at, at
    assert event.shown_at is not None
    assert event.rt_ms is not None
    shown = datetime.fromisoformat(event.shown_at)
    return shown, max(shown, shown + timedelta(milliseconds=event.rt_ms) - SLACK)


def _replay(opened: SavedSession, loaded: LoadedStudy) -> Iterator[str]:
    """Ask every question again; what is worth noting."""
    import torch

    from core import Learner

    torch.set_num_threads(1)  # as when the session ran
    participant, words = opened.participant, loaded.vocabulary.words
    for played in opened.session.plan:
        answers = opened.session.answers_in(played)
        if not answers:
            break
        seed = plan.learner_seed(loaded.study.seed, participant, played)
        learner = Learner(loaded.features, **vars(loaded.study.settings(played.model, seed)))
        state = learner.begin(words.index(played.first))
        for answer in answers:
            line = opened.line(answer)
            where = f"question {answer.question} of round {answer.round}"
            state, note = _compared(state, answer, line, where, words)
            if note:
                yield note
            if not loaded.is_reward(answer.reward, played.target, answer.word):
                expected = loaded.reward(played.target, answer.word)
                raise _DifferentError(line, f"the reward of {where} is {answer.reward}; expected {expected}")
            if answer.question < loaded.study.questions:
                state = learner.tell_both(state)[answer.answer == "y"]


def _compared(
    state: State, answer: Answered, line: int, where: str, words: tuple[str, ...]
) -> tuple[State, str | None]:
    """The state that asked this question, and what is to be noted of it."""
    note = None
    expected, asked = words[state.arm], words.index(answer.word)
    if answer.word != expected:
        behind = state.scores[state.arm] - state.scores[asked]
        near = NEAR_TIE * (1.0 + abs(state.scores).max())
        if answer.question == 1 or behind > near:
            problem = f"{where} is {answer.word!r}; expected {expected!r} (better by {behind:.3g})"
            raise _DifferentError(line, problem)
        note = f"line {line}: near-tie: {where} is {answer.word!r}, here {expected!r} by {behind:.1e}"
        state = replace(state, arm=asked)
    assert answer.digest is not None
    if not same_digest(answer.digest, state.digest):
        problem = f"the learner's state at {where} is {answer.digest}; expected {state.digest}"
        raise _DifferentError(line, problem)
    if answer.converged != state.fit.converged:
        told = {True: "converged", False: "not converged", None: "not known"}
        problem = f"the fit at {where} is {told[answer.converged]}; expected {told[state.fit.converged]}"
        raise _DifferentError(line, problem)
    return state, note


def _check_end(opened: SavedSession) -> None:
    over = opened.session.over
    line = opened.saved.lines[-1]
    if isinstance(over, Finished):
        expected = opened.session.finished(over.at)
        for name in ("answers", "found", "bonus"):
            ours, theirs = getattr(expected, name), getattr(over, name)
            if ours != theirs:
                raise _DifferentError(line, f"{name} at the end is {theirs}; expected {ours}")
    elif over is not None and over.answers != len(opened.session.answers):
        problem = f"{over.answers} answers are told of at the end; there are {len(opened.session.answers)}"
        raise _DifferentError(line, problem)


def _written_with(opened: SavedSession) -> list[str]:
    """A difference may be one of software: with what was the log written?"""
    now, then = software(), opened.session.started.software
    other = [
        f"{name} {then.get(name)} (here {now[name]})"
        for name in ("studyapp", "torch", "numpy", "scipy")
        if then.get(name) != now[name]
    ]
    return [f"the log was written with {', '.join(other)}"] if other else []
