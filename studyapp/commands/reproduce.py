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
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, add_out, add_processes

if TYPE_CHECKING:
    from studyapp.base.console import Console
    from studyapp.experiments.section import Section


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "reproduce",
        help="rerun the paper's simulated figures",
        description="Rerun the simulated figures of the paper. Writes index.html, which shows each figure "
        "with the paper's claims about it and whether this run supports them; figures/ (SVG, PDF); "
        "numbers/ (CSV, JSON); and results/, from which all of these are made. If it is interrupted, run the "
        "same command again to continue. To add figures, replications or another fit to the same results, "
        "run it again with other arguments.",
    )
    parser.add_argument(
        "names",
        metavar="FIGURE",
        nargs="*",
        help="the figures to rerun; see --list (default: all that don't need --data)",
    )
    parser.add_argument("--list", action="store_true", help="list the figures")
    parser.add_argument("--quick", action="store_true", help="use fewer replications, to finish in minutes")
    parser.add_argument(
        "--replications",
        metavar="R",
        type=int,
        help="replications per figure (default: see --list)",
    )
    parser.add_argument(
        "--fit",
        metavar="FIT",
        nargs="+",
        choices=FITS,
        default=["converged"],
        help="converged (default), published (the published study's fixed number of gradient steps), or both",
    )
    parser.add_argument("--data", metavar="FILE", type=Path, help="the Leaf data, a .npy or .csv file")
    parser.add_argument(
        "--seed", metavar="S", type=int, default=0, help="seed of everything random (default: 0)"
    )
    parser.add_argument(
        "--redraw",
        action="store_true",
        help="simulate nothing; make the page, figures and numbers again from results/",
    )
    add_processes(parser)
    add_out(parser, "reproduction")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    # Loading SciPy and matplotlib takes a second, which bad input and --help need not wait for.
    from studyapp.experiments.page import page
    from studyapp.experiments.reproduction import Order, Saved, chosen, sections, wanted
    from studyapp.experiments.running import complete, site
    from studyapp.reporting.terminal import console

    if arguments.list:
        _list(console())
        return 0
    out: Path = arguments.out
    entries = chosen(arguments.names, arguments.data)
    check_folder(out, "figures", "numbers", "results")
    folder = Saved(out / "results")
    if arguments.redraw:
        folder.check(seed=None)
    else:
        order = Order(arguments.fit, arguments.seed, arguments.quick, arguments.replications, arguments.data)
        needed = wanted(order, entries, folder)
        folder.check(arguments.seed)
        at = partial(site, arguments.scheduler, arguments.processes)
        complete(list(needed.values()), at, "replications")
    drawn = sections(out, folder)
    _check_results(drawn, arguments.names, folder.folder)
    write_text(out / "index.html", page(drawn))
    _print([section for section in drawn if section.entry in entries], console())
    say(f"Page: {out / 'index.html'}")
    return 0


def _check_results(sections: Sequence[Section], names: Sequence[str], folder: Path) -> None:
    available = [section.entry.name for section in sections]
    missing = [name for name in names if name not in available] or ([] if available else ["any figure"])
    if missing:
        raise SettingError(
            f"there are no results for {', '.join(missing)} in {folder}; leave out --redraw to simulate them"
        )


def _print(sections: Sequence[Section], to: Console) -> None:
    """The verdicts on the figures that were asked for."""
    from rich.text import Text

    from studyapp.experiments.claims import table

    for section in sections:
        for fit in section.fits:
            count = section.replications(fit)
            counted = f"{count} {'replication' if count == '1' else 'replications'}"
            by_fit = f", {fit} fits" if section.entry.by_fit else ""
            head = f"{section.entry.title}: {section.entry.heading.lower()}"
            to.print(Text(f"\n{head} ({counted}{by_fit})", style="bold"))
            to.print(table(section.verdicts[fit]))


def _list(to: Console) -> None:
    """What every figure shows, with its replications."""
    from rich.table import Table

    from studyapp.experiments.catalogue import FIGURES

    table = Table(box=None, padding=(0, 2, 1, 0), header_style="bold")
    table.add_column("figure", no_wrap=True)
    table.add_column("what it shows", ratio=1)
    for head in ("replications", "--quick"):
        table.add_column(head, justify="right", no_wrap=True)
    for entry in FIGURES:
        first = entry.description.partition(". ")[0].rstrip(".")
        needs = " Needs --data FILE." if entry.needs_data else ""
        text = f"{entry.title}: {entry.heading.lower()}. {first}.{needs}"
        table.add_row(entry.name, text, str(entry.replications), str(entry.quick))
    to.print(table)
