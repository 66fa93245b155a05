"""Random keys on every page of a session: none may crash it or damage its log.

    python tests/monkeys.py FOLDER --keys 10000

A session is brought to a page and gets random keys in bursts, faster than anyone can type.  When they lead
away from the page, another session is brought there.  Prints the number of keys per page; the exit code is 1
if a session ended in any unexpected way or a log cannot be read.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]  # it may be run from anywhere

from small_study import STUDY
from terminal import PATIENCE, Terminal, preload

from studyapp.base import documents
from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.log import read
from studyapp.session.session import (
    AskConsent,
    AskItem,
    AskWord,
    BeginRound,
    ConfirmItems,
    End,
    Instruct,
    Rest,
    Step,
)
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.loading import load
from studyapp.study.texts import Texts

ITEMS = [
    {"id": "a", "kind": "choice", "ask": "Which?", "choices": ["one", "two"]},
    {"id": "b", "kind": "scale", "ask": "How much?", "least": 0, "most": 20},
    {"id": "c", "kind": "text", "ask": "What else?", "optional": True},
]
TEXTS = Texts()
# A text that only this page shows, and the step of the page.
PAGES: dict[str, tuple[str, type[Step]]] = {
    "id": (TEXTS.id_ask, AskConsent),
    "consent": (TEXTS.consent_ask, AskConsent),
    "instructions": (TEXTS.instructions_title, Instruct),
    "before a round": (TEXTS.begin_round, BeginRound),
    "round": (TEXTS.target.split("{")[0], AskWord),
    "choice": ("Which?", AskItem),
    "scale": ("How much?", AskItem),
    "text": ("What else?", AskItem),
    "answers to confirm": (TEXTS.check_title, ConfirmItems),
    "break": (TEXTS.break_title, Rest),
    "leave": (TEXTS.leave_title, AskWord),
    "end": (TEXTS.close, End),
    "who": (TEXTS.who_title, AskWord),
    "instructions again": (TEXTS.reread_back, AskWord),
}
F1 = "\x1bOP"
KEYS = [
    *"yn1590xä?[{ Y'\"",
    *["\r", "\x7f", "\t", "\x1b", "\x01", "\x03", "\x04", "\x0c", "\x10", "\x11", "\0"],
    *[f"\x1b[{code}" for code in ("A", "B", "C", "D", "H", "F", "Z", "3~", "5~", "6~", "15~")],
    *[F1, "\x1bx", "\x1b[200~y\ry\r\x1b[201~"],
    *["\x1b[<0;5;5M", "\x1b[<0;5;5m", "\x1b[<0;33;11M", "\x1b[<65;9;9M"],
]
# Most bursts have no key that leads away from the page.  Only these contain Ctrl+Z and Ctrl+\\, which the
# terminal itself would obey if the app ended in the middle of a burst.
LEADING_AWAY = ("\r", "\x7f", "\x03", "\x11", "\x1b", "y", "n", "Y", F1)
STAYING = [key for key in KEYS if key not in LEADING_AWAY] + ["\x1a", "\x1c"]
ENDINGS = (0, 130, -2, -3)  # the last two: Ctrl+C or Ctrl+\\ after the app had released the terminal
BURST = 500


class ArrivedError(Exception):
    """The session has reached the page."""


def bring(study: Path, participant: str, sessions: Path, page: str) -> None:
    """Run a session without screens, up to a page."""
    clock = SimulatedClock(SystemClock().now())
    sitting = Sitting.open(load(study), Participant(participant), sessions, clock=clock)
    ids = {"choice": "a", "scale": "b", "text": "c"}

    def look() -> None:
        step = sitting.session.step
        if isinstance(step, PAGES[page][1]) and (not isinstance(step, AskItem) or step.item.id == ids[page]):
            raise ArrivedError

    try:
        look()
        attend(sitting, SimulatedParticipant(sitting, "random"), clock, look)
    except ArrivedError:
        pass
    finally:
        sitting.close()


def visit(terminal: Terminal, page: str, pressed: dict[str, int], most: int, draw: random.Random) -> None:
    """Press random keys while the page is shown, up to ``most``."""
    mark = PAGES[page][0]
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        screen = terminal.look(0.03)
        if terminal.code is not None or mark in screen:
            break
        if TEXTS.enter in screen or TEXTS.who_hint in screen or page == "end":
            terminal.press("enter")
        elif page == "leave" and "relevant?" in screen:
            terminal.press("ctrl+q")
        elif page == "instructions again" and "relevant?" in screen:
            terminal.press(F1)
    else:
        raise TimeoutError(f"the page {page!r} did not appear:\n{terminal.look()}")
    while terminal.code is None and mark in terminal.look(0.03) and pressed[page] < most:
        keys = STAYING if draw.random() < 0.9 else KEYS
        count = min(BURST, most - pressed[page])
        terminal.press("".join(draw.choices(keys, k=count)))
        pressed[page] += count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keys", type=int, default=10_000, help="per page")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    preload()
    draw = random.Random(arguments.seed)
    study = arguments.folder / "study.yaml"
    text = documents.block(STUDY | {"questionnaires": {"q": ITEMS}, "after_round": ["q"], "practice": []})
    study.write_text(text)
    pressed = dict.fromkeys(PAGES, 0)
    sessions = 0
    while min(pressed.values()) < arguments.keys:
        page = min(pressed, key=lambda name: pressed[name])
        sessions += 1
        log = arguments.folder / "sessions" / f"M{sessions}.yaml"
        command = ["run", "--study", str(study), "--sessions", str(log.parent)]
        if page != "id":
            bring(study, log.stem, log.parent, page)
            command += ["--participant", log.stem]
        terminal = Terminal(command)
        visit(terminal, page, pressed, arguments.keys, draw)
        terminal.look(0.05)
        if terminal.code is None:
            terminal.kill()
        elif terminal.code not in ENDINGS:
            print(f"{page}, session {sessions}: ended with {terminal.code}:\n{terminal.look()}")
            return 1
        if log.exists():
            read(log)  # raises if the log is damaged
    print(", ".join(f"{name} {keys}" for name, keys in pressed.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
