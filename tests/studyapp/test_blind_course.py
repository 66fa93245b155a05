"""An assistant runs a blind study from the first check to the last export, and never meets a model's name.

The office has its own search (tests/studyapp/screens/office), and so does each form of analysis and export
(tests/studyapp/commands/test_blind.py).  Here everything that the assistant's commands print, and every file
that they leave behind, is searched over a whole course.
"""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from offices import MODELS, REVEALING
from study_files import small, write
from study_folders import Lab, as_person, make

# Plain text, as the documentation says: whoever must stay blind does not open these.
PLAIN = ("study.yaml", "sessions", "rehearsal", "backups")
IMAGE = re.compile(r"base64,([A-Za-z0-9+/=]+)")


def texts_in(folder: Path) -> Iterator[tuple[str, str]]:
    """Every file that is not plain, with the images inside it."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and name.split("/")[0] not in PLAIN:
            text = path.read_bytes().decode(errors="replace")
            yield name, text
            for image in IMAGE.findall(text):
                yield f"{name}: an image", base64.b64decode(image).decode(errors="replace")


@pytest.fixture
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Lab:
    folder = make(tmp_path / "mine", "P01", "P02", "P03", "P04", models=MODELS, blind=True, participants=4)
    for path in folder.sessions.glob("*.yaml"):
        as_person(path)
    (folder.path / "README.md").write_text("what to do\n")
    return Lab(folder, capsys)


def test_nothing_that_an_assistant_runs_or_leaves_behind_names_a_model(lab: Lab, tmp_path: Path) -> None:
    printed: list[str] = []

    def does(*arguments: str, code: int = 0) -> None:
        assert lab(*arguments) == code, lab.out + lab.err
        printed.append(f"$ {' '.join(arguments)}\n{lab.out}{lab.err}")

    does("check")
    does("rehearse", "--participants", "2")
    does("status")
    does("status", "--json")
    does("note", "P02", "asked what this is about")
    does("exclude", "P02", "--reason", "knew the paper")
    does("verify")
    does("verify", "--json")
    does("backup")
    does("analyse")  # while the study collects
    does("export", "--out", "export")
    does("power", "sessions", code=2)
    does("delete", "P03", "--yes", "--reason", "asked for it")
    does("exclude", "P02", "--undo", "--reason", "it was somebody else")
    shutil.copytree(lab.folder.path, tmp_path / "other")
    does("analyse", ".", str(tmp_path / "other"))
    does("export", "--out", "export", "--force")
    does("analyse", "rehearsal")
    write(lab.folder.path, small(models=MODELS, blind=True, participants=4, collecting=False))
    does("analyse")  # by label
    does("status")
    damaged = lab.log("P04")
    damaged.write_bytes(damaged.read_bytes().replace(b'"answer": "y"', b'"answer": "n"', 1))
    does("verify", code=1)
    does("analyse")
    for name, text in [("printed", "\n".join(printed)), *texts_in(lab.folder.path)]:
        found = REVEALING.search(f"{name}\n{text}".lower())
        assert not found, f"{name}: {text[max(0, found.start() - 200) : found.end() + 100]}"
    names = {name for name, _ in texts_in(lab.folder.path)}
    assert {"study.log.yaml", "analysis/report.html", "analysis/summary.json", "export/data/answers.csv"} <= {
        re.sub(r"export/data/.*answers.*\.csv", "export/data/answers.csv", name) for name in names
    }


def test_the_search_would_find_a_name(lab: Lab) -> None:
    assert lab("unblind", "--reason", "all are in", "--yes") == 0
    assert lab("analyse") == 0
    assert any(REVEALING.search(text.lower()) for _, text in texts_in(lab.folder.path))
