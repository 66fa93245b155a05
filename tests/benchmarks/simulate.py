"""How long the paper's simulated experiments take, pair by pair, beside the paper's recipe on Pyro.

    python tests/benchmarks/simulate.py            everything, in some minutes
    python tests/benchmarks/simulate.py 20         with 20 replications instead of 100

One core, 100 arms of the Word data, 30 questions.  The peer is timed in the same run, at three of the 30
questions of one replication, and scaled to all 30.  Then come planning further ahead, more arms, memory, and
two processes.
"""

from __future__ import annotations

import studyapp  # noqa: F401 (one thread, set before NumPy is loaded)

# isort: split

import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pyro_recipe  # beside this file
import torch

from core import Vocabulary
from core.pairs import TABLE_1
from core.settings import Settings
from core.simulation import simulate
from core.worlds import World, prepared, world
from studyapp.experiments.datasets import load
from studyapp.experiments.designs.bandits import Bandits
from studyapp.experiments.designs.design import REPLICATIONS_PER_JOB
from studyapp.experiments.running import Wanted, complete, site

QUESTIONS = 30
SCALED = (5, 15, 25)  # the questions at which the peer is timed


def drawn_worlds(replications: int, arms: int = 100) -> list[World]:
    table = prepared(Vocabulary.load("words10k").vectors)
    return [
        world(table, number, arms=arms, questions=QUESTIONS, c=-4.0, d=8.0, seed=0)
        for number in range(replications)
    ]


def seconds(worlds: list[World], pair: str, **settings: object) -> float:
    """The time on one core, in batches of the size that jobs have."""
    learner = Settings(selection="thompson", **settings)  # type: ignore[arg-type]
    start = time.process_time()
    for first in range(0, len(worlds), REPLICATIONS_PER_JOB):
        simulate(worlds[first : first + REPLICATIONS_PER_JOB], pair, learner, 20.0)
    return time.process_time() - start


def peer(world_: World) -> dict[str, float]:
    """Seconds of a replication by the paper's recipe: a naive fit, and looking ahead with a mixture fit."""
    (run,) = simulate([world_], "N-M", Settings(selection="thompson"), 20.0)
    arms = torch.tensor(world_.arms)
    naive, mixture = [], []
    for question in SCALED:
        asked = torch.tensor(run.asked[:question])
        answers = torch.tensor(run.answers[:question], dtype=torch.float64)
        differences = 0.1 * torch.randn(question - 1, arms.shape[1], dtype=torch.float64)
        start = time.perf_counter()
        pyro_recipe.tell_naive(arms, asked, answers)
        middle = time.perf_counter()
        pyro_recipe.tell_mixture(arms, asked, answers, differences)
        naive.append(middle - start)
        mixture.append(time.perf_counter() - middle)
    return {"N-N": QUESTIONS * float(np.mean(naive)), "N-M": QUESTIONS * float(np.mean(mixture))}


def pairs(replications: int) -> None:
    worlds = drawn_worlds(replications)
    recipe = peer(worlds[0])
    print(f"{replications} replications on one core; ms and Pyro's s are per replication\n")
    print(f"{'pair':6}{'seconds':>9}{'ms':>9}{'Pyro, s':>15}{'ratio':>9}")
    total = 0.0
    for pair in TABLE_1:
        time_taken = seconds(worlds, pair)
        total += time_taken
        line = f"{pair:6}{time_taken:9.2f}{1e3 * time_taken / replications:9.1f}"
        if pair in recipe:
            line += f"{recipe[pair]:15.1f}{replications * recipe[pair] / time_taken:8.0f}x"
        print(line, flush=True)
    print(f"{'all':6}{total:9.2f}{1e3 * total / replications:9.1f}")
    published = sum(seconds(worlds, pair, fit="published") for pair in TABLE_1)
    print(f"all, with the published fits: {published:.2f} s\n")


def ratios(replications: int) -> None:
    worlds = drawn_worlds(replications)
    one = seconds(worlds, "P-P")
    print(f"P-P, {replications} replications: {one:.2f} s")
    for horizon in (2, 3, 4):
        print(
            f"  planning {horizon} steps: {seconds(worlds, 'P-P', horizon=horizon) / one:5.1f} times",
            flush=True,
        )
    print(f"  500 arms:         {seconds(drawn_worlds(replications, 500), 'P-P') / one:5.1f} times\n")


def processes(replications: int) -> None:
    """One and two processes by the clock; a run with almost no work shows how long starting two takes."""

    def taken(folder: str, count: int, wanted: int) -> float:
        design = Bandits(load("word", None), learner=Settings(selection="thompson"))
        start = time.perf_counter()
        path = Path(folder) / f"{count} {wanted}"
        complete([Wanted(path, design, TABLE_1, wanted)], partial(site, None, count), "replications")
        return time.perf_counter() - start

    with tempfile.TemporaryDirectory() as folder:
        start = taken(folder, 2, 1)
        one, two = (taken(folder, count, replications) for count in (1, 2))
    print(
        f"all pairs, {replications} replications: {one:.1f} s in one process, {two:.1f} s in two, "
        f"{one / two:.2f} times as fast;\n  {one / (two - start):.2f} times without the {start:.1f} s "
        "it takes to start them"
    )


MEMORY = """
import sys
from functools import partial
from core.settings import Settings
from studyapp.experiments.datasets import load
from studyapp.experiments.designs.bandits import Bandits
from studyapp.experiments.running import Wanted, complete, site
from pathlib import Path
design = Bandits(load("word", None), arms=500, learner=Settings(selection="thompson"))
complete([Wanted(Path(sys.argv[1]), design, ("P-M",), int(sys.argv[2]))], partial(site, None, 1), "")
"""


def memory(replications: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "results"
        subprocess.run([sys.executable, "-c", MEMORY, str(place), str(replications)], check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{replications} replications of P-M with 500 arms: at most {peak:,.0f} MB")


def main() -> None:
    torch.set_num_threads(1)  # for Pyro
    torch.set_default_dtype(torch.float64)
    replications = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    pairs(replications)
    ratios(max(5, replications // 4))
    memory(replications)
    processes(5 * replications)  # two minutes


if __name__ == "__main__":
    main()
