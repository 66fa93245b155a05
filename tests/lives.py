"""Sessions that die again and again: kills real sessions in a pseudo-terminal and goes on with them.

    python tests/lives.py FOLDER --kills 200 --signals KILL

A participant goes through a small study.  At random moments the session is killed (or sent another
signal, or its terminal is closed) and started again with the same ID, until it has finished.  At
the end its questions and answers must be those of a session that nobody disturbed, and nothing that
was ever written to the terminal may tell which model asked.  Prints what it found; ends with 1 where
that does not hold.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]  # it may be run from anywhere

from small_study import STUDY
from terminal import Terminal, key_for, preload

from studyapp.base import documents
from studyapp.session.events import (
    Answered,
    Consented,
    Finished,
    Read,
    Responded,
    Rested,
    Resumed,
    RoundBegan,
)
from studyapp.session.log import read

# What would tell which model asks, or set the title of the window.
TELLING = re.compile(rb"naive|mixture|planning|\x1b\][012];[^\x07\x1b]+")
LONGEST = 0.6  # seconds of a life
HASTE = 0.03  # seconds between looking and pressing


def live(arguments: list[str], seconds: float, ending: str) -> Terminal:
    """Start the session and answer until it ends, or for so many seconds, and then end it."""
    terminal = Terminal(arguments)
    until, pressed_on, pressed_at = time.monotonic() + seconds, "", 0.0
    while terminal.code is None and time.monotonic() < until:
        screen = terminal.look(HASTE)
        key = key_for(screen)
        # A key that did nothing (the page was not ready for it) is pressed again after a while.
        if key and (screen != pressed_on or time.monotonic() - pressed_at > 0.3) and terminal.code is None:
            terminal.press(key)
            pressed_on, pressed_at = screen, time.monotonic()
    if terminal.code is None:
        if ending == "CLOSE":
            terminal.close()
        else:
            terminal.kill(getattr(signal, f"SIG{ending}"))
    return terminal


def story(log: Path) -> list[tuple[object, ...]]:
    """What happened, without when; interruptions aside."""
    told: list[tuple[object, ...]] = []
    for event in read(log).events:
        match event:
            case Answered():
                told.append((event.round, event.question, event.word, event.answer, event.digest))
            case RoundBegan() | Consented() | Read() | Rested():
                told.append((event.event, getattr(event, "round", None)))
            case Responded():
                told.append((event.questionnaire, event.item, event.after, event.value))
            case Finished():
                told.append((event.answers, event.found, event.bonus))
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument(
        "--endings", nargs="+", default=["KILL"], help="KILL, TERM, HUP or CLOSE (the terminal)"
    )
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    preload()
    moments = random.Random(arguments.seed)
    study = arguments.folder / "study.yaml"
    study.write_text(documents.block(STUDY))

    def command(participant: str, sessions: str) -> list[str]:
        where = str(arguments.folder / sessions)
        return ["run", "--study", str(study), "--participant", participant, "--sessions", where]

    killed = number = torn = 0
    codes: set[int] = set()
    while killed < arguments.kills:
        number += 1
        participant = f"P{number:02d}"
        whole = live(command(participant, "whole"), 60.0, "KILL")
        if whole.code != 0:
            print(f"{participant}: an undisturbed session ended with {whole.code}:\n{whole.look()}")
            return 1
        if told := TELLING.search(whole.written):
            print(f"{participant}: {told[0]!r} was written to the terminal")
            return 1
        log = arguments.folder / "broken" / f"{participant}.yaml"
        lives = 0
        while True:
            ending = moments.choice(arguments.endings)
            seconds = moments.uniform(0.0, LONGEST) if killed < arguments.kills else 60.0
            terminal = live(command(participant, "broken"), seconds, ending)
            lives += 1
            if log.exists() and any(isinstance(event, Finished) for event in read(log).events):
                break
            if terminal.code == 0 or terminal.code == 2:
                print(f"{participant}, life {lives}: ended with {terminal.code}:\n{terminal.look()}")
                return 1
            assert terminal.code is not None
            codes.add(terminal.code)
            killed += 1
        resumed = sum(isinstance(event, Resumed) for event in read(log).events)
        torn += len(list(log.parent.glob(f"{participant}.yaml.torn-*")))
        if story(log) != story(arguments.folder / "whole" / f"{participant}.yaml"):
            print(f"{participant}: the story differs after {lives} lives")
            return 1
        print(f"{participant}: {lives} lives, {resumed} resumed, the same questions and answers", flush=True)
    told = ", ".join(str(code) for code in sorted(codes))
    print(f"{killed} endings ({told}), {torn} torn tails")
    return 0


if __name__ == "__main__":
    sys.exit(main())
