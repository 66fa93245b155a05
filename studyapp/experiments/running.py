"""Simulate the replications that experiments lack, on any executor, and save each job as soon as it is done.

Work is plain calls given to a ``concurrent.futures`` executor: processes of this machine, or a Dask cluster.
Dask itself gives the jobs of a lost worker to another one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from core.checks import whole
from core.errors import SettingError, StudyappError
from core.wording import printable
from studyapp.base.console import bar
from studyapp.base.environment import software
from studyapp.base.parallel import Processes, cores
from studyapp.base.terminal import report
from studyapp.experiments.designs.design import Design, Record, Work
from studyapp.experiments.store import Results, opened, other_versions, save

P = ParamSpec("P")
T = TypeVar("T")

KEPT = "finished replications are saved; run the same command again to continue"
PATIENCE = 10  # seconds for a scheduler to answer
JOBS_PER_WORKER = 3  # submitted at a time, including the one it works on
JOBS_ON_CLUSTER = 300  # submitted at a time: its workers may become more


@dataclass(frozen=True)
class Site:
    """A place to work."""

    executor: Executor
    capacity: int  # how many jobs to give it at a time: enough to keep every worker busy


@contextmanager
def site(scheduler: str | None, processes: int | None) -> Iterator[Site]:
    """The Dask cluster of a scheduler, or this machine with ``processes`` (None: one per core)."""
    count = cores() if processes is None else whole("--processes", processes, 1, 1024)
    if scheduler is not None:
        with _cluster(scheduler) as there:
            yield there
    elif count == 1:
        yield Site(_ThisProcess(), 1)
    else:
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
        import distributed
    except ModuleNotFoundError:
        raise SettingError(
            "--scheduler needs Dask; install it in the same environment: pip install distributed"
        ) from None
    client_of: Any = distributed.Client  # which has no types
    where = printable(address)
    with _without_logs():  # our own error says in one sentence what happened
        try:
            client = client_of(address, timeout=PATIENCE, set_as_default=False)
        except Exception as error:  # whatever went wrong, there is no cluster to work on
            raise SettingError(
                f"no Dask scheduler answers at {where} ({_reason(error)}); start one with 'dask scheduler' "
                "and use the address that it prints, such as tcp://192.0.2.7:8786"
            ) from None
        with client:
            try:
                if not client.run(software):  # a worker without studyapp fails here; it would hang over a job
                    raise SettingError(
                        f"the Dask scheduler at {where} has no workers; start one: dask worker {where}"
                    )
                yield Site(client.get_executor(pure=False), JOBS_ON_CLUSTER)
            except StudyappError:
                raise
            except CancelledError:
                raise StudyappError(f"the connection to the Dask scheduler was lost; {KEPT}") from None
            except Exception as error:  # of a worker, or of Dask on the way to it
                raise StudyappError(
                    f"the Dask cluster failed ({_reason(error)}); is the same version of studyapp installed "
                    f"where its scheduler and its workers run? {KEPT}"
                ) from None


@contextmanager
def _without_logs() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _reason(error: Exception) -> str:
    told = str(error).partition("\n")[0]
    return printable(f"{type(error).__name__}: {told}" if told else type(error).__name__)


@dataclass(frozen=True)
class Wanted:
    """The first replications of some series of a design, and the folder they are saved in."""

    folder: Path
    design: Design
    series: tuple[str, ...]
    replications: int


def complete(
    wanted: Sequence[Wanted], at: Callable[[], AbstractContextManager[Site]], label: str
) -> list[Results]:
    """The results of everything wanted, once all that is missing has been simulated ``at`` a site."""
    found = [opened(item.folder, item.design) for item in wanted]
    missing = [
        results.missing(item.series, item.replications) for item, results in zip(wanted, found, strict=True)
    ]
    if total := sum(len(numbers) for by_series in missing for numbers in by_series.values()):
        jobs = (
            (item.folder, results, work)
            for item, results, by_series in zip(wanted, found, missing, strict=True)
            for work in item.design.jobs(by_series)
        )
        with _explained(), at() as place, bar(label, total) as update:
            done = 0
            for folder, results, records in _finished(jobs, place):
                save(folder, results, records)
                results.add(records)
                done += len(records)
                update(done)
    return found


def _finished(
    jobs: Iterator[tuple[Path, Results, Work]], place: Site
) -> Iterator[tuple[Path, Results, list[Record]]]:
    """The records of each job, and where they belong, in the order in which jobs finish."""
    waiting: dict[Future[tuple[dict[str, str], list[Record]]], tuple[Path, Results]] = {}
    while True:
        for folder, results, work in islice(jobs, place.capacity - len(waiting)):
            waiting[place.executor.submit(_done, work)] = folder, results
        if not waiting:
            return
        for future in wait(waiting, return_when=FIRST_COMPLETED).done:
            folder, results = waiting.pop(future)
            versions, records = future.result()
            if others := other_versions(results.software, versions):
                problem = f"a worker has other versions than this machine: {others}"
                raise StudyappError(f"{problem}; install the same ones there; {KEPT}")
            yield folder, results, records


def _done(work: Work) -> tuple[dict[str, str], list[Record]]:
    """Do the work of a job, in a worker, which says which versions it has."""
    return software(), work()


@contextmanager
def _explained() -> Iterator[None]:
    """Say what happens to finished work when a run ends early."""
    try:
        yield
    except KeyboardInterrupt:
        report(f"studyapp: {KEPT}")
        raise
    except BrokenProcessPool:
        raise StudyappError(
            "a worker process was killed, perhaps because memory ran out (--processes 1 needs the least); "
            f"{KEPT}"
        ) from None
