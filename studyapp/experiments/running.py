"""Work out what is missing of some experiments, and keep each job's replications as soon as they are done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.errors import StudyappError
from studyapp.base.progress import bar
from studyapp.experiments.designs import Design, Job, Record, do
from studyapp.experiments.executors import KEPT, Site
from studyapp.experiments.results import Results, ResultsFile, opened

__all__ = ["Wanted", "complete"]


@dataclass(frozen=True)
class Wanted:
    """The first so many replications of some series of a design, and where they are kept."""

    path: Path
    design: Design
    series: tuple[str, ...]
    replications: int


def complete(
    wanted: Sequence[Wanted], at: Callable[[], AbstractContextManager[Site]], telling: str
) -> list[Results]:
    """The results of all that is wanted, after what is missing of it has been worked out ``at`` a site."""
    with ExitStack() as stack:
        files = [stack.enter_context(opened(each.path, each.design)) for each in wanted]
        missing = [
            file.missing(each.series, each.replications) for file, each in zip(files, wanted, strict=True)
        ]
        total = sum(len(numbers) for each in missing for numbers in each.values())
        if total:
            jobs = (
                (file, job)
                for file, each, lacking in zip(files, wanted, missing, strict=True)
                for job in each.design.jobs(lacking)
            )
            with _explained(), at() as site, bar(telling, total) as tell:
                done = 0
                for file, records in _finished(jobs, site):
                    file.add(records)
                    done += len(records)
                    tell(done)
        return [file.results for file in files]


def _finished(
    jobs: Iterator[tuple[ResultsFile, Job]], site: Site
) -> Iterator[tuple[ResultsFile, list[Record]]]:
    """The records of each job with the file they belong to, in the order in which jobs are done."""
    waiting: dict[Future[list[Record]], ResultsFile] = {}
    while True:
        for file, job in islice(jobs, site.room - len(waiting)):
            waiting[site.executor.submit(do, job)] = file
        if not waiting:
            return
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield waiting.pop(future), future.result()


@contextmanager
def _explained() -> Iterator[None]:
    """Tell what became of the work when it ends early."""
    try:
        yield
    except KeyboardInterrupt:
        print(f"studyapp: {KEPT}", file=sys.stderr)
        raise
    except BrokenProcessPool:
        raise StudyappError(
            f"a process was ended from outside, perhaps for want of memory (try --processes 1); {KEPT}"
        ) from None
    except CancelledError:
        raise StudyappError(f"the connection to the Dask scheduler was lost; {KEPT}") from None
