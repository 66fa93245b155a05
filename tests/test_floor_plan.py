"""What packages in fact load, directly or not; the import contracts are in pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SESSION_ROOMS = ("studyapp.session", "studyapp.study", "studyapp.tables", "studyapp.screens")


def modules_after(*packages: str) -> set[str]:
    """The modules that are loaded after every module of these packages, in a Python of its own."""
    names = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for package in packages
        for path in sorted((ROOT / package.replace(".", "/")).rglob("*.py"))
    ]
    probe = f"import {', '.join(names)}, sys; print(*sys.modules, sep=chr(10))"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded >= set(names)
    return loaded


def test_core_loads_neither_textual_nor_yaml_nor_studyapp() -> None:
    loaded = {name.split(".")[0] for name in modules_after("core")}
    assert not loaded & {"textual", "yaml", "studyapp", "rich"}


def test_experiments_load_no_session_code() -> None:
    loaded = modules_after("studyapp.experiments")
    assert not [name for name in loaded if name.startswith(SESSION_ROOMS)]
    assert not loaded & {"textual", "yaml"}


def test_only_screens_and_commands_load_textual() -> None:
    rooms = ("base", "study", "session", "office", "tables", "reporting", "analysis", "experiments")
    assert "textual" not in modules_after(*(f"studyapp.{room}" for room in rooms))
