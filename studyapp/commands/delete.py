"""``studyapp delete``: delete a participant's answers on request."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from core.errors import StudyappError
from core.wording import counted
from studyapp.base.terminal import ask, is_interactive, report, say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.conduct import Conduct, check_known, read_conduct
from studyapp.office.deletion import Deletion, about_copies, delete
from studyapp.study.folder import STUDY_LOG, StudyFolder


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "delete",
        help="delete a participant's answers, on request",
        description="Delete all answers of a participant who asks for it, even after the session has ended. "
        "The log keeps its head and says that the answers were deleted, so nobody else gets the same ID. "
        "This can't be undone. It also lists the backups, exports and analyses that still have the answers.",
    )
    parser.add_argument("participant", metavar="ID", help="the participant")
    parser.add_argument("--reason", metavar="TEXT", help="why, for the study's log")
    parser.add_argument("--yes", action="store_true", help="don't ask for confirmation")
    add_in(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    folder, participant = study_folder(arguments), arguments.participant
    check_known(participant, folder, read_conduct(folder.log))
    if not arguments.yes and not _is_confirmed(participant):
        report(f"studyapp: nothing was deleted: the ID that was typed is not {participant}")
        return 1
    deletion = delete(folder, participant, arguments.reason)
    say(_outcome(participant, deletion))
    say(*_what_stays(participant, folder, read_conduct(folder.log)))
    return 0


def _is_confirmed(participant: str) -> bool:
    if not is_interactive():
        raise StudyappError(f"to delete the answers of {participant} without being asked, add --yes")
    return ask(f"To delete all answers of {participant} for good, type {participant}:") == participant


def _outcome(participant: str, deletion: Deletion) -> str:
    if deletion.before is not None:
        return f"The answers of {participant} were already deleted on {deletion.before}."
    what = "all answers" if deletion.answers is None else counted(deletion.answers, "answer")
    if not deletion.tombstone:
        return f"Deleted {what} of {participant}: {deletion.path} could not be read, and was removed."
    return f"Deleted {what} of {participant}. {deletion.path} keeps only its first event, and says so."


def _what_stays(participant: str, folder: StudyFolder, conduct: Conduct) -> Iterator[str]:
    yield from about_copies(participant, conduct)
    if notes := len(conduct.notes.get(participant, [])):
        noted = counted(notes, "note")
        yield f"{noted} about {participant} {'stays' if notes == 1 else 'stay'} in {folder.path / STUDY_LOG}."
    yield "If there is a copy of this folder on another machine, delete them there too."
