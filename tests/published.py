"""The published study's answers, for tests that are better on real histories than on invented ones.

They are not part of the project.  If they are beside it, in ../shared/data/published, they are used;
otherwise the tests that need them are skipped.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path

import pytest

SESSIONS = Path(__file__).parents[2] / "shared" / "data" / "published" / "sessions.csv"

needs_sessions = pytest.mark.skipif(
    not SESSIONS.exists(), reason="the published sessions are not at ../shared/data/published/sessions.csv"
)

Round = list[tuple[str, int]]  # (word, answer)


def rows() -> list[dict[str, str]]:
    with SESSIONS.open(newline="") as file:
        return list(csv.DictReader(file))


def rounds(model: str) -> list[Round]:
    """The rounds of a model, except one of P103 that never took place (all its rewards are 0)."""
    answers: defaultdict[tuple[str, str], Round] = defaultdict(list)
    for row in rows():
        if row["model"] == model and float(row["reward"]) > 0:
            answers[row["participant"], row["round"]].append((row["word"], int(row["answer"] == "y")))
    return list(answers.values())
