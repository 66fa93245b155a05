"""A command of studyapp, run from the office: its output as it comes, in a screen of its own.

The office does nothing that a command could not do: it runs the commands, so that both say and do the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import RichLog

from core.wording import visible
from studyapp.screens.widgets import Line

CODES = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]")  # colours and cursor moves
WIDTH = 96  # columns that a command may use
MOST_LINES = 2000  # of output that are kept
PATIENCE = 5.0  # seconds for a command to stop

OUTCOMES = {0: "Done.", 1: "Done. Please read the messages above.", 2: "There was an error: see above."}
STOPPED = (130, -signal.SIGINT)


def command_line(arguments: Sequence[str]) -> list[str]:
    """The command as a process of its own, with the studyapp that runs now."""
    return [sys.executable, "-m", "studyapp.cli", *arguments]


@dataclass(frozen=True)
class Task:
    """A command to run."""

    title: str
    arguments: Sequence[str]
    brief: bool = False  # if it says only one line, is that enough in the office itself?


@dataclass(frozen=True)
class TaskResult:
    """How a command ended."""

    code: int
    line: str  # all that it said, if the office is to show that; otherwise it has been read


class TaskScreen(ModalScreen[TaskResult]):
    """Runs a command and shows what it says.

    A brief command that succeeds with a single line closes its screen itself.  Whatever says more stays until
    it was read: the copies that still hold deleted answers, for instance.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter,q", "close", "Close")]

    def __init__(self, task: Task, folder: Path) -> None:
        super().__init__()
        self._command = task
        self._folder = folder
        self._process: asyncio.subprocess.Process | None = None
        self._said: list[str] = []  # up to two lines, enough to tell whether there is more than one
        self.result: TaskResult | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="task"):
            yield Line(self._command.title, classes="dialog-title")
            yield RichLog(
                id="output", wrap=True, markup=False, highlight=False, max_lines=MOST_LINES, min_width=1
            )
            yield Line("Running ... (Esc stops it)", id="task-state")

    def on_mount(self) -> None:
        self.query_one(RichLog).focus()
        self.run_worker(self._run())

    async def _run(self) -> None:
        environment = os.environ | {"COLUMNS": str(min(WIDTH, self.size.width - 8)), "NO_COLOR": "1"}
        self._process = await asyncio.create_subprocess_exec(
            *command_line(self._command.arguments),
            cwd=self._folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert self._process.stdout is not None
        output = self.query_one(RichLog)
        async for line in _lines(self._process.stdout):
            output.write(line)
            if line and len(self._said) < 2:
                self._said.append(line)
        code = await self._process.wait()
        if self._command.brief and code == 0 and len(self._said) == 1:
            self.dismiss(TaskResult(code, self._said[0]))
            return
        self.result = TaskResult(code, "")
        outcome = "Stopped." if code in STOPPED else OUTCOMES.get(code, "It failed: see above.")
        self.query_one("#task-state", Line).update(f"{outcome}   Esc: back to the office")

    def action_close(self) -> None:
        if self.result is not None:
            self.dismiss(self.result)
        else:
            self._stop()

    def _stop(self) -> None:
        """What Ctrl+C would do."""
        if self._process is not None and self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)

    async def on_unmount(self) -> None:
        """A command must not outlive the office that shows it."""
        if self._process is not None and self._process.returncode is None:
            self._stop()
            try:
                await asyncio.wait_for(self._process.wait(), PATIENCE)
            except TimeoutError:
                self._process.kill()


async def _lines(output: asyncio.StreamReader) -> AsyncIterator[str]:
    """What a command says, line by line, as text; of a progress bar, its last state."""
    rest = b""
    while piece := await output.read(1 << 16):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            yield _text(line)
    if rest:
        yield _text(rest)


def _text(line: bytes) -> str:
    return visible(CODES.sub(b"", line).decode(errors="replace").rstrip("\r").rpartition("\r")[2])
