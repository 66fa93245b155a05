"""Work on many items: in order, on all cores, not far ahead, and over as soon as nobody waits."""

from __future__ import annotations

import contextlib
import fcntl
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from study_files import small, write

from core.errors import FileError, SettingError
from studyapp.base.parallel import AHEAD, FEW, in_order
from studyapp.session.resuming import OverError

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
PATIENCE = 20.0  # seconds for processes to start or end; what they sleep is much longer
LONG = 120.0

needs_cores = pytest.mark.skipif(CORES == 1, reason="with one core all work is done in one process")


# Work, of a kind that other processes can find by its name


def whose(_: int) -> int:
    return os.getpid()


def slow_at_first(item: int) -> int:
    time.sleep(0.5 if item == 0 else 0.0)
    return item * item


def marked(folder: Path, item: int) -> int:
    (folder / str(item)).touch()
    return item


def sleep_after_the_first(item: int) -> int:
    time.sleep(LONG if item else 0.0)
    return item


def hold(folder: Path, item: int) -> int:
    """Hold a lock for as long as the process lives."""
    with (folder / f"{os.getpid()}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        (folder / f"{os.getpid()}.held").touch()
        time.sleep(LONG)
    return item


def fail(item: int) -> int:
    match item:
        case 5:
            raise OverError("P05.yaml", "has finished", where="line 3")
        case 6:
            raise SettingError("tau must be above 0")
        case _:
            return item


def has(folder: Path, count: int) -> bool:
    return len(list(folder.iterdir())) >= count


def until(true: Callable[[], object]) -> None:
    """Wait for something to come true."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@contextlib.contextmanager
def all_ended() -> Iterator[None]:
    """What is done in here leaves no process behind, and waits for none that sleeps."""
    before = set(multiprocessing.active_children())
    began = time.monotonic()
    yield
    until(lambda: set(multiprocessing.active_children()) <= before)
    assert time.monotonic() - began < 2 * PATIENCE < LONG


# Where, and in which order


def test_few_items_are_processed_in_this_process() -> None:
    assert set(in_order(whose, range(FEW), "whose")) == {os.getpid()}
    assert set(in_order(whose, range(20), "whose", few=20)) == {os.getpid()}
    assert list(in_order(whose, [], "whose")) == []


@needs_cores
def test_more_items_are_processed_by_worker_processes() -> None:
    with all_ended():
        processes = list(in_order(whose, range(FEW + 8), "whose"))
    assert len(processes) == FEW + 8
    assert os.getpid() not in processes
    assert len(set(processes)) <= CORES


@pytest.mark.parametrize("few", [0, 99])
def test_results_come_in_the_order_of_the_items(few: int) -> None:
    expected = [item * item for item in range(30)]
    assert list(in_order(slow_at_first, range(30), "squares", few=few)) == expected


@needs_cores
def test_workers_stay_a_bounded_number_of_items_ahead(tmp_path: Path) -> None:
    items = range(CORES * AHEAD + 12)
    for taken in in_order(partial(marked, tmp_path), items, "marks"):
        ahead = min(len(items), taken + 1 + CORES * AHEAD)
        until(partial(has, tmp_path, ahead))
        assert len(list(tmp_path.iterdir())) == ahead


def test_few_items_are_processed_only_when_asked_for(tmp_path: Path) -> None:
    results = in_order(partial(marked, tmp_path), range(3), "marks")
    assert list(tmp_path.iterdir()) == []
    assert next(results) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["0"]


# Errors


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
    assert str(error) == "P05.yaml, line 3: has finished"


@pytest.mark.parametrize("few", [0, 99])
def test_every_studyapp_error_survives_the_way_between_processes(few: int) -> None:
    with pytest.raises(SettingError, match=r"^tau must be above 0$"):
        list(in_order(fail, [6] * 9, "failing", few=few))


# The end


@needs_cores
def test_leaving_the_loop_ends_the_workers_at_once() -> None:
    with all_ended():
        for first in in_order(sleep_after_the_first, range(40), "sleeping"):
            assert first == 0
            break


@needs_cores
def test_an_exception_in_the_loop_ends_the_workers_at_once() -> None:
    def body() -> None:
        for _ in in_order(sleep_after_the_first, range(40), "sleeping"):
            raise ZeroDivisionError

    with all_ended(), pytest.raises(ZeroDivisionError):
        body()


def free(lock: Path) -> bool:
    """Is the process gone that held it?"""
    with lock.open() as file, contextlib.suppress(BlockingIOError):
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


@needs_cores
def test_no_worker_outlives_a_killed_parent(tmp_path: Path) -> None:
    here = Path(__file__)
    program = (
        "from functools import partial; from pathlib import Path; import test_parallel as this\n"
        f"list(this.in_order(partial(this.hold, Path({str(tmp_path)!r})), range(40), 'holding'))"
    )
    path = os.pathsep.join(map(str, (here.parent, here.parents[2], here.parents[3])))
    app = subprocess.Popen([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": path})
    until(lambda: app.poll() is not None or len(list(tmp_path.glob("*.held"))) == CORES)
    assert app.poll() is None
    app.kill()
    app.wait()
    until(lambda: all(free(lock) for lock in tmp_path.glob("*.lock")))


@needs_cores
def test_ctrl_c_ends_a_command_and_its_workers_at_once_with_one_line(tmp_path: Path) -> None:
    write(tmp_path, small(pace={"pause": 0}, questions=2))
    sessions = tmp_path / "sessions"
    command = ["rehearse", "--study", str(tmp_path / "study.yaml"), "--sessions", str(sessions)]
    app = subprocess.Popen(
        [sys.executable, "-m", "studyapp.cli", *command, "--participants", "100000", "--teacher", "random"],
        cwd=Path(__file__).parents[3],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a group of processes, to all of which the key goes
    )
    until(lambda: sessions.exists() and len(list(sessions.glob("*.yaml"))) > CORES)
    os.killpg(app.pid, signal.SIGINT)
    began = time.monotonic()
    _, error = app.communicate()
    assert (app.returncode, error) == (130, "studyapp: interrupted\n")
    assert time.monotonic() - began < PATIENCE
