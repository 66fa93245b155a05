"""Could a participant feel which model asks?  Compares the delays of questions between models, under load.

Participants answer in pseudo-terminals while busy processes compete with them.  The delay of a question is
measured as a participant would see it: from the Enter key written to the terminal, to the question's bytes
read from it.  (The log's own ``delay_ms`` ends where Textual has painted, before the bytes are out.)  A
Kolmogorov-Smirnov test compares the two models.

    python tests/benchmarks/blind.py --busy 3 --think 0.3
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import numpy as np
from scipy.stats import ks_2samp
from terminal import Terminal, find, key_for, preload

from studyapp.base import documents
from studyapp.session.events import Answered, Started
from studyapp.session.log import read
from studyapp.study.loading import load
from studyapp.study.texts import Texts

QUESTION = b"relevant?"
TEXTS = Texts()
PATIENCE = 30.0  # seconds for a question to appear


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--participants", type=int, default=2, help="how many at the same time")
    parser.add_argument("--busy", type=int, default=2, help="busy processes beside them")
    parser.add_argument("--think", type=float, default=0.0, help="seconds between choosing and confirming")
    parser.add_argument("--targets", type=int, default=20, help="targets per participant; 20: 630 questions")
    arguments = parser.parse_args()
    preload()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(arguments.busy)]
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            study, bundled = folder / "study.yaml", load()
            # Keys come faster than a person could press them, so none of them is taken for a held key.
            changes = {
                "pace": {"pause": 0.5, "hold": 0.0},
                "targets": list(bundled.vocabulary.words[: arguments.targets]),
                "bonus": None,
            }
            record = {k: v for k, v in (bundled.study.record() | changes).items() if v is not None}
            study.write_text(documents.block(record))
            ids = [f"P{number}" for number in range(arguments.participants)]
            children = [_participant(study, folder, id_, arguments.think) for id_ in ids]
            for child in children:
                os.waitpid(child, 0)
            print(
                f"{arguments.participants} participants at once, {arguments.busy} busy processes beside them"
            )
            _report(folder, ids)
    finally:
        for process in busy:
            process.kill()


def _participant(study: Path, folder: Path, id_: str, think: float) -> int:
    """Answer a whole session in a process of its own; writes the delays it saw."""
    child = os.fork()
    if child == 0:
        command = ["run", "--study", str(study), "--participant", id_, "--sessions", str(folder / "sessions")]
        try:
            delays = _answer_all(Terminal(command), think)
            (folder / f"{id_}.json").write_text(json.dumps(delays))
        finally:
            os._exit(0)
    return child


def _answer_all(terminal: Terminal, think: float) -> list[float]:
    """Go through a session; returns the delay of every question in ms, in order."""
    delays: list[float] = []
    while terminal.code is None:
        screen = terminal.look(0.02)
        key = key_for(screen)
        if key is None:
            continue
        if key == "enter" and _a_question_follows(screen):
            time.sleep(think)
            pressed = time.monotonic()
            terminal.press("enter")
            seen = terminal.moment_of(QUESTION, PATIENCE)
            if seen is not None:
                delays.append(1000 * (seen - pressed))
        else:
            terminal.press(key)
    return delays


def _a_question_follows(screen: str) -> bool:
    """Does Enter lead to a question: before a round, or after any answer but a round's last?"""
    if find(TEXTS.begin_round, screen) is not None:
        return True
    question = find(TEXTS.question, screen)
    last = question is not None and question["question"] == question["questions"]
    return find(TEXTS.confirm, screen) is not None and not last


def _report(folder: Path, ids: list[str]) -> None:
    delays: dict[str, list[float]] = {}
    late = 0
    for id_ in ids:
        started, *events = read(folder / "sessions" / f"{id_}.yaml").events
        assert isinstance(started, Started)
        models = {round_.round: round_.model for round_ in started.plan}
        answers = [event for event in events if isinstance(event, Answered)]
        seen = json.loads((folder / f"{id_}.json").read_text())
        assert len(seen) == len(answers), f"{len(seen)} questions seen, {len(answers)} in the log"
        for delay, answer in zip(seen, answers, strict=True):
            late += bool(answer.late)
            delays.setdefault(models[answer.round], []).append(delay)
    print(f"{sum(map(len, delays.values()))} questions; late: {late}")
    for model, values in delays.items():
        low, median, high, worst = np.quantile(values, [0.05, 0.5, 0.95, 1.0])
        print(
            f"{model:10} from Enter to the question's bytes, ms: median {median:.1f} "
            f"(5 %: {low:.1f}, 95 %: {high:.1f}), worst {worst:.1f}"
        )
    first, second = delays.values()
    test = ks_2samp(first, second)
    print(f"Kolmogorov-Smirnov: D = {test.statistic:.3f}, p = {test.pvalue:.2g}")


if __name__ == "__main__":
    main()
