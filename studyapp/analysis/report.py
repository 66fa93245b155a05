"""The report: one HTML page that needs no other file and that escapes whatever text a log contains."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from core.teachers import TEACHERS
from core.wording import counted
from studyapp.analysis.answers import YesShare
from studyapp.analysis.explanations import STATISTICS, rows_of
from studyapp.analysis.extract import Extract
from studyapp.analysis.figures import FIGURES
from studyapp.analysis.gather import Gathered
from studyapp.analysis.main_result import main_result
from studyapp.analysis.notes import about_blinding, day, decisions, flow_of, notes
from studyapp.analysis.quality import data_quality
from studyapp.analysis.results import Results
from studyapp.analysis.teachers import planner
from studyapp.base.environment import software
from studyapp.reporting import html
from studyapp.reporting.wording import listed, number, p_is, p_value, percent

FEW = 6  # participants; with so few, no permutation test gives a p much below 0.05
MOST_TEXTS = 200  # shown for one item; the table of responses has all of them
DETAILS = re.compile(r"\((?:[^()]|\([^()]*\))*\)")  # numbers in parentheses, after what they show


def page(results: Results, images: Mapping[str, bytes]) -> str:
    """The report as HTML; ``images`` are the figures as SVG, by name."""
    return html.render("studyapp.analysis", "report.html", FILTERS, _given(results, images))


def about_sessions(gathered: Gathered) -> dict[str, Any]:
    """What every report says about the study and its participants."""
    sessions = gathered.sessions
    return {
        "gathered": gathered,
        "n": len(sessions),
        "title": sessions[0].study.title,
        "who": _who(gathered),
        "dates": _dates(sessions),
        "notes": notes(gathered),
        "flow": flow_of(gathered.logs),
        "blinding": about_blinding(gathered),
        "decisions": decisions(gathered),
        "registered": gathered.registered,
        "not_included": [log for log in gathered.logs if not log.included],
        "software": software(),
        "counted": counted,
        "listed": listed,
    }


def _given(results: Results, images: Mapping[str, bytes]) -> dict[str, Any]:
    sample, gathered = results.sample, results.gathered
    sessions = sample.sessions
    main = main_result(results)
    figures = _figures(results, images)
    rows = {pair: rows_of(comparison) for pair, comparison in results.comparisons.items()}
    return about_sessions(gathered) | {
        "r": results,
        "main": [main.finding, main.reward],
        "cautions": [caution for caution in main.cautions if caution not in notes(gathered)],
        "models": sample.models,
        "questions": sample.questions,
        "smallest_p": 2.0 ** (1 - len(sessions)) if 1 < len(sessions) <= FEW else None,
        "word_count": len(sample.loaded.vocabulary.words),
        "descriptions": {model: _description(results, model) for model in sample.models},
        "sessions": sessions,
        "index": {participant: i for i, participant in enumerate(sample.participants)},
        "quality": [(name, with_percents(value)) for name, value in data_quality(sample, results.times)],
        "about_answers": " ".join(about_similar_words(results)),
        "about_teachers": " ".join(about_teachers(results)),
        "rows": rows,
        "methods": STATISTICS,
        "figures": figures,
        "figure_numbers": {figure["name"]: figure["number"] for figure in figures},
        "most_texts": MOST_TEXTS,
    }


# The first screen


def _who(gathered: Gathered) -> str:
    """How many participants of which kind."""
    kinds, participants = gathered.kinds, len(gathered.sessions)
    if kinds in (["imported"], ["simulated"]):
        return counted(participants, f"{kinds[0]} participant")
    names = [{"person": "people", "pilot": "pilot sessions"}.get(kind, kind) for kind in kinds]
    return counted(participants, "participant") + (f" ({listed(names)})" if kinds != ["person"] else "")


def _dates(sessions: Sequence[Extract]) -> str:
    """From the first to the last day; empty if they are not known."""
    days = [
        date.fromisoformat(at)
        for session in sessions
        for at in (session.conduct.began, session.conduct.ended)
        if at
    ]
    if not days:
        return ""
    first, last = min(days), max(days)
    if first == last:
        return day(first)
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day} to {day(last)}"
    return f"{day(first) if first.year != last.year else f'{first.day} {first:%B}'} to {day(last)}"


# Sections


def _figures(results: Results, images: Mapping[str, bytes]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "number": place,
            "section": FIGURES[name].section,
            "title": FIGURES[name].title,
            "caption": with_percents(FIGURES[name].caption(results)),
            "alt": f"{FIGURES[name].title}. {FIGURES[name].alt(results)}",
            "image": html.svg_address(image),
            "width": html.svg_width(image),
        }
        for place, (name, image) in enumerate(images.items(), start=1)
    ]


def _description(results: Results, model: str) -> str:
    """What a model is, in short; of imported and of blinded sessions, only the name of a model is known."""
    if "imported" in results.gathered.kinds or results.gathered.blind:
        return ""
    settings = results.sample.loaded.study.settings(model, seed=0)
    how = "belief over targets" if settings.belief == "targets" else f"{settings.fit} fits"
    return f"{TEACHERS[settings.teacher].sentence}; {settings.selection}, {how}"


# Sentences about how participants answered


def about_similar_words(results: Results) -> list[str]:
    """How often similar words got a yes, first and again; nothing if there were none."""
    steering = results.steering
    asked = [share for share in steering.first.values() if share.answers]
    again = [share for share in steering.again.values() if share.answers]
    if not asked:
        return []
    words = f"Similar words other than the target (similarity of at least {steering.least_reward:.2g})"
    first = (
        f"{words} got a yes in {_mean(asked, 'share')} of answers when they were asked for the first time in "
        "a round"
    )
    if not again:
        return [f"{first}. None that got a yes was asked again in its round."]
    over = " (means over participants)" if len(results.sample.participants) > 1 else ""
    sentences = [
        f"{first}, and in {_mean(again, 'share')} when they were asked again after a yes{over}.",
        *_difference(results),
    ]
    if results.gathered.blind:  # the teachers are those of the models
        return sentences
    naive, planning = (_both(asked, again, name) for name in ("naive_teacher", "planning_teacher"))
    teachers = f"To the same questions, a naive teacher would say yes in {naive} of answers"
    if len(results.fits) == len(results.sample.participants):
        beta = planner(results.sample.loaded.study).beta
        teachers += f", and the planning teacher (beta = {beta:g}) in {planning}"
    return [*sentences, f"{teachers}."]


def _difference(results: Results) -> list[str]:
    """Do participants answer differently when they are asked again?"""
    difference = results.steering.difference
    mean, low, high = (
        100 * float(values[0]) for values in (difference.mean, difference.low, difference.high)
    )
    if difference.participants < 2:
        return []
    t, p = float(difference.t[0]), float(difference.p[0])
    if not np.isfinite(p):
        points = f"{number(mean, 1)} percentage points"
        return [f"The difference is {points} for every participant with both, so there is no test."]
    tested = f"t({difference.participants - 1}) = {number(t)}, p {p_is(p)}"
    if difference.participants < len(results.sample.participants):
        tested += f"; {counted(difference.participants, 'participant')} with both kinds of questions"
    if low <= 0 <= high:
        return [
            "Whether they said yes more or less often when they were asked again is uncertain: the "
            f"difference is {number(mean, 1)} percentage points (95 % interval {number(low, 1)} to "
            f"{number(high, 1)}; {tested})."
        ]
    least, most = sorted((abs(low), abs(high)))
    return [
        f"Participants said yes {'less' if high < 0 else 'more'} often when they were asked again, by "
        f"{number(abs(mean), 1)} percentage points (95 % interval {number(least, 1)} to {number(most, 1)}; "
        f"{tested})."
    ]


def about_teachers(results: Results) -> list[str]:
    """Which of the paper's teachers fits, and what alpha then means; nothing if none was compared."""
    fits = list(results.fits.values())
    if not fits:
        return []
    beta = planner(results.sample.loaded.study).beta
    better = sum(bool(fit.planning_minus_naive.low > 0) for fit in fits)
    worse = sum(bool(fit.planning_minus_naive.high < 0) for fit in fits)
    verdicts = (
        (better, "better"),
        (worse, "worse"),
        (len(fits) - better - worse, "neither clearly better nor clearly worse"),
    )
    found = listed([f"{verdict} for {counted(count, 'participant')}" for count, verdict in verdicts if count])
    gain = np.mean([fit.mixture_minus_naive.mean for fit in fits])
    alpha = np.mean([fit.alpha.mean for fit in fits])
    mean = "mean of alpha over participants" if len(fits) > 1 else "mean of alpha"
    return [
        f"Compared with the naive teacher, the planning teacher (beta = {beta:g}) fits {found} (95 % "
        "intervals of the log-likelihood, over targets).",
        f"The mixture of both with the best alpha is {number(float(gain))} nats per answer above the naive "
        f"teacher{' on average' if len(fits) > 1 else ''}.",
        f"The posterior {mean} is {number(float(alpha))}. Alpha is the share of answers that fit this "
        "planning teacher better than the naive one, not the share that was planned.",
    ]


