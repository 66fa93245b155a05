"""Participants' IDs, which are also the names of their logs."""

from __future__ import annotations

import re
from pathlib import Path

from core.errors import SettingError

__all__ = ["check_id", "log_path"]

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check_id(participant: str) -> str:
    """IDs become file names: only what cannot lead anywhere else is let pass."""
    if not ID.fullmatch(participant):
        raise SettingError(
            f"the participant ID is {participant!r}; it must be 1 to 64 letters, digits, - and _"
        )
    return participant


def log_path(sessions: Path, participant: str) -> Path:
    return sessions / f"{check_id(participant)}.yaml"
