"""The tidy tables: their contents, and how cells are written."""

from __future__ import annotations

import csv
import tempfile
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from study_files import loaded, open_sitting, run, small

from studyapp.session.events import (
    Answered,
    Event,
    Finished,
    Imported,
    Responded,
    RoundBegan,
    Started,
    Withdrawn,
)
from studyapp.session.log_format import encode
from studyapp.session.saved import SavedSession, open_session
from studyapp.study.plan import Round
from studyapp.tables.columns import Column, Table, part_of, total, write_table
from studyapp.tables.tables import ANSWERS, PARTICIPANTS, PUBLISHED, RESPONSES, ROUNDS, TABLES

HEADERS = {
    "rounds": "participant round practice model target first place took_place counted questions "
    "cumulative_reward found_at time_to_find found yes median_rt_ms began_at",
    "participants": "participant kind state title seed words started_at finished_at minutes answers rounds "
    "found bonus resumed late excluded exclusion_reason excluded_after_unblinding note log chain software",
    "responses": "participant after model target questionnaire item value rt_ms away_ms at clock_ms changes",
}


def rows(table: Table, opened: SavedSession) -> list[dict[str, str]]:
    return [dict(zip(table.header, row, strict=True)) for row in table.rows(opened)]


def of(kind: type[Any], opened: SavedSession) -> list[Any]:
    return [event for event in opened.saved.events if isinstance(event, kind)]


def rewritten(path: Path, events: list[Event]) -> SavedSession:
    """The log with other events."""
    path.write_bytes(encode(events))
    return open_session(path)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> SavedSession:
    folder = tmp_path_factory.mktemp("native")
    run(loaded(folder, small()), folder)
    return open_session(folder / "P01.yaml")


# Declarations


def test_answers_have_the_published_columns_then_what_came_before_then_every_other_field() -> None:
    assert tuple(ANSWERS.header[:9]) == PUBLISHED
    assert ANSWERS.header[9:13] == ["asked_before", "last_answer", "found_before", "cumulative_reward"]
    others = {field.name for field in fields(Answered)} - {*PUBLISHED, "event"}
    assert sorted(ANSWERS.header[13:]) == sorted(others)


@pytest.mark.parametrize("table", [ROUNDS, PARTICIPANTS, RESPONSES], ids=lambda table: table.name)
def test_rounds_participants_and_responses_have_the_documented_columns(table: Table) -> None:
    assert table.header == HEADERS[table.name].split()


def test_every_column_is_unique_and_has_a_meaning_and_a_type() -> None:
    for table in TABLES:
        assert len(set(table.header)) == len(table.header)
        assert set(table.key) <= set(table.header)
        for column in table.columns:
            assert column.meaning
            assert column.type


@pytest.mark.parametrize(
    ("table", "name", "kind", "unit", "levels"),
    [
        (ANSWERS, "practice", "truth", None, ("TRUE", "FALSE")),
        (ANSWERS, "answer", "name", None, ("y", "n")),
        (ANSWERS, "reward", "reward", None, ()),
        (ANSWERS, "shown_at", "moment", None, ()),
        (ANSWERS, "rt_ms", "number", "ms", ()),
        (ANSWERS, "changes", "count", None, ()),
        (ANSWERS, "late", "truth", None, ("TRUE", "FALSE")),
        (ANSWERS, "digest", "name", None, ()),
        (RESPONSES, "value", "text", None, ()),
        (RESPONSES, "at", "moment", None, ()),
    ],
)
def test_a_column_takes_its_type_from_the_declaration_of_its_field(
    table: Table, name: str, kind: str, unit: str | None, levels: tuple[str, ...]
) -> None:
    column = {column.name: column for column in table.columns}[name]
    assert (column.kind, column.unit, column.levels) == (kind, unit, levels)


