"""A sitting: one participant's session, open and written to its log as it happens.

Screens and simulated participants both work through a sitting.  ``record`` puts an event on disk
before it lets the event happen, with the reading of the sitting's stopwatch.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeVar

from core.errors import FileError
from core.people import People
from core.simulated import SIMULATED
from studyapp.base.clock import Clock, SimulatedClock, SystemClock, iso, ms
from studyapp.base.environment import here
from studyapp.base.outputs import check_folder, make_folder
from studyapp.session.events import (
    Event,
    Finished,
    Recovered,
    Resumed,
    Rewritten,
    Started,
    Withdrawn,
    check_event,
)
from studyapp.session.ids import check_case, log_path
from studyapp.session.log import Log
from studyapp.session.questions import Questioner, Questions
from studyapp.session.receipts import receipt_of
from studyapp.session.resuming import end_of, resumable
from studyapp.session.session import Session
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.study.plan import Round


@dataclass(frozen=True)
class Participant:
    """Who takes part in a session."""

    id: str
    teacher: str | None = None  # how a simulated participant answers; None for a person
    people: People | None = None  # whom one who answers as people do is like; None: as in the study
    pilot: bool = False  # with the experimenter's view of the learner


class Sitting:
    """An open session.  ``Sitting.open`` makes one."""

    def __init__(
        self,
        loaded: LoadedStudy,
        participant: Participant,
        session: Session,
        writer: _Writer,
        *,
        resumed: bool,
    ) -> None:
        self.loaded = loaded
        self.session = session
        self.clock = writer.clock
        self.pilot = participant.pilot
        self.resumed = resumed
        self._writer = writer
        self._questioner = Questioner(loaded, participant.id, equal_work=participant.teacher is None)
        self._questions: Questions | None = None

    @classmethod
    def open(
        cls,
        loaded: LoadedStudy,
        participant: Participant,
        sessions: Path,
        *,
        clock: Clock | None = None,
        expect: Literal["new", "unfinished"] | None = None,  # what the participant was told by ``peek``
    ) -> Sitting:
        """Begin a participant's session, or resume an unfinished one; raises a FileError otherwise."""
        path = _path(loaded, participant, sessions)
        make_folder(sessions)
        writer = _Writer(path, clock or SystemClock())
        try:
            resumed = bool(writer.log.events)
            if expect is not None and resumed != (expect == "unfinished"):
                raise FileError(path, "another process has changed this log in the meantime; start again")
            session = (_resume if resumed else _begin)(loaded, participant, writer)
        except BaseException:
            writer.log.close()
            raise
        # A session goes on with the study in its own log, whatever has become of the study file.
        loaded = replace(loaded, study=session.study)
        return cls(loaded, participant, session, writer, resumed=resumed)

    def record(self, event: Event) -> None:
        """Put an event on disk, then let it happen."""
        self._writer.record(event, self.session)

    def questions(self, round_: Round) -> Questions:
        """The questions of the current or next round.  Call this early: computing them takes a moment."""
        if self._questions is None or self._questions.round != round_:
            self._questions = self._questioner.begin(round_, self.session.answers_in(round_))
        return self._questions

    def withdraw(self, *, delete: bool) -> None:
        """Record that the participant withdrew, and keep or delete the answers."""
        answers = len(self.session.answers)
        withdrawn = Withdrawn(data="deleted" if delete else "kept", answers=answers, at=self.at())
        if delete:
            self._writer.erase(withdrawn, self.session)
        else:
            self.record(withdrawn)

    def finish(self) -> Finished:
        """Record that the session is complete."""
        finished = self.session.finished(self.at())
        self.record(finished)
        return finished

    def at(self) -> str:
        """The time now, as the log has it."""
        return self._writer.at()

    @property
    def path(self) -> Path:
        """The file of the log."""
        return self._writer.log.path

    @property
    def receipt(self) -> str | None:
        """The receipt of the finished session; None if it is not finished."""
        return receipt_of(self._writer.log.chain) if isinstance(self.session.over, Finished) else None

    @property
    def rewritten(self) -> list[Rewritten]:
        """What other programs did to the log during this sitting."""
        return self._writer.log.rewritten

    def close(self) -> None:
        """Close the log and stop computing questions."""
        self._questioner.close()
        self._writer.log.close()


