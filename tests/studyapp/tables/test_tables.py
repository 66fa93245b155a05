"""The tidy tables: how cells are written, and what they say of sessions, worked out a second time."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import fields, replace
from decimal import Decimal
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import yaml
from chains import event_of, parts
from exports import cells
from hypothesis import given
from hypothesis import strategies as st
from study_files import loaded, open_sitting, run, small

from studyapp.session.events import Answered, Event, Imported, RoundBegan, Started
from studyapp.session.log_format import encode
from studyapp.session.saved import SavedSession, open_session
from studyapp.tables.columns import Column, Table, part_of, total, write_table
from studyapp.tables.tables import ANSWERS, PARTICIPANTS, PUBLISHED, RESPONSES, ROUNDS, TABLES


def rows(table: Table, opened: SavedSession) -> list[dict[str, str]]:
    return [dict(zip(table.header, row, strict=True)) for row in table.rows(opened)]


def rewritten(path: Path, events: list[Event]) -> SavedSession:
    """The log with other events."""
    path.write_bytes(encode(events))
    return open_session(path)


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> SavedSession:
    folder = tmp_path_factory.mktemp("native")
    run(loaded(folder, small(questions=9, bonus=None)), folder)
    return open_session(folder / "P01.yaml")


@pytest.fixture(scope="module")
def said(native: SavedSession) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the log says: its head, and its other events, read without studyapp."""
    head, *others = parts(native.path.read_bytes())
    return yaml.safe_load(head), [event_of(other) for other in others]


# Declarations and cells


def test_every_column_has_a_meaning_and_takes_its_type_from_the_field() -> None:
    for table in TABLES:
        assert len(set(table.header)) == len(table.header)
        assert set(table.key) <= set(table.header)
        assert all(column.meaning and column.type for column in table.columns)
    assert tuple(ANSWERS.header[:9]) == PUBLISHED
    assert {field.name for field in fields(Answered)} - {"event"} <= set(ANSWERS.header)
    columns = {column.name: column for column in (*RESPONSES.columns, *ANSWERS.columns)}
    for name, *expected in (
        ("practice", "truth", None, ("TRUE", "FALSE")),
        ("answer", "name", None, ("y", "n")),
        ("reward", "reward", None, ()),
        ("shown_at", "moment", None, ()),
        ("rt_ms", "number", "ms", ()),
        ("changes", "count", None, ()),
        ("digest", "name", None, ()),
        ("value", "text", None, ()),
    ):
        column = columns[str(name)]
        assert [column.kind, column.unit, column.choices] == expected, name
    assert columns["rt_ms"].meaning in str(Answered.__dataclass_fields__["rt_ms"].type)


CELLS = (
    *(("truth", True, "TRUE"), ("truth", False, "FALSE"), ("truth", None, ""), ("count", 0, "0")),
    *(("number", 1840.5, "1840.5"), ("number", 0.1 + 0.2, "0.30000000000000004")),
    *(("reward", 0.9999, "0.999900"), ("reward", 0.1234567, "0.1234567"), ("reward", 1e-7, "0.0000001")),
    *(("text", "plain", "plain"), ("text", "1=1", "1=1"), ("text", "", ""), ("text", 3, "3")),
    *(("text", "=1+1", "'=1+1"), ("text", "+1", "'+1"), ("text", "-1", "'-1"), ("text", "@sum", "'@sum")),
    *(("text", "＝1", "'＝1"), ("text", "＠SUM", "'＠SUM")),  # noqa: RUF001
    *(("text", "\t=1", "'\t=1"), ("text", "\r=1", "'\r=1"), ("name", "=1", "'=1"), ("word", "-", "'-")),
)


