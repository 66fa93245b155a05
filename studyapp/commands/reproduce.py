"""``studyapp reproduce``: the paper's simulated figures, by name."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.checks import whole
from core.errors import FileError, SettingError
from core.files import explained
from core.settings import FITS
from studyapp.base.outputs import check_folder, make_folder, write_csv, write_json, write_text
from studyapp.commands.arguments import Commands, add_out, add_processes

if TYPE_CHECKING:
    from rich.console import Console

    from studyapp.experiments.catalogue import Entry
    from studyapp.experiments.page import Section
    from studyapp.experiments.results import Results
    from studyapp.experiments.running import Wanted

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="the paper's simulated figures, by name",
        description="Simulate the figures of the paper anew. Writes index.html, which shows them with "
        "what the paper says of each and whether this run supports it, figures/ (SVG, PDF, PNG), numbers/ "
        "(CSV, JSON) and results/, from which all of these are made. The same command again goes on where it "
        "was interrupted; more figures, replications or another fit add to what is there.",
    )
    parser.add_argument(
        "names", metavar="FIGURE", nargs="*", help="which ones (default: all but leaf, which needs --data)"
    )
    parser.add_argument("--list", action="store_true", help="tell of each figure, and how long it takes")
    parser.add_argument("--quick", action="store_true", help="fewer replications, to see the gist in minutes")
    parser.add_argument(
        "--replications", metavar="R", type=int, help="as many, instead of the paper's number or --quick's"
    )
    parser.add_argument(
        "--fit",
        metavar="FIT",
        nargs="+",
        choices=FITS,
        default=["converged"],
        help="converged (default), published (the fixed gradient steps of the published study), or both",
    )
    parser.add_argument("--data", metavar="FILE", type=Path, help="the Leaf data, .npy or .csv, for leaf")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="of everything random (default: 0)")
    parser.add_argument(
        "--redraw", action="store_true", help="simulate nothing: make figures, numbers and page from results/"
    )
    add_processes(parser)
    add_out(parser, "reproduction")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    # torch and matplotlib take a second to load, which other commands need not wait for
    from studyapp.analysis.terminal import console
    from studyapp.experiments.executors import site
    from studyapp.experiments.page import page
    from studyapp.experiments.running import complete

    if arguments.list:
        _list(arguments.fit)
        return 0
    out: Path = arguments.out
    chosen = _chosen(arguments.names, arguments.data)
    check_folder(out)
    _check_seeds(out, None if arguments.redraw else arguments.seed)
    if not arguments.redraw:
        wanted = list(_wanted(arguments, chosen))
        complete(wanted, partial(site, arguments.scheduler, arguments.processes), "replications")
    sections = list(_sections(out))
    there = [section.entry.name for section in sections]
    if lacking := [name for name in arguments.names if name not in there] or (not there and ["any figure"]):
        raise SettingError(
            f"there are no results of {', '.join(lacking)} in {out / 'results'} to draw; leave out --redraw"
        )
    write_text(out / "index.html", page(sections))
    _tell(sections, [entry.name for entry in chosen], console())
    print(f"the page is {out / 'index.html'}")
    return 0


def _chosen(names: Sequence[str], data: Path | None) -> list[Entry]:
    """The figures that are named, in the paper's order; without names, all that can be simulated."""
    from studyapp.experiments.catalogue import FIGURES

    for name in names:
        if name not in FIGURES:
            near = get_close_matches(name, FIGURES, 1)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise SettingError(
                f"there is no figure {name!r}{hint}; there are {', '.join(FIGURES)} (--list tells of each)"
            )
    return [
        entry
        for name, entry in FIGURES.items()
        if (name in names if names else data is not None or not entry.needs_leaf)
    ]


def _wanted(arguments: argparse.Namespace, chosen: Sequence[Entry]) -> Iterator[Wanted]:
    """What has to be simulated; a run that several figures share is wanted once."""
    from studyapp.experiments.catalogue import Options
    from studyapp.experiments.datasets import load
    from studyapp.experiments.running import Wanted

    leaf = None
    if arguments.data is not None or any(entry.needs_leaf for entry in chosen):
        leaf = load("leaf", arguments.data)
    whole("--seed", arguments.seed, -(2**63), 2**63 - 1)
    merged: dict[str, Wanted] = {}
    for fit in arguments.fit:
        for entry in chosen:
            replications = entry.quick if arguments.quick else entry.replications
            if arguments.replications is not None:
                replications = whole("--replications", arguments.replications, 1, 1_000_000)
            for run in entry.runs(Options(fit, arguments.seed, leaf)).values():
                path = arguments.out / "results" / f"{run.key}.jsonl"
                before = merged.get(run.key, Wanted(path, run.design, (), 0))
                series = tuple(dict.fromkeys(before.series + run.series))
                many = max(before.replications, replications)
                merged[run.key] = Wanted(path, run.design, series, many)
    yield from merged.values()


