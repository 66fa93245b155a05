"""Saved sessions: logs, read through the same fold that runs a session.

Every saved session has a *kind* (who answered) and a *state* (how far it got).  A log is the log of the
participant after whom its file is named: under any other name it is refused.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from core.errors import FileError, SettingError
from core.files import explained
from core.vocabulary import Vocabulary
from core.wording import printable
from studyapp.session import log
from studyapp.session.events import Answered, Event, Resumed, Started, Withdrawn
from studyapp.session.ids import check_id, check_name
from studyapp.session.log_format import LogContents
from studyapp.session.receipts import receipt_of
from studyapp.session.session import Session
from studyapp.study.folder import folder_of
from studyapp.study.loaded import LoadedStudy
from studyapp.study.study import MOST_WORDS

FEW_LOGS = 50  # read in less time than processes take to start
KINDS = ("person", "pilot", "imported", "simulated")
STATES = ("finished", "incomplete", "withdrawn", "deleted")


@dataclass(frozen=True)
class Decision:
    """What the experimenter decided about a session; it is in the study's log, not in this one."""

    reason: str | None  # why the participant is excluded; None if not
    after_unblinding: bool
    note: str | None = None  # remarks about the participant


@dataclass(frozen=True)
class SavedSession:
    """A log and its session."""

    path: Path
    saved: LogContents
    session: Session
    labels: dict[str, str] | None = None  # of the models, if the session is blinded
    decision: Decision | None = None  # None if the session is in no study folder

    @property
    def participant(self) -> str:
        return self.session.started.participant

    @cached_property
    def kind(self) -> str:
        """Who answered: a person, a pilot, an import or a simulation.

        A session is a pilot if it began in that stage, or if the experimenter's view was ever on.
        """
        started = self.session.started
        if started.imported:
            return "imported"
        if started.simulated:
            return "simulated"
        resumed = (event for event in self.saved.events if isinstance(event, Resumed))
        pilot = self.session.study.stage == "pilot" or started.pilot or any(event.pilot for event in resumed)
        return "pilot" if pilot else "person"

    @property
    def state(self) -> str:
        """How far the session got."""
        over = self.session.over
        if isinstance(over, Withdrawn):
            return "deleted" if over.data == "deleted" else "withdrawn"
        return "finished" if over else "incomplete"

    @property
    def receipt(self) -> str | None:
        """The receipt of a session that finished here."""
        finished_here = self.state == "finished" and self.kind != "imported"
        return receipt_of(self.saved.chain) if finished_here else None

    def sittings(self) -> list[list[Event]]:
        """The events by sitting: from the start of the session, or from when it was resumed."""
        sittings: list[list[Event]] = []
        for event in self.saved.events:
            if isinstance(event, Started | Resumed):
                sittings.append([])
            sittings[-1].append(event)
        return sittings

    def line(self, answer: Answered) -> int:
        """The line of an answer in the log."""
        return self._lines[answer.round, answer.question]

    @cached_property
    def _lines(self) -> dict[tuple[int, int], int]:
        events = zip(self.saved.events, self.saved.lines, strict=True)
        return {(event.round, event.question): line for event, line in events if isinstance(event, Answered)}


def find_logs(places: Sequence[Path]) -> list[Path]:
    """The logs in these folders, and these logs: each once, folder by folder, sorted by name."""
    logs: dict[str, Path] = {}
    for place in places:
        with explained(place):
            if place.is_dir():
                paths = sorted(path for path in place.iterdir() if _has_log_name(path))
                if not paths:
                    inside = [inner.name for inner in sorted(place.iterdir()) if any(inner.glob("*.yaml"))]
                    hint = f"; do you mean its folder {inside[0]}?" if inside else ""
                    raise FileError(place, f"this folder has no session logs (*.yaml){hint}")
            elif not os.path.lexists(place):
                raise FileError(place, "there is no such file or folder; check the name")
            else:
                place.stat()
                paths = [place]
        for path in paths:
            logs.setdefault(os.path.realpath(path), path)
    return list(logs.values())


