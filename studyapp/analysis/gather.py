"""Which sessions are included in an analysis, and why the others are not.

By default these are the finished sessions of one study, all of the same kind: people's sessions, or imported
ones if there are none, or simulated ones if there are neither.  Nothing is left out silently: every log in
the folders is listed, with a reason if it is not included.  Whom the experimenter has excluded, in the log of
the study, is not included either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.errors import FileError, SettingError
from core.vocabulary import Vocabulary
from core.wording import did_you_mean
from studyapp.analysis.extract import Broken, Extract, extract
from studyapp.base.parallel import in_order
from studyapp.office.standing import Standing
from studyapp.session.events import Withdrawn
from studyapp.session.saved import FEW_LOGS, check_words, find_logs
from studyapp.study.study import Study
from studyapp.tables.copies import STILL_THERE, LeftOut, repeated

if TYPE_CHECKING:
    from studyapp.analysis.registered import Registered

PREFERRED = ("person", "imported", "simulated")  # the first kind that there is
BROKEN = "broken"
WORDING = {"ask", "low", "high"}  # of an item, where a typo may have been corrected
EXCLUDED = "excluded by the experimenter"  # how such a reason begins


@dataclass(frozen=True)
class LogStatus:
    """Whether a log is included, and why not."""

    path: Path
    participant: str | None
    kind: str | None
    state: str
    included: bool
    reason: str
    is_copy: bool = False  # another log has the same session, so this one is no participant of its own
    is_clash: bool = False  # another log has a different session of the same ID
    deleted: Withdrawn | None = None  # how, if the answers were deleted
    with_folder: bool = False  # there are several folders, so a file's name alone may not tell which it is

    @property
    def name(self) -> str:
        """The log's name for people."""
        return str(self.path) if self.with_folder else self.path.name


@dataclass(frozen=True)
class Gathered:
    """The sessions to analyse, sorted by participant, and the status of every log."""

    sessions: list[Extract]
    logs: list[LogStatus]
    kinds: list[str]  # of the included sessions
    include: Sequence[str] = ()  # as on the command line
    exclude: Sequence[str] = ()
    standing: Standing = field(default_factory=Standing)
    # How this compares with the study's registration, if it has one.
    registered: Registered | None = field(default=None, kw_only=True)

    @property
    def blind(self) -> bool:
        """Do models have labels instead of their names?"""
        return self.standing.blind

    @property
    def broken(self) -> list[LogStatus]:
        return [log for log in self.logs if log.state == BROKEN]

    def warnings(self) -> list[str]:
        """A line about every log that could not be read, and about different sessions under one ID."""
        told = [log for log in self.logs if log.state == BROKEN or log.is_clash]
        separators = {log.path: ", " if log.reason.startswith("line ") else ": " for log in told}
        return [f"{log.path}{separators[log.path]}{log.reason}" for log in told]


def gather(
    *folders: Path,
    words: Path | None = None,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    standing: Standing | None = None,
) -> Gathered:
    """Read all logs in some folders and choose the sessions to analyse.

    ``standing`` says whom the experimenter has excluded, and whether the analysis is blind.
    """
    standing = standing or Standing()
    logs = find_logs(folders)
    check_words(words)
    reading = partial(extract, words=words, blind=standing.blind)
    read = shared(in_order(reading, logs, "reading logs", few=FEW_LOGS))
    readable = [session for session in read if isinstance(session, Extract)]
    _check_excluded(exclude, readable)
    kinds = kinds_included(readable, include)
    decided = {participant: _decided(standing, participant) for participant in standing.conduct.excluded}
    decided |= dict.fromkeys(standing.conduct.deleted, STILL_THERE)
    excluded = {session.path for session in readable if session.participant in (*exclude, *decided)}
    again = {
        path: log
        for path, log in repeated((session.path for session in readable), kinds).items()
        if log.is_copy or path not in excluded  # of sessions that are excluded anyway, none must be chosen
    }
    once = [session for session in readable if session.path not in again]
    reasons = {path: log.reason for path, log in again.items()}
    reasons |= {session.path: reason for session, reason in _left_out(once, kinds, include, exclude, decided)}
    statuses = [_status(session, reasons, again, with_folder=len(folders) > 1) for session in read]
    sessions = [session for session in readable if session.path not in reasons]
    if not sessions:
        lines = [f"  {log.name}: {log.reason}" for log in statuses]
        raise FileError(folders[0], "none of the sessions here can be analysed:", *lines)
    sessions.sort(key=lambda session: session.participant)
    analysed = [kind for kind in (*PREFERRED, "pilot") if any(session.kind == kind for session in sessions)]
    return Gathered(sessions, statuses, analysed, include, exclude, standing)


