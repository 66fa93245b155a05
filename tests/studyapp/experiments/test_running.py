"""Replications are the same wherever and in whatever order they run, interrupted or not."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from clusters import cluster
from small_experiments import lines, read, wanted, when

from core.errors import SettingError, StudyappError
from studyapp.experiments.designs import design
from studyapp.experiments.executors import Address, Machine, Site, site
from studyapp.experiments.results import Results
from studyapp.experiments.running import Wanted, complete

PAIRS = ("N-N", "N-M", "P-P")


def simulated(item: Wanted) -> Results:
    """In this process."""
    (results,) = complete([item], partial(site, None, 1), "replications")
    return results


@contextmanager
def threads() -> Iterator[Site]:
    """Several jobs at a time, without the time it takes to start processes."""
    with ThreadPoolExecutor(2) as executor:
        yield Machine(executor, 6)


def assert_same(one: Results, other: Results) -> None:
    """Every answer, question and reward is equal; concordance up to rounding."""
    assert one.design == other.design
    assert {name: sorted(records) for name, records in one.records.items()} == {
        name: sorted(records) for name, records in other.records.items()
    }
    for name, records in one.records.items():
        for number, record in records.items():
            twin = other.records[name][number]
            assert record.keys() == twin.keys()
            for key in ("asked", "answers", "reward"):
                assert record[key] == twin[key]
            for key in ("concordance", "alpha"):
                if key in record:
                    assert record[key] == pytest.approx(twin[key], abs=1e-9)


@pytest.fixture(autouse=True)
def small_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design, "REPLICATIONS_PER_JOB", 2)


def test_several_processes_give_the_results_of_one(tmp_path: Path) -> None:
    alone = simulated(wanted(tmp_path / "one"))
    (spread,) = complete([wanted(tmp_path / "two")], partial(site, None, 2), "replications")
    assert_same(alone, spread)
    assert_same(alone, read(tmp_path / "two"))


def test_replications_are_the_same_however_they_are_cut_into_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_twos = simulated(wanted(tmp_path / "2"))
    for together in (1, 3, 100):
        monkeypatch.setattr(design, "REPLICATIONS_PER_JOB", together)
        assert_same(in_twos, simulated(wanted(tmp_path / str(together * 10))))


def test_more_replications_and_pairs_are_added_to_the_results_that_are_there(tmp_path: Path) -> None:
    path = tmp_path / "results"
    simulated(wanted(path, 3, ("N-N",)))
    before = path.read_bytes()
    simulated(wanted(path, 8))
    assert path.read_bytes().startswith(before)
    assert_same(read(path), simulated(wanted(tmp_path / "at once", 8)))


def test_finished_replications_are_not_simulated_again(tmp_path: Path) -> None:
    path = tmp_path / "results"
    simulated(wanted(path))
    before = path.read_bytes()

    def nowhere() -> Any:
        raise AssertionError("nothing is left to simulate")

    (results,) = complete([wanted(path)], nowhere, "replications")
    assert path.read_bytes() == before
    assert_same(results, read(path))


def test_several_experiments_are_simulated_side_by_side(tmp_path: Path) -> None:
    several = [wanted(tmp_path / "a"), wanted(tmp_path / "b", c=-2.0, d=6.0)]
    together = complete(several, threads, "replications")
    for item, results in zip(several, together, strict=True):
        assert_same(results, simulated(Wanted(tmp_path / f"{item.path.name} alone", item.design, PAIRS, 8)))


def test_a_cluster_can_lose_a_worker_and_a_lost_scheduler_costs_no_finished_replication(
    tmp_path: Path,
) -> None:
    """One cluster for both: starting it takes longer than the work."""
    alone = simulated(wanted(tmp_path / "alone", 30, ("N-M", "P-P")))
    path, unfinished = tmp_path / "results", tmp_path / "unfinished"
    with cluster(tmp_path, workers=2) as dask:

        def kill_worker() -> None:
            dask.workers[0].kill()
            dask.workers[0].wait()

        at = partial(site, Address(dask.address), None)
        killer = when(lambda: lines(path) > 4, kill_worker)
        (results,) = complete([wanted(path, 30, ("N-M", "P-P"))], at, "replications")
        killer.join()
        assert dask.workers[0].returncode == -signal.SIGKILL
        assert dask.workers[1].poll() is None

        killer = when(lambda: lines(unfinished) > 2, dask.scheduler.kill)
        with pytest.raises(StudyappError, match="connection to the Dask scheduler was lost; finished"):
            complete([wanted(unfinished, 1000, ("P-P",))], at, "replications")
        killer.join()
    assert_same(alone, results)
    assert_same(alone, read(path))
    assert 2 <= len(read(unfinished).records["P-P"]) < 1000


def test_a_scheduler_that_does_not_answer_is_reported_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyapp.experiments.cluster.PATIENCE", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense://here"):
        with pytest.raises(
            SettingError, match=r"no Dask scheduler answers at .*; start one with 'dask sched"
        ):
            complete([wanted(tmp_path / "r")], partial(site, Address(address), None), "replications")


def test_a_process_that_is_killed_costs_no_finished_replication(tmp_path: Path) -> None:
    path = tmp_path / "results"
    long = wanted(path, 200, ("N-M", "P-P"))

    def kill() -> None:
        import multiprocessing

        for child in multiprocessing.active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGKILL)

    killer = when(lambda: lines(path) > 4, kill)
    with pytest.raises(StudyappError, match=r"worker process was killed.*finished replications are saved"):
        complete([long], partial(site, None, 2), "replications")
    killer.join()
    kept = read(path)
    assert 4 <= sum(map(len, kept.records.values())) < 400
    few = Wanted(path, long.design, ("N-M", "P-P"), 12)
    complete([few], partial(site, None, 1), "replications")
    fresh = simulated(wanted(tmp_path / "fresh", 12, ("N-M", "P-P")))
    assert_same(read(path).first(("N-M", "P-P"), 12), fresh)
