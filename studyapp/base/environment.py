"""The machine and the software that a session or a simulation runs on."""

from __future__ import annotations

import os
import platform
import socket
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["here", "software"]


def here() -> dict[str, Any]:
    """This process, for the log of a session."""
    return {"host": socket.gethostname(), "process": os.getpid(), "software": software()}


def software() -> dict[str, str]:
    """Versions by name: everything that could change the outcome of a replay."""
    versions = {"python": platform.python_version(), "system": platform.system()}
    for package in ("studyapp", "numpy", "scipy", "torch", "textual"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
