"""``studyapp analyse``: from a folder of session logs to a report, figures, numbers and tables."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.checks import whole
from core.files import explained
from studyapp.base.documents import printable
from studyapp.base.outputs import check_folder, make_folder, write_json, write_text
from studyapp.commands.arguments import Commands, add_choice, add_out, add_words
from studyapp.tables.table_files import TableFile
from studyapp.tables.tables import TABLES

if TYPE_CHECKING:
    from studyapp.analysis.extract import Extract

__all__ = ["register"]

PLANNERS = 300


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "analyse",
        help="analyse saved sessions: report, figures, numbers",
        description="Analyse the session logs in a folder. Writes report.html (open it in a browser), "
        "figures/, summary.json and the tidy tables in data/.",
    )
    parser.add_argument("sessions", metavar="DIR", type=Path, help="where the logs are")
    add_out(parser, "analysis")
    add_words(parser)
    add_choice(parser)
    parser.add_argument(
        "--planners",
        metavar="N",
        type=int,
        default=PLANNERS,
        help="find out how much of a planner each participant is, for so many of them, drawn at random where "
        f"there are more; each takes a tenth of a second (default: {PLANNERS})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    # matplotlib and scipy take a second to load, which other commands need not wait for
    from studyapp.analysis import figures, report, results, summary, terminal
    from studyapp.analysis.gather import gather
    from studyapp.reporting.terminal import console

    out: Path = arguments.out
    planners = whole("--planners", arguments.planners, 0, 1_000_000)
    check_folder(out)
    gathered = gather(
        arguments.sessions, words=arguments.words, include=arguments.include, exclude=arguments.exclude
    )
    for broken in gathered.broken:
        separator = ", " if broken.reason.startswith("line ") else ": "
        print(f"studyapp: {printable(str(broken.path))}{separator}{broken.reason}", file=sys.stderr)
    found = results.analyse(gathered, planners)
    make_folder(out)
    saved = figures.save(figures.draw(found), out / "figures")
    other = [name for name in figures.FIGURES if name not in saved]
    _remove(out / "figures" / f"{name}.{form}" for name in other for form in figures.FORMS)
    write_json(out / "summary.json", summary.as_json(found))
    write_text(out / "report.html", report.page(found, saved))
    _write_tables(gathered.sessions, out / "data")
    terminal.show(found, console())
    for note in report.notes(found):
        print(note)
    for each in gathered.listed:
        if not each.included:
            print(f"left out: {printable(each.path.name)}: {each.reason}")
    many = len(gathered.sessions)
    print(f"{many} {'session' if many == 1 else 'sessions'} analysed; the report is {out / 'report.html'}")
    return 0


def _remove(old: Iterable[Path]) -> None:
    """What an earlier analysis of other sessions left here would be taken for a part of this one."""
    for path in old:
        with explained(path):
            path.unlink(missing_ok=True)


def _write_tables(sessions: Sequence[Extract], folder: Path) -> None:
    """The tidy tables of the sessions that were analysed."""
    make_folder(folder)
    for number, table in enumerate(TABLES):
        with TableFile(table, folder) as file:
            for each in sessions:
                file.add(each.parts[number])
            file.finish(f"{table.name}.csv")
