"""Where jobs run: in this process, on all cores of this machine, or on a Dask cluster.

All three are ``concurrent.futures`` executors.  On a cluster, Dask itself hands the jobs of a lost worker to
another one.
"""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from core import checks
from core.errors import SettingError, StudyappError
from studyapp.base.parallel import Processes, cores

__all__ = ["KEPT", "Site", "site"]

KEPT = "finished replications are saved; run the same command again to continue"

PATIENCE = 10.0  # seconds to wait for a scheduler to answer
JOBS_PER_WORKER = 3  # submitted at a time, including the one it works on

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Site:
    """An executor, and how many jobs to give it at a time: enough to keep every worker busy."""

    executor: Executor
    capacity: int


@contextmanager
def site(scheduler: str | None, processes: int | None) -> Iterator[Site]:
    """The Dask cluster of a ``scheduler``, or this machine with ``processes`` (None: one per core)."""
    if scheduler is not None:
        with _cluster(scheduler) as cluster:
            yield cluster
        return
    count = cores() if processes is None else checks.whole("--processes", processes, 1, 1024)
    if count == 1:
        yield Site(_ThisProcess(), 1)
        return
    with Processes(count) as executor:
        yield Site(executor, JOBS_PER_WORKER * count)


class _ThisProcess(Executor):
    """Runs each job as soon as it is submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def _cluster(address: str) -> Iterator[Site]:
    try:
        from distributed import Client
    except ModuleNotFoundError:
        raise SettingError(
            "--scheduler needs Dask; install it in the same environment: pip install distributed"
        ) from None
    with _quiet():
        client = _connected(Client, address)
        try:
            workers = sum(client.nthreads().values())
            if not workers:
                raise SettingError(
                    f"the Dask scheduler at {address} has no workers; start one: dask worker {address}"
                )
            yield Site(client.get_executor(pure=False), JOBS_PER_WORKER * workers)
        except ModuleNotFoundError as error:
            raise StudyappError(
                f"a Dask worker can't import {error.name}; install studyapp where the workers run"
            ) from None
        except Exception as error:
            if type(error).__module__.partition(".")[0] == "distributed":
                raise StudyappError(
                    f"the Dask cluster failed: {str(error).splitlines()[0]}; {KEPT}"
                ) from None
            raise
        finally:
            client.close(timeout=2)


def _connected(client: Callable[..., Any], address: str) -> Any:
    try:
        return client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # whatever went wrong, there is no cluster to work on
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    gc.collect()  # half a client is left; collected later, in one of Dask's threads, it would wait for itself
    raise SettingError(
        f"no Dask scheduler answers at {address} ({reason}); start one with 'dask scheduler' and use the "
        "address that it prints, such as tcp://192.0.2.7:8786"
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's log: our own error says in one sentence that a cluster was lost."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
