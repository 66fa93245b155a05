"""Verification of imported sessions: what follows from the answers must be there, and the rest is counted."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from published import SESSIONS, needs_sessions
from study_files import recorded, small, write

from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Answered, Left, Started
from studyapp.session.log_format import encode
from studyapp.session.saved import load_study, open_session
from studyapp.session.verification import verify
from studyapp.tables.tables import PUBLISHED

QUESTIONS = 4
ROUNDS = 6  # practice included; three with each model
EACH = ROUNDS // 2 * (QUESTIONS - 1)

Events = list[Any]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of a session that ran in studyapp, beside its study and words."""
    session, folder = recorded(questions=QUESTIONS), tmp_path_factory.mktemp("source")
    write(folder, small(questions=QUESTIONS))
    path = folder / "answers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(PUBLISHED)
        for answer in session.events:
            if isinstance(answer, Answered):
                round_ = session.events[0].plan[answer.round - 1]
                of_round = ("P01", answer.round, str(round_.practice).lower(), round_.model, round_.target)
                writer.writerow([*of_round, answer.question, answer.word, answer.answer, answer.reward])
    return path


def imported(table: Path, folder: Path, study: Path | None = None) -> Path:
    """The log of the table, imported with its study or another one."""
    chosen = study or table.parent / "study.yaml"
    assert main(["import", str(table), "--study", str(chosen), "--sessions", str(folder)]) == 0
    (folder / "words.txt").write_bytes((table.parent / "words.txt").read_bytes())
    return folder / "P01.yaml"


@pytest.fixture(scope="module")
def events(table: Path, tmp_path_factory: pytest.TempPathFactory) -> Events:
    return list(log.read(imported(table, tmp_path_factory.mktemp("imported"))).events)


@pytest.fixture
def path(tmp_path: Path, events: Events) -> Path:
    return recorded().put(tmp_path, events)


def changed(path: Path, change: Callable[[Events], Events]) -> Path:
    """The log with other events and a new chain, as a forger would write it."""
    path.write_bytes(encode(change(list(log.read(path).events))))
    return path


def answer_of(events: Events, model: str, question: int) -> int:
    """The place among the events of a question in a round of a model."""
    rounds = [round_.round for round_ in events[0].plan if round_.model == model]
    return next(
        place
        for place, event in enumerate(events)
        if isinstance(event, Answered) and event.round in rounds and event.question == question
    )


def with_answer(place: int, **changes: Any) -> Callable[[Events], Events]:
    return lambda events: [*events[:place], replace(events[place], **changes), *events[place + 1 :]]


def flipped(path: Path, events: Events, model: str) -> Path:
    """The log with an answer turned round, one that a question follows."""
    place = answer_of(events, model, question=2)
    return changed(path, with_answer(place, answer="n" if events[place].answer == "y" else "y"))


def headed(**changes: Any) -> Callable[[Events], Events]:
    return lambda events: [replace(events[0], **changes), *events[1:]]


# With the study


def test_a_session_that_ran_in_studyapp_comes_out_whole_after_export_and_import(
    path: Path, events: Events
) -> None:
    result = verify(path)
    assert (result.verdict, result.code) == ("verified", 0)
    assert (result.questions, result.rederived) == (ROUNDS * QUESTIONS, 2 * EACH)
    assert result.not_rederived == f"{ROUNDS} first questions: drawn at random in the original"
    assert result.models is not None
    assert {name: vars(model) for name, model in result.models.items()} == {
        "plain": {"questions": EACH, "rederived": EACH, "draws": False},
        "both": {"questions": EACH, "rederived": EACH, "draws": True},
    }
    assert f"re-derived with the study 'study.yaml' (plain {EACH} of {EACH}, both" in result.message
    assert result.receipt is None  # nobody was shown one
    blind = verify(path, blind=True)
    assert blind.models is None
    assert not {"plain", "both"} & set(f"{blind.message} {blind.not_rederived}".split())
    software = events[0].software | {"learners": "0"}  # whatever version imported it
    assert verify(changed(path, headed(software=software))).verdict == "verified"


def test_an_answer_that_was_changed_shows_where_questions_follow_from_answers(
    path: Path, events: Events
) -> None:
    result = verify(flipped(path, events, "plain"))
    assert (result.verdict, result.code) == ("different", 1)
    assert "question 3 of round" in result.message
    assert "plain" not in result.message  # whoever reads it may be blind
    assert result.notes == ["replayed with the study 'study.yaml'"]


def test_a_question_of_a_model_that_draws_is_counted_and_no_difference(path: Path, events: Events) -> None:
    place = answer_of(events, "both", question=3)
    other = "tea" if events[place].word != "tea" else "café"
    target = events[0].plan[events[place].round - 1].target
    reward = load_study(open_session(path)).reward(target, other)
    result = verify(changed(path, with_answer(place, word=other, reward=reward)))
    assert (result.verdict, result.code) == ("verified", 0)
    assert result.models is not None
    assert result.models["plain"].rederived == EACH
    assert result.models["both"].rederived < EACH
    assert result.not_rederived is not None
    assert "of 'both' came out differently: the model draws random numbers" in result.not_rederived


