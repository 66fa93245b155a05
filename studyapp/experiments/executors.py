"""Where jobs are worked out: here, on all cores of this machine, or on a Dask cluster.

All three are executors of ``concurrent.futures``.  On a cluster Dask itself sees to it that the jobs of a
worker that is lost are given to another.
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

KEPT = "finished replications are kept: the same command goes on from there"

PATIENCE = 10.0  # seconds to wait for a scheduler to answer
WAITING = 3  # jobs for each worker, with the one it works on

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True)
class Site:
    """An executor, and how many jobs it is given at once: more than workers, so that none has to wait."""

    executor: Executor
    room: int


@contextmanager
def site(scheduler: str | None, processes: int | None) -> Iterator[Site]:
    """A Dask cluster where there is a ``scheduler``, else this machine with so many processes (all cores)."""
    if scheduler is not None:
        with _cluster(scheduler) as found:
            yield found
        return
    many = cores() if processes is None else checks.whole("--processes", processes, 1, 1024)
    if many == 1:
        yield Site(_Here(), 1)
        return
    with Processes(many) as executor:
        yield Site(executor, WAITING * many)


class _Here(Executor):
    """Works out each job as it is submitted."""

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
            "--scheduler needs Dask; install it beside studyapp with: pip install distributed"
        ) from None
    with _quiet():
        client = _connected(Client, address)
        try:
            workers = sum(client.nthreads().values())
            if not workers:
                raise SettingError(
                    f"the Dask scheduler at {address} has no workers; start some: dask worker {address}"
                )
            yield Site(client.get_executor(pure=False), WAITING * workers)
        except ModuleNotFoundError as error:
            raise StudyappError(
                f"a Dask worker lacks {error.name}; install studyapp where workers run"
            ) from None
        except Exception as error:
            if type(error).__module__.partition(".")[0] == "distributed":
                raise StudyappError(
                    f"the Dask cluster gave up: {str(error).splitlines()[0]}; {KEPT}"
                ) from None
            raise
        finally:
            client.close(timeout=2)


def _connected(client: Callable[..., Any], address: str) -> Any:
    try:
        return client(address, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # whatever it is, there is no cluster to work on
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    gc.collect()  # half a client is left; collected later, in a thread of Dask's, it would wait for itself
    raise SettingError(
        f"no Dask scheduler answers at {address} ({reason}); start one with 'dask scheduler' and give the "
        "address that it prints, as tcp://192.0.2.7:8786"
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """What Dask would log of a cluster that is lost, our own error says in a sentence."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)
