"""``studyapp power``: how many participants does a study need?"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from core.checks import number, one_of, whole
from core.errors import SettingError
from core.simulated import SIMULATED
from core.wording import counted
from studyapp.base.console import bar
from studyapp.base.outputs import check_folder, make_folder, write_json
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import (
    Commands,
    add_choice,
    add_out,
    add_people,
    add_study,
    add_words,
    named_sessions,
    people_of,
    study_of,
)
from studyapp.office.standing import Standing, standing_of
from studyapp.study.loading import load

SIZES = (5, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200)


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "power",
        help="estimate how many participants a study needs",
        description="Say which model does better in the sessions of a folder, or with simulated "
        "participants, and by how much: in reward, in finding the target, and in the time to find it. Then "
        "estimate the power of a study to show it (the probability of p < 0.05 in the two-sided paired "
        "t-test, with the difference in the expected direction), and the number of participants it needs.",
    )
    parser.add_argument(
        "sessions",
        metavar="DIR",
        nargs="?",
        type=Path,
        help="folder of session logs to estimate the effects from (default: simulate participants)",
    )
    add_study(parser)
    parser.add_argument(
        "--teacher",
        choices=SIMULATED.names,
        default="person",
        help="how simulated participants answer (default: person)",
    )
    add_people(parser)
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
        "--better",
        metavar="MODEL",
        help="the model that a study should show to be better than the others (default: of each pair, the "
        "one that does better in these sessions)",
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
    from studyapp.analysis.comparisons import compare_models
    from studyapp.analysis.figures.power import draw_power
    from studyapp.analysis.gather import gather
    from studyapp.analysis.power import estimate_power, simulated_sessions
    from studyapp.analysis.power_terminal import show_power
    from studyapp.analysis.sample import Sample
    from studyapp.reporting.terminal import console

    sizes = sorted({whole("--participants", size, 2, 10_000) for size in arguments.participants})
    level = number("--level", arguments.level, least=0.0001, most=0.5)
    better: str | None = arguments.better
    out: Path = arguments.out
    check_folder(out, "sessions")
    sessions, words = arguments.sessions, arguments.words
    standing = Standing() if sessions is None else standing_of([sessions])
    sessions = None if sessions is None else named_sessions(sessions)
    if sessions is not None and arguments.people is not None:
        raise SettingError("--people is for simulated participants; leave it out, or leave DIR out")
    if sessions is None:
        count = whole("--simulate", arguments.simulate, 2, 100_000)
        _check_better(
            better, load(study_of(arguments)).study.models
        )  # before the simulation, which takes long
        sessions, own_words = simulated_sessions(
            study_of(arguments), arguments.teacher, count, out, people_of(arguments)
        )
        words = words or own_words
    gathered = gather(
        sessions,
        words=words,
        include=arguments.include,
        exclude=arguments.exclude,
        standing=replace(standing, blind=False),
    )
    if standing.blind and gathered.kinds != ["simulated"]:
        problem = f"{sessions}: this study is blind, and its sessions would tell how the models compare"
        raise SettingError(f"{problem}; simulate participants (leave DIR out), or run studyapp unblind first")
    sample = Sample(gathered.sessions)
    _check_better(better, sample.models)
    compared = compare_models(sample)
    pool = min((comparison.reward.test.count for comparison in compared.values()), default=0)
    if pool < 2 or sample.questions < 2:
        raise SettingError(
            f"power needs at least 2 sessions with 2 questions per round; here: {counted(pool, 'session')} "
            f"with {counted(sample.questions, 'question')}",
            *(f"  {warning}" for warning in gathered.warnings()),
        )
    report(*(f"studyapp: {warning}" for warning in gathered.warnings()))
    found = estimate_power(compared, gathered, sizes, level, better)
    make_folder(out)
    with bar("drawing figures", len(found.pairs)) as progress:
        for done, pair in enumerate(found.pairs, start=1):
            figures.write({f"power-{'+'.join(pair.models)}": draw_power(pair, level)}, out, pdf=True)
            progress(done)
    write_json(out / "power.json", found)
    show_power(found, console())
    kinds = ", ".join(gathered.kinds)
    say(f"From {counted(len(gathered.sessions), 'session')} ({kinds}). Figures and numbers: {out}")
    if gathered.kinds == ["simulated"]:
        say("These participants are simulated. People may differ from them.")
    return 0


def _check_better(better: str | None, models: Iterable[str]) -> None:
    if better is not None:
        one_of("--better", better, models)
