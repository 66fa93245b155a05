"""Participant IDs follow a scheme, and every ID has a place."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from studyapp.session.ids import check_id
from studyapp.study.ids import Place, first_ids, is_id, next_id, place_of
from studyapp.study.study import Study

LAB = ["anna-1", "B07", "zoe"]
TWO = "P{number:02}"


def study(**settings: object) -> Study:
    models: dict[str, dict[str, object]] = {"one": {}, "two": {}}
    return Study.model_validate({"title": "x", "models": models, **settings})


def test_the_next_id_is_the_first_free_one() -> None:
    for ids, taken, expected in (
        (TWO, [], "P01"),
        (TWO, ["P01", "P02"], "P03"),
        (TWO, ["P05", "P01"], "P06"),  # a gap is not filled: its log may be elsewhere
        (TWO, ["p05"], "P06"),  # P05.yaml and p05.yaml are one file on some computers
        (TWO, ["P99"], "P100"),
        (TWO, ["P100", "P20"], "P101"),
        (TWO, ["anna", "Q07", "P7", "P007", "P", "person-010", ""], "P01"),  # not of the scheme
        (TWO, ["P00"], "P01"),
        ("{number}", ["9", "10"], "11"),
        ("lab2_{number:03}-a", ["lab2_004-a", "lab2_009-b"], "lab2_005-a"),
        ("P1{number}0", ["P110"], "P120"),
        ("P{number}", ["P" + "9" * 63], None),  # it would be too long
        (LAB, [], "anna-1"),
        (LAB, ["b07"], "anna-1"),
        (LAB, ["Anna-1", "B07"], "zoe"),
        (LAB, ["zoe", "B07", "anna-1", "x"], None),
    ):
        assert next_id(study(ids=ids), taken) == expected, (ids, taken)


def test_a_machine_goes_on_after_its_own_ids() -> None:
    taken = ["P01", "P02", "P03", "P31", "P32", "anna"]
    for here, expected in (
        (["P01", "P02"], "P04"),  # P03 is taken
        (["P31"], "P33"),
        ([], "P33"),  # nobody knows which are this machine's
        (["anna"], "P33"),
        (["p32"], "P33"),
    ):
        assert next_id(study(ids=TWO), taken, here) == expected, here


@given(
    before=st.from_regex(r"[A-Za-z0-9_-]{0,9}", fullmatch=True),
    after=st.from_regex(r"[A-Za-z0-9_-]{0,9}", fullmatch=True),
    number=st.sampled_from(["{number}", "{number:01}", "{number:02}", "{number:09}"]),
    count=st.integers(1, 110),
)
def test_ids_handed_out_one_by_one_are_the_first_ones_and_have_their_numbers(
    before: str, after: str, number: str, count: int
) -> None:
    chosen = study(ids=before + number + after)
    expected = first_ids(chosen, count)
    for place, participant in enumerate(expected, start=1):
        assert check_id(participant) == participant
        assert place_of(chosen, participant) == place_of(chosen, participant.swapcase()) == Place(place)
    assert next_id(chosen, expected[:-1]) == expected[-1]


def test_the_first_ids_are_those_of_the_scheme_or_of_the_list() -> None:
    assert first_ids(study(), 3) == ["P01", "P02", "P03"]
    assert first_ids(study(ids=LAB), 2) == LAB[:2]
    assert first_ids(study(ids=LAB), 9) == LAB


def test_the_place_comes_from_the_scheme_and_other_ids_have_series_of_their_own() -> None:
    for ids, participant, place in (
        (TWO, "P07", Place(7)),
        (TWO, "p07", Place(7)),
        (TWO, "P00", Place(0)),
        ("1{number:02}", "101", Place(1)),
        (TWO, "P7", Place(7, "p")),  # not of the scheme
        (TWO, "person-012", Place(12, "person-")),
        (TWO, "Person-013", Place(13, "person-")),
        (TWO, "9" * 64, Place(int("9" * 64), "")),
        (TWO, "anna", Place(1, "anna")),
        (TWO, "-", Place(1, "-")),
        ("{number:02}-2", "07-2", Place(7)),
        ("{number:02}-2", "07-3", Place(3, "07-")),
        (LAB, "B07", Place(2)),
        (LAB, "b07", Place(2)),
        (LAB, "ZOE", Place(3)),
        (LAB, "P09", Place(9, "p")),
    ):
        assert place_of(study(ids=ids), participant) == place, (ids, participant)


def test_what_is_not_safe_as_a_file_name_is_no_id() -> None:
    for text in ("", "é", "a b", "a\n", "\n", "../x", "a" * 65, "a.yaml"):
        assert not is_id(text), text
    assert is_id("a" * 64)
