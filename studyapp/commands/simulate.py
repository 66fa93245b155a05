"""``studyapp simulate``: simulated teachers and bandit learners, with every parameter an option."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.checks import number, one_of, whole
from core.errors import SettingError
from core.pairs import TABLE_1, pair_named, pair_names
from core.selection import SELECTIONS
from core.settings import FITS, Settings
from core.simulated import SIMULATED, SimulatedKind
from core.teachers import TEACHERS, TeacherModel
from studyapp.base.outputs import check_folder, write_csv, write_json
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, add_out, add_processes
from studyapp.experiments.datasets import DATASETS, DEFAULT, load

if TYPE_CHECKING:
    from studyapp.experiments.designs.bandits import Bandits
    from studyapp.experiments.store import Results

DEFAULTS = Settings(selection="thompson")
MOST_SAMPLES = 1_000_000
MOST_QUESTIONS = 2_000_000  # of all replications, which are in memory together
UNKNOWN = "–"  # noqa: RUF001 (a dash)


def _letters(kinds: Iterable[SimulatedKind] | Iterable[TeacherModel]) -> str:
    return ", ".join(f"{kind.letter} {kind.name}" for kind in kinds if kind.letter)


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "simulate",
        help="simulate teachers and bandit learners",
        description="Simulate teachers who answer bandit learners, as in section 4 of the paper. A pair "
        f"names the teacher ({_letters(SIMULATED)}) and the learner's model of it ({_letters(TEACHERS)}). "
        "A third letter T means that the learner keeps a belief over targets instead of weights, as it must "
        "if it expects a person: H-HT. "
        "Writes summary.json, curves.csv, a figure (curves.svg and .pdf) and every replication "
        "(replications/). If it is interrupted, run the same command again to continue.",
    )
    data = parser.add_argument_group("data")
    data.add_argument("--dataset", metavar="NAME", help=_datasets())
    data.add_argument(
        "--data",
        metavar="FILE",
        type=Path,
        help="your own table to draw arms from, a .npy or .csv file",
    )
    _add(data, "--arms", "K", int, 100, "arms drawn for each replication")
    _add(data, "--c", "C", float, -4.0, "log-odds of a reward for an arm with similarity 0 to the target")
    _add(data, "--d", "D", float, 8.0, "how much higher they are for an arm with similarity 1")

    who = parser.add_argument_group("teachers and learners")
    who.add_argument(
        "--pairs",
        metavar="PAIRS",
        default=",".join(TABLE_1),
        help=f"pairs of teacher and learner, separated by commas (default: {','.join(TABLE_1)}; "
        f"all: {','.join(pair_names())})",
    )
    who.add_argument(
        "--selection",
        metavar="RULE",
        default=DEFAULTS.selection,
        help=f"how learners choose questions: {', '.join(SELECTIONS.names)} (default: {DEFAULTS.selection})",
    )
    _add(who, "--teacher-beta", "BETA", float, DEFAULTS.beta, "optimality of the planning teacher")
    _add(who, "--learner-beta", "BETA", float, DEFAULTS.beta, "the optimality that learners assume")
    _add(who, "--tau", "TAU", float, DEFAULTS.tau, "prior standard deviation of the weights")
    _add(who, "--horizon", "T", int, DEFAULTS.horizon, "how many questions ahead teachers plan")
    _add(who, "--gamma", "GAMMA", float, DEFAULTS.gamma, "discount per question planned ahead")
    _add(who, "--samples", "N", int, DEFAULTS.samples, "samples for the Thompson probabilities")
    who.add_argument(
        "--fit",
        metavar="FIT",
        default=DEFAULTS.fit,
        help="how learners are fitted: converged, or published for the published study's fixed number of "
        "gradient steps (default: converged)",
    )
    who.add_argument(
        "--imagined-fit",
        metavar="FIT",
        help="how the learner that planning teachers imagine is fitted (default: the same as --fit)",
    )

    run_ = parser.add_argument_group("run")
    _add(run_, "--questions", "T", int, 30, "questions per replication")
    _add(run_, "--replications", "R", int, 100, "replications per pair")
    _add(run_, "--seed", "S", int, 0, "seed of everything random")
    add_processes(run_)
    add_out(parser, "simulation")
    parser.set_defaults(run=run)


def _datasets() -> str:
    """The datasets, for the help."""
    listed = [
        f"{kind.name} ({kind.sentence}{'' if kind.shipped else '; needs --data FILE'})" for kind in DATASETS
    ]
    return f"where arms are drawn from: {', '.join(listed)} (default: {DEFAULT})"


def _add(
    group: argparse._ArgumentGroup, name: str, metavar: str, kind: type, default: float, text: str
) -> None:
    group.add_argument(
        name, metavar=metavar, type=kind, default=default, help=f"{text} (default: {default:g})"
    )


def run(arguments: argparse.Namespace) -> int:
    # Loading SciPy and matplotlib takes a second, which bad input and --help need not wait for.
    from studyapp.experiments.running import Wanted, complete, site

    out: Path = arguments.out
    pairs = _pairs(arguments.pairs)
    design = _design(arguments)
    most = MOST_QUESTIONS // (design.questions * len(pairs))
    replications = whole("--replications", arguments.replications, 1, most)
    check_folder(out, "replications")
    wanted = Wanted(out / "replications", design, pairs, replications)
    at = partial(site, arguments.scheduler, arguments.processes)
    (results,) = complete([wanted], at, "replications")
    results = results.first(pairs, replications)
    summary = _summary(results, replications)
    _write(results, summary, out)
    _print(summary)
    say(f"Figure and numbers: {out}")
    return 0


def _summary(results: Results, replications: int) -> dict[str, Any]:
    """The content of summary.json, which other programs rely on."""
    from studyapp.experiments.numbers import curves

    unconverged = {
        pair: sum(not record["converged"] for record in records.values())
        for pair, records in results.records.items()
    }
    return {
        "replications": replications,
        "settings": results.design,
        "meaning": {pair: pair_named(pair).sentence for pair in results.records},
        "pairs": curves(results),  # ci95 is half the width of the 95 % interval: mean - ci95 to mean + ci95
        "replications_with_unconverged_fits": unconverged,
        "software": results.software,
    }


def _write(results: Results, summary: dict[str, Any], out: Path) -> None:
    from studyapp.experiments.figures import drawing
    from studyapp.experiments.figures.bandits import bandits
    from studyapp.experiments.numbers import as_rows

    write_json(out / "summary.json", summary)
    write_csv(out / "curves.csv", as_rows({"simulation": results}))
    drawing.save(bandits({"simulation": results}), out, "curves")


def _print(summary: dict[str, Any]) -> None:
    """The rewards and concordances after the last question."""
    from rich.table import Table

    from studyapp.reporting.terminal import console

    settings = summary["settings"]
    table = Table(
        box=None,
        padding=(0, 2, 0, 0),
        header_style="bold",
        title=f"questions: {settings['questions']}, replications: {summary['replications']}, "
        f"fits: {settings['fit']}",
        title_justify="left",
    )
    table.add_column("pair")
    for head in ("cumulative reward", "95 % interval", "concordance", "95 % interval"):
        table.add_column(head, justify="right", no_wrap=True)
    for pair, curves in summary["pairs"].items():
        cells = []
        for measure, digits in (("cumulative_reward", 2), ("concordance", 3)):
            mean, low, high = (curves[measure][name][-1] for name in ("mean", "low", "high"))
            interval = UNKNOWN if low is None else f"{low:.{digits}f} to {high:.{digits}f}"
            cells += [f"{mean:.{digits}f}", interval]
        table.add_row(pair, *cells)
    console().print(table)
    for pair, meaning in summary["meaning"].items():
        if pair not in TABLE_1:
            say(f"{pair}: {meaning}")
    failed = {pair: count for pair, count in summary["replications_with_unconverged_fits"].items() if count}
    if failed and "published" not in (settings["fit"], settings["imagined_fit"]):
        listed = ", ".join(f"{count} with {pair}" for pair, count in failed.items())
        say(f"replications in which a fit did not converge: {listed}")


def _pairs(given: str) -> tuple[str, ...]:
    pairs = pair_names()
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise SettingError(f"--pairs names no pair; choose from {', '.join(pairs)}")
    for name in names:
        one_of("a pair in --pairs", name, pairs)
    return tuple(name for name in pairs if name in names)  # each once, in the order of Table 1


def _design(arguments: argparse.Namespace) -> Bandits:
    from studyapp.experiments.designs.bandits import Bandits

    learner = Settings(
        selection=one_of("--selection", arguments.selection, SELECTIONS.names),
        beta=number("--learner-beta", arguments.learner_beta, least=0.0, most=1e6),
        tau=number("--tau", arguments.tau, least=1e-6, most=1e6),
        horizon=whole("--horizon", arguments.horizon, 1, 10),
        gamma=number("--gamma", arguments.gamma, above=0.0, most=1.0),
        samples=whole("--samples", arguments.samples, 2, MOST_SAMPLES),
        fit=one_of("--fit", arguments.fit, FITS),
    )
    return Bandits(
        load(arguments.dataset, arguments.data),
        arms=arguments.arms,
        questions=arguments.questions,
        c=arguments.c,
        d=arguments.d,
        teacher_beta=arguments.teacher_beta,
        learner=learner,
        imagined_fit=arguments.imagined_fit,
        seed=arguments.seed,
    )
