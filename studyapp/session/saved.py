"""Saved sessions: logs that were written, read again through the fold that wrote them.

Each is known by its *kind* (who answered) and its *state* (how far it got).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from core.errors import FileError, SettingError
from core.files import explained
from core.vocabulary import Vocabulary
from studyapp.base.documents import printable
from studyapp.session import log
from studyapp.session.events import Answered, Resumed, Started, Withdrawn
from studyapp.session.ids import check_id
from studyapp.session.session import Session
from studyapp.study.study import MOST_WORDS, LoadedStudy

__all__ = ["KINDS", "STATES", "SavedSession", "check_words", "find_logs", "load_study", "open_session"]

KINDS = ("person", "pilot", "imported", "simulated")
STATES = ("finished", "incomplete", "withdrawn", "deleted")


@dataclass(frozen=True)
class SavedSession:
    """A log, and the session that it tells of."""

    path: Path
    saved: log.Saved
    session: Session

    @property
    def participant(self) -> str:
        return self.session.started.participant

    @cached_property
    def kind(self) -> str:
        """Who answered: a person; one with the experimenter's view on; one elsewhere; or nobody."""
        started = self.session.started
        if started.imported:
            return "imported"
        if started.simulated:
            return "simulated"
        resumed = (event for event in self.saved.events if isinstance(event, Resumed))
        return "pilot" if started.pilot or any(event.pilot for event in resumed) else "person"

    @property
    def state(self) -> str:
        over = self.session.over
        if isinstance(over, Withdrawn):
            return "deleted" if over.data == "deleted" else "withdrawn"
        return "finished" if over else "incomplete"

    def line(self, answer: Answered) -> int:
        """Where an answer stands in the log."""
        return self._lines[answer.round, answer.question]

    @cached_property
    def _lines(self) -> dict[tuple[int, int], int]:
        events = zip(self.saved.events, self.saved.lines, strict=True)
        return {(event.round, event.question): line for event, line in events if isinstance(event, Answered)}


def find_logs(places: Sequence[Path]) -> list[Path]:
    """The logs in these folders, and these logs; each once, folder by folder, by name."""
    found: dict[str, Path] = {}
    for place in places:
        with explained(place):
            if place.is_dir():
                logs = sorted(path for path in place.iterdir() if _named_as_log(path))
                if not logs:
                    raise FileError(place, "there are no session logs (*.yaml) in this folder")
            else:
                place.stat()
                logs = [place]
        for path in logs:
            found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _named_as_log(path: Path) -> bool:
    """A link that leads nowhere is one too: whoever opens it is told, and no session is lost in silence."""
    return path.suffix == ".yaml" and not path.name.startswith(".") and not path.is_dir()


def open_session(path: Path) -> SavedSession:
    """Read a log; a FileError tells, with its line, what is wrong with it."""
    saved = log.read(path)
    if not saved.events:
        raise FileError(path, "there is nothing in this log; its writer died before the head was written")
    started, *events = saved.events
    assert isinstance(started, Started)
    line = saved.lines[0]
    try:
        check_id(started.participant)
        session = Session(started)
        for event, line in zip(events, saved.lines[1:], strict=True):  # noqa: B007 (told below)
            session.apply(event)
    except SettingError as error:
        raise FileError(path, printable(str(error)), where=f"line {line}") from None
    return SavedSession(path, saved, session)


def load_study(opened: SavedSession, words: Path | None = None) -> LoadedStudy:
    """The study that a log tells of, with its words; ``words`` is a file to take them from."""
    started = opened.session.started
    vocabulary = _vocabulary(started.words, words, opened.path)
    if vocabulary.sha256 != started.words_sha256:
        told = "in the file given by --words" if words else f"of {printable(repr(started.words))} here"
        problem = f"the words {told} are not those of the session; give theirs with --words FILE"
        raise FileError(opened.path, problem)
    if len(vocabulary.words) > MOST_WORDS:
        problem = f"it has {len(vocabulary.words):,} words; a study has {MOST_WORDS:,} at most"
        raise FileError(opened.path, problem, where="line 1")
    _check_words(opened, vocabulary)
    loaded = LoadedStudy(str(opened.path), opened.session.study, vocabulary)
    try:
        loaded.check_size()
    except SettingError as error:
        raise FileError(opened.path, str(error), where="line 1") from None
    return loaded


def check_words(words: Path | None) -> None:
    """Are the words that --words names to be had at all?  Better told once than of every log."""
    if words is not None:
        _loaded_words(str(words))


def _check_words(opened: SavedSession, vocabulary: Vocabulary) -> None:
    known = set(vocabulary.words)
    for played in opened.session.plan:
        for word in (played.target, played.first):
            if word not in known:
                raise FileError(opened.path, f"{word!r} in the plan is not in the word set", where="line 1")
        if played.model not in opened.session.study.models:
            problem = f"{played.model!r} in the plan is not a model of the study"
            raise FileError(opened.path, problem, where="line 1")
    for answer in opened.session.answers:
        if answer.word not in known:
            where = f"line {opened.line(answer)}"
            raise FileError(opened.path, f"{answer.word!r} is not in the word set", where=where)


def _vocabulary(named: str, words: Path | None, path: Path) -> Vocabulary:
    if words is not None:
        return _loaded_words(str(words))
    try:
        return _loaded_words(_word_file(named, path.parent))
    except (FileError, ValueError) as error:  # ValueError: no such set, or no file could have this name
        problem = f"its words are not here ({printable(str(error))}); give them with --words FILE"
        raise FileError(path, problem) from None


def _word_file(named: str, logs: Path) -> str:
    """A word file stood beside the study file; it may stand beside the logs now, or here."""
    if Path(named).name == named and not Path(named).suffix:
        return named  # of a set that comes with studyapp
    with explained(named):
        for found in (logs.absolute() / named, Path(named).absolute()):
            if found.is_file() or found.is_dir():
                return str(found)
            if found.exists():  # it might never end
                raise FileError(found, "this is a pipe or a device, and words are in a file")
    return named


@lru_cache(maxsize=8)
def _loaded_words(named: str) -> Vocabulary:
    return Vocabulary.load(named)
