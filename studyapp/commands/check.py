"""``studyapp check``: is a study file right, and what will a participant go through?

The expected duration scales the published study's: 75 minutes on average for 630 questions with a
pause of half a second (supplement G), hence 6.6 seconds of reading, thinking and typing a question.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations

from core.settings import Settings
from studyapp.base import documents
from studyapp.commands.arguments import Commands
from studyapp.session.ids import check_id
from studyapp.session.session import AskItem, AskWord, Rest, course
from studyapp.study import plan
from studyapp.study.studies import DEFAULT
from studyapp.study.study import LoadedStudy, Study, load
from studyapp.study.texts import Texts

__all__ = ["register"]

SECONDS_A_QUESTION = 75 * 60 / 630 - 0.5
SECONDS_AN_ITEM = 8.0  # of a questionnaire; a guess


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check",
        help="check a study file and show its plan",
        description="Check a study file and show what a participant goes through. It tells which "
        "model asks in which round, so it is not for participants' eyes.",
    )
    parser.add_argument(
        "study", metavar="FILE", nargs="?", default=DEFAULT, help=f"a study file or name (default: {DEFAULT})"
    )
    parser.add_argument(
        "--participant", metavar="ID", default="P01", help="whose plan to show (default: P01)"
    )
    parser.add_argument(
        "--texts", action="store_true", help="list the texts of all screens, ready to copy into a study file"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    participant = check_id(arguments.participant)
    loaded = load(arguments.study)
    if arguments.texts:
        print("\n".join(_texts(loaded.study)))
    else:
        print("\n".join(_told(loaded, participant)))
    return 0


def _texts(study: Study) -> list[str]:
    lines = ["texts:"]
    for name, text in study.texts:
        holes = "".join(f" {{{hole}}}" for hole in Texts.holes(name))
        lines.append(f"  {documents.flow({name: text})[1:-1]}" + (f"  # may use{holes}" if holes else ""))
    return lines


def _told(loaded: LoadedStudy, participant: str) -> list[str]:
    study, rounds = loaded.study, plan.make(loaded, participant)
    steps = list(course(study, rounds))
    asked = sum(isinstance(step, AskWord) for step in steps)
    items = sum(isinstance(step, AskItem) for step in steps)
    breaks = sum(isinstance(step, Rest) for step in steps)
    practice = sum(played.practice for played in rounds)
    minutes = _minutes(study, asked, items, breaks)
    return [
        f"{study.title} ({loaded.name}): no faults found.",
        "",
        f"The plan of {participant}:",
        "",
        *_table(
            ["round", "", "model", "target", "first question"],
            [
                [
                    str(played.round),
                    "practice" if played.practice else "",
                    played.model,
                    played.target,
                    played.first,
                ]
                for played in rounds
            ],
        ),
        "",
        f"words      {len(loaded.vocabulary.words)} ({study.words}), {len(loaded.targets)} of them targets",
        f"models     {', '.join(f'{name} ({study.settings(name, 0).teacher})' for name in study.models)}",
        f"rounds     {len(rounds) - practice}, and {practice} of practice",
        f"questions  {asked} ({study.questions} a round)"
        + (f", and {items} in questionnaires" if items else ""),
        f"breaks     {breaks}",
        f"duration   about {minutes:.0f} minutes, at the pace of the published study",
        *(f"note       {note}" for note in _notes(loaded)),
    ]


def _notes(loaded: LoadedStudy) -> Iterator[str]:
    """What is allowed, and yet may not be meant."""
    study = loaded.study
    settings = {name: study.settings(name, seed=0) for name in study.models}
    for name, other in combinations(settings, 2):
        if settings[name] == settings[other]:
            yield f"models {name!r} and {other!r} have the same settings"
    for name in study.questionnaires:
        if name not in study.after_round + study.at_end:
            yield f"the questionnaire {name!r} is never asked (after_round, at_end)"
    if not study.answers.confirm and study.pace.pause < study.pace.hold:
        yield (
            f"the same key again within {study.pace.hold:g} s does not count (pace.hold), and questions come "
            f"after {study.pace.pause:g} s: repeated answers take longer than changed ones"
        )
    slowest = max(_seconds_a_question(loaded, each) for each in settings.values())
    if slowest > study.pace.pause / 2:
        yield (
            f"a question may take {slowest:.2g} s to work out here, and the pause is {study.pace.pause:g} s: "
            "participants could feel which model asks; set pace.pause to more than twice as long"
        )


def _seconds_a_question(loaded: LoadedStudy, settings: Settings) -> float:
    """How long it takes to work out the last question of a round, on this machine."""
    from core import Learner

    learner = Learner(loaded.features, **asdict(settings))
    before = max(0, min(loaded.study.questions, 30) - 2)
    state = learner.condition([(i % len(loaded.features), i % 2) for i in range(before)])
    learner.tell_both(state)  # the first time takes longer
    began = time.perf_counter()
    learner.tell_both(state)
    return time.perf_counter() - began


def _minutes(study: Study, asked: int, items: int, breaks: int) -> float:
    seconds = asked * (SECONDS_A_QUESTION + study.pace.pause) + items * SECONDS_AN_ITEM
    if study.breaks:
        seconds += breaks * study.breaks.seconds
    return seconds / 60


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
