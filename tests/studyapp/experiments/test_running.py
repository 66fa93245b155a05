"""Replications are the same wherever and in whatever order they run, interrupted or not."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from dummy_design import Doubling
from small_experiments import read, wanted

from core.errors import FileError, SettingError, StudyappError
from studyapp.experiments import running
from studyapp.experiments.designs import design
from studyapp.experiments.running import Wanted, complete, site
from studyapp.experiments.store import Results

PAIRS = ("N-N", "N-M", "P-P")


def simulated(item: Wanted, scheduler: str | None = None, processes: int = 1) -> Results:
    (results,) = complete([item], partial(site, scheduler, processes), "replications")
    return results


def assert_same(one: Results, other: Results) -> None:
    """Every answer, question and reward is equal; concordance up to rounding."""
    assert one.design == other.design
    assert {name: of.keys() for name, of in one.records.items()} == {
        name: of.keys() for name, of in other.records.items()
    }
    for name, records in one.records.items():
        for number, record in records.items():
            twin = other.records[name][number]
            assert record.keys() == twin.keys()
            for key, value in record.items():
                exact = key in ("asked", "answers", "reward", "series", "replication", "converged")
                same = np.testing.assert_equal if exact else partial(np.testing.assert_allclose, atol=1e-9)
                same(value, twin[key])


@pytest.fixture(autouse=True)
def small_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(design, "REPLICATIONS_PER_JOB", 2)


def test_several_processes_give_the_results_of_one_however_work_is_cut_into_jobs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = simulated(wanted(tmp_path / "one"))
    assert_same(alone, simulated(wanted(tmp_path / "two"), processes=2))
    assert_same(alone, read(tmp_path / "two"))
    for together in (1, 3, 100):
        monkeypatch.setattr(design, "REPLICATIONS_PER_JOB", together)
        assert_same(alone, simulated(wanted(tmp_path / f"jobs of {together}")))


def test_more_replications_and_pairs_are_added_to_the_results_that_are_there(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    simulated(wanted(folder, 3, ("N-N",)))
    before = {path: path.read_bytes() for path in folder.iterdir()}
    simulated(wanted(folder, 8))
    assert {path: path.read_bytes() for path in before} == before
    assert_same(read(folder), simulated(wanted(tmp_path / "at once", 8)))


def test_several_experiments_are_simulated_and_nothing_finished_is_simulated_again(tmp_path: Path) -> None:
    several = [wanted(tmp_path / "a"), wanted(tmp_path / "b", c=-2.0, d=6.0)]
    together = complete(several, partial(site, None, 1), "replications")
    for item, results in zip(several, together, strict=True):
        alone = Wanted(tmp_path / f"{item.folder.name} alone", item.design, PAIRS, 8)
        assert_same(results, simulated(alone))

    def nowhere() -> Any:
        raise AssertionError("nothing is left to simulate")

    for item, results in zip(several, complete(several, nowhere, "replications"), strict=True):
        assert_same(results, read(item.folder))


def deadly(tmp_path: Path, replications: int = 6) -> Wanted:
    return Wanted(tmp_path / "results", Doubling(str(tmp_path / "dead")), ("plain",), replications)


def test_a_process_that_is_killed_ends_the_run_with_a_sentence_and_the_same_command_continues(
    tmp_path: Path,
) -> None:
    simulated(deadly(tmp_path, 2))
    before = {path: path.read_bytes() for path in (tmp_path / "results").iterdir()}
    with pytest.raises(StudyappError, match=r"worker process was killed.*finished replications are saved"):
        simulated(deadly(tmp_path), processes=2)
    assert {path: path.read_bytes() for path in before} == before
    assert simulated(deadly(tmp_path)).numbers("plain") == list(range(6))


def test_a_full_disk_keeps_what_was_saved_and_the_same_command_continues(tmp_path: Path) -> None:
    sync = os.fsync

    def full(descriptor: int) -> None:
        if len(list(tmp_path.glob("*.json"))) == 3:
            raise OSError(errno.ENOSPC, "no space")
        sync(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(FileError, match="the disk is full"):
            simulated(wanted(tmp_path))
    assert len(list(tmp_path.iterdir())) == 3  # each whole, and nothing beside them
    assert sum(map(len, read(tmp_path).records.values())) == 6
    assert_same(simulated(wanted(tmp_path)), simulated(wanted(tmp_path / "fresh")))


def test_a_worker_with_other_versions_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "software", lambda: {"numpy": "\x1b[2J"})
    with pytest.raises(StudyappError, match=r"other versions than this machine: .*numpy \\x1b\[2J instead"):
        simulated(wanted(tmp_path))
    assert not list(tmp_path.iterdir())


# A cluster


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_whose_worker_is_killed_gives_the_results_of_one_process_and_needs_studyapp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        assert_same(simulated(wanted(tmp_path / "alone")), simulated(wanted(tmp_path / "there"), address))
        results = simulated(deadly(tmp_path), address)
        (tmp_path / "unknown_there.py").write_text("def software(): ...\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setattr(running, "software", importlib.import_module("unknown_there").software)
        with pytest.raises(StudyappError, match=r"No module named 'unknown_there'.*same version of studyapp"):
            simulated(wanted(tmp_path / "nothing"), address)
    assert (tmp_path / "dead").exists()  # a worker has killed itself over its job
    assert (
        sorted(results.records["plain"])
        == sorted(read(tmp_path / "results").records["plain"])
        == list(range(6))
    )
    assert os.getpid() not in {record["process"] for record in results.records["plain"].values()}


@pytest.mark.filterwarnings("ignore")
def test_a_scheduler_without_workers_is_reported_with_the_cure(tmp_path: Path) -> None:
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=None, protocol="tcp") as cluster,
        pytest.raises(SettingError, match=r"has no workers; start one: dask worker tcp://"),
    ):
        simulated(wanted(tmp_path), cluster.scheduler_address)


def test_a_scheduler_that_does_not_answer_and_a_missing_dask_are_reported_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "PATIENCE", 1)
    for address in ("tcp://127.0.0.1:9", "nonsense://here"):
        with pytest.raises(SettingError, match=r"no Dask scheduler answers at .*; start one with 'dask"):
            simulated(wanted(tmp_path), address)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(SettingError, match=r"--scheduler needs Dask; .* pip install distributed"):
        simulated(wanted(tmp_path), "tcp://127.0.0.1:9")
