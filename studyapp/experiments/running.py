"""Simulate the replications that some experiments lack, and save each job's results as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.errors import StudyappError
from studyapp.base.progress import bar
from studyapp.base.terminal import report
from studyapp.experiments.designs import Design, Job, Record, run_job
from studyapp.experiments.executors import KEPT, Site
from studyapp.experiments.results import Results
from studyapp.experiments.results_file import ResultsFile, open_results

__all__ = ["Wanted", "complete"]


@dataclass(frozen=True)
class Wanted:
    """The first replications of some series of a design, and the file they are saved in."""

    path: Path
    design: Design
    series: tuple[str, ...]
    replications: int


def complete(
    wanted: Sequence[Wanted], at: Callable[[], AbstractContextManager[Site]], label: str
) -> list[Results]:
    """The results of everything wanted, once all that is missing has been simulated ``at`` a site."""
    with ExitStack() as stack:
        files = [stack.enter_context(open_results(item.path, item.design)) for item in wanted]
        missing = [
            file.missing(item.series, item.replications) for file, item in zip(files, wanted, strict=True)
        ]
        total = sum(len(numbers) for by_series in missing for numbers in by_series.values())
        if total:
            jobs = (
                (file, job)
                for file, item, by_series in zip(files, wanted, missing, strict=True)
                for job in item.design.jobs(by_series)
            )
            with _explained(), at() as site, bar(label, total) as update:
                done = 0
                for file, records in _finished(jobs, site):
                    file.add(records)
                    done += len(records)
                    update(done)
        return [file.results for file in files]


def _finished(
    jobs: Iterator[tuple[ResultsFile, Job]], site: Site
) -> Iterator[tuple[ResultsFile, list[Record]]]:
    """The records of each job and the file they belong to, in the order in which jobs finish."""
    waiting: dict[Future[list[Record]], ResultsFile] = {}
    while True:
        for file, job in islice(jobs, site.capacity - len(waiting)):
            waiting[site.executor.submit(run_job, job)] = file
        if not waiting:
            return
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield waiting.pop(future), future.result()


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
    except CancelledError:
        raise StudyappError(f"the connection to the Dask scheduler was lost; {KEPT}") from None
