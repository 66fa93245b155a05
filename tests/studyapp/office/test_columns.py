"""The columns of the table of participants, and the details of one of them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from offices import REVEALING, a_full_office, events_of, put, study_folder

from studyapp.office.conduct import conduct_of, read_conduct
from studyapp.office.events import Deleted, Excluded, Included, Noted
from studyapp.office.status import Row, Status
from studyapp.office.table import COLUMNS, columns_for, details, moment
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


def test_columns_that_say_nothing_are_left_out(folder: StudyFolder) -> None:
    put(folder, "P01")
    rows = rows_of(folder)
    assert [column.heading for column in columns_for(rows)] == ["ID", "state", "last", "min"]
    noted = replace(rows[0], note="left-handed", late=2)
    assert [column.heading for column in columns_for([noted])] == [
        "ID",
        "state",
        "last",
        "min",
        "late",
        "note",
    ]
    assert [column.heading for column in columns_for([])] == ["ID", "state", "last"]


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("the consent", "consent"),
        ("practice round 1 of 2, question 3", "practice 1/2 q3"),
        ("round 13 of 40, question 15", "round 13/40 q15"),
        ("the questionnaire after round 3 of 40", "questionnaire 3/40"),
        ("the break after round 10 of 40", "break 10/40"),
        ("the questionnaire at the end", "questionnaire"),
    ],
)
def test_places_are_short(folder: StudyFolder, place: str, shown: str) -> None:
    put(folder, "P01")
    assert cell(replace(rows_of(folder)[0], place=place), "where") == shown


def test_every_place_of_a_session_fits_in_18_characters(folder: StudyFolder) -> None:
    for count in range(1, len(events_of("P01"))):
        put(folder, "P01", events_of("P01", count))
        where = cell(rows_of(folder)[0], "where")
        assert 0 < len(where) <= 18, where


def test_moments_have_a_day_unless_it_is_today() -> None:
    local = datetime(2026, 11, 18, 12, 0).astimezone()
    assert moment(local.isoformat(), local) == "12:00:00"
    assert moment(local.replace(day=7).isoformat(), local) == "7 Nov 12:00"
    assert moment(local.replace(year=2025).isoformat(), local) == "18 Nov 2025 12:00"


def test_an_excluded_participant_is_marked_with_the_reason(folder: StudyFolder) -> None:
    a_full_office(folder)
    rows = rows_of(folder)
    assert (cell(rows[0], "state"), cell(rows[0], "note")) == ("excluded", "excluded: fell asleep")
    assert cell(rows[1], "note") == "came back on Tuesday"
    assert "not a studyapp session log" in cell(rows[6], "note")


def test_a_session_that_is_no_persons_says_so(folder: StudyFolder) -> None:
    put(folder, "P01", events_of("P01", pilot=True))
    assert cell(rows_of(folder)[0], "state") == "finished (pilot)"


def test_details_have_all_notes_and_decisions_in_order(folder: StudyFolder) -> None:
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
    lines = details(rows_of(folder)[0], conduct, NOON)
    assert [line.partition(", ")[2] for line in lines[-4:]] == [
        "anna: arrived late",
        "anna: excluded: fell asleep",
        "ben: included again: it was P02",
        "ben: deleted on request",
    ]


def test_details_have_the_receipt_and_the_bonus(folder: StudyFolder) -> None:
    put(folder, "P01")
    row = rows_of(folder)[0]
    first = details(row, conduct_of([]), NOON)[0]
    assert f"receipt {row.receipt}" in first
    assert "bonus due: " in first


def test_details_name_no_model(folder: StudyFolder) -> None:
    a_full_office(folder)
    conduct = read_conduct(folder.log)
    for row in rows_of(folder):
        assert not REVEALING.search("\n".join(details(row, conduct, NOON)))
