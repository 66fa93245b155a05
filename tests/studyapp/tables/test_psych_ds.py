"""An export passes the validator of Psych-DS, which is an npm package."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from studyapp.cli import main

PACKAGE = "psychds-validator"
EXAMPLE = Path(__file__).parents[3] / "sessions" / "example"


@pytest.fixture(scope="module")
def validator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program of the package, newly installed; skips the test if it can't be had."""
    npm = shutil.which("npm")
    if not npm or not shutil.which("node"):
        pytest.skip("Node.js is not installed (node, npm)")
    folder = tmp_path_factory.mktemp("validator")
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm could not install {PACKAGE} in five minutes")
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
        pytest.skip(f"npm could not install {PACKAGE}: {' '.join(errors[:2])}")
    return folder / "node_modules" / ".bin" / "validate"


@pytest.mark.prove
def test_the_validator_of_psych_ds_finds_no_error(validator: Path, tmp_path: Path) -> None:
    assert main(["export", str(EXAMPLE), "--out", str(tmp_path / "out")]) == 0
    command = [str(validator), str(tmp_path / "out"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = json.loads(done.stdout[done.stdout.index("{") :])
    assert found["valid"], json.dumps(found["issues"], indent=2)
