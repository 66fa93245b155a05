"""How long ``studyapp analyse`` takes, and how much memory, for 10, 100 and 1,000 finished sessions.

Every session follows the published protocol (600 answers), with random words and answers, because these do
not affect the time.  For comparison: a bare Python that loads NumPy, scipy.stats and matplotlib and saves ten
empty figures; and reading the same logs with PyYAML's parser in C, which an analyst would try first.

    python tests/benchmarks/analyse.py [SESSIONS ...]
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import yaml

from studyapp.base.clock import iso
from studyapp.base.environment import here
from studyapp.session import log
from studyapp.session.events import Answered, Consented, Event, Finished, Read, RoundBegan, Started
from studyapp.session.log_format import encode
from studyapp.session.resuming import end_of
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load

SIZES = (10, 100, 1000)
READ_BY_YAML = 10  # logs
BARE = """
import sys, numpy, scipy.stats, matplotlib
matplotlib.use("Agg")
from matplotlib import pyplot
for number in range(10):
    figure, _ = pyplot.subplots()
    figure.savefig(f"{sys.argv[1]}/{number}.svg")
    pyplot.close(figure)
"""


def session(loaded: LoadedStudy, participant: str) -> Iterator[Event]:
    """The events of a finished session with random questions and answers."""
    chance = random.Random(participant)
    now = datetime(2026, 1, 1, tzinfo=UTC)
    rounds = plan.make(loaded, participant)
    yield Started(
        participant=participant,
        at=iso(now),
        **here(),
        simulated=False,
        teacher=None,
        people_sha256=None,
        pilot=False,
        imported=None,
        words=loaded.study.words,
        words_sha256=loaded.vocabulary.sha256,
        seed=loaded.study.seed,
        study=loaded.study.record(),
        plan=rounds,
    )
    yield Consented(at=iso(now))
    yield Read(at=iso(now), ms=60_000.0, away_ms=0.0)
    for round_ in rounds:
        yield RoundBegan(round_.round, at=iso(now))
        for question in range(1, loaded.study.questions + 1):
            word = round_.first if question == 1 else chance.choice(loaded.vocabulary.words)
            reward = loaded.reward(round_.target, word)
            took = round(1000 * chance.lognormvariate(0.4, 0.5), 1)
            yield Answered(
                round=round_.round,
                question=question,
                word=word,
                answer="y" if chance.random() < reward else "n",
                reward=reward,
                shown_at=iso(now),
                rt_ms=took,
                first_choice_ms=took,
                last_choice_ms=took,
                compute_ms=None if question == 1 else 4.2,
                delay_ms=500.0,
                late=False,
                changes=0,
                stray_keys=0,
                away_ms=0.0,
                digest=f"{chance.getrandbits(48):012x}-{chance.getrandbits(48):012x}-{chance.getrandbits(48):012x}",
                converged=True,
            )
            now += timedelta(milliseconds=took + 500)
    yield Finished(at=iso(now), answers=len(rounds) * loaded.study.questions, found=20, bonus=False)


def timed(events: Iterator[Event]) -> Iterator[Event]:
    """The events with the reading of a stopwatch."""
    start = None
    for event in events:
        end = end_of(event)
        start = start or end
        yield replace(event, clock_ms=1000 * (end - start).total_seconds())


def memory(group: int) -> int:
    """Bytes used by all processes of a process session; shared memory is counted once."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            session_id = int((process / "stat").read_text().rsplit(")", 1)[1].split()[3])
            if session_id == group:
                shared = (process / "smaps_rollup").read_text().split("\nPss:")[1].split()[0]
                total += 1024 * int(shared)
        except (OSError, IndexError):
            continue  # the process has ended
    return total


def measure(sessions: Path, out: Path) -> tuple[float, int]:
    began, most = time.perf_counter(), 0
    command = [sys.executable, "-m", "studyapp.cli", "analyse", str(sessions), "--out", str(out)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True) as process:
        while process.poll() is None:
            most = max(most, memory(process.pid))
            time.sleep(0.2)
    assert process.returncode == 0
    return time.perf_counter() - began, most


def bare(folder: str) -> float:
    """Seconds of a Python that does nothing but load what an analysis needs, and save ten empty figures."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", BARE, folder], check=True)
    return time.perf_counter() - began


def main() -> None:
    sizes = sorted(int(size) for size in sys.argv[1:]) or SIZES
    loaded = load()
    with tempfile.TemporaryDirectory() as folder:
        sessions = Path(folder, "sessions")
        sessions.mkdir()
        written = 0
        print("sessions  seconds  ms per session  memory (MB)  times a bare Python")
        for size in sizes:
            for number in range(written, size):
                id_ = f"P{number:05d}"
                (sessions / f"{id_}.yaml").write_bytes(encode(timed(session(loaded, id_))))
            written = size
            before = bare(folder)
            seconds, most = measure(sessions, Path(folder, "out"))
            ratio = seconds / ((before + bare(folder)) / 2)
            print(
                f"{size:8d}  {seconds:7.1f}  {1000 * seconds / size:14.1f}  {most / 1e6:11.0f}"
                f"  {ratio:19.2f}",
                flush=True,
            )
        logs = sorted(sessions.iterdir())[:READ_BY_YAML]
        began = time.perf_counter()
        for path in logs:
            log.read(path)
        ours = (time.perf_counter() - began) / len(logs)
        began = time.perf_counter()
        for path in logs:
            list(yaml.load_all(path.read_bytes(), Loader=yaml.CSafeLoader))
        theirs = (time.perf_counter() - began) / len(logs)
        print(
            f"reading and checking a log: {1000 * ours:.1f} ms; PyYAML's parser in C takes "
            f"{1000 * theirs:.1f} ms, {theirs / ours:.1f} times as long"
        )


if __name__ == "__main__":
    main()
