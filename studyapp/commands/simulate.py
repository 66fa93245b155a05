"""``studyapp simulate``: simulated teachers against bandit learners, with every parameter an option."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from core.checks import number, one_of, whole
from core.errors import SettingError
from core.pairs import PAIRS
from core.selection import SELECTIONS
from core.settings import FITS, Settings
from studyapp.base.outputs import check_folder, write_csv, write_json
from studyapp.commands.arguments import Commands, add_out, add_processes

if TYPE_CHECKING:
    from studyapp.experiments.bandits import Bandits
    from studyapp.experiments.results import Results

__all__ = ["register"]

DEFAULTS = Settings(selection="thompson")
MOST_SAMPLES = 1_000_000


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "simulate",
        help="simulated teachers against bandit learners",
        description="Let simulated teachers answer bandit learners, as in section 4 of the paper. A pair "
        "names the teacher (N naive, P planning) and what its learner takes it for (N, P, or M, a mixture "
        "of both). Writes summary.json, curves.csv, the figure (SVG, PDF, PNG), and every replication "
        "(replications.jsonl); the same command again goes on where it was interrupted.",
    )
    data = parser.add_argument_group("data")
    data.add_argument(
        "--dataset",
        metavar="NAME",
        help="word (10,000 words), wine (4,898 white wines), or leaf, which --data brings (default: word)",
    )
    data.add_argument(
        "--data", metavar="FILE", type=Path, help="a table of numbers to draw arms from, .npy or .csv"
    )
    _add(data, "--arms", "K", int, 100, "arms drawn for each replication")
    _add(data, "--c", "C", float, -4.0, "log-odds of a yes to an arm unlike the target")
    _add(data, "--d", "D", float, 8.0, "how much they rise towards the target")

    who = parser.add_argument_group("teachers and learners")
    who.add_argument(
        "--pairs",
        metavar="PAIRS",
        default=",".join(PAIRS),
        help=f"teacher-learner pairs, with commas between them (default: {','.join(PAIRS)})",
    )
    who.add_argument(
        "--selection",
        metavar="RULE",
        default=DEFAULTS.selection,
        help=f"how learners choose questions: {', '.join(SELECTIONS.names)} (default: {DEFAULTS.selection})",
    )
    _add(who, "--teacher-beta", "BETA", float, DEFAULTS.beta, "optimality of the planning teacher")
    _add(who, "--learner-beta", "BETA", float, DEFAULTS.beta, "what learners suppose it to be")
    _add(who, "--tau", "TAU", float, DEFAULTS.tau, "prior standard deviation of the weights")
    _add(who, "--horizon", "T", int, DEFAULTS.horizon, "questions that teachers plan for")
    _add(who, "--gamma", "GAMMA", float, DEFAULTS.gamma, "how much each counts for, next to the one before")
    _add(who, "--samples", "N", int, DEFAULTS.samples, "samples of the Thompson probabilities")
    who.add_argument(
        "--fit",
        metavar="FIT",
        default=DEFAULTS.fit,
        help="converged, or published: the fixed gradient steps of the published study (default: converged)",
    )
    who.add_argument(
        "--imagined-fit",
        metavar="FIT",
        help="the same for the learner that planning teachers imagine (default: as --fit)",
    )

    run_ = parser.add_argument_group("run")
    _add(run_, "--questions", "T", int, 30, "questions of a replication")
    _add(run_, "--replications", "R", int, 100, "replications of each pair")
    _add(run_, "--seed", "S", int, 0, "of everything random")
    add_processes(run_)
    add_out(parser, "simulation")
    parser.set_defaults(run=run)


def _add(
    group: argparse._ArgumentGroup, name: str, metavar: str, kind: type, default: float, told: str
) -> None:
    group.add_argument(
        name, metavar=metavar, type=kind, default=default, help=f"{told} (default: {default:g})"
    )


def run(arguments: argparse.Namespace) -> int:
    # torch and matplotlib take a second to load, which other commands need not wait for
    from studyapp.experiments.executors import site
    from studyapp.experiments.running import Wanted, complete

    out: Path = arguments.out
    pairs = _pairs(arguments.pairs)
    replications = whole("--replications", arguments.replications, 1, 1_000_000)
    design = _design(arguments)
    check_folder(out)
    wanted = Wanted(out / "replications.jsonl", design, pairs, replications)
    at = partial(site, arguments.scheduler, arguments.processes)
    (results,) = complete([wanted], at, "replications")
    found = results.part(pairs, replications)
    summary = _summary(found, replications)
    _write(found, summary, out)
    _tell(summary)
    print(f"written to {out}")
    return 0


def _summary(results: Results, replications: int) -> dict[str, Any]:
    """What summary.json has: the interface that other programs go by."""
    from studyapp.experiments.numbers import curves

    unconverged = {
        pair: sum(not record["converged"] for record in found.values())
        for pair, found in results.records.items()
    }
    return {
        "replications": replications,
        "settings": results.design,
        "pairs": curves(results),  # ci95 is half the width of the 95 % interval: mean - ci95 to mean + ci95
        "replications_with_unconverged_fits": unconverged,
        "software": results.software,
    }


def _write(results: Results, summary: dict[str, Any], out: Path) -> None:
    from studyapp.experiments import figures
    from studyapp.experiments.numbers import as_rows

    write_json(out / "summary.json", summary)
    write_csv(out / "curves.csv", as_rows({"simulation": results}))
    figures.save(figures.bandits({"simulation": results}, "simulation"), out, "curves")


def _tell(summary: dict[str, Any]) -> None:
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
    for pair, found in summary["pairs"].items():
        cells = []
        for measure, digits in (("cumulative_reward", 2), ("concordance", 3)):
            mean, low, high = (found[measure][name][-1] for name in ("mean", "low", "high"))
            told = "–" if low is None else f"{low:.{digits}f} to {high:.{digits}f}"  # noqa: RUF001
            cells += [f"{mean:.{digits}f}", told]
        table.add_row(pair, *cells)
    console().print(table)
    failed = {pair: many for pair, many in summary["replications_with_unconverged_fits"].items() if many}
    if failed and "published" not in (settings["fit"], settings["imagined_fit"]):
        told = ", ".join(f"{many} of {pair}" for pair, many in failed.items())
        print(f"fits that did not converge are in these replications: {told}")


def _pairs(given: str) -> tuple[str, ...]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    if not names:
        raise SettingError(f"--pairs names no pair; choose among {', '.join(PAIRS)}")
    for name in names:
        one_of("a pair of --pairs", name, PAIRS)
    return tuple(name for name in PAIRS if name in names)  # each once, in the order of Table 1


def _design(arguments: argparse.Namespace) -> Bandits:
    from studyapp.experiments.bandits import Bandits
    from studyapp.experiments.datasets import load

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
