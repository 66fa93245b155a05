"""Export: saved sessions as tidy tables with a data dictionary, in a Psych-DS dataset.

Logs are read on all cores, and their rows stay packed until all are known, so that a thousand sessions fit in
memory.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from core.errors import FileError, SettingError
from core.files import explained
from core.wording import counted
from studyapp.base.clock import SystemClock
from studyapp.base.outputs import check_folder, make_folder, write_bytes, write_text
from studyapp.base.parallel import in_order
from studyapp.office.standing import Standing
from studyapp.session.blinding import blinded
from studyapp.session.events import Withdrawn
from studyapp.session.saved import FEW_LOGS, KINDS, Decision, load_study, one_log, open_session
from studyapp.tables import psych_ds
from studyapp.tables.columns import Part, Table, Written, part_of, write_table
from studyapp.tables.copies import STILL_THERE, LeftOut, repeated
from studyapp.tables.study_tables import DELETED, LIKENESS, deleted_rows
from studyapp.tables.tables import ROUNDS, TABLES
from studyapp.tables.wide import WIDE, Cells, wide_cells, write_wide

BLIND = (
    "This export is blind: the models are called A, B and so on, by letters drawn for the study. What would "
    "tell which is which is left empty (the seed, the time to compute a question, the learner's state and "
    "its fit)."
)


@dataclass(frozen=True)
class _Session:
    path: Path
    participant: str
    kind: str
    title: str
    words: tuple[str, float]  # what likenesses depend on: the hash of the words, and the kernel width
    labels: dict[str, str] | None  # of the models, if the export is blind
    deleted: Withdrawn | None  # how, if the answers were deleted
    parts: list[Part]  # in the order of TABLES
    wide: Cells


def _read(item: tuple[Path, Decision | None], *, blind: bool) -> _Session | FileError:
    """Read a log; this may run in another process."""
    path, decision = item
    try:
        with one_log(path):
            opened = replace(open_session(path), decision=decision)
            if blind:
                opened = blinded(opened)
            parts = [part_of(table, opened) for table in TABLES]
            wide = wide_cells(opened)
    except FileError as error:
        return error
    session = opened.session
    return _Session(
        path=path,
        participant=opened.participant,
        kind=opened.kind,
        title=session.study.title,
        words=(session.started.words_sha256, session.study.kernel_width),
        labels=opened.labels,
        deleted=session.over if isinstance(session.over, Withdrawn) and opened.state == "deleted" else None,
        parts=parts,
        wide=wide,
    )


@dataclass
class Gathered:
    """The sessions and tables of an export, and the logs that are not in them."""

    logs: int
    left_out: dict[Path, LeftOut]  # because of another log of the same participant
    blind: bool
    sessions: list[_Session] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)  # kinds that were not asked for
    broken: list[FileError] = field(default_factory=list)
    written: list[Written] = field(default_factory=list)
    no_likeness: str = ""  # why there is no table of likenesses
    to_remove: list[str] = field(default_factory=list)  # who was deleted, but is in earlier exports

    @property
    def titles(self) -> list[str]:
        """The titles of the exported studies."""
        return list(dict.fromkeys(session.title for session in self.sessions))

    @property
    def participants(self) -> list[str]:
        """Whose answers were exported."""
        return [session.participant for session in self.sessions if not session.deleted]

    @property
    def clashes(self) -> int:
        """The number of logs that are left out because their ID has different sessions."""
        return sum(not log.is_copy for log in self.left_out.values())

    def write(self, table: Table, parts: Sequence[Part], folder: Path) -> None:
        """Write a table, if it has rows."""
        name = psych_ds.data_name(self.titles, table)
        if written := write_table(table, parts, folder, name):
            self.written.append(written)

    def summary(self) -> str:
        """What was exported, in one sentence."""
        answers = next((table.rows for table in self.written if table.table.name == "answers"), 0)
        kinds = Counter(session.kind for session in self.sessions)
        sessions = f"{counted(len(self.sessions), 'session')} exported ({_by_kind(kinds)})"
        others = f"; left out by --only: {_by_kind(self.others)}" if self.others else ""
        return f"{sessions} with {counted(answers, 'answer')}{others}"

    def why_nothing(self) -> str:
        """Why there is nothing to export."""
        if self.clashes:
            return "the sessions here have the same ID"
        if self.others:
            return f"all sessions are of other kinds ({_by_kind(self.others)})"
        return (
            "the log could not be read" if self.logs == 1 else f"none of the {self.logs} logs could be read"
        )


def _by_kind(kinds: Counter[str]) -> str:
    return ", ".join(f"{kinds[kind]} {kind}" for kind in KINDS if kinds[kind])


def gather(
    logs: Sequence[Path],
    only: Sequence[str],
    folder: Path,
    words: Path | None,
    standing: Standing | None = None,
    *,
    notes: bool = False,
    replaces: Path | None = None,
) -> Gathered:
    """Read all logs into tables, in a new folder; ``words`` is a file with the words of the sessions.

    ``standing`` says what was decided about the participants, and whether models are named; with ``notes``,
    the remarks about participants are exported too.  ``replaces`` is the folder of the export.
    """
    standing = standing or Standing()
    gathered = Gathered(len(logs), repeated(logs, only) | _still_there(logs, standing), standing.blind)
    remaining = [
        (path, _decision(standing, path, notes=notes)) for path in logs if path not in gathered.left_out
    ]
    reading = partial(_read, blind=standing.blind)
    for session in in_order(reading, remaining, "reading logs", few=FEW_LOGS):
        if isinstance(session, FileError):
            gathered.broken.append(session)
        elif session.kind not in only:
            gathered.others[session.kind] += 1
        else:
            gathered.sessions.append(session)
    sessions = gathered.sessions
    _check_labels(sessions)
    deleted = {session.participant: session.deleted for session in sessions if session.deleted}
    rows = deleted_rows(deleted, standing, replaces)
    gathered.to_remove = [row["participant"] for row in rows if row["in_exports"]]
    make_folder(folder)
    for number, table in enumerate(TABLES):
        gathered.write(table, [session.parts[number] for session in sessions], folder)
    gathered.write(DELETED, [part_of(DELETED, rows)], folder)
    if sessions:
        name = psych_ds.data_name(gathered.titles, WIDE)
        gathered.written.append(write_wide([session.wide for session in sessions], folder, name))
        gathered.write(LIKENESS, _likenesses(gathered, words), folder)
    return gathered


def _still_there(logs: Iterable[Path], standing: Standing) -> dict[Path, LeftOut]:
    """The logs of participants whose answers were deleted, but not in this log."""
    gone = [path for path in logs if path.stem in standing.conduct.deleted]
    return {path: LeftOut(STILL_THERE, is_copy=True) for path in gone if not _has_no_answers(path)}


def _has_no_answers(path: Path) -> bool:
    try:
        return open_session(path).state == "deleted"
    except FileError:
        return True  # and is reported


def _decision(standing: Standing, log: Path, *, notes: bool) -> Decision | None:
    """What was decided about the participant after whom a log is named."""
    decision = standing.decision(log.stem)
    return decision if notes or decision is None else replace(decision, note=None)


def _check_labels(sessions: Iterable[_Session]) -> None:
    """Refuse to put the same label on different models."""
    labels: dict[str, str] = {}
    for session in sessions:
        for name, label in (session.labels or {}).items():
            if labels.setdefault(label, name) != name:
                raise SettingError(
                    f"{session.path}: its study has other models, or another seed, than that of the logs "
                    "before it, so that the same label would mean different models; export these studies "
                    "separately"
                )


def _likenesses(gathered: Gathered, words: Path | None) -> list[Part]:
    """The likenesses of the words of each study, from one log of each; none if they can't be known."""
    one_of_each = {(session.title, session.words): session.path for session in gathered.sessions}
    try:
        studies = [load_study(open_session(path), words) for path in one_of_each.values()]
    except FileError as error:
        gathered.no_likeness = error.problem
        return []
    if len(studies) > len(gathered.titles):
        gathered.no_likeness = "studies with the same title have different words or kernel widths"
        return []
    return [part_of(LIKENESS, loaded) for loaded in studies]


