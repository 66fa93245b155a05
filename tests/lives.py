"""Sessions with many lives: ends real sessions at random moments, and starts them again.

    python tests/lives.py FOLDER --kills 200 --endings KILL [--short]

A participant takes part in a small study, in a pseudo-terminal.  At random moments the session is killed,
gets another signal, or loses its terminal, and is started again with the same ID until it has finished.  Its
questions and answers must then be those of an undisturbed session, and nothing written to the terminal may
reveal which model asked.  Prints a summary; the exit code is 1 if any of this fails.
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

# Output that would reveal the model, or set the title of the window.
REVEALING = re.compile(rb"naive|mixture|planning|\x1b\][012];[^\x07\x1b]+")
SHORT = {"targets": ["tea"], "practice": [], "breaks": {"every": 1}}
LONGEST_LIFE = 0.6  # seconds
LOOK = 0.03  # seconds between looking and pressing


def live(arguments: list[str], seconds: float, ending: str) -> Terminal:
    """Run a session and answer for this number of seconds, then end it; it may finish before."""
    terminal = Terminal(arguments)
    until, pressed_on, pressed_at = time.monotonic() + seconds, "", 0.0
    while terminal.code is None and time.monotonic() < until:
        screen = terminal.look(LOOK)
        key = key_for(screen)
        # Press a key again after a while if it did nothing: the page was not ready for it.
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
    """The questions, answers and steps of a session, without times and interruptions."""
    steps: list[tuple[object, ...]] = []
    for event in read(log).events:
        match event:
            case Answered():
                steps.append((event.round, event.question, event.word, event.answer, event.digest))
            case RoundBegan() | Consented() | Read() | Rested():
                steps.append((event.event, getattr(event, "round", None)))
            case Responded():
                steps.append((event.questionnaire, event.item, event.after, event.value))
            case Finished():
                steps.append((event.answers, event.found, event.bonus))
    return steps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument(
        "--endings", nargs="+", default=["KILL"], help="KILL, TERM, HUP, or CLOSE for closing the terminal"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="a study with a single target")
    arguments = parser.parse_args()
    preload()
    moments = random.Random(arguments.seed)
    study = arguments.folder / "study.yaml"
    study.write_text(documents.block(STUDY | SHORT if arguments.short else STUDY))

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
        if match := REVEALING.search(whole.written):
            print(f"{participant}: {match[0]!r} was written to the terminal")
            return 1
        log = arguments.folder / "broken" / f"{participant}.yaml"
        lives = 0
        while True:
            ending = moments.choice(arguments.endings)
            seconds = moments.uniform(0.0, LONGEST_LIFE) if killed < arguments.kills else 60.0
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
            print(f"{participant}: the questions and answers differ after {lives} lives")
            return 1
        print(f"{participant}: {lives} lives, {resumed} resumed, the same questions and answers", flush=True)
    listed = ", ".join(str(code) for code in sorted(codes))
    print(f"{killed} endings ({listed}), {torn} torn tails")
    return 0


if __name__ == "__main__":
    sys.exit(main())
