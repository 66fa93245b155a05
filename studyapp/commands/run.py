"""``studyapp run``: a participant's session, in this terminal."""

from __future__ import annotations

import argparse
import sys
import traceback
from pathlib import Path

from core.errors import StudyappError
from core.files import explained
from studyapp.base.clock import SystemClock, iso
from studyapp.commands.arguments import Commands, add_sessions, add_study
from studyapp.screens.app import StudyApp
from studyapp.session.sitting import Sitting
from studyapp.study.loading import load

__all__ = ["register"]

FAULT = (
    "studyapp: a fault in studyapp itself has ended the session. All answers are saved; "
    "start again with the same ID.\n"
    "What happened is told in {report}; please report it."
)


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="run a participant's session (start here)",
        description="Run a participant's session in this terminal, or go on with one that was left.",
    )
    add_study(parser)
    parser.add_argument(
        "--participant", metavar="ID", help="who takes part (asked for on the first page if not given)"
    )
    add_sessions(parser)
    parser.add_argument(
        "--pilot", action="store_true", help="show the learner's belief beside the round; the log says so"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise StudyappError("a session needs a terminal to run in; simulated ones (studyapp rehearse) do not")
    loaded = load(arguments.study)
    sitting = None
    if arguments.participant is not None:
        sitting = Sitting(loaded, arguments.participant, arguments.sessions, pilot=arguments.pilot)
    app = StudyApp(loaded, arguments.sessions, sitting, pilot=arguments.pilot)
    try:
        code = app.run(mouse=False)
    finally:
        if app.sitting is not None:
            app.sitting.close()
    if app.error is not None:
        raise app.error
    if app.fault is not None:
        print(FAULT.format(report=_report(app.fault, arguments.sessions)), file=sys.stderr)
        return 1
    return app.return_code if code is None and app.return_code else code or 0


def _report(fault: Exception, folder: Path) -> Path:
    """Write down what a fault was, for those who can mend it."""
    report = folder / f"fault-{iso(SystemClock().now()).replace(':', '')}.txt"
    with explained(report):
        report.write_text("".join(traceback.format_exception(fault)), encoding="utf-8")
    return report
