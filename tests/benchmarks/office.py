"""What a look of the office costs with 500 sessions, of which 10 grow; and what a key press costs.

One session of a small study is simulated, and written under 500 IDs.  The logs of 10 of them end in the
middle, and grow by one answer at a time.  For comparison, in the same run: reading all logs anew, with
PyYAML's parser in C, which a script would try first, and with the office's own reader.

The time of a key is from the press of the down arrow to the picture with the moved cursor, in the office
itself, which Textual's pilot drives while it goes on looking every second.  The picture is drawn, not sent.

    python tests/benchmarks/office.py [SESSIONS]
"""

from __future__ import annotations

import asyncio
import inspect
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml
from textual.events import Key

from studyapp.base import documents
from studyapp.base.clock import SimulatedClock
from studyapp.office.conduct import record_study
from studyapp.office.status import Status
from studyapp.office.watch import Watch
from studyapp.screens.office.app import OfficeApp
from studyapp.session import log
from studyapp.session.events import Answered, Event, Started
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.log_format import encode
from studyapp.session.sitting import Participant, Sitting
from studyapp.study.folder import STUDY_FILE, StudyFolder
from studyapp.study.loading import load

SESSIONS = 500
GROWING = 10
LOOKS = 15
KEYS = 40
FEW = 5  # rows, to compare with
SIZE = 120, 40
STUDY = {
    "title": "A small study",
    "models": {"naive": {"teacher": "naive"}, "mixture": {"teacher": "mixture"}},
    "targets": ["cat", "tea", "sea", "rice", "dog", "salt"],
    "questions": 10,
    "blind": True,
}


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def memory() -> float:
    """Megabytes of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def attended(folder: StudyFolder) -> list[Event]:
    """The events of a finished session."""
    clock = SimulatedClock(datetime.now(UTC))
    sitting = Sitting.open(load(folder.file), Participant("P"), folder.path / "one", clock=clock)
    attend(sitting, SimulatedParticipant(sitting, "random"), clock)
    sitting.close()
    return log.read(sitting.path).events


class Growing:
    """A log that ends in the middle of a session, and grows by one answer at a time."""

    def __init__(self, path: Path, raw: bytes, events: list[Event]) -> None:
        parts = raw.split(b"\n...\n")
        self._path = path
        self._parts = [document + b"\n...\n" for document in parts[:-1]]
        self._answers = [place for place, event in enumerate(events) if isinstance(event, Answered)]
        self._written = self._answers[len(self._answers) // 3] + 1
        path.write_bytes(b"".join(self._parts[: self._written]))

    def grow(self) -> None:
        """Append the events up to the next answer."""
        end = next(place for place in self._answers if place >= self._written) + 1
        with self._path.open("ab") as file:
            file.write(b"".join(self._parts[self._written : end]))
        self._written = end


def fill(folder: StudyFolder, events: list[Event], sessions: int, growing: int) -> list[Growing]:
    """Write the session under so many IDs; the first few of them are not finished."""
    started, *later = events
    assert isinstance(started, Started)
    folder.sessions.mkdir(exist_ok=True)
    logs = []
    for number in range(sessions):
        participant = f"P{number + 1:03d}"
        head = replace(started, participant=participant, simulated=False, teacher=None, process=4_000_000)
        path, raw = folder.sessions / f"{participant}.yaml", encode([head, *later])
        if number < growing:
            logs.append(Growing(path, raw, events))
        else:
            path.write_bytes(raw)
    return logs


def study_folder(place: Path) -> StudyFolder:
    place.mkdir()
    (place / STUDY_FILE).write_text(documents.block(STUDY))
    folder = StudyFolder(place)
    record_study(folder)
    return folder


def by_yaml(sessions: Path) -> None:
    for path in sorted(sessions.iterdir()):
        for _ in yaml.load_all(path.read_bytes(), Loader=yaml.CSafeLoader):
            pass


def measure_looks(folder: StudyFolder, logs: list[Growing]) -> None:
    watch, before = Watch(folder), memory()
    first = seconds(watch.look)
    grown_by = memory() - before
    quiet = statistics.median(seconds(watch.look) for _ in range(LOOKS))
    busy = []
    for _ in range(LOOKS):
        for each in logs:
            each.grow()
        busy.append(seconds(watch.look))
    changed = statistics.median(busy)
    anew = seconds(lambda: Status(folder.sessions).update())
    parser = seconds(lambda: by_yaml(folder.sessions))
    size = sum(path.stat().st_size for path in folder.sessions.iterdir())
    rows = len(watch.look().rows)
    about = f"{rows} logs, {size / 1e6:.0f} MB, {len(logs)} of them growing"
    print(f"{about:57s}  anew, ours  anew, PyYAML")
    for what, took in (
        ("the first look", first),
        ("a look when nothing has changed", quiet),
        (f"a look when {len(logs)} logs have one answer more", changed),
        ("all logs anew, by the office's reader", anew),
        ("all logs anew, by PyYAML's parser in C", parser),
    ):
        print(f"{what:45s} {1000 * took:9.1f} ms {anew / took:9.1f} x {parser / took:11.1f} x")
    print(f"memory: {grown_by:.0f} MB for {rows} logs, {1000 * grown_by / rows:.0f} kB each")


class Painted(OfficeApp):
    """The office, which tells when it has drawn the cursor in a row."""

    CSS_PATH = str(Path(inspect.getfile(OfficeApp)).with_name("office.tcss"))
    expected = -1  # the row
    drawn: asyncio.Event

    def wait_for(self, row: int) -> asyncio.Event:
        self.expected, self.drawn = row, asyncio.Event()
        return self.drawn

    def _display(self, screen: Any, renderable: Any) -> None:
        if renderable is not None and hasattr(renderable, "render_segments"):
            renderable.render_segments(self.console)
        super()._display(screen, renderable)
        if self.expected >= 0 and self.participants.cursor_row == self.expected:
            self.drawn.set()


async def key_times(folder: StudyFolder) -> list[float]:
    """Seconds from each press of the down arrow to the picture with the cursor in the next row."""
    app, times = Painted(folder), []
    async with app.run_test(size=SIZE) as pilot:
        while app.seen is None or not app.participants.row_count:
            await pilot.pause(0.05)
        await pilot.pause(1.0)
        rows = app.participants.row_count
        assert app._driver is not None
        for number in range(KEYS):
            down = number // (rows - 1) % 2 == 0  # to the last row, and back
            drawn = app.wait_for(app.participants.cursor_row + (1 if down else -1))
            key = Key("down" if down else "up", None)
            key.set_sender(app)
            began = time.perf_counter()
            app._driver.send_message(key)
            await asyncio.wait_for(drawn.wait(), 10)
            times.append(time.perf_counter() - began)
            await pilot.pause(0.1)
    return times


def main() -> None:
    sessions = int(sys.argv[1]) if len(sys.argv) > 1 else SESSIONS
    with tempfile.TemporaryDirectory() as name:
        many, few = (study_folder(Path(name, folder)) for folder in ("many", "few"))
        events = attended(many)
        logs = fill(many, events, sessions, GROWING)
        fill(few, events, FEW, 1)
        measure_looks(many, logs)
        medians = []
        for folder, rows in ((few, FEW), (many, sessions)):
            times = asyncio.run(key_times(folder))
            medians.append(statistics.median(times))
            print(
                f"an arrow key, {rows} rows: median {1000 * medians[-1]:.1f} ms, slowest of {KEYS} "
                f"{1000 * max(times):.1f} ms"
            )
        print(f"with {sessions} rows it takes {medians[1] / medians[0]:.2f} times as long as with {FEW}")


if __name__ == "__main__":
    main()
