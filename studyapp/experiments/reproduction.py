"""The paper's figures in a folder: what has to be simulated, and what is drawn from its results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.checks import did_you_mean, whole
from core.errors import FileError, SettingError
from core.files import explained
from core.settings import FITS
from studyapp.base.outputs import make_folder, write_csv, write_json
from studyapp.experiments import figures
from studyapp.experiments.catalogue import FIGURES, Entry, Options
from studyapp.experiments.datasets import LIKE_LEAF, load
from studyapp.experiments.numbers import as_json, as_rows
from studyapp.experiments.page import Section
from studyapp.experiments.results import Results, read
from studyapp.experiments.running import Wanted

__all__ = ["Order", "check_seeds", "chosen", "sections", "wanted"]


def chosen(names: Sequence[str], data: Path | None) -> list[Entry]:
    """The figures that are named, in the paper's order; without names, all that can be simulated."""
    for name in names:
        if name not in FIGURES:
            guess = did_you_mean(name, FIGURES)
            raise SettingError(
                f"there is no figure {name!r}{guess}; there are {', '.join(FIGURES)} (--list tells of each)"
            )
    return [
        entry
        for name, entry in FIGURES.items()
        if (name in names if names else data is not None or not entry.needs_leaf)
    ]


@dataclass(frozen=True)
class Order:
    """What is to be simulated."""

    fits: Sequence[str]
    seed: int
    quick: bool
    replications: int | None  # of each figure; None: its own number
    data: Path | None  # the Leaf data


def wanted(order: Order, entries: Sequence[Entry], out: Path) -> Iterator[Wanted]:
    """What has to be simulated; a run that several figures share is wanted once."""
    leaf = None
    if order.data is not None or any(entry.needs_leaf for entry in entries):
        leaf = load("leaf", order.data)
    whole("--seed", order.seed, -(2**63), 2**63 - 1)
    merged: dict[str, Wanted] = {}
    for fit in order.fits:
        for entry in entries:
            replications = entry.quick if order.quick else entry.replications
            if order.replications is not None:
                replications = whole("--replications", order.replications, 1, 1_000_000)
            for run in entry.runs(Options(fit, order.seed, leaf)).values():
                path = out / "results" / f"{run.key}.jsonl"
                before = merged.get(run.key, Wanted(path, run.design, (), 0))
                series = tuple(dict.fromkeys(before.series + run.series))
                many = max(before.replications, replications)
                merged[run.key] = Wanted(path, run.design, series, many)
    yield from merged.values()


def check_seeds(out: Path, seed: int | None) -> None:
    """Refuse, before any long work, to put results of several seeds on one page, or broken ones."""
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


def sections(out: Path) -> Iterator[Section]:
    """Of every figure whose results are there, now or from before, what the page tells; drawn on the way."""
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
    # Leaf may be among a figure's runs or not, as someone brought it or not.
    for leaf in (LIKE_LEAF,) if entry.needs_leaf else (LIKE_LEAF, None):
        runs = entry.runs(Options(fit, leaf=leaf))
        paths = {label: out / "results" / f"{run.key}.jsonl" for label, run in runs.items()}
        if all(path.exists() for path in paths.values()):
            found = {label: read(paths[label]).shared(run.series) for label, run in runs.items()}
            if all(found[label].numbers(run.series[0]) for label, run in runs.items()):
                return found
    return None
