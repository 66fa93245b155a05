"""Errors that a user can correct.

    StudyappError            one clear sentence: what is wrong, where, and what to do
    ├── SettingError         an argument or setting has a value that is not allowed
    └── FileError            a file cannot be used as it is; the message names the file and the place

The command line turns every StudyappError into that sentence on stderr and exit code 2.
Any other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

import os

__all__ = ["FileError", "SettingError", "StudyappError"]


class StudyappError(Exception):
    """Base class of every error that a user can correct."""


class SettingError(StudyappError, ValueError):
    """An argument or setting has a value that is not allowed."""


class FileError(StudyappError):
    """A file cannot be used as it is."""

    def __init__(self, path: str | os.PathLike[str], problem: str, *, where: str | None = None) -> None:
        self.path = os.fspath(path)
        self.where = where  # "line 7", "word 'cat'", "byte 1042": whatever helps the reader find it
        self.problem = problem
        place = f"{self.path}, {where}" if where else self.path
        super().__init__(f"{place}: {problem}")

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.path, self.problem, self.where)


def _rebuilt(kind: type[FileError], path: str, problem: str, where: str | None) -> FileError:
    """A FileError from another process."""
    return kind(path, problem, where=where)
