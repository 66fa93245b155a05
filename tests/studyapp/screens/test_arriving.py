"""Arriving: whose session it is, before anything is written."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from driving import ROUNDS_ONLY, Person, running, study_in

from core.errors import FileError
from studyapp.screens.app import SMALLEST
from studyapp.session.events import Resumed
from studyapp.session.sitting import Participant, Sitting
from studyapp.session.verification import verify

LONG_ID = "x" * 64


async def begun(folder: Path, participant: str = "P07") -> None:
    """A session that was left in the middle of its first round."""
    async with running(study_in(folder, **ROUNDS_ONLY), folder, participant) as person:
        await person.go_to_first_question()
        await person.press("y", "enter")


async def test_an_unfinished_session_says_whose_it_is_and_where_before_anything_is_written(
    tmp_path: Path,
) -> None:
    await begun(tmp_path)
    log = tmp_path / "sessions" / "P07.yaml"
    before = log.read_bytes()
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, confirm=False) as participant:
        rounds = participant.app.loaded.extent.rounds
        assert f"Welcome back, P07. Round 1 of {rounds}." in participant.flat_text()
        assert participant.shows("who_yes")
        assert participant.shows("who_no")
        assert log.read_bytes() == before
        await participant.this_is_me()
        assert isinstance(participant.events()[-1], Resumed)
        assert participant.page() == "RoundPage"


async def test_not_me_goes_back_to_the_id_and_writes_nothing(tmp_path: Path) -> None:
    await begun(tmp_path)
    log = tmp_path / "sessions" / "P07.yaml"
    before = log.read_bytes()
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, None) as participant:
        await participant.hit(*"P07", "enter")
        await participant.until_page("WhoPage")
        await participant.press("down", "enter")
        await participant.until_page("IdPage")
        assert log.read_bytes() == before
        await participant.hit(*"P08", "enter")
        await participant.this_is_me()
        assert participant.app.participant == "P08"
    assert sorted(path.name for path in log.parent.iterdir()) == ["P07.yaml", "P08.yaml"]


async def test_not_me_ends_if_the_experimenter_entered_the_id(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, confirm=False) as participant:
        assert participant.shows("who_new", id="P07")
        await participant.press("down", "enter")
        await participant.until(lambda: participant.shows("not_me"))
        assert participant.shows("not_me_title")
        assert participant.app.not_me
        await participant.hit("enter")
        assert participant.app.return_value == 0
    assert not (tmp_path / "sessions").exists()


async def test_a_click_confirms_the_id(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, confirm=False) as participant:
        lines = participant.app.screen.query_one("#who-list").query("Line")
        await participant.pilot.click(lines[0])
        await participant.until_page("ConsentPage")


async def test_an_id_that_differs_only_in_case_is_refused(tmp_path: Path) -> None:
    await begun(tmp_path)
    loaded = study_in(tmp_path, **ROUNDS_ONLY)
    async with running(loaded, tmp_path, None) as participant:
        await participant.hit(*"p07", "enter")
        assert participant.page() == "IdPage"
        assert participant.shows("id_case", other="P07")
    with pytest.raises(FileError, match=r"P07\.yaml: P07 and p07 differ only in upper and lower case"):
        async with running(loaded, tmp_path, "p07"):
            pass
    assert [path.name for path in (tmp_path / "sessions").iterdir()] == ["P07.yaml"]


async def test_the_foot_leads_on_only_from_an_id_that_was_typed_and_not_refused(tmp_path: Path) -> None:
    await begun(tmp_path)
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, None) as participant:
        assert not participant.shows("enter")
        await participant.hit("enter")
        assert not participant.shows("id_wrong")  # nothing was typed
        await participant.hit(*"p07")
        assert participant.shows("enter")
        await participant.hit("enter")
        assert participant.shows("id_case", other="P07")
        assert not participant.shows("enter")
        await participant.hit("8")
        assert participant.shows("enter")


async def test_a_folder_in_which_no_session_can_be_opened_ends_with_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("no folder", encoding="utf-8")
    async with running(study_in(tmp_path), tmp_path, None) as participant:
        await participant.hit(*"P07", "enter")
        assert participant.shows("cannot_go_on")
        await participant.hit("ctrl+q")
        assert participant.app.return_value == 2
        assert isinstance(participant.app.error, FileError)


async def test_a_session_that_somebody_began_meanwhile_is_not_taken_over(tmp_path: Path) -> None:
    loaded = study_in(tmp_path)
    async with running(loaded, tmp_path, confirm=False) as participant:
        Sitting.open(loaded, Participant("P07"), tmp_path / "sessions").close()
        log = tmp_path / "sessions" / "P07.yaml"
        before = log.read_bytes()
        await participant.hit("enter")
        assert participant.shows("cannot_go_on")
        assert log.read_bytes() == before
        await participant.hit("ctrl+q")
        assert participant.app.return_value == 2
        assert participant.app.error is not None


async def test_the_first_question_after_coming_back_is_verified(tmp_path: Path) -> None:
    await begun(tmp_path)
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path) as participant:
        await participant.press("y", "enter")
        result = verify(participant.log)
        assert (result.verdict, result.notes) == ("verified", [])


async def test_a_session_goes_on_with_the_texts_in_its_own_log(tmp_path: Path) -> None:
    await begun(tmp_path)
    changed = study_in(tmp_path, **ROUNDS_ONLY, texts={"ask": "Does {word} fit?", "who_title": "Who?"})
    async with running(changed, tmp_path, confirm=False) as participant:
        await participant.this_is_me()
        assert participant.page() == "RoundPage"
        assert "relevant?" in participant.text()
        assert "fit?" not in participant.text()


async def all_pages(participant: Person) -> None:
    while not participant.session.over:
        assert shown_id(participant), participant.text()
        await participant.answer()
    assert shown_id(participant), participant.text()


def shown_id(participant: Person) -> bool:
    last = participant.text().rstrip().split("\n")[-1].split()[0]
    participant_id = participant.app.participant
    return last == participant_id or (last.endswith("…") and participant_id.startswith(last[:-1]))


@pytest.mark.parametrize("size", [(80, 24), SMALLEST])
@pytest.mark.parametrize("participant_id", ["P07", LONG_ID])
async def test_the_id_is_in_a_corner_of_every_page(
    tmp_path: Path, size: tuple[int, int], participant_id: str
) -> None:
    changes = {"targets": ["tea"], "questions": 2, "breaks": {"every": 1}, "bonus": None}
    async with running(study_in(tmp_path, **changes), tmp_path, participant_id, size=size) as participant:
        await all_pages(participant)


@pytest.mark.parametrize("size", [(80, 24), SMALLEST])
@pytest.mark.parametrize("participant_id", ["P07", LONG_ID])
@pytest.mark.parametrize("named", [True, False])
async def test_the_id_is_in_the_corner_already_when_it_is_asked_about(
    tmp_path: Path, size: tuple[int, int], participant_id: str, named: bool
) -> None:
    who = participant_id if named else None
    async with running(study_in(tmp_path), tmp_path, who, size=size, confirm=False) as participant:
        if not named:
            await participant.hit(*participant_id, "enter")
        await participant.until_page("WhoPage")
        corner = participant.text().rstrip().split("\n")[-1].split()[0]
        assert corner == participant_id or (corner.endswith("…") and participant_id.startswith(corner[:-1]))


async def test_a_wrong_key_at_the_door_is_said_until_another_one_is_pressed(tmp_path: Path) -> None:
    async with running(study_in(tmp_path), tmp_path, confirm=False) as participant:
        await participant.press("x")
        assert participant.shows("wrong_key")
        assert participant.shows("who_hint")
        await participant.press("down")
        assert not participant.shows("wrong_key")


async def test_a_log_moved_away_at_the_door_is_not_begun_anew(tmp_path: Path) -> None:
    await begun(tmp_path)
    async with running(study_in(tmp_path, **ROUNDS_ONLY), tmp_path, confirm=False) as participant:
        shutil.move(tmp_path / "sessions" / "P07.yaml", tmp_path / "P07.yaml")
        await participant.hit("enter")
        assert participant.shows("cannot_go_on")
        assert participant.app.sitting is None
