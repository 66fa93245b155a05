"""Who is where: one row per participant, its columns, and all about one of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from offices import a_full_office, events_of, put, study_folder

from core.errors import FileError
from studyapp.office import study_log
from studyapp.office.conduct import Conduct, conduct_of, read_conduct
from studyapp.office.events import Deleted, Excluded, Included, Noted, Verified
from studyapp.office.status import Row, Status, counts
from studyapp.office.table import COLUMNS, columns_for, details, moment
from studyapp.session import log
from studyapp.study.folder import StudyFolder

NOON = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> StudyFolder:
    return study_folder(tmp_path)


def rows_of(folder: StudyFolder) -> list[Row]:
    status = Status(folder.sessions)
    status.update()
    return status.rows(read_conduct(folder.log))


def cell(row: Row, heading: str) -> str:
    (column,) = (column for column in COLUMNS if column.heading == heading)
    return column.cell(row, NOON)


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
    assert (cell(rows[0], "state"), cell(rows[0], "note")) == ("excluded", "excluded: fell asleep")
    assert cell(rows[1], "note") == "came back on Tuesday"
    assert "not a studyapp session log" in cell(rows[6], "note")
    put(folder, "P01", events_of("P01", pilot=True))
    assert rows_of(folder)[0].kind == "pilot"
    assert cell(replace(rows[1], kind="pilot"), "state") == "unfinished (pilot)"


def test_logs_alone_have_rows_and_numbers_in_ids_are_sorted_as_numbers(folder: StudyFolder) -> None:
    assert rows_of(folder) == []
    for participant in ("P10", "P9", "anna", "p8", "100"):
        put(folder, participant)
    for name in (".P02.yaml", "P03.txt", "P01.yaml.torn-1"):
        (folder.sessions / name).write_text("?")
    assert [row.participant for row in rows_of(folder)] == ["100", "anna", "p8", "P9", "P10"]
    folder.sessions.rename(folder.path / "elsewhere")
    folder.sessions.write_text("")
    with pytest.raises(FileError, match="this is a file"):
        rows_of(folder)


def test_a_log_that_grows_or_goes_changes_its_row_and_no_other(folder: StudyFolder) -> None:
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
    study_log.append(folder.log, Noted("P01", "left-handed"))
    assert status.rows(read_conduct(folder.log))[0].note == "left-handed"
    (folder.sessions / "P01.yaml").unlink()
    assert status.update()
    assert [row.participant for row in status.rows(conduct)] == ["P02"]


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


# --- columns and details


def test_columns_that_say_nothing_are_left_out(folder: StudyFolder) -> None:
    put(folder, "P01")
    rows = rows_of(folder)
    noted = replace(rows[0], note="left-handed", late=2)
    for shown, headings in (
        (rows, "ID state last min"),
        ([noted], "ID state last min late note"),
        ([], "ID state last"),
    ):
        assert " ".join(column.heading for column in columns_for(shown)) == headings


def test_every_place_of_a_session_is_short(folder: StudyFolder) -> None:
    places = set()
    for count in range(1, len(events_of("P01"))):
        put(folder, "P01", events_of("P01", count))
        places.add(cell(rows_of(folder)[0], "where"))
    assert {"consent", "practice 1/2 q2", "round 4/4", "questionnaire 3/4", "break 2/4"} <= places
    assert "questionnaire" in places, "the one at the end"
    assert all(0 < len(place) <= 18 for place in places)


def test_moments_have_a_day_unless_it_is_today() -> None:
    local = datetime(2026, 11, 18, 12, 0).astimezone()
    assert moment(local.isoformat(), local) == "12:00:00"
    assert moment(local.replace(day=7).isoformat(), local) == "7 Nov 12:00"
    assert moment(local.replace(year=2025).isoformat(), local) == "18 Nov 2025 12:00"


def test_details_have_the_receipt_the_bonus_and_all_notes_and_decisions_in_order(folder: StudyFolder) -> None:
    put(folder, "P01")
    at = [f"2026-11-17T10:00:0{second}.000Z" for second in range(4)]
    conduct = conduct_of(
        [
            Noted("P01", "arrived late", at=at[0], user="anna"),
            Excluded("P01", "fell asleep", unblinded=False, at=at[1], user="anna"),
            Included("P01", "it was P02", unblinded=False, at=at[2], user="ben"),
            Deleted("P01", answers=12, head=None, at=at[3], user="ben"),
            Noted("P02", "somebody else", at=at[3]),
        ]
    )
    (row,) = rows_of(folder)
    first, *_, note, excluded, included, deleted = details(row, conduct, NOON)
    assert f"receipt {row.receipt}" in first
    assert "bonus due: " in first
    assert [line.partition(", ")[2] for line in (note, excluded, included, deleted)] == [
        "anna: arrived late",
        "anna: excluded: fell asleep",
        "ben: included again: it was P02",
        "ben: deleted on request",
    ]
