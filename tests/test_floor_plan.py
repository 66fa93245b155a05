"""Packages load only what they may: the import contracts of pyproject.toml, and what is in fact loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SESSION_ROOMS = ("studyapp.session", "studyapp.study", "studyapp.tables", "studyapp.screens")


def modules_after(code: str) -> set[str]:
    """The modules that are loaded after ``code``, in a Python of its own."""
    probe = f"{code}\nimport sys; print(*sys.modules, sep=chr(10))"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def everything_in(package: str) -> str:
    """Code that imports every module of a package."""
    folder = ROOT / package.replace(".", "/")
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(folder.rglob("*.py"))
    ]
    assert modules
    return "import " + ", ".join(modules)


def test_the_import_contracts_hold() -> None:
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_the_experiments_load_no_session_code() -> None:
    modules = modules_after(everything_in("studyapp.experiments"))
    assert "studyapp.experiments.results" in modules
    assert not [name for name in modules if name.startswith(SESSION_ROOMS)]
    assert not modules & {"textual", "yaml"}


def test_core_loads_neither_textual_nor_yaml_nor_studyapp() -> None:
    modules = modules_after(everything_in("core"))
    assert "core.learner" in modules
    assert not [name for name in modules if name.split(".")[0] in ("textual", "yaml", "studyapp", "rich")]


@pytest.mark.parametrize("package", ["study", "session", "tables", "reporting", "analysis", "base"])
def test_only_screens_and_commands_load_textual(package: str) -> None:
    assert "textual" not in modules_after(everything_in(f"studyapp.{package}"))
