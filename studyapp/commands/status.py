"""``studyapp status``: who is where, without a word about models or outcomes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from core.files import explained
from core.wording import counted, visible
from studyapp.base.console import Console
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, session_folders
from studyapp.office.conduct import Conduct, read_conduct
from studyapp.office.deletion import interrupted
from studyapp.office.standing import losses
from studyapp.office.status import Row, Status, counts
from studyapp.office.table import columns_for
from studyapp.study.folder import folder_of

WIDEST = 24  # of a cell that is no remark
NARROWEST = 8  # of one that is
GAPS = (2, 1)  # between columns; the second where the window is narrow


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "status",
        help="list the participants of a study, and where they are",
        description="List the participants of a study: how far each one is, and what was noted about them. "
        "It reads the logs as they grow. Nothing in it tells about models or outcomes.",
    )
    parser.add_argument(
        "sessions",
        metavar="DIR",
        nargs="?",
        type=Path,
        help="a study folder, or a folder of session logs (default: the study in this folder)",
    )
    parser.add_argument("--json", action="store_true", help="print the list as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    (sessions,) = session_folders([] if arguments.sessions is None else [arguments.sessions])
    if arguments.sessions is not None:
        with explained(arguments.sessions):
            arguments.sessions.stat()  # one that was named must be there
    folder = folder_of(sessions)
    conduct = read_conduct(folder.log) if folder else Conduct()
    status = Status(sessions)
    status.update()
    rows = status.rows(conduct)
    if arguments.json:
        say(*json.dumps([row.as_mapping() for row in rows], indent=1).split("\n"))
    else:
        if rows:
            console = Console()
            console.print(_table(rows, console.width))
        said = ", ".join(f"{count} {state}" for state, count in counts(rows).items())
        say(f"{counted(len(rows), 'participant')}" + (f": {said}" if said else f" in {sessions}"))
    for row in rows:
        if row.problem:
            report(f"studyapp: {row.participant}: {row.problem}")
    for loss in losses(folder, conduct) if folder else ():
        report(f"studyapp: {loss}")
    for participant in interrupted(folder, conduct) if folder else ():
        report(
            f"studyapp: the deletion of {participant} was interrupted; to complete it: studyapp delete "
            f"{participant}"
        )
    return 0


def _table(rows: list[Row], width: int) -> Table:
    """The table in a window of this width; what does not fit is cut off the remarks.

    (A remark that began a line of its own could be taken for a message of ours.)
    """
    columns = columns_for(rows)
    cells = [[column.heading, *(visible(column.cell(row)) for row in rows)] for column in columns]
    widths = [min(WIDEST, max(map(cell_len, own))) for own in cells]
    others = [own for own, column in zip(widths, columns, strict=True) if not column.is_remark]
    rests = {gap: width - sum(others) - gap * (len(others) + 1) for gap in GAPS}
    gap = next((gap for gap, rest in rests.items() if rest >= NARROWEST), GAPS[-1])
    table = Table(box=None, padding=(0, gap, 0, 0), header_style="bold")
    for column, own in zip(columns, widths, strict=True):
        table.add_column(
            column.heading,
            justify="right" if column.is_number else "left",
            width=max(NARROWEST, rests[gap]) if column.is_remark else own,
            no_wrap=True,
            overflow="ellipsis",
        )
    for row in zip(*(own[1:] for own in cells), strict=True):
        table.add_row(*map(Text, row))
    return table
