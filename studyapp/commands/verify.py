"""``studyapp verify``: check that every question in a log follows from its study, seed and answers."""

from __future__ import annotations

import argparse
import json
from functools import partial
from pathlib import Path

from studyapp.base.parallel import in_order
from studyapp.base.terminal import say
from studyapp.commands.arguments import Commands, add_words
from studyapp.session.replay import verify
from studyapp.session.saved import check_words, find_logs
from studyapp.session.verdict import Result

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="replay logs and check every question",
        description="Replay sessions from their answers and compare the plan, every question, the learner's "
        "state, rewards and counts with the log; durations must be possible. The exit code is 0 if all logs "
        "pass, 1 if a log was changed or differs from its replay, and 2 if a log can't be read.",
    )
    parser.add_argument("logs", metavar="LOG", nargs="+", type=Path, help="a log, or a folder of logs")
    add_words(parser)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    logs = find_logs(arguments.logs)
    check_words(arguments.words)
    results = []
    for result in in_order(partial(verify, words=arguments.words), logs, "replaying", few=1):
        results.append(result)
        if not arguments.json:
            _print(result)
    codes = [result.code for result in results]
    if arguments.json:
        say(*json.dumps([result.as_mapping() for result in results], indent=1).split("\n"))
    elif len(logs) > 1:
        say(f"{codes.count(0)} of {len(logs)} logs passed")
    return 1 if 1 in codes else max(codes)


def _print(result: Result) -> None:
    say(f"{result.path}: {result.message}")
    for note in result.notes:
        say(f"  {note}")
