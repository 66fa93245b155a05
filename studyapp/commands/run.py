"""``studyapp run``: a participant's session, in this terminal."""

from __future__ import annotations

import argparse
import traceback
from pathlib import Path

from core.errors import StudyappError
from core.wording import counted, visible_lines
from studyapp.base.clock import SystemClock, iso
from studyapp.base.outputs import write_text
from studyapp.base.terminal import is_interactive, report, say
from studyapp.commands.arguments import Commands, add_sessions, add_study
from studyapp.screens.app import StudyApp
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loading import load

__all__ = ["register"]

FAULT = (
    "studyapp: an error in studyapp ended the session. All answers are saved. "
    "Start again with the same ID to continue."
)

CHANGED = (
    "studyapp: another program changed {log} during the session ({times}). No answer is lost: studyapp wrote "
    "the log again."
)
KEEP_AWAY = "Keep editors, backups and synchronisation away from this folder."


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "run",
        help="run a participant's session (start here)",
        description="Run a participant's session in this terminal, or resume an unfinished one.",
    )
    add_study(parser)
    parser.add_argument(
        "--participant", metavar="ID", help="the participant's ID (if left out, the first page asks for it)"
    )
    add_sessions(parser)
    parser.add_argument(
        "--pilot",
        action="store_true",
        help="show the learner's belief beside the round; the log is marked as a pilot",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if not is_interactive():
        raise StudyappError("a session needs a terminal (studyapp rehearse simulates sessions without one)")
    loaded = load(arguments.study)
    sitting = None
    if arguments.participant is not None:
        participant = Participant(arguments.participant, pilot=arguments.pilot)
        sitting = Sitting.open(loaded, participant, arguments.sessions)
    app = StudyApp(loaded, arguments.sessions, sitting, pilot=arguments.pilot)
    try:
        code = app.run(mouse=False)
    finally:
        if app.sitting is not None:
            app.sitting.close()
            _say_receipt(app.sitting)
            _report_rewriting(app.sitting)
    if app.error is not None:
        raise app.error
    if app.fault is not None:
        report(FAULT, f"The details are in {_report(app.fault, arguments.sessions)}; please report them.")
        return 1
    return app.return_code if code is None and app.return_code else code or 0


def _say_receipt(sitting: Sitting) -> None:
    """Leave the receipt of a finished session in the terminal, for the experimenter to note."""
    if sitting.receipt is not None:
        participant = sitting.session.started.participant
        say(f"{participant} finished. Receipt: {sitting.receipt} (please write both down)")


def _report_rewriting(sitting: Sitting) -> None:
    """Tell the experimenter, once the participant is done, that another program changed the log."""
    if sitting.rewritten:
        kept = [event.kept_in for event in sitting.rewritten if event.kept_in]
        found = [f"What was found is kept beside it: {', '.join(kept)}"] if kept else []
        times = counted(len(sitting.rewritten), "time")
        report(CHANGED.format(log=sitting.path, times=times), KEEP_AWAY, *found)


def _report(fault: BaseException, folder: Path) -> Path:
    """Write the traceback to a file for a bug report; only its owner may read it: it may name a model."""
    path = folder / f"fault-{iso(SystemClock().now()).replace(':', '')}.txt"
    write_text(path, visible_lines("".join(traceback.format_exception(fault))))
    return path
