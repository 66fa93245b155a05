"""Participant IDs follow a scheme, and every ID has a number."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_files import loaded, small, write

from core.errors import FileError
from studyapp.session.ids import check_id
from studyapp.study.ids import Place, first_ids, is_id, next_id, place_of
from studyapp.study.loading import load
from studyapp.study.study import Study

LAB = ["anna-1", "B07", "zoe"]


def study(**settings: object) -> Study:
    models: dict[str, dict[str, object]] = {"one": {}, "two": {}}
    return Study.model_validate({"title": "x", "models": models, **settings})


# The next ID


@pytest.mark.parametrize(
    ("ids", "taken", "expected"),
    [
        ("P{number:02}", [], "P01"),
        ("P{number:02}", ["P01", "P02"], "P03"),
        ("P{number:02}", ["P05", "P01"], "P06"),  # a gap is not filled: its log may be elsewhere
        ("P{number:02}", ["p05"], "P06"),  # P05.yaml and p05.yaml are one file on some computers
        ("P{number:02}", ["P99"], "P100"),
        ("P{number:02}", ["P100", "P20"], "P101"),
        ("P{number:02}", ["anna", "Q07", "P7", "P007", "P", "person-010", ""], "P01"),  # not of the scheme
        ("P{number:02}", ["P00"], "P01"),
        ("{number}", ["9", "10"], "11"),
        ("lab2_{number:03}-a", ["lab2_004-a", "lab2_009-b"], "lab2_005-a"),
        ("P1{number}0", ["P110"], "P120"),
        ("P{number}", ["P" + "9" * 63], None),  # it would be too long
        (LAB, [], "anna-1"),
        (LAB, ["b07"], "anna-1"),
        (LAB, ["Anna-1", "B07"], "zoe"),
        (LAB, ["zoe", "B07", "anna-1", "x"], None),
    ],
)
def test_the_next_id_is_the_first_free_one(
    ids: str | list[str], taken: list[str], expected: str | None
) -> None:
    assert next_id(study(ids=ids), taken) == expected


@pytest.mark.parametrize(
    ("here", "expected"),
    [
        (["P01", "P02"], "P04"),  # P03 is taken
        (["P31"], "P33"),
        ([], "P33"),  # nobody knows which are this machine's
        (["anna"], "P33"),
        (["p32"], "P33"),
    ],
)
def test_a_machine_goes_on_after_its_own_ids(here: list[str], expected: str) -> None:
    assert next_id(study(ids="P{number:02}"), ["P01", "P02", "P03", "P31", "P32", "anna"], here) == expected


def test_ids_are_p01_p02_and_so_on_if_the_study_says_nothing() -> None:
    assert first_ids(study(), 3) == ["P01", "P02", "P03"]


@given(
    before=st.from_regex(r"[A-Za-z0-9_-]{0,9}", fullmatch=True),
    after=st.from_regex(r"[A-Za-z0-9_-]{0,9}", fullmatch=True),
    number=st.sampled_from(["{number}", "{number:01}", "{number:02}", "{number:09}"]),
    count=st.integers(1, 120),
)
def test_ids_handed_out_one_by_one_are_the_first_ones_and_have_their_numbers(
    before: str, after: str, number: str, count: int
) -> None:
    chosen = study(ids=before + number + after)
    taken: list[str] = []
    for expected in range(1, count + 1):
        participant = next_id(chosen, taken)
        assert participant is not None
        assert check_id(participant) == participant
        assert place_of(chosen, participant) == Place(expected)
        assert place_of(chosen, participant.swapcase()) == Place(expected)
        taken.append(participant)
    assert taken == first_ids(chosen, count)


def test_a_list_has_no_more_ids_than_are_listed() -> None:
    assert first_ids(study(ids=LAB), 2) == LAB[:2]
    assert first_ids(study(ids=LAB), 9) == LAB


# Places


@pytest.mark.parametrize(
    ("ids", "participant", "place"),
    [
        ("P{number:02}", "P07", Place(7)),
        ("P{number:02}", "p07", Place(7)),
        ("P{number:02}", "P00", Place(0)),
        ("1{number:02}", "101", Place(1)),
        ("P{number:02}", "P7", Place(7, "p")),  # not of the scheme
        ("P{number:02}", "person-012", Place(12, "person-")),
        ("P{number:02}", "Person-013", Place(13, "person-")),
        ("P{number:02}", "9" * 64, Place(int("9" * 64), "")),
        ("P{number:02}", "anna", Place(1, "anna")),
        ("P{number:02}", "-", Place(1, "-")),
        ("{number:02}-2", "07-2", Place(7)),
        ("{number:02}-2", "07-3", Place(3, "07-")),
        (LAB, "B07", Place(2)),
        (LAB, "b07", Place(2)),
        (LAB, "ZOE", Place(3)),
        (LAB, "P09", Place(9, "p")),
    ],
)
def test_the_place_comes_from_the_scheme_and_other_ids_have_series_of_their_own(
    ids: str | list[str], participant: str, place: Place
) -> None:
    assert place_of(study(ids=ids), participant) == place


# Study files


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"ids": "P01"}, "ids: is 'P01'; a pattern has {number} once"),
        ({"ids": ""}, "ids: is ''; a pattern has {number} once"),
        ({"ids": "{number}{number}"}, "ids: is '{number}{number}'; a pattern has {number} once"),
        ({"ids": "P{number:2}"}, "ids: is 'P{number:2}'; a pattern has {number} once"),
        ({"ids": "P{number:010}"}, "ids: is 'P{number:010}'; a pattern"),
        ({"ids": "P {number}"}, "ids: is 'P {number}'; a pattern"),
        ({"ids": "é{number}"}, "ids: is 'é{number}'; a pattern"),
        ({"ids": "{number}\n"}, "ids: is '{number}\\n'; a pattern"),
        ({"ids": "x" * 59 + "{number}"}, "its IDs would be too long: use 1 to 64 letters"),
        ({"ids": 5}, "ids: must be a pattern in quotes, such as 'P{number:02}', or a list of IDs"),
        ({"ids": {"number": None}}, "ids: must be a pattern in quotes"),
        ({"ids": []}, "ids: must be a pattern in quotes, such as 'P{number:02}', or a list of IDs"),
        (
            {"ids": ["P01", 102]},
            "ids[2] is 102; it must be text (in quotes, if it looks like something else)",
        ),
        ({"ids": ["P01", "P 2"]}, "ids[2]: 'P 2' can't be an ID; use 1 to 64 letters, digits, hyphens"),
        ({"ids": ["P01", "../x"]}, "ids[2]: '../x' can't be an ID"),
        ({"ids": ["P01", "Q", "P01"]}, "ids[3] is 'P01', which is listed already; remove one"),
        ({"ids": ["P01", "p01"]}, "ids[2] is 'p01', which differs from 'P01' only in case; remove one"),
        ({"ids": ["P01"], "participants": 2}, "participants is 2; there is only 1 ID in ids"),
        ({"participants": 0}, "participants is 0; it must be at least 1"),
        ({"participants": "20"}, "participants is '20'; it must be a whole number"),
        ({"participants": 100_001}, "participants is 100001; it must be at most 100000"),
    ],
)
def test_a_faulty_scheme_is_refused_with_its_cure(
    tmp_path: Path, settings: dict[str, object], problem: str
) -> None:
    with pytest.raises(FileError, match=re.escape(problem)) as caught:
        load(write(tmp_path, small(**settings)))
    assert ", line " in str(caught.value)
    assert "faults" not in str(caught.value)


@pytest.mark.parametrize(
    "settings",
    [{}, {"ids": "{number}"}, {"ids": LAB}, {"ids": LAB, "participants": 3}, {"participants": 100_000}],
)
def test_a_log_carries_the_scheme(tmp_path: Path, settings: dict[str, object]) -> None:
    made = loaded(tmp_path, small(**settings)).study
    again = Study.model_validate(made.record())
    assert (again.ids, again.participants) == (made.ids, made.participants)


@pytest.mark.parametrize("text", ["", "é", "a b", "a\n", "\n", "../x", "a" * 65, "a.yaml"])
def test_what_is_not_safe_as_a_file_name_is_no_id(text: str) -> None:
    assert not is_id(text)
