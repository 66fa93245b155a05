"""The same work on a list of items: on all cores, in order, with a progress bar."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from threading import Thread
from types import TracebackType
from typing import ParamSpec, TypeVar

from studyapp.base.console import bar
from studyapp.base.terminal import protect

FEW = 4  # items; so few are done before processes could have started
AHEAD = 4  # items per process that may be finished before their results are taken

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")


def in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    label: str,
    *,
    few: int = FEW,
) -> Iterator[Result]:
    """Yield ``work(item)`` for every item, in order; in this process if there are only a ``few``."""
    processes = cores()
    with bar(label, len(items)) as update:
        if len(items) <= few or processes == 1:
            for done, item in enumerate(items, start=1):
                yield work(item)
                update(done)
            return
        with Processes(min(processes, len(items))) as pool:
            window = processes * AHEAD
            waiting = [pool.submit(work, item) for item in items[:window]]
            for done in range(1, len(items) + 1):
                result = waiting.pop(0).result()
                waiting += [pool.submit(work, item) for item in items[done + window - 1 :][:1]]
                yield result
                update(done)


def cores() -> int:
    """The number of cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes(ProcessPoolExecutor):
    """Worker processes that end with this process: at once if it leaves them with an error or Ctrl+C.

    Each is a new interpreter: a fork would copy this one's threads half-way.
    """

    def __init__(self, count: int) -> None:
        super().__init__(count, multiprocessing.get_context("spawn"), _begin)

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        with _ignoring_ctrl_c():  # submitting may start a process
            return super().submit(fn, *args, **kwargs)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:  # an error, or a loop over the results was left: nobody waits for the rest
            processes = list((self._processes or {}).values())
            self.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
        super().__exit__(kind, value, trace)


def _begin() -> None:
    """In each worker: end when the parent is killed, since nobody would want the results."""
    protect()
    Thread(target=_wait_and_end, daemon=True).start()


def _wait_and_end() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def _ignoring_ctrl_c() -> Iterator[None]:
    """Processes started here don't get Ctrl+C, which a terminal sends to all: this one ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
