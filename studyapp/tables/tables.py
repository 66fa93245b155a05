"""The tidy tables of saved sessions: answers, rounds, participants, responses.

Exports, their data dictionaries and the tables of an analysis all come from these declarations.
"""

from __future__ import annotations

from typing import Any, Final

from studyapp.tables.columns import Table
from studyapp.tables.participants import PARTICIPANTS, RESPONSES, minutes
from studyapp.tables.rounds import ANSWERS, PUBLISHED, ROUNDS

__all__ = ["ANSWERS", "PARTICIPANTS", "PUBLISHED", "RESPONSES", "ROUNDS", "TABLES", "minutes"]

TABLES: Final[tuple[Table[Any], ...]] = (ANSWERS, ROUNDS, PARTICIPANTS, RESPONSES)
