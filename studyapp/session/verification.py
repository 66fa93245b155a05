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
from core.wording import counted
from studyapp.base.environment import software
from studyapp.session.changes import OtherVersionError, check_version
from studyapp.session.events import Rewritten
from studyapp.session.ids import MisnamedError
from studyapp.session.imports import verify_imported
from studyapp.session.log_format import ChangedError
from studyapp.session.receipts import receipt_of
from studyapp.session.replay import Replay
from studyapp.session.saved import SavedSession, load_study, one_log, open_session
from studyapp.session.times import check_stopwatch, date_notes
from studyapp.session.verdict import DifferentError, Result, Verdict
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

if TYPE_CHECKING:
    pass


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
    replay = Replay(opened, loaded)
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
