"""Where jobs run: in this process, on all cores of this machine, or on a Dask cluster."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ParamSpec, Protocol, TypeVar

from core import checks
from core.errors import SettingError
from core.files import ordinary
from studyapp.base.parallel import Processes, cores
from studyapp.experiments.cluster import JOBS_PER_WORKER, Address, connected
from studyapp.experiments.designs import Work
from studyapp.experiments.replies import reply

__all__ = ["Address", "Machine", "Site", "address_of", "site"]

P = ParamSpec("P")
T = TypeVar("T")


class Site(Protocol):
    """A place to work."""

    @property
    def capacity(self) -> int:
        """How many jobs to give it at a time: enough to keep every worker busy."""
        ...

    def submit(self, work: Work) -> Future[str]:
        """Begin a piece of work, which ends with a reply."""
        ...

    def check(self) -> None:
        """Raise an error if it will not finish what it was given."""
        ...


@dataclass(frozen=True)
class Machine:
    """This machine."""

    executor: Executor
    capacity: int

    def submit(self, work: Work) -> Future[str]:
        return self.executor.submit(reply, work)

    def check(self) -> None:
        """Its executors notice by themselves that a process was lost."""


def address_of(arguments: argparse.Namespace) -> Address | None:
    """The scheduler that was named on the command line; None if there is none."""
    files = (arguments.tls_ca_file, arguments.tls_cert, arguments.tls_key)
    if arguments.scheduler is not None:
        return Address(arguments.scheduler, *files)
    if any(files):
        raise SettingError("--tls-ca-file, --tls-cert and --tls-key are for a Dask cluster; add --scheduler")
    return None


@contextmanager
def site(address: Address | None, processes: int | None) -> Iterator[Site]:
    """The Dask cluster at an ``address``, or this machine with ``processes`` (None: one per core)."""
    if address is not None:
        for path in address.tls.values():
            with ordinary(path):
                pass  # it can be read
        with connected(address) as cluster:
            yield cluster
        return
    count = cores() if processes is None else checks.whole("--processes", processes, 1, 1024)
    if count == 1:
        yield Machine(_ThisProcess(), 1)
        return
    with Processes(count) as executor:
        yield Machine(executor, JOBS_PER_WORKER * count)


class _ThisProcess(Executor):
    """Runs each job as soon as it is submitted."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        future.set_result(fn(*args, **kwargs))
        return future
