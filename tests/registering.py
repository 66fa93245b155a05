"""A study folder with people's sessions, for tests of registrations."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

from made_up import quick_analysis
from study_files import VECTORS, run, small, write

from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Started
from studyapp.session.log_format import encode
from studyapp.study.loading import load

__all__ = ["analysis_of", "change", "people", "preregister", "study_folder"]


def study_folder(folder: Path, **changes: Any) -> Path:
    """A study folder, blind and for two participants unless changed otherwise."""
    write(folder, small(**{"blind": True, "participants": 2, "bonus": None} | changes))
    (folder / "sessions").mkdir()
    (folder / "sessions" / "words.txt").write_text(VECTORS, encoding="utf-8")
    return folder


def change(folder: Path, **changes: Any) -> None:
    """Change settings of the study file."""
    write(folder, small(**{"blind": True, "participants": 2, "bonus": None} | changes))


def people(folder: Path, *participants: str, **as_started: Any) -> None:
    """Finished sessions of people, with the study as it is now."""
    study = load(folder / "study.yaml")
    for participant in participants:
        started, *events = run(study, folder / "sessions", participant)
        assert isinstance(started, Started)
        person = replace(started, **{"simulated": False, "teacher": None} | as_started)
        path = folder / "sessions" / f"{participant}.yaml"
        path.write_bytes(encode([person, *events]))
        assert log.read(path).events[0] == person


def preregister(folder: Path, *options: str) -> tuple[int, str, str]:
    """Run the command; its exit code, and what it printed."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = main(["preregister", "--in", str(folder), *options])
    return code, out.getvalue(), err.getvalue()


def analysis_of(folder: Path, *options: str) -> tuple[dict[str, Any] | None, str]:
    """What summary.json says about the registration, and the report."""
    out = folder / "analysis"
    with quick_analysis(), redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert main(["analyse", str(folder), "--out", str(out), *options]) == 0
    summary = json.loads((out / "summary.json").read_text())
    return summary["registered"], (out / "report.html").read_text()
