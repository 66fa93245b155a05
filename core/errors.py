"""Errors that a user can correct.

    StudyappError            one clear sentence: what is wrong, where, and what to do
    ├── SettingError         an argument or setting has a value that is not allowed
    └── FileError            a file cannot be used as it is; the message names the file and the place

The command line turns every StudyappError into that sentence on stderr and exit code 2.
Any other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

import os


class StudyappError(Exception):
    """Base class of every error that a user can correct: one line, or a line and its details."""

    def __init__(self, message: str, *details: str) -> None:
        super().__init__(message, *details)

    @property
    def lines(self) -> tuple[str, ...]:
        """The message line by line.  A line break within one of them came from a file, and was not meant."""
        return self.args

    def __str__(self) -> str:
        return "\n".join(self.lines)


class SettingError(StudyappError, ValueError):
    """An argument or setting has a value that is not allowed."""


class FileError(StudyappError):
    """A file cannot be used as it is."""

    def __init__(
        self, path: str | os.PathLike[str], problem: str, *details: str, where: str | None = None
    ) -> None:
        self.path = os.fspath(path)
        self.where = where  # "line 7", "word 'cat'", "byte 1042": whatever helps the reader find it
        self.problem = problem
        place = f"{self.path}, {where}" if where else self.path
        super().__init__(f"{place}: {problem}", *details)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt, (type(self), self.path, self.problem, self.args[1:], self.where)


def _rebuilt(
    kind: type[FileError], path: str, problem: str, details: tuple[str, ...], where: str | None
) -> FileError:
    """A FileError from another process."""
    return kind(path, problem, *details, where=where)
