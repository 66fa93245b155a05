"""The catalogue: figures, the runs that each needs, and the paper's claims about it, from ``catalogue.toml``.

The runs of a figure have labels, which its claims and its drawing refer to.  Figures that share a run share
its results.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib import resources
from typing import Annotated, Any

from matplotlib.figure import Figure
from pydantic import BaseModel, BeforeValidator, ConfigDict

from core.kinds import Kinds
from core.settings import FITS, Settings
from studyapp.experiments.claims import Claim, Margin, Side, Term
from studyapp.experiments.datasets import DATASETS, DEFAULT, Dataset
from studyapp.experiments.designs import DESIGNS
from studyapp.experiments.designs.bandits import CUMULATIVE_REWARD, Bandits, Profile
from studyapp.experiments.designs.design import Design
from studyapp.experiments.figures import DRAWINGS
from studyapp.experiments.store import Results

# The paper says "close" or "similar" without a number; these margins are ours.
REWARD_MARGIN = Margin(0.1, share=True)
CONCORDANCE_MARGIN = Margin(0.03)

SETTINGS_OF = {Profile.name: Bandits.name}  # a design whose runs have the settings of another
CLAIM = re.compile("(.+) (above|below|close|typical) (.+)")
Text = Annotated[str, BeforeValidator(lambda text: " ".join(text.split()))]  # its lines are one


@cache
def _shipped(name: str) -> Dataset:
    return DATASETS[name].load()


@dataclass(frozen=True)
class Options:
    """What can be chosen for all figures."""

    fit: str = "converged"
    seed: int = 0
    data: Callable[[str], Dataset] = _shipped  # finds a dataset by name


@dataclass(frozen=True, eq=False)
class Run:
    """Some series of a design that a figure needs."""

    key: str  # of the folder of its results
    series: tuple[str, ...]
    make: Callable[[], Design]
    optional: bool = False  # can the figure do without it?
    needs_data: bool = False  # must the user bring its dataset?

    @cached_property
    def design(self) -> Design:
        """Made on first use, since drawing saved results needs no dataset."""
        return self.make()


@dataclass(eq=False)
class Entry:
    """A figure of the paper, or one of our own."""

    name: str
    title: str  # its number in the paper
    heading: str
    description: str  # what it shows and how it is simulated
    caption: str  # how to read it
    replications: int  # in a full run
    quick: int  # enough replications to see the main result quickly
    runs: Callable[[Options], dict[str, Run]]  # by label
    claims: tuple[Claim, ...]
    draw: Callable[[Mapping[str, Results]], Figure]
    by_fit: bool  # do its results depend on how learners are fitted?
    beyond_paper: bool  # an experiment and claims of our own

    @property
    def needs_data(self) -> bool:
        """Must the user bring a dataset for it?"""
        return any(run.needs_data and not run.optional for run in self.runs(Options()).values())

    def file_name(self, fit: str) -> str:
        """The name of its files, without their ending."""
        return f"{self.name}-{fit}" if self.by_fit and fit != FITS[0] else self.name


# As written in catalogue.toml


class _Written(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Claim(_Written):
    text: Text
    says: str
    measures: tuple[str, ...] = ()  # none: those of the figure
    margin: float | None = None


class _Figure(_Written):
    name: str
    title: str
    heading: str
    description: Text
    caption: Text = ""
    caption_of: str | None = None  # another figure, whose caption it has
    replications: int
    quick: int
    design: str = Bandits.name
    draw: str | None = None  # one of the drawings; None: that of the design
    beyond_paper: bool = False
    measures: tuple[str, ...] = ("cumulative reward", "concordance")  # of its claims
    step: int = 30  # at which its claims compare these
    runs: dict[str, tuple[str, ...]]
    claims: tuple[_Claim, ...] = ()
    claims_of: str | None = None  # another figure, whose claims it makes about its own first run


_Settings = dict[str, dict[str, Any]]  # of the runs of a design, by label


class _Catalogue(_Written):
    settings: dict[str, _Settings]  # by design
    figures: tuple[_Figure, ...]


def read(text: str) -> Iterator[Entry]:
    """The entries of a catalogue."""
    catalogue = _Catalogue.model_validate(tomllib.loads(text))
    by_name = {figure.name: figure for figure in catalogue.figures}
    for figure in catalogue.figures:
        claims = [claim for written in figure.claims for claim in _claims(figure, written)]
        if figure.claims_of:
            model = by_name[figure.claims_of]
            theirs, ours = next(iter(model.runs)), next(iter(figure.runs))
            claims += [
                replace(claim, left=_about(ours, claim.left), right=_about(ours, claim.right))
                for written in model.claims
                for claim in _claims(model, written)
                if {term.run for term in claim.terms} == {theirs}
            ]
        yield Entry(
            name=figure.name,
            title=figure.title,
            heading=figure.heading,
            description=figure.description,
            caption=by_name[figure.caption_of].caption if figure.caption_of else figure.caption,
            replications=figure.replications,
            quick=figure.quick,
            runs=_runs(figure, catalogue.settings.get(SETTINGS_OF.get(figure.design, figure.design))),
            claims=tuple(claims),
            draw=DRAWINGS[figure.draw or figure.design],
            by_fit=figure.design == Bandits.name,
            beyond_paper=figure.beyond_paper,
        )


def _claims(figure: _Figure, written: _Claim) -> Iterator[Claim]:
    """A claim as it is written, once for each measure."""
    found = CLAIM.fullmatch(written.says)
    if found is None:
        raise ValueError(f"this is no claim: {written.says}")
    left, relation, right = found.groups()
    measures = {measure.name: measure for measure in DESIGNS[figure.design].measures}
    for name in written.measures or figure.measures:
        measure, margin = measures[name], None
        if relation == "close":
            margin = REWARD_MARGIN if measure is CUMULATIVE_REWARD else CONCORDANCE_MARGIN
            margin = margin if written.margin is None else Margin(written.margin)
        step = figure.step if measure.step else 1
        compared = float(right) if ":" not in right else _side(right)
        yield Claim(written.text, _side(left), relation, compared, measure, step, margin)


def _side(written: str) -> Side:
    run, _, series = written.partition(": ")
    name, _, other = series.partition(" minus ")
    return (Term(run, name), Term(run, other, -1.0)) if other else (Term(run, name),)


def _about(run: str, side: Side | float) -> Any:
    """The same side of another run."""
    return tuple(replace(term, run=run) for term in side) if isinstance(side, tuple) else side


# Runs


def _runs(figure: _Figure, settings: _Settings | None) -> Callable[[Options], dict[str, Run]]:
    return lambda options: {
        label: _run(figure.design, label, series, settings, options) for label, series in figure.runs.items()
    }


def _run(
    design: str, label: str, series: tuple[str, ...], by_label: _Settings | None, options: Options
) -> Run:
    key = re.sub("[ ,]+", "-", label)
    if design == Bandits.name:
        key = f"{key}.{options.fit}"
    elif by_label is not None:  # otherwise the design has but one run
        key = f"{design.replace(' ', '-')}-{key}"
    settings = by_label[label] if by_label is not None else {}
    needs_data = not DATASETS[settings.get("dataset", DEFAULT)].shipped
    optional = needs_data and design == Profile.name
    return Run(key, series, lambda: made(design, settings, options), optional, needs_data)


def made(design: str, settings: Mapping[str, Any], options: Options) -> Design:
    """A design with these settings."""
    if design == Profile.name:
        bandits = made(Bandits.name, settings, options)
        assert isinstance(bandits, Bandits)
        return Profile(bandits)
    if design != Bandits.name:
        kind: Callable[..., Design] = DESIGNS[design]
        return kind(**settings, seed=options.seed)
    own = dict(settings)
    beta, horizon = own.pop("beta", 20.0), own.pop("horizon", 1)
    return Bandits(
        options.data(own.pop("dataset", DEFAULT)),
        **own,
        teacher_beta=beta,
        learner=Settings(selection="thompson", beta=beta, horizon=horizon, fit=options.fit),
        seed=options.seed,
    )


FIGURES: Kinds[Entry] = Kinds("figure")
for _entry in read(resources.files("studyapp.experiments").joinpath("catalogue.toml").read_text("utf-8")):
    FIGURES.add(_entry)
