"""Replay: check that every question in a log follows from its study, seed and answers.

A session is replayed from its answers alone, with the same learner.  The plan, every question, the
learner's state behind it, every reward and the counts must be as in the log, and its durations must be
possible.  Floating point differs in its last digits between machines, so a question that won by less than
1e-9 may come out differently.  The replay notes such a near-tie and continues with the question in the log.
It also notes, and does not hold against a log, that the computer's clock was set back or that another
program changed the file during the session.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from core.digest import same_digest
from core.errors import FileError
from core.wording import counted
from studyapp.base.environment import software
from studyapp.session.events import (
    Answered,
    Event,
    Finished,
    Read,
    Responded,
    Rested,
    Rewritten,
    Stayed,
)
from studyapp.session.log_format import ChangedError
from studyapp.session.questions import learner_of
from studyapp.session.resuming import end_of
from studyapp.session.saved import MisnamedError, SavedSession, load_study, one_log, open_session
from studyapp.session.session import Aside
from studyapp.session.verdict import Result, Verdict
from studyapp.study import plan
from studyapp.study.plan import Round
from studyapp.study.study import LoadedStudy

if TYPE_CHECKING:
    from core import State

__all__ = ["verify"]

NEAR_TIE = 1e-9  # scores closer than this, relative to their size, may win or lose by rounding
SLACK = timedelta(seconds=0.1)  # how far the computer's clock may lag behind the stopwatch
ROUNDING = 1.0  # ms: durations are rounded
EARLY = 50.0  # ms: some systems' timers end that much too early


class _DifferentError(Exception):
    """The first difference between a log and its replay."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


def verify(path: Path, words: Path | None = None) -> Result:
    """Replay one log."""
    try:
        with one_log(path):
            return _verify(path, words)
    except ChangedError as error:
        return _unusable(path, "changed", error)
    except MisnamedError as error:
        return _unusable(path, "different", error)
    except FileError as error:
        return _unusable(path, "unreadable", error)


def _verify(path: Path, words: Path | None) -> Result:
    opened = open_session(path)
    if opened.state == "deleted":
        why = "the participant withdrew and the answers were deleted"
        return Result(path, "deleted", f"nothing to verify: {why}", not_rederived=why)
    loaded = load_study(opened, words)
    return _verify_imported(opened, loaded) if opened.kind == "imported" else _verify_run(opened, loaded)


def _unusable(path: Path, verdict: Verdict, error: FileError) -> Result:
    problem = f"{error.where}: {error.problem}" if error.where else error.problem
    return Result(path, verdict, f"{verdict}: {problem}", not_rederived=problem)


def _verify_run(opened: SavedSession, loaded: LoadedStudy) -> Result:
    """Replay a session that ran in studyapp."""
    questions = len(opened.session.answers)
    replay = _Replay(opened, loaded)
    events = _events_notes(opened)
    try:
        _check_plan(opened, loaded)
        _check_stopwatch(opened)
        replay.run()
        _check_end(opened)
    except _DifferentError as difference:
        message = f"different: {difference}"
        notes = [*_written_with(opened), *events]
        return Result(opened.path, "different", message, questions, replay.rederived, str(difference), notes)
    notes = [*replay.notes, *events]
    if opened.saved.torn:
        notes.append(
            f"ignored a torn tail of {counted(len(opened.saved.torn), 'byte')}, which was never saved"
        )
    state = "" if opened.state == "finished" else f" ({opened.state})"
    message = f"verified: {counted(questions, 'question')} re-derived{state}; chain {opened.saved.chain}"
    return Result(opened.path, "verified", message, questions, questions, None, notes)


