"""The same participant in several logs, as folders from several machines may have: never counted twice.

A log is named after its participant, so only logs of the same name are compared.

- Logs with the same events are copies: the first counts.
- A log that continues another, as when a session was copied to another machine and finished there, counts
  instead of it.
- If answers were deleted on request in one log of a session, no other log of that session counts.
- Otherwise there are different sessions under one ID.  Whether one person took part twice, or two people
  were given one ID, only the experimenter knows; so none of them counts until the experimenter has chosen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.errors import FileError
from studyapp.session.saved import SavedSession, one_log, open_session

STILL_THERE = "the answers were deleted on request, but this log still has them; delete them here too"


@dataclass(frozen=True)
class LeftOut:
    """Why a log does not count."""

    reason: str
    is_copy: bool  # another log has the same session; otherwise, the experimenter must choose


def repeated(logs: Iterable[Path], kinds: Collection[str]) -> dict[Path, LeftOut]:
    """The logs that don't count because of another log of the same participant.

    Only sessions of these kinds are compared, and logs that can't be read are passed over.
    """
    by_name: dict[str, list[Path]] = {}
    for path in logs:
        by_name.setdefault(path.name, []).append(path)
    left_out: dict[Path, LeftOut] = {}
    for paths in by_name.values():
        if len(paths) > 1:
            left_out |= _compared([opened for opened in _readable(paths) if opened.kind in kinds])
    return left_out


def _readable(paths: Iterable[Path]) -> Iterator[SavedSession]:
    for path in paths:
        try:
            with one_log(path):
                yield open_session(path)
        except FileError:
            pass  # whoever reads all logs reports it


def _compared(sessions: Sequence[SavedSession]) -> dict[Path, LeftOut]:
    left_out: dict[Path, LeftOut] = {}
    remaining: list[SavedSession] = []
    copies: list[tuple[SavedSession, str, str]] = []  # what it is a copy of, and what follows if that counts
    for session in sorted(sessions, key=_order):  # so that a log comes after whatever counts instead of it
        for other in remaining:
            if found := _counts_instead(other, session):
                copies.append((session, *found))
                break
        else:
            remaining.append(session)
    for session, what, follows in copies:
        reason = what if len(remaining) > 1 else f"{what}{follows}"
        left_out[session.path] = LeftOut(reason, is_copy=True)
    if len(remaining) > 1:
        for session in remaining:
            others = " and ".join(str(other.path) for other in remaining if other is not session)
            problem = f"another session has the same ID, {session.participant}: {others}"
            cure = "name the log that counts instead of its folder, or move the others elsewhere"
            left_out[session.path] = LeftOut(
                f"{problem}; none of them counts until you {cure}", is_copy=False
            )
    return left_out


def _same_import(one: SavedSession, other: SavedSession) -> bool:
    """Were the same answers imported twice?  The times of the imports differ, but nothing that happened."""
    imported = one.kind == other.kind == "imported"
    return imported and (one.session.plan, one.session.answers) == (other.session.plan, other.session.answers)


def _order(session: SavedSession) -> tuple[bool, int]:
    return session.state != "deleted", -len(session.saved.events)


def _counts_instead(other: SavedSession, session: SavedSession) -> tuple[str, str] | None:
    """Why this log is no session beside the other one, and what follows if that counts; None if it is one."""
    events, longer = session.saved.events, other.saved.events
    if events == longer or _same_import(other, session):
        return f"the same session as {other.path}", ", which counts"
    if events == longer[: len(events)]:
        return f"{other.path} continues this session", " and counts instead"
    if other.state == "deleted" and events[0] == longer[0]:
        problem = f"on request, the answers were deleted in {other.path}"
        return f"{problem}; delete this copy too", ""
    return None
