"""``studyapp unblind``: from now on, analyses and exports may name the models."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from core.errors import FileError, StudyappError
from core.wording import counted
from studyapp.base.clock import SystemClock
from studyapp.base.terminal import ask, is_interactive, report, say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.conduct import read_conduct, record
from studyapp.office.events import Unblinded
from studyapp.office.overview import may_return
from studyapp.office.status import Row, Status
from studyapp.study.folder import StudyFolder
from studyapp.study.loading import load
from studyapp.study.study import Study

WORD = "unblind"  # to type
NO_MAIN_SESSION = ("pilot", "simulated")


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "unblind",
        help="let analyses and exports name the models",
        description="End the blind part of a study: from now on, studyapp analyse, export and power name its "
        "models and compare them. The study's log keeps when this happened, why, and how many sessions were "
        "in, and every report says so. It can't be undone.",
    )
    parser.add_argument("--reason", metavar="TEXT", required=True, help="why now; the report states it")
    parser.add_argument("--yes", action="store_true", help="don't ask for confirmation")
    add_in(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    folder = study_folder(arguments)
    conduct = read_conduct(folder.log)
    if before := conduct.unblinded:
        say(f"The study was already unblinded on {before.at}, by {before.user}: {before.reason}")
        return 0
    if not folder.blind:
        raise FileError(folder.file, "blind is not true, so this study has no blind part to end")
    status = Status(folder.sessions)
    status.update()
    rows = [row for row in status.rows(conduct) if row.kind not in NO_MAIN_SESSION]
    finished = [row for row in rows if row.state == "finished"]
    unfinished = [row for row in rows if row.state == "unfinished"]
    study, now = load(str(folder.file)).study, SystemClock().now()
    coming = [row.participant for row in unfinished if may_return(row, study, now)]
    say(*_state(study, finished, unfinished, len(conduct.excluded)), *_warnings(folder, coming))
    if not arguments.yes and not _is_confirmed():
        report(f"studyapp: nothing was done: {WORD} was not typed")
        return 1
    record(folder, Unblinded(arguments.reason, len(finished), len(unfinished)))
    say("The study is unblinded. Its log has the reason, and every report will say so.")
    return 0


def _state(study: Study, finished: Sequence[Row], unfinished: Sequence[Row], excluded: int) -> Iterator[str]:
    planned = study.participants
    of = f" of {planned} planned" if planned is not None else ""
    yield f"{counted(len(finished), 'session')}{of} finished; {len(unfinished)} unfinished."
    yield f"{counted(excluded, 'participant')} excluded so far. Decide about the others before you go on."


def _warnings(folder: StudyFolder, coming: Sequence[str]) -> Iterator[str]:
    if folder.collecting:
        yield "Warning: the study is still collecting; whoever runs its sessions should not know the models."
    if coming:
        yield f"Warning: {', '.join(coming)} may still finish after this."


def _is_confirmed() -> bool:
    if not is_interactive():
        raise StudyappError("to unblind the study without being asked, add --yes")
    return ask(f"To unblind the study for good, type {WORD}:") == WORD