def write_documents(part: Path, gathered: Gathered) -> None:
    """Write the README, the data dictionary, the history of the dataset, and scripts to start with."""
    now = SystemClock().now()
    name = "; ".join(gathered.titles)
    about = (
        "A study in which a learner searches for a word by asking a participant which words are relevant. "
        f"Written by `studyapp export` on {now:%Y-%m-%d}: {gathered.summary()}."
    )
    if gathered.blind:
        about += f" {BLIND}"
    if gathered.broken:
        about += f" {len(gathered.broken)} of {gathered.logs} logs could not be read and are not included."
    if gathered.clashes:
        clashes = f"{gathered.clashes} of {gathered.logs} logs"
        about += f" {clashes} share an ID with another session and are not included."
    described = psych_ds.description(name, about, gathered.written)
    texts = {
        "dataset_description.json": json.dumps(described, indent=2, ensure_ascii=False) + "\n",
        "README.md": psych_ds.readme(name, about, gathered.written),
        "CHANGES.md": f"# Changes\n\n## {now:%Y-%m-%d}\n\n{about}\n",
        # What a validator of Psych-DS need not look at: it belongs to no dataset, but is here.
        ".psychdsignore": "".join(f"{name}\n" for name in (*psych_ds.SCRIPTS, *psych_ds.FIGURES)),
    }
    for file, text in texts.items():
        write_text(part / file, text)
    if any(table.table is ROUNDS for table in gathered.written):
        for script in psych_ds.SCRIPTS:
            write_bytes(part / script, psych_ds.script(script))


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
            if path.name in psych_ds.SCRIPTS and not psych_ds.is_unchanged(path):
                problem = "you have changed this script, and it would be replaced; move it to another folder"
                raise FileError(path, f"{problem}, or choose another --out")
