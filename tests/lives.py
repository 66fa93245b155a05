"""Sessions with many lives: ends real sessions at random moments, and starts them again.

    python tests/lives.py FOLDER --kills 200 --endings KILL [--short] [--clock]
    python tests/lives.py FOLDER --changes 20

A participant takes part in a small study, in a pseudo-terminal.  At random moments the session is killed,
gets another signal, or loses its terminal, and is started again with the same ID until it has finished.  Its
questions and answers must then be those of an undisturbed session, and nothing written to the terminal may
reveal which model asked.  With ``--clock``, the computer's clock is set back or forward before every life.

With ``--changes``, nothing ends the session; instead, another program changes its log at random moments (see
``meddling``), this number of times.  Every log must pass ``studyapp verify``.  Prints a summary; the exit
code is 1 if any of this fails.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]  # it may be run from anywhere

from meddling import DAMAGE
from small_study import STUDY
from terminal import TEXTS, Terminal, find, key_for, preload

from studyapp.base import documents
from studyapp.base.clock import SystemClock
from studyapp.session.events import (
    Answered,
    Confirmed,
    Consented,
    Finished,
    Read,
    Responded,
    Rested,
    Resumed,
    Rewritten,
    RoundBegan,
)
from studyapp.session.log import read
from studyapp.session.verification import verify

# Output that would reveal the model, or set the title of the window.
REVEALING = re.compile(rb"naive|mixture|planning|\x1b\][012];[^\x07\x1b]+")
SHORT = {"targets": ["tea"], "practice": [], "breaks": {"every": 1}}
LONGEST_LIFE = 0.6  # seconds
UNDISTURBED = 600.0  # longer than any session takes, however busy the machine
LOOK = 0.03  # seconds between looking and pressing


def set_clock(hours: float) -> None:
    """Let the clock of this process be wrong by so many hours."""
    now = SystemClock.now
    SystemClock.now = lambda self: now(self) + timedelta(hours=hours)  # type: ignore[method-assign]


def live(
    arguments: list[str],
    seconds: float,
    ending: str,
    *,
    hours: float = 0.0,
    meanwhile: Callable[[], None] = lambda: None,
) -> Terminal:
    """Run a session and answer for this number of seconds, then end it; it may finish before.

    The clock is wrong by so many hours.  ``meanwhile`` happens before the participant confirms an answer.
    """
    terminal = Terminal(arguments, prepare=partial(set_clock, hours))
    until, pressed_on, pressed_at = time.monotonic() + seconds, "", 0.0
    while terminal.code is None and time.monotonic() < until:
        screen = terminal.look(LOOK)
        key = key_for(screen)
        # Press a key again after a while if it did nothing: the page was not ready for it.
        if key and (screen != pressed_on or time.monotonic() - pressed_at > 0.3) and terminal.code is None:
            if screen != pressed_on and key == "enter" and find(TEXTS.question, screen):
                meanwhile()
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
            case RoundBegan() | Consented() | Read() | Confirmed() | Rested():
                steps.append((event.event, getattr(event, "round", None)))
            case Responded():
                steps.append((event.questionnaire, event.item, event.after, event.value))
            case Finished():
                steps.append((event.answers, event.found, event.bonus))
    return steps


def changes(
    folder: Path, command: Callable[[str, str], list[str]], wanted: int, moments: random.Random
) -> int:
    """Sessions whose logs another program changes at random moments."""
    done = number = 0
    while done < wanted:
        number += 1
        participant = f"P{number:02d}"
        log = folder / "changed" / f"{participant}.yaml"
        made: list[str] = []

        def change(log: Path = log, made: list[str] = made) -> None:
            if moments.random() < 0.5:
                damage = moments.choice(list(DAMAGE))
                damage(log)
                made.append(DAMAGE[damage])

        live(command(participant, "whole"), UNDISTURBED, "KILL")
        terminal = live(command(participant, "changed"), UNDISTURBED, "KILL", meanwhile=change)
        if terminal.code != 0:
            print(f"{participant}: ended with {terminal.code} after {made}:\n{terminal.look()}")
            return 1
        if story(log) != story(folder / "whole" / f"{participant}.yaml"):
            print(f"{participant}: the questions and answers differ after {made}")
            return 1
        if made and "another program changed" not in terminal.look():
            print(f"{participant}: the experimenter was not told of {made}:\n{terminal.look()}")
            return 1
        noted = [event.found for event in read(log).events if isinstance(event, Rewritten)]
        if noted != made or (result := verify(log)).code or len(result.notes) < len(made):
            print(f"{participant}: {made} happened to the log, but it says {noted}; {verify(log).message}")
            return 1
        done += len(made)
    print(f"{done} changes to {number} logs; always the same answers")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument(
        "--endings", nargs="+", default=["KILL"], help="KILL, TERM, HUP, or CLOSE for closing the terminal"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="a study with a single target")
    parser.add_argument("--clock", action="store_true", help="set the clock before every life")
    parser.add_argument("--changes", type=int, default=0, help="let another program change the logs so often")
    arguments = parser.parse_args()
    preload()
    moments = random.Random(arguments.seed)
    study = arguments.folder / "study.yaml"
    study.write_text(documents.block(STUDY | SHORT if arguments.short else STUDY))

    def command(participant: str, sessions: str) -> list[str]:
        where = str(arguments.folder / sessions)
        return ["run", "--study", str(study), "--participant", participant, "--sessions", where]

    if arguments.changes:
        return changes(arguments.folder, command, arguments.changes, moments)
    killed = number = torn = 0
    codes: set[int] = set()
    while killed < arguments.kills:
        number += 1
        participant = f"P{number:02d}"
        whole = live(command(participant, "whole"), UNDISTURBED, "KILL")
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
            seconds = moments.uniform(0.0, LONGEST_LIFE) if killed < arguments.kills else UNDISTURBED
            hours = moments.uniform(-48.0, 48.0) if arguments.clock else 0.0
            terminal = live(command(participant, "broken"), seconds, ending, hours=hours)
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
        if (result := verify(log)).code:
            print(f"{participant}: {result.message}")
            return 1
        print(f"{participant}: {lives} lives, {resumed} resumed, the same questions and answers", flush=True)
    listed = ", ".join(str(code) for code in sorted(codes))
    print(f"{killed} endings ({listed}), {torn} torn tails")
    return 0


if __name__ == "__main__":
    sys.exit(main())
