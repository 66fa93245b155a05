"""Can a participant feel which model asks?  Delays of real sessions under load, by model.

Participants answer as fast as they can in pseudo-terminals, while as many busy processes as there
are cores compete for them.  The delay of every question, from the key before it to its appearance,
is read from the logs; the two models are compared by a Kolmogorov-Smirnov test.
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
    parser.add_argument("--participants", type=int, default=2, help="at the same time")
    arguments = parser.parse_args()
    preload()
    cores = os.cpu_count() or 1
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            study = folder / "study.yaml"
            # A key again so soon would be taken to be held down by a person: not so here.
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
        models = {played.round: played.model for played in started.plan}
        for event in events:
            if isinstance(event, Answered):
                late += event.late
                delays.setdefault(models[event.round], []).append(event.delay_ms)
                if event.compute_ms is not None:
                    computed.setdefault(models[event.round], []).append(event.compute_ms)
    asked = sum(map(len, delays.values()))
    print(f"{asked} questions, {len(logs)} participants at once, {cores} cores with as many busy processes")
    print(f"late questions: {late}")
    for model, taken in delays.items():
        q = np.quantile(taken, [0.05, 0.5, 0.95, 1.0])
        c = np.quantile(computed[model], [0.5, 1.0])
        print(
            f"{model:10} delay, ms: 5 % {q[0]:.1f}, median {q[1]:.1f}, 95 % {q[2]:.1f}, worst {q[3]:.1f}; "
            f"computing: median {c[0]:.1f}, worst {c[1]:.1f}"
        )
    one, other = delays.values()
    test = ks_2samp(one, other)
    print(f"Kolmogorov-Smirnov: D = {test.statistic:.3f}, p = {test.pvalue:.2f}")


if __name__ == "__main__":
    main()
