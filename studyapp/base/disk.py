"""Bytes that are on disk when a call returns, for files that are appended to."""

from __future__ import annotations

import os
import sys
from pathlib import Path

__all__ = ["FLAGS", "read_all", "sync_folder", "write_all", "write_file"]

FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
NEW = FLAGS | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)  # for a file that must not exist yet


def read_all(file: int) -> bytes:
    """Everything in an open file."""
    os.lseek(file, 0, os.SEEK_SET)
    parts = []
    while part := os.read(file, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def write_all(file: int, data: bytes) -> None:
    """Write all of it, however often the system takes a part."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def write_file(path: Path, data: bytes) -> None:
    """Write a new file that only its owner can read, and force it to disk."""
    file = os.open(path, NEW, 0o600)
    try:
        write_all(file, data)
        os.fsync(file)
    finally:
        os.close(file)


def sync_folder(folder: Path) -> None:
    """Force a new name in a folder to disk; Windows offers no way to, and needs none."""
    if sys.platform != "win32":
        file = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(file)
        finally:
            os.close(file)