def _verify_imported(opened: SavedSession, loaded: LoadedStudy) -> Result:
    """Questions that were asked elsewhere can't be re-derived, but any change since the import shows."""
    rounds = {round_.round: round_ for round_ in opened.session.plan}
    answers = opened.session.answers
    other = [
        answer
        for answer in answers
        if not loaded.is_reward(answer.reward, rounds[answer.round].target, answer.word)
    ]
    notes = []
    if other:
        verb = "is" if len(other) == 1 else "are"
        notes.append(
            f"{counted(len(other), 'reward')} {verb} not the similarity of the word to the target; "
            f"see line {opened.line(other[0])}"
        )
    why = "the questions were asked elsewhere"
    message = f"imported: {counted(len(answers), 'question')}, asked elsewhere, unchanged since the import"
    message = f"{message}; chain {opened.saved.chain}"
    return Result(opened.path, "imported", message, len(answers), 0, why, notes)


def _check_plan(opened: SavedSession, loaded: LoadedStudy) -> None:
    started = opened.session.started
    if started.seed != loaded.study.seed:
        raise _DifferentError(1, f"the seed is {started.seed}, but {loaded.study.seed} in the study")
    expected = plan.make(loaded, started.participant)
    if len(expected) != len(started.plan):
        raise _DifferentError(
            1, f"the plan has {counted(len(started.plan), 'round')}; expected {len(expected)}"
        )
    for ours, theirs in zip(expected, started.plan, strict=True):
        if ours != theirs:
            problem = f"the plan has {_describe(theirs)}; expected {_describe(ours)}"
            raise _DifferentError(1, problem)


def _describe(round_: Round) -> str:
    practice = ", practice" if round_.practice else ""
    return (
        f"round {round_.round} ({round_.model}, target {round_.target!r}, first {round_.first!r}{practice})"
    )


def _check_stopwatch(opened: SavedSession) -> None:
    """Check that the stopwatch never went back, and that every duration fits into it."""
    lines = iter(opened.saved.lines)
    pause = 1000 * opened.session.study.pace.pause
    for sitting in opened.sittings():
        last = done = 0.0  # ms at the event before, and at the last one that completed a step
        for event, line in zip(sitting, lines, strict=False):
            now = event.clock_ms
            assert now is not None
            if event is sitting[0] and now != 0:
                raise _DifferentError(line, f"clock_ms is {now}, but a sitting begins with 0")
            if now < last:
                raise _DifferentError(line, f"clock_ms went back from {last} to {now}: no stopwatch does")
            if _duration(event) > now - done + ROUNDING:
                problem = f"{event.event!r} took {_duration(event)} ms, longer than the time there was"
                raise _DifferentError(line, problem)
            if isinstance(event, Answered) and event.delay_ms is not None:
                if event.delay_ms < pause - EARLY:
                    problem = f"delay_ms is {event.delay_ms}, but the study has a pause of {pause:g} ms"
                    raise _DifferentError(line, problem)
                if event.delay_ms + _duration(event) > now + ROUNDING:
                    problem = f"delay_ms is {event.delay_ms}, longer than the sitting so far"
                    raise _DifferentError(line, problem)
            last = now
            if not isinstance(event, Aside):
                done = now


def _duration(event: Event) -> float:
    """How long an event took, in ms, as far as it says so."""
    match event:
        case Answered() | Responded():
            return event.rt_ms or 0.0
        case Read() | Rested() | Stayed():
            return event.ms
    return 0.0


def _events_notes(opened: SavedSession) -> list[str]:
    """What an experimenter should know about the times and the file, although it is no difference."""
    notes, backwards = [], []
    last = end_of(opened.saved.events[0])
    for event, line in zip(opened.saved.events, opened.saved.lines, strict=True):
        if isinstance(event, Rewritten):
            kept = f"; {event.kept_in} has what was found" if event.kept_in else ""
            problem = f"another program changed this file during the session ({event.found})"
            notes.append(f"line {line}: {problem}, and studyapp wrote it again, whole{kept}")
            continue  # it is noticed after the event that it precedes
        if last - end_of(event) > SLACK:
            backwards.append((line, (last - end_of(event)).total_seconds()))
        last = end_of(event)
    if backwards:
        line, seconds = backwards[0]
        more = f", and {counted(len(backwards) - 1, 'more time')} later" if len(backwards) > 1 else ""
        problem = f"the computer's clock was set back by {seconds:.3f} s or more{more}"
        notes.append(f"line {line}: {problem}; durations are right, because a stopwatch measures them")
    return notes


