"""``studyapp check``: is a study file valid, and what does a session of it look like?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from core.errors import SettingError
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands
from studyapp.screens.large_letters import is_large
from studyapp.session.ids import check_id
from studyapp.study import plan
from studyapp.study.expectation import expect
from studyapp.study.loading import load
from studyapp.study.schema import schema
from studyapp.study.studies import DEFAULT
from studyapp.study.study import LoadedStudy
from studyapp.study.warnings import warnings
from studyapp.study.wording import wording

__all__ = ["register"]

FIRST = "P01"  # whose plan is shown by default
PEOPLE = 20  # that --expect simulates


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "check",
        help="check a study file",
        description="Check a study file: list its faults with their lines, or show what a session consists "
        "of, with warnings about likely mistakes.",
    )
    parser.add_argument(
        "study",
        metavar="FILE",
        nargs="?",
        default=DEFAULT,
        help=f"a study file, or the name of a bundled study (default: {DEFAULT})",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="also show which model asks in which round; not for anyone who must stay blind",
    )
    parser.add_argument(
        "--expect",
        action="store_true",
        help=f"also say in one line what each model achieves with {PEOPLE} simulated people; takes a minute "
        "or more",
    )
    parser.add_argument(
        "--participant", metavar="ID", help=f"the participant whose plan --plan shows (default: {FIRST})"
    )
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--texts",
        action="store_true",
        help="print everything that participants read instead, ready to edit or translate in a study file",
    )
    instead.add_argument(
        "--schema",
        action="store_true",
        help="print the JSON Schema of study files instead, for editors: "
        "studyapp check --schema > study.schema.json",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.schema:
        say(*json.dumps(schema(), indent=2, ensure_ascii=False).split("\n"))
        return 0
    if arguments.participant is not None and not arguments.plan:
        raise SettingError("--participant names the participant whose plan is shown; add --plan")
    participant = check_id(FIRST if arguments.participant is None else arguments.participant)
    loaded = load(arguments.study)
    if arguments.texts:
        say(*wording(loaded.study).removesuffix("\n").split("\n"))
        return 0
    say(*_summary(loaded))
    if arguments.expect:
        say(_expectation(loaded))
    if arguments.plan:
        say("", f"The plan of {participant}:", "", *_plan(loaded, participant))
    return 0


def _summary(loaded: LoadedStudy) -> Iterator[str]:
    study, extent = loaded.study, loaded.extent
    yield f"{study.title} ({loaded.name}): no faults found."
    yield ""
    words, targets = len(loaded.vocabulary.words), len(loaded.targets)
    which = "all are targets" if words == targets else "{targets} {targets:target|targets}"
    yield f"words      {words} ({study.words}); {loaded.say(which, targets=targets)}"
    yield f"models     {', '.join(f'{name} ({study.settings(name, 0).teacher})' for name in study.models)}"
    yield f"rounds     {extent.rounds}, plus {extent.practice_rounds} practice rounds"
    in_questionnaires = f"; {extent.items} in questionnaires" if extent.items else ""
    yield f"questions  {extent.questions} ({study.questions} per round){in_questionnaires}"
    yield f"breaks     {extent.breaks}"
    minutes = loaded.say("{minutes} {minutes:minute|minutes}")
    yield f"duration   about {minutes}, at the pace of the published study"
    for warning in warnings(loaded, is_large):
        yield f"warning    {warning}"


def _expectation(loaded: LoadedStudy) -> str:
    """One line on what simulated people make of the study."""
    achieved = [
        f"{one.model} earns {one.reward:.1f} (± {one.error:.1f}) and finds {one.found:.0%} of the targets"
        for one in expect(loaded, PEOPLE)
    ]
    return f"expected   with {PEOPLE} simulated people: {'; '.join(achieved)}"


def _plan(loaded: LoadedStudy, participant: str) -> list[str]:
    return _table(
        ["round", "", "model", "target", "first question"],
        [
            [
                str(round_.round),
                "practice" if round_.practice else "",
                round_.model,
                round_.target,
                round_.first,
            ]
            for round_ in plan.make(loaded, participant)
        ],
    )


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
