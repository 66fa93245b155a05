"""Participant IDs.  An ID is also the name of the participant's log."""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import SettingError

__all__ = ["check_id", "log_path"]

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_id(participant: str) -> str:
    """Refuse an ID that is not safe as a file name; otherwise return it."""
    if not ID.fullmatch(participant):
        raise SettingError(
            f"the participant ID is {participant!r}; use 1 to 64 letters, digits, hyphens and underscores"
        )
    return participant


def log_path(sessions: Path, participant: str) -> Path:
    """The log of a participant in a folder of sessions."""
    return sessions / f"{check_id(participant)}.yaml"
