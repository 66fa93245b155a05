"""Could anyone tell from its timing which model asks?  Compares the delays of questions between models.

Participants answer in pseudo-terminals while busy processes compete with them.  The delay of a question is
measured as a participant would see it: from the Enter key written to the terminal, to the question's bytes
read from it.  (The log's own ``delay_ms`` ends where Textual has painted, before the bytes are out.)  A
Kolmogorov-Smirnov test compares the models.

Four runs of 1,020 questions each: with two and with three busy processes, with quick and with slow answers,
and with sessions that are killed in every round and resumed with Enter at once.  They take half an hour; run
nothing else meanwhile.

    python tests/benchmarks/blind.py                # all four
    python tests/benchmarks/blind.py quick-3 --targets 4
    python tests/benchmarks/blind.py quick-2 --study beyond --targets 11    # another bundled study
    python tests/benchmarks/blind.py quick-2 --study beyond --targets 11 --words 1000    # with 1,000 words
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import studyapp  # noqa: F401 (one thread; before NumPy, for the sessions that are forked from here)

# isort: split
import numpy as np
from scipy.stats import ks_2samp
from terminal import Terminal, find, key_for, preload

from core import Vocabulary
from studyapp.base import documents
from studyapp.session.events import Answered, Started
from studyapp.session.log import read
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.study.studies import DEFAULT
from studyapp.study.texts import Texts

QUESTION = b"relevant?"
TEXTS = Texts()
PATIENCE = 30.0  # seconds for a question to appear
AGAIN = 3.0  # seconds after which Enter is pressed again
PARTICIPANTS = 2  # at the same time


@dataclass(frozen=True)
class Run:
    busy: int  # processes that compete with the participants
    think: float = 0.0  # seconds between choosing and confirming
    killed: bool = False  # the session is killed once in every round, and resumed


RUNS = {
    "quick-2": Run(busy=2),
    "quick-3": Run(busy=3),
    "slow-3": Run(busy=3, think=0.4),
    "resumed-2": Run(busy=2, killed=True),
}


Place = tuple[str, int, int]  # of a question: the kind of its round, the round's number, its own number


@dataclass(frozen=True)
class Delay:
    """Of one question."""

    place: Place
    ms: float
    resumed: bool  # the first one after the session was resumed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("runs", nargs="*", default=list(RUNS), help=f"some of: {', '.join(RUNS)}")
    parser.add_argument("--targets", type=int, default=16, help="targets of a participant; 16: 510 questions")
    parser.add_argument("--study", default=DEFAULT, help=f"a bundled study (default: {DEFAULT})")
    parser.add_argument("--words", type=int, help="so many words of words10k instead of the study's own")
    arguments = parser.parse_args()
    preload()
    for name in arguments.runs:
        _measure(name, RUNS[name], arguments.study, arguments.targets, arguments.words)


def _measure(name: str, run: Run, bundled: str, targets: int, words: int | None) -> None:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(run.busy)]
    try:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            study = _study(folder, load(bundled), targets, words)
            ids = [f"P{number}" for number in range(PARTICIPANTS)]
            children = [_participant(study, folder, id_, run) for id_ in ids]
            for child in children:
                os.waitpid(child, 0)
            who = f"{PARTICIPANTS} participants, {run.busy} busy processes, {run.think:g} s to think"
            print(f"{name}, {bundled}{f' with {words} words' if words else ''}: {who}")
            _report(folder, ids)
    finally:
        for process in busy:
            process.kill()
            process.wait()


def _study(folder: Path, bundled: LoadedStudy, targets: int, words: int | None) -> Path:
    """A bundled study with fewer targets, perhaps with more words."""
    path, vocabulary = folder / "study.yaml", bundled.vocabulary
    others: dict[str, object] = {}
    if words is not None:
        everything = Vocabulary.load("words10k")
        vocabulary = Vocabulary(everything.words[:words], everything.vectors[:words])
        vocabulary.save(folder / "words.txt")
        others = {"words": "words.txt", "practice": None}
    changes = {
        # Keys come faster than a person could press them, so none of them is taken for a held key.
        "pace": {"pause": 0.5, "hold": 0.0},
        "targets": list(vocabulary.words[:targets]),
        "breaks": None,
        "bonus": None,
    }
    record = {k: v for k, v in (bundled.study.record() | changes | others).items() if v is not None}
    path.write_text(documents.block(record))
    return path


def _participant(study: Path, folder: Path, id_: str, run: Run) -> int:
    """Answer a whole session in a process of its own, which writes the delays it saw."""
    child = os.fork()
    if child == 0:
        command = ["run", "--study", str(study), "--participant", id_, "--sessions", str(folder / "sessions")]
        try:
            delays = _answer_all(command, run)
            (folder / f"{id_}.json").write_text(json.dumps([vars(delay) for delay in delays]))
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return child


def _answer_all(command: list[str], run: Run) -> list[Delay]:
    """Go through a session; returns the delay of every question that was seen to appear.

    On a busy machine a question may appear before the driver has seen the page before it: such a question
    has no delay.
    """
    terminal = Terminal(command)
    delays: dict[Place, Delay] = {}
    to_kill = _kills() if run.killed else set()
    while terminal.code is None:
        screen = terminal.look(0.02)
        if (place := _place(screen)) in to_kill:
            to_kill.remove(place)
            terminal.kill()
            terminal = Terminal(command)
            delays[place] = _delay(terminal, resumed=True)  # the same question, asked again
            continue
        key = key_for(screen)
        if key is None:
            continue
        # The first look may have seen half a page.
        if key == "enter" and (_a_question_follows(screen) or _a_question_follows(terminal.look(0.05))):
            time.sleep(run.think)
            delay = _delay(terminal, resumed=False)
            delays[delay.place] = delay
        else:
            terminal.press(key)
    return list(delays.values())


def _kills() -> set[Place]:
    """A question of every round, late enough that there are answers to replay."""
    return {(kind, round_, 5 + round_ % 10) for kind in ("practice", "real") for round_ in range(1, 100)}


def _place(screen: str) -> Place | None:
    """The kind of round, its number, and the question on the screen."""
    if find(TEXTS.ask, screen) is None or (question := find(TEXTS.question, screen)) is None:
        return None
    for kind, text in (("practice", TEXTS.practice_round), ("real", TEXTS.real_round)):
        if round_ := find(text, screen):
            return kind, int(round_["round"]), int(question["question"])
    return None


def _delay(terminal: Terminal, *, resumed: bool) -> Delay:
    """Press Enter, and wait for the question.  A key pressed before its page is up does not count: again."""
    until = time.monotonic() + PATIENCE
    while resumed and find(TEXTS.who_title, terminal.look(0.001)) is None:
        assert time.monotonic() < until, "the session was not resumed"
    while time.monotonic() < until:
        pressed = time.monotonic()
        terminal.press("enter")
        seen = terminal.moment_of(QUESTION, AGAIN)
        if seen is not None:
            while (place := _place(terminal.look(0.02))) is None:
                assert time.monotonic() < until, f"there is a question without its number:\n{terminal.look()}"
            return Delay(place, 1000 * (seen - pressed), resumed)
    raise AssertionError(f"no question appeared:\n{terminal.look()}")


def _a_question_follows(screen: str) -> bool:
    """Does Enter lead to a question: before a round, or after any answer but a round's last?"""
    if find(TEXTS.begin_round, screen) is not None:
        return True
    question = find(TEXTS.question, screen)
    if question is None or find(TEXTS.confirm, screen) is None:
        return False
    return question["question"] != question["questions"]


