"""Reading and writing files of word vectors, one word at a time.

Three forms are in use, and this module reads all of them:

    word2vec text     a header ``words dimensions``, then one line per word: the word and its numbers
    word2vec binary   the same header line, then for each word: the word, a space, little-endian float32
                      numbers, and with some writers a newline
    GloVe text        word2vec text without the header

The form is recognised from the content, never from the file's name.  Such files can be gigabytes in size,
and a study needs twenty of their words.  So the numbers of a word are parsed only if the word is wanted, and
reading needs little memory.  It never goes back, so a pipe works too.

A damaged file must never pass for a smaller one.  The file must have as many words as its header says, and
text must end with a newline, as all programs write it: otherwise nobody would notice that the last number
was cut from ``-0.125`` to ``-0.1``.  (Only GloVe text that was cut between two lines can't be recognised.)
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.files import explained, ordinary
from core.wording import counted

CHUNK = 1 << 20  # bytes read at a time
LONGEST = 1 << 20  # bytes of a line, or of a word in a binary file
LONGEST_WORD = 1000  # bytes of a word that is wanted
LONGEST_SHOWN = 200  # bytes of a word or number in a message
MOST_DIMENSIONS = 10_000
OFTEN = 1000  # words between two reports of progress

Form = Literal["text", "binary"]
Entry = tuple[int, bytes, bytes]  # a line or record, its word and its numbers, both as in the file

_HEADER = re.compile(rb"\s*(\d{1,15})\s+(\d{1,9})\s*")
_COMPRESSED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip"}
_CUT_OFF = "the file was cut off (fetch or copy it again)"


class Record(NamedTuple):
    """One word of a file, and its place: ``line 7`` or ``record 7``."""

    word: str
    vector: NDArray[np.float32]
    place: str


@dataclass(frozen=True)
class _Layout:
    """How a file is laid out, recognised from its beginning."""

    path: str | os.PathLike[str]
    form: Form
    count: int | None  # words, if a header says so
    dimensions: int

    def place(self, number: int) -> str:
        return f"{'line' if self.form == 'text' else 'record'} {number}"

    def fault(self, number: int, problem: str) -> FileError:
        return FileError(self.path, problem, where=self.place(number))


def read(
    path: str | os.PathLike[str],
    wanted: Callable[[bytes], bool] | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    pipes: bool = False,
) -> Iterator[Record]:
    """The words of a file, in the order of the file; only ``pipes=True`` reads a pipe or a device.

    ``wanted`` is called with each word (the bytes in the file, UTF-8) before anything is decoded or parsed;
    without it, every word is returned.  ``progress`` is called with about the number of bytes read so far.
    An incomplete file raises its error only at the end.
    """
    with explained(path), Path(path).open("rb") if pipes else ordinary(path) as file:
        layout, entries = _opened(path, file)
        done = 0
        for seen, (number, name, numbers) in enumerate(entries):
            done += len(name) + len(numbers) + 2
            if progress is not None and seen % OFTEN == 0:
                progress(done)
            if wanted is None or wanted(name):
                yield _record(layout, name, numbers, number)


def _opened(path: str | os.PathLike[str], file: BinaryIO) -> tuple[_Layout, Iterator[Entry]]:
    """Two whole numbers on the first line are a header; a line of GloVe text has more than one number."""
    first = file.readline(LONGEST).removeprefix(b"\xef\xbb\xbf")
    if not first:
        raise FileError(path, "the file is empty")
    for magic, name in _COMPRESSED.items():
        if first.startswith(magic):
            raise FileError(path, f"this is a {name} file; decompress it first")
    lines = iter(lambda: file.readline(LONGEST), b"")
    if header := _HEADER.fullmatch(first):
        count, dimensions = int(header[1]), int(header[2])
        if count == 0 or not 1 <= dimensions <= MOST_DIMENSIONS:
            problem = f"the header promises {count:,} words of {dimensions:,} numbers, which is impossible"
            cure = f"; there must be words, and at most {MOST_DIMENSIONS:,} numbers for each"
            raise FileError(path, f"{problem}{cure}", where="line 1")
        second = next(lines, b"")
        # Half of the numbers are enough, so a damaged line of text is still reported as text.  The bytes of
        # one or two binary numbers could look like digits by chance, but not those of ten.
        if 2 * sum(map(is_number, second.split()[1:])) >= dimensions:
            layout = _Layout(path, "text", count, dimensions)
            return layout, _text_entries(layout, chain([second], lines), first_line=2)
        layout = _Layout(path, "binary", count, dimensions)
        return layout, _binary_entries(layout, second, file)
    dimensions = sum(1 for _ in takewhile(is_number, reversed(first.split()[1:])))
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise FileError(
            path,
            "this is not a file of word vectors: neither word2vec (first line: the numbers of words and"
            " dimensions) nor GloVe text (each line: a word and its numbers)",
            where="line 1",
        )
    layout = _Layout(path, "text", None, dimensions)
    return layout, _text_entries(layout, chain([first], lines), first_line=1)


# Words and their numbers, still unparsed


def _text_entries(layout: _Layout, lines: Iterable[bytes], first_line: int) -> Iterator[Entry]:
    dimensions, count, seen = layout.dimensions, layout.count, 0
    for number, whole in enumerate(lines, first_line):
        if not whole.endswith(b"\n"):
            if len(whole) >= LONGEST:
                raise layout.fault(number, "this line is too long; is this a text file?")
            problem = f"the last line does not end with a newline: {_CUT_OFF}"
            raise layout.fault(number, f"{problem}, or an editor left out the last newline (add it)")
        line = whole.rstrip()
        if not line:
            continue
        if line.count(b" ") == dimensions and b"\t" not in line:  # nearly every line
            name, _, numbers = line.partition(b" ")
        else:  # a word with spaces in it, other gaps between the numbers, or a damaged line
            name, *fields = line.rsplit(None, dimensions)
            _check_count(layout, number, name, len(fields))
            numbers = line[len(name) :]
            name = name.lstrip()
        seen += 1
        if count is not None and seen > count:
            problem = f"{_shown(name)} is one word too many: the header promises {counted(count, 'word')}"
            raise layout.fault(number, f"{problem}; correct the header (line 1)")
        yield number, name, numbers
    if count is not None and seen < count:
        problem = f"the header promises {counted(count, 'word')}, but the file has {seen}: {_CUT_OFF}"
        raise FileError(layout.path, f"{problem}, or the header is wrong (correct it)", where="line 1")


def _binary_entries(layout: _Layout, buffer: bytes, file: BinaryIO) -> Iterator[Entry]:
    size, count, at = 4 * layout.dimensions, layout.count or 0, 0
    promised = f"{counted(count, 'word')} of {counted(layout.dimensions, 'number')} that the header promises"
    for number in range(1, count + 1):
        while (space := buffer.find(b" ", at)) < 0 or len(buffer) < space + 1 + size:
            if space < 0 and len(buffer) - at > LONGEST:
                raise layout.fault(number, "this word is too long; is this a file of word vectors?")
            more = file.read(CHUNK)
            if not more:
                where = f"within {_shown(buffer[at:space].strip())}" if space >= 0 else "here"
                raise layout.fault(number, f"the file ends {where}, before the {promised}: {_CUT_OFF}")
            buffer, at = buffer[at:] + more, 0
        yield number, buffer[at:space].lstrip(b"\n"), buffer[space + 1 : space + 1 + size]
        at = space + 1 + size
    if any(rest.strip() for rest in chain([buffer[at:]], iter(lambda: file.read(CHUNK), b""))):
        raise layout.fault(count, f"the file continues after the {promised}: it is damaged (fetch it again)")


# A word and its numbers, parsed


def _record(layout: _Layout, name: bytes, numbers: bytes, number: int) -> Record:
    if len(name) > LONGEST_WORD:
        problem = f"the word {_shown(name)} has {len(name):,} bytes; a word has at most {LONGEST_WORD:,}"
        raise layout.fault(number, f"{problem}; is this a file of word vectors?")
    try:
        word = name.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"the word {_shown(name)} is not in UTF-8; save the file as UTF-8"
        raise layout.fault(number, problem) from error
    if layout.form == "binary":
        vector = np.frombuffer(numbers, dtype="<f4").astype(np.float32)
        vector[np.isnan(vector)] = np.nan  # some NaN make NumPy warn whenever they are touched
        return Record(word, vector, layout.place(number))
    fields = numbers.split()
    _check_count(layout, number, name, len(fields))
    for position, field in enumerate(fields, 1):
        if not is_number(field):
            problem = f"{_shown(field)}, number {position} of {_shown(name)}, is not a number"
            raise layout.fault(number, f"{problem}; correct this line")
    with np.errstate(over="ignore"):  # too large for float32 becomes infinite; Vocabulary refuses it
        vector = np.array([float(field) for field in fields]).astype(np.float32)
    return Record(word, vector, layout.place(number))


def _check_count(layout: _Layout, number: int, name: bytes, count: int) -> None:
    if count != layout.dimensions:
        problem = f"{count} instead of {layout.dimensions} numbers follow {_shown(name)}"
        raise layout.fault(number, f"{problem}; correct or remove this line")


def _shown(name: bytes) -> str:
    """A word for a message, even if it is not valid UTF-8, and not all of a long one."""
    shown = repr(name[:LONGEST_SHOWN].decode("utf-8", "replace"))
    return shown if len(name) <= LONGEST_SHOWN else f"{shown}..."


def is_number(field: bytes) -> bool:
    """Is this field of a text file a number? (``nan`` and ``inf`` are, ``1_000`` is not.)"""
    try:
        float(field)
    except ValueError:
        return False
    return b"_" not in field


# Writing


def form_for(path: str | os.PathLike[str], words: Iterable[str]) -> Form:
    """The form to write a file of this name in, if it can hold these words."""
    forms: dict[str, Form] = {".txt": "text", ".bin": "binary"}
    form = forms.get(Path(path).suffix)
    if form is None:
        raise FileError(path, "the name must end in .txt (word2vec text) or .bin (word2vec binary)")
    spaced = next((word for word in words if " " in word), None)
    if form == "binary" and spaced is not None:  # there a space ends the word
        raise FileError(path, f"a binary file can't hold {spaced!r}, which has a space; write a .txt file")
    return form


def write(file: BinaryIO, form: Form, words: Sequence[str], vectors: NDArray[np.floating[Any]]) -> None:
    """Write a word2vec file with float32 numbers; text, too, keeps each of them exactly."""
    rows = np.ascontiguousarray(vectors, dtype="<f4")
    file.write(f"{len(words)} {rows.shape[1]}\n".encode())
    for word, row in zip(words, rows, strict=True):
        numbers = row.tobytes() if form == "binary" else " ".join(map(_digits, row)).encode()
        file.write(word.encode() + b" " + numbers + b"\n")


def _digits(number: np.float32) -> str:
    """The shortest digits that give a number back when they are read as float64 and rounded to float32."""
    short = str(number)
    return (
        short if np.float32(float(short)) == number else repr(float(number))
    )  # a rounding tie: spell it out