def test_a_column_takes_its_meaning_from_the_declaration_of_its_field() -> None:
    meanings = {column.name: column.meaning for column in ANSWERS.columns}
    assert meanings["rt_ms"] in str(Answered.__dataclass_fields__["rt_ms"].type)
    assert meanings["target"] in str(Round.__dataclass_fields__["target"].type)


# Cells


def cell(kind: Any, value: object) -> str:
    return Column("name", "meaning", kind).written(value)


@pytest.mark.parametrize(
    ("kind", "value", "written"),
    [
        ("truth", True, "TRUE"),
        ("truth", False, "FALSE"),
        ("truth", None, ""),
        ("count", 0, "0"),
        ("number", 1840.5, "1840.5"),
        ("number", 0.1 + 0.2, "0.30000000000000004"),
        ("reward", 0.9999, "0.999900"),
        ("reward", 0.0, "0.000000"),
        ("reward", 1.0, "1.000000"),
        ("reward", 0.1234567, "0.1234567"),
        ("reward", 1e-7, "0.0000001"),
        ("text", "plain", "plain"),
        ("text", "=1+1", "'=1+1"),
        ("text", "＝1+1", "'＝1+1"),  # noqa: RUF001
        ("text", "＠SUM", "'＠SUM"),  # noqa: RUF001
        ("text", "+1", "'+1"),
        ("text", "-1", "'-1"),
        ("text", "@sum", "'@sum"),
        ("text", "\t=1", "'\t=1"),
        ("text", "\r=1", "'\r=1"),
        ("text", "1=1", "1=1"),
        ("text", "", ""),
        ("text", 3, "3"),
        ("name", "=1", "'=1"),
        ("word", "-", "'-"),
    ],
)
def test_values_are_written_as_cells_that_spreadsheets_do_not_run(
    kind: str, value: object, written: str
) -> None:
    assert cell(kind, value) == written


@given(st.floats(0, 1))
def test_a_reward_has_at_least_six_decimals_and_reads_back_exactly(reward: float) -> None:
    written = cell("reward", reward)
    assert float(written) == reward
    assert len(written.split(".")[1]) >= 6
    assert "e" not in written


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=2), min_size=1))
def test_any_cells_read_back_as_they_were_written(given_rows: list[list[str]]) -> None:
    columns = tuple(Column(name, "any text", "moment") for name in ("a", "b"))
    table = Table("t", "row", (), columns, lambda rows: [dict(zip("ab", row, strict=True)) for row in rows])
    with tempfile.TemporaryDirectory() as folder:
        written = write_table(table, [part_of(table, given_rows)] * 2, Path(folder), "t.csv")
        with Path(folder, "t.csv").open(encoding="utf-8", newline="") as file:
            assert list(csv.reader(file)) == [["a", "b"], *given_rows, *given_rows]
    assert written
    assert written.rows == 2 * len(given_rows)


# Sessions


def test_the_answers_table_has_the_answers_of_the_log(native: SavedSession) -> None:
    found = rows(ANSWERS, native)
    answers = of(Answered, native)
    assert len(found) == len(answers) == 12
    plan = {round_.round: round_ for round_ in native.session.plan}
    for row, answer in zip(found, answers, strict=True):
        round_ = plan[answer.round]
        assert row["participant"] == "P01"
        assert (row["model"], row["target"]) == (round_.model, round_.target)
        assert row["practice"] == str(round_.practice).upper()
        assert (row["word"], row["answer"]) == (answer.word, answer.answer)
        assert float(row["reward"]) == answer.reward
        assert (row["rt_ms"], row["shown_at"]) == (repr(answer.rt_ms), answer.shown_at)
        assert row["late"] == "FALSE"
        assert row["compute_ms"] == ("" if answer.compute_ms is None else repr(answer.compute_ms))


