"""``studyapp analyse``: from folders of session logs to a report, figures, numbers and tables."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from core import checks
from core.files import explained
from core.wording import counted
from studyapp.base.outputs import check_folder, inner_folder, write_json, write_text
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import (
    Commands,
    add_blind,
    add_choice,
    add_folders,
    add_out,
    add_words,
    session_folders,
)
from studyapp.commands.recording import record
from studyapp.office.events import Analysed
from studyapp.office.standing import standing_of
from studyapp.tables.columns import write_table
from studyapp.tables.tables import TABLES

if TYPE_CHECKING:
    from studyapp.analysis.extract import Extract


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "analyse",
        help="analyse saved sessions: report, figures, numbers",
        description="Analyse the session logs in one folder or several. Writes report.html (open it in a "
        "browser), the figures (figures/), all numbers (summary.json) and all answers as CSV tables (data/). "
        "In the folder of a blind study that is still collecting, only the quality of the data is reported.",
    )
    add_folders(parser)
    add_out(parser, "analysis")
    add_words(parser)
    add_choice(parser)
    add_blind(parser)
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
    from studyapp.analysis import collecting, figures, summary, terminal
    from studyapp.analysis.comparisons import MARGIN
    from studyapp.analysis.gather import gather
    from studyapp.analysis.notes import about_blinding, notes
    from studyapp.analysis.registered import as_registered
    from studyapp.analysis.report import page
    from studyapp.analysis.results import analyse
    from studyapp.reporting.terminal import console

    out: Path = arguments.out
    margin = (
        MARGIN if arguments.margin is None else checks.number("--margin", arguments.margin, above=0, most=1e6)
    )
    check_folder(out, "figures", "data")
    folders = session_folders(arguments.sessions)
    standing = standing_of(arguments.sessions, blind=arguments.blind)
    report(*(f"studyapp: {loss}" for loss in standing.losses()))
    gathered = gather(
        *folders,
        words=arguments.words,
        include=arguments.include,
        exclude=arguments.exclude,
        standing=standing,
    )
    report(*(f"studyapp: {warning}" for warning in gathered.warnings()))
    registered = as_registered(folders, gathered, margin=margin, blind=standing.blind)
    gathered = replace(gathered, registered=registered)
    folder, tables = inner_folder(out, "figures"), inner_folder(out, "data")
    if standing.blind and standing.collecting and gathered.kinds != ["simulated"]:
        collected = collecting.collect(gathered)
        write_json(out / "summary.json", collecting.as_json(collected))
        write_text(out / "report.html", collecting.page(collected))
        _remove(figures.unused({}, folder))
        _remove(tables / f"{table.name}.csv" for table in TABLES)
        collecting.show(collected, console())
    else:
        results = analyse(gathered, margin)
        images = figures.write(figures.draw(results), folder, pdf=arguments.pdf)
        _remove(figures.unused(images, folder, pdf=arguments.pdf))
        write_json(out / "summary.json", summary.as_json(results))
        write_text(out / "report.html", page(results, images))
        _write_tables(gathered.sessions, tables)
        terminal.show(results, console())
    for note in [about_blinding(gathered), *notes(gathered)]:
        if note:
            say(note)
    for log in gathered.logs:
        if not log.included:
            say(f"not included: {log.name}: {log.reason}")
    say(f"Analysed {counted(len(gathered.sessions), 'session')}. Report: {out / 'report.html'}")
    record(standing, Analysed, out, [session.participant for session in gathered.sessions])
    return 0


def _remove(paths: Iterable[Path]) -> None:
    """Remove what an earlier analysis left here, which would look like a part of this one."""
    for path in paths:
        with explained(path):
            path.unlink(missing_ok=True)


def _write_tables(sessions: Sequence[Extract], folder: Path) -> None:
    """Write the tidy tables of the included sessions."""
    for number, table in enumerate(TABLES):
        write_table(table, [session.parts[number] for session in sessions], folder, f"{table.name}.csv")
