"""The machine and the software: what a replay would have to be done with."""

from __future__ import annotations

import os
import platform
import socket
from importlib.metadata import PackageNotFoundError, version
from typing import Any

__all__ = ["here", "software"]


def here() -> dict[str, Any]:
    return {"host": socket.gethostname(), "process": os.getpid(), "software": software()}


def software() -> dict[str, str]:
    """What a replay would have to be done with."""
    versions = {"python": platform.python_version(), "system": platform.system()}
    for package in ("studyapp", "numpy", "scipy", "torch", "textual"):
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions
