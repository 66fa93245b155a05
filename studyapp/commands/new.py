"""``studyapp new``: a study folder to own."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands
from studyapp.office.new_folder import README, SCHEMA_FILE, make_study_folder
from studyapp.study.folder import SESSIONS, STUDY_FILE, STUDY_LOG
from studyapp.study.loading import bundled
from studyapp.study.studies import DEFAULT

CONTENTS = {
    STUDY_FILE: "the study, for you to change",
    SCHEMA_FILE: "explains its settings to editors",
    STUDY_LOG: "what you decide: notes, exclusions, deletions",
    SESSIONS: "the logs of participants",
    README: "what to do, from the first check to the report",
}


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "new",
        help="make a study folder of your own",
        description="Make a study folder of your own: a study file with comments and a seed of its own, a "
        "place for sessions, and a page on what to do. In such a folder, every command knows its study and "
        "its sessions.",
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="the folder to make")
    parser.add_argument(
        "--from",
        dest="study",
        metavar="NAME",
        choices=sorted(bundled()),
        default=DEFAULT,
        help=f"the bundled study to begin with: {', '.join(sorted(bundled()))} (default: {DEFAULT})",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    folder: Path = arguments.folder
    make_study_folder(folder, arguments.study)
    say(f"{folder} is a study folder now, made from {arguments.study}:")
    width = max(map(len, CONTENTS))
    say(*(f"  {name:<{width}}  {what}" for name, what in CONTENTS.items()))
    say("Next:")
    steps = {
        f"cd {shlex.quote(str(folder))}": "",
        "studyapp check": "after you have changed the study",
        "studyapp rehearse --participants 4": "simulated participants",
        "studyapp": "the office: participants, and what to do next",
    }
    width = max(map(len, steps))
    say(*(f"  {step:<{width}}  {what}".rstrip() for step, what in steps.items()))
    return 0
