"""The command line: finds the command, runs it, and turns errors into exit codes.

Every command is a module of ``studyapp.commands`` with a ``register(commands)`` that adds its parser and
names the function to run.  Only the module of the requested command is loaded.  A command returns its exit
code; errors become one here:

    0    done
    1    a check failed (returned by commands that check something)
    2    bad input: one clear message on stderr
    130  interrupted with Ctrl+C
    141  the reader of the output is gone
"""

from __future__ import annotations

import argparse
import errno
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from textwrap import wrap

from core.errors import StudyappError
from studyapp.base.terminal import Parser, flush, is_interactive, protect, report, say, stop_output

# Every command, by what it is for, in the order in which help lists them.
PURPOSES = {
    "prepare a study": ("new", "check", "rehearse", "power", "preregister", "words"),
    "run it": ("run", "status", "note", "exclude", "delete", "verify", "backup", "unblind"),
    "use its data": ("analyse", "export", "import", "people"),
    "simulate": ("simulate", "reproduce"),
}
COMMANDS = tuple(name for names in PURPOSES.values() for name in names)

MORE = "What each one does: studyapp --help. In a study folder, studyapp alone opens its office."


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    protect()
    try:
        code = _run(argv)
        flush()
        return code
    except StudyappError as error:
        first, *details = error.lines
        report(f"studyapp: {first}", *details)
        return 2
    except KeyboardInterrupt:
        report("studyapp: interrupted")
        return 130
    except BrokenPipeError:
        stop_output()
        return 141
    except OSError as error:
        if error.errno != errno.ENOSPC or error.filename is not None:  # files have errors of their own
            raise
        stop_output()
        report("studyapp: the output could not be written: the disk is full; free some space")
        return 2


def _run(argv: Sequence[str] | None) -> int:
    given = sys.argv[1:] if argv is None else list(argv)
    parser = parser_of(given[:1] if not given or given[0] in COMMANDS else list(COMMANDS))
    arguments = parser.parse_args(given)
    if arguments.version:
        say(f"studyapp {_version()}")
        return 0
    run: Callable[[argparse.Namespace], int] | None = arguments.run
    if run is None:
        return _without_command(parser)
    return run(arguments)


def _without_command(parser: argparse.ArgumentParser) -> int:
    """The office of the study in this folder; elsewhere, a list of the commands."""
    from studyapp.study.folder import current_folder

    folder = current_folder() if is_interactive() else None
    if folder is None:
        say(*_overview(parser))
        return 0
    from studyapp.screens.office.app import OfficeApp

    app = OfficeApp(folder)
    code = app.run()
    if app.fault is not None:
        raise app.fault
    return app.return_code if code is None and app.return_code else code or 0


def _overview(parser: argparse.ArgumentParser) -> Iterator[str]:
    """All commands on one screen, by what they are for."""
    yield from parser.format_usage().splitlines()
    yield from ("", *wrap(str(parser.description), 78), "")
    width = max(map(len, PURPOSES))
    for purpose, names in PURPOSES.items():
        yield f"  {purpose:<{width}}  {', '.join(names)}"
    yield from ("", *wrap(MORE, 78))


def parser_of(names: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of some commands, whose modules are loaded for it."""
    parser = Parser(
        prog="studyapp",
        usage="studyapp COMMAND ...",
        description="Run, analyse and simulate a study with learners that model their teacher. Try the "
        "study: studyapp run. Make one of your own: studyapp new DIR. Help on a command: studyapp COMMAND "
        "--help.",
    )
    parser.add_argument("-V", "--version", action="store_true", help="show the version")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog="studyapp")
    for name in names:
        module = "import_csv" if name == "import" else name  # which Python keeps for itself
        import_module(f"studyapp.commands.{module}").register(commands)
    return parser


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("studyapp")
    except PackageNotFoundError:
        return "(running from source, not installed)"


if __name__ == "__main__":
    sys.exit(main())
