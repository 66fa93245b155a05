"""``studyapp analyse``: from folders of session logs to a report, figures, numbers and tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core import checks
from core.files import explained
from core.wording import counted
from studyapp.base.outputs import check_folder, inner_folder, write_json, write_text
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_choice, add_folders, add_out, add_words
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
        description="Analyse the session logs in one folder or several. Writes report.html (open it in a "
        "browser), the figures (figures/), all numbers (summary.json) and all answers as CSV tables (data/).",
    )
    add_folders(parser)
    add_out(parser, "analysis")
    add_words(parser)
    add_choice(parser)
    parser.add_argument(
        "--planners",
        metavar="N",
        type=int,
        default=PLANNERS,
        help="compare the answers of at most N participants, drawn at random, with a planning teacher's "
        f"(alpha, log-likelihood); each takes about 0.05 s (default: {PLANNERS})",
    )
    parser.add_argument(
        "--margin",
        metavar="REWARD",
        type=float,
        help="difference in cumulative reward that is too small to matter, for the equivalence test "
        "(default: 0.5, half of what one question about the target earns)",
    )
    parser.add_argument("--pdf", action="store_true", help="also write every figure as PDF")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    # matplotlib and scipy take a second to load; other commands need not wait for them
    from studyapp.analysis import figures, summary, terminal
    from studyapp.analysis.comparisons import MARGIN
    from studyapp.analysis.gather import gather
    from studyapp.analysis.notes import notes
    from studyapp.analysis.report import page
    from studyapp.analysis.results import analyse
    from studyapp.reporting.terminal import console

    out: Path = arguments.out
    planners = checks.whole("--planners", arguments.planners, 0, 1_000_000)
    margin = (
        MARGIN if arguments.margin is None else checks.number("--margin", arguments.margin, above=0, most=1e6)
    )
    check_folder(out, "figures", "data")
    gathered = gather(
        *arguments.sessions, words=arguments.words, include=arguments.include, exclude=arguments.exclude
    )
    report(*(f"studyapp: {warning}" for warning in gathered.warnings()))
    results = analyse(gathered, planners, margin)
    folder = inner_folder(out, "figures")
    images = figures.write(figures.draw(results), folder, pdf=arguments.pdf)
    _remove(figures.unused(images, folder, pdf=arguments.pdf))
    write_json(out / "summary.json", summary.as_json(results))
    write_text(out / "report.html", page(results, images))
    _write_tables(gathered.sessions, inner_folder(out, "data"))
    terminal.show(results, console())
    for note in notes(results):
        say(note)
    for log in gathered.logs:
        if not log.included:
            say(f"not included: {log.name}: {log.reason}")
    say(f"Analysed {counted(len(gathered.sessions), 'session')}. Report: {out / 'report.html'}")
    return 0


def _remove(paths: Iterable[Path]) -> None:
    """Remove what an earlier analysis left here, which would look like a part of this one."""
    for path in paths:
        with explained(path):
            path.unlink(missing_ok=True)


def _write_tables(sessions: Sequence[Extract], folder: Path) -> None:
    """Write the tidy tables of the included sessions."""
    for number, table in enumerate(TABLES):
        with TableFile(table, folder) as file:
            for session in sessions:
                file.add(session.parts[number])
            file.finish(f"{table.name}.csv")
