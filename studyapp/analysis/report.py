"""The report: one HTML page that needs no other file and that escapes whatever text a log contains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from core.teachers import TEACHERS
from core.wording import counted
from studyapp.analysis.figures import FIGURES
from studyapp.analysis.main_result import main_result
from studyapp.analysis.notes import notes
from studyapp.analysis.results import Results
from studyapp.analysis.sentences import about_similar_words, about_teachers
from studyapp.base.environment import software
from studyapp.reporting import html
from studyapp.reporting.statistics import mean_ci
from studyapp.reporting.wording import listed, number, p_is, p_value, percent

__all__ = ["page"]

FEW = 6  # participants; with so few, no permutation test gives a p much below 0.05
MOST_TEXTS = 200  # shown for one item; the table of responses has all of them


def page(results: Results, images: Mapping[str, bytes]) -> str:
    """The report as HTML; ``images`` are the figures as SVG, by name."""
    filters = {
        "num": number,
        "p": p_value,
        "pc": lambda share: _unbroken(percent(share)),
        "p_is": lambda p: _unbroken(p_is(p)),
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
        "main": [sentence.replace(" %", _unbroken(" %")) for sentence in main_result(results).sentences],
        "models": sample.models,
        "questions": sample.questions,
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


def _kinds(kinds: list[str]) -> str:
    return "" if kinds == ["person"] else f" ({listed(kinds)})"


def _description(results: Results, model: str) -> str:
    """What a model is, in short; of imported sessions, only the name of a model is known."""
    if "imported" in results.gathered.kinds:
        return ""
    settings = results.sample.loaded.study.settings(model, seed=0)
    how = "belief over targets" if settings.belief == "targets" else f"{settings.fit} fits"
    return f"{TEACHERS[settings.teacher].sentence}; {settings.selection}, {how}"