def _mean(shares: Iterable[YesShare], name: str) -> str:
    return percent(float(np.mean([getattr(share, name) for share in shares])))


def _both(first: Iterable[YesShare], again: Iterable[YesShare], name: str) -> str:
    return f"{_mean(first, name)} and {_mean(again, name)}"


# Text


def _factor(value: float) -> str:
    """A Bayes factor; the appendix has those that are very large or very small."""
    if value > 1000 or value < 0.001:
        return "> 1,000" if value > 1 else "< 0.001"
    return number(value, 2 if value >= 0.1 else 3)


def _details(text: str) -> Markup:
    """A sentence whose parentheses, with numbers for those who want them, step back."""
    whole = str(escape(with_percents(text)))
    return Markup(DETAILS.sub(lambda found: f'<span class="soft">{found[0]}</span>', whole))


def with_percents(text: str) -> str:
    """The text without a line break before a per cent sign."""
    return text.replace(" %", _unbroken(" %"))


def _unbroken(text: str) -> str:
    """The text without line breaks at its spaces."""
    return text.replace(" ", "\N{NO-BREAK SPACE}")


FILTERS = {
    "num": number,
    "p": p_value,
    "pc": lambda share: _unbroken(percent(share)),
    "p_is": lambda p: _unbroken(p_is(p)),
    "details": _details,
    "factor": _factor,
}
