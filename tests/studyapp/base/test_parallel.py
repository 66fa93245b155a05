"""Work on many items: in order, on all cores, not far ahead, and over as soon as nobody waits."""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from core.errors import FileError
from studyapp.base.parallel import AHEAD, FEW, cores, in_order
from studyapp.session.resuming import OverError

PATIENCE = 120.0  # seconds; only a hang takes as long

needs_cores = pytest.mark.skipif(cores() == 1, reason="with one core all work is done in one process")


# Work, of a kind that other processes can find by its name


def last_first(folder: Path, item: int) -> tuple[int, int]:
    """An item and who did it; the first waits for the second."""
    (folder / str(item)).touch()
    until(lambda: item or (folder / "1").exists())
    return item, os.getpid()


def marked(folder: Path, item: int) -> int:
    (folder / str(item)).touch()
    return item


def endless_after_the_first(item: int) -> int:
    if item:
        threading.Event().wait()
    return item


def hold(folder: Path, _: int) -> None:
    """Hold a lock for as long as the process lives."""
    with (folder / f"{os.getpid()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        (folder / f"{os.getpid()}.held").touch()
        threading.Event().wait()


def fail(item: int) -> int:
    if item == 5:
        raise OverError("P05.yaml", "has finished", where="line 3")
    return item


def until(true: Callable[[], object]) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@contextlib.contextmanager
def all_ended() -> Iterator[None]:
    """What is done in here leaves no process behind."""
    before = set(multiprocessing.active_children())
    yield
    until(lambda: set(multiprocessing.active_children()) <= before)


def test_few_items_are_processed_in_this_process_and_only_when_asked_for(tmp_path: Path) -> None:
    here = threading.local()  # which no other process could be sent
    for count, few in ((FEW, FEW), (20, 20), (0, FEW)):
        results = in_order(lambda item: setattr(here, "last", item), range(count), "items", few=few)
        assert len(list(results)) == count
        assert not count or here.last == count - 1
    results = in_order(partial(marked, tmp_path), range(3), "marks")
    assert list(tmp_path.iterdir()) == []
    assert next(results) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["0"]


@needs_cores
def test_more_items_are_processed_by_worker_processes_and_come_in_order(tmp_path: Path) -> None:
    with all_ended():
        done = list(in_order(partial(last_first, tmp_path), range(30), "items"))
    assert [item for item, _ in done] == list(range(30))
    processes = {process for _, process in done}
    assert os.getpid() not in processes
    assert len(processes) <= cores()


@needs_cores
def test_workers_stay_a_bounded_number_of_items_ahead(tmp_path: Path) -> None:
    items = range(cores() * AHEAD + 12)
    for taken in in_order(partial(marked, tmp_path), items, "marks"):
        ahead = min(len(items), taken + 1 + cores() * AHEAD)
        until(lambda ahead=ahead: len(list(tmp_path.iterdir())) >= ahead)
        assert len(list(tmp_path.iterdir())) == ahead


@pytest.mark.parametrize("few", [0, 99])
def test_an_error_arrives_unchanged_after_the_results_before_it(few: int) -> None:
    results = in_order(fail, range(9), "failing", few=few)
    with all_ended():
        assert [next(results) for _ in range(5)] == [0, 1, 2, 3, 4]
        with pytest.raises(FileError) as caught:
            next(results)
    error = caught.value
    assert type(error) is OverError
    assert (error.path, error.where, error.problem) == ("P05.yaml", "line 3", "has finished")


@needs_cores
def test_leaving_the_loop_ends_the_workers_at_once() -> None:
    with all_ended():
        for first in in_order(endless_after_the_first, range(40), "waiting"):
            assert first == 0
            break


def free(lock: Path) -> bool:
    """Is the process gone that held it?"""
    with lock.open() as file, contextlib.suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


@needs_cores
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_a_parent_that_is_killed_or_interrupted(
    tmp_path: Path, how: signal.Signals
) -> None:
    here = Path(__file__)
    program = (
        "from functools import partial; from pathlib import Path; import test_parallel as this\n"
        f"list(this.in_order(partial(this.hold, Path({str(tmp_path)!r})), range(40), 'holding'))"
    )
    path = os.pathsep.join(map(str, (here.parent, here.parents[2], here.parents[3])))
    app = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of processes, to all of which a terminal sends Ctrl+C
    )
    until(lambda: app.poll() is not None or len(list(tmp_path.glob("*.held"))) == cores())
    assert app.poll() is None
    (os.killpg if how is signal.SIGINT else os.kill)(app.pid, how)
    _, error = app.communicate()
    until(lambda: all(free(lock) for lock in tmp_path.glob("*.lock")))
    assert error.count("KeyboardInterrupt") == (how is signal.SIGINT)  # in this process alone
