"""What other programs do to a log while its session runs, and how the log says so."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from chains import chained, document_of, parts

__all__ = ["DAMAGE"]


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 10)


def cut_to_its_head(path: Path) -> None:
    path.write_bytes(parts(path.read_bytes())[0])


def overwritten(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\0\0\0\0")


def overwritten_with_its_old_time(path: Path) -> None:
    before = path.stat()
    overwritten(path)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def grown(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"\n")


def given_an_event(path: Path) -> None:
    left = {"event": "left", "at": "2026-11-16T09:30:00.123Z", "clock_ms": 9.0}
    path.write_bytes(chained([*parts(path.read_bytes()), document_of(left)]))


def removed(path: Path) -> None:
    path.unlink()


def moved(path: Path) -> None:
    path.rename(path.with_name("moved.yaml"))


def moved_with_its_folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name(f"moved-{time.time_ns()}"))


def replaced(path: Path) -> None:
    path.with_name("other").write_text("something else")
    path.with_name("other").replace(path)


def replaced_by_a_copy(path: Path) -> None:
    path.with_name("other").write_bytes(path.read_bytes())
    path.with_name("other").replace(path)


def replaced_by_a_link(path: Path) -> None:
    path.rename(path.with_name("linked.yaml"))
    path.symlink_to(path.with_name("linked.yaml"))


def replaced_by_a_broken_link(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.with_name("nowhere"))


def replaced_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def replaced_by_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGE: dict[Callable[[Path], None], str] = {
    emptied: "cut short",
    cut: "cut short",
    cut_to_its_head: "cut short",
    overwritten: "changed",
    overwritten_with_its_old_time: "changed",
    grown: "added to",
    given_an_event: "added to",
    removed: "missing",
    moved: "missing",
    moved_with_its_folder: "missing",
    replaced: "replaced",
    replaced_by_a_copy: "replaced",
    replaced_by_a_link: "replaced",
    replaced_by_a_broken_link: "replaced",
    replaced_by_a_folder: "replaced",
    replaced_by_a_pipe: "replaced",
}
