"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.errors import SettingError
from core.people import People
from core.simulated import SIMULATED
from studyapp.study.studies import DEFAULT

__all__ = [
    "INCLUDABLE",
    "Commands",
    "add_choice",
    "add_folders",
    "add_include",
    "add_out",
    "add_people",
    "add_processes",
    "add_sessions",
    "add_study",
    "add_words",
    "people_of",
]

# argparse has no public name for the type that add_subparsers returns.
Commands = argparse._SubParsersAction

# The kinds of session that an analysis leaves out by default.
INCLUDABLE = ("pilot", "imported", "simulated", "incomplete", "withdrawn")


def add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--study",
        metavar="FILE",
        default=DEFAULT,
        help=f"a study file, or the name of a bundled study (default: {DEFAULT})",
    )


def add_people(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--people",
        metavar="FILE",
        type=Path,
        help="how simulated people answer, with --teacher person: a file from studyapp people fit (default: "
        "as the study says, or else as in the published study)",
    )


def people_of(arguments: argparse.Namespace) -> People | None:
    """The people that --people names."""
    if arguments.people is None:
        return None
    if not SIMULATED[arguments.teacher].is_person:
        raise SettingError(f"--people is for --teacher person, but --teacher is {arguments.teacher}")
    from studyapp.study.people import read_people  # loads YAML, which not every command needs

    return read_people(arguments.people)


def add_sessions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sessions",
        metavar="DIR",
        type=Path,
        default=Path("sessions"),
        help="folder of session logs (default: sessions)",
    )


def add_folders(parser: argparse.ArgumentParser) -> None:
    """The sessions to read: of one machine, or of several."""
    parser.add_argument(
        "sessions",
        metavar="DIR",
        nargs="+",
        type=Path,
        help="folder of session logs; several, such as those of two machines, are read together",
    )


def add_words(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--words",
        metavar="FILE",
        type=Path,
        help="the word set of the sessions, if it is neither bundled nor beside the logs",
    )


def add_out(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path(default),
        help=f"folder to write to (default: {default})",
    )


def add_processes(parser: argparse._ActionsContainer) -> None:
    """Where long computations run."""
    parser.add_argument(
        "--processes",
        metavar="N",
        type=int,
        help="number of processes on this machine (default: one per core)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="use a Dask cluster instead: the address of its scheduler, such as tcp://192.0.2.7:8786",
    )
    for name, what in (
        ("ca-file", "the certificate of the authority that a cluster's TLS relies on"),
        ("cert", "this machine's certificate for it"),
        ("key", "the key of that certificate, if it is in a file of its own"),
    ):
        parser.add_argument(f"--tls-{name}", metavar="FILE", type=Path, help=f"{what}, in PEM format")


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Which sessions an analysis includes."""
    add_include(parser)
    parser.add_argument(
        "--exclude", metavar="ID", nargs="+", action="extend", default=[], help="leave these participants out"
    )


def add_include(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--include",
        metavar="KIND",
        nargs="+",
        action="extend",
        default=[],
        choices=INCLUDABLE,
        help=f"also include sessions of these kinds: {', '.join(INCLUDABLE)}",
    )
