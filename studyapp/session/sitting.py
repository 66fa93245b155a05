"""A sitting: one participant's session, opened from its log or begun, and written as it goes on.

Screens and simulated participants both go through here: ``record`` puts an event on disk first and
only then lets it happen.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from core.errors import FileError, SettingError
from studyapp.base.clock import Clock, SimulatedClock, SystemClock, iso
from studyapp.base.environment import here
from studyapp.base.outputs import make_folder
from studyapp.session.events import Answered, Event, Finished, Recovered, Resumed, Started, Withdrawn
from studyapp.session.ids import log_path
from studyapp.session.log import Log
from studyapp.session.questions import Questioner, Questions
from studyapp.session.session import Session, fold
from studyapp.study import plan
from studyapp.study.plan import Round
from studyapp.study.study import LoadedStudy

__all__ = ["OverError", "Sitting"]

NAMED = 12  # differences that are told one by one
LONG = 60  # characters of a value that are told


class OverError(FileError):
    """The session has finished or was withdrawn from: there is nothing to go on with."""


class Sitting:
    """An open session."""

    def __init__(
        self,
        loaded: LoadedStudy,
        participant: str,
        sessions: Path,
        *,
        clock: Clock | None = None,
        teacher: str | None = None,  # of a simulated participant
        pilot: bool = False,
    ) -> None:
        """Open a participant's session, new or unfinished; an error tells why it cannot be."""
        path = log_path(sessions, participant)
        self.clock = clock or SystemClock()
        self.loaded = loaded
        self.pilot = pilot
        self._teacher = teacher
        make_folder(sessions)
        self._log = Log(path)
        try:
            self.resumed = bool(self._log.events)
            if self.resumed:
                self.session = self._saved_session(participant)
                if isinstance(self.clock, SimulatedClock):  # whose time was ahead of ours
                    self.clock.wait_until(_over(self._log.events[-1]))
            if self._log.torn:
                self._set_torn_aside()
            if self.resumed:
                self.record(Resumed(at=self.at(), pilot=pilot, **here()))
            else:
                self.session = self._begin(participant)
        except BaseException:
            self._log.close()
            raise
        self._questioner = Questioner(loaded, participant)
        self._questions: Questions | None = None

    def _begin(self, participant: str) -> Session:
        started = Started(
            participant=participant,
            at=self.at(),
            **here(),
            simulated=self._teacher is not None,
            teacher=self._teacher,
            pilot=self.pilot,
            imported=None,
            words=self.loaded.study.words,
            words_sha256=self.loaded.vocabulary.sha256,
            seed=self.loaded.study.seed,
            study=self.loaded.study.record(),
            plan=plan.make(self.loaded, participant),
        )
        session = Session(started)  # refuses what could not be opened again
        self._log.append(started)
        return session

    def _saved_session(self, participant: str) -> Session:
        path, (started, *events) = self._log.path, self._log.events
        assert isinstance(started, Started)
        if started.participant != participant:  # P07 and p07, where the file system takes them for one
            raise FileError(path, f"this is the log of {started.participant!r}, not of {participant!r}")
        try:
            session = fold(started, events)
        except SettingError as error:
            raise FileError(
                path, f"the events do not follow each other: {error}; was the log edited?"
            ) from None
        if started.imported is not None:
            raise FileError(path, "this session was imported, and ran elsewhere; take another ID or folder")
        if started.simulated != (self._teacher is not None) or started.teacher != self._teacher:
            kind = f"a simulated participant ({started.teacher})" if started.simulated else "a person"
            raise FileError(path, f"this is the log of {kind}; take another ID or folder")
        if isinstance(session.over, Finished):
            raise OverError(path, f"{participant} has finished, on {session.over.at}; take another ID")
        if isinstance(session.over, Withdrawn):
            raise OverError(path, f"{participant} withdrew, on {session.over.at}; take another ID")
        self._check_unchanged(started)
        self._check_resume_policy(events[-1] if events else started)
        return session

    def _check_unchanged(self, started: Started) -> None:
        changed = list(_differences(started.study, self.loaded.study.record(), ""))
        if started.words_sha256 != self.loaded.vocabulary.sha256:
            changed.append("the words or their vectors: other numbers than when the session began")
        if changed:
            told = "".join(f"\n  {each}" for each in changed[:NAMED])
            more = f"\n  and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
            problem = f"the study has changed since {started.participant} began with it:{told}{more}"
            raise FileError(self._log.path, f"{problem}\nRun it as it was then, or take another ID.")

    def _check_resume_policy(self, last: Event) -> None:
        policy = self.loaded.study.resume
        if not policy.allowed:
            raise FileError(
                self._log.path, "this study does not let a session be resumed (resume.allowed: false)"
            )
        if policy.within_hours is not None:
            hours = (self.clock.now() - _over(last)).total_seconds() / 3600
            if hours > policy.within_hours:
                problem = f"it was left {hours:.1f} hours ago, and the study allows {policy.within_hours:g}"
                raise FileError(self._log.path, f"{problem} (resume.within_hours)")

    def _set_torn_aside(self) -> None:
        """A writer died in the middle of an event: keep what it left, in a file of its own."""
        many = len(self._log.torn)
        # By the time of the machine: a simulated one stands still, and the name must be new.
        name = f"{self._log.path.name}.torn-{SystemClock().now():%Y%m%dT%H%M%S%fZ}"
        aside = self._log.set_torn_aside(name)
        if self.resumed:
            self.record(Recovered(bytes=many, kept_in=aside.name, at=self.at()))

    def record(self, event: Event) -> None:
        """Put an event on disk, then let it happen."""
        self.session.check(event)  # nothing gets into the log that could not be read back
        self._log.append(event)
        self.session.apply(event)

    def questions(self, played: Round) -> Questions:
        """The questions of the round that is on or comes next; ask for them early, they take a moment."""
        if self._questions is None or self._questions.played != played:
            self._questions = self._questioner.begin(played, self.session.answers_in(played))
        return self._questions

    def withdraw(self, *, delete: bool) -> None:
        """The participant withdraws, and says what becomes of the answers."""
        answers = len(self.session.answers)
        withdrawn = Withdrawn(data="deleted" if delete else "kept", answers=answers, at=self.at())
        if delete:
            self._log.erase(self.session.started, withdrawn)
            self.session.apply(withdrawn)
        else:
            self.record(withdrawn)

    def finish(self) -> Finished:
        """All steps are done."""
        finished = self.session.finished(self.at())
        self.record(finished)
        return finished

    def at(self) -> str:
        return iso(self.clock.now())

    def close(self) -> None:
        self._questioner.close()
        self._log.close()


