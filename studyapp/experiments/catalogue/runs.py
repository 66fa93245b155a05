"""The runs behind the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from core.settings import Settings
from studyapp.experiments.catalogue.entry import Options, Run
from studyapp.experiments.datasets import DATASETS
from studyapp.experiments.designs import Bandits, Design, Profile

__all__ = ["LAST", "Runs", "bandits", "profiles", "single"]

Runs = Callable[[Options], dict[str, Run]]  # by label

LAST = 30  # questions in every bandit experiment


@dataclass(frozen=True)
class _Setting:
    """What sets one bandit experiment apart from the others."""

    dataset: str = "word"
    c: float = -4.0  # this reward profile is the main one
    d: float = 8.0
    arms: int = 100
    beta: float = 20.0  # of the planning teacher, and of the learner's model of it
    horizon: int = 1


MAIN = _Setting()
DENSE = _Setting(c=-2.0, d=6.0)  # the supplementary reward profile: more arms are rewarding
SETTINGS = {  # by key
    "word": MAIN,
    "horizon2": replace(MAIN, horizon=2),
    "horizon3": replace(MAIN, horizon=3),
    "horizon4": replace(MAIN, horizon=4),
    "word-dense": DENSE,
    "wine": replace(DENSE, dataset="wine"),
    "leaf": replace(DENSE, dataset="leaf"),
    "beta5": replace(DENSE, beta=5.0),
    "beta10": replace(DENSE, beta=10.0),
    "arms500": replace(DENSE, arms=500),
}


def bandits(needed: Mapping[str, tuple[str, ...]]) -> Runs:
    """Bandit runs, given by their keys in SETTINGS with the pairs that the figure needs of each."""
    return lambda options: {key: _bandits(key, options, series) for key, series in needed.items()}


def _bandits(key: str, options: Options, series: tuple[str, ...]) -> Run:
    needs_data = not DATASETS[SETTINGS[key].dataset].shipped
    return Run(f"{key}.{options.fit}", series, partial(_design, key, options), needs_data=needs_data)


def _design(key: str, options: Options) -> Bandits:
    setting = SETTINGS[key]
    return Bandits(
        options.data(setting.dataset),
        arms=setting.arms,
        questions=LAST,
        c=setting.c,
        d=setting.d,
        teacher_beta=setting.beta,
        learner=Settings(selection="thompson", beta=setting.beta, horizon=setting.horizon, fit=options.fit),
        seed=options.seed,
    )


def profiles(options: Options) -> dict[str, Run]:
    """The reward profiles; that of a dataset which the user must bring is optional."""
    runs = {}
    for key in ("word", "word-dense", "wine", "leaf"):
        needs_data = not DATASETS[SETTINGS[key].dataset].shipped
        make = partial(_profile, key, options)
        runs[key] = Run(f"profile-{key}", Profile.series, make, optional=needs_data, needs_data=needs_data)
    return runs


def _profile(key: str, options: Options) -> Profile:
    return Profile(_design(key, options))


def single(label: str, make: Callable[[int], Design], series: tuple[str, ...]) -> Runs:
    """One run, whose results depend only on the seed."""
    return lambda options: {label: Run(label, series, partial(make, options.seed))}
