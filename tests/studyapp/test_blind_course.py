"""Nobody who takes part in a blind study or runs it meets a model's name: the one home of this claim.

An assistant runs a blind study from the first check to the last export, at the shell and in the office, and
a participant takes part.  Everything that is printed, every screen, and every file that they leave behind is
searched.  What each form of analysis and export leaves out while a study is blind is shown in
tests/studyapp/commands/test_blind.py.
"""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from driving import running, study_in
from made_up import quick_analysis
from offices import MODELS, REVEALING, a_full_office, attended, office, study_folder
from study_files import small, write
from study_folders import Lab, as_person, make

from studyapp.screens.office.dialogs import Details
from studyapp.screens.office.help import Help

# Plain text, as the documentation says: whoever must stay blind does not open these.
PLAIN = ("study.yaml", "study.schema.json", "sessions", "rehearsal", "backups")
IMAGE = re.compile(r"base64,([A-Za-z0-9+/=]+)")
BLIND = {"blind": True, "participants": 4}


def check(name: str, text: str) -> None:
    found = REVEALING.search(f"{name}\n{text}".lower())
    assert not found, f"{name}: {text[max(0, found.start() - 200) : found.end() + 100]}"


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
def lab(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Lab]:
    folder = make(tmp_path / "mine", "P01", "P02", "P03", "P04", models=MODELS, **BLIND)
    for path in folder.sessions.glob("*.yaml"):
        as_person(path)
    with quick_analysis():
        yield Lab(folder, capsys)


def test_nothing_that_an_assistant_runs_or_leaves_behind_names_a_model(lab: Lab, tmp_path: Path) -> None:
    def does(*arguments: str, code: int = 0) -> None:
        assert lab(*arguments) == code, lab.out + lab.err
        check(" ".join(arguments), lab.out + lab.err)

    def leaves(*expected: str) -> None:
        found = dict(texts_in(lab.folder.path))
        for name, text in found.items():
            check(name, text)
        assert {*expected} <= {re.sub(r"data/.*answers.*\.csv", "data/answers.csv", name) for name in found}

    does("new", str(tmp_path / "new"))
    for name, text in texts_in(tmp_path / "new"):
        check(name, text)
    does("check")
    does("rehearse", "--participants", "2")
    does("status")
    does("status", "--json")
    does("note", "P02", "asked what this is about")
    does("exclude", "P02", "--reason", "knew the paper")
    does("verify", "--json")
    does("backup")
    does("analyse")  # while the study collects
    leaves("study.log.yaml", "analysis/report.html", "analysis/summary.json")
    does("export", "--out", "export")
    does("power", "sessions", code=2)
    does("delete", "P03", "--yes", "--reason", "asked for it")
    does("exclude", "P02", "--undo", "--reason", "it was somebody else")
    does("analyse", "rehearsal", "--out", "rehearsed")
    write(lab.folder.path, small(models=MODELS, **BLIND, collecting=False))
    shutil.copytree(lab.folder.path, tmp_path / "other")
    does("analyse", ".", str(tmp_path / "other"))  # by label
    leaves("rehearsed/report.html", "analysis/report.html", "export/data/answers.csv")
    damaged = lab.log("P04")
    damaged.write_bytes(damaged.read_bytes().replace(b'"answer": "y"', b'"answer": "n"', 1))
    does("verify", code=1)
    does("analyse")
    does("export", "--force", code=1)
    does("status")
    leaves("analysis/report.html")


def test_the_search_would_find_a_name(lab: Lab) -> None:
    assert lab("unblind", "--reason", "all are in", "--yes") == 0
    assert lab("analyse") == 0
    assert any(REVEALING.search(text.lower()) for _, text in texts_in(lab.folder.path))


async def test_no_page_of_a_participant_names_a_model(tmp_path: Path) -> None:
    async with running(study_in(tmp_path, models=MODELS, **BLIND), tmp_path) as person:
        seen = set()
        while person.session.over is None:
            seen.add(person.page())
            check(person.page(), person.text())
            await person.answer()
        check("the end", person.text())
    assert {"ConsentPage", "RoundPage", "scale item"} <= seen


async def test_no_screen_of_the_office_and_no_command_that_it_runs_names_a_model(tmp_path: Path) -> None:
    folder = study_folder(tmp_path / "lab", **BLIND)
    a_full_office(folder)
    attended(folder, "P08")
    async with office(folder, size=(120, 40)) as desk:
        for participant in desk.shown:
            desk.app.participants.choose(participant)
            check(participant, desk.text)
            await desk.press("enter")
            await desk.opens(Details)
            check(f"details of {participant}", desk.text)
            await desk.press("escape")
            await desk.closes()
        desk.app.participants.choose("P02")
        for key in ("s", "r", "n", "x", "d", "U", "question_mark", "ctrl+p"):
            await desk.press(key)
            await desk.until(lambda: desk.app.screen is not desk.app.screen_stack[0])
            await desk.handled()
            check(key, desk.text)
            if isinstance(desk.app.screen, Help):
                await desk.press("end")
                check("the end of the help", desk.text)
            await desk.press("escape")
            await desk.closes()
        for key in ("v", "h"):
            await desk.press(key)
            await desk.done()
            check(key, desk.text)
            await desk.press("escape")
            await desk.closes()
        folder.file.write_text(folder.file.read_text().replace("naive", "naiv"))
        await desk.looked()
        await desk.shows("has faults")
        check("a study file with faults", desk.text)
