"""A Dask cluster is trusted with numbers and with nothing else, and no wait for it is without an end."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import hostile_worker
import pytest
from clusters import ROOT, Cluster, cluster, worker
from hostile_worker import POISONS
from small_experiments import lines, read, wanted, when

from core.errors import SettingError, StudyappError
from studyapp.cli import main
from studyapp.experiments.executors import Address, site
from studyapp.experiments.running import complete


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Cluster, Path]]:
    """A cluster whose only worker is in the wrong hands, and the folder in which it is told what to do."""
    folder = tmp_path_factory.mktemp("hostile")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOSTILE", str(folder))
        with cluster(folder, workers=1, preload=Path(hostile_worker.__file__)) as dask:
            yield dask, folder


@pytest.mark.parametrize("poison", POISONS)
def test_a_poisoned_result_is_refused_in_a_sentence_and_neither_run_nor_saved(
    hostile: tuple[Cluster, Path], tmp_path: Path, poison: str
) -> None:
    dask, folder = hostile
    (folder / "poison").write_text(poison)
    path = tmp_path / "results"
    with pytest.raises(StudyappError) as caught:
        complete(
            [wanted(path, 2, ("N-N",), questions=4)],
            partial(site, Address(dask.address), None),
            "replications",
        )
    assert POISONS[poison][1] in str(caught.value)
    assert str(caught.value).isprintable()
    assert not (folder / str(os.getpid())).exists(), "code of the worker ran here"
    assert path.read_bytes().count(b"\n") == 1  # its head
    assert read(path).records == {}


def test_what_a_worker_prints_or_warns_does_not_reach_the_terminal(
    hostile: tuple[Cluster, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    dask, folder = hostile
    (folder / "poison").write_text("printed")
    use(dask.address, tmp_path / "results")
    assert capfd.readouterr() == ("", "")


def command(address: str, out: Path) -> subprocess.CompletedProcess[str]:
    """``studyapp simulate`` on a cluster."""
    small = ["--pairs", "N-N", "--arms", "12", "--questions", "4", "--samples", "64", "--replications", "2"]
    given = ["simulate", *small, "--scheduler", address, "--out", str(out)]
    return subprocess.run(
        [sys.executable, "-m", "studyapp.cli", *given],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=ROOT,
        check=False,
    )


def test_a_worker_that_sends_code_ends_the_command_with_one_line_and_exit_code_2(
    hostile: tuple[Cluster, Path], tmp_path: Path
) -> None:
    dask, folder = hostile
    (folder / "poison").write_text("code")
    before = set(folder.iterdir())
    done = command(dask.address, tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith(
        "studyapp: the Dask cluster sent something other than text, which was not read"
    )
    assert done.stderr.count("\n") == 1
    assert set(folder.iterdir()) == before


EVIL_SCHEDULER = """
import asyncio, sys
sys.path[:0] = [{tests!r}, {root!r}]
from distributed.comm import listen
from distributed.protocol.serialize import ToPickle
from hostile_worker import Code

async def serve():
    async def greet(comm):
        await comm.write({{"op": "hello", "data": ToPickle(Code())}})
    # Instead of a handshake, which would come first.
    async with listen("tcp://127.0.0.1:0", greet) as listener:
        listener.on_connection = lambda comm: asyncio.sleep(0)
        print(listener.contact_address, flush=True)
        await asyncio.sleep(600)

