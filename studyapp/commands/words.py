"""``studyapp words build``: a word set of your own, cut from a large file of word vectors."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.wording import counted
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands
from studyapp.study.words import build

__all__ = ["register"]


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
    word_set = build(arguments.vectors, arguments.words, arguments.out, overwrite=arguments.force)
    words, dimensions = word_set.vectors.shape
    size = f"{counted(words, 'word')}, {counted(dimensions, 'dimension')}"
    say(f"{arguments.out}: {size}, sha256 {word_set.sha256}")
    return 0
