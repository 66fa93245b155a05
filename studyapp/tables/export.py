"""Export: saved sessions as tidy tables with a data dictionary, in a Psych-DS dataset.

Logs are read on all cores, and their rows go to disk as they come, so a thousand sessions need no more
memory than one.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import FileError
from core.files import explained
from core.wording import counted
from studyapp.base.clock import SystemClock
from studyapp.base.outputs import check_folder, make_folder, write_text
from studyapp.base.parallel import in_order
from studyapp.session.saved import KINDS, one_log, open_session
from studyapp.tables import psych_ds
from studyapp.tables.table_files import Part, TableFile, Written, part_of
from studyapp.tables.tables import TABLES

__all__ = ["Gathered", "check_out", "gather", "write_documents"]


@dataclass(frozen=True)
class _Session:
    path: Path
    participant: str
    kind: str
    title: str
    parts: list[Part]  # in the order of TABLES


def _read(path: Path) -> _Session | FileError:
    """Read a log; this may run in another process."""
    try:
        with one_log(path):
            opened = open_session(path)
            parts = [part_of(table, opened) for table in TABLES]
    except FileError as error:
        return error
    return _Session(path, opened.participant, opened.kind, opened.session.study.title, parts)


@dataclass
class Gathered:
    """The tables of an export, and the logs that are not in them."""

    logs: int
    kinds: Counter[str] = field(default_factory=Counter)  # of the exported sessions
    others: Counter[str] = field(default_factory=Counter)  # kinds that were not asked for
    titles: dict[str, None] = field(default_factory=dict)
    broken: list[FileError] = field(default_factory=list)
    doubles: list[FileError] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)

    def summary(self) -> str:
        """What was exported, in one sentence."""
        answers = next((table.rows for table in self.written if table.table.name == "answers"), 0)
        sessions = f"{counted(self.kinds.total(), 'session')} exported ({_by_kind(self.kinds)})"
        others = f"; left out by --only: {_by_kind(self.others)}" if self.others else ""
        return f"{sessions} with {counted(answers, 'answer')}{others}"

    def why_nothing(self) -> str:
        """Why there is nothing to export."""
        if self.others:
            return f"all sessions are of other kinds ({_by_kind(self.others)})"
        return (
            "the log could not be read" if self.logs == 1 else f"none of the {self.logs} logs could be read"
        )


def _by_kind(kinds: Counter[str]) -> str:
    return ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])


def gather(logs: Sequence[Path], only: Sequence[str], folder: Path) -> Gathered:
    """Read all logs into tables, in a new folder."""
    gathered = Gathered(len(logs))
    participants: dict[str, Path] = {}
    make_folder(folder)
    with ExitStack() as stack:
        files = [stack.enter_context(TableFile(table, folder)) for table in TABLES]
        for session in in_order(_read, logs, "reading logs"):
            if isinstance(session, FileError):
                gathered.broken.append(session)
            elif session.kind not in only:
                gathered.others[session.kind] += 1
            elif (other := participants.setdefault(session.participant, session.path)) != session.path:
                problem = f"{other} is a log of {session.participant} too; keep only one of them here"
                gathered.doubles.append(FileError(session.path, problem))
            else:
                gathered.kinds[session.kind] += 1
                gathered.titles[session.title] = None
                for file, part in zip(files, session.parts, strict=True):
                    file.add(part)
        finished = [file.finish(psych_ds.data_name(list(gathered.titles), file.table)) for file in files]
    gathered.written = [table for table in finished if table]
    return gathered


def write_documents(part: Path, gathered: Gathered) -> None:
    """Write the README, the data dictionary and the history of the dataset."""
    now = SystemClock().now()
    name = "; ".join(gathered.titles)
    about = (
        "A study in which a learner searches for a word by asking a participant which words are relevant. "
        f"Written by `studyapp export` on {now:%Y-%m-%d}: {gathered.summary()}."
    )
    if gathered.broken:
        about += f" {len(gathered.broken)} of {gathered.logs} logs could not be read and are not included."
    described = psych_ds.description(name, about, gathered.written)
    texts = {
        "dataset_description.json": json.dumps(described, indent=2, ensure_ascii=False) + "\n",
        "README.md": psych_ds.readme(name, about, gathered.written),
        "CHANGES.md": psych_ds.changes(f"{now:%Y-%m-%d}", about),
    }
    for file, text in texts.items():
        write_text(part / file, text)


# The folder


def check_out(out: Path, *, force: bool) -> None:
    """Refuse, before any long work, a folder that holds anything but an earlier export."""
    check_folder(out)
    with explained(out):
        if not out.exists():
            return
        if any(out.iterdir()) and not force:
            problem = "this folder is not empty; choose another --out, or replace an old export with --force"
            raise FileError(out, problem)
        for path in out.rglob("*"):
            if not psych_ds.FILES.fullmatch(path.relative_to(out).as_posix()):
                problem = "this is not from an export, but would be removed; move it, or choose another --out"
                raise FileError(path, problem)
