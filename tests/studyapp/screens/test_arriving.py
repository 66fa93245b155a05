"""Arriving: whose session it is, before anything is written; and the consent."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, brought, running, study_in

from core.errors import FileError
from studyapp.screens.app import SMALLEST
from studyapp.session.events import Declined, Resumed
from studyapp.session.session import AskWord, Step
from studyapp.session.sitting import Participant, Sitting
from studyapp.session.verification import verify

LONG_ID = "x" * 64


def second_question(step: Step) -> bool:
    return isinstance(step, AskWord) and step.question == 2


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The log of a session that was left in the middle of its first round."""
    brought(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, second_question)
    return tmp_path / "sessions" / "P07.yaml"


async def test_an_unfinished_session_says_whose_it_is_and_where_before_anything_is_written(
    tmp_path: Path, log: Path
) -> None:
    before = log.read_bytes()
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, confirm=False) as person:
        assert f"Welcome back, P07. Round 1 of {person.app.loaded.extent.rounds}." in person.flat_text()
        assert person.shows("who_yes")
        assert person.shows("who_no")
        assert log.read_bytes() == before
        await person.this_is_me()
        assert isinstance(person.events()[-1], Resumed)
        assert person.shows("question", question=2)
        await person.press("y", "enter")
        result = verify(log)
        assert (result.verdict, result.notes) == ("verified", [])


async def test_not_me_goes_back_to_the_id_and_writes_nothing(tmp_path: Path, log: Path) -> None:
    before = log.read_bytes()
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, None) as person:
        await person.hit(*"P07", "enter")
        await person.until_page("WhoPage")
        await person.press("down", "enter")
        await person.until_page("IdPage")
        assert log.read_bytes() == before
        await person.hit(*"P08", "enter")
        await person.this_is_me()
        assert person.app.participant == "P08"
    assert sorted(path.name for path in log.parent.iterdir()) == ["P07.yaml", "P08.yaml"]


async def test_not_me_ends_if_the_experimenter_entered_the_id(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, confirm=False) as person:
        assert person.shows("who_new", id="P07")
        await person.press("x")
        assert person.shows("wrong_key")
        assert person.shows("who_hint")
        await person.press("down")
        assert not person.shows("wrong_key")
        await person.press("enter")
        await person.until(lambda: person.shows("not_me"))
        assert person.shows("not_me_title")
        assert person.app.not_me
        await person.hit("enter")
        assert person.app.return_value == 0
    assert not (tmp_path / "sessions").exists()


async def test_a_click_confirms_the_id(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path, confirm=False) as person:
        await person.click(loaded.say(loaded.study.texts.who_yes))
        await person.until_page("ConsentPage")


async def test_bad_ids_are_refused(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, participant=None) as person:
        assert person.shows("id_ask")
        for wrong in ("../x", "a b"):
            await person.hit(*wrong, "enter")
            assert person.shows("id_wrong")
            await person.hit(*["backspace"] * 5)
        assert not (tmp_path / "sessions").exists()
        await person.hit(*"P-0_7", "enter")
        await person.this_is_me()
        assert person.page() == "ConsentPage"
        assert (tmp_path / "sessions" / "P-0_7.yaml").exists()


async def test_an_id_that_differs_only_in_case_is_refused_and_the_foot_leads_on_only_from_another(
    tmp_path: Path, log: Path
) -> None:
    loaded = study_in(tmp_path, **ROUNDS_ONLY)
    async with running(loaded, tmp_path, None) as person:
        assert not person.shows("enter")
        await person.hit("enter")
        assert not person.shows("id_wrong")  # nothing was typed
        await person.hit(*"p07")
        assert person.shows("enter")
        await person.hit("enter")
        assert person.page() == "IdPage"
        assert person.shows("id_case", other="P07")
        assert not person.shows("enter")
        await person.hit("8")
        assert person.shows("enter")
    with pytest.raises(FileError, match=r"P07\.yaml: P07 and p07 differ only in upper and lower case"):
        async with running(loaded, tmp_path, "p07"):
            pass
    assert list(log.parent.iterdir()) == [log]


