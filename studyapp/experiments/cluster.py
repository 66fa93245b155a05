"""A Dask cluster as a place to work.

Dask sends Python objects as pickles, and to read a pickle can run code.  Studyapp wants only text from a
cluster (``studyapp.experiments.replies``), but a scheduler or worker in the wrong hands could send anything,
and no setting of Dask keeps its client from reading it.  So while a cluster is connected, this process reads
no pickle that names a function or class: an audit hook of Python stops it before that is even imported.

Every wait has an end: for the scheduler to answer, and for it to have workers.
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import sys
import time
import warnings
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from core.errors import SettingError, StudyappError
from core.wording import printable
from studyapp.base.terminal import report
from studyapp.experiments.designs import Work
from studyapp.experiments.replies import failure, reply

__all__ = ["KEPT", "Address", "Cluster", "connected"]

KEPT = "finished replications are saved; run the same command again to continue"

PATIENCE = 10.0  # seconds for a scheduler to answer
PATIENCE_FOR_WORKERS = 300.0  # seconds for it to have workers, at the start or after it lost the last one
PAUSE = 1.0  # seconds between two looks at its workers
JOBS_PER_WORKER = 3  # submitted at a time, including the one it works on
MOST_WORKERS = 10_000  # whatever a scheduler says

T = TypeVar("T")


@dataclass(frozen=True)
class Address:
    """Where a scheduler is, and the files by which both sides know each other."""

    scheduler: str
    tls_ca_file: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None

    @property
    def tls(self) -> dict[str, Path]:
        """The files that were given, by Dask's names."""
        files = {
            "tls_ca_file": self.tls_ca_file,
            "tls_client_cert": self.tls_cert,
            "tls_client_key": self.tls_key,
        }
        return {name: path for name, path in files.items() if path is not None}


class Cluster:
    """A connected cluster.  Dask itself hands the jobs of a lost worker to another one."""

    def __init__(self, client: Any, loop: asyncio.AbstractEventLoop, where: str) -> None:
        self._client = client
        self._loop = loop
        self._where = where
        self._threads = 0  # of all workers
        self._seen = time.monotonic()  # when there were any
        self._told = False
        self._watch = asyncio.run_coroutine_threadsafe(self._count(), loop)

    @property
    def capacity(self) -> int:
        return JOBS_PER_WORKER * max(1, self._threads)

    def submit(self, work: Work) -> Future[str]:
        return asyncio.run_coroutine_threadsafe(self._done(work), self._loop)

    async def _done(self, work: Work) -> str:
        errand = pickle.dumps(_Errand(work))
        try:
            text: str = await self._client.submit(pickle.loads, errand, pure=False)
        except CancelledError:
            raise StudyappError(f"the connection to the Dask scheduler was lost; {KEPT}") from None
        except Exception as error:
            raise StudyappError(f"{_meaning(error)}; {KEPT}") from None
        return text

    async def _count(self) -> None:
        """Count the workers, again and again."""
        while True:
            counts = await asyncio.wait_for(self._client.nthreads(), PATIENCE)
            threads = sum(count for count in counts.values() if type(count) is int and count > 0)
            self._threads = min(threads, MOST_WORKERS)
            if threads:
                self._seen, self._told = time.monotonic(), False
            await asyncio.sleep(PAUSE)

    def check(self) -> None:
        """Raise an error if this cluster will not finish its jobs."""
        if _refused:
            raise StudyappError(f"{STRANGE}; {KEPT}")
        if self._watch.done():
            raise StudyappError(f"the connection to the Dask scheduler was lost; {KEPT}")
        alone = time.monotonic() - self._seen
        if alone > PATIENCE_FOR_WORKERS:
            raise StudyappError(
                f"the Dask scheduler at {self._where} has had no workers for {PATIENCE_FOR_WORKERS:g} "
                f"seconds; start one: dask worker {self._where}; {KEPT}"
            )
        if alone > PAUSE * 2 and not self._told:
            self._told = True
            report(
                f"studyapp: the Dask scheduler at {self._where} has no workers; "
                f"waiting for one, {PATIENCE_FOR_WORKERS:g} seconds at most"
            )

    def wait_for_workers(self) -> None:
        while not self._threads:
            self.check()
            time.sleep(PAUSE / 10)