class _Replay:
    """Asks every question of a session again."""

    def __init__(self, opened: SavedSession, loaded: LoadedStudy) -> None:
        self._opened = opened
        self._loaded = loaded
        self._words = loaded.vocabulary.words
        self.rederived = 0
        self.notes: list[str] = []

    def run(self) -> None:
        """Replay all rounds; raises a _DifferentError at the first difference."""
        import torch

        torch.set_num_threads(1)  # as when the session ran
        for round_ in self._opened.session.plan:
            answers = self._opened.session.answers_in(round_)
            if not answers:
                break
            self._replay_round(round_, answers)

    def _replay_round(self, round_: Round, answers: list[Answered]) -> None:
        learner = learner_of(self._loaded, self._opened.participant, round_)
        state = learner.begin(self._words.index(round_.first))
        for answer in answers:
            state = self._check_question(state, answer)
            self._check_state(state, answer)
            self._check_reward(round_, answer)
            self.rederived += 1
            if answer.question < self._loaded.study.questions:
                state = learner.tell_both(state)[answer.answer == "y"]

    def _check_question(self, state: State, answer: Answered) -> State:
        """The state that asked the question in the log."""
        expected, asked = self._words[state.arm], self._words.index(answer.word)
        if answer.word == expected:
            return state
        behind = state.scores[state.arm] - state.scores[asked]
        near = NEAR_TIE * (1.0 + abs(state.scores).max())
        if answer.question == 1 or behind > near:
            problem = (
                f"{_question(answer)} is {answer.word!r}; expected {expected!r} (better by {behind:.3g})"
            )
            raise self._different(answer, problem)
        note = f"near-tie: {_question(answer)} is {answer.word!r}; here {expected!r} wins by {behind:.1e}"
        self.notes.append(f"line {self._opened.line(answer)}: {note}")
        return replace(state, arm=asked)

    def _check_state(self, state: State, answer: Answered) -> None:
        assert answer.digest is not None
        if not same_digest(answer.digest, state.digest):
            problem = (
                f"the learner's state at {_question(answer)} is {answer.digest}; expected {state.digest}"
            )
            raise self._different(answer, problem)
        if answer.converged != state.fit.converged:
            words = {True: "converged", False: "not converged", None: "not known"}
            problem = f"the fit at {_question(answer)} is {words[answer.converged]}"
            raise self._different(answer, f"{problem}; expected {words[state.fit.converged]}")

    def _check_reward(self, round_: Round, answer: Answered) -> None:
        if not self._loaded.is_reward(answer.reward, round_.target, answer.word):
            expected = self._loaded.reward(round_.target, answer.word)
            problem = f"the reward of {_question(answer)} is {answer.reward}; expected {expected}"
            raise self._different(answer, problem)

    def _different(self, answer: Answered, problem: str) -> _DifferentError:
        return _DifferentError(self._opened.line(answer), problem)


def _question(answer: Answered) -> str:
    return f"question {answer.question} of round {answer.round}"


def _check_end(opened: SavedSession) -> None:
    over = opened.session.over
    line = opened.saved.lines[-1]
    if isinstance(over, Finished):
        expected = opened.session.finished(over.at)
        for name in ("answers", "found", "bonus"):
            ours, theirs = getattr(expected, name), getattr(over, name)
            if ours != theirs:
                raise _DifferentError(line, f"{name} is {theirs} in the last event; expected {ours}")
    elif over is not None and over.answers != len(opened.session.answers):
        problem = f"answers is {over.answers} in the last event; expected {len(opened.session.answers)}"
        raise _DifferentError(line, problem)


def _written_with(opened: SavedSession) -> list[str]:
    """Other software can explain a difference: list the versions that differ."""
    now, then = software(), opened.session.started.software
    other = [
        f"{name} {then.get(name)} (here {now[name]})"
        for name in ("studyapp", "torch", "numpy", "scipy")
        if then.get(name) != now[name]
    ]
    return [f"the log was written with {', '.join(other)}"] if other else []
