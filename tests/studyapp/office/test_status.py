"""Who is where: one row per participant."""

from __future__ import annotations

from pathlib import Path

import pytest
from offices import REVEALING, a_full_office, events_of, put, study_folder

from core.errors import FileError
from studyapp.office import study_log
from studyapp.office.conduct import Conduct, conduct_of, read_conduct
from studyapp.office.events import Noted, Verified
from studyapp.office.status import Row, Status, counts
from studyapp.session import log
from studyapp.study.folder import StudyFolder


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return study_folder(tmp_path)


def rows_of(folder: StudyFolder) -> list[Row]:
    status = Status(folder.sessions)
    status.update()
    return status.rows(read_conduct(folder.log))


def test_every_state_has_a_row(folder: StudyFolder) -> None:
    a_full_office(folder)
    rows = rows_of(folder)
    states = ["finished", "unfinished", "open", "withdrawn", "deleted", "empty", "broken"]
    assert [row.label for row in rows] == states
    assert counts(rows) == dict.fromkeys(states, 1) | {"excluded": 1}
    assert (rows[1].note, rows[0].excluded) == ("came back on Tuesday", "fell asleep")
    assert rows[1].place == "practice round 2 of 2, question 2"
    assert (rows[1].round, rows[1].rounds, rows[1].question) == (2, 2, 2)
    assert rows[0].receipt is not None


def test_no_row_names_a_model(folder: StudyFolder) -> None:
    a_full_office(folder)
    assert not any(REVEALING.search(str(row.as_mapping())) for row in rows_of(folder))


def test_numbers_in_ids_are_sorted_as_numbers(folder: StudyFolder) -> None:
    for participant in ("P10", "P9", "anna", "p8", "100"):
        put(folder, participant)
    assert [row.participant for row in rows_of(folder)] == ["100", "anna", "p8", "P9", "P10"]


def test_a_log_that_grows_changes_its_row_and_no_other(folder: StudyFolder) -> None:
    put(folder, "P01")
    put(folder, "P02", events_of("P02", 8))
    status, conduct = Status(folder.sessions), Conduct()
    assert status.update()
    before = status.rows(conduct)
    assert not status.update()
    assert all(row is old for row, old in zip(status.rows(conduct), before, strict=True))
    put(folder, "P02")
    assert status.update()
    after = status.rows(conduct)
    assert after[0] is before[0]
    assert (before[1].state, after[1].state) == ("unfinished", "finished")


def test_a_log_that_is_gone_has_no_row(folder: StudyFolder) -> None:
    put(folder, "P01")
    status = Status(folder.sessions)
    status.update()
    (folder.sessions / "P01.yaml").unlink()
    assert status.update()
    assert status.rows(Conduct()) == []


def test_a_note_shows_although_no_log_has_changed(folder: StudyFolder) -> None:
    put(folder, "P01")
    status = Status(folder.sessions)
    status.update()
    assert status.rows(Conduct())[0].note is None
    study_log.append(folder.log, Noted("P01", "left-handed"))
    assert status.rows(read_conduct(folder.log))[0].note == "left-handed"


def test_a_verdict_holds_until_the_log_changes(folder: StudyFolder) -> None:
    put(folder, "P01", events_of("P01", 8))
    status = Status(folder.sessions)
    status.update()
    chain = log.read(folder.sessions / "P01.yaml").chain
    for verdict, shown in (("verified", "yes"), ("different", "no")):
        conduct = conduct_of([Verified("P01", chain, verdict)])
        assert status.rows(conduct)[0].verified == shown
    put(folder, "P01")
    status.update()
    assert status.rows(conduct)[0].verified == ""


def test_a_missing_folder_has_nobody_and_a_file_in_its_place_is_refused(folder: StudyFolder) -> None:
    assert rows_of(folder) == []
    folder.sessions.write_text("")
    with pytest.raises(FileError, match="this is a file"):
        rows_of(folder)


def test_files_that_are_no_logs_are_not_looked_at(folder: StudyFolder) -> None:
    put(folder, "P01")
    for name in (".P02.yaml", "P03.txt", "P01.yaml.torn-1"):
        (folder.sessions / name).write_text("?")
    assert [row.participant for row in rows_of(folder)] == ["P01"]
