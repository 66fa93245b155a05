"""What can go wrong that a user can put right.

    StudyappError            one clear sentence: what is wrong, where, and the cure
    ├── SettingError         an argument or setting has a value that is not allowed
    └── FileError            a file cannot be used as it is; names the file and the place in it

The command line turns every StudyappError into that sentence on stderr and exit code 2.
Anything else that escapes is a bug and keeps its traceback.
"""

from __future__ import annotations

import os

__all__ = ["FileError", "SettingError", "StudyappError"]


class StudyappError(Exception):
    """Base of every error that a user can put right."""


class SettingError(StudyappError, ValueError):
    """An argument or setting has a value that is not allowed."""


class FileError(StudyappError):
    """A file cannot be used as it is."""

    def __init__(self, path: str | os.PathLike[str], problem: str, *, where: str | None = None) -> None:
        self.path = os.fspath(path)
        self.where = where  # "line 7", "word 'cat'", "byte 1042": whatever leads the reader there
        self.problem = problem
        place = f"{self.path}, {where}" if where else self.path
        super().__init__(f"{place}: {problem}")

    def __reduce__(self) -> tuple[object, ...]:
        return _made_again, (type(self), self.path, self.problem, self.where)


def _made_again(kind: type[FileError], path: str, problem: str, where: str | None) -> FileError:
    """A FileError that comes from another process."""
    return kind(path, problem, where=where)
