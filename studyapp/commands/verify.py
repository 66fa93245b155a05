"""``studyapp verify``: check that every question in a log follows from its study, seed and answers."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from core.errors import FileError
from core.files import ordinary
from studyapp.base.parallel import in_order
from studyapp.base.terminal import report, say
from studyapp.commands.arguments import Commands, add_words, session_folders
from studyapp.office.conduct import record_verdicts
from studyapp.office.standing import standing_of
from studyapp.session import receipts
from studyapp.session.saved import check_words, find_logs, load_study, open_session
from studyapp.session.verdict import Result
from studyapp.session.verification import verify
from studyapp.tables.answer_table import AnswerTable, OtherStudyError, read
from studyapp.tables.importing import source_difference


def register(commands: Commands[argparse.ArgumentParser]) -> None:
    parser = commands.add_parser(
        "verify",
        help="replay logs and check every question",
        description="Replay sessions from their answers and compare the plan, every question, the learner's "
        "state, rewards and counts with the log; durations must be possible. Imported sessions are replayed "
        "if the import named their study. The exit code is 0 if all logs pass, 1 if a log was changed or "
        "differs from its replay, its source table or its receipt, and 2 if a log can't be read. The "
        "study's log keeps the verdicts on the sessions of a study folder.",
    )
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="*",
        type=Path,
        help="a log, a folder of logs, or a study folder (default: the sessions of the study in this folder)",
    )
    parser.add_argument(
        "--source",
        metavar="CSV",
        type=Path,
        help="the table that the imported logs come from: every answer and reward must be as it is there",
    )
    parser.add_argument(
        "--receipts",
        metavar="FILE",
        type=Path,
        help="receipts that were noted when sessions finished, a participant and a receipt on each line",
    )
    add_words(parser)
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    blind = _is_blind(arguments.logs)
    logs = find_logs(session_folders(arguments.logs))
    check_words(arguments.words)
    noted = None if arguments.receipts is None else receipts.read(arguments.receipts)
    source = None if arguments.source is None else _Source(arguments.source, arguments.words)
    results, replayed = [], []
    for result in in_order(partial(verify, words=arguments.words, blind=blind), logs, "replaying", few=1):
        if source is not None:
            result = source.compared(result)
        replayed.append(result)
        if noted is not None:
            result = receipts.compared(result, noted)
        results.append(result)
        if not arguments.json:
            _print(result)
    missing = [] if noted is None else receipts.without_log(noted, results)
    if arguments.json:
        say(*json.dumps([result.as_mapping() for result in (*results, *missing)], indent=1).split("\n"))
    else:
        for result in missing:
            _print(result)
        if len(logs) > 1:
            passed = sum(result.code == 0 for result in results)
            say(f"{passed} of {len(logs)} logs passed")
        if noted is not None:
            matching = sum(receipts.matches(result, noted) for result in results)
            say(f"{arguments.receipts}: matching receipts: {matching} of {len(noted)}")
    _record(replayed)
    codes = [result.code for result in (*results, *missing)]
    return 1 if 1 in codes else max(codes)


def _is_blind(places: Sequence[Path]) -> bool:
    """Must no model be named?  If the study's log can't be read, better not."""
    try:
        return standing_of(places).blind
    except FileError:
        return True


def _record(results: Sequence[Result]) -> None:
    """Write the verdicts down.  They are the result; where they can't be written, they are still true."""
    try:
        record_verdicts(results)
    except FileError as error:
        report(f"studyapp: the verdicts were not written down: {error}")


class _Source:
    """The table that imported logs come from."""

    def __init__(self, path: Path, words: Path | None) -> None:
        with ordinary(path):  # better to report a wrong name before the replay
            pass
        self._path = path
        self._words = words
        self._tables: dict[tuple[str, ...], AnswerTable] = {}  # by words and models

    def compared(self, result: Result) -> Result:
        """The result, with what the table says about an imported log."""
        if result.verdict in ("changed", "unreadable", "other version", "deleted"):
            return result
        try:
            opened = open_session(result.path)
        except FileError:  # under another participant's name
            return result
        imported = opened.session.started.imported
        if imported is None:
            note = "not imported, so it was not compared with the table"
            return replace(result, notes=[*result.notes, note])
        loaded = load_study(opened, self._words)
        key, name = (loaded.vocabulary.sha256, *loaded.study.models), self._path.name
        try:
            if key not in self._tables:
                self._tables[key] = read(self._path, loaded)
            table = self._tables[key]
            difference = source_difference(opened, loaded, table)
        except OtherStudyError as error:
            difference = (
                f"{name} is not the table of this log: on {error.where}, it has a model or a word that the "
                "study of the log does not have"
            )
        if difference:
            message = f"different: {difference}"
            return replace(result, verdict="different", message=message, not_rederived=difference)
        notes = [f"the answers are as they were imported: they were compared with {name}"]
        if table.sha256 != imported.sha256:
            notes.append(f"{name} has changed since the import, but not in this participant's rows")
        return replace(result, notes=[*notes, *result.notes])


def _print(result: Result) -> None:
    say(f"{result.path}: {result.message}")
    for note in result.notes:
        say(f"  {note}")
