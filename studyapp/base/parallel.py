"""The same work on many files, on all cores, in their order, with a bar for whoever waits."""

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

from studyapp.base.progress import bar

__all__ = ["Processes", "cores", "in_order"]

FEW = 4  # files that are done sooner than processes are started
AHEAD = 4  # files that each process may be ahead of what was taken

Item = TypeVar("Item")
Result = TypeVar("Result")
P = ParamSpec("P")


def in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    telling: str,
    *,
    few: int = FEW,
) -> Iterator[Result]:
    """``work`` on every item, in their order; in this process where they are ``few``."""
    many = cores()
    with bar(telling, len(items)) as tell:
        if len(items) <= few or many == 1:
            for done, item in enumerate(items, start=1):
                yield work(item)
                tell(done)
            return
        with Processes(min(many, len(items))) as pool:
            waiting = [pool.submit(work, item) for item in items[: many * AHEAD]]
            for done in range(1, len(items) + 1):
                result = waiting.pop(0).result()
                waiting += [pool.submit(work, item) for item in items[done + many * AHEAD - 1 :][:1]]
                yield result
                tell(done)


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes(ProcessPoolExecutor):
    """Processes that end with this one, at once where it leaves them in an error or by Ctrl+C.

    Each is a new interpreter: a fork would copy the threads of this one half-way.
    """

    def __init__(self, many: int) -> None:
        super().__init__(many, multiprocessing.get_context("spawn"), _end_with_parent)

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        with _deaf():  # it may start a process
            return super().submit(fn, *args, **kwargs)

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:  # or a loop over results was left: nobody waits for the rest
            processes = list((self._processes or {}).values())
            self.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
        super().__exit__(kind, value, trace)


def _end_with_parent() -> None:
    """In each process: end when the one that asks was killed, as nobody would ever ask for more."""
    Thread(target=_wait_and_end, daemon=True).start()


def _wait_and_end() -> None:
    if parent := multiprocessing.parent_process():
        parent.join()
        os._exit(1)


@contextmanager
def _deaf() -> Iterator[None]:
    """Processes that are started here do not hear Ctrl+C, which goes to all: this one does, and ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
