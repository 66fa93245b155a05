"""``studyapp export``: saved sessions as tidy tables with a data dictionary."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.errors import StudyappError
from studyapp.base.outputs import replacing_folder
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands
from studyapp.session.saved import KINDS, find_logs
from studyapp.tables.export import check_out, gather, write_documents

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "export",
        help="write saved sessions as tidy tables with a data dictionary",
        description="Write saved sessions as tidy CSV tables (answers, rounds, participants, "
        "responses) with a data dictionary. The result is a Psych-DS dataset.",
    )
    parser.add_argument("sessions", metavar="DIR", nargs="+", type=Path, help="folder of session logs")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder to write to")
    parser.add_argument(
        "--only",
        metavar="KIND",
        nargs="+",
        action="extend",
        choices=KINDS,
        help=f"export only sessions of these kinds: {', '.join(KINDS)} (default: all)",
    )
    parser.add_argument("--force", action="store_true", help="replace an earlier export")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    out: Path = arguments.out
    logs = find_logs(arguments.sessions)
    check_out(out, force=arguments.force)
    with replacing_folder(out) as part:
        gathered = gather(logs, arguments.only or KINDS, part / "data")
        for error in (*gathered.broken, *gathered.doubles):
            report(f"studyapp: {error}")
        if not gathered.kinds:
            raise StudyappError(f"nothing was exported: {gathered.why_nothing()}")
        write_documents(part, gathered)
    say(f"{gathered.summary()}; the tables are in {out}")
    if gathered.broken:
        report(f"studyapp: {len(gathered.broken)} of {len(logs)} logs could not be read")
    if gathered.doubles:
        left_out = f"{len(gathered.doubles)} of {len(logs)} logs"
        report(f"studyapp: left out {left_out}: another log of the same participant came first")
    return 1 if gathered.broken or gathered.doubles else 0
