"""A study with every kind of step, small enough to run many times."""

from __future__ import annotations

from typing import Any

__all__ = ["STUDY"]

STUDY: dict[str, Any] = {
    "title": "A small study",
    "models": {"naive": {"teacher": "naive"}, "mixture": {"teacher": "mixture"}},
    "targets": ["tea", "salt"],
    "practice": ["cat"],
    "questions": 3,
    "pace": {"pause": 0.02, "hold": 0.0},
    "breaks": {"every": 2},
    "consent": "Please.",
    "instructions": ["One.", "Two."],
    "questionnaires": {"mood": [{"id": "mood", "kind": "scale", "ask": "How are you?", "most": 7}]},
    "after_round": ["mood"],
    "bonus": {"within": 3, "rounds": 1, "won": "Well done."},
}
