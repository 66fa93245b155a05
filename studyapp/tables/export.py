"""Saved sessions as tidy tables with a data dictionary, a Psych-DS dataset.

Logs are read on all cores, and their rows go to disk as they come: a thousand sessions need no more
memory than one.
"""

from __future__ import annotations

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import FileError
from core.files import explained
from studyapp.base.clock import SystemClock
from studyapp.base.parallel import in_order
from studyapp.session.saved import KINDS, open_session
from studyapp.tables import psych_ds
from studyapp.tables.table_files import Part, TableFile, Written, part_of
from studyapp.tables.tables import TABLES

__all__ = ["Gathered", "check_out", "gather", "replacing_folder", "write_documents"]


@dataclass(frozen=True)
class _Session:
    path: Path
    participant: str
    kind: str
    title: str
    parts: list[Part]  # in the order of TABLES


def _read(path: Path) -> _Session | FileError:
    """Read a log, in a process of its own."""
    try:
        opened = open_session(path)
    except FileError as error:
        return error
    title = opened.session.study.title
    return _Session(
        path, opened.participant, opened.kind, title, [part_of(table, opened) for table in TABLES]
    )


@dataclass
class Gathered:
    """What came of the logs."""

    logs: int
    kinds: Counter[str] = field(default_factory=Counter)  # exported
    others: Counter[str] = field(default_factory=Counter)  # not asked for
    titles: dict[str, None] = field(default_factory=dict)
    broken: list[FileError] = field(default_factory=list)
    doubles: list[FileError] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)

    def told(self) -> str:
        rows = {each.table.name: each.rows for each in self.written}
        told = f"{self.kinds.total()} sessions exported ({_counted(self.kinds)}), "
        told += f"{rows.get('answers', 0):,} answers"
        return f"{told}; not asked for: {_counted(self.others)}" if self.others else told

    def why_nothing(self) -> str:
        if self.others:
            return f"there are sessions of other kinds only ({_counted(self.others)})"
        return f"none of the {self.logs} logs could be read"


def _counted(kinds: Counter[str]) -> str:
    return ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])


def gather(logs: Sequence[Path], only: Sequence[str], folder: Path) -> Gathered:
    """Read all logs into tables in a new folder."""
    gathered = Gathered(len(logs))
    participants: dict[str, Path] = {}
    folder.mkdir()
    with ExitStack() as stack:
        files = [stack.enter_context(TableFile(table, folder)) for table in TABLES]
        for read in in_order(_read, logs, "reading logs"):
            if isinstance(read, FileError):
                gathered.broken.append(read)
            elif read.kind not in only:
                gathered.others[read.kind] += 1
            elif (other := participants.setdefault(read.participant, read.path)) != read.path:
                problem = f"this is a log of {read.participant}, and so is {other.name}; keep one of them"
                gathered.doubles.append(FileError(read.path, problem))
            else:
                gathered.kinds[read.kind] += 1
                gathered.titles[read.title] = None
                for file, part in zip(files, read.parts, strict=True):
                    file.add(part)
        finished = [file.finish(psych_ds.data_name(list(gathered.titles), file.table)) for file in files]
    gathered.written = [each for each in finished if each]
    return gathered


def write_documents(part: Path, gathered: Gathered) -> None:
    now = SystemClock().now()
    name = "; ".join(gathered.titles)
    told = (
        "A study in which a learner looks for a word by asking whether words are relevant. "
        f"Written by `studyapp export` on {now:%Y-%m-%d}: {gathered.told()}."
    )
    if gathered.broken:
        told += f" {len(gathered.broken)} of {gathered.logs} logs could not be read and are not in it."
    described = psych_ds.description(name, told, gathered.written)
    texts = {
        "dataset_description.json": json.dumps(described, indent=2, ensure_ascii=False) + "\n",
        "README.md": psych_ds.readme(name, told, gathered.written),
        "CHANGES.md": psych_ds.changes(f"{now:%Y-%m-%d}", told),
    }
    for file, text in texts.items():
        (part / file).write_text(text, encoding="utf-8")


# The folder


def check_out(out: Path, *, force: bool) -> None:
    """Refuse, before any long work, a folder that holds anything but an earlier export."""
    with explained(out):
        if not out.exists():
            return
        if not out.is_dir():
            raise FileError(out, "this is a file, and an export is a folder; give another name")
        if any(out.iterdir()) and not force:
            problem = "there is something in this folder; give another, or overwrite an export with --force"
            raise FileError(out, problem)
        for path in out.rglob("*"):
            if not psych_ds.FILES.fullmatch(path.relative_to(out).as_posix()):
                problem = "export did not write this and would remove it; move it away, or give another --out"
                raise FileError(path, problem)


@contextmanager
def replacing_folder(out: Path) -> Iterator[Path]:
    """Write a folder whole or not at all: beside its place, and moved there at the end."""
    target = out.resolve()
    part, old = (target.with_name(f".{target.name}.{os.getpid()}.{end}") for end in ("part", "old"))
    with explained(out):
        target.parent.mkdir(parents=True, exist_ok=True)
        part.mkdir(mode=0o700)  # as logs are, for its owner alone
        try:
            yield part
            if target.exists():
                target.rename(old)
            part.rename(target)
        except BaseException:
            shutil.rmtree(part, ignore_errors=True)
            if old.exists() and not target.exists():
                old.rename(target)
            raise
        shutil.rmtree(old, ignore_errors=True)
