"""Verification: does everything in a log follow from its study, seed and answers, as far as it can?

A session that ran in studyapp is replayed from its answers alone, with the same learners.  The plan, every
question, the learner's state behind it, every reward and the counts must be as in the log, and its durations
must be possible.  What is only noted: a near-tie, dates that contradict each other, a missing end, a torn
tail, and a file that another program changed during the session.  ``studyapp.session.imports`` does the same
for a session that was imported, as far as that goes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import FileError
from core.version import same_digest
from core.wording import counted
from studyapp.base.environment import software
from studyapp.session.events import Answered, Rewritten
from studyapp.session.imports import verify_imported
from studyapp.session.log_format import ChangedError
from studyapp.session.receipts import receipt_of
from studyapp.session.replay import asked_again, other_question, wording
from studyapp.session.saved import MisnamedError, SavedSession, load_study, one_log, open_session
from studyapp.session.times import check_stopwatch, date_notes
from studyapp.session.verdict import DifferentError, Result, Verdict
from studyapp.session.versions import OtherVersionError, check_version
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

if TYPE_CHECKING:
    from core import State

__all__ = ["verify"]


def verify(path: Path, words: Path | None = None, *, blind: bool = False) -> Result:
    """Replay one log; if blind, the result names no model."""
    try:
        with one_log(path):
            return _verify(path, words, blind)
    except ChangedError as error:
        return _unusable(path, "changed", error)
    except MisnamedError as error:
        return _unusable(path, "different", error)
    except OtherVersionError as error:
        return _unusable(path, "other version", error)
    except FileError as error:
        return _unusable(path, "unreadable", error)


def _verify(path: Path, words: Path | None, blind: bool) -> Result:
    opened = open_session(path)
    if opened.state == "deleted":
        why = "the answers were deleted on request"
        return Result(path, "deleted", f"nothing to verify: {why}", not_rederived=why)
    if opened.kind == "imported":  # its questions were asked elsewhere
        return verify_imported(opened, load_study(opened, words), blind=blind)
    check_version(path, opened.session.started)
    loaded = load_study(opened, words)
    return _verify_run(opened, loaded)


def _unusable(path: Path, verdict: Verdict, error: FileError) -> Result:
    problem = f"{error.where}: {error.problem}" if error.where else error.problem
    return Result(path, verdict, f"{verdict}: {problem}", not_rederived=problem)


def _verify_run(opened: SavedSession, loaded: LoadedStudy) -> Result:
    """Replay a session that ran in studyapp."""
    questions, chain = len(opened.session.answers), opened.saved.chain
    receipt = receipt_of(chain) if opened.state == "finished" else None
    replay = _Replay(opened, loaded)
    notes = [*_file_notes(opened), *date_notes(opened)]
    try:
        _check_plan(opened, loaded)
        check_stopwatch(opened)
        replay.run()
        if problem := opened.session.miscount():
            raise DifferentError(opened.saved.lines[-1], problem)
    except DifferentError as difference:
        return Result(
            opened.path,
            "different",
            f"different: {difference}",
            questions,
            replay.rederived,
            str(difference),
            [*_written_with(opened), *notes],
            chain,
            receipt,
        )
    state = "" if opened.state == "finished" else f" ({opened.state})"
    message = f"verified: {counted(questions, 'question')} re-derived{state}; chain {chain}"
    message += f"; receipt {receipt}" if receipt else ""
    notes = [*replay.notes, *notes]
    return Result(opened.path, "verified", message, questions, questions, None, notes, chain, receipt)


def _check_plan(opened: SavedSession, loaded: LoadedStudy) -> None:
    started = opened.session.started
    if started.seed != loaded.study.seed:
        raise DifferentError(1, f"the seed is {started.seed}, but {loaded.study.seed} in the study")
    expected = plan.make(loaded, started.participant)
    if len(expected) != len(started.plan):
        raise DifferentError(
            1, f"the plan has {counted(len(started.plan), 'round')}; expected {len(expected)}"
        )
    for ours, theirs in zip(expected, started.plan, strict=True):
        if ours != theirs:
            raise DifferentError(1, _other_round(ours, theirs))


def _other_round(ours: Round, theirs: Round) -> str:
    """What differs; no model is named, because whoever runs a study is blind."""
    if replace(theirs, model=ours.model) == ours:
        return f"round {ours.round} of the plan has another model than expected"
    return f"the plan has {_describe(theirs)}; expected {_describe(ours)}"


def _describe(round_: Round) -> str:
    practice = ", practice" if round_.practice else ""
    return f"round {round_.round} (target {round_.target!r}, first {round_.first!r}{practice})"


class _Replay:
    """Compares every question of a session with its replay."""

    def __init__(self, opened: SavedSession, loaded: LoadedStudy) -> None:
        self._opened = opened
        self._loaded = loaded
        self.rederived = 0
        self.notes: list[str] = []

    def run(self) -> None:
        """Raises a DifferentError at the first difference in the log."""
        session = self._opened.session
        problems: dict[int, str] = {}  # by line: rounds are not replayed in the order of the log
        ties: dict[int, str] = {}
        for round_, answer, state in asked_again(session, self._loaded, session.plan):
            line = self._opened.line(answer)
            other = other_question(self._loaded, answer, state)
            if other and not other.near_tie:
                problems[line] = other.text
                continue
            if other:
                ties[line] = f"line {line}: near-tie: {other.text}"
                state = replace(state, arm=self._loaded.vocabulary.index(answer.word))
            if problem := self._state_problem(state, answer) or self._reward_problem(round_, answer):
                problems[line] = problem
        first = min(problems, default=None)
        self.rederived = sum(first is None or self._opened.line(answer) < first for answer in session.answers)
        self.notes = [ties[line] for line in sorted(ties)]
        if first is not None:
            raise DifferentError(first, problems[first])

    def _state_problem(self, state: State, answer: Answered) -> str | None:
        assert answer.digest is not None
        if not same_digest(answer.digest, state.digest):
            return f"the learner's state at {wording(answer)} is {answer.digest}; expected {state.digest}"
        if answer.converged != state.fit.converged:
            words = {True: "converged", False: "not converged", None: "not known"}
            problem = f"the fit at {wording(answer)} is {words[answer.converged]}"
            return f"{problem}; expected {words[state.fit.converged]}"
        return None

    def _reward_problem(self, round_: Round, answer: Answered) -> str | None:
        if self._loaded.is_reward(answer.reward, round_.target, answer.word):
            return None
        expected = self._loaded.reward(round_.target, answer.word)
        return f"the reward of {wording(answer)} is {answer.reward}; expected {expected}"


def _file_notes(opened: SavedSession) -> list[str]:
    """What an experimenter should know about the file, although it is no difference."""
    notes = []
    for event, line in zip(opened.saved.events, opened.saved.lines, strict=True):
        if isinstance(event, Rewritten):
            kept = f"; {event.kept_in} has what was found" if event.kept_in else ""
            problem = f"another program changed this file during the session ({event.found})"
            notes.append(f"line {line}: {problem}, and studyapp wrote it again, whole{kept}")
    if opened.session.lacks_end:
        problem = "every question is answered, but the end of the session ('finished') is missing"
        cure = "the program ended before it was saved, or it was cut off; resume the session to save it"
        notes.append(f"line {opened.saved.lines[-1]}: {problem}: {cure}")
    if opened.saved.torn:
        notes.append(
            f"ignored a torn tail of {counted(len(opened.saved.torn), 'byte')}, which was never saved"
        )
    return notes


def _written_with(opened: SavedSession) -> list[str]:
    """Other software can explain a difference: list the versions that differ."""
    now, then = software(), opened.session.started.software
    other = [
        f"{name} {then.get(name)} (here {now[name]})"
        for name in ("studyapp", "numpy", "scipy")
        if then.get(name) != now[name]
    ]
    return [f"the log was written with {', '.join(other)}"] if other else []