@pytest.mark.parametrize("named", [True, False])
async def test_the_id_is_in_the_corner_already_when_it_is_asked_about(tmp_path: Path, named: bool) -> None:
    who = LONG_ID if named else None
    async with running(study_in(tmp_path), tmp_path, who, size=SMALLEST, confirm=False) as person:
        if not named:
            await person.hit(*LONG_ID, "enter")
            await person.until_page("WhoPage")
        corner = person.text().rstrip().split("\n")[-1].split()[0]
        assert corner.endswith("…")
        assert LONG_ID.startswith(corner[:-1])


# Sessions that can't be opened


async def test_a_folder_in_which_no_session_can_be_opened_ends_with_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("no folder", encoding="utf-8")
    async with running(study_in(tmp_path), tmp_path, None) as person:
        await person.hit(*"P07", "enter")
        assert person.shows("cannot_go_on")
        await person.hit("ctrl+q")
        assert person.app.return_value == 2
        assert isinstance(person.app.error, FileError)


async def test_a_session_that_somebody_began_meanwhile_is_not_taken_over(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path, confirm=False) as person:
        Sitting.open(loaded, Participant("P07"), tmp_path / "sessions").close()
        log = tmp_path / "sessions" / "P07.yaml"
        before = log.read_bytes()
        await person.hit("enter")
        assert person.shows("cannot_go_on")
        assert log.read_bytes() == before
        await person.hit("ctrl+q")
        assert person.app.return_value == 2
        assert person.app.error is not None


async def test_a_log_moved_away_at_the_door_is_not_begun_anew(tmp_path: Path, log: Path) -> None:
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, confirm=False) as person:
        shutil.move(log, tmp_path / "P07.yaml")
        await person.hit("enter")
        assert person.shows("cannot_go_on")
        assert person.app.sitting is None


async def test_a_second_start_with_the_same_id_says_which_process_holds_it(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    holder = Sitting.open(loaded, Participant("P07"), tmp_path / "sessions")
    async with running(loaded, tmp_path, participant=None) as person:
        await person.hit(*"P07", "enter")
        assert person.page() == "IdPage"
        assert person.shows("cannot_go_on")
        assert f"process {holder.session.started.process}" in person.flat_text()
    holder.close()


@pytest.mark.usefixtures("log")
async def test_a_session_of_a_changed_study_is_refused_without_naming_a_model(tmp_path: Path) -> None:
    models = {"naive": {"teacher": "naive"}, "mixture": {"teacher": "mixture", "beta": 7}}
    changed = study_in(tmp_path, **ROUNDS_ONLY, models=models)
    async with running(changed, tmp_path, participant=None) as person:
        await person.press(*"P07", "enter")
        text = person.flat_text()
        assert "the study has changed since this session began" in text
        assert "studyapp run --participant P07" in text
        said = f"{text} {person.app.error}"
        assert not {"mixture", "naive", "beta", "models"} & set(re.findall(r"\w+", said))


@pytest.mark.usefixtures("log")
async def test_a_session_goes_on_with_the_texts_in_its_own_log(tmp_path: Path) -> None:
    changed = study_in(tmp_path, **ROUNDS_ONLY, texts={"ask": "Does {word} fit?", "who_title": "Who?"})
    async with running(changed, tmp_path) as person:
        assert "relevant?" in person.text()
        assert "fit?" not in person.text()


# Consent


async def test_without_consent_the_session_ends_and_asks_again_next_time(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path) as person:
        await person.press("n", "enter")
        assert person.shows("declined")
        assert isinstance(person.events()[-1], Declined)
        await person.hit("enter")
    async with running(loaded, tmp_path) as person:
        assert person.page() == "ConsentPage"


async def test_nobody_can_agree_to_a_text_they_have_not_seen(tmp_path: Path) -> None:
    consent = "\n\n".join(f"Paragraph {number}." for number in range(20))
    async with running(study_in(tmp_path, consent=consent), tmp_path) as person:
        assert person.shows("more")
        assert not person.shows("consent_ask")
        await person.press("y", "enter")
        assert person.page() == "ConsentPage"
        await person.press("pagedown", "pagedown", "pagedown", "down")
        assert person.shows("consent_ask")
        await person.press("y", "enter")
        assert person.page() == "InstructionsPage"