def _check_seeds(out: Path, seed: int | None) -> None:
    """Refuse, before any long work, to put results of several seeds on one page, or broken ones."""
    from studyapp.experiments.results import read

    for path in sorted((out / "results").glob("*.jsonl")):
        with explained(path):
            if not path.stat().st_size:  # an earlier run was stopped before it began
                continue
        its = read(path).design.get("seed")
        seed = its if seed is None else seed
        if its != seed:
            raise FileError(
                path,
                f"these results are of seed {its}, and replications of seed {seed} cannot be compared with "
                "them; choose another --out",
            )


def _sections(out: Path) -> Iterator[Section]:
    """Of every figure whose results are there, now or from before, what the page tells; drawn on the way."""
    from studyapp.experiments import figures
    from studyapp.experiments.catalogue import FIGURES
    from studyapp.experiments.numbers import as_json, as_rows
    from studyapp.experiments.page import Section

    for entry in FIGURES.values():
        by_fit = {
            fit: runs for fit in (FITS if entry.by_fit else FITS[:1]) if (runs := _read(out, entry, fit))
        }
        drawn = {}
        if by_fit:
            make_folder(out / "numbers")
        for fit, runs in by_fit.items():
            name = entry.name if fit == FITS[0] else f"{entry.name}-{fit}"
            drawn[fit] = figures.save(entry.draw(runs), out / "figures", name)
            write_json(out / "numbers" / f"{name}.json", as_json(entry, runs))
            write_csv(out / "numbers" / f"{name}.csv", as_rows(runs))
        if by_fit:
            yield Section(entry, by_fit, drawn)


def _read(out: Path, entry: Entry, fit: str) -> dict[str, Results] | None:
    """The results of a figure's runs by their labels, if there are any of all its series.

    Of each run there are the replications that all its series have, so that lines are of the same worlds.
    """
    from studyapp.experiments.catalogue import Options
    from studyapp.experiments.datasets import LIKE_LEAF
    from studyapp.experiments.results import read

    # Leaf may be among a figure's runs or not, as someone brought it or not.
    for leaf in (LIKE_LEAF,) if entry.needs_leaf else (LIKE_LEAF, None):
        runs = entry.runs(Options(fit, leaf=leaf))
        paths = {label: out / "results" / f"{run.key}.jsonl" for label, run in runs.items()}
        if all(path.exists() for path in paths.values()):
            found = {label: read(paths[label]).shared(run.series) for label, run in runs.items()}
            if all(found[label].numbers(run.series[0]) for label, run in runs.items()):
                return found
    return None


def _tell(sections: Sequence[Section], chosen: Sequence[str], to: Console) -> None:
    """The verdicts on the figures that were asked for."""
    from rich.text import Text

    from studyapp.experiments.claims import table

    for section in sections:
        if section.entry.name in chosen:
            for fit in section.fits:
                by_fit = f", {fit} fits" if section.entry.by_fit else ""
                head = f"{section.entry.title}: {section.entry.heading.lower()}"
                to.print(Text(f"\n{head} ({section.replications(fit)} replications{by_fit})", style="bold"))
                to.print(table(section.verdicts[fit]))


def _list(fits: Sequence[str]) -> None:
    """Of every figure what it shows, and about how long it takes on this machine."""
    from rich.table import Table

    from studyapp.analysis.terminal import console
    from studyapp.base.parallel import cores
    from studyapp.experiments.catalogue import FIGURES

    many = cores()
    found = Table(box=None, padding=(0, 2, 1, 0), header_style="bold")
    found.add_column("figure", no_wrap=True)
    found.add_column("what it shows", ratio=1)
    for head in ("replications", "time", "--quick"):
        found.add_column(head, justify="right", no_wrap=True)
    for name, entry in FIGURES.items():
        full, quick = (
            _time(
                sum(entry.seconds(replications, fit) for fit in (fits if entry.by_fit else fits[:1])) / many
            )
            for replications in (entry.replications, entry.quick)
        )
        needs = " Needs --data FILE." if entry.needs_leaf else ""
        told = f"{entry.title}: {entry.heading.lower()}. {entry.told.partition('. ')[0].rstrip('.')}.{needs}"
        found.add_row(name, told, f"{entry.replications} ({entry.quick})", full, quick)
    to = console()
    to.print(found)
    to.print(f"Times are for {many} {'core' if many == 1 else 'cores'} and {' and '.join(fits)} fits.")


def _time(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{seconds / 60:.0f} min"
