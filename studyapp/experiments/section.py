"""One figure of a reproduction: its results, and the verdict on each of its claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from core.settings import FITS
from studyapp.experiments.catalogue import Entry
from studyapp.experiments.claims import Claim, Verdict, across_fits, judge
from studyapp.experiments.store import Results


@dataclass(frozen=True)
class Row:
    """A claim with its verdict under each fit."""

    claim: Claim
    verdicts: Mapping[str, Verdict]  # by fit
    across_fits: str  # what both fits say together; empty unless both were run


@dataclass(frozen=True, eq=False)
class Section:
    """A figure with its results.  If they don't depend on the fit, they are under any one of the fits."""

    entry: Entry
    runs_by_fit: Mapping[str, Mapping[str, Results]]  # by fit, then by label
    figures: Mapping[str, bytes]  # the drawn SVG, by fit

    @property
    def fits(self) -> list[str]:
        """The fits to show: a single one where the fit makes no difference."""
        fits = sorted(self.runs_by_fit, key=lambda fit: FITS.index(fit) if fit in FITS else len(FITS))
        return fits if self.entry.by_fit else fits[:1]

    @cached_property
    def verdicts(self) -> dict[str, list[Verdict]]:
        """By fit, in the order of the claims."""
        return {
            fit: [judge(claim, self.runs_by_fit[fit]) for claim in self.entry.claims] for fit in self.fits
        }

    @cached_property
    def rows(self) -> list[Row]:
        """One row per claim."""
        return [
            Row(claim, {fit: self.verdicts[fit][i] for fit in self.fits}, self._across_fits(i))
            for i, claim in enumerate(self.entry.claims)
        ]

    def _across_fits(self, i: int) -> str:
        if not self.entry.by_fit or not set(FITS) <= set(self.fits):
            return ""
        converged, published = (self.verdicts[fit][i] for fit in FITS)
        return across_fits(converged, published)

    def counts(self, fit: str) -> list[int]:
        """How many replications each series of each run has."""
        return [
            len(results.numbers(series))
            for results in self.runs_by_fit[fit].values()
            for series in results.records
        ]

    def replications(self, fit: str) -> str:
        """How many replications its series have: "100", or "20 to 100"."""
        counts = self.counts(fit) or [0]
        return str(min(counts)) if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"

    @property
    def fewest(self) -> int:
        """The replications of the series that has the fewest."""
        return min((count for fit in self.runs_by_fit for count in self.counts(fit)), default=0)