def test_values_are_written_as_cells_that_spreadsheets_do_not_run() -> None:
    for kind, value, written in CELLS:
        assert Column("name", "meaning", kind).written(value) == written, (kind, value)  # type: ignore[arg-type]


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_rewards_read_back_exactly_and_add_up_as_their_decimals_do(rewards: list[float]) -> None:
    for reward in rewards:
        written = Column("name", "meaning", "reward").written(reward)
        assert float(written) == reward
        assert len(written.split(".")[1]) >= 6
        assert "e" not in written
    assert total([0.1, 0.2]) == 0.3
    assert total(rewards) == float(sum(Decimal(repr(reward)) for reward in rewards))


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8")), min_size=2, max_size=2), min_size=1))
def test_any_cells_read_back_as_they_were_written(given_rows: list[list[str]]) -> None:
    columns = tuple(Column(name, "any text", "moment") for name in ("a", "b"))
    table = Table("t", "row", (), columns, lambda rows: [dict(zip("ab", row, strict=True)) for row in rows])
    with tempfile.TemporaryDirectory() as folder:
        written = write_table(table, [part_of(table, given_rows)] * 2, Path(folder), "t.csv")
        assert cells(Path(folder, "t.csv")) == [["a", "b"], *given_rows, *given_rows]
    assert written
    assert written.rows == 2 * len(given_rows)


# A session that was run here


def cell(value: object) -> str:
    return "" if value is None else str(value).upper() if isinstance(value, bool) else str(value)


def test_answers_are_those_of_the_log_with_what_came_before(native: SavedSession, said: Any) -> None:
    head, events = said
    plan = {round_["round"]: round_ for round_ in head["plan"]}
    answers = [event for event in events if event["event"] == "answer"]
    again = 0
    found = rows(ANSWERS, native)
    assert len(found) == len(answers) == 54
    for number, (row, answer) in enumerate(zip(found, answers, strict=True)):
        round_ = plan[answer["round"]]
        earlier = [other for other in answers[:number] if other["round"] == answer["round"]]
        same = [other["answer"] for other in earlier if other["word"] == answer["word"]]
        so_far = sum(Decimal(str(other["reward"])) for other in (*earlier, answer))
        again += len(set(same)) > 1
        for name, value in (answer | round_).items():
            if name not in ("event", "reward", "first"):
                assert row[name] == cell(value), name
        assert float(row["reward"]) == answer["reward"]
        assert (row["participant"], Decimal(row["cumulative_reward"])) == ("P01", so_far)
        assert row["asked_before"] == cell(bool(same))
        assert row["last_answer"] == (same[-1] if same else "")
        assert row["found_before"] == cell(any(other["word"] == round_["target"] for other in earlier))
    assert again  # so that the last answer to a word is not the first one


def test_rounds_sum_up_the_answers(native: SavedSession, said: Any) -> None:
    head, events = said
    began = {event["round"]: event["at"] for event in events if event["event"] == "round"}
    found = rows(ROUNDS, native)
    assert len(found) == len(head["plan"]) == 6
    targets: list[str] = []
    for row, round_ in zip(found, head["plan"], strict=True):
        answers = [e for e in events if e["event"] == "answer" and e["round"] == round_["round"]]
        asked = [answer["question"] for answer in answers if answer["word"] == round_["target"]]
        targets.append(round_["target"])
        assert {name: row[name] for name in round_} == {name: cell(value) for name, value in round_.items()}
        assert row["place"] == str(targets.count(round_["target"]))
        assert (row["took_place"], row["counted"]) == ("TRUE", cell(not round_["practice"]))
        assert (row["questions"], row["found_at"]) == ("9", str(asked[0]) if asked else "")
        assert (row["found"], row["time_to_find"]) == (cell(bool(asked)), str(asked[0] if asked else 9))
        assert Decimal(row["cumulative_reward"]) == sum(Decimal(str(a["reward"])) for a in answers)
        assert row["yes"] == str(sum(answer["answer"] == "y" for answer in answers))
        assert float(row["median_rt_ms"]) == round(median(answer["rt_ms"] for answer in answers), 2)
        assert row["began_at"] == began[round_["round"]]
    assert [row["practice"] for row in found] == ["TRUE"] * 2 + ["FALSE"] * 4


