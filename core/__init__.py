"""The mathematics of the study: words, learners, and models of their teacher.

``Learner`` needs parts of SciPy, which take half a second to load.  Names are therefore imported when they
are first used: ``import core`` takes no time, and an app can draw its first screen while they load.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.errors import FileError, SettingError, StudyappError
    from core.learner import FitReport, Learner, State
    from core.people import People
    from core.randomness import stream
    from core.settings import Settings
    from core.version import same_digest
    from core.vocabulary import Vocabulary

__all__ = [
    "FileError",
    "FitReport",
    "Learner",
    "People",
    "SettingError",
    "Settings",
    "State",
    "StudyappError",
    "Vocabulary",
    "same_digest",
    "stream",
]

_HOMES = {
    "FileError": "core.errors",
    "FitReport": "core.learner",
    "Learner": "core.learner",
    "People": "core.people",
    "SettingError": "core.errors",
    "Settings": "core.settings",
    "State": "core.learner",
    "StudyappError": "core.errors",
    "Vocabulary": "core.vocabulary",
    "same_digest": "core.version",
    "stream": "core.randomness",
}


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'core' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
