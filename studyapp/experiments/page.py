"""The page of a reproduction: every figure, what the paper says of it, and whether this run bears it out.

One file that needs nothing else, and that escapes whatever a results file may carry.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from core.settings import FITS
from studyapp.base.environment import software
from studyapp.experiments.catalogue import CLOSE, ORDER, REWARD, Entry
from studyapp.experiments.claims import SUPPORTED, UNDECIDED, UNSUPPORTED, Claim, Verdict, judge, stands_on
from studyapp.experiments.results import Results
from studyapp.reporting import html
from studyapp.reporting.wording import number

__all__ = ["Section", "page"]

SIGNS = {SUPPORTED: "✓", UNSUPPORTED: "✗", UNDECIDED: "?"}
PAIR = re.compile(r"\b[NP]-[NPM]\b")
GROUNDS = ("the method", "the optimiser", "neither", "open")
CLASSES = {SUPPORTED: "yes", UNSUPPORTED: "no", UNDECIDED: "open"}


@dataclass(frozen=True, eq=False)
class Section:
    """A figure with its results; of a figure whose results depend on no fit, under any one name."""

    entry: Entry
    runs_by_fit: Mapping[str, Mapping[str, Results]]  # by fit, then by label
    figures: Mapping[str, Path]  # SVG, by fit; numbers/ has a CSV and a JSON of the same name

    @property
    def fits(self) -> list[str]:
        """Those to show: one will do where it makes no difference."""
        found = sorted(self.runs_by_fit, key=lambda fit: FITS.index(fit) if fit in FITS else len(FITS))
        return found if self.entry.by_fit else found[:1]

    @cached_property
    def verdicts(self) -> dict[str, list[Verdict]]:
        """By fit, in the order of the claims."""
        return {
            fit: [judge(claim, self.runs_by_fit[fit]) for claim in self.entry.claims] for fit in self.fits
        }

    @property
    def rows(self) -> list[dict[str, Any]]:
        """A claim with its verdicts by fit, and what it stands on where both fits were run."""
        return [
            {
                "claim": claim,
                "verdicts": {fit: self.verdicts[fit][i] for fit in self.fits},
                "stands_on": self._stands_on(i),
            }
            for i, claim in enumerate(self.entry.claims)
        ]

    def _stands_on(self, i: int) -> str:
        if not self.entry.by_fit or not set(FITS) <= set(self.fits):
            return ""
        converged, published = (self.verdicts[fit][i] for fit in FITS)
        return stands_on(converged, published)

    def replications(self, fit: str) -> str:
        """How many there are of its series: a number, or the least and the most."""
        many = [
            len(results.numbers(series))
            for results in self.runs_by_fit[fit].values()
            for series in results.records
        ]
        if not many:
            return "0"
        return str(min(many)) if min(many) == max(many) else f"{min(many)} to {max(many)}"


def page(sections: Iterable[Section]) -> str:
    """The page as HTML, with the figures in it."""
    filters = {
        "num": number,
        "told": _setting,
        "image": html.data_address,
        "step": _step,
        "whole_pairs": _whole_pairs,
    }
    return html.render("studyapp.experiments", "page.html", filters, _given(list(sections)))


def _given(sections: list[Section]) -> dict[str, Any]:
    fits = [fit for fit in FITS if any(fit in each.fits for each in sections if each.entry.by_fit)]
    return {
        "sections": sections,
        "fits": fits or [""],
        "both": set(FITS) <= set(fits),
        "counts": _counts(sections),
        "notes": _notes(sections),
        "grounds": GROUNDS,
        "by_ground": _by_ground(sections),
        "signs": SIGNS,
        "classes": CLASSES,
        "reward_share": CLOSE[REWARD].amount,
        "order_margin": CLOSE[ORDER].amount,
        "made_with": software(),
        "runs_made_with": _makers(sections),
    }


def _by_ground(sections: list[Section]) -> list[tuple[Claim, dict[str, list[Section]]]]:
    """Each thing that the paper claims, of one figure or several, with the figures by what it stands on."""
    found: dict[tuple[str, str], tuple[Claim, dict[str, list[Section]]]] = {}
    for section in sections:
        for row in section.rows if not section.entry.ours else ():
            if ground := row["stands_on"]:
                claim = row["claim"]
                _, by_ground = found.setdefault((claim.text, claim.measure), (claim, {}))
                by_ground.setdefault(ground, []).append(section)
    return list(found.values())


def _counts(sections: list[Section]) -> dict[str, dict[str, int]]:
    """By fit, how many claims have which verdict; of figures that depend on no fit, under an empty name."""
    counts: dict[str, dict[str, int]] = {}
    for section in sections:
        for fit in section.fits if not section.entry.ours else ():
            of_fit = counts.setdefault(fit if section.entry.by_fit else "", dict.fromkeys(SIGNS, 0))
            for verdict in section.verdicts[fit]:
                of_fit[verdict.verdict] += 1
    return dict(sorted(counts.items(), key=lambda each: not each[0]))


def _notes(sections: list[Section]) -> list[str]:
    """What a reader must know before anything else."""
    told = []
    short = [each.entry.title for each in sections if _least(each) < each.entry.replications]
    if short:
        told.append(
            f"Fewer replications than in a full run stand behind {', '.join(short)}: "
            "intervals are wider, and claims may be undecided that more replications would decide."
        )
    failed, of = _unconverged(sections)
    if failed:
        told.append(
            f"In {failed} of {of} replications with converged fits at least one fit did not converge; "
            "they are in all numbers."
        )
    return told


def _least(section: Section) -> int:
    return min(
        (
            len(results.numbers(series))
            for runs in section.runs_by_fit.values()
            for results in runs.values()
            for series in results.records
        ),
        default=0,
    )


def _unconverged(sections: list[Section]) -> tuple[int, int]:
    """Replications in which a fit that should have converged did not; each counts once."""
    seen = {
        (str(results.design), series, number): record["converged"]
        for section in sections
        for runs in section.runs_by_fit.values()
        for results in runs.values()
        if "published" not in (results.design.get("fit"), results.design.get("imagined_fit"))
        for series, records in results.records.items()
        for number, record in records.items()
        if "converged" in record
    }
    return sum(not converged for converged in seen.values()), len(seen)


def _makers(sections: list[Section]) -> list[str]:
    """The software that results were made with, each once."""
    makers: dict[str, None] = {}
    for section in sections:
        for runs in section.runs_by_fit.values():
            for results in runs.values():
                makers[", ".join(f"{name} {version}" for name, version in results.software.items())] = None
    return list(makers)


def _setting(value: Any) -> str:
    """A setting of a design, in short."""
    if isinstance(value, dict):
        return ", ".join(f"{name} {_setting(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_setting, value))
    if isinstance(value, float):
        return f"{value:g}"
    text = str(value)
    return text if len(text) < 64 else f"{text[:12]}…"


STEPS = {
    "cumulative reward": "question",
    "concordance": "question",
    "contrast": "question",
    "different arms": "question",
    "accuracy": "answer",
    "probability": "arm",
}


def _step(claim: Claim) -> str:
    """The measure of a claim, and where."""
    where = STEPS.get(claim.measure)
    return f"{claim.measure}, {where} {claim.step}" if where else claim.measure


def _whole_pairs(text: str) -> Markup:
    """No line breaks within the name of a pair."""
    return Markup(PAIR.sub(r'<span class="nowrap">\g<0></span>', str(escape(text))))
