"""A real Dask cluster: a scheduler and workers, every one in its own process."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PATIENCE = 60.0


@dataclass(frozen=True)
class Cluster:
    address: str
    scheduler: subprocess.Popen[bytes]
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def cluster(
    folder: Path, workers: int, *, preload: Path | None = None, tls: Sequence[str] = ()
) -> Iterator[Cluster]:
    """A scheduler and ``workers`` single-threaded workers; nothing restarts those that are killed.

    Workers load the module ``preload`` first.  ``tls`` are Dask's options for certificates.
    """
    place = folder / "scheduler.json"
    with ExitStack() as stack:
        serve = ["scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(place), *tls]
        scheduler = _start(stack, serve, folder)
        address = _address(place)
        options = [*tls, *(["--preload", str(preload)] if preload else [])]
        started = [stack.enter_context(worker(address, folder, *options)) for _ in range(workers)]
        if workers and not tls:
            _wait_for(address, workers)
        yield Cluster(address, scheduler, started)


@contextmanager
def worker(address: str, folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """One more worker."""
    alone = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
    with ExitStack() as stack:
        yield _start(stack, ["worker", address, *alone, *options], folder)


def _start(stack: ExitStack, command: list[str], folder: Path) -> subprocess.Popen[bytes]:
    log = stack.enter_context((folder / f"{command[0]}.log").open("ab"))
    process = subprocess.Popen(
        [sys.executable, "-m", "dask", *command], cwd=ROOT, stdout=log, stderr=log, stdin=subprocess.DEVNULL
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


def _address(place: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if place.exists() and (text := place.read_text()):
            return str(json.loads(text)["address"])
        time.sleep(0.1)
    raise AssertionError("the Dask scheduler did not start")


def _wait_for(address: str, workers: int) -> None:
    from distributed import Client

    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(workers, timeout=PATIENCE)
