"""``studyapp reproduce``: the paper's simulated figures, by name."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import SettingError
from core.settings import FITS
from studyapp.base.outputs import check_folder, write_text
from studyapp.commands.arguments import Commands, add_out, add_processes

if TYPE_CHECKING:
    from rich.console import Console

    from studyapp.experiments.page import Section

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
    from studyapp.experiments.executors import site
    from studyapp.experiments.page import page
    from studyapp.experiments.reproduction import Order, check_seeds, chosen, sections, wanted
    from studyapp.experiments.running import complete
    from studyapp.reporting.terminal import console

    if arguments.list:
        _list(arguments.fit)
        return 0
    out: Path = arguments.out
    entries = chosen(arguments.names, arguments.data)
    check_folder(out)
    check_seeds(out, None if arguments.redraw else arguments.seed)
    if not arguments.redraw:
        order = Order(arguments.fit, arguments.seed, arguments.quick, arguments.replications, arguments.data)
        needed = list(wanted(order, entries, out))
        complete(needed, partial(site, arguments.scheduler, arguments.processes), "replications")
    drawn = list(sections(out))
    there = [section.entry.name for section in drawn]
    if lacking := [name for name in arguments.names if name not in there] or (not there and ["any figure"]):
        raise SettingError(
            f"there are no results of {', '.join(lacking)} in {out / 'results'} to draw; leave out --redraw"
        )
    write_text(out / "index.html", page(drawn))
    _tell(drawn, [entry.name for entry in entries], console())
    print(f"the page is {out / 'index.html'}")
    return 0


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

    from studyapp.base.parallel import cores
    from studyapp.experiments.catalogue import FIGURES
    from studyapp.reporting.terminal import console

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
