"""Verification: does everything in a log follow from its study, seed and answers, as far as it can?

A session that ran in studyapp is replayed from its answers alone, with the same learners.  The plan, every
question, the learner's state behind it, every reward and the counts must be as in the log, and its durations
must be possible.  What is only noted: a near-tie, dates that contradict each other, a missing end, a torn
tail, and a file that another program changed during the session.

The questions of an imported session were asked elsewhere, but many follow from its answers.  An import can
say which study its table is from; its rounds are then replayed with the learners of that study.  A model
whose questions follow from the answers alone must ask every question of the log, near-ties excepted.  A model
that draws random numbers (for its look-ahead, or to choose a question) drew others in the original, and a
table does not have them, nor those that drew the first question of each round: the replay only counts how
many of these questions come out the same.  Without a study, nothing can be replayed.  In either case the log
must look as an import writes it.  Whether its answers are those of the table, only the table can show
(``studyapp verify --source``).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from core.errors import FileError
from core.wording import counted
from studyapp.base.environment import software
from studyapp.session.answers import RECORDED_BY_STUDYAPP
from studyapp.session.changes import OtherVersionError, check_version
from studyapp.session.events import Answered, Finished, Rewritten, RoundBegan, Started
from studyapp.session.ids import MisnamedError
from studyapp.session.log_format import ChangedError
from studyapp.session.replay import Replay
from studyapp.session.saved import SavedSession, load_study, one_log, open_session
from studyapp.session.times import check_stopwatch, date_notes
from studyapp.session.verdict import DifferentError, Result, Verdict
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round

NO_STUDY = "the import did not name the study that the data are from (studyapp import --study)"
WRITTEN = (Started, RoundBegan, Answered, Finished)  # the events that an import writes


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
    if opened.kind != "imported":
        check_version(path, opened.session.started)
    loaded = load_study(opened, words)
    questions = len(opened.session.answers)
    result = Result(path, "different", "", questions, chain=opened.saved.chain, receipt=opened.receipt)
    replay = Replay(opened, loaded)
    if opened.kind == "imported":
        return _verify_import(opened, loaded, replay, result, blind)
    return _verify_run(opened, loaded, replay, result)


def _different(result: Result, difference: DifferentError, rederived: int, notes: list[str]) -> Result:
    why = str(difference)
    message = f"different: {why}"
    return replace(result, message=message, rederived=rederived, not_rederived=why, notes=notes)


def _unusable(path: Path, verdict: Verdict, error: FileError) -> Result:
    problem = f"{error.where}: {error.problem}" if error.where else error.problem
    return Result(path, verdict, f"{verdict}: {problem}", not_rederived=problem)


def _verify_run(opened: SavedSession, loaded: LoadedStudy, replay: Replay, result: Result) -> Result:
    """Replay a session that ran in studyapp."""
    notes = [*_file_notes(opened), *date_notes(opened)]
    try:
        _check_plan(opened, loaded)
        check_stopwatch(opened)
        replay.run()
        if problem := opened.session.miscount():
            raise DifferentError(opened.saved.lines[-1], problem)
    except DifferentError as difference:
        return _different(result, difference, replay.rederived, [*_written_with(opened), *notes])
    state = "" if opened.state == "finished" else f" ({opened.state})"
    message = f"verified: {counted(result.questions, 'question')} re-derived{state}; chain {result.chain}"
    message += f"; receipt {result.receipt}" if result.receipt else ""
    notes = [*replay.notes, *notes]
    return replace(result, verdict="verified", message=message, rederived=result.questions, notes=notes)


def _check_plan(opened: SavedSession, loaded: LoadedStudy) -> None:
    started = opened.session.started
    if started.seed != loaded.study.seed:
        raise DifferentError(1, f"the seed is {started.seed}, but {loaded.study.seed} in the study")
    expected = plan.make(loaded, started.participant)
    if len(expected) != len(started.plan):
        rounds = counted(len(started.plan), "round")
        raise DifferentError(1, f"the plan has {rounds}; expected {len(expected)}")
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


def _verify_import(
    opened: SavedSession, loaded: LoadedStudy, replay: Replay, result: Result, blind: bool
) -> Result:
    """Replay an imported session, as far as that is possible; if blind, the result names no model."""
    imported = opened.session.started.imported
    assert imported is not None
    asked, chain = counted(result.questions, "question"), result.chain
    try:
        _check_form(opened)
        if imported.study is not None:
            replay.run()
    except DifferentError as difference:
        notes = [] if imported.study is None else [f"replayed with the study {imported.study!r}"]
        return _different(result, difference, replay.agreed, notes)
    if imported.study is None:
        message = f"imported: {asked}, none replayed: {NO_STUDY}; chain {chain}"
        notes = _reward_notes(opened, loaded)
        return replace(result, verdict="imported", message=message, not_rederived=NO_STUDY, notes=notes)
    # If every model draws, the log was held to nothing.
    verdict: Verdict = "verified" if any(not one.draws for one in replay.models.values()) else "imported"
    models = ", ".join(f"{name} {one.rederived} of {one.questions}" for name, one in replay.models.items())
    by_model = "" if blind else f" ({models})"
    reasons = _reasons(replay, blind=blind)
    message = f"{verdict}: {replay.agreed} of {asked} re-derived with the study {imported.study!r}"
    return replace(
        result,
        verdict=verdict,
        message=f"{message}{by_model}; chain {chain}",
        rederived=replay.agreed,
        not_rederived="; ".join(reasons) or None,
        notes=[*replay.notes, *reasons],
        models=None if blind else replay.models,
    )


def _check_form(opened: SavedSession) -> None:
    """Check that an import could have written this log."""
    session, at = opened.session, opened.session.started.at
    for event, line in zip(opened.saved.events, opened.saved.lines, strict=True):
        if not isinstance(event, WRITTEN):
            raise DifferentError(line, f"an imported log has no event {event.event!r}")
        if isinstance(event, Answered):
            known = [name for name in RECORDED_BY_STUDYAPP if getattr(event, name) is not None]
            if known:
                raise DifferentError(line, f"{known[0]} is not empty, but an import leaves it empty")
        elif event.at != at:
            problem = f"the time is {event.at}, but an import writes only its own time, {at}"
            raise DifferentError(line, problem)
    line = opened.saved.lines[-1]
    if session.lacks_end:
        problem = "the end of the session ('finished') is missing, which an import always writes"
        raise DifferentError(line, problem)
    if problem := session.miscount() or "":
        raise DifferentError(line, problem)


def _reasons(replay: Replay, *, blind: bool) -> list[str]:
    """Why questions were not re-derived."""
    reasons = []
    if replay.rounds:
        reasons.append(f"{counted(len(replay.rounds), 'first question')}: drawn at random in the original")
    unknown = "draws random numbers, and the original's are unknown"
    if blind and (rest := sum(model.questions - model.rederived for model in replay.models.values())):
        reasons.append(f"{counted(rest, 'question')} came out differently: a model {unknown}")
    for name, model in () if blind else replay.models.items():
        if rest := model.questions - model.rederived:
            problem = f"{rest} of {counted(model.questions, 'question')} of {name!r} came out differently"
            reasons.append(f"{problem}: the model {unknown}")
    if never := [round_ for round_ in replay.session.plan if not replay.session.took_place(round_)]:
        which = ", ".join(str(round_.round) for round_ in never)
        rounds_, they = ("round", "it") if len(never) == 1 else ("rounds", "they")
        reasons.append(f"{rounds_} {which}: all rewards are 0, so {they} never took place")
    return reasons


def _reward_notes(opened: SavedSession, loaded: LoadedStudy) -> list[str]:
    """Without a study, other rewards are only noted: another program may have had others."""
    rounds = {round_.round: round_ for round_ in opened.session.plan}
    other = [
        answer
        for answer in opened.session.answers
        if not loaded.is_reward(answer.reward, rounds[answer.round].target, answer.word)
    ]
    if not other:
        return []
    verb = "is" if len(other) == 1 else "are"
    problem = f"{counted(len(other), 'reward')} {verb} not the similarity of the word to the target"
    return [f"{problem}; see line {opened.line(other[0])}"]
