"""Sessions killed in the middle of writing, at every boundary of every write.

    python tests/boundaries.py FOLDER [--first EVENT | --damage NAME]

A simulated participant takes part in a small study and is killed by SIGKILL before the nth write to a file
of the session, after half of its bytes, after all of them, or after they were forced to disk, for every n.
The session is then resumed and finished.  Its questions and answers must be those of an undisturbed session.
If a torn tail was left, its recovery is first killed at each of its own boundaries too.  ``--first answer``
tries only the boundaries of the first answer.

With ``--damage``, another program first changes the log in the middle of the session (see ``meddling``), and
the session is killed at every boundary of writing it again.  Until the new file is in its place, the log is
what that program made of it, and may be refused; from then on, nothing is lost.

Prints the number of deaths; the exit code is 1 at a difference.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]  # it may be run from anywhere

import meddling
from lives import story
from small_study import STUDY
from terminal import preload

from studyapp.base import documents
from studyapp.session.events import Event, Rewritten
from studyapp.session.log import Log, read

SMALL = STUDY | {"targets": ["tea"], "practice": [], "questions": 3}
TEACHER = "random"


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


class Fate:
    """Counts the boundaries that a process passes, and kills it at the nth.

    With ``first``, only the boundaries of the first event of this name count.
    """

    def __init__(self, deadline: int, first: str | None = None) -> None:
        self._left = deadline
        self._mark = f'"event": "{first}"'.encode() if first else b""
        self._counts = not first
        self._seen = False
        self._write, self._fsync, self._ftruncate = os.write, os.fsync, os.ftruncate
        os.write, os.fsync, os.ftruncate = self.write, self.fsync, self.ftruncate  # type: ignore[assignment]
        for name in ("link", "rename", "replace", "unlink"):
            setattr(os, name, self._around(getattr(os, name)))

    def _pass(self) -> bool:
        self._left -= self._counts
        return self._counts and self._left == 0

    def _around(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Two more boundaries: before a call, and after it."""

        def passing(*arguments: Any, **options: Any) -> Any:
            if self._pass():
                die()
            result = call(*arguments, **options)
            if self._pass():
                die()
            return result

        return passing

    def write(self, file: int, data: bytes) -> int:
        if file <= 2:
            return self._write(file, data)
        if self._mark:
            self._counts = self._mark in bytes(data) and not self._seen
            self._seen |= self._counts
        if self._pass():
            die()
        if self._pass():
            self._write(file, bytes(data)[: len(data) // 2])
            die()
        written = self._write(file, data)
        if self._pass():
            die()
        return written

    def fsync(self, file: int) -> None:
        self._fsync(file)
        if self._pass():
            die()

    def ftruncate(self, file: int, size: int) -> None:
        self._ftruncate(file, size)
        if self._pass():
            die()


def change_once(damage: Callable[[Path], None], deadline: int) -> None:
    """Let another program change the log before the third answer, and count the boundaries from then on."""
    append, answers = Log.append, []

    def changed(log: Log, event: Event) -> None:
        answers.extend([event] if event.event == "answer" else [])
        if event.event == "answer" and len(answers) == 3:
            damage(log.path)
            Fate(deadline)
        append(log, event)

    Log.append = changed  # type: ignore[method-assign]


def attend(
    study: Path,
    sessions: Path,
    deadline: int = 0,
    first: str | None = None,
    damage: Callable[[Path], None] | None = None,
    refused: tuple[int, ...] = (),
) -> bool:
    """Run the session; False if the process was killed, or if it was refused and that may be."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            if damage:
                change_once(damage, deadline)
            elif deadline:
                Fate(deadline, first)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            if refused:
                os.dup2(1, 2)
            from studyapp.cli import main

            code = main(
                [
                    "rehearse",
                    "--study",
                    str(study),
                    "--teacher",
                    TEACHER,
                    "--participants",
                    "1",
                    "--sessions",
                    str(sessions),
                ]
            )
        finally:
            os._exit(code)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, -signal.SIGKILL, *refused):
        raise SystemExit(f"a session ended with {code}")
    return code == 0


def rewriting(folder: Path, study: Path, damage: Callable[[Path], None]) -> int:
    """Kill a session at every boundary of writing its log again."""
    name = f"{TEACHER}-001.yaml"
    whole = story(folder / "whole" / name)
    deadline, refusals, rewritten, finished = 0, 0, False, False
    while not finished:
        deadline += 1
        log = folder / f"at-{deadline}" / "sessions" / name
        finished = attend(study, log.parent, deadline, damage=damage)
        found = log.read_bytes() if log.is_file() else None
        resumed = finished or attend(study, log.parent, refused=() if rewritten else (2,))
        if not resumed:
            refusals += 1
            if log.is_file() and log.read_bytes() != found:
                print(f"killed at boundary {deadline}: a refused log was changed")
                return 1
            continue
        if story(log) != whole:
            print(f"killed at boundary {deadline}: the questions and answers differ")
            return 1
        # Once it has been written again, no later death may undo that.
        now = any(isinstance(event, Rewritten) for event in read(log).events)
        if rewritten and not now:
            print(f"killed at boundary {deadline}: the log was written again before, and now it was not")
            return 1
        rewritten = now
    print(f"{deadline - 1} deaths, {refusals} refusals; always the same answers")
    return 0 if rewritten else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", metavar="EVENT", help="only the boundaries of the first such event")
    parser.add_argument("--damage", metavar="NAME", help="what another program does to the log")
    arguments = parser.parse_args()
    preload()
    folder: Path = arguments.folder
    study = folder / "study.yaml"
    study.write_text(documents.block(SMALL))
    name = f"{TEACHER}-001.yaml"
    attend(study, folder / "whole")
    if arguments.damage:
        return rewriting(folder, study, getattr(meddling, arguments.damage))
    whole = story(folder / "whole" / name)
    deaths = torn = deadline = 0
    finished = False
    while not finished:
        deadline += 1
        log = folder / f"at-{deadline}" / name
        finished = attend(study, log.parent, deadline, arguments.first)
        deaths += not finished
        if not finished and log.exists() and read(log).torn:
            torn += 1
            for recovery in range(1, 9):
                deaths += not attend(study, log.parent, recovery)
        attend(study, log.parent)
        if story(log) != whole:
            print(f"killed at boundary {deadline}: the questions and answers differ")
            return 1
    print(f"{deaths} deaths at {deadline - 1} boundaries, {torn} torn tails; always the same answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
