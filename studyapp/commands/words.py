"""``studyapp words build``: a word set of your own, cut from a large file of word vectors.

The whole file is read even after every word has been found: only then is it certain that the file is complete
and that no word has a second, different vector.  A word that is repeated with the same numbers, as in some
files, is taken once.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from core import vectors
from core.errors import FileError
from core.files import check_free, explained, ordinary, text_lines
from core.vocabulary import MOST_WORDS, Vocabulary, fault_of
from core.wording import counted
from studyapp.base.console import bar
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands

NAMED = 10  # missing words that a message lists


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    words = commands.add_parser("words", help="make word sets", description="Make word sets.")
    subcommands = words.add_subparsers(title="commands", metavar="COMMAND", required=True)
    parser = subcommands.add_parser(
        "build",
        help="cut a word set from a file of word vectors",
        description="Cut a word set from a file of word vectors. The set keeps the order of the list.",
    )
    parser.add_argument(
        "--vectors",
        metavar="FILE",
        type=Path,
        required=True,
        help="word vectors: word2vec text or binary, or GloVe text",
    )
    parser.add_argument(
        "--words",
        metavar="FILE",
        type=Path,
        required=True,
        help="the words, one per line; blank lines and lines that start with # are ignored",
    )
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=Path,
        required=True,
        help="the word set to write: .txt (readable) or .bin (smaller)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite the --out file")
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    lines = read_list(arguments.words)
    vectors.form_for(arguments.out, lines)  # refuse what can be refused before the long reading
    check_free(arguments.out, overwrite=arguments.force)
    records = _chosen(arguments.vectors, arguments.words, lines)
    found = Vocabulary.from_records(arguments.vectors, records)
    order = [found.index(word) for word in lines]
    word_set = Vocabulary(tuple(lines), found.vectors[order])
    word_set.save(arguments.out, overwrite=arguments.force)
    words, dimensions = word_set.vectors.shape
    size = f"{counted(words, 'word')}, {counted(dimensions, 'dimension')}"
    say(f"{arguments.out}: {size}, sha256 {word_set.sha256}")
    return 0


def read_list(path: Path) -> dict[str, int]:
    """The words of a list in its order, each with its line number."""
    lines: dict[str, int] = {}
    with ordinary(path) as file:
        for number, line in text_lines(path, file, longest=vectors.LONGEST_WORD, most=MOST_WORDS):
            word = line.strip()
            if not word or word.startswith("#"):
                continue
            problem = fault_of(word)
            if word in lines:
                problem = f"{word!r} is already on line {lines[word]}; remove one of the two"
            if problem:
                raise FileError(path, problem, where=f"line {number}")
            lines[word] = number
    if len(lines) < 2:
        raise FileError(path, f"a word set needs at least 2 words, one per line; this list has {len(lines)}")
    return lines


def _chosen(path: Path, list_path: Path, lines: Mapping[str, int]) -> Iterator[vectors.Record]:
    """The records of the listed words, in the order of the vectors."""
    names = {word.encode() for word in lines}
    found: dict[str, vectors.Record] = {}
    with explained(path):
        size = path.stat().st_size / 1e6 if path.is_file() else None  # None of a pipe
    with bar(f"reading {path.name} (MB)", size) as update:
        for record in vectors.read(path, names.__contains__, lambda done: update(done / 1e6), pipes=True):
            first = found.setdefault(record.word, record)
            if first is record:
                yield record
            elif not np.array_equal(first.vector, record.vector, equal_nan=True):
                problem = f"{record.word!r} has different numbers here than at {first.place}"
                cure = f"remove one of the two, or remove the word from {list_path}"
                raise FileError(path, f"{problem}; {cure}", where=record.place)
    if missing := [word for word in lines if word not in found]:
        named = ", ".join(f"{word!r} (line {lines[word]})" for word in missing[:NAMED])
        more = f" and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
        verb = "is" if len(missing) == 1 else "are"
        problem = f"{len(missing)} of its {len(lines)} words {verb} not in {path}: {named}{more}"
        raise FileError(list_path, f"{problem}; change the list or use other vectors")
