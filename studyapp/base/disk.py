"""Files that are appended to: one writer per file, bytes that are on disk when a call returns, and chains.

The system releases a lock when its holder ends, however it ends.

In a chain, every entry of a file carries a hash of itself and of all entries before it.  Whatever is changed,
removed, inserted or moved is found at its place.  A chain holds no secret: it shows damage and edits, but not
the work of someone who computes a whole new chain.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

START = ""  # what the first entry of a chain is linked to
DIGITS = 32  # hexadecimal ones of a link: 128 bits
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


def link(previous: str, body: bytes) -> str:
    """The link of an entry with these bytes, after the entry with the ``previous`` link."""
    return hashlib.sha256(previous.encode() + body).hexdigest()[:DIGITS]


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # beyond any log: locking its own bytes would keep others from reading them

    def try_lock(descriptor: int) -> bool:
        """Lock an open file until it is closed; False if another process holds the lock."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Lock an open file until it is closed; False if another process holds the lock."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
