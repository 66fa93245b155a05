"""One writer per file: a lock that the system releases when its holder ends, however it ends."""

from __future__ import annotations

import os
import sys

__all__ = ["try_lock"]

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
