"""``studyapp power``: how many participants does a study need?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.checks import number, whole
from core.errors import SettingError
from core.simulated import SIMULATED
from studyapp.base.outputs import check_folder, make_folder, write_csv, write_json
from studyapp.base.progress import bar
from studyapp.commands.arguments import Commands, add_choice, add_out, add_study, add_words

if TYPE_CHECKING:
    from studyapp.analysis.power import Power

    Found = dict[tuple[str, str], Power]  # by pair of models

__all__ = ["register"]

SIZES = (4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
FEW = 20  # sessions, of which the spread is known too badly for honest intervals


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "power",
        help="how many participants does a study need?",
        description="The chance of p < 0.05 by number of participants and questions: from sessions in a "
        "folder, which are drawn from again and again, or from simulated participants of a study.",
    )
    parser.add_argument(
        "sessions", metavar="DIR", nargs="?", type=Path, help="sessions to draw from (default: simulate some)"
    )
    add_study(parser)
    parser.add_argument(
        "--teacher", choices=SIMULATED.names, default="planning", help="how simulated participants answer"
    )
    parser.add_argument(
        "--simulate", metavar="N", type=int, default=40, help="how many to simulate (default: 40)"
    )
    parser.add_argument(
        "--participants",
        metavar="N",
        nargs="+",
        type=int,
        default=list(SIZES),
        help=f"sizes of studies to look at (default: {' '.join(map(str, SIZES))})",
    )
    parser.add_argument("--level", metavar="P", type=float, default=0.05, help="default: 0.05")
    add_out(parser, "power")
    add_words(parser)
    add_choice(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from studyapp.analysis import figures
    from studyapp.analysis.gather import gather
    from studyapp.analysis.power import as_json, as_rows, power_of_pairs, simulated_sessions
    from studyapp.analysis.results import analyse
    from studyapp.reporting.terminal import console

    sizes = sorted({whole("--participants", size, 2, 10_000) for size in arguments.participants})
    level = number("--level", arguments.level, above=0.0, most=0.5)
    out: Path = arguments.out
    check_folder(out)
    sessions, words = arguments.sessions, arguments.words
    if sessions is None:
        count = whole("--simulate", arguments.simulate, 2, 100_000)
        sessions, own_words = simulated_sessions(arguments.study, arguments.teacher, count, out)
        words = words or own_words
    gathered = gather(sessions, words=words, include=arguments.include, exclude=arguments.exclude)
    results = analyse(gathered, planners=0)
    pool = min((pair.reward.participants for pair in results.pairs), default=0)
    if pool < 2 or results.questions < 2:
        raise SettingError(
            f"there are {pool} sessions of {results.questions} questions to draw from; two of each are needed"
        )
    with bar("drawing studies", len(results.pairs) * len(sizes)) as tell:
        found = power_of_pairs(results, sizes, level, tell)
    make_folder(out)
    figures.save(figures.draw_power(found, level), out)
    write_json(out / "power.json", as_json(found, gathered, level))
    write_csv(out / "power.csv", as_rows(found))
    _tell(found, results.questions, level, console())
    print(f"drawn from {pool} sessions ({', '.join(gathered.kinds)}); figure and numbers are in {out}")
    if pool < FEW:
        print(f"{pool} sessions are few: the intervals should be even wider")
    return 0


def _tell(found: Found, questions: int, level: float, console: Console) -> None:
    from studyapp.analysis.power import GOALS, participants_for
    from studyapp.reporting.terminal import short

    for (one, other), power in found.items():
        shown = sorted({max(2, round(questions * part / 3)) for part in (1, 2, 3)})
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("participants", justify="right")
        for question in shown:
            table.add_column(f"after {question} questions", justify="right")
        for i, size in enumerate(power.sizes):
            cells = [
                f"{power.share[i, q - 2]:.0%} ({power.low[i, q - 2]:.0%} to {power.high[i, q - 2]:.0%})"
                for q in shown
            ]
            table.add_row(str(size), *cells)
        told = f"chance of p < {level:g} (either way) for {short(one)} against {short(other)}"
        console.print(Text(told, style="bold"))
        console.print(table)
        for goal in GOALS:
            needed = participants_for(power, goal)
            told = f"{needed} participants" if needed else f"more than {power.sizes[-1]} participants"
            sure = participants_for(power, goal, of=power.low)
            surely = f"surely with {sure}" if sure else "how many surely cannot be told from these sessions"
            console.print(f"a power of {goal:.0%} after {questions} questions takes {told}")
            console.print(f"  ({surely})")
