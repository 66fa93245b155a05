"""Could a participant feel which model asks?  Compares the delays of questions between models, under load.

Participants answer as fast as they can in pseudo-terminals, while one busy process per core competes with
them.  The delay of a question runs from the key before it to its appearance; it is read from the logs.  A
Kolmogorov-Smirnov test compares the two models.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2])]

import numpy as np
from lives import live
from scipy.stats import ks_2samp
from terminal import preload

from studyapp.base import documents
from studyapp.session.events import Answered, Started
from studyapp.session.log import read
from studyapp.study.loading import load


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--participants", type=int, default=2, help="how many at the same time")
    arguments = parser.parse_args()
    preload()
    cores = os.cpu_count() or 1
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            study = folder / "study.yaml"
            # Keys come faster than a person could press them, so none of them is taken for a held key.
            study.write_text(documents.block(load().study.record() | {"pace": {"pause": 0.5, "hold": 0.0}}))
            children = [_participant(study, folder, number) for number in range(arguments.participants)]
            for child in children:
                os.waitpid(child, 0)
            _report(
                [folder / "sessions" / f"P{number}.yaml" for number in range(arguments.participants)], cores
            )
    finally:
        for process in busy:
            process.kill()


def _participant(study: Path, folder: Path, number: int) -> int:
    child = os.fork()
    if child == 0:
        command = [
            "run",
            "--study",
            str(study),
            "--participant",
            f"P{number}",
            "--sessions",
            str(folder / "sessions"),
        ]
        try:
            live(command, 3600.0, "KILL")
        finally:
            os._exit(0)
    return child


def _report(logs: list[Path], cores: int) -> None:
    delays: dict[str, list[float]] = {}
    computed: dict[str, list[float]] = {}
    late = 0
    for log in logs:
        started, *events = read(log).events
        assert isinstance(started, Started)
        models = {round_.round: round_.model for round_ in started.plan}
        for event in events:
            if isinstance(event, Answered):
                late += event.late
                delays.setdefault(models[event.round], []).append(event.delay_ms)
                if event.compute_ms is not None:
                    computed.setdefault(models[event.round], []).append(event.compute_ms)
    questions = sum(map(len, delays.values()))
    print(f"{questions} questions, {len(logs)} participants at once, {cores} cores with 1 busy process each")
    print(f"late questions: {late}")
    for model in delays:
        low, median, high, worst = np.quantile(delays[model], [0.05, 0.5, 0.95, 1.0])
        computing, longest = np.quantile(computed[model], [0.5, 1.0])
        print(
            f"{model:10} delay in ms: median {median:.1f} (5 %: {low:.1f}, 95 %: {high:.1f}), "
            f"worst {worst:.1f}; computing: median {computing:.1f}, worst {longest:.1f}"
        )
    first, second = delays.values()
    test = ks_2samp(first, second)
    print(f"Kolmogorov-Smirnov: D = {test.statistic:.3f}, p = {test.pvalue:.2f}")


if __name__ == "__main__":
    main()
