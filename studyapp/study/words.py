"""A word set of your own, cut from a large file of word vectors.

The whole file is read even after every word has been found: only then is it certain that the file is complete
and that no word has a second, different vector.  A word that is repeated with the same numbers, as in some
files, is taken once.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from core import vectors
from core.errors import FileError
from core.files import check_free, ordinary
from core.text_lines import text_lines
from core.vocabulary import MOST_WORDS, Vocabulary, exceeded, fault_of
from studyapp.base.progress import reading

__all__ = ["build", "read_list"]

NAMED = 10  # missing words that a message lists
SIMILAR = 3  # similar words that a message lists for each of these
LONGEST_LINE = 1 << 20  # bytes; longer than any line of vectors, so that these are recognised
MOST_LINES = 10 * MOST_WORDS  # comments and blank lines included
SWAPPED = "the list belongs to --words, and the vectors to --vectors: did you swap the two?"


def build(vectors_path: Path, list_path: Path, out: Path, *, overwrite: bool = False) -> Vocabulary:
    """Write a word set: the words of a list, with their vectors from a large file."""
    lines = read_list(list_path)  # refuse what can be refused before the long reading
    vectors.check_fit(out, lines)
    check_free(out, overwrite=overwrite)
    word_set = Vocabulary.from_records(vectors_path, _records(vectors_path, list_path, lines))
    word_set.save(out, overwrite=overwrite)
    return word_set


def read_list(path: Path) -> dict[str, int]:
    """The words of a list in its order, each with its line number."""
    with ordinary(path) as file:
        return _listed(path, text_lines(path, file, longest=LONGEST_LINE, most=MOST_LINES))


def _listed(path: Path, numbered: Iterable[tuple[int, str]]) -> dict[str, int]:
    lines: dict[str, int] = {}
    for number, line in numbered:
        where = f"line {number}"
        word = line.strip()
        if not word or word.startswith("#"):
            continue
        if _is_of_vectors(word):
            raise FileError(path, f"this is a line of a file of word vectors; {SWAPPED}", where=where)
        if (size := len(word.encode())) > vectors.LONGEST_WORD:
            too_long = f"this word has {size:,} bytes; a word has at most {vectors.LONGEST_WORD:,}"
            raise FileError(path, too_long, where=where)
        if problem := fault_of(word):
            raise FileError(path, problem, where=where)
        if word in lines:
            raise FileError(
                path, f"{word!r} is already on line {lines[word]}; remove one of the two", where=where
            )
        lines[word] = number
        if len(lines) > MOST_WORDS:
            raise FileError(path, f"there are more than {MOST_WORDS:,} words; shorten the list", where=where)
    if len(lines) < 2:
        raise FileError(path, f"a word set needs at least 2 words, one per line; this list has {len(lines)}")
    return lines


def _is_of_vectors(line: str) -> bool:
    """Is this the header of word2vec, or a word and its numbers?"""
    fields = line.encode().split()
    return len(fields) >= 2 and all(map(vectors.is_number, fields[1:] if len(fields) > 3 else fields))


def _records(vectors_path: Path, list_path: Path, lines: Mapping[str, int]) -> list[vectors.Record]:
    """The records of the listed words, in the order of the list."""
    names = {word.encode() for word in lines}
    similar = _SimilarNames(lines)

    def wanted(name: bytes) -> bool:
        similar.notice(name)
        return name in names

    found: dict[str, vectors.Record] = {}
    with reading(vectors_path) as progress:
        for record in vectors.read(vectors_path, wanted, progress):
            if limit := exceeded(len(lines), record.vector.size):
                problem = f"its {len(lines):,} words of {record.vector.size:,} numbers are more than {limit}"
                raise FileError(list_path, f"{problem}, the most that a set can have; shorten the list")
            first = found.setdefault(record.word, record)
            if not np.array_equal(first.vector, record.vector, equal_nan=True):
                raise FileError(
                    vectors_path,
                    f"{record.word!r} has different numbers here than at {first.place};"
                    f" remove one of the two, or remove the word from {list_path}",
                    where=record.place,
                )
    if missing := [word for word in lines if word not in found]:
        named = [f"{word!r} (line {lines[word]}{similar.hint(word)})" for word in missing[:NAMED]]
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        verb = "is" if len(missing) == 1 else "are"
        raise FileError(
            list_path,
            f"{len(missing)} of its {len(lines)} words {verb} not in {vectors_path}: "
            f"{', '.join(named)}{more}; change the list or use other vectors",
        )
    return [found[word] for word in lines]


class _SimilarNames:
    """Words in the vectors that differ from a listed one only in case, spacing or Unicode form."""

    def __init__(self, words: Iterable[str]) -> None:
        self._looked_for = {_plain(word) for word in words}
        self._noticed: defaultdict[str, list[str]] = defaultdict(list)

    def notice(self, name: bytes) -> None:
        if len(name) > vectors.LONGEST_WORD:
            return
        try:
            word, remark = name.decode("utf-8"), ""
        except UnicodeDecodeError:
            word, remark = name.decode("latin-1"), " (not in UTF-8)"
        if (plain := _plain(word)) in self._looked_for and len(self._noticed[plain]) < SIMILAR:
            self._noticed[plain].append(f"{word!r}{remark}")

    def hint(self, word: str) -> str:
        similar = self._noticed[_plain(word)]
        return f"; the vectors have {' and '.join(similar)}" if similar else ""


def _plain(word: str) -> str:
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word)
    return word.casefold().replace("_", " ").replace("-", " ")