def test_the_answers_table_says_what_came_before_in_the_round(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(questions=9, bonus=None))
    run(study, tmp_path, "P02")
    opened = open_session(tmp_path / "P02.yaml")
    seen: list[dict[str, str]] = []
    again = 0
    for row in rows(ANSWERS, opened):
        seen = [other for other in seen if other["round"] == row["round"]]
        same = [other["answer"] for other in seen if other["word"] == row["word"]]
        found = any(other["word"] == row["target"] for other in seen)
        assert row["asked_before"] == str(bool(same)).upper()
        assert row["last_answer"] == (same[-1] if same else "")
        assert row["found_before"] == str(found).upper()
        seen.append(row)
        rewards = sum(Decimal(other["reward"]) for other in seen)
        assert Decimal(row["cumulative_reward"]) == rewards
        again += len(same) > 1
    assert again  # with words asked about three times, the last answer differs from the first


def test_a_round_that_a_table_only_holds_the_place_of_has_no_outcome(
    native: SavedSession, tmp_path: Path
) -> None:
    started, *events = native.saved.events
    assert isinstance(started, Started)
    place = started.plan[0]
    played = [
        replace(event, word=place.target if event.question > 1 else event.word, reward=0.0)
        if isinstance(event, Answered) and event.round == place.round
        else event
        for event in events
    ]
    head = replace(started, simulated=False, teacher=None, imported=Imported("x.csv", "0", 2, None))
    opened = rewritten(tmp_path / "P01.yaml", [head, *played])
    row, *others = rows(ROUNDS, opened)
    assert (row["took_place"], row["counted"]) == ("FALSE", "FALSE")
    empty = ("questions", "cumulative_reward", "found_at", "time_to_find", "found", "yes")
    assert {row[name] for name in empty} == {""}
    assert {other["took_place"] for other in others} == {"TRUE"}
    first, second, *_ = rows(ANSWERS, opened)
    assert (first["reward"], second["word"]) == ("0.000000", place.target)
    for name in ("asked_before", "last_answer", "found_before", "cumulative_reward"):
        assert first[name] == second[name] == ""


@given(st.lists(st.floats(0, 1), max_size=30))
def test_rewards_add_up_as_their_decimals_do(rewards: list[float]) -> None:
    assert total([0.1, 0.2]) == 0.3
    assert total(rewards) == float(sum(Decimal(repr(reward)) for reward in rewards))


def test_the_rounds_table_summarises_the_answers(native: SavedSession) -> None:
    found = rows(ROUNDS, native)
    began = of(RoundBegan, native)
    assert len(found) == 6
    for row, round_, event in zip(found, native.session.plan, began, strict=True):
        answers = native.session.answers_in(round_)
        assert (row["first"], row["questions"]) == (round_.first, "2")
        assert float(row["cumulative_reward"]) == pytest.approx(sum(answer.reward for answer in answers))
        asked = [answer.question for answer in answers if answer.word == round_.target]
        assert row["found_at"] == (str(asked[0]) if asked else "")
        assert (row["found"], row["time_to_find"]) == (("TRUE", str(asked[0])) if asked else ("FALSE", "2"))
        assert (row["took_place"], row["counted"]) == ("TRUE", str(not round_.practice).upper())
        assert row["yes"] == str([answer.answer for answer in answers].count("y"))
        assert float(row["median_rt_ms"]) == pytest.approx(sum(answer.rt_ms or 0 for answer in answers) / 2)
        assert row["began_at"] == event.at
    places = {(row["target"], row["model"]): row["place"] for row in found}
    assert [row["place"] for row in found] == ["1", "2"] * 3
    assert {places["tea", model] for model in ("plain", "both")} == {"1", "2"}


def test_a_round_without_answers_has_a_row(native: SavedSession, tmp_path: Path) -> None:
    events = native.saved.events
    first = next(i for i, event in enumerate(events) if isinstance(event, RoundBegan))
    opened = rewritten(tmp_path / "P01.yaml", events[: first + 1])
    (row,) = rows(ROUNDS, opened)
    assert (row["questions"], row["cumulative_reward"], row["yes"]) == ("0", "0.000000", "0")
    assert (row["found_at"], row["median_rt_ms"]) == ("", "")
    assert (row["found"], row["time_to_find"]) == ("", "")  # nothing is known of it
    assert ANSWERS.rows(opened) == []


