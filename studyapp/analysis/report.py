"""The report: one HTML page that needs no other file and that escapes whatever text a log contains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.teachers import TEACHERS
from core.wording import counted
from studyapp.analysis.figures import FIGURES
from studyapp.analysis.results import Results
from studyapp.analysis.sentences import about_similar_words, about_teachers
from studyapp.base.environment import software
from studyapp.reporting import html
from studyapp.reporting.statistics import Estimate, mean_ci
from studyapp.reporting.wording import listed, number, p_value, percent

__all__ = ["notes", "page"]

FEW = 6  # participants; with so few, no permutation test gives a p much below 0.05
MOST_TEXTS = 200  # shown for one item; the table of responses has all of them


def page(results: Results, images: Mapping[str, bytes]) -> str:
    """The report as HTML; ``images`` are the figures as SVG, by name."""
    filters = {
        "num": number,
        "p": p_value,
        "pc": lambda share: _unbroken(percent(share)),
        "p_is": lambda p: _unbroken(p_value(p) if p_value(p).startswith("<") else f"= {p_value(p)}"),
        "more_or_less": lambda difference: (
            f"{number(abs(difference))} {'more' if difference >= 0 else 'less'}"
        ),
    }
    return html.render("studyapp.analysis", "report.html", filters, _given(results, images))


def _given(results: Results, images: Mapping[str, bytes]) -> dict[str, Any]:
    sample, study = results.sample, results.sample.loaded.study
    sessions = sample.sessions
    minutes = np.array([session.minutes or np.nan for session in sessions])
    figures = _figures(results, images)
    return {
        "r": results,
        "n": len(sessions),
        "title": study.title,
        "kinds": _kinds(results.gathered.kinds),
        "notes": notes(results),
        "models": sample.models,
        "questions": sample.questions,
        "last": {model: _last(estimate) for model, estimate in results.rewards.means.items()},
        "smallest_p": 2.0 ** (1 - len(sessions)) if len(sessions) <= FEW else None,
        "word_count": len(sample.loaded.vocabulary.words),
        "descriptions": {model: _description(results, model) for model in sample.models},
        "sessions": sessions,
        "index": {participant: i for i, participant in enumerate(sample.participants)},
        "not_included": [log for log in results.gathered.logs if not log.included],
        "minutes": mean_ci(minutes) if np.isfinite(minutes).any() else None,
        "about_answers": [
            " ".join(sentences).replace(" %", _unbroken(" %"))
            for sentences in (about_similar_words(results), about_teachers(results))
            if sentences
        ],
        "figures": figures,
        "figure_numbers": {figure["name"]: figure["number"] for figure in figures},
        "most_texts": MOST_TEXTS,
        "software": software(),
        "counted": counted,
        "listed": listed,
    }


def _figures(results: Results, images: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "number": place,
            "section": FIGURES[name].section,
            "title": FIGURES[name].title,
            "caption": FIGURES[name].caption(results).replace(" %", _unbroken(" %")),
            "image": html.svg_address(image),
        }
        for place, (name, image) in enumerate(images.items(), start=1)
    ]


def _unbroken(text: str) -> str:
    """The text without line breaks at its spaces."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _last(estimate: Estimate) -> Estimate:
    """The estimate after the last question."""
    return Estimate(estimate.mean[-1], estimate.low[-1], estimate.high[-1], estimate.count[-1])


def notes(results: Results) -> list[str]:
    """What a reader must know before anything else."""
    gathered = results.gathered
    participants = len(gathered.sessions)
    lines = []
    if simulated := sum(session.kind == "simulated" for session in gathered.sessions):
        lines.append(
            "All participants are simulated: no people answered."
            if simulated == participants
            else f"{simulated} of the {participants} participants are simulated."
        )
    if "pilot" in gathered.kinds:
        lines.append("Pilot sessions are included: the experimenter's view was on, so they were not blind.")
    if "imported" in gathered.kinds:
        lines.append(
            "Imported sessions were run elsewhere: their questions can't be re-derived, and their times "
            "are unknown."
        )
    if other := sum(len(session.other_rewards) for session in gathered.sessions):
        lines.append(
            f"In {counted(other, 'answer')}, the reward is not the similarity of the word to the target. "
            "The recorded rewards are used."
        )
    if gathered.broken:
        lines.append(
            f"{len(gathered.broken)} of the {len(gathered.logs)} logs could not be read; the reasons are in "
            "the list of sessions that are not included."
        )
    if participants < 2:
        lines.append("With one participant there are no tests and no intervals.")
    return lines


def _kinds(kinds: list[str]) -> str:
    return "" if kinds == ["person"] else f" ({listed(kinds)})"


def _description(results: Results, model: str) -> str:
    """What a model is, in short; of imported sessions, only the name of a model is known."""
    if "imported" in results.gathered.kinds:
        return ""
    settings = results.sample.loaded.study.settings(model, seed=0)
    how = "belief over targets" if settings.belief == "targets" else f"{settings.fit} fits"
    return f"{TEACHERS[settings.teacher].sentence}; {settings.selection}, {how}"
