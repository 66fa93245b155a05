"""The command line.

Every command lives in a module of its own with a ``register(commands)`` that adds its parser and
names the function to run; only the module of the command that is asked for is loaded.  This module
only finds it and turns what goes wrong into an exit code, in this one place:

    0    done
    1    the check failed (commands that check something return it)
    2    bad input: one clear message on stderr
    130  interrupted with Ctrl+C
    141  whoever was reading the output has gone
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper

from core.errors import StudyappError

__all__ = ["main"]

# In the order in which they are told of.
COMMANDS = {
    "run": "studyapp.commands.run",
    "check": "studyapp.commands.check",
    "rehearse": "studyapp.commands.rehearse",
    "verify": "studyapp.commands.verify",
    "analyse": "studyapp.commands.analyse",
    "power": "studyapp.commands.power",
    "export": "studyapp.commands.export",
    "import": "studyapp.commands.import_csv",
    "words": "studyapp.commands.words",
    "simulate": "studyapp.commands.simulate",
    "reproduce": "studyapp.commands.reproduce",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # what a terminal cannot show is no reason to stop
    try:
        code = _run(argv)
        if sys.stdout is not None:  # it is None where it was closed
            sys.stdout.flush()  # a reader that has gone, or a full disk, shows here and not at exit
        return code
    except StudyappError as error:
        print(f"studyapp: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("studyapp: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:  # files have errors of their own
            raise
        _drop_output()
        print("studyapp: what was to be told could not be written: the disk is full", file=sys.stderr)
        return 2


def _drop_output() -> None:
    """Lets Python close it in peace."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(argv: Sequence[str] | None) -> int:
    given = sys.argv[1:] if argv is None else list(argv)
    asked = given[:1] if given and given[0] in COMMANDS else list(COMMANDS)
    parser = _parser(asked)
    arguments = parser.parse_args(given)
    if arguments.version:
        print(f"studyapp {_version()}")
        return 0
    run: Callable[[argparse.Namespace], int] | None = arguments.run
    if run is None:
        print(parser.format_help(), end="")
        return 0
    return run(arguments)


def _parser(asked: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="studyapp",
        usage="studyapp COMMAND ...",
        description="A study with learners that model their teacher, and its simulations.",
        epilog="To try the study: studyapp run. Commands explain themselves: COMMAND --help.",
    )
    parser.add_argument("-V", "--version", action="store_true", help="say which version this is")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="studyapp")
    for name in asked:
        import_module(COMMANDS[name]).register(commands)
    return parser


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("studyapp")
    except PackageNotFoundError:
        return "(not installed: run from its source)"


if __name__ == "__main__":
    sys.exit(main())
