"""A sitting: one participant's session, open and written to its log as it happens.

Screens and simulated participants both work through a sitting.  ``record`` puts an event on disk
before it lets the event happen.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from studyapp.base.clock import Clock, SimulatedClock, SystemClock, iso
from studyapp.base.environment import here
from studyapp.base.outputs import make_folder
from studyapp.session.events import Event, Finished, Recovered, Resumed, Started, Withdrawn
from studyapp.session.ids import log_path
from studyapp.session.log import Log
from studyapp.session.questions import Questioner, Questions
from studyapp.session.resuming import OverError, StudyChangedError, end_of, resumable
from studyapp.session.session import Session
from studyapp.study import plan
from studyapp.study.plan import Round
from studyapp.study.study import LoadedStudy

__all__ = ["OverError", "Participant", "Sitting", "StudyChangedError"]


@dataclass(frozen=True)
class Participant:
    """Who takes part in a session."""

    id: str
    teacher: str | None = None  # how a simulated participant answers; None for a person
    pilot: bool = False  # with the experimenter's view of the learner


class Sitting:
    """An open session.  ``Sitting.open`` makes one."""

    def __init__(
        self,
        loaded: LoadedStudy,
        participant: Participant,
        session: Session,
        log: Log,
        clock: Clock,
        *,
        resumed: bool,
    ) -> None:
        self.loaded = loaded
        self.session = session
        self.clock = clock
        self.pilot = participant.pilot
        self.resumed = resumed
        self._log = log
        self._questioner = Questioner(loaded, participant.id, equal_work=participant.teacher is None)
        self._questions: Questions | None = None

    @classmethod
    def open(
        cls, loaded: LoadedStudy, participant: Participant, sessions: Path, *, clock: Clock | None = None
    ) -> Sitting:
        """Begin a participant's session, or resume an unfinished one; raises a FileError otherwise."""
        path = log_path(sessions, participant.id)
        make_folder(sessions)
        clock = clock or SystemClock()
        log = Log(path)
        try:
            resumed = bool(log.events)
            session = (_resume if resumed else _begin)(loaded, participant, log, clock)
        except BaseException:
            log.close()
            raise
        return cls(loaded, participant, session, log, clock, resumed=resumed)

    def record(self, event: Event) -> None:
        """Put an event on disk, then let it happen."""
        _record(event, self.session, self._log)

    def questions(self, round_: Round) -> Questions:
        """The questions of the current or next round.  Call this early: computing them takes a moment."""
        if self._questions is None or self._questions.round != round_:
            self._questions = self._questioner.begin(round_, self.session.answers_in(round_))
        return self._questions

    def withdraw(self, *, delete: bool) -> None:
        """Record that the participant withdrew, and keep or delete the answers."""
        answers = len(self.session.answers)
        withdrawn = Withdrawn(data="deleted" if delete else "kept", answers=answers, at=self.at())
        if not delete:
            self.record(withdrawn)
            return
        self.session.check(withdrawn)
        self._log.erase(self.session.started, withdrawn)
        self.session.advance(withdrawn)

    def finish(self) -> Finished:
        """Record that the session is complete."""
        finished = self.session.finished(self.at())
        self.record(finished)
        return finished

    def at(self) -> str:
        """The time now, as the log has it."""
        return iso(self.clock.now())

    def close(self) -> None:
        """Close the log and stop computing questions."""
        self._questioner.close()
        self._log.close()


def _begin(loaded: LoadedStudy, participant: Participant, log: Log, clock: Clock) -> Session:
    """Write the head of a new session."""
    if log.torn:  # an earlier attempt died while it wrote the head
        _set_torn_aside(log)
    started = Started(
        participant=participant.id,
        at=iso(clock.now()),
        **here(),
        simulated=participant.teacher is not None,
        teacher=participant.teacher,
        pilot=participant.pilot,
        imported=None,
        words=loaded.study.words,
        words_sha256=loaded.vocabulary.sha256,
        seed=loaded.study.seed,
        study=loaded.study.record(),
        plan=plan.make(loaded, participant.id),
    )
    session = Session(started)  # before it is written: raises if it could not be opened again
    log.append(started)
    return session


def _resume(loaded: LoadedStudy, participant: Participant, log: Log, clock: Clock) -> Session:
    """Continue a saved session where its log ends."""
    session = resumable(log.path, log.events, loaded, participant.id, participant.teacher, clock.now())
    if isinstance(clock, SimulatedClock):  # simulated time may have run ahead of real time
        clock.wait_until(end_of(log.events[-1]))
    if log.torn:
        size = len(log.torn)
        aside = _set_torn_aside(log)
        _record(Recovered(bytes=size, kept_in=aside.name, at=iso(clock.now())), session, log)
    _record(Resumed(at=iso(clock.now()), pilot=participant.pilot, **here()), session, log)
    return session


def _record(event: Event, session: Session, log: Log) -> None:
    session.check(event)  # nothing enters the log that could not be read back
    log.append(event)
    session.advance(event)


def _set_torn_aside(log: Log) -> Path:
    # The name uses real time: simulated time may stand still, and the name must be new.
    return log.set_torn_aside(f"{log.path.name}.torn-{SystemClock().now():%Y%m%dT%H%M%S%fZ}")
