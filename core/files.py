"""Files that fail clearly and are never left half written.

An ``OSError`` speaks the language of the operating system; whoever runs a study needs to know which
file it was and what to do.  A result that is half on disk is worse than none, so results are written
beside their place and moved there whole.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from core.errors import FileError

__all__ = ["check_free", "explained", "replacing"]


@contextmanager
def explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn what the operating system says about ``path`` into a FileError with a cure."""
    try:
        yield
    except OSError as error:
        raise FileError(path, _cure(error, path)) from error


def _cure(error: OSError, path: str | os.PathLike[str]) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file; check the name and the folder"
    if os.path.isdir(path):  # noqa: PTH112 (Path.is_dir raises where it may not look)
        return "this is a folder, and a file is needed"
    if isinstance(error, PermissionError):
        return "permission denied; check who may read or write it"
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full; free some space and try again"
    return f"{error.strerror or error}"


def check_free(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse, before any long work, a place that could not be written to afterwards."""
    target = Path(path)
    with explained(path):
        if target.is_dir():
            raise FileError(path, "this is a folder, and a file is to be written")
        if not target.parent.is_dir():
            raise FileError(
                path, f"there is no folder {os.fspath(target.parent)!r} to write it in; make it first"
            )
        if target.exists() and not overwrite:
            raise FileError(
                path, "this file exists already; give another name or ask to overwrite it (--force)"
            )


@contextmanager
def replacing(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Write a file whole or not at all.

    Yields a temporary file in the same folder.  When the block ends well it is forced to disk and
    renamed to ``path``; when it ends in any error, Ctrl+C included, it is removed and whatever stood
    at ``path`` stays as it was.
    """
    check_free(path, overwrite=overwrite)
    target = Path(path).resolve()  # so that a link keeps pointing at what it points at
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with explained(path):
            with part.open("wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            check_free(path, overwrite=overwrite)  # the work may have taken minutes
            part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