def peek(
    loaded: LoadedStudy, participant: Participant, sessions: Path, *, clock: Clock | None = None
) -> Session | None:
    """The session that ``Sitting.open`` would resume; None if it would begin one.  Nothing is written.

    Raises the FileError that ``Sitting.open`` would raise.
    """
    path = _path(loaded, participant, sessions)
    if not os.path.lexists(path):
        check_folder(sessions, option="--sessions")
        return None
    writer = _Writer(path, clock or SystemClock())
    try:
        return _saved(loaded, participant, writer) if writer.log.events else None
    finally:
        writer.log.close()


def _path(loaded: LoadedStudy, participant: Participant, sessions: Path) -> Path:
    """The participant's log; raises a FileError if it would be new and may not be."""
    path = log_path(sessions, participant.id)
    check_case(sessions, [participant.id])
    if not os.path.lexists(path) and not loaded.study.collecting and participant.teacher is None:
        problem = "the study is closed to new participants (collecting: false in the study file)"
        raise FileError(path, f"{problem}; unfinished sessions can still be continued")
    return path


AnyEvent = TypeVar("AnyEvent", bound=Event)


class _Writer:
    """Puts events on disk, each with the reading of the stopwatch, and then lets them happen."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self.clock = clock
        self.log = Log(path, clock)
        self._since = clock.seconds()  # when the sitting began

    def record(self, event: Event, session: Session) -> None:
        event = self._checked(event, session)
        self.log.append(event)
        session.advance(event)

    def erase(self, withdrawn: Withdrawn, session: Session) -> None:
        """Delete all answers; only the head and the withdrawal stay."""
        withdrawn = self._checked(withdrawn, session)
        self.log.erase(session.started, withdrawn)
        session.advance(withdrawn)

    def begin(self, started: Started) -> Session:
        started = self._stamp(started)
        check_event(started)
        session = Session(started)
        self.log.append(started)
        return session

    def at(self) -> str:
        return iso(self.clock.now())

    def _stamp(self, event: AnyEvent) -> AnyEvent:
        """The event, with the time since the session was begun or resumed, whatever the clock says."""
        now = self.clock.seconds()
        if isinstance(event, Started | Resumed):
            self._since = now
        return replace(event, clock_ms=ms(now - self._since))

    def _checked(self, event: AnyEvent, session: Session) -> AnyEvent:
        """The event as it is written; raises a SettingError if it could not be read back."""
        event = self._stamp(event)
        check_event(event)
        session.check(event)
        return event


def _begin(loaded: LoadedStudy, participant: Participant, writer: _Writer) -> Session:
    """Write the head of a new session."""
    if writer.log.torn:  # an earlier attempt died while it wrote the head
        writer.log.set_torn_aside()
    started = Started(
        participant=participant.id,
        at=writer.at(),
        **here(),
        simulated=participant.teacher is not None,
        teacher=participant.teacher,
        people_sha256=_people_sha256(loaded, participant),
        pilot=participant.pilot,
        imported=None,
        words=loaded.study.words,
        words_sha256=loaded.vocabulary.sha256,
        seed=loaded.study.seed,
        study=loaded.study.record(),
        plan=plan.make(loaded, participant.id),
    )
    return writer.begin(started)


def _people_sha256(loaded: LoadedStudy, participant: Participant) -> str | None:
    """The hash of how people answer, if the participant is a simulated person."""
    if participant.teacher is None or not SIMULATED[participant.teacher].is_person:
        return None
    return (participant.people or loaded.people).sha256


def _saved(loaded: LoadedStudy, participant: Participant, writer: _Writer) -> Session:
    """The session in a log; raises a FileError if it must not be resumed."""
    answers_like = (participant.teacher, _people_sha256(loaded, participant))
    log, now = writer.log, writer.clock.now()
    return resumable(log.path, log.events, loaded, answers_like, now)


def _resume(loaded: LoadedStudy, participant: Participant, writer: _Writer) -> Session:
    """Continue a saved session where its log ends."""
    log, clock, session = writer.log, writer.clock, _saved(loaded, participant, writer)
    if isinstance(clock, SimulatedClock):  # simulated time may have run ahead of real time
        clock.wait_until(end_of(log.events[-1]))
    torn = len(log.torn)
    aside = log.set_torn_aside() if torn else None
    writer.record(Resumed(at=writer.at(), pilot=participant.pilot, **here()), session)
    if aside:
        writer.record(Recovered(bytes=torn, kept_in=aside.name, at=writer.at()), session)
    return session
