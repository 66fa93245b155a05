"""Whether a saved session may be resumed, and where it continues."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from core.errors import FileError, SettingError
from studyapp.session.changes import check_version, study_changes
from studyapp.session.events import Answered, Event, Finished, Started, Withdrawn
from studyapp.session.ids import check_name
from studyapp.session.session import Session, fold
from studyapp.study.loaded import LoadedStudy
from studyapp.study.study import Resume

MOST_CHANGES = 12  # that a message lists


class OverError(FileError):
    """The session has ended: it was finished, or the participant withdrew."""


class StudyChangedError(FileError):
    """The study is no longer the one that the session began with, in a way that matters."""


def resumable(
    path: Path,
    events: Sequence[Event],
    loaded: LoadedStudy,
    answers_like: tuple[str | None, str | None],
    now: datetime,
) -> Session:
    """The session in a log, where it continues; raises a FileError if it must not be resumed.

    ``answers_like`` says how a simulated participant answers, and the hash of the people it is like.
    """
    started, *later = events
    assert isinstance(started, Started)
    check_name(path, started.participant)  # P07 and p07, on a file system that ignores case
    try:
        session = fold(started, later)
    except SettingError as error:
        raise FileError(path, f"the events are out of order: {error}; was the log edited?") from None
    _check_same_kind(path, started, *answers_like)
    if not session.over:
        check_version(path, started)
    if answers_like[0] is None:  # a person is told only that the session is over, not how studies differ
        _check_not_over(path, session)
        _check_same_study(path, session, loaded)
    else:  # a rehearsal of another study must not pass for this one
        _check_same_study(path, session, loaded)
        _check_not_over(path, session)
    _check_policy(path, events[-1], loaded, now)
    return session


def end_of(event: Event) -> datetime:
    """When an event ended."""
    if not isinstance(event, Answered):
        return datetime.fromisoformat(event.at)
    assert event.shown_at is not None  # only imported answers have no time
    return datetime.fromisoformat(event.shown_at) + timedelta(milliseconds=event.rt_ms or 0.0)


def return_by(policy: Resume, last: datetime) -> datetime | None:
    """Until when a session may be resumed whose last event ended then, in local time; None: for ever."""
    if policy.within_hours is None:
        return None
    try:
        return (last + timedelta(hours=policy.within_hours)).astimezone()
    except OverflowError:  # later than any date
        return None


def _check_same_kind(path: Path, started: Started, teacher: str | None, people: str | None) -> None:
    cure = "choose another ID or another folder"
    if started.imported is not None:
        raise FileError(path, f"this session was imported and can't be resumed; {cure}")
    if started.simulated != (teacher is not None) or started.teacher != teacher:
        kind = f"a simulated participant ({started.teacher})" if started.simulated else "a person"
        raise FileError(path, f"this is the log of {kind}; {cure}")
    if started.people_sha256 != people:
        problem = "this simulated participant answers like other people (people in the study, or --people)"
        raise FileError(path, f"{problem}; {cure}")


def _check_not_over(path: Path, session: Session) -> None:
    participant = session.started.participant
    if isinstance(session.over, Finished):
        raise OverError(path, f"{participant} finished on {session.over.at}; choose another ID")
    if isinstance(session.over, Withdrawn):
        raise OverError(path, f"{participant} withdrew on {session.over.at}; choose another ID")


def _check_same_study(path: Path, session: Session, loaded: LoadedStudy) -> None:
    # Both as this version records them: a setting that is new in it has its default in both.
    started, changes = session.started, study_changes(session.study.record(), loaded.study.record())
    if started.words_sha256 != loaded.vocabulary.sha256:
        changes.append("the words or their vectors: not the same as when the session began")
    if changes:
        listed = [f"  {change}" for change in changes[:MOST_CHANGES]]
        more = [f"  and {len(changes) - MOST_CHANGES} more"] if len(changes) > MOST_CHANGES else []
        problem = f"the study has changed since {started.participant} began:"
        other = "folder (--sessions)" if started.simulated else "ID"
        cure = f"Restore the study as it was, or choose another {other}."
        raise StudyChangedError(path, problem, *listed, *more, cure)


def _check_policy(path: Path, last: Event, loaded: LoadedStudy, now: datetime) -> None:
    policy = loaded.study.resume
    if not policy.allowed:
        raise FileError(path, "this study does not allow sessions to be resumed (resume.allowed: false)")
    limit = return_by(policy, end_of(last))
    if limit is not None and now > limit:  # never, if the clock was set back since
        hours = (now - end_of(last)).total_seconds() / 3600
        problem = f"the session was left {hours:.1f} hours ago; the limit is {policy.within_hours:g}"
        raise FileError(path, f"{problem} (resume.within_hours)")
