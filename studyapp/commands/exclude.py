"""``studyapp exclude``: leave a participant out of the analysis, for a reason, or undo that."""

from __future__ import annotations

import argparse

from core.errors import SettingError
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.conduct import Conduct, check_known, read_conduct, record_decision
from studyapp.office.events import Excluded, Included, StudyEvent


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "exclude",
        help="exclude a participant from the analysis, or undo that",
        description="Exclude a participant from the analysis, or undo that. The log of the participant stays "
        "as it is: the study's log says who decided this, when and why, and whether the study had been "
        "unblinded by then. Decide it for reasons that have nothing to do with the results.",
    )
    parser.add_argument("participant", metavar="ID", help="the participant")
    parser.add_argument("--reason", metavar="TEXT", required=True, help="why; the report states it")
    parser.add_argument("--undo", action="store_true", help="include the participant again")
    add_in(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    folder, participant, reason = study_folder(arguments), arguments.participant, arguments.reason
    check_known(participant, folder, read_conduct(folder.log))

    def decision(conduct: Conduct) -> list[StudyEvent]:
        kind = Included if arguments.undo else Excluded
        if arguments.undo and participant not in conduct.excluded:
            raise SettingError(f"{participant} is not excluded, so there is nothing to undo")
        return [kind(participant, reason, unblinded=conduct.unblinded is not None)]

    event = next(
        event for event in record_decision(folder, decision) if isinstance(event, Excluded | Included)
    )
    done = "is included again" if arguments.undo else "is excluded from the analysis"
    say(f"{participant} {done}: {reason}")
    if event.unblinded:
        say("The study was already unblinded, and the report will say so.")
    return 0
