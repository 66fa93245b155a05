"""``studyapp note``: a note about a participant, in the study's log."""

from __future__ import annotations

import argparse

from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.conduct import check_known, read_conduct, record
from studyapp.office.events import Noted


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "note",
        help="write a note about a participant, or list the notes",
        description="Write a note about a participant in the study's log; nothing is added to the "
        "participant's own. Without a text, list the notes. A note can't be removed.",
    )
    parser.add_argument("participant", metavar="ID", help="the participant")
    parser.add_argument("text", metavar="TEXT", nargs="*", help="the note")
    add_in(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    folder, participant, text = study_folder(arguments), arguments.participant, " ".join(arguments.text)
    conduct = read_conduct(folder.log)
    check_known(participant, folder, conduct)
    if arguments.text:
        record(folder, Noted(participant, text))
        say(f"Note about {participant} saved: {text}")
        return 0
    notes = conduct.notes.get(participant, [])
    say(*(f"{note.at}  {note.user}@{note.host}  {note.text}" for note in notes))
    if not notes:
        say(f"There are no notes about {participant}.")
    return 0
