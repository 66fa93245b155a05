"""``studyapp run``: a participant's session, in this terminal."""

from __future__ import annotations

import argparse
import traceback
from pathlib import Path

from core.errors import FileError, StudyappError
from core.wording import counted, visible_lines
from studyapp.base.clock import SystemClock, iso
from studyapp.base.outputs import write_text
from studyapp.base.terminal import confirmed, is_interactive, report, say
from studyapp.commands.arguments import Commands, add_sessions, add_study, session_folder, study_of
from studyapp.office.conduct import record_study
from studyapp.screens.app import StudyApp
from studyapp.session.place import closing_line
from studyapp.session.sitting import Sitting
from studyapp.study.folder import STUDY_FILE, StudyFolder, current_folder
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

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
    loaded, sessions = load(study_of(arguments)), session_folder(arguments)
    problem: FileError | None = None
    if arguments.study is None:
        if folder := current_folder():
            problem = _note_study(folder)
        elif not _is_wanted(loaded, sessions):
            say("Nothing was started.")
            return 0
    app = StudyApp(loaded, sessions, arguments.participant, pilot=arguments.pilot)
    try:
        code = app.run()
    finally:
        if app.sitting is not None:
            app.sitting.close()
            say(closing_line(app.sitting.session, app.sitting.receipt, _options(arguments)))
            _report_rewriting(app.sitting)
        if problem is not None:
            report(f"studyapp: {problem}")
    if app.error is not None:
        raise app.error
    if app.fault is not None:
        report(FAULT, f"The details are in {_report(app.fault, sessions)}; please report them.")
        return 1
    if app.sitting is None and arguments.participant is not None:
        who, chosen = arguments.participant, loaded.say(loaded.study.texts.who_no)
        said = f"The participant chose “{chosen}” for {who}" if app.not_me else f"{who} was not confirmed"
        say(f"{said}; nothing was written.")
    return app.return_code if code is None and app.return_code else code or 0


def _note_study(folder: StudyFolder) -> FileError | None:
    """Note in the study's log if the study file has changed.  If that fails, no participant has to wait."""
    try:
        record_study(folder)
    except FileError as error:
        return error
    return None


def _is_wanted(loaded: LoadedStudy, sessions: Path) -> bool:
    """Nobody has named a study, and there is none in this folder: ask before the bundled one is started."""
    extent = loaded.extent
    rounds = f"{counted(extent.rounds, 'round')} of {counted(loaded.study.questions, 'question')}"
    say(
        f"There is no {STUDY_FILE} here. This would start the bundled study {loaded.name!r}:",
        f"  {loaded.study.title}",
        f"  {rounds}, about {counted(extent.minutes, 'minute')}",
        f"  logs in {sessions.absolute()}",
        "(--study FILE starts another one.)",
    )
    return confirmed("Start it?")


def _options(arguments: argparse.Namespace) -> list[str]:
    """The options with which the session is found again, and shown as it was."""
    given = {"--study": arguments.study, "--sessions": arguments.sessions}
    options = [part for name, value in given.items() if value is not None for part in (name, str(value))]
    return [*options, "--pilot"] if arguments.pilot else options


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
