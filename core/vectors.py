"""Reading and writing files of word vectors, one word at a time.

Three forms are in use, and this module reads all of them:

    word2vec text     a header ``words dimensions``, then one line per word: the word and its numbers
    word2vec binary   the same header line, then for each word: the word, a space, little-endian float32
                      numbers, and with some writers a newline
    GloVe text        word2vec text without the header

The form is recognised from the content, never from the file's name.  Such files can be gigabytes in size,
and a study needs twenty of their words.  So a file is read in pieces of a megabyte, and the numbers of a
word are parsed only if the word is wanted.  Reading never goes back, so a pipe works too.  Whatever the file
holds, a line, a word and a vector have a largest size, so reading it never needs much memory.

A damaged file must never pass for a smaller one.  The file must have as many words as its header says, and
text must end with a newline, as all programs write it: otherwise nobody would notice that the last number
was cut from ``-0.125`` to ``-0.1``.  (Only GloVe text that was cut between two lines can't be recognised.)
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import FileError
from core.files import explained, ordinary
from core.wording import counted

CHUNK = 1 << 20  # bytes read at a time
LONGEST = 1 << 20  # bytes of one word and its numbers; with more it is not a file of word vectors
LONGEST_WORD = 1000  # bytes of a word that is wanted
LONGEST_SHOWN = 200  # bytes of a word or number in a message
MOST_DIMENSIONS = 10_000

Form = Literal["text", "binary"]
Entry = tuple[bytes, bytes, int]  # a word and its numbers, both as in the file, and their line or record

_HEADER = re.compile(rb"\s*(\d{1,15})\s+(\d{1,9})\s*")
_COMPRESSED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"\xfd7zXZ\x00": "xz"}
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
    start: int  # byte where the first word begins
    first_line: int  # line where the first word begins

    def place(self, number: int) -> str:
        return f"{'line' if self.form == 'text' else 'record'} {number}"

    def fault(self, number: int, problem: str) -> FileError:
        return FileError(self.path, problem, where=self.place(number))


def read(
    path: str | os.PathLike[str],
    wanted: Callable[[bytes], bool] | None = None,
    progress: Callable[[int], None] | None = None,
    *,
    pipes: bool = True,
) -> Iterator[Record]:
    """The words of a file, in the order of the file; ``pipes=False`` refuses a pipe or a device.

    ``wanted`` is called with each word (the bytes in the file, UTF-8) before anything is decoded or parsed;
    without it, every word is returned.  ``progress`` is called with the number of bytes read so far.  An
    incomplete file raises its error only at the end.
    """
    with explained(path), Path(path).open("rb") if pipes else ordinary(path) as file:
        chunks = _chunks(file, progress)
        head = next(chunks, b"")
        layout = _layout(path, head)
        body = chain([head[layout.start :]], chunks)
        entries = _text_entries if layout.form == "text" else _binary_entries
        for name, numbers, number in entries(layout, body):
            if wanted is None or wanted(name):
                yield _record(layout, name, numbers, number)


def _chunks(file: BinaryIO, progress: Callable[[int], None] | None) -> Iterator[bytes]:
    done = 0
    while chunk := file.read(CHUNK):
        done += len(chunk)
        if progress is not None:
            progress(done)
        yield chunk


# How a file is laid out


def _layout(path: str | os.PathLike[str], head: bytes) -> _Layout:
    """Two whole numbers on the first line are a header; a line of GloVe text has more than one number."""
    if not head:
        raise FileError(path, "the file is empty")
    for magic, name in _COMPRESSED.items():
        if head.startswith(magic):
            raise FileError(path, f"this is a {name} file; decompress it first")
    bom = 3 if head.startswith(b"\xef\xbb\xbf") else 0
    first, newline, _ = head[bom:].partition(b"\n")
    header = _HEADER.fullmatch(first)
    if header and newline:
        count, dimensions = int(header[1]), int(header[2])
        if count == 0 or not 1 <= dimensions <= MOST_DIMENSIONS:
            problem = f"the header promises {count:,} words of {dimensions:,} numbers, which is impossible"
            cure = f"; there must be words, and at most {MOST_DIMENSIONS:,} numbers for each"
            raise FileError(path, f"{problem}{cure}", where="line 1")
        start = bom + len(first) + 1
        form: Form = "text" if _goes_on_as_text(head[start:], dimensions) else "binary"
        return _Layout(path, form, count, dimensions, start, first_line=2)
    dimensions = _dimensions_without_header(head[bom:])
    fields = first.split()
    right = 1 <= dimensions <= MOST_DIMENSIONS and len(fields) >= 2
    if not right or not all(is_number(field) for field in fields[-dimensions:]):
        raise FileError(
            path,
            "this is not a file of word vectors: neither word2vec (first line: the numbers of words and"
            " dimensions) nor GloVe text (each line: a word and its numbers)",
            where="line 1",
        )
    return _Layout(path, "text", None, dimensions, bom, first_line=1)


def _goes_on_as_text(body: bytes, dimensions: int) -> bool:
    """Is the header followed by numbers written in digits?

    Half of them are enough, so a damaged line of text is still reported as text.  The bytes of one or two
    binary numbers could look like digits by chance, but not those of ten.
    """
    fields = body.lstrip(b"\r\n").partition(b"\n")[0].split()[1:]
    return 2 * sum(is_number(field) for field in fields[-dimensions:]) >= dimensions


def _dimensions_without_header(body: bytes) -> int:
    """The number that most of the first lines agree on: a word may contain spaces, a line may be damaged."""
    lines = body.split(b"\n", 100)[:100]
    counts = Counter(len(fields) - 1 for line in lines if (fields := line.split()))
    return min(counts, key=lambda dimensions: (-counts[dimensions], dimensions), default=0)


# Words and their numbers, still unparsed


def _text_entries(layout: _Layout, body: Iterable[bytes]) -> Iterator[Entry]:
    dimensions, count, seen = layout.dimensions, layout.count, 0
    for number, line in _lines(layout, body):
        line = line.rstrip()
        if not line:
            continue
        if line.count(b" ") == dimensions and b"\t" not in line:  # nearly every line
            name, _, numbers = line.partition(b" ")
        else:  # a word with spaces in it, other gaps between the numbers, or a damaged line
            name, *fields = line.rsplit(None, dimensions)
            if len(fields) < dimensions:
                problem = f"{len(fields)} instead of {dimensions} numbers follow {_shown(name)}"
                raise layout.fault(number, f"{problem}; correct or remove this line")
            numbers = line[len(name) :]
            name = name.lstrip()
        seen += 1
        if count is not None and seen > count:
            problem = f"{_shown(name)} is one word too many: the header promises {counted(count, 'word')}"
            raise layout.fault(number, f"{problem}; correct the header (line 1)")
        yield name, numbers, number
    if count is not None and seen < count:
        problem = f"the header promises {counted(count, 'word')}, but the file has {seen}: {_CUT_OFF}"
        raise FileError(layout.path, f"{problem}, or the header is wrong (correct it)", where="line 1")


def _lines(layout: _Layout, body: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    tail, number = b"", layout.first_line
    for chunk in body:
        lines = (tail + chunk).split(b"\n")
        tail = lines.pop()
        for line in lines:
            _check_length(layout, number, line)
            yield number, line
            number += 1
        _check_length(layout, number, tail)
    if tail:
        problem = f"the last line does not end with a newline: {_CUT_OFF}"
        raise layout.fault(number, f"{problem}, or an editor left out the last newline (add it)")


def _check_length(layout: _Layout, number: int, line: bytes) -> None:
    if len(line) > LONGEST:
        raise layout.fault(number, "this line is too long; is this a text file?")


def _binary_entries(layout: _Layout, body: Iterable[bytes]) -> Iterator[Entry]:
    size, count = 4 * layout.dimensions, layout.count or 0
    promised = f"{counted(count, 'word')} of {counted(layout.dimensions, 'number')} that the header promises"
    chunks = iter(body)
    buffer, at = b"", 0
    for number in range(1, count + 1):
        while True:
            space = buffer.find(b" ", at)
            end = space + 1 + size
            if space >= 0 and end <= len(buffer):
                break
            if space < 0 and len(buffer) - at > LONGEST:
                raise layout.fault(number, "this word is too long; is this a file of word vectors?")
            more = next(chunks, None)
            if more is None:
                where = f"within {_shown(buffer[at:space].strip())}" if space >= 0 else "here"
                raise layout.fault(number, f"the file ends {where}, before the {promised}: {_CUT_OFF}")
            buffer, at = buffer[at:] + more, 0
        yield buffer[at:space].lstrip(b"\n"), buffer[space + 1 : end], number
        at = end
    if buffer[at:].strip() or any(chunk.strip() for chunk in chunks):
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
    try:
        parsed = [float(field) for field in fields]
    except ValueError:
        parsed = None
    if parsed is None or b"_" in numbers:
        position, field = next((i, field) for i, field in enumerate(fields, 1) if not is_number(field))
        problem = f"{_shown(field)}, number {position} of {word!r}, is not a number; correct this line"
        raise layout.fault(number, problem)
    if len(fields) != layout.dimensions:
        problem = f"{len(fields)} instead of {layout.dimensions} numbers follow {word!r}"
        raise layout.fault(number, f"{problem}; correct or remove this line")
    with np.errstate(over="ignore"):  # too large for float32 becomes infinite; Vocabulary refuses it
        vector = np.array(parsed).astype(np.float32)
    return Record(word, vector, layout.place(number))


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


def form_of(path: str | os.PathLike[str]) -> Form:
    """The form to write a file of this name in."""
    forms: dict[str, Form] = {".txt": "text", ".bin": "binary"}
    try:
        return forms[Path(path).suffix]
    except KeyError:
        raise FileError(path, "the name must end in .txt (word2vec text) or .bin (word2vec binary)") from None


def check_fit(path: str | os.PathLike[str], words: Iterable[str]) -> None:
    """Refuse words that the form of ``path`` can't hold: in binary files a space ends the word."""
    if form_of(path) == "binary":
        for word in words:
            if " " in word:
                raise FileError(
                    path, f"a binary file can't hold {word!r}, which has a space; write a .txt file"
                )


def write(file: BinaryIO, form: Form, words: Sequence[str], vectors: NDArray[np.floating[Any]]) -> None:
    """Write a word2vec file with float32 numbers; text, too, keeps each of them exactly."""
    rows = np.ascontiguousarray(vectors, dtype="<f4")
    file.write(f"{len(words)} {rows.shape[1]}\n".encode())
    for word, row in zip(words, rows, strict=True):
        numbers = row.tobytes() if form == "binary" else _digits(row).encode()
        file.write(word.encode() + b" " + numbers + b"\n")


def _digits(row: NDArray[np.float32]) -> str:
    """The shortest digits that give the row back when read as float64 and rounded to float32."""
    short = [str(number) for number in row]
    if np.array_equal(np.array([float(digits) for digits in short]).astype(np.float32), row):
        return " ".join(short)
    return " ".join(repr(float(number)) for number in row)  # a rounding tie: spell it out
