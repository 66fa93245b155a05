"""A word set: the words of a study and their vectors.

A word set is a file of word vectors in a standard form (see ``core.vectors``).  Its words become the arms
of the bandit through their features: the rows of the RBF kernel matrix between the words.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core import checks
from core import vectors as vector_files
from core.errors import FileError, SettingError
from core.files import explained, replacing
from core.wording import did_you_mean, is_visible

# The most that is read of any file, so that nothing needs more memory than a small machine has.
MOST_WORDS = 100_000
MOST_NUMBERS = 10_000_000


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Words and their vectors, in one order, checked and immutable.

    Numbers have float32 precision, as in the files, so a set stays the same set in every file form.
    """

    words: tuple[str, ...]
    vectors: NDArray[np.float64]  # (words, dimensions), read-only

    def __post_init__(self) -> None:
        words = tuple(self.words)
        with np.errstate(over="ignore"):
            vectors = np.asarray(self.vectors, dtype=np.float32).astype(np.float64)
        if vectors.ndim != 2 or len(vectors) != len(words) or not vectors.size:
            raise SettingError(f"vectors has the shape {vectors.shape}; {len(words)} words need one row each")
        if fault := _fault(words, vectors):
            index, problem = fault
            raise SettingError(problem if index is None else f"word {index + 1}: {problem}")
        vectors.flags.writeable = False
        object.__setattr__(self, "words", words)
        object.__setattr__(self, "vectors", vectors)

    def __repr__(self) -> str:
        return f"<Vocabulary of {len(self.words)} words in {self.vectors.shape[1]} dimensions>"

    @classmethod
    def load(cls, name_or_path: str | os.PathLike[str], most: int = MOST_WORDS) -> Vocabulary:
        """Load a word set that comes with studyapp by its name, or any other by its path.

        ``"study20"`` and ``"words10k"`` are names.  Any other string is a path if it has a folder or a
        suffix, or if such a file exists.  A ``Path`` is always a path.  Reading stops at the first word
        beyond ``most``.
        """
        with _file_of(name_or_path) as path:
            return cls.from_records(path, vector_files.read(path), most)

    @classmethod
    def from_records(
        cls, path: str | os.PathLike[str], records: Iterable[vector_files.Record], most: int = MOST_WORDS
    ) -> Vocabulary:
        """The word set of these records from the file ``path``; an error names the place in that file."""
        words: list[str] = []
        rows: list[NDArray[np.float32]] = []
        places: list[str] = []
        for record in records:
            words.append(record.word)
            rows.append(record.vector)
            places.append(record.place)
            too_many = len(words) > most
            if too_many or len(words) * record.vector.size > MOST_NUMBERS:
                limit = f"{most:,} words" if too_many else f"{MOST_NUMBERS:,} numbers"
                problem = f"there are more than {limit}, the most that can be used here"
                cure = "make a smaller set with: studyapp words build"
                raise FileError(path, f"{problem} ({cure})", where=record.place)
        vectors: NDArray[Any] = np.array(rows, dtype=np.float32)
        del rows
        if fault := _fault(words, vectors):
            index, problem = fault
            raise FileError(path, problem, where=None if index is None else places[index])
        return cls(tuple(words), vectors)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the set as word2vec text (``.txt``) or binary (``.bin``), completely or not at all.

        The file is read back and compared before it takes its place.
        """
        form = vector_files.form_for(path, self.words)
        with replacing(path, overwrite=overwrite) as file:
            vector_files.write(file, form, self.words, self.vectors)
            file.flush()
            try:
                same = Vocabulary.load(Path(file.name)).sha256 == self.sha256
            except FileError:
                same = False
            if not same:  # numbers whose bytes happen to be digits, or a failing disk
                raise FileError(
                    path, "the file did not read back as it was written; use the other form (.txt, .bin)"
                )

    def features(self, kernel_width: float = 1.5) -> NDArray[np.float64]:
        """The study's features: row i holds the similarity of word i to every word.

            k(u, v) = exp(-kernel_width |u - v|^2) = exp(-2 kernel_width (1 - cos(u, v)))

        on vectors scaled to unit length.  ``kernel_width`` is the factor in the exponent, so a *larger*
        number makes a *narrower* kernel; a length-scale l is ``kernel_width = 1 / (2 l^2)``.  The
        published study has 1.5.  The matrix is exactly symmetric, with exact ones on its diagonal.  The row
        of the target holds the rewards, before they are clamped.

        The matrix has words x words entries: 32 MB for 2,000 words, the most that a learner takes.
        """
        checks.number("kernel_width", kernel_width, above=0.0)
        units = self.vectors / np.linalg.norm(self.vectors, axis=1, keepdims=True)
        cosines = units @ units.T
        cosines = np.minimum((cosines + cosines.T) / 2, 1.0)
        np.fill_diagonal(cosines, 1.0)
        return np.asarray(np.exp(-2.0 * kernel_width * (1.0 - cosines)))

    @property
    def sha256(self) -> str:
        """A fingerprint of the words, their order and their numbers, independent of the file form.

        It is the SHA-256 of the line ``words dimensions``, each word on a line, all in UTF-8, and the
        numbers as little-endian float32, row after row.
        """
        lines = [f"{len(self.words)} {self.vectors.shape[1]}", *self.words]
        digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode())
        digest.update(self.vectors.astype("<f4").tobytes())
        return digest.hexdigest()

    def index(self, word: str) -> int:
        """The position of ``word`` in the set."""
        try:
            return self.words.index(word)
        except ValueError:
            raise SettingError(
                f"{word!r} is not one of the {len(self.words)} words{did_you_mean(word, self.words)}"
            ) from None


def fault_of(word: str) -> str | None:
    """What is wrong with a word, or None: every word must be visible on a screen and fit in a file."""
    if not word:
        return "the word is missing"
    if word != word.strip():
        return f"the word {word!r} begins or ends with a space"
    for character in word:
        if not is_visible(character):
            return f"the word {word!r} contains U+{ord(character):04X}, which can't be seen; remove it"
    last = word.split(" ")[-1]
    if last != word and any(map(str.isdigit, last)) and vector_files.is_number(last.encode()):
        return (
            f"the word {word!r} ends with a number, so the line may have one number too many;"
            " correct the line, or write the word with an underscore instead of the space"
        )
    return None


def _fault(words: Sequence[str], vectors: NDArray[np.floating[Any]]) -> tuple[int | None, str] | None:
    """The first fault of a word set: the index of the word (None for the whole set) and the problem."""
    if len(words) < 2:
        return None, f"a word set needs at least 2 words; this one has {len(words)}"
    seen: dict[str, int] = {}
    for index, word in enumerate(words):
        if problem := fault_of(word):
            return index, problem
        if word in seen:
            return index, f"{word!r} is already word {seen[word] + 1} of the set; remove one of the two"
        seen[word] = index
    finite = np.isfinite(vectors).all(axis=1)
    for index in np.flatnonzero(~finite | ~vectors.any(axis=1)).tolist():
        if finite[index]:
            return (
                index,
                f"the vector of {words[index]!r} is all zeros and has no direction; leave the word out",
            )
        return (
            index,
            f"the vector of {words[index]!r} has a number that is not finite; correct it or leave it out",
        )
    return None


@contextmanager
def _file_of(name_or_path: str | os.PathLike[str]) -> Iterator[Path]:
    """The file of a word set; one that comes with studyapp may have to be unpacked for a moment."""
    from importlib.resources import as_file, files

    path = Path(name_or_path)
    if isinstance(name_or_path, str):
        shipped = {
            Path(entry.name).stem: entry
            for entry in files("words").iterdir()
            if Path(entry.name).suffix in (".txt", ".bin")
        }
        if name_or_path in shipped:
            with as_file(shipped[name_or_path]) as unpacked:
                yield unpacked
            return
        with explained(path):
            is_path = path.name != name_or_path or bool(path.suffix) or path.exists()
        if not is_path:
            raise SettingError(
                f"there is no word set {name_or_path!r}{did_you_mean(name_or_path, shipped)};"
                f" known: {', '.join(sorted(shipped))}; or name a file"
            )
    yield path
