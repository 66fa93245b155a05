"""Replications are worked out anywhere, in any order, interrupted or not, and come out the same."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from clusters import cluster

from core.errors import SettingError, StudyappError
from core.settings import Settings
from studyapp.experiments import designs
from studyapp.experiments.bandits import Bandits
from studyapp.experiments.datasets import Dataset
from studyapp.experiments.executors import site
from studyapp.experiments.results import Results, read
from studyapp.experiments.running import Wanted, complete

TABLE = Dataset("some", np.random.default_rng(0).normal(size=(60, 4)))
PAIRS = ("N-N", "N-M", "P-P")


def wanted(path: Path, replications: int = 8, pairs: tuple[str, ...] = PAIRS, **more: Any) -> Wanted:
    learner = Settings(selection="thompson", samples=64)
    design = Bandits(TABLE, arms=12, questions=5, learner=learner, **more)
    return Wanted(path, design, pairs, replications)


def here(one: Wanted) -> Results:
    (results,) = complete([one], partial(site, None, 1), "replications")
    return results


def assert_same(one: Results, other: Results) -> None:
    """Every answer, question and reward to the bit; concordance to rounding."""
    assert one.design == other.design
    assert {name: sorted(found) for name, found in one.records.items()} == {
        name: sorted(found) for name, found in other.records.items()
    }
    for name, found in one.records.items():
        for number, record in found.items():
            twin = other.records[name][number]
            assert record.keys() == twin.keys()
            for key in ("asked", "answers", "reward"):
                assert record[key] == twin[key]
            for key in ("concordance", "alpha"):
                if key in record:
                    assert record[key] == pytest.approx(twin[key], abs=1e-9)


@pytest.fixture(autouse=True)
def small_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(designs, "TOGETHER", 2)


def test_processes_have_the_results_of_one(tmp_path: Path) -> None:
    alone = here(wanted(tmp_path / "one"))
    (spread,) = complete([wanted(tmp_path / "two")], partial(site, None, 2), "replications")
    assert_same(alone, spread)
    assert_same(alone, read(tmp_path / "two"))


def test_however_replications_are_cut_into_jobs_they_are_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_twos = here(wanted(tmp_path / "2"))
    for together in (1, 3, 100):
        monkeypatch.setattr(designs, "TOGETHER", together)
        assert_same(in_twos, here(wanted(tmp_path / str(together * 10))))


def test_more_replications_and_pairs_are_added_to_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "results"
    here(wanted(path, 3, ("N-N",)))
    before = path.read_bytes()
    here(wanted(path, 8))
    assert path.read_bytes().startswith(before)
    assert_same(read(path), here(wanted(tmp_path / "at once", 8)))


def test_what_is_there_is_not_worked_out_again(tmp_path: Path) -> None:
    path = tmp_path / "results"
    here(wanted(path))
    before = path.read_bytes()

    def nowhere() -> Any:
        raise AssertionError("there is nothing to do")

    (results,) = complete([wanted(path)], nowhere, "replications")
    assert path.read_bytes() == before
    assert_same(results, read(path))


def test_several_experiments_are_worked_out_side_by_side(tmp_path: Path) -> None:
    several = [wanted(tmp_path / "a"), wanted(tmp_path / "b", c=-2.0, d=6.0)]
    found = complete(several, partial(site, None, 2), "replications")
    for one, results in zip(several, found, strict=True):
        assert_same(results, here(Wanted(tmp_path / f"{one.path.name} alone", one.design, PAIRS, 8)))


def when(ready: Callable[[], bool], act: Callable[[], None]) -> Thread:
    """Act as soon as something is so, while others work."""

    def wait() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and not ready():
            time.sleep(0.01)
        act()

    thread = Thread(target=wait)
    thread.start()
    return thread


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_cluster_that_loses_a_worker_half_way_has_the_results_of_one_process(tmp_path: Path) -> None:
    path = tmp_path / "results"
    alone = here(wanted(tmp_path / "alone", 40, ("N-M", "P-P")))
    with cluster(tmp_path, workers=2) as found:

        def kill() -> None:
            found.workers[0].kill()
            found.workers[0].wait()

        killer = when(lambda: lines(path) > 4, kill)
        (results,) = complete(
            [wanted(path, 40, ("N-M", "P-P"))], partial(site, found.address, None), "replications"
        )
        killer.join()
        assert found.workers[0].returncode == -signal.SIGKILL
        assert found.workers[1].poll() is None
    assert_same(alone, results)
    assert_same(alone, read(path))


def test_a_scheduler_that_is_lost_half_way_costs_no_finished_replication(tmp_path: Path) -> None:
    path = tmp_path / "results"
    with cluster(tmp_path, workers=1) as found:
        killer = when(lambda: lines(path) > 2, found.scheduler.kill)
        with pytest.raises(StudyappError, match="connection to the Dask scheduler was lost; finished"):
            complete([wanted(path, 1000, ("P-P",))], partial(site, found.address, None), "replications")
        killer.join()
    assert 2 <= len(read(path).records["P-P"]) < 1000


def test_a_scheduler_that_does_not_answer_is_told_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studyapp.experiments.executors.PATIENCE", 1.0)
    for address in ("tcp://127.0.0.1:9", "nonsense://here"):
        with pytest.raises(
            SettingError, match=r"no Dask scheduler answers at .*; start one with 'dask sched"
        ):
            complete([wanted(tmp_path / "r")], partial(site, address, None), "replications")


def test_a_cluster_without_workers_is_told(tmp_path: Path) -> None:
    with (
        cluster(tmp_path, workers=0) as found,
        pytest.raises(SettingError, match="has no workers; start some: dask worker tcp://"),
    ):
        complete([wanted(tmp_path / "r")], partial(site, found.address, None), "replications")


def test_a_process_that_is_killed_costs_no_finished_replication(tmp_path: Path) -> None:
    path = tmp_path / "results"
    many = wanted(path, 200, ("N-M", "P-P"))

    def kill() -> None:
        import multiprocessing

        for child in multiprocessing.active_children():
            assert child.pid is not None
            os.kill(child.pid, signal.SIGKILL)

    killer = when(lambda: lines(path) > 4, kill)
    with pytest.raises(StudyappError, match=r"ended from outside.*finished replications are kept"):
        complete([many], partial(site, None, 2), "replications")
    killer.join()
    kept = read(path)
    assert 4 <= sum(map(len, kept.records.values())) < 400
    few = Wanted(path, many.design, ("N-M", "P-P"), 12)
    complete([few], partial(site, None, 1), "replications")
    fresh = here(wanted(tmp_path / "fresh", 12, ("N-M", "P-P")))
    assert_same(read(path).part(("N-M", "P-P"), 12), fresh)
