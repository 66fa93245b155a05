"""The lines of a text file, one at a time, so that a file of any size needs little memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from core.errors import FileError

CHUNK = 1 << 20  # bytes read at a time


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