def test_another_study_shows_unless_every_model_draws(table: Path, tmp_path: Path) -> None:
    for selection, verdict in (("thompson", "imported"), ("greedy", "different")):
        models = {"plain": {"teacher": "naive", "selection": selection}, "both": {"teacher": "mixture"}}
        study = write(tmp_path / "other", small(questions=QUESTIONS, models=models))
        result = verify(imported(table, tmp_path / selection, study))
        assert result.verdict == verdict
        assert result.message.startswith(f"{verdict}: ")
        assert ("of 'plain' came out differently" in str(result.not_rederived)) == (verdict == "imported")


def test_a_changed_reward_is_a_difference_but_the_targets_own_may_be_1(path: Path, events: Events) -> None:
    for model in ("plain", "both"):
        result = verify(changed(path, with_answer(answer_of(events, model, question=2), reward=0.123456)))
        assert result.verdict == "different"
        assert "the reward of question 2 of round" in result.message
        path.write_bytes(encode(events))
    own = next(n for n, event in enumerate(events) if isinstance(event, Answered) and event.reward == 0.9999)
    assert verify(changed(path, with_answer(own, reward=1.0))).verdict == "verified"


def test_a_round_whose_rewards_are_all_0_never_took_place(path: Path) -> None:
    def change(events: Events) -> Events:
        first = (isinstance(event, Answered) and event.round == 1 for event in events)
        return [
            replace(event, reward=0.0) if own else event for event, own in zip(events, first, strict=True)
        ]

    result = verify(changed(path, change))
    assert (result.verdict, result.rederived) == ("verified", (ROUNDS - 1) * (QUESTIONS - 1))
    assert "round 1: all rewards are 0, so it never took place" in result.notes


# Without the study


def test_without_a_study_nothing_is_replayed_and_nothing_more_is_claimed(path: Path, events: Events) -> None:
    changed(path, headed(imported=replace(events[0].imported, study=None)))
    for log_path in (path, flipped(path, events, "plain")):
        result = verify(log_path)
        assert (result.verdict, result.code, result.rederived) == ("imported", 0, 0)
        assert result.not_rederived == (
            "the import did not name the study that the data are from (studyapp import --study)"
        )
        assert result.message.startswith("imported: ")
        assert "none replayed" in result.message
    other = verify(changed(path, with_answer(answer_of(events, "both", question=2), reward=0.123456)))
    assert other.verdict == "imported"
    assert other.notes[0].startswith("1 reward is not the similarity of the word to the target; see line ")


# What an import never writes


def test_what_no_import_writes_is_a_difference(path: Path, events: Events) -> None:
    assert [event.event for event in (*events[:3], events[-1])] == ["session", "round", "answer", "finished"]
    for change, problem in (
        (events[:-1], "the end of the session ('finished') is missing"),
        ([*events[:-1], replace(events[-1], found=0)], "found is 0 in the last event"),
        (
            [*events[:-1], replace(events[-1], at="2031-01-01T00:00:00.000Z")],
            "the time is 2031-01-01T00:00:00.000Z, but an import writes only its own time",
        ),
        (
            [events[0], replace(events[1], at="1999-01-01T00:00:00.000Z"), *events[2:]],
            "the time is 1999-01-01T00:00:00.000Z",
        ),
        (
            [*events[:3], Left("2026-11-16T09:30:00.123Z"), *events[3:]],
            "an imported log has no event 'left'",
        ),
        (
            [*events[:2], replace(events[2], rt_ms=300.0), *events[3:]],
            "rt_ms is not empty, but an import leaves it empty",
        ),
    ):
        result = verify(recorded().put(path.parent, change))
        assert (result.verdict, result.code) == ("different", 1)
        assert problem in result.message


# The published data


@needs_sessions
def test_the_published_data_are_imported_and_all_questions_of_the_naive_model_come_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for message in ("5 participants imported; ", "0 participants imported, 5 imported before; "):
        assert main(["import", str(SESSIONS), "--sessions", str(tmp_path), "--study", "paper"]) == 0
        assert capsys.readouterr().out.startswith(message)
    with SESSIONS.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for path in tmp_path.iterdir():
        opened = open_session(path)
        head, *events = opened.saved.events
        assert isinstance(head, Started)
        assert [(answer.word, answer.answer) for answer in opened.session.answers] == [
            (row["word"], row["answer"]) for row in rows if row["participant"] == opened.participant
        ]
        assert sum(event.event == "round" for event in events) == 40
        assert (opened.kind, opened.state) == ("imported", "finished")
        assert (head.study["practice"], len(head.study["targets"])) == (["cat"], 19)
    assert main(["verify", "--json", str(tmp_path), "--source", str(SESSIONS)]) == 0
    results = json.loads(capsys.readouterr().out)
    assert [result["log"] for result in results] == [f"P10{n}.yaml" for n in range(3, 8)]
    for result in results:
        assert (result["verdict"], result["questions"]) == ("verified", 600)
        naive, mixture = result["models"]["naive"], result["models"]["mixture"]
        assert (naive["questions"], naive["rederived"]) == (280, 280)
        # As many as two replays with random numbers of their own share: 62 to 76 %.
        assert 0.65 < mixture["rederived"] / mixture["questions"] < 0.85
        assert result["rederived"] == naive["rederived"] + mixture["rederived"]
        assert "of 'mixture' came out differently" in result["not_rederived"]
        assert result["notes"][0].startswith("the answers are as they were imported: they were compared")
    never = "round 2: all rewards are 0, so it never took place"
    assert [never in result["notes"] for result in results] == [True, False, False, False, False]
