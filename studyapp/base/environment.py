"""The machine and the software that a session or a simulation runs on."""

from __future__ import annotations

import hashlib
import os
import platform
import socket
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from core.version import LEARNERS

PACKAGES = ("core", "studyapp")


def here() -> dict[str, Any]:
    """This process, for the log of a session."""
    return {"host": socket.gethostname(), "process": os.getpid(), "software": software()}


def is_alive(host: str, process: int) -> bool:
    """Does a process still run on this machine?  Of other machines nobody here can tell."""
    if host != socket.gethostname():
        return False
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it runs, but belongs to somebody else
        return True
    return True


def software() -> dict[str, str]:
    """Versions by name: everything that could change the outcome of a replay."""
    versions = {"python": platform.python_version(), "system": platform.system(), "learners": LEARNERS}
    for package in ("studyapp", "numpy", "scipy", "textual"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def program_sha256() -> str:
    """The SHA-256 of this program's own files: it tells two programs apart that have the same version."""
    root = Path(__file__).parents[2]
    found = hashlib.sha256()
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        found.update(f"{content}  {path.relative_to(root).as_posix()}\n".encode())
    return found.hexdigest()
