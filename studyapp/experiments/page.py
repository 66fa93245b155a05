"""The page of a reproduction: every figure, the paper's claims about it, and whether this run supports them.

The page is one file that needs no others.  It escapes whatever a results file may hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup, escape

from core.settings import FITS
from studyapp.base.environment import software
from studyapp.experiments.catalogue import CONCORDANCE_MARGIN, REWARD_MARGIN
from studyapp.experiments.claims import ACROSS_FITS, SUPPORTED, UNDECIDED, UNSUPPORTED, Claim
from studyapp.experiments.section import Section
from studyapp.reporting import html
from studyapp.reporting.wording import number

SIGNS = {SUPPORTED: "✓", UNSUPPORTED: "✗", UNDECIDED: "?"}
CLASSES = {SUPPORTED: "yes", UNSUPPORTED: "no", UNDECIDED: "open"}
PAIR = re.compile(r"\b[A-Z]-[A-Z]\b")


def page(sections: Iterable[Section]) -> str:
    """The page as HTML, with the figures in it."""
    filters = {
        "num": number,
        "setting": _setting,
        "image": html.svg_address,
        "whole_pairs": _whole_pairs,
    }
    return html.render("studyapp.experiments", "page.html", filters, _content(list(sections)))


def _content(sections: list[Section]) -> dict[str, Any]:
    fits = [fit for fit in FITS if any(fit in section.fits for section in sections if section.entry.by_fit)]
    return {
        "sections": sections,
        "fits": fits or [""],
        "both": set(FITS) <= set(fits),
        "counts": _counts(sections),
        "notes": _notes(sections),
        "across_fits": ACROSS_FITS,
        "claims_across_fits": _claims_across_fits(sections),
        "signs": SIGNS,
        "classes": CLASSES,
        "reward_share": REWARD_MARGIN.amount,
        "concordance_margin": CONCORDANCE_MARGIN.amount,
        "made_with": software(),
        "results_made_with": _software(sections),
    }


def _claims_across_fits(sections: Sequence[Section]) -> list[tuple[Claim, dict[str, list[Section]]]]:
    """Each claim of the paper, which may concern several figures, with its figures by what both fits say."""
    by_claim: dict[tuple[str, str], tuple[Claim, dict[str, list[Section]]]] = {}
    for section in sections:
        for row in section.rows if not section.entry.beyond_paper else ():
            if row.across_fits:
                claim = row.claim
                _, figures = by_claim.setdefault((claim.text, claim.measure.name), (claim, {}))
                figures.setdefault(row.across_fits, []).append(section)
    return list(by_claim.values())


def _counts(sections: Sequence[Section]) -> dict[str, dict[str, int]]:
    """How often the paper's claims got each verdict, by fit; "" for figures that don't depend on the fit."""
    counts: dict[str, dict[str, int]] = {}
    for section in sections:
        for fit in section.fits if not section.entry.beyond_paper else ():
            of_fit = counts.setdefault(fit if section.entry.by_fit else "", dict.fromkeys(SIGNS, 0))
            for verdict in section.verdicts[fit]:
                of_fit[verdict.verdict] += 1
    return dict(sorted(counts.items(), key=lambda item: not item[0]))


def _notes(sections: Sequence[Section]) -> list[str]:
    """What a reader must know first."""
    notes = []
    short = [section.entry.title for section in sections if section.fewest < section.entry.replications]
    if short:
        notes.append(
            f"Fewer replications than in a full run: {', '.join(short)}. Intervals are wider, and some "
            "claims are undecided that a full run would decide."
        )
    failed, total = _unconverged(sections)
    if failed:
        notes.append(
            f"In {failed} of {total} replications with converged fits, at least one fit did not converge. "
            "These replications are included in all numbers."
        )
    return notes


def _unconverged(sections: Sequence[Section]) -> tuple[int, int]:
    """Replications in which a fit that should have converged did not, and all of them; each counts once."""
    converged = {
        (str(results.design), series, number): record["converged"]
        for section in sections
        for runs in section.runs_by_fit.values()
        for results in runs.values()
        if "published" not in (results.design.get("fit"), results.design.get("imagined_fit"))
        for series, records in results.records.items()
        for number, record in records.items()
        if "converged" in record
    }
    return sum(not value for value in converged.values()), len(converged)


def _software(sections: Sequence[Section]) -> list[str]:
    """The software that the results were made with, each version once."""
    versions: dict[str, None] = {}
    for section in sections:
        for runs in section.runs_by_fit.values():
            for results in runs.values():
                versions[", ".join(f"{name} {version}" for name, version in results.software.items())] = None
    return list(versions)


def _setting(value: Any) -> str:
    """The value of a setting, in short."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_setting(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting, value))
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    return text if len(text) < 64 else f"{text[:12]}…"


def _whole_pairs(text: str) -> Markup:
    """Escaped text without line breaks inside the name of a pair."""
    return Markup(PAIR.sub(r'<span class="nowrap">\g<0></span>', str(escape(text))))