def _has_log_name(path: Path) -> bool:
    """A broken link counts too: opening it reports the problem, so no session is lost in silence."""
    return path.suffix == ".yaml" and not path.name.startswith(".") and not path.is_dir()


@contextmanager
def one_log(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong with one log into a FileError, so that it does not stop the work on others."""
    try:
        yield
    except FileError:
        raise
    except Exception as error:
        what = printable(f"{type(error).__name__}: {error}")
        problem = f"an error in studyapp prevents the use of this log ({what}); please report it"
        raise FileError(path, problem) from error


def open_session(path: Path) -> SavedSession:
    """Read a log; raises a FileError that names the faulty line."""
    saved = log.read(path)
    if not saved.events:
        raise FileError(path, "this log is empty: studyapp was stopped before it wrote the first event")
    started, *events = saved.events
    assert isinstance(started, Started)
    line = saved.lines[0]
    try:
        check_id(started.participant)
        session = Session(started)
        for event, line in zip(events, saved.lines[1:], strict=True):  # noqa: B007 (for the error)
            session.apply(event)
    except SettingError as error:
        raise FileError(path, printable(str(error)), where=f"line {line}") from None
    check_name(path, started.participant)
    return SavedSession(path, saved, session)


def load_study(opened: SavedSession, words: Path | None = None) -> LoadedStudy:
    """The study of a saved session, with its words; ``words`` is a file to take them from."""
    started = opened.session.started
    vocabulary = _vocabulary(started.words, words, opened.path)
    if vocabulary.sha256 != started.words_sha256:
        source = "in the --words file" if words else f"in {printable(repr(started.words))} here"
        problem = (
            f"the words {source} are not the words of this session; name the right file with --words FILE"
        )
        raise FileError(opened.path, problem)
    _check_words(opened, vocabulary)
    loaded = LoadedStudy(str(opened.path), opened.session.study, vocabulary)
    try:
        loaded.check_size()
    except SettingError as error:
        problem = str(error).partition(": ")[2]  # without the model's name: whoever reads this may be blind
        raise FileError(opened.path, f"the study's models: {problem}", where="line 1") from None
    return loaded


def check_words(words: Path | None) -> None:
    """Check that the --words file can be read: better to report it once than for every log."""
    if words is not None:
        _load_words(str(words))


def _check_words(opened: SavedSession, vocabulary: Vocabulary) -> None:
    known = set(vocabulary.words)
    for round_ in opened.session.plan:
        for word in (round_.target, round_.first):
            if word not in known:
                raise FileError(opened.path, f"{word!r} in the plan is not in the word set", where="line 1")
    for answer in opened.session.answers:
        if answer.word not in known:
            where = f"line {opened.line(answer)}"
            raise FileError(opened.path, f"{answer.word!r} is not in the word set", where=where)


def _vocabulary(name: str, words: Path | None, path: Path) -> Vocabulary:
    if words is not None:
        return _load_words(str(words))
    try:
        return _load_words(_word_file(name, path.parent))
    except (FileError, SettingError) as error:
        problem = f"its word set was not found ({printable(str(error))}); name its file with --words FILE"
        raise FileError(path, problem) from None


def _word_file(name: str, logs: Path) -> str:
    """A word file was beside the study file, where it still is in a study folder.

    Elsewhere it may be beside the logs, or in the current folder.
    """
    if Path(name).name == name and not Path(name).suffix:
        return name  # a set that comes with studyapp
    with explained(name):
        for path in (logs.absolute() / name, *_beside_study(logs, name), Path(name).absolute()):
            if path.exists():
                return str(path)
    return name


def _beside_study(logs: Path, name: str) -> list[Path]:
    """The word file of the study folder that has these logs, those of a rehearsal too."""
    above = logs.absolute().parent
    folder = folder_of(logs) or folder_of(above)
    return [folder.path.absolute() / name] if folder else []


@lru_cache(maxsize=8)
def _load_words(name: str) -> Vocabulary:
    return Vocabulary.load(name, MOST_WORDS)
