"""Simulate the replications that some experiments lack, and save each job's results as soon as it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.errors import SettingError, StudyappError
from studyapp.base.console import bar
from studyapp.base.environment import software
from studyapp.base.terminal import report
from studyapp.experiments.cluster import KEPT
from studyapp.experiments.designs import Design, Job, Record
from studyapp.experiments.executors import Site
from studyapp.experiments.records import size
from studyapp.experiments.replies import received
from studyapp.experiments.results import Results
from studyapp.experiments.results_file import MOST_NUMBERS, ResultsFile, open_results, settings_of
from studyapp.experiments.results_folder import MOST_TOGETHER

__all__ = ["Wanted", "complete"]

PAUSE = 1.0  # seconds between two looks at a site that is busy


@dataclass(frozen=True)
class Wanted:
    """The first replications of some series of a design, and the file they are saved in."""

    path: Path
    design: Design
    series: tuple[str, ...]
    replications: int

    @property
    def size(self) -> int:
        """How many numbers its results take the memory of."""
        settings = settings_of(self.design)
        return self.replications * sum(size(settings, series) for series in self.series)


def complete(
    wanted: Sequence[Wanted], at: Callable[[], AbstractContextManager[Site]], label: str
) -> list[Results]:
    """The results of everything wanted, once all that is missing has been simulated ``at`` a site."""
    _check_room(wanted)
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


def _check_room(wanted: Sequence[Wanted]) -> None:
    """Refuse what could not be read again."""
    for item in wanted:
        most = MOST_NUMBERS * item.replications // item.size
        if item.replications > most:
            raise SettingError(
                f"--replications is {item.replications}; one results file has room for {most:,} replications "
                "of these series"
            )
    if sum(item.size for item in wanted) > MOST_TOGETHER:
        raise SettingError(
            "these figures and replications are too many for one folder of results; "
            "ask for fewer replications, or rerun some figures in another folder (--out)"
        )


def _finished(
    jobs: Iterator[tuple[ResultsFile, Job]], site: Site
) -> Iterator[tuple[ResultsFile, list[Record]]]:
    """The records of each job and the file they belong to, in the order in which jobs finish."""
    here = software()
    waiting: dict[Future[str], tuple[ResultsFile, Job]] = {}
    while True:
        for file, job in islice(jobs, max(0, site.capacity - len(waiting))):
            waiting[site.submit(job.work)] = file, job
        site.check()
        if not waiting:
            return
        done, _ = wait(waiting, PAUSE, return_when=FIRST_COMPLETED)
        for future in done:
            file, job = waiting.pop(future)
            yield file, received(future.result(), job, file.results.design, here)


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