def _report(folder: Path, ids: list[str]) -> None:
    delays: dict[tuple[str, bool], list[float]] = {}
    late = missed = 0
    for id_ in ids:
        started, *events = read(folder / "sessions" / f"{id_}.yaml").events
        assert isinstance(started, Started)
        models = {round_.round: round_.model for round_ in started.plan}
        practice = sum(round_.practice for round_ in started.plan)
        entries = json.loads((folder / f"{id_}.json").read_text())
        seen = {tuple(entry["place"]): entry for entry in entries}
        for answer in (event for event in events if isinstance(event, Answered)):
            kind, before = ("practice", 0) if answer.round <= practice else ("real", practice)
            place = (kind, answer.round - before, answer.question)
            if (delay := seen.get(place)) is None:
                missed += 1
                continue
            late += bool(answer.late) and not delay["resumed"]
            delays.setdefault((models[answer.round], delay["resumed"]), []).append(delay["ms"])
    print(f"  {sum(map(len, delays.values()))} questions; late: {late}; not seen to appear: {missed}")
    for resumed in sorted({resumed for _, resumed in delays}):
        _compare(
            "first question after resuming" if resumed else "question",
            {model: values for (model, after), values in sorted(delays.items()) if after == resumed},
        )


def _compare(what: str, delays: dict[str, list[float]]) -> None:
    for model, values in delays.items():
        low, median, high, worst = np.quantile(values, [0.05, 0.5, 0.95, 1.0])
        print(
            f"  {model:10} {len(values):4} times from Enter to the {what}, ms: median {median:.1f} "
            f"(5 %: {low:.1f}, 95 %: {high:.1f}), worst {worst:.1f}"
        )
    for one, other in combinations(delays, 2):
        test = ks_2samp(delays[one], delays[other])
        print(
            f"  {one}, {other}: Kolmogorov-Smirnov D = {test.statistic:.3f}, p = {test.pvalue:.2g}",
            flush=True,
        )


if __name__ == "__main__":
    main()
