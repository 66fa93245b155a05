"""The office in a real terminal: it lends the terminal to a session and gets it back, whatever happens."""

from __future__ import annotations

import os
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from socket import gethostname
from typing import Any

import pytest
from offices import MODELS, REVEALING
from study_files import small, write
from terminal import Terminal, key_for

from studyapp.base.environment import is_alive
from studyapp.session import log
from studyapp.session.events import Answered, Event, Finished, Interrupted, Resumed, Started
from studyapp.session.verification import verify

PATIENCE = 300.0  # seconds to wait for something to happen, before the test fails
LOOK = 0.05
AGAIN = 60.0  # seconds until keys are pressed again: a terminal that changes hands may drop some
FEW: dict[str, Any] = {
    "title": "The tiny study",
    "targets": ["tea", "no"],
    "questions": 2,
    "practice": [],
    "breaks": None,
    "instructions": [],
    "after_round": [],
    "at_end": [],
    "pace": {"pause": 0.02, "hold": 0.0},
    "consent": None,
    "models": MODELS,
}
CALL = "Please call the experimenter"
# A process that forks a terminal and has threads must only start another program in it, which this one does.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")


class Desk:
    """An experimenter at a terminal."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.terminal = Terminal([], prepare=self._start)

    def _start(self) -> None:
        os.chdir(self.folder)
        root = str(Path(__file__).parents[4])
        environment = os.environ | {"PYTHONPATH": root, "EDITOR": "true"}
        os.execve(sys.executable, [sys.executable, "-m", "studyapp.cli"], environment)

    def until(self, text: str | Callable[[str], object], *keys: str) -> str:
        """Wait until this is on the screen; keys that get lost are pressed again."""
        happened = (lambda screen: text in screen) if isinstance(text, str) else text
        end, again = time.monotonic() + PATIENCE, 0.0
        while not happened(screen := self.terminal.look(LOOK)):
            assert self.terminal.code is None, f"it ended with {self.terminal.code}:\n{screen}"
            assert time.monotonic() < end, screen
            if keys and time.monotonic() > again:
                self.press(*keys)
                again = time.monotonic() + AGAIN
        return screen

    def press(self, *keys: str) -> None:
        for key in keys:
            self.terminal.press(key)
            self.terminal.look(LOOK)

    def begin(self, key: str = "s", password: str = "pw") -> None:
        """Start the next participant, or resume the chosen one."""
        self.press(key)
        self.until("The password again")
        self.press(*password, "enter")
        self.until("a second time")  # only then does the other field have the keys
        self.press(*password, "enter")

    def back(self, password: str = "pw") -> str:
        self.until(CALL)
        return self.until("The tiny study", *password, "enter")

    def take_part(self, wanted: Callable[[str], object]) -> None:
        """Answer as a participant would, until this is on the screen."""

        def answered(screen: str) -> bool:
            if wanted(screen):
                return True
            if key := key_for(screen):
                self.terminal.press(key)
            return False

        self.until(answered)

    @property
    def session(self) -> int:
        """The process of the session, by its log."""
        sittings = [event for event in self.events if isinstance(event, Started | Resumed)]
        return sittings[-1].process

    @property
    def events(self) -> list[Event]:
        return log.read(self.folder / "sessions" / "P01.yaml").events

    @property
    def answers(self) -> int:
        return sum(isinstance(event, Answered) for event in self.events)

    def begun(self) -> None:
        """Start, and answer the first question."""
        self.until("Start P01 (s).")
        self.begin()
        self.take_part(lambda screen: "Question 2" in screen)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    write(tmp_path / "lab", small(**FEW))
    desk = Desk(tmp_path / "lab")
    yield desk
    if desk.terminal.code is None:
        desk.terminal.kill()


def test_a_killed_session_is_resumed_and_finishes_and_the_terminal_is_as_it_was(desk: Desk) -> None:
    desk.until("Start P01 (s).")
    before = termios.tcgetattr(desk.terminal._fd)
    desk.begun()
    os.kill(desk.session, signal.SIGKILL)
    desk.until(CALL)
    desk.press("\x11", "\x03", "\x1a", "\x10", "q", "enter")
    desk.until("That is not the password")
    desk.back()
    desk.until("P01 has not finished: resume (r).")
    assert desk.answers == 1
    desk.until("unfinished")
    desk.press("r")
    desk.until("The password again")
    desk.press("enter")  # the password is still known
    desk.take_part(lambda screen: CALL in screen)
    desk.back()
    screen = desk.until("P01 finished.")
    finished = desk.events[-1]
    assert isinstance(finished, Finished)
    assert "Receipt:" in screen
    assert f"Bonus due: {'yes' if finished.bonus else 'no'}" in screen
    assert termios.tcgetattr(desk.terminal._fd) == before
    desk.press("q")
    end = time.monotonic() + PATIENCE
    while desk.terminal.code is None:
        assert time.monotonic() < end
        desk.terminal.look(LOOK)
    assert desk.terminal.code == 0
    assert not REVEALING.search(desk.terminal.written.decode(errors="replace"))
    for mode in (b"1049", b"1000", b"1003", b"1006", b"2004", b"1004"):
        on, off = (desk.terminal.written.rfind(b"\x1b[?" + mode + end) for end in (b"h", b"l"))
        assert off >= on, mode  # the last word on each is off
    words = desk.folder / "words.txt"
    assert verify(desk.folder / "sessions" / "P01.yaml", words=words).verdict == "verified"


@pytest.mark.prove
def test_a_closed_terminal_ends_office_and_session_and_loses_nothing(desk: Desk) -> None:
    desk.begun()
    session = desk.session
    desk.terminal.close()
    end = time.monotonic() + PATIENCE
    while is_alive(gethostname(), session):
        assert time.monotonic() < end
        time.sleep(LOOK)
    assert isinstance(desk.events[-1], Interrupted)
    assert desk.answers == 1


@pytest.mark.prove
def test_keys_that_send_signals_end_neither_the_office_nor_a_session_that_starts(desk: Desk) -> None:
    desk.until("Start P01 (s).")
    desk.begin()
    office = ("password", "Start P01", "One moment")
    desk.until(lambda screen: not any(text in screen for text in office))  # the terminal has been lent
    for key in ("\x03", "\x1a", "\x1c") * 3:  # while the session loads; later, its pages would read them
        desk.terminal.press(key)
    desk.until(lambda screen: key_for(screen) or "leave" in screen.lower())
    assert desk.terminal.code is None


@pytest.mark.prove
def test_the_editor_gets_the_terminal_and_a_session_that_can_not_begin_says_why(desk: Desk) -> None:
    desk.until("Start P01 (s).")
    for _ in range(2):
        desk.until("back to the office", "e")  # the study is checked after it
        desk.until(lambda screen: "back to the office" not in screen, "\x1b")
    (desk.folder / "sessions").write_text("in the way")
    desk.begin()
    screen = desk.until("Press Enter.")
    assert "studyapp:" in screen
    desk.press("enter")
    desk.back()
    desk.until("P01 has not begun.")
