"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from studyapp.study.studies import DEFAULT

__all__ = [
    "INCLUDABLE",
    "Commands",
    "add_choice",
    "add_out",
    "add_processes",
    "add_sessions",
    "add_study",
    "add_words",
]

# argparse has no public name for what add_subparsers returns
Commands = argparse._SubParsersAction

# What an analysis leaves out unless it is told otherwise.
INCLUDABLE = ("pilot", "imported", "simulated", "incomplete", "withdrawn")


def add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--study",
        metavar="FILE",
        default=DEFAULT,
        help=f"a study file, or the name of a study that comes with studyapp (default: {DEFAULT})",
    )


def add_sessions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sessions",
        metavar="DIR",
        type=Path,
        default=Path("sessions"),
        help="where the logs are (default: sessions)",
    )


def add_words(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--words",
        metavar="FILE",
        type=Path,
        help="the word set of the sessions, where it is neither one of studyapp's nor beside the logs",
    )


def add_out(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--out", metavar="DIR", type=Path, default=Path(default), help=f"where to write (default: {default})"
    )


def add_processes(parser: argparse._ActionsContainer) -> None:
    """Where long work is done."""
    parser.add_argument(
        "--processes", metavar="N", type=int, help="processes on this machine (default: one for each core)"
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="work on a Dask cluster instead: the address of its scheduler, as tcp://192.0.2.7:8786",
    )


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Which sessions enter an analysis."""
    parser.add_argument(
        "--include",
        metavar="KIND",
        nargs="+",
        action="extend",
        default=[],
        choices=INCLUDABLE,
        help=f"let in what is left out otherwise: {', '.join(INCLUDABLE)}",
    )
    parser.add_argument(
        "--exclude", metavar="ID", nargs="+", action="extend", default=[], help="leave these participants out"
    )