def _over(event: Event) -> datetime:
    """When an event was over."""
    if not isinstance(event, Answered):
        return datetime.fromisoformat(event.at)
    assert event.shown_at is not None  # only imported sessions have answers of no known time
    return datetime.fromisoformat(event.shown_at) + timedelta(milliseconds=event.rt_ms or 0.0)


def _differences(then: Any, now: Any, place: str) -> Iterator[str]:
    """What has changed between two study records."""
    if isinstance(then, dict) and isinstance(now, dict):
        for name in [*then, *(name for name in now if name not in then)]:
            inner = f"{place}.{name}" if place else str(name)
            if name not in now:
                yield f"{inner}: was there when the session began, and is gone"
            elif name not in then:
                yield f"{inner}: was not there when the session began"
            else:
                yield from _differences(then[name], now[name], inner)
    elif isinstance(then, list) and isinstance(now, list) and len(then) == len(now):
        for number, (one, other) in enumerate(zip(then, now, strict=True), start=1):
            yield from _differences(one, other, f"{place}[{number}]")
    elif then != now:
        was, is_now = repr(then), repr(now)
        shorter = min(len(was), len(is_now))
        same = next((i for i in range(shorter) if was[i] != is_now[i]), shorter)
        yield f"{place}: {_around(was, same)} when the session began, {_around(is_now, same)} now"


def _around(told: str, place: int) -> str:
    """A text, or of a long one the part around a place."""
    if len(told) <= LONG:
        return told
    begin = max(0, place - LONG // 4)
    return f"{'...' if begin else ''}{told[begin : begin + LONG]}{'...' if begin + LONG < len(told) else ''}"