def _decided(standing: Standing, participant: str) -> str:
    """Why the experimenter has excluded a participant, and whether the models were known by then."""
    excluded = standing.conduct.excluded[participant]
    when = "" if standing.conduct.unblinded is None else " before the unblinding"
    return f"{EXCLUDED}{' after the unblinding' if excluded.unblinded else when}: {excluded.reason}"


def shared(read: Iterable[Extract | Broken]) -> list[Extract | Broken]:
    """The same sessions with one copy of equal studies and word sets: these are as large as the answers."""
    studies: dict[str, Study] = {}
    vocabularies: dict[str, Vocabulary | None] = {}
    return [
        session
        if isinstance(session, Broken)
        else replace(
            session,
            study=studies.setdefault(session.study.model_dump_json(), session.study),
            vocabulary=session.vocabulary
            and vocabularies.setdefault(session.words_sha256, session.vocabulary),
        )
        for session in read
    ]


def _status(
    session: Extract | Broken, reasons: dict[Path, str], again: dict[Path, LeftOut], *, with_folder: bool
) -> LogStatus:
    path = session.path
    if isinstance(session, Broken):
        return LogStatus(path, None, None, BROKEN, False, session.problem, with_folder=with_folder)
    reason = reasons.get(path, "")
    note = "the last event is incomplete and was ignored" if session.torn else ""
    return LogStatus(
        path,
        session.participant,
        session.kind,
        session.state,
        included=not reason,
        reason=reason or note,
        is_copy=path in again and again[path].is_copy,
        is_clash=path in again and not again[path].is_copy,
        deleted=session.deleted,
        with_folder=with_folder,
    )


def _left_out(
    sessions: Sequence[Extract],
    kinds: set[str],
    include: Sequence[str],
    exclude: Sequence[str],
    decided: Mapping[str, str],
) -> Iterator[tuple[Extract, str]]:
    """The sessions that are not included, with the reason; those that remain belong to one study."""
    remaining = []
    for session in sessions:
        if session.participant in exclude:
            yield session, "excluded by --exclude"
        elif session.participant in decided and session.state != "deleted":
            yield session, decided[session.participant]
        elif reason := reason_to_leave_out(session, kinds, include):
            yield session, reason
        elif not session.counted.any():
            yield session, "no target was completed with every model"
        else:
            remaining.append(session)
    yield from _of_other_studies(remaining)


def reason_to_leave_out(session: Extract, kinds: set[str], include: Sequence[str]) -> str:
    """Why a session of this kind and state is not included; empty if it is."""
    if session.deleted:
        asked_later = session.deleted.by == "experimenter"
        return (
            "the answers were deleted on request"
            if asked_later
            else "withdrawn, and the answers were deleted"
        )
    if session.state in ("withdrawn", "incomplete") and session.state not in include:
        return f"{session.state} (to include it: --include {session.state})"
    if session.kind not in kinds:
        return f"{session.kind} (to include it: --include {session.kind})"
    return ""


def kinds_included(sessions: Sequence[Extract], include: Sequence[str]) -> set[str]:
    """The preferred kind that there is, and the kinds that --include names."""
    usable = {session.kind for session in sessions if session.state == "finished" or session.state in include}
    preferred = next((kind for kind in PREFERRED if kind in usable), "person")
    return {preferred, *include}


def _of_other_studies(sessions: Sequence[Extract]) -> Iterator[tuple[Extract, str]]:
    """Sessions of different studies cannot be compared: those of the most frequent study remain."""
    keys = [repr(_study_key(session)) for session in sessions]
    if len(set(keys)) < 2:
        return
    most = Counter(keys).most_common(1)[0][0]
    kept = _study_key(sessions[keys.index(most)])
    for session, key in zip(sessions, keys, strict=True):
        if key != most:
            own = _study_key(session)
            differences = ", ".join(name for name in own if own[name] != kept[name])
            problem = f"belongs to a different study than most sessions here (it differs in: {differences})"
            yield session, f"{problem}; analyse it separately"


def _study_key(session: Extract) -> dict[str, Any]:
    """What must be equal for sessions to be comparable."""
    study = session.study
    return {
        "words": session.words_sha256,
        "kernel_width": study.kernel_width,
        "models": session.models_sha256,
        "questions": study.questions,
        "targets": sorted({round_.target for round_ in session.plan if not round_.practice}),
        "questionnaires": [
            (when, name, item.model_dump(exclude=WORDING))
            for when, names in (("round", study.after_round), ("end", study.at_end))
            for name, item in study.items(names)
        ],
    }


def _check_excluded(exclude: Sequence[str], sessions: Sequence[Extract]) -> None:
    known = [session.participant for session in sessions]
    for participant in exclude:
        if participant not in known:
            guess = did_you_mean(participant, known)
            raise SettingError(f"--exclude {participant}: no session here has this participant{guess}")
