"""The tables that don't belong to one session: likenesses of words, and participants who were deleted."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from studyapp.office.conduct import named
from studyapp.office.events import Exported
from studyapp.office.standing import Standing
from studyapp.session.events import Withdrawn
from studyapp.study.loaded import LoadedStudy
from studyapp.tables.columns import Column, Table
from studyapp.tables.tables import PARTICIPANT, TARGET

# How alike any two words of a study are, which is what rewards come from


def _likenesses(loaded: LoadedStudy) -> Iterator[Mapping[str, Any]]:
    words = loaded.vocabulary.words
    for target, row in zip(words, loaded.features.tolist(), strict=True):
        for word, likeness in zip(words, row, strict=True):
            yield {"title": loaded.study.title, "target": target, "word": word, "likeness": likeness}


_likeness = (
    "likeness (similarity) of the two words: exp(-2 w (1 - cosine)), where w is the study's kernel_width. "
    "Kept between 0.0001 and 0.9999 and rounded to six decimals, it is the reward"
)

LIKENESS: Final = Table(
    "likeness",
    "pair of words: each word as target, and each word that can be asked about",
    ("title", "target", "word"),
    (
        Column("title", "title of the study", "text"),
        TARGET,
        Column("word", "the word in the question", "word"),
        Column("likeness", _likeness, "number", least=0, most=1),
    ),
    _likenesses,
)


# Participants whose answers were deleted: whoever has an older export learns whom to remove there


def deleted_rows(
    deleted: Mapping[str, Withdrawn], standing: Standing, replaces: Path | None
) -> list[dict[str, Any]]:
    """A row for everyone in the logs and in the study's log; ``replaces`` is an export that is no more."""
    known: dict[str, tuple[str, str, int | None]] = {
        participant: (event.at, "experimenter", event.answers)
        for participant, event in standing.conduct.deleted.items()
    }
    known |= {participant: (event.at, event.by, event.answers) for participant, event in deleted.items()}
    exports = _that_exist(standing, replaces)
    return [
        {
            "participant": participant,
            "deleted_at": at,
            "deleted_by": by,
            "answers": answers,
            "in_exports": "; ".join(
                f"{export.folder} ({export.at[:10]})"
                for export in exports
                if participant in export.participants
            ),
        }
        for participant, (at, by, answers) in sorted(known.items())
    ]


def _that_exist(standing: Standing, replaces: Path | None) -> list[Exported]:
    """The last export to every folder, but not to the one that is written now."""
    last = {(export.host, export.folder): export for export in standing.conduct.exports}
    if replaces is not None:
        for folder in standing.folders:
            last.pop((socket.gethostname(), named(replaces, folder)), None)
    return list(last.values())


_by = "who deleted them: the participant, on withdrawing, or the experimenter, on request"
_in_exports = "earlier exports that had the answers, with their dates: remove the participant there"

DELETED: Final = Table(
    "deleted",
    "participant whose answers were deleted",
    ("participant",),
    (
        PARTICIPANT,
        Column("deleted_at", "when the answers were deleted (UTC, ISO 8601)", "moment"),
        Column("deleted_by", _by, "name", levels=("participant", "experimenter")),
        Column("answers", "number of answers", "count", least=0),
        Column("in_exports", _in_exports, "text"),
    ),
    lambda rows: rows,
)
