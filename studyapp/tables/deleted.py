"""The table of participants whose answers were deleted, and of the earlier exports that still have them.

Whoever has an older export learns from it whom to remove there.
"""

from __future__ import annotations

import socket
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Final

from studyapp.office.conduct import named
from studyapp.office.events import Exported
from studyapp.office.standing import Standing
from studyapp.session.events import Started, Withdrawn
from studyapp.tables.columns import Column, Table, field_column

__all__ = ["DELETED", "DeletedRow", "deleted_rows"]


@dataclass(frozen=True)
class DeletedRow:
    """One participant whose answers are gone."""

    participant: str
    deleted_at: str
    by: str
    answers: int | None
    in_exports: str


def deleted_rows(
    deleted: Mapping[str, Withdrawn], standing: Standing, replaces: Path | None
) -> list[DeletedRow]:
    """A row for everyone in the logs and in the study's log; ``replaces`` is an export that is no more."""
    known: dict[str, tuple[str, str, int | None]] = {
        participant: (event.at, "experimenter", event.answers)
        for participant, event in standing.conduct.deleted.items()
    }
    known |= {participant: (event.at, event.by, event.answers) for participant, event in deleted.items()}
    exports = _that_exist(standing, replaces)
    return [
        DeletedRow(participant, *how, _named(one for one in exports if participant in one.participants))
        for participant, how in sorted(known.items())
    ]


def _that_exist(standing: Standing, replaces: Path | None) -> list[Exported]:
    """The last export to every folder, but not to the one that is written now."""
    last = {(export.host, export.folder): export for export in standing.conduct.exports}
    if replaces is not None:
        for folder in standing.folders:
            last.pop((socket.gethostname(), named(replaces, folder)), None)
    return list(last.values())


def _named(exports: Iterable[Exported]) -> str:
    return "; ".join(f"{export.folder} ({export.at[:10]})" for export in exports)


_deleted_at = "when the answers were deleted (UTC, ISO 8601)"
_by = "who deleted them: the participant, on withdrawing, or the experimenter, on request"
_in_exports = "earlier exports that had the answers, with their dates: remove the participant there"

DELETED: Final = Table(
    "deleted",
    "participant whose answers were deleted",
    ("participant",),
    (
        field_column(Started, "participant", attrgetter("participant"), kind="word"),
        Column[DeletedRow]("deleted_at", _deleted_at, "moment", attrgetter("deleted_at")),
        Column[DeletedRow](
            "deleted_by", _by, "name", attrgetter("by"), levels=("participant", "experimenter")
        ),
        Column[DeletedRow]("answers", "number of answers", "count", attrgetter("answers"), least=0),
        Column[DeletedRow]("in_exports", _in_exports, "text", attrgetter("in_exports")),
    ),
    lambda rows: rows,
)
