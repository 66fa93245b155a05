"""``studyapp backup``: one file with everything that belongs to a study."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.wording import counted
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.backup import BACKUPS, back_up

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "backup",
        help="back a study up in one file",
        description="Back a study up: one ZIP file with the study file, its words, the study's log and all "
        "sessions, with the SHA-256 of every file. Sessions may go on meanwhile. The file is read back "
        "before it counts. To restore a study, unpack it; to restore logs, use studyapp merge.",
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help=f"folder for the file (default: {BACKUPS} in the study folder)",
    )
    add_in(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    folder = study_folder(arguments)
    backup = back_up(folder, arguments.out)
    people = counted(len(backup.participants), "participant")
    say(f"Backed up {people} ({counted(backup.files, 'file')}, {backup.size / 1e6:.1f} MB): {backup.path}")
    for what in backup.left_out:
        report(f"studyapp: not in the backup, because it is outside the study folder: {what}")
    if arguments.out is None:
        say("Copy it to another disk: this one is on the disk of the study.")
    return 0
