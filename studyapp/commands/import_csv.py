"""``studyapp import``: answers that were given elsewhere become session logs, marked as imported."""

from __future__ import annotations

import argparse
from pathlib import Path

from studyapp.commands.arguments import Commands, add_sessions, add_study
from studyapp.study.loading import load
from studyapp.tables.answer_table import read
from studyapp.tables.importing import write_logs
from studyapp.tables.tables import PUBLISHED

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "import",
        help="make session logs of a table of answers",
        description="Make session logs of a table of answers that were given elsewhere. The logs are marked "
        f"as imported. The columns of the table: {','.join(PUBLISHED)}.",
    )
    parser.add_argument("table", metavar="CSV", type=Path, help="the table: one row an answer")
    add_study(parser)
    add_sessions(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    loaded = load(arguments.study)
    made = write_logs(read(arguments.table, loaded), loaded, arguments.sessions)
    before = f", {made.participants - made.new} of them before" if made.new < made.participants else ""
    short = f"; with too few questions in the last round, so incomplete: {', '.join(made.incomplete)}"
    print(
        f"{made.participants} participants imported{before}; their logs are in {arguments.sessions}"
        + (short if made.incomplete else "")
    )
    return 0
