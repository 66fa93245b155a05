"""``studyapp export``: saved sessions as tidy tables with a data dictionary."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.errors import StudyappError
from studyapp.base.outputs import replacing_folder
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import (
    Commands,
    add_blind,
    add_folders,
    add_out,
    add_words,
    session_folders,
)
from studyapp.commands.recording import record
from studyapp.office.events import Exported
from studyapp.office.standing import standing_of
from studyapp.session.saved import KINDS, check_words, find_logs
from studyapp.tables.export import BLIND, Gathered, check_out, gather, write_documents


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "export",
        help="write saved sessions as tidy tables with a data dictionary",
        description="Write saved sessions as tidy CSV tables (answers, rounds, participants, responses; all "
        "outcomes with one row per participant; the likeness of words) with a data dictionary, and scripts "
        "in R and Python to start from. The result is a Psych-DS dataset.",
    )
    add_folders(parser)
    add_out(parser, "export")
    parser.add_argument(
        "--only",
        metavar="KIND",
        nargs="+",
        action="extend",
        choices=KINDS,
        help=f"export only sessions of these kinds: {', '.join(KINDS)} (default: all)",
    )
    add_words(parser)
    add_blind(parser)
    parser.add_argument(
        "--notes",
        action="store_true",
        help="also export what the experimenter noted about participants; it may identify them",
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier export")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    standing = standing_of(arguments.sessions, blind=arguments.blind)
    report(*(f"studyapp: {loss}" for loss in standing.losses()))
    logs = find_logs(session_folders(arguments.sessions))
    check_words(arguments.words)
    check_out(out, force=arguments.force)
    gathered: Gathered | None = None
    try:
        with replacing_folder(out) as part:
            gathered = gather(
                logs,
                arguments.only or KINDS,
                part / "data",
                arguments.words,
                standing,
                notes=arguments.notes,
                replaces=out,
            )
            if not gathered.sessions:
                raise StudyappError(f"nothing was exported: {gathered.why_nothing()}")
            write_documents(part, gathered)
    finally:
        if gathered:
            _name_left_out(gathered)
    if gathered.no_likeness:
        say(f"there is no table of likenesses: {gathered.no_likeness}")
    if gathered.blind:
        say(BLIND)
    if gathered.to_remove:
        say(f"Deleted since earlier exports: {', '.join(gathered.to_remove)}; the table deleted says where.")
    say(f"{gathered.summary()}; the tables are in {out}")
    record(standing, Exported, out, gathered.participants)
    if gathered.broken:
        report(f"studyapp: {len(gathered.broken)} of {len(logs)} logs could not be read")
    if clashes := gathered.clashes:
        left_out = f"{clashes} of {len(logs)} logs"
        report(f"studyapp: left out {left_out}: they are different sessions under the same ID")
    return 1 if gathered.broken or clashes else 0


def _name_left_out(gathered: Gathered) -> None:
    """Name every log that is not in the tables, with the reason."""
    report(*(f"studyapp: {error}" for error in gathered.broken))
    for path, log in gathered.left_out.items():
        if log.is_copy:
            say(f"not exported: {path}: {log.reason}")
        else:
            report(f"studyapp: {path}: {log.reason}")
