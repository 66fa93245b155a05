"""``studyapp check``: is a study file valid, and what does a session of it look like?

Someone who runs a study checks its file too, and stays blind: the models and their order are only for those
who ask for them.  (A fault may name a model: whoever mends the file has it before them.)
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

from core.errors import SettingError
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, study_of
from studyapp.screens.text_layout import is_large
from studyapp.session.ids import check_id
from studyapp.study import ids, plan
from studyapp.study.folder import STUDY_FILE
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.plan import count_firsts, planned_ids
from studyapp.study.studies import DEFAULT
from studyapp.study.study import schema
from studyapp.study.warnings import warnings
from studyapp.study.wording import wording


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
        help=f"a study file, or the name of a bundled study (default: {STUDY_FILE} in this folder, or else "
        f"{DEFAULT})",
    )
    parser.add_argument(
        "--plan",
        action="store_true",
        help="also show which model asks in which round, and how often each comes first; not for anyone who "
        "must stay blind",
    )
    parser.add_argument(
        "--participant",
        metavar="ID",
        help="the participant whose plan --plan shows (default: the first by the study's ids, such as P01)",
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
    if arguments.participant is not None:
        check_id(arguments.participant)
    loaded = load(study_of(arguments))
    if arguments.texts:
        say(*wording(loaded.study).removesuffix("\n").split("\n"))
        return 0
    say(*_summary(loaded))
    if arguments.plan:
        participant = arguments.participant or ids.first_ids(loaded.study, 1)[0]
        say("", f"The plan of {participant}:", "", *_plan(loaded, participant))
        say("", *_design(loaded, participant))
    return 0


def _summary(loaded: LoadedStudy) -> Iterator[str]:
    study, extent = loaded.study, loaded.extent
    yield f"{study.title} ({loaded.name}): no faults found."
    yield ""
    words, targets = len(loaded.vocabulary.words), len(loaded.targets)
    which = "all are targets" if words == targets else "{targets} {targets:target|targets}"
    yield f"words      {words} ({study.words}); {loaded.say(which, targets=targets)}"
    yield f"models     {len(study.models)}"
    yield f"rounds     {extent.rounds}, plus {extent.practice_rounds} practice rounds"
    in_questionnaires = f"; {extent.items} in questionnaires" if extent.items else ""
    yield f"questions  {extent.questions} ({study.questions} per round){in_questionnaires}"
    yield f"breaks     {extent.breaks}"
    minutes = loaded.say("{minutes} {minutes:minute|minutes}")
    yield f"duration   about {minutes}, at the pace of the published study"
    for warning in warnings(loaded, is_large):
        yield f"warning    {warning}"


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


def _design(loaded: LoadedStudy, participant: str) -> Iterator[str]:
    """How often each model comes first: for a participant, and for each target over the planned ones."""
    own = count_firsts(loaded, [participant])
    yield f"How often each model is the first with a target, for {participant}:"
    yield ""
    yield from _table(own.models, [[str(count) for count in own.in_all()]])
    planned = planned_ids(loaded)
    firsts = count_firsts(loaded, planned)
    yield ""
    yield f"For {_listed(planned)}:"
    yield ""
    rows = [(target, firsts.with_target(target)) for target in firsts.targets]
    yield from _table(
        ["target", *firsts.models],
        [[name, *map(str, counts)] for name, counts in [*rows, ("(all)", firsts.in_all())]],
    )
    yield ""
    yield "How often a model is first, at least and at most:"
    yield ""
    orders = {
        order: firsts if order == loaded.study.order_of_models else count_firsts(loaded, planned, order)
        for order in ("random", "balanced")
    }
    yield from _table(
        ["order_of_models", "for a participant", "with a target"],
        [
            [
                f"{order} (this study)" if found is firsts else order,
                _from_to(*found.per_participant()),
                _from_to(*found.per_target()),
            ]
            for order, found in orders.items()
        ],
    )


def _from_to(least: int, most: int) -> str:
    return str(most) if least == most else f"{least} to {most}"


def _listed(participants: list[str]) -> str:
    if len(participants) == 1:
        return participants[0]
    return f"the {len(participants)} participants {participants[0]} to {participants[-1]}"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
