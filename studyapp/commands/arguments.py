"""Arguments that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from core.errors import SettingError
from core.files import explained
from core.people import People
from core.simulated import SIMULATED
from studyapp.study.folder import (
    SESSIONS,
    STUDY_FILE,
    StudyFolder,
    current_folder,
    folder_of,
    sessions_of,
)
from studyapp.study.studies import DEFAULT

# argparse has no public name for the type that add_subparsers returns.
Commands = argparse._SubParsersAction

# The kinds of session that an analysis leaves out by default.
INCLUDABLE = ("pilot", "imported", "simulated", "incomplete", "withdrawn")


def add_study(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--study",
        metavar="FILE",
        help=f"a study file, or the name of a bundled study (default: {STUDY_FILE} in this folder, or else "
        f"{DEFAULT})",
    )


def study_of(arguments: argparse.Namespace) -> str:
    """The study that was named, or the one in this folder, or the default."""
    if arguments.study is not None:
        return str(arguments.study)
    folder = current_folder()
    return str(folder.file) if folder else DEFAULT


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
    from studyapp.study.loading import read_people  # loads YAML, which not every command needs

    return read_people(arguments.people)


def add_sessions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sessions",
        metavar="DIR",
        type=Path,
        help="folder of session logs (default: the study's, or else sessions)",
    )


def session_folder(arguments: argparse.Namespace) -> Path:
    """The folder of sessions that was named, or the study's."""
    if arguments.sessions is not None:
        folder: Path = arguments.sessions
        return folder
    from studyapp.study.loading import bundled  # loads YAML, which not every command needs

    study = study_of(arguments)
    return Path(SESSIONS) if study in bundled() else sessions_of(Path(study))


def add_folders(parser: argparse.ArgumentParser) -> None:
    """The sessions to read: of one machine, or of several."""
    parser.add_argument(
        "sessions",
        metavar="DIR",
        nargs="*",
        type=Path,
        help="folder of session logs, or study folder; several, such as those of two machines, are read "
        "together (default: the sessions of the study in this folder)",
    )


def session_folders(places: Sequence[Path]) -> list[Path]:
    """The folders of sessions that were named, or the study's; a study folder stands for its sessions."""
    if not places:
        here = current_folder()
        if here is None:
            problem = (
                f"name a folder of session logs, or run this in a study folder (one with a {STUDY_FILE})"
            )
            raise SettingError(problem)
        return [here.sessions]
    return [named_sessions(place) for place in places]


def named_sessions(place: Path) -> Path:
    """The sessions at a place: those of a study folder, or whatever is there."""
    folder = folder_of(place)
    return folder.sessions if folder else place


def add_in(parser: argparse.ArgumentParser) -> None:
    """The study folder of a command that decides something about a study."""
    parser.add_argument(
        "--in", dest="folder", metavar="DIR", type=Path, help="the study folder (default: this folder)"
    )


def study_folder(arguments: argparse.Namespace) -> StudyFolder:
    """The study folder that was named, or the one that this is run in."""
    if arguments.folder is None:
        found, place = current_folder(), "this folder"
    else:
        found, place = folder_of(arguments.folder), str(arguments.folder)
        with explained(place):
            arguments.folder.stat()
    if found is None:
        cure = "go to a study folder, or name one with --in DIR (studyapp new makes one)"
        raise SettingError(f"{place} is not a study folder: it has no {STUDY_FILE}; {cure}")
    return found


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


def add_choice(parser: argparse.ArgumentParser) -> None:
    """Which sessions an analysis includes."""
    add_include(parser)
    parser.add_argument(
        "--exclude", metavar="ID", nargs="+", action="extend", default=[], help="leave these participants out"
    )


def add_blind(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--blind",
        action="store_true",
        help="call the models A, B and so on, and leave out what tells which is which (always done in the "
        "folder of a study with blind: true, until studyapp unblind)",
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
