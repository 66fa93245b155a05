"""Ten thousand random keys on every page of a session: none may crash it, or harm its log.

    python tests/monkeys.py FOLDER --keys 10000

The session is brought to a page, gets random keys in bursts, faster than anyone could type, and is
brought there again when they have led elsewhere.  Prints how many keys each page has got; ends with
1 where a session ended as it should not, or a log cannot be read.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]  # it may be run from anywhere

from small_study import STUDY
from terminal import Terminal, preload

from studyapp.base import documents
from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.log import read
from studyapp.session.session import AskConsent, AskItem, AskWord, BeginRound, End, Instruct, Rest, Step
from studyapp.session.sitting import Sitting
from studyapp.study.loading import load

ITEMS = [
    {"id": "a", "kind": "choice", "ask": "Which?", "choices": ["one", "two"]},
    {"id": "b", "kind": "scale", "ask": "How much?", "least": 0, "most": 20},
    {"id": "c", "kind": "text", "ask": "What else?", "optional": True},
]
# What stands on each page and on no other, and the step that it belongs to.
PAGES: dict[str, tuple[str, type[Step]]] = {
    "id": ("Please type your participant ID", AskConsent),
    "consent": ("Do you agree", AskConsent),
    "instructions": ("How it works", Instruct),
    "before a round": ("Press Enter for the first question", BeginRound),
    "round": ("The word to find", AskWord),
    "choice": ("Which?", AskItem),
    "scale": ("How much?", AskItem),
    "text": ("What else?", AskItem),
    "break": ("Stand up", Rest),
    "leave": ("Use the arrow keys, then press Enter.", AskWord),
    "end": ("Press Enter to close", End),
    "welcome back": ("You will continue exactly", AskWord),
}
KEYS = [
    *"yn1590xä?[{ Y'\"",
    *["\r", "\x7f", "\t", "\x1b", "\x01", "\x03", "\x04", "\x0c", "\x10", "\x11", "\0"],
    *[f"\x1b[{code}" for code in ("A", "B", "C", "D", "H", "F", "Z", "3~", "5~", "6~", "15~")],
    *["\x1bOP", "\x1bx", "\x1b[200~y\ry\r\x1b[201~", "\x1b[<0;5;5M"],
]
# Most bursts have no key that could lead away from the page.  Only they have Ctrl+Z and Ctrl+\\, which the
# terminal itself would obey, were the app to end in the middle of a burst.
STAYING = [key for key in KEYS if key not in ("\r", "\x03", "\x11", "\x1b", "y", "n", "Y")] + ["\x1a", "\x1c"]
ENDINGS = (0, 130, -2, -3)  # the last ones by Ctrl+C or Ctrl+\\, once the app had given the terminal back
BURST = 500


class ThereError(Exception):
    """The session is where it was to be brought."""


def bring(study: Path, participant: str, sessions: Path, page: str) -> None:
    """Go through a session headless, up to a page."""
    clock = SimulatedClock(SystemClock().now())
    sitting = Sitting(load(study), participant, sessions, clock=clock)
    ids = {"choice": "a", "scale": "b", "text": "c"}

    def look() -> None:
        step = sitting.session.step
        if isinstance(step, PAGES[page][1]) and (not isinstance(step, AskItem) or step.item.id == ids[page]):
            raise ThereError

    try:
        look()
        attend(sitting, SimulatedParticipant(sitting, "random"), clock, look)
    except ThereError:
        pass
    finally:
        sitting.close()


def visit(terminal: Terminal, page: str, got: dict[str, int], most: int, draw: random.Random) -> None:
    """Press keys at random while the page is on, up to so many."""
    mark = PAGES[page][0]
    for _ in range(200):  # looks, until the page is on
        screen = terminal.look(0.03)
        if terminal.code is not None or mark in screen:
            break
        if "Press Enter to continue" in screen or page == "end":
            terminal.press("enter")
        elif page == "leave" and "relevant?" in screen:
            terminal.press("ctrl+q")
    else:
        raise TimeoutError(f"the page {page!r} did not come:\n{terminal.look()}")
    while terminal.code is None and mark in terminal.look(0.03) and got[page] < most:
        keys = STAYING if draw.random() < 0.9 else KEYS
        terminal.press("".join(draw.choices(keys, k=BURST)))
        got[page] += BURST


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--keys", type=int, default=10_000, help="for each page")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    preload()
    draw = random.Random(arguments.seed)
    study = arguments.folder / "study.yaml"
    text = documents.block(STUDY | {"questionnaires": {"q": ITEMS}, "after_round": ["q"], "practice": []})
    study.write_text(text)
    got = dict.fromkeys(PAGES, 0)
    sessions = 0
    while min(got.values()) < arguments.keys:
        page = min(got, key=lambda name: got[name])
        sessions += 1
        log = arguments.folder / "sessions" / f"M{sessions}.yaml"
        command = ["run", "--study", str(study), "--sessions", str(log.parent)]
        if page != "id":
            bring(study, log.stem, log.parent, page)
            command += ["--participant", log.stem]
        terminal = Terminal(command)
        visit(terminal, page, got, arguments.keys, draw)
        terminal.look(0.05)
        if terminal.code is None:
            terminal.kill()
        elif terminal.code not in ENDINGS:
            print(f"{page}, session {sessions}: ended with {terminal.code}:\n{terminal.look()}")
            return 1
        if log.exists():
            read(log)  # would raise
    print(", ".join(f"{name} {keys}" for name, keys in got.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
