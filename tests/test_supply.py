"""What is installed: the tested versions of constraints.txt, and the lowest that pyproject.toml allows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from study_files import small, write

ROOT = Path(__file__).parents[1]
PATIENCE = 600  # seconds, for packages that arrive over a slow line

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUNTIME = [Requirement(text) for text in PROJECT["project"]["dependencies"]]
EXTRAS = [Requirement(text) for some in PROJECT["project"]["optional-dependencies"].values() for text in some]
BUILD = [Requirement(text) for text in PROJECT["build-system"]["requires"]]


def test_every_file_that_a_package_reads_is_installed_with_it() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    for folder in (
        path.parent for top in ("core", "studyapp", "words") for path in (ROOT / top).rglob("__init__.py")
    ):
        name = ".".join(folder.relative_to(ROOT).parts)
        for path in folder.iterdir():
            if path.is_file() and path.suffix != ".py" and path.name != "README.md":
                assert any(path.match(pattern) for pattern in patterns.get(name, [])), path


def called(*command: str | Path, **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, **how, capture_output=True, text=True, check=False, timeout=PATIENCE)


def pins() -> dict[str, str]:
    """The versions in constraints.txt by name."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def needed_by(requirements: list[Requirement]) -> Iterator[str]:
    """The installed packages that these need, directly or not."""
    seen, waiting = set(), list(requirements)
    while waiting:
        requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), requirement.extras or {""}
        applies = requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        if not applies or (name, *sorted(extras)) in seen:
            continue
        seen.add((name, *sorted(extras)))
        try:
            needs = [Requirement(text) for text in distribution(name).requires or []]
        except PackageNotFoundError:  # of an extra that is not installed here
            continue
        yield name
        for need in needs:
            if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras | {""}):
                need.marker = None
                waiting.append(need)


# The tested versions


def test_every_dependency_is_pinned_to_a_version_that_it_allows() -> None:
    for requirement in (*RUNTIME, *EXTRAS, *BUILD):
        assert requirement.specifier.contains(pins()[canonicalize_name(requirement.name)]), requirement


def test_every_package_that_dependencies_bring_along_is_pinned() -> None:
    system = re.compile(r"nvidia|cuda|triton")  # torch itself says which version of these it needs
    needed = {name for name in needed_by([*RUNTIME, *EXTRAS]) if not system.match(name)}
    assert {"mpmath", "markdown-it-py"} <= needed
    assert needed <= set(pins())


# A small project in the place of studyapp shows what the Makefile does with constraints.  Its build notes
# which version of a tool it was built with.

BACKEND = """
import tool
from wheels import wheel
def build_editable(folder, config_settings=None, metadata_directory=None):
    files = {"built_with.py": f"version = {tool.version}"}
    return wheel(folder, "studyapp", 1, files, "Requires-Dist: part")
"""
WHEELS = """
import zipfile
def wheel(folder, name, version, files, needs="Keywords: none"):
    info, file = f"{name}-{version}.dist-info", f"{name}-{version}-py3-none-any.whl"
    meta = f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n{needs}\\n"
    made = "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"
    files = files | {f"{info}/METADATA": meta, f"{info}/WHEEL": made, f"{info}/RECORD": ""}
    with zipfile.ZipFile(f"{folder}/{file}", "w") as archive:
        for place, content in files.items():
            archive.writestr(place, content)
    return file
"""
TOY = '[build-system]\nrequires = ["tool"]\nbuild-backend = "backend"\nbackend-path = ["."]\n'


@pytest.mark.prove
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_installs_and_builds_with_the_versions_in_the_constraints(tmp_path: Path) -> None:
    project, place = tmp_path / "a project", tmp_path / "wheels"
    for folder in (project, place):
        folder.mkdir()
    made: dict[str, Any] = {}
    exec(WHEELS, made)
    for name in ("part", "tool"):
        for number in (1, 2, 3):
            made["wheel"](place, name, number, {f"{name}.py": f"version = {number}"})
    shutil.copy(ROOT / "Makefile", project)
    for name, text in (("pyproject.toml", TOY), ("backend.py", BACKEND), ("wheels.py", WHEELS)):
        (project / name).write_text(text)
    show = "import part, built_with; print(part.version, built_with.version)"
    settings = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(place), "PIP_CONFIG_FILE": os.devnull}
    make = ["make", ".venv/ready", f"PYTHON={sys.executable}"]
    # Newer constraints are installed without being asked.
    for part, tool, installed in ((2, 1, "2 1"), (1, 2, "1 2"), (4, 1, "")):
        (project / "constraints.txt").write_text(f"part=={part}\ntool=={tool}\n")
        done = called(*make, cwd=project, env=os.environ | settings)
        if installed:
            assert (done.returncode, done.stderr) == (0, "")
            assert called(project / ".venv/bin/python", "-c", show).stdout.strip() == installed
        else:
            assert done.returncode != 0
            assert "The installation failed: see above. Is there a connection to a" in done.stderr


# The lowest versions


def lowest(requirement: Requirement) -> str:
    """The lowest version that a dependency allows."""
    (least,) = [one.version for one in requirement.specifier if one.operator == ">="]
    return f"{requirement.name}=={least}"


def pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    return called(sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments)


@pytest.mark.prove
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the lowest versions are made for Python 3.11")
def test_the_lowest_versions_of_all_dependencies_work(tmp_path: Path) -> None:
    """A new environment with the lowest version of every dependency runs a small study from start to end.

    What the dependencies themselves need is as new as pip likes.
    """
    if pip("install", "--dry-run", "--ignore-installed", "--no-deps", "--retries=0", "pyyaml").returncode:
        pytest.skip("no package index can be reached")
    place, source = tmp_path / "lowest", tmp_path / "source"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place], check=True)
    python = str(place / "bin" / "python")
    wanted = [lowest(requirement) for requirement in RUNTIME]
    wanted.append("setuptools")  # an environment may come with an old one
    done = pip("--python", python, "install", "--only-binary=:all:", *wanted)
    assert done.returncode == 0, done.stderr
    for name in ("core", "studyapp", "words"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = pip("--python", python, "install", "--no-deps", str(source))
    assert done.returncode == 0, done.stderr
    done = pip("--python", python, "check")
    assert done.returncode == 0, done.stdout

    write(tmp_path / "study", small())
    for arguments in (
        ["--version"],
        ["check", "study.yaml"],
        ["rehearse", "--study", "study.yaml", "--participants", "2"],
        ["verify", "sessions"],
        ["analyse", "sessions", "--include", "simulated"],  # figures and a page: matplotlib, scipy, jinja2
    ):
        used = called(place / "bin" / "studyapp", *arguments, cwd=tmp_path / "study")
        assert (used.returncode, used.stderr) == (0, ""), arguments
    assert subprocess.run([python, "-c", SCREENS], cwd=tmp_path / "study", check=False).returncode == 0


SCREENS = """
import asyncio
from pathlib import Path
from studyapp.screens.app import StudyApp
from studyapp.screens.page import Page
from studyapp.study.loading import load

async def shown():
    app = StudyApp(load("study.yaml"), Path("sessions"), None)
    async with app.run_test() as pilot:
        await pilot.pause()
        return isinstance(app.screen, Page)

assert asyncio.run(shown())
"""
