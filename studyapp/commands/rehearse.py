"""``studyapp rehearse``: simulated participants go through a study, headless."""

from __future__ import annotations

import argparse

from core.checks import whole
from core.settings import SIMULATED as KINDS
from studyapp.commands.arguments import Commands, add_sessions, add_study
from studyapp.session.rehearsal import send
from studyapp.study.loading import load

__all__ = ["register"]


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "rehearse",
        help="send simulated participants through a study",
        description="Send simulated participants through a study. Their logs are marked as simulated.",
    )
    add_study(parser)
    parser.add_argument(
        "--teacher",
        choices=KINDS,
        default="person",
        help="how they answer: as the reward is (naive), to steer the learner (planning), at random, "
        "or as often yes as people in the paper (person, the default)",
    )
    parser.add_argument("--participants", type=int, default=10, metavar="N", help="how many (default: 10)")
    parser.add_argument("--seed", type=int, metavar="S", help="in place of the study's own")
    add_sessions(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    many = whole("--participants", arguments.participants, 1, 100_000)
    loaded = load(arguments.study)
    if arguments.seed is not None:
        loaded = loaded.with_seed(whole("--seed", arguments.seed, -(2**63), 2**63 - 1))
    done_before = many - sum(send(loaded, arguments.teacher, many, arguments.sessions))
    already = f", {done_before} of them before" if done_before else ""
    print(f"{many} simulated participants have finished{already}; their logs are in {arguments.sessions}")
    return 0
