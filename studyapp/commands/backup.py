"""``studyapp backup``: one file with everything that belongs to a study."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.wording import counted
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.backup import BACKUPS, back_up


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "backup",
        help="back a study up in one file",
        description="Back a study up: one ZIP file with the study file, its words, the study's log and all "
        "sessions, with the SHA-256 of every file. Sessions may go on meanwhile. The file is read back "
        "before it counts. To restore a study, unpack it. If the study's own log is damaged, it is backed up "
        "as it is, and the exit code is 1.",
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
    size = f"{backup.size / 1e6:.1f} MB" if backup.size >= 1e6 else f"{backup.size / 1e3:.0f} kB"
    say(f"Backed up {people} ({counted(backup.files, 'file')}, {size}): {backup.path}")
    for what in backup.left_out:
        report(f"studyapp: not in the backup, because it is outside the study folder: {what}")
    if arguments.out is None:
        say("Copy it to another disk: it is on the same disk as the study.")
    if backup.damage is not None:
        report("studyapp: the study's log is in the backup as it is, damaged:", f"  {backup.damage}")
    return 0 if backup.damage is None else 1
