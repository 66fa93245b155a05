"""Verification of an imported session: its questions were asked elsewhere, but many follow from its answers.

An import can say which study its table is from.  Its rounds are then replayed with the learners of the study.
A model whose questions follow from the answers alone must ask every question of the log, near-ties excepted.
A model that draws random numbers (for its look-ahead, or to choose a question) drew others in the original,
and a table does not have them, nor those that drew the first question of each round: the replay only counts
how many of these questions come out the same.

Without a study, nothing can be replayed.  In either case the log must look as an import writes it.  Whether
its answers are those of the table, only the table can show (``studyapp verify --source``).
"""

from __future__ import annotations

from core.wording import counted
from studyapp.session.answers import RECORDED_BY_STUDYAPP
from studyapp.session.events import Answered, Finished, RoundBegan, Started
from studyapp.session.replay import Replay
from studyapp.session.saved import SavedSession
from studyapp.session.verdict import DifferentError, Result, Verdict
from studyapp.study.loaded import LoadedStudy

NO_STUDY = "the import did not name the study that the data are from (studyapp import --study)"
WRITTEN = (Started, RoundBegan, Answered, Finished)  # the events that an import writes


def verify_imported(opened: SavedSession, loaded: LoadedStudy, *, blind: bool = False) -> Result:
    """Replay an imported session, as far as that is possible; if blind, the result names no model."""
    imported = opened.session.started.imported
    assert imported is not None
    questions, chain = len(opened.session.answers), opened.saved.chain
    replay = Replay(opened, loaded)
    try:
        _check_form(opened)
        if imported.study is not None:
            replay.run()
    except DifferentError as difference:
        why, rederived = str(difference), replay.agreed
        message = f"different: {why}"
        notes = [] if imported.study is None else [f"replayed with the study {imported.study!r}"]
        return Result(opened.path, "different", message, questions, rederived, why, notes, chain)
    if imported.study is None:
        message = f"imported: {counted(questions, 'question')}, none replayed: {NO_STUDY}; chain {chain}"
        notes = _reward_notes(opened, loaded)
        return Result(opened.path, "imported", message, questions, 0, NO_STUDY, notes, chain)
    # If every model draws, the log was held to nothing.
    held = any(not one.draws for one in replay.models.values())
    verdict: Verdict = "verified" if held else "imported"
    by_model = ", ".join(
        f"{model} {one.rederived} of {one.questions}" for model, one in replay.models.items()
    )
    reasons = _reasons(replay, blind=blind)
    message = f"{verdict}: {replay.agreed} of {counted(questions, 'question')} re-derived"
    message = f"{message} with the study {imported.study!r}"
    message = f"{message}{'' if blind else f' ({by_model})'}; chain {chain}"
    return Result(
        opened.path,
        verdict,
        message,
        questions,
        replay.agreed,
        "; ".join(reasons) or None,
        [*replay.notes, *reasons],
        chain,
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
