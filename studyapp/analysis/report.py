"""The report: one page that needs nothing else, and that escapes whatever a log may carry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from core.teachers import TEACHERS
from studyapp.analysis.results import Results
from studyapp.base.environment import software
from studyapp.reporting import html
from studyapp.reporting.statistics import EXACT, FLIPS, Estimate, mean_ci
from studyapp.reporting.wording import number, p_value, percent

__all__ = ["notes", "page"]

FEW = 6  # participants, of whom no permutation makes a p much below 0.05
MOST_TEXTS = 200  # of one question; the rest are in the table


def page(results: Results, figures: dict[str, Path]) -> str:
    """The report as HTML; ``figures`` are SVG files, which are put into it."""
    filters = {
        "num": number,
        "p": p_value,
        "pc": percent,
        "p_is": lambda p: p_value(p) if p_value(p).startswith("<") else f"= {p_value(p)}",
        "signed": lambda d: f"{number(abs(d))} {'more' if d >= 0 else 'less'}",
    }
    return html.render("studyapp.analysis", "report.html", filters, _given(results, figures))


def _given(results: Results, figures: dict[str, Path]) -> dict[str, Any]:
    sessions, listed = results.gathered.sessions, results.gathered.listed
    study = results.loaded.study
    minutes = np.array([each.minutes or np.nan for each in sessions])
    flips = f"all {2 ** len(sessions):,} flips" if len(sessions) <= EXACT else f"{FLIPS:,} random flips"
    return {
        "r": results,
        "title": study.title,
        "n": len(sessions),
        "questions": results.questions,
        "sessions": sessions,
        "index": {participant: i for i, participant in enumerate(results.participants)},
        "left_out": [each for each in listed if not each.included],
        "notes": notes(results),
        "kind_told": _kind_told(results.gathered.kinds),
        "last": {model: _at_end(each) for model, each in results.mean_curves.items()},
        "word_count": len(results.loaded.vocabulary.words),
        "models_told": [(name, _model_told(results, name)) for name in results.models],
        "minutes": mean_ci(minutes) if np.isfinite(minutes).any() else None,
        "flips": f"{flips} of the signs of the participants' differences",
        "alpha_mean": np.mean([alpha.mean for alpha in results.alphas.values()])
        if results.alphas
        else np.nan,
        "order_told": ", which was the same for all, so that targets and order cannot be told apart"
        if len({tuple(played.target for played in each.plan) for each in sessions}) == 1
        else "",
        "least_p": 2.0 ** (1 - len(sessions)) if len(sessions) <= FEW else None,
        "confirmed": study.answers.confirm,
        "images": {name: html.data_address(path) for name, path in figures.items()},
        "figure_numbers": {name: number for number, name in enumerate(figures, start=1)},
        "software": software(),
        "most_texts": MOST_TEXTS,
    }


def _at_end(estimate: Estimate) -> Estimate:
    return Estimate(estimate.mean[-1], estimate.low[-1], estimate.high[-1], estimate.count[-1])


def notes(results: Results) -> list[str]:
    """What a reader must know before anything else."""
    kinds, many = results.gathered.kinds, len(results.gathered.sessions)
    told = []
    if "simulated" in kinds:
        simulated = sum(each.kind == "simulated" for each in results.gathered.sessions)
        told.append(f"{simulated} of the {many} participants are simulated: no people answered.")
    if "pilot" in kinds:
        told.append("Some sessions were run with the experimenter's view on: they were not blind.")
    if "imported" in kinds:
        told.append(
            "Imported sessions ran elsewhere: their questions cannot be derived again; times are not known."
        )
    if other := sum(len(each.other_rewards) for each in results.gathered.sessions):
        told.append(f"{other} rewards are not the likeness of word and target; they are taken as they are.")
    if broken := results.gathered.broken:
        told.append(f"{len(broken)} of the {len(results.gathered.listed)} logs could not be read; see below.")
    if many < 2:
        told.append("With one participant there are neither tests nor intervals.")
    return told


def _kind_told(kinds: list[str]) -> str:
    told = {"simulated": " (simulated)", "imported": " (imported)", "pilot": " (pilot)", "person": ""}
    return told[kinds[0]] if len(kinds) == 1 else f" ({', '.join(kinds)})"


def _model_told(results: Results, name: str) -> str:
    """What a model is, in short; of models that ran elsewhere only the name is known."""
    if "imported" in results.gathered.kinds:
        return ""
    settings = results.loaded.study.settings(name, seed=0)
    return f"{TEACHERS[settings.teacher].sentence}; {settings.selection}, {settings.fit} fits"
