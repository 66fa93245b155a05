"""What a reader must know before anything else: boxes at the top of the report, lines in the terminal."""

from __future__ import annotations

from collections import Counter

from core.wording import counted
from studyapp.analysis.gather import Gathered
from studyapp.reporting.wording import listed

__all__ = ["mixed_kinds", "notes"]

KINDS = {  # one of a kind, and several
    "person": ("person", "people"),
    "imported": ("imported session", "imported sessions"),
    "pilot": ("pilot session", "pilot sessions"),
    "simulated": ("simulated participant", "simulated participants"),
}


def notes(gathered: Gathered) -> list[str]:
    """Every sentence is true of the sessions that it counts."""
    participants = len(gathered.sessions)
    kinds = Counter(session.kind for session in gathered.sessions)
    lines = mixed_kinds(gathered)
    if kinds["simulated"] == participants:
        lines.append("All participants are simulated: no people answered.")
    if count := kinds["pilot"]:
        lines.append(
            f"{_all_or_some('pilot session', count, participants)} included: the experimenter's view was on, "
            "so nobody was blind."
        )
    if count := kinds["imported"]:
        what = (
            "Imported sessions"
            if count == participants
            else f"{counted(count, 'imported session')} of {participants}"
        )
        lines.append(f"{what} {'was' if count == 1 < participants else 'were'} run elsewhere, without times.")
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
    if gathered.registered:
        lines.append(gathered.registered.sentence)
    if participants < 2:
        lines.append("With one participant there are no tests and no intervals.")
    return lines


def mixed_kinds(gathered: Gathered) -> list[str]:
    """A sentence if simulated participants are analysed together with others; otherwise nothing."""
    kinds = Counter(session.kind for session in gathered.sessions)
    participants = len(gathered.sessions)
    if not kinds["simulated"] or kinds["simulated"] == participants:
        return []
    parts = [counted(kinds[kind], *words) for kind, words in KINDS.items() if kinds[kind]]
    return [
        f"People and simulated participants are analysed together here ({listed(parts)}): no result is about "
        "people alone. To analyse people alone, leave out --include simulated."
    ]


def _all_or_some(what: str, count: int, participants: int) -> str:
    if count == participants:
        return f"Only {what}s are" if count > 1 else f"Only a {what} is"
    return f"{counted(count, what)} of {participants} {'is' if count == 1 else 'are'}"