@dataclass(frozen=True)
class _Errand:
    """Work that is done by whoever unpickles it.

    Dask sees only bytes: its scheduler needs no studyapp, and a worker without it says so in good order.
    """

    work: Work

    def __reduce__(self) -> tuple[Callable[[Work], str], tuple[Work]]:
        return answered, (self.work,)


def answered(work: Work) -> str:
    """Do the work of a job, in a worker.  What goes wrong there returns as text too."""
    try:
        return reply(work)
    except Exception as error:
        return failure(error)


@contextmanager
def connected(address: Address) -> Iterator[Cluster]:
    """The cluster of a scheduler, as soon as it has workers."""
    try:
        import distributed  # noqa: F401
    except ModuleNotFoundError:
        raise SettingError(
            "--scheduler needs Dask; install it in the same environment: pip install distributed"
        ) from None
    where = printable(address.scheduler)
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)

    def run(coroutine: Coroutine[Any, Any, T], patience: float) -> T:
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(coroutine, patience), loop).result()

    with _quiet(), _plain_data_only():
        thread.start()
        try:
            try:
                client = run(_client(address), PATIENCE)
            except Exception as error:  # whatever went wrong, there is no cluster to work on
                raise SettingError(
                    f"no Dask scheduler answers at {where} ({_reason(error)}); start one with "
                    "'dask scheduler' and use the address that it prints, such as tcp://192.0.2.7:8786"
                ) from None
            try:
                cluster = Cluster(client, loop, where)
                cluster.wait_for_workers()
                yield cluster
            finally:
                with suppress(Exception):
                    run(client.close(), 2.0)
        finally:
            with suppress(Exception):
                run(_end_tasks(), 2.0)
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()


async def _client(address: Address) -> Any:
    """A connected client of Dask."""
    import distributed

    client_of: Any = distributed.Client
    client_of._default_event_handlers = {}  # by which a worker could print here, whatever it likes
    security: Any = distributed.Security
    files = {name: str(path) for name, path in address.tls.items()}
    client = client_of(
        address.scheduler,
        asynchronous=True,
        security=security(**files, require_encryption=True) if files else None,  # None: Dask's own settings
        timeout=0.8 * PATIENCE,  # so that Dask can say what it was waiting for
        set_as_default=False,
    )
    try:
        return await client
    except BaseException:
        with suppress(Exception):
            await asyncio.wait_for(client.close(), 1.0)
        raise


async def _end_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def _reason(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return f"nothing that a scheduler would say in {PATIENCE:g} seconds"
    told = error.__cause__ or error
    return printable(str(told).splitlines()[0]) if str(told) else type(told).__name__


STRANGE = (
    "the Dask cluster sent something other than text, which was not read "
    "(is every machine of it in trusted hands?)"
)


def _meaning(error: Exception) -> str:
    """What an error of Dask comes to.  One that was sent as a pickle is not read, only searched."""
    raw = error.args[0] if error.args and isinstance(error.args[0], bytes) else b""
    if b"ModuleNotFoundError" in raw or b"ImportError" in raw or b"AttributeError" in raw:
        return "a Dask worker can't import studyapp; install the same version where the workers run"
    if b"KilledWorker" in raw:
        return "several Dask workers died over the same job, perhaps because memory ran out"
    return STRANGE if _refused else f"the Dask cluster failed ({_reason(error)})"


# What a pickle may name: Dask sends the type of each result, and packs its errors.
PLAIN = {("builtins", "str"), ("builtins", "bytes")}

_connected = False
_guarded = False
_refused: list[tuple[str, str]] = []


class _RefusedError(TypeError):
    """A pickle named something that is not plain data."""


def _audit(event: str, given: tuple[Any, ...]) -> None:
    if event == "pickle.find_class" and _connected and given not in PLAIN:
        _refused.append((str(given[0]), str(given[1])))
        raise _RefusedError(f"{given[0]}.{given[1]} is not plain data")


@contextmanager
def _plain_data_only() -> Iterator[None]:
    """Let nothing in this process read a pickle that could run code."""
    global _connected, _guarded
    if not _guarded:
        sys.addaudithook(_audit)  # which stays until the process ends
        _guarded = True
    _refused.clear()
    _connected = True
    try:
        yield
    finally:
        _connected = False


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence Dask's log and warnings: our own error says in one sentence what happened."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)