def test_participants_and_responses_are_those_of_the_log(native: SavedSession, said: Any) -> None:
    head, events = said
    (row,) = rows(PARTICIPANTS, native)
    finished = events[-1]
    assert row | {"minutes": ""} == dict.fromkeys(PARTICIPANTS.header, "") | {
        "participant": "P01",
        "kind": "simulated",
        "state": "finished",
        "title": "A small study",
        "seed": "7",
        "words": "words.txt",
        "started_at": head["at"],
        "finished_at": finished["at"],
        "answers": "54",
        "rounds": "6",
        "found": str(finished["found"]),
        "resumed": "0",
        "late": "0",
        "log": "P01.yaml",
        "chain": native.saved.chain,
        "software": head["software"]["studyapp"],
    }
    assert float(row["minutes"]) == pytest.approx(finished["clock_ms"] / 60_000, abs=0.01)
    responses = [event for event in events if event["event"] == "response"]
    plan = {round_["round"]: round_ for round_ in head["plan"]}
    found = rows(RESPONSES, native)
    assert len(found) == len(responses) == 7
    for row, response in zip(found, responses, strict=True):
        before = plan.get(response["after"], {})
        expected = response | {name: before.get(name) for name in ("model", "target")} | {"changes": 0}
        assert {name: row[name] for name in expected if name != "event"} == {
            name: cell(value) for name, value in expected.items() if name != "event"
        }


# Sessions that are not whole


def test_an_unfinished_session_has_no_end_and_a_deleted_one_no_answers(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    for _ in range(3):
        open_sitting(study, tmp_path).close()
    (row,) = rows(PARTICIPANTS, open_session(tmp_path / "P01.yaml"))
    assert (row["state"], row["resumed"], row["answers"]) == ("incomplete", "2", "0")
    assert {row[name] for name in ("finished_at", "minutes", "found", "bonus")} == {""}
    sitting = open_sitting(study, tmp_path)
    sitting.withdraw(delete=True)
    sitting.close()
    opened = open_session(tmp_path / "P01.yaml")
    (row,) = rows(PARTICIPANTS, opened)
    assert (row["state"], row["answers"], row["finished_at"]) == ("deleted", "0", "")
    assert ANSWERS.rows(opened) == ROUNDS.rows(opened) == RESPONSES.rows(opened) == []


def test_a_round_without_answers_has_a_row_and_nothing_is_known_of_finding(
    native: SavedSession, tmp_path: Path
) -> None:
    events = native.saved.events
    first = next(i for i, event in enumerate(events) if isinstance(event, RoundBegan))
    (row,) = rows(ROUNDS, rewritten(tmp_path / "P01.yaml", events[: first + 1]))
    assert (row["questions"], row["cumulative_reward"], row["yes"]) == ("0", "0.000000", "0")
    assert {row[name] for name in ("found_at", "median_rt_ms", "found", "time_to_find")} == {""}


def as_imported(events: list[Event]) -> Iterator[Event]:
    """The events as if they came from a table, which only holds the place of the first round."""
    started = events[0]
    assert isinstance(started, Started)
    place = started.plan[0]
    yield replace(started, simulated=False, teacher=None, imported=Imported("x.csv", "0", 2, None))
    for event in events[1:]:
        if isinstance(event, Answered) and event.round == place.round:
            event = replace(event, word=place.target if event.question > 1 else event.word, reward=0.0)
        yield event


def test_what_an_import_does_not_know_is_empty(native: SavedSession, tmp_path: Path) -> None:
    opened = rewritten(tmp_path / "P01.yaml", list(as_imported(native.saved.events)))
    (row,) = rows(PARTICIPANTS, opened)
    assert row["kind"] == "imported"
    assert {row[name] for name in ("seed", "started_at", "finished_at", "minutes", "resumed", "late")} == {""}
    place, *others = rows(ROUNDS, opened)
    assert {other["began_at"] for other in (place, *others)} == {""}
    assert (place["took_place"], place["counted"]) == ("FALSE", "FALSE")
    outcomes = ("questions", "cumulative_reward", "found_at", "time_to_find", "found", "yes")
    assert {place[name] for name in outcomes} == {""}
    assert {other["took_place"] for other in others} == {"TRUE"}
    answers = rows(ANSWERS, opened)
    assert len(answers) == 54
    for name in ("asked_before", "last_answer", "found_before", "cumulative_reward"):
        assert {answer[name] for answer in answers[:9]} == {""}