def test_the_participants_table_describes_the_session(native: SavedSession) -> None:
    (row,) = rows(PARTICIPANTS, native)
    started, *_, finished = native.saved.events
    assert isinstance(started, Started)
    assert isinstance(finished, Finished)
    assert (row["kind"], row["state"], row["title"]) == ("simulated", "finished", "A small study")
    assert (row["seed"], row["words"]) == ("7", "words.txt")
    assert (row["started_at"], row["finished_at"]) == (started.at, finished.at)
    assert 0 < float(row["minutes"]) < 60
    assert (row["answers"], row["rounds"], row["resumed"], row["late"]) == ("12", "6", "0", "0")
    assert (row["found"], row["bonus"]) == (str(finished.found), str(finished.bonus).upper())
    assert (row["log"], row["chain"]) == ("P01.yaml", native.saved.chain)
    assert row["software"] == started.software["studyapp"]


def test_an_unfinished_session_has_no_end_and_counts_how_often_it_was_resumed(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    for _ in range(3):
        open_sitting(study, tmp_path).close()
    (row,) = rows(PARTICIPANTS, open_session(tmp_path / "P01.yaml"))
    assert (row["state"], row["resumed"], row["answers"]) == ("incomplete", "2", "0")
    assert {row[name] for name in ("finished_at", "minutes", "found", "bonus")} == {""}


def test_after_deletion_only_the_participants_table_has_a_row(tmp_path: Path) -> None:
    sitting = open_sitting(loaded(tmp_path, small()), tmp_path)
    sitting.withdraw(delete=True)
    sitting.close()
    opened = open_session(tmp_path / "P01.yaml")
    assert isinstance(opened.session.over, Withdrawn)
    (row,) = rows(PARTICIPANTS, opened)
    assert (row["state"], row["answers"], row["finished_at"]) == ("deleted", "0", "")
    assert ANSWERS.rows(opened) == ROUNDS.rows(opened) == RESPONSES.rows(opened) == []


def test_responses_name_the_round_before_them(native: SavedSession) -> None:
    found = rows(RESPONSES, native)
    assert len(found) == len(of(Responded, native)) == 7
    models = {str(round_.round): (round_.model, round_.target) for round_ in native.session.plan}
    for row in found[:4]:
        assert (row["model"], row["target"]) == models[row["after"]]
        assert (row["questionnaire"], row["item"]) == ("mood", "tired")
        assert row["value"] in "0123"
    for row in found[4:]:
        assert (row["after"], row["model"], row["target"]) == ("", "", "")
    assert found[-1]["value"] == ""  # optional, and left empty


def test_typed_formulas_are_not_run_by_spreadsheets(native: SavedSession, tmp_path: Path) -> None:
    events = [
        replace(event, value='=HYPERLINK("x")') if getattr(event, "item", "") == "remarks" else event
        for event in native.saved.events
    ]
    opened = rewritten(tmp_path / "P01.yaml", events)
    values = [row["value"] for row in rows(RESPONSES, opened)]
    assert '\'=HYPERLINK("x")' in values


def test_unknown_values_of_an_imported_session_are_empty(native: SavedSession, tmp_path: Path) -> None:
    started, *events = native.saved.events
    assert isinstance(started, Started)
    head = replace(started, simulated=False, teacher=None, imported=Imported("x.csv", "0", 2, None))
    opened = rewritten(tmp_path / "P01.yaml", [head, *events])
    (row,) = rows(PARTICIPANTS, opened)
    assert row["kind"] == "imported"
    assert {row[name] for name in ("seed", "started_at", "finished_at", "minutes", "resumed", "late")} == {""}
    assert {row["began_at"] for row in rows(ROUNDS, opened)} == {""}
