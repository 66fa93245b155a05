"""File access with clear errors; files that are never left half written, and only their owner can read.

An ``OSError`` speaks the language of the operating system.  The person who runs a study needs to know which
file it was and what to do.

This is the one place that opens files for writing (logs, which are appended to, have their own).
Half a result is worse than none, so a result is written to a temporary file beside its place and then moved
there.  The folder may be open to others, so nobody can prepare what is written: the temporary file is new and
has a name that can't be guessed, nobody else can read it from its first moment, and moving it to its place
replaces a link there instead of following it.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from core.errors import FileError

CHUNK = 1 << 20  # bytes of a text that are read at a time: a file of any size needs little memory
NOT_A_FILE = "this is a pipe or a device; an ordinary file is needed"


@contextmanager
def explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an OSError about ``path`` into a FileError that says what to do."""
    if not _is_possible(path):
        raise FileError(path, "no file can have this name; choose another")
    try:
        yield
    except OSError as error:
        raise FileError(path, _cure(error, path)) from error


@contextmanager
def ordinary(path: str | os.PathLike[str]) -> Iterator[BufferedReader]:
    """Open an ordinary file for reading.

    A pipe or a device is refused: reading it might never end, and opening a pipe may wait for a writer.
    """
    with explained(path):
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(mode):
                raise IsADirectoryError
            if not stat.S_ISREG(mode):
                raise FileError(path, NOT_A_FILE)
            file = os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise
        with file:
            yield file


def _is_possible(path: str | os.PathLike[str]) -> bool:
    """Can the system have a file of this name?  If not, Python raises a ValueError that says little."""
    try:
        return b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # half a character
        return False


def _cure(error: OSError, path: str | os.PathLike[str]) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file; check the name and the folder"
    if os.path.isdir(path):  # noqa: PTH112 (Path.is_dir raises where it may not look)
        return "this is a folder; a file is needed"
    if isinstance(error, PermissionError):
        return "permission denied; check who may read or write it"
    if error.errno == errno.ENAMETOOLONG:
        return "this name is too long for a file or folder; choose a shorter one"
    if error.errno == errno.ENXIO:  # a socket, or a device without a driver
        return NOT_A_FILE
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full; free some space and try again"
    return f"{error.strerror or error}"


def check_free(path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
    """Refuse a path that cannot be written to, before any long work begins."""
    target = Path(path)
    with explained(path):
        if target.is_dir() and not target.is_symlink():
            raise FileError(path, "this is a folder; give the name of a file")
        if not target.parent.is_dir():
            raise FileError(path, f"there is no folder {os.fspath(target.parent)!r}; make it first")
        if not os.path.lexists(target):  # a link that leads nowhere is there, too
            return
        if not (target.is_symlink() or target.is_file()):
            raise FileError(path, "this is a pipe or a device; give the name of a file")
        if not overwrite:
            raise FileError(path, "this file already exists; give another name, or overwrite it with --force")


@contextmanager
def replacing(path: str | os.PathLike[str], *, overwrite: bool = False) -> Iterator[BinaryIO]:
    """Write a file completely or not at all, for its owner alone.

    Yields a temporary file in the same folder.  When the block succeeds, the file is forced to disk and
    renamed to ``path``.  When the block fails, even by Ctrl+C, the file is removed and ``path`` stays as it
    was.  A link at ``path`` is replaced, and what it leads to stays as it was.
    """
    check_free(path, overwrite=overwrite)
    target = Path(path)
    part = target.with_name(f".{secrets.token_hex(16)}.part")
    try:
        with explained(path):
            with open(part, "xb", opener=_private) as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            check_free(path, overwrite=overwrite)  # the block may have taken minutes
            part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


# Lines


def text_lines(path: Path, file: BinaryIO, *, longest: int, most: int) -> Iterator[tuple[int, str]]:
    """The lines of a file in UTF-8, numbered from 1, without their ends: LF, CRLF or CR.

    At most ``most`` lines of at most ``longest`` bytes are read: a file with more is not what it should be.
    """
    for number, raw in enumerate(_raw_lines(file, longest), start=1):
        where = f"line {number}"
        if len(raw) > longest:
            problem = f"this line has more than {longest:,} bytes; is this the right file?"
            raise FileError(path, problem, where=where)
        if number > most:
            raise FileError(path, f"the file has more than {most:,} lines; keep only some of them")
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise FileError(path, "this is not UTF-8 text; save the file as UTF-8", where=where) from None
        if "\0" in line:
            problem = "this line has a NUL byte: the file is binary or damaged; save it as UTF-8 text"
            raise FileError(path, problem, where=where)
        yield number, line


def _raw_lines(file: BinaryIO, longest: int) -> Iterator[bytes]:
    """Lines without their ends; of a line that is too long, only the beginning, as the last one."""
    rest = b""
    while chunk := file.read(CHUNK):
        *lines, rest = (rest + chunk).splitlines(keepends=True)  # the rest may lack its LF, or all of its end
        for line in lines:
            yield line.rstrip(b"\r\n")
        if len(rest) > longest + 2:
            break
    if rest:
        yield rest.rstrip(b"\r\n")
