"""The same work on many files, on all cores, in their order, with a bar for whoever waits."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from studyapp.progress import bar

__all__ = ["in_order"]

FEW = 4  # files that are done sooner than processes are started
AHEAD = 4  # files that each process may be ahead of what was taken

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_order(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    telling: str,
    *,
    few: int = FEW,
) -> Iterator[Result]:
    """``work`` on every item, in their order; in this process where they are ``few``."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    with bar(telling, len(items)) as tell:
        if len(items) <= few or cores == 1:
            for done, item in enumerate(items, start=1):
                yield work(item)
                tell(done)
            return
        # A new interpreter for each process: a fork would copy the threads of this one half-way.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(min(cores, len(items)), mp_context=context) as pool:
            try:
                waiting = [pool.submit(work, item) for item in items[: cores * AHEAD]]
                for done in range(1, len(items) + 1):
                    result = waiting.pop(0).result()
                    waiting += [pool.submit(work, item) for item in items[done + cores * AHEAD - 1 :][:1]]
                    yield result
                    tell(done)
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
