"""The command line.

Every command lives in a module of its own with a ``register(commands)`` that adds its parser and
names the function to run.  This module only finds the command and turns what goes wrong into an exit
code, in this one place:

    0    done
    1    the check failed (commands that check something return it)
    2    bad input: one clear message on stderr
    130  interrupted with Ctrl+C
    141  whoever was reading the output has gone
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence

from core.errors import StudyappError
from studyapp import check, pilot, run, words_build

__all__ = ["main"]

COMMANDS = (run, check, pilot, words_build)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        code = _run(argv)
        sys.stdout.flush()  # a reader that has gone shows here, not at exit
        return code
    except StudyappError as error:
        print(f"studyapp: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("studyapp: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # lets Python close it in peace
        return 141


def _run(argv: Sequence[str] | None) -> int:
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.version:
        print(f"studyapp {_version()}")
        return 0
    run: Callable[[argparse.Namespace], int] | None = arguments.run
    if run is None:
        print(parser.format_help(), end="")
        return 0
    return run(arguments)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="studyapp",
        usage="studyapp COMMAND ...",
        description="A word-relevance study with learners that model their teacher, in the terminal.",
        epilog="Each command explains itself: studyapp COMMAND --help.",
    )
    parser.add_argument("--version", action="store_true", help="say which version this is")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="studyapp")
    for command in COMMANDS:
        command.register(commands)
    return parser


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("studyapp")
    except PackageNotFoundError:
        return "(not installed: run from its source)"


if __name__ == "__main__":
    sys.exit(main())
