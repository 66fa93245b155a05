"""Every command refuses a pipe or a device in the place of a file at once: reading it might never end."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATIENCE = 60  # seconds, for a Python that starts on a busy machine

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")

COMMANDS = {
    "a study": ["check", "{bad}"],
    "the words of a study": ["check", "{folder}/study.yaml"],
    "a table to import": ["import", "{bad}", "--sessions", "{folder}/logs"],
    "a log": ["verify", "{bad}"],
    "the words of a log": ["verify", "{example}", "--words", "{bad}"],
    "the table of an import": ["verify", "{example}", "--source", "{bad}"],
    "a log of a study": ["status", "{folder}/lab"],
    "a log of a study, to write to": ["note", "P01", "slept", "--in", "{folder}/lab"],
    "a list of receipts": ["verify", "{example}", "--receipts", "{bad}"],
    "a list of words": [
        "words",
        "build",
        "--vectors",
        "{bad}",
        "--words",
        "{bad}",
        "--out",
        "{folder}/out.txt",
    ],
    "a table of arms": ["simulate", "--data", "{bad}", "--out", "{folder}/simulation"],
    "results": ["reproduce", "--redraw", "--out", "{folder}"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("device", [False, True], ids=["pipe", "device"])
def test_it_is_refused_at_once_with_2_and_one_line(tmp_path: Path, command: list[str], device: bool) -> None:
    bad = Path("/dev/zero") if device else tmp_path / "bad.yaml"
    if not device:
        os.mkfifo(bad)
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "word.converged.jsonl").symlink_to(bad)
    (tmp_path / "words.txt").symlink_to(bad)
    (tmp_path / "lab").mkdir()
    (tmp_path / "lab" / "study.log.yaml").symlink_to(bad)
    study = "title: T\nwords: words.txt\nmodels: {a: {teacher: naive}, b: {teacher: mixture}}\n"
    (tmp_path / "study.yaml").write_text(study)
    (tmp_path / "lab" / "study.yaml").write_text(study)
    example = ROOT / "sessions" / "example" / "person-001.yaml"
    arguments = [part.format(bad=bad, folder=tmp_path, example=example) for part in command]
    done = subprocess.run(
        [sys.executable, "-m", "studyapp.cli", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 2, done.stdout + done.stderr
    message = done.stderr + done.stdout  # verify prints its verdicts
    assert "a pipe or a device" in message
    assert "Traceback" not in message
