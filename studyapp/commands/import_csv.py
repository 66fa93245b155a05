"""``studyapp import``: turn a table of answers that were given elsewhere into session logs."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.wording import counted
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, add_sessions, add_study
from studyapp.study.loading import load
from studyapp.tables.answer_table import read
from studyapp.tables.importing import write_logs
from studyapp.tables.tables import PUBLISHED

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "import",
        help="turn a table of answers into session logs",
        description="Turn a table of answers that were given elsewhere into session logs, marked as "
        f"imported. The table needs these columns: {', '.join(PUBLISHED)}.",
    )
    parser.add_argument("table", metavar="CSV", type=Path, help="the table, with one row per answer")
    add_study(parser)
    add_sessions(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    loaded = load(arguments.study)
    logs = write_logs(read(arguments.table, loaded), loaded, arguments.sessions)
    before = logs.participants - logs.new
    done = f"{counted(logs.new, 'participant')} imported" + (f", {before} imported before" if before else "")
    say(f"{done}; the logs are in {arguments.sessions}")
    say(f"study: {loaded.study.title} ({loaded.name})")
    if logs.incomplete:
        say(f"incomplete, because the last round has too few questions: {', '.join(logs.incomplete)}")
    return 0
