"""``studyapp merge``: bring the sessions of two machines together, or restore them from a backup."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.wording import counted
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_in, study_folder
from studyapp.office.conduct import read_conduct
from studyapp.office.deletion import about_copies
from studyapp.office.merging import Merging, merge

__all__ = ["register"]

DOUBTFUL = (
    "the answers were deleted there, but from a log that could not be read; if the log here is of the same "
    "participant: studyapp delete {participant}"
)


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "merge",
        help="take in the sessions of another machine or a backup",
        description="Take in the sessions and events of other copies of the study: folders from other "
        "machines, or backups. A log that goes on there is taken; answers that were deleted there are "
        "deleted here, and the backups, exports and analyses that still have them are listed. Two different "
        "sessions under one ID are refused and named, and the exit code is 1. The other copies stay as they "
        "are.",
    )
    parser.add_argument(
        "copies", metavar="COPY", nargs="+", type=Path, help="a study folder, or a backup of one"
    )
    add_in(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    folder, code = study_folder(arguments), 0
    for place in arguments.copies:
        merging = merge(folder, place)
        say(f"{place}:", *(f"  {line}" for line in _lines(merging)))
        conduct = read_conduct(folder.log)
        for participant in sorted(merging.deleted):
            say(*about_copies(participant, conduct))
        for participant, reason in merging.refused.items():
            report(f"studyapp: {participant}: {reason}")
            code = 1
        for participant in merging.doubtful:
            report(f"studyapp: {participant}: {DOUBTFUL.format(participant=participant)}")
            code = 1
        for problem in merging.unregistered:
            report(f"studyapp: {problem}")
            code = 1
    return code


def _lines(merging: Merging) -> Iterator[str]:
    for what, participants in (
        ("new here", merging.new),
        ("went on there", merging.longer),
        ("damaged here, and restored", merging.mended),
        ("deleted there, and now here", merging.deleted),
        ("refused", list(merging.refused)),
    ):
        if participants:
            yield f"{what}: {_listed(participants)}"
    if merging.same:
        yield f"{counted(merging.same, 'session')} had nothing new"
    if merging.registrations:
        yield f"registration taken: {_listed(merging.registrations)}"
    yield f"{counted(merging.events, 'event')} added to the study's log"
    if merging.unblinded is not None:
        yield f"the study was unblinded there on {merging.unblinded.at}, and so it is here"
    if merging.other_settings:
        yield f"these settings differ, and stay as they are here: {', '.join(merging.other_settings)}"


def _listed(participants: Sequence[str]) -> str:
    return ", ".join(sorted(participants))
