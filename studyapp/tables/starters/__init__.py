"""The scripts that an export puts beside its tables, for an analyst to begin with.

They are never run here: the Python one is kept as text, so that nothing takes it for a module of studyapp.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Final

from core.files import ordinary

__all__ = ["NAMES", "is_unchanged", "script"]

NAMES: Final = ("starter.R", "starter.py")
FIGURES: Final = ("curves.pdf", "curves.png")  # what they draw, in this order
_FILES: Final = {"starter.R": "starter.R", "starter.py": "starter.py.txt"}


def script(name: str) -> bytes:
    """One of the scripts."""
    return resources.files(__name__).joinpath(_FILES[name]).read_bytes()


def is_unchanged(path: Path) -> bool:
    """Is a file in an export the script of its name?"""
    expected = script(path.name)
    with ordinary(path) as file:
        return file.read(len(expected) + 1) == expected
