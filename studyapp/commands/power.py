"""``studyapp power``: how many participants does a study need?"""

from __future__ import annotations

import argparse
import csv
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from core.checks import number, whole
from core.errors import FileError, SettingError
from core.settings import SIMULATED
from studyapp.base.outputs import check_folder, make_folder, write_text
from studyapp.base.progress import bar
from studyapp.commands.arguments import Commands, add_choice, add_out, add_study, add_words
from studyapp.session.saved import open_session
from studyapp.study.study import LoadedStudy, load

if TYPE_CHECKING:
    from studyapp.analysis.gather import Gathered
    from studyapp.analysis.power import Power
    from studyapp.analysis.results import Results

    Found = dict[tuple[str, str], Power]  # by pair of models

__all__ = ["register"]

SIZES = (4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50)
GOALS = (0.8, 0.9)
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
        "--teacher", choices=SIMULATED, default="planning", help="how simulated participants answer"
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
    from studyapp.analysis import figures, terminal
    from studyapp.analysis.gather import gather
    from studyapp.analysis.results import analyse

    sizes = sorted({whole("--participants", size, 2, 10_000) for size in arguments.participants})
    level = number("--level", arguments.level, above=0.0, most=0.5)
    out: Path = arguments.out
    check_folder(out)
    sessions, words = arguments.sessions, arguments.words
    if sessions is None:
        sessions, own_words = _simulated(arguments, out)
        words = words or own_words
    gathered = gather(sessions, words=words, include=arguments.include, exclude=arguments.exclude)
    results = analyse(gathered, planners=0)
    pool = min((pair.reward.participants for pair in results.pairs), default=0)
    if pool < 2 or results.questions < 2:
        raise SettingError(
            f"there are {pool} sessions of {results.questions} questions to draw from; two of each are needed"
        )
    found = _find(results, sizes, level)
    make_folder(out)
    figures.save(figures.draw_power(found, level), out)
    write_text(out / "power.json", json.dumps(_document(found, gathered, level), indent=1) + "\n")
    write_text(out / "power.csv", _csv(found))
    _tell(found, results.questions, level, terminal.console())
    print(f"drawn from {pool} sessions ({', '.join(gathered.kinds)}); figure and numbers are in {out}")
    if pool < FEW:
        print(f"{pool} sessions are few: the intervals should be even wider")
    return 0


def _simulated(arguments: argparse.Namespace, out: Path) -> tuple[Path, Path | None]:
    """Simulated participants, in a folder of their own, and the file of their words, if these have one.

    Those that are there already stay.
    """
    from studyapp.commands.rehearse import send

    many = whole("--simulate", arguments.simulate, 2, 100_000)
    loaded = load(arguments.study)
    sessions = out / "sessions"
    _check_alike(sessions, loaded, arguments.teacher)
    for _ in send(loaded, arguments.teacher, many, sessions):
        pass
    words = Path(arguments.study).parent / loaded.study.words  # beside the study file
    return sessions, words if words.suffix and words.is_file() else None


def _check_alike(sessions: Path, loaded: LoadedStudy, teacher: str) -> None:
    """Refuse to draw from participants of another study, or that answered in another way."""
    expected = (loaded.study.record(), loaded.vocabulary.sha256, teacher)
    for path in sorted(sessions.glob("*.yaml")):
        started = open_session(path).session.started
        if (started.study, started.words_sha256, started.teacher) != expected:
            problem = "this session is of another study, or of another --teacher"
            raise FileError(path, f"{problem}; choose another folder (--out)")


def _find(results: Results, sizes: list[int], level: float) -> Found:
    import numpy as np

    from studyapp.analysis.power import find_power

    found: Found = {}
    with bar("drawing studies", len(results.pairs) * len(sizes)) as tell:
        for pair in results.pairs:
            one, other = (results.curves[model][:, 1:] for model in pair.models)
            both = np.isfinite(one - other).all(-1)  # who had both models, as in the tests
            before = len(found) * len(sizes)
            found[pair.models] = find_power(
                (one - other)[both], sizes, level, partial(_tell_from, tell, before)
            )
    return found


def _tell_from(tell: Callable[[float], None], before: int, done: float) -> None:
    tell(before + done)


def _document(found: Found, gathered: Gathered, level: float) -> dict[str, Any]:
    from studyapp.analysis.power import participants_for

    return {
        "sessions": len(gathered.sessions),
        "kinds": gathered.kinds,
        "level": level,
        "pairs": [
            {
                "models": models,
                "participants": power.sizes.tolist(),
                "questions": power.questions.tolist(),
                "power": power.share.tolist(),
                "ci95": [power.low.tolist(), power.high.tolist()],
                "needed": {f"{goal:g}": participants_for(power, goal) for goal in GOALS},
                "surely": {f"{goal:g}": participants_for(power, goal, of=power.low) for goal in GOALS},
            }
            for models, power in found.items()
        ],
    }


def _csv(found: Found) -> str:
    """One row a size and question."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["first", "second", "participants", "question", "power", "low", "high"])
    for (one, other), power in found.items():
        for i, size in enumerate(power.sizes):
            for j, question in enumerate(power.questions):
                numbers = (f"{each[i, j]:.4f}" for each in (power.share, power.low, power.high))
                table.writerow([one, other, size, question, *numbers])
    return text.getvalue()


def _tell(found: Found, questions: int, level: float, console: Console) -> None:
    from studyapp.analysis.power import participants_for
    from studyapp.analysis.terminal import short

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
