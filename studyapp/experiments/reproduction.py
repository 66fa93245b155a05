"""Reproduce the paper's figures in a folder: what has to be simulated, and what is made from the results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from core.checks import whole
from core.errors import FileError
from core.files import explained
from core.settings import FITS
from studyapp.base.outputs import inner_folder, write_csv, write_json
from studyapp.experiments.catalogue import FIGURES, Entry, Options, Run
from studyapp.experiments.datasets import DATASETS, Dataset, Leaf
from studyapp.experiments.figures import drawing
from studyapp.experiments.numbers import as_json, as_rows
from studyapp.experiments.running import Wanted
from studyapp.experiments.section import Section
from studyapp.experiments.store import Results, check_settings, design_in, load, settings_of

MOST = 2_000  # replications of a figure; all of them are in memory together


class Saved:
    """The folder of all results: each run has a folder of its own, and all have one seed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._loaded: dict[str, Results | None] = {}

    def place(self, key: str) -> Path:
        return self.folder / key

    def get(self, key: str) -> Results | None:
        """The results of a run, read once; None if there are none."""
        if key not in self._loaded:
            self._loaded[key] = load(self.place(key))
        return self._loaded[key]

    def check(self, seed: int | None) -> None:
        """Refuse results of another seed before any long work; without a seed, the first run sets it."""
        with explained(self.folder):
            places = sorted(self.folder.iterdir()) if self.folder.exists() else []
        for place in places:
            found = design_in(place) if place.is_dir() else None
            if found is None:
                continue
            path, design = found
            seed = design["seed"] if seed is None else seed
            if design["seed"] != seed:
                raise FileError(
                    path,
                    f"these results have seed {design['seed']} and can't be compared with results of seed "
                    f"{seed}; choose another folder with --out",
                )


@dataclass(frozen=True)
class Order:
    """What to simulate."""

    fits: Sequence[str]
    seed: int
    quick: bool
    replications: int | None  # per figure; None: the figure's own number
    data: Path | None  # the Leaf data, which the user brings

    @cached_property
    def _leaf(self) -> Dataset | None:
        return Leaf.read(self.data) if self.data is not None else None

    def options(self, fit: str) -> Options:
        leaf, shipped = self._leaf, Options().data
        return Options(fit, self.seed, lambda name: leaf if leaf and name == leaf.name else shipped(name))

    def replications_of(self, entry: Entry) -> int:
        if self.replications is not None:
            return whole("--replications", self.replications, 1, MOST)
        return entry.quick if self.quick else entry.replications


def chosen(names: Sequence[str], data: Path | None) -> list[Entry]:
    """The figures that are named, in the paper's order; without names, all whose data we have."""
    named = {FIGURES[name].name for name in names}
    return [
        entry
        for entry in FIGURES
        if (entry.name in named if named else data is not None or not entry.needs_data)
    ]


def wanted(order: Order, entries: Sequence[Entry], folder: Saved) -> dict[str, Wanted]:
    """What has to be simulated, by key; a run that several figures share is there once."""
    whole("--seed", order.seed, -(2**63), 2**63 - 1)
    merged: dict[str, Wanted] = {}
    for fit in order.fits:
        options = order.options(fit)
        for entry in entries:
            replications = order.replications_of(entry)
            for run in entry.runs(options).values():
                if run.optional and run.needs_data and order.data is None:
                    continue
                before = merged.get(run.key, Wanted(folder.place(run.key), run.design, (), 0))
                series = tuple(dict.fromkeys(before.series + run.series))
                most = max(before.replications, replications)
                merged[run.key] = Wanted(before.folder, before.design, series, most)
    return merged


def sections(out: Path, folder: Saved) -> list[Section]:
    """Every figure that has results, from this run or an earlier one; its files are written on the way."""
    found = [(entry, _runs_by_fit(folder, entry)) for entry in FIGURES]  # all checked before any is drawn
    drawn_sections = []
    for entry, runs_by_fit in found:
        if runs_by_fit:
            drawn = {
                fit: drawing.save(entry.draw(runs), inner_folder(out, "figures"), entry.file_name(fit))
                for fit, runs in runs_by_fit.items()
            }
            drawn_sections.append(Section(entry, runs_by_fit, drawn))
            _write_numbers(drawn_sections[-1], inner_folder(out, "numbers"))
    return drawn_sections


def _runs_by_fit(folder: Saved, entry: Entry) -> dict[str, dict[str, Results]]:
    """The results of a figure's runs by fit and label, for each fit that has them all."""
    fits = FITS if entry.by_fit else FITS[:1]
    return {fit: runs for fit in fits if (runs := _runs(folder, entry, fit))}


def _runs(folder: Saved, entry: Entry, fit: str) -> dict[str, Results] | None:
    """The results of a figure's runs by label; None unless every run that it can't do without has some.

    A run keeps only the replications that all its series have, so that lines come from the same worlds.
    """
    runs = {}
    for label, run in entry.runs(Options(fit)).items():
        results = folder.get(run.key)
        shared = results.shared(run.series) if results else None
        if shared and shared.numbers(run.series[0]):
            made = entry.runs(Options(fit, shared.design["seed"], _shipped_or_blank))[label]
            runs[label] = _as_designed(folder.place(run.key), shared, made)
        elif not run.optional:
            return None
    return runs


def _shipped_or_blank(name: str) -> Dataset:
    return Options().data(name) if DATASETS[name].shipped else DATASETS[name].blank()


def _as_designed(path: Path, results: Results, run: Run) -> Results:
    """The same results, if they have the design of the catalogue."""
    wanted = settings_of(run.design)
    if run.needs_data:  # then only the user knows what its numbers were
        digest = results.design["dataset"]["sha256"] if _has_digest(results.design) else None
        wanted["dataset"]["sha256"] = digest
    check_settings(path, results.design, wanted)
    return replace(results, design=wanted)


def _has_digest(design: dict[str, Any]) -> bool:
    dataset = design.get("dataset")
    digest = dataset.get("sha256") if isinstance(dataset, dict) else None
    return isinstance(digest, str) and re.fullmatch("[0-9a-f]{64}", digest) is not None


def _write_numbers(section: Section, folder: Path) -> None:
    for fit, runs in section.runs_by_fit.items():
        name = section.entry.file_name(fit)
        write_json(folder / f"{name}.json", as_json(section.entry, runs, section.verdicts[fit]))
        write_csv(folder / f"{name}.csv", as_rows(runs))
