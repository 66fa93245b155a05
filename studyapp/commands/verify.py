"""``studyapp verify``: was every question of a log asked as its study, seed and answers have it?"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from studyapp.base.documents import printable
from studyapp.base.parallel import in_order
from studyapp.commands.arguments import Commands, add_words
from studyapp.session.replay import verify
from studyapp.session.saved import check_words, find_logs

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="replay logs and compare every question",
        description="Replay sessions from their answers, and compare every question, the learner's state "
        "behind it, the plan, rewards, times and counts with the log. Ends with 1 where something differs.",
    )
    parser.add_argument("logs", metavar="LOG", nargs="+", type=Path, help="a log, or a folder of logs")
    add_words(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    logs = find_logs(arguments.logs)
    check_words(arguments.words)
    check = partial(verify, words=arguments.words)
    codes = []
    for verdict in in_order(check, logs, "replaying", few=1):
        codes.append(verdict.code)
        print(f"{printable(str(verdict.path))}: {printable(verdict.told)}")
        for note in verdict.notes:
            print(f"  {printable(note)}")
    if len(logs) > 1:
        print(f"{codes.count(0)} of {len(logs)} logs are as they should be")
    return 1 if 1 in codes else max(codes)
