"""``studyapp power``: how many participants does a study need?"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from core.checks import number, whole
from core.errors import SettingError
from core.simulated import SIMULATED
from core.wording import counted
from studyapp.base.console import Console
from studyapp.base.outputs import check_folder, make_folder, write_csv, write_json
from studyapp.base.progress import bar
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_choice, add_out, add_study, add_words

if TYPE_CHECKING:
    from studyapp.analysis.power import Power
    from studyapp.analysis.sample import Pair

__all__ = ["register"]

SIZES = (4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
FEW = 20  # sessions; from fewer, the intervals come out too narrow


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "power",
        help="estimate how many participants a study needs",
        description="Estimate the power of a study (the probability of p < 0.05) by number of participants "
        "and questions. Studies are drawn at random from the sessions in a folder, or from simulated "
        "participants.",
    )
    parser.add_argument(
        "sessions",
        metavar="DIR",
        nargs="?",
        type=Path,
        help="folder of session logs to draw from (default: simulate participants)",
    )
    add_study(parser)
    parser.add_argument(
        "--teacher",
        choices=SIMULATED.names,
        default="planning",
        help="how simulated participants answer (default: planning)",
    )
    parser.add_argument(
        "--simulate",
        metavar="N",
        type=int,
        default=40,
        help="number of participants to simulate (default: 40)",
    )
    parser.add_argument(
        "--participants",
        metavar="N",
        nargs="+",
        type=int,
        default=list(SIZES),
        help=f"numbers of participants to estimate the power for (default: {' '.join(map(str, SIZES))})",
    )
    parser.add_argument(
        "--level", metavar="P", type=float, default=0.05, help="significance level (default: 0.05)"
    )
    add_out(parser, "power")
    add_words(parser)
    add_choice(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from studyapp.analysis import figures
    from studyapp.analysis.gather import gather
    from studyapp.analysis.power import as_json, as_rows, power_by_pair, simulated_sessions
    from studyapp.analysis.rewards import compare_rewards
    from studyapp.analysis.sample import Sample
    from studyapp.reporting.terminal import console

    sizes = sorted({whole("--participants", size, 2, 10_000) for size in arguments.participants})
    level = number("--level", arguments.level, above=0.0, most=0.5)
    out: Path = arguments.out
    check_folder(out, "sessions")
    sessions, words = arguments.sessions, arguments.words
    if sessions is None:
        count = whole("--simulate", arguments.simulate, 2, 100_000)
        sessions, own_words = simulated_sessions(arguments.study, arguments.teacher, count, out)
        words = words or own_words
    gathered = gather(sessions, words=words, include=arguments.include, exclude=arguments.exclude)
    sample = Sample(gathered.sessions)
    rewards = compare_rewards(sample)
    pool = min((comparison.participants for comparison in rewards.comparisons.values()), default=0)
    if pool < 2 or sample.questions < 2:
        raise SettingError(
            f"power needs at least 2 sessions with 2 questions per round; here: {counted(pool, 'session')} "
            f"with {counted(sample.questions, 'question')}",
            *(f"  {warning}" for warning in gathered.warnings()),
        )
    report(*(f"studyapp: {warning}" for warning in gathered.warnings()))
    with bar("drawing studies", len(rewards.comparisons) * len(sizes)) as progress:
        powers = power_by_pair(rewards, sizes, level, progress)
    make_folder(out)
    figures.write(figures.draw_power(powers, level), out)
    write_json(out / "power.json", as_json(powers, gathered, level))
    write_csv(out / "power.csv", as_rows(powers))
    for pair, power in powers.items():
        _show(pair, power, level, console())
    kinds = ", ".join(gathered.kinds)
    say(f"Drawn from {counted(pool, 'session')} ({kinds}). Figures and numbers: {out}")
    if pool < FEW:
        say(f"With only {counted(pool, 'session')}, the true intervals are wider than these.")
    return 0


def _show(pair: Pair, power: Power, level: float, console: Console) -> None:
    """Print the power by participants, and the number of participants that reach a goal."""
    from studyapp.analysis.power import GOALS
    from studyapp.reporting.terminal import short
    from studyapp.reporting.wording import percent

    questions = int(power.questions[-1])
    shown = sorted({max(2, round(questions * thirds / 3)) for thirds in (1, 2, 3)})
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("participants", justify="right")
    for question in shown:
        table.add_column(f"after {question} questions", justify="right")
    for i, size in enumerate(power.sizes):
        cells = [
            f"{percent(power.share[i, j])} ({percent(power.low[i, j])} to {percent(power.high[i, j])})"
            for j in (question - 2 for question in shown)
        ]
        table.add_row(str(size), *cells)
    one, other = map(short, pair)
    console.print(Text(f"Power for {one} against {other} (two-sided, p < {level:g})", style="bold"))
    console.print(table)
    for goal in GOALS:
        estimate, safe = _needed(power, goal), _needed(power, goal, lower_limit=True)
        console.print(
            f"Participants needed for {percent(goal)} power after {questions} questions: {estimate}"
        )
        console.print(f"  for {percent(goal)} power even at the lower limit of the interval: {safe}")


def _needed(power: Power, goal: float, *, lower_limit: bool = False) -> str:
    from studyapp.analysis.power import participants_for

    needed = participants_for(power, goal, lower_limit=lower_limit)
    return str(needed) if needed else f"more than {power.sizes[-1]}"