asyncio.run(serve())
"""


def test_a_scheduler_that_sends_code_is_refused(tmp_path: Path) -> None:
    script = EVIL_SCHEDULER.format(tests=str(ROOT / "tests"), root=str(ROOT))
    with subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"HOSTILE": str(tmp_path)},
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            with pytest.raises(
                SettingError, match=f"no Dask scheduler answers at {address} .*not plain data"
            ):
                use(address, tmp_path / "results")
        finally:
            process.kill()
    assert [path.name for path in tmp_path.iterdir()] == ["results"]


def use(address: str, path: Path, replications: int = 2) -> None:
    at = partial(site, Address(address), None)
    complete([wanted(path, replications, ("N-N",))], at, "replications")


class Dashboard(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def dashboard() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Dashboard) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@contextmanager
def silent() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextmanager
def hanging_up() -> Iterator[int]:
    def serve() -> None:
        with suppress(OSError):  # until it is shut down
            while True:
                server.accept()[0].close()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = Thread(target=serve)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
    thread.join()


@pytest.mark.parametrize("listener", [dashboard, silent, hanging_up])
def test_a_listener_that_is_no_scheduler_is_reported_with_the_cure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listener: Any
) -> None:
    monkeypatch.setattr("studyapp.experiments.cluster.PATIENCE", 1.0)
    with listener() as port, pytest.raises(SettingError) as caught:
        use(f"tcp://127.0.0.1:{port}", tmp_path / "results")
    assert f"no Dask scheduler answers at tcp://127.0.0.1:{port} (" in str(caught.value)
    assert "start one with 'dask scheduler' and use the address that it prints" in str(caught.value)


def test_a_cluster_that_has_no_workers_or_loses_them_all_is_waited_for_and_then_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("studyapp.experiments.cluster.PATIENCE_FOR_WORKERS", 5.0)
    path = tmp_path / "results"
    with cluster(tmp_path, workers=1) as dask:
        kill_worker = when(lambda: lines(path) > 3, dask.workers[0].kill)
        with pytest.raises(
            StudyappError, match=r"has had no workers for 5 seconds; start one: dask worker tcp"
        ):
            use(dask.address, path, 2000)
        kill_worker.join()
        assert 3 <= len(read(path).records["N-N"]) < 2000
        with pytest.raises(
            StudyappError, match=r"no workers for 5 seconds.*; finished replications are saved"
        ):
            use(dask.address, tmp_path / "others")
    waiting = (
        f"studyapp: the Dask scheduler at {dask.address} has no workers; waiting for one, 5 seconds at most\n"
    )
    assert capsys.readouterr().err == 2 * waiting


def test_a_worker_that_joins_a_cluster_without_any_is_used(tmp_path: Path) -> None:
    with cluster(tmp_path, workers=0) as dask, worker(dask.address, tmp_path):
        use(dask.address, tmp_path / "results")
    assert len(read(tmp_path / "results").records["N-N"]) == 2


def test_a_worker_without_studyapp_is_reported_with_the_cure(tmp_path: Path) -> None:
    bare = tmp_path / "bare.py"
    bare.write_text("import sys\nsys.modules['studyapp'] = None\n")
    with (
        cluster(tmp_path, workers=1, preload=bare) as dask,
        pytest.raises(
            StudyappError, match="can't import studyapp; install the same version where the workers"
        ),
    ):
        use(dask.address, tmp_path / "results")


@pytest.fixture
def certificates(tmp_path: Path) -> Path:
    """A key, and a certificate for it that is its own authority."""
    made = subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "1",
                "-subj",
                "/CN=studyapp",
            ),
            *("-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem")),
        ],
        capture_output=True,
        check=False,
    )
    if made.returncode:
        pytest.skip("openssl makes no certificates here")
    return tmp_path


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_a_cluster_with_tls_is_used_by_those_who_have_its_certificates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, certificates: Path
) -> None:
    cert, key = certificates / "cert.pem", certificates / "key.pem"
    tls = ["--tls-ca-file", str(cert), "--tls-cert", str(cert), "--tls-key", str(key)]
    with cluster(tmp_path, workers=1, tls=["--protocol", "tls", *tls]) as dask:
        assert dask.address.startswith("tls://")
        at = partial(site, Address(dask.address, cert, cert, key), None)
        (results,) = complete([wanted(tmp_path / "results", 2, ("N-N",))], at, "replications")
        assert len(results.records["N-N"]) == 2
        monkeypatch.setattr("studyapp.experiments.cluster.PATIENCE", 2.0)
        for address in (dask.address, dask.address.replace("tls://", "tcp://")):
            with pytest.raises(SettingError, match="no Dask scheduler answers at"):
                use(address, tmp_path / "other")


def test_tls_options_without_a_scheduler_or_without_their_files_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["simulate", "--out", str(tmp_path / "out"), "--tls-cert", str(tmp_path / "nowhere.pem")]
    assert main([*given, "--scheduler", "tls://127.0.0.1:9"]) == 2
    assert "nowhere.pem: there is no such file" in capsys.readouterr().err
    assert main(given) == 2
    assert "are for a Dask cluster; add --scheduler" in capsys.readouterr().err
