"""``studyapp import``: turn a table of answers that were given elsewhere into session logs."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.errors import FileError
from core.wording import counted
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, add_sessions, session_folder, study_of
from studyapp.study.loading import load
from studyapp.study.studies import DEFAULT
from studyapp.tables.answer_table import OtherStudyError, read
from studyapp.tables.importing import write_logs
from studyapp.tables.tables import PUBLISHED


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "import",
        help="turn a table of answers into session logs",
        description="Turn a table of answers that were given elsewhere into session logs, marked as "
        f"imported. The table needs these columns: {', '.join(PUBLISHED)}.",
    )
    parser.add_argument("table", metavar="CSV", type=Path, help="the table, with one row per answer")
    parser.add_argument(
        "--study",
        metavar="FILE",
        help="the study that the data are from: a study file, or the name of a bundled study; studyapp "
        "verify can then replay the rounds (default: the study in this folder; if there is none, the "
        f"models and words must be those of {DEFAULT})",
    )
    add_sessions(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    named = study_of(arguments)
    loaded, sessions = load(named), session_folder(arguments)
    known = arguments.study is not None or named != DEFAULT  # named, or the study in this folder
    study = Path(loaded.name).name if known else None
    try:
        table = read(arguments.table, loaded)
    except OtherStudyError as error:
        problem = f"{error.problem} (choose another study with --study)"
        raise FileError(error.path, problem, where=error.where) from None
    logs = write_logs(table, loaded, sessions, study=study)
    before = logs.participants - logs.new
    done = f"{counted(logs.new, 'participant')} imported" + (f", {before} imported before" if before else "")
    say(f"{done}; the logs are in {sessions}")
    if study is None:
        say("no study was named, so studyapp verify can't replay the rounds (--study names one)")
    else:
        say(f"study: {loaded.study.title} ({loaded.name})")
    if logs.unused:
        unused = f"the table has no round with {' or '.join(logs.unused)}"
        say(f"{unused}; studyapp analyse compares all models of the study, so check that this is the one")
    if logs.incomplete:
        say(f"incomplete, because the last round has too few questions: {', '.join(logs.incomplete)}")
    return 0
