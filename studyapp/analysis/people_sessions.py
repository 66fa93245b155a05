"""The answers of saved sessions, of any studies and word sets, to which people are fitted.

Practice rounds are left out: in them, people still learn what to do.  (In the published sessions, a similar
word that is asked about for the first time gets a yes in 46 % of 24 practice questions, and in 74 % of 514
others.)  So are rounds of imported sessions whose rewards are all 0: no word has that reward, so they never
took place.

Each log is one person, also if two folders have a participant of the same name.  A log that was copied counts
once.  All sessions must agree on the likeness of every pair of words: otherwise the parameters would mean
two things at once.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError, SettingError
from core.people import USUAL_WIDTH
from core.recall import Answers
from core.wording import counted, printable
from studyapp.analysis.extract import Broken, Extract, extract
from studyapp.analysis.gather import kinds_included, reason_to_leave_out, shared
from studyapp.base.parallel import in_order
from studyapp.session.saved import check_words, find_logs

SAME = 1e-6  # likenesses closer than this are equal


@dataclass(frozen=True)
class Sessions:
    """Sessions, one for each person, and their answers."""

    sessions: list[Extract]
    persons: tuple[str, ...]
    words: tuple[str, ...]  # of all sessions
    answers: Answers  # session by session, round by round
    rounds: int
    notes: list[str]  # what was left out, and why

    @property
    def kinds(self) -> list[str]:
        return sorted({session.kind for session in self.sessions})

    @property
    def fingerprint(self) -> str:
        """SHA-256 of who was asked what, and answered what; the same wherever and whenever it was saved."""
        own = self.answers
        lines = [
            "\t".join((self.persons[person], self.words[target], self.words[word], "y" if yes else "n"))
            for person, target, word, yes in zip(own.person, own.target, own.word, own.yes, strict=True)
        ]
        return hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()


def read_sessions(
    places: Sequence[Path], *, words: Path | None = None, include: Sequence[str] = ()
) -> Sessions:
    """Read all logs in some folders, and choose the sessions and answers to fit people to."""
    logs = find_logs(places)
    check_words(words)
    read: list[Extract] = []
    for session in shared(in_order(partial(extract, words=words), logs, "reading logs")):
        if isinstance(session, Broken):
            problem = f"{session.problem} (to leave this log out, move it to another folder)"
            raise FileError(session.path, problem)
        read.append(session)
    kinds = kinds_included(read, include)
    chosen: dict[str, Extract] = {}
    notes = []
    for session in read:
        reason = reason_to_leave_out(session, kinds, include)
        if not reason and session.chain in chosen:
            reason = f"a copy of {chosen[session.chain].path}"
        if not reason and not _played(session).any():
            reason = "it has no answers outside practice"
        if reason:
            notes.append(f"not included: {session.path.name}: {reason}")
        else:
            chosen[session.chain] = session
    if not chosen:
        raise FileError(
            places[0], "there are no sessions to fit people to:", *(f"  {note}" for note in notes)
        )
    sessions = sorted(chosen.values(), key=lambda session: (session.participant, str(session.path)))
    notes += filter(None, map(_rounds_left_out, sessions))
    words_of_all = tuple(dict.fromkeys(word for session in sessions for word in _words(session)))
    return Sessions(
        sessions,
        _names(sessions),
        words_of_all,
        _answers(sessions, words_of_all),
        sum(int(_played(session).sum()) for session in sessions),
        notes,
    )


def _played(session: Extract) -> NDArray[np.bool_]:
    """(R,), the rounds that are not practice and took place."""
    practice = np.array([round_.practice for round_ in session.plan], dtype=bool)
    return np.asarray(~practice & (session.asked >= 0).any(-1) & session.took_place)


def _rounds_left_out(session: Extract) -> str:
    never = int((~session.took_place).sum())
    if not never:
        return ""
    which = f"{counted(never, 'round')} of {session.path.name}"
    return f"not included: {which}: all rewards are 0, so {'it' if never == 1 else 'they'} never took place"


def _answers(sessions: Sequence[Extract], words: Sequence[str]) -> Answers:
    """All answers, with one list of words for all sessions."""
    index = {word: i for i, word in enumerate(words)}
    known: dict[tuple[int, int], tuple[float, Extract]] = {}
    parts = []
    for person, session in enumerate(sessions):
        assert session.vocabulary is not None  # there are answers
        here = np.array([index[word] for word in _words(session)])
        asked = (session.asked >= 0) & _played(session)[:, None]
        rounds, question = np.nonzero(asked)
        target = np.array([session.vocabulary.index(round_.target) for round_ in session.plan])[rounds]
        word = session.asked[asked]
        own = Answers(
            person=np.full(len(rounds), person),
            target=here[target],
            word=here[word],
            likeness=session.vocabulary.features(USUAL_WIDTH)[target, word],  # whatever the study's kernel
            number=question + 1,
            found=session.found_before[asked],
            last=session.last[asked],
            yes=session.yes[asked],
        )
        _check_likeness(own, session, words, known)
        parts.append(own)
    return Answers(**{name: np.concatenate([getattr(own, name) for own in parts]) for name in vars(parts[0])})


def _words(session: Extract) -> tuple[str, ...]:
    return session.vocabulary.words if session.vocabulary else ()


def _names(sessions: Sequence[Extract]) -> tuple[str, ...]:
    """Participants, with their folders where two have the same name."""
    count = Counter(session.participant for session in sessions)
    return tuple(
        session.participant
        if count[session.participant] == 1
        else os.path.join(session.path.parent.name, session.participant)  # noqa: PTH118 (a name, not a path)
        for session in sessions
    )


def _check_likeness(
    answers: Answers,
    session: Extract,
    words: Sequence[str],
    known: dict[tuple[int, int], tuple[float, Extract]],
) -> None:
    """Refuse sessions in which the same two words are not equally alike."""
    for target, word, likeness in zip(answers.target, answers.word, answers.likeness, strict=True):
        before, first = known.setdefault((int(target), int(word)), (float(likeness), session))
        if abs(before - likeness) > SAME:
            pair = printable(f"{words[target]!r} and {words[word]!r}")
            raise SettingError(
                f"the likeness of {pair} is {before:.6f} in {first.path}, but {likeness:.6f} in "
                f"{session.path}; fit sessions with different word vectors separately"
            )
