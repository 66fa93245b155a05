"""``studyapp rehearse``: simulated participants take part in a study, without screens."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.checks import whole
from core.simulated import SIMULATED
from core.wording import counted
from studyapp.base.terminal import say
from studyapp.commands.arguments import (
    Commands,
    add_people,
    add_study,
    people_of,
    session_folder,
    study_of,
)
from studyapp.session.headless import rehearse
from studyapp.study.folder import current_folder
from studyapp.study.loading import load

REHEARSAL = "rehearsal"  # the folder of simulated sessions in a study folder


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "rehearse",
        help="run a study with simulated participants",
        description="Run a study with simulated participants, to try it out or to test an analysis. "
        "Their logs are marked as simulated.",
    )
    add_study(parser)
    parser.add_argument(
        "--teacher",
        choices=SIMULATED.names,
        default="person",
        help="how they answer: "
        + "; ".join(f"{kind.name} {kind.sentence}" for kind in SIMULATED)
        + " (default: person)",
    )
    add_people(parser)
    parser.add_argument(
        "--participants", type=int, default=10, metavar="N", help="number of participants (default: 10)"
    )
    parser.add_argument("--seed", type=int, metavar="S", help="use this seed instead of the study's")
    parser.add_argument(
        "--sessions",
        metavar="DIR",
        type=Path,
        help=f"folder for their logs (default: {REHEARSAL} for the study in this folder, or else sessions)",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    count = whole("--participants", arguments.participants, 1, 100_000)
    loaded = load(study_of(arguments))
    if arguments.seed is not None:
        loaded = loaded.with_seed(whole("--seed", arguments.seed, -(2**63), 2**63 - 1))
    people = people_of(arguments)
    sessions = _sessions(arguments)
    new = sum(rehearse(loaded, arguments.teacher, count, sessions, people))
    done = f"{counted(new, 'simulated participant')} finished"
    before = f"; {count - new} had finished before" if new < count else ""
    say(f"{done}{before}; the logs are in {sessions}")
    return 0


def _sessions(arguments: argparse.Namespace) -> Path:
    """Simulated participants of the study in this folder stay apart from its people."""
    if arguments.sessions is None and arguments.study is None and (folder := current_folder()):
        return folder.path / REHEARSAL
    return session_folder(arguments)
