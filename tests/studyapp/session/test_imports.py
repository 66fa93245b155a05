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
from study_files import loaded, run, small, write

from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Answered, Finished, Left, RoundBegan
from studyapp.session.log_format import encode
from studyapp.session.saved import open_session
from studyapp.session.verification import verify
from studyapp.tables.tables import PUBLISHED

QUESTIONS = 4
ROUNDS = 6  # practice included; three with each model


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of a session that ran in studyapp, beside its study and words."""
    folder = tmp_path_factory.mktemp("source")
    run(loaded(folder, small(questions=QUESTIONS)), folder / "run")
    (folder / "run" / "words.txt").write_bytes((folder / "words.txt").read_bytes())
    session = open_session(folder / "run" / "P01.yaml").session
    rounds = {round_.round: round_ for round_ in session.plan}
    path = folder / "answers.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(PUBLISHED)
        for answer in session.answers:
            round_ = rounds[answer.round]
            practice = str(round_.practice).lower()
            writer.writerow(
                [
                    *("P01", answer.round, practice, round_.model, round_.target),
                    *(answer.question, answer.word, answer.answer, answer.reward),
                ]
            )
    return path


def imported(table: Path, folder: Path, study: Path | None = None) -> Path:
    """The log of the table, imported with its study or another one."""
    chosen = study or table.parent / "study.yaml"
    assert main(["import", str(table), "--study", str(chosen), "--sessions", str(folder)]) == 0
    (folder / "words.txt").write_bytes((table.parent / "words.txt").read_bytes())
    return folder / "P01.yaml"


@pytest.fixture
def path(table: Path, tmp_path: Path) -> Path:
    return imported(table, tmp_path)


def changed(path: Path, change: Callable[[list[Any]], list[Any]]) -> Path:
    """The log with other events and a new chain, as a forger would write it."""
    path.write_bytes(encode(change(list(log.read(path).events))))
    return path


def test_an_import_is_replayed_whatever_version_of_studyapp_imported_it(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def by_another_version(events: list[Any]) -> list[Any]:
        started, *rest = events
        return [replace(started, software=started.software | {"learners": "0"}), *rest]

    changed(path, by_another_version)
    assert main(["verify", str(path)]) == 0
    assert "verified" in capsys.readouterr().out


def answer_of(path: Path, model: str, question: int) -> int:
    """The place among the events of a question in a round of a model."""
    events = log.read(path).events
    rounds = [round_.round for round_ in open_session(path).session.plan if round_.model == model]
    return next(
        place
        for place, event in enumerate(events)
        if isinstance(event, Answered) and event.round in rounds and event.question == question
    )


def with_answer(place: int, **changes: Any) -> Callable[[list[Any]], list[Any]]:
    def change(events: list[Any]) -> list[Any]:
        return [*events[:place], replace(events[place], **changes), *events[place + 1 :]]

    return change


def flipped(path: Path, model: str) -> Path:
    """The log with an answer turned round, one that a question follows."""
    place = answer_of(path, model, question=2)
    answer = log.read(path).events[place]
    assert isinstance(answer, Answered)
    return changed(path, with_answer(place, answer="n" if answer.answer == "y" else "y"))


# With the study


def test_a_session_that_ran_in_studyapp_comes_out_whole_after_export_and_import(path: Path) -> None:
    result = verify(path)
    each = ROUNDS // 2 * (QUESTIONS - 1)
    assert (result.verdict, result.code) == ("verified", 0)
    assert (result.questions, result.rederived) == (ROUNDS * QUESTIONS, 2 * each)
    assert result.not_rederived == f"{ROUNDS} first questions: drawn at random in the original"
    assert result.models is not None
    assert {name: vars(model) for name, model in result.models.items()} == {
        "plain": {"questions": each, "rederived": each, "draws": False},
        "both": {"questions": each, "rederived": each, "draws": True},
    }
    assert f"re-derived with the study 'study.yaml' (plain {each} of {each}, both" in result.message
    assert result.receipt is None  # nobody was shown one


def test_an_answer_that_was_changed_shows_where_questions_follow_from_answers(path: Path) -> None:
    result = verify(flipped(path, "plain"))
    assert (result.verdict, result.code) == ("different", 1)
    assert "question 3 of round" in result.message
    assert "plain" not in result.message  # whoever reads it may be blind
    assert result.notes == ["replayed with the study 'study.yaml'"]


def test_a_question_of_a_model_that_draws_is_counted_and_no_difference(path: Path) -> None:
    place = answer_of(path, "both", question=3)
    word = log.read(path).events[place].word  # type: ignore[union-attr]
    other = "tea" if word != "tea" else "café"
    reward = reward_of(path, place, other)
    result = verify(changed(path, with_answer(place, word=other, reward=reward)))
    each = ROUNDS // 2 * (QUESTIONS - 1)
    assert (result.verdict, result.code) == ("verified", 0)
    assert result.models is not None
    assert result.models["plain"].rederived == each
    assert result.models["both"].rederived < each
    assert result.not_rederived is not None
    assert "of 'both' came out differently: the model draws random numbers" in result.not_rederived


def reward_of(path: Path, place: int, word: str) -> float:
    from studyapp.session.saved import load_study

    opened = open_session(path)
    answer = opened.saved.events[place]
    assert isinstance(answer, Answered)
    target = opened.session.plan[answer.round - 1].target
    return load_study(opened).reward(target, word)


def test_a_study_in_which_every_model_draws_holds_a_log_to_nothing(table: Path, tmp_path: Path) -> None:
    models = {"plain": {"teacher": "naive", "selection": "thompson"}, "both": {"teacher": "mixture"}}
    study = write(tmp_path / "other", small(questions=QUESTIONS, models=models))
    result = verify(imported(table, tmp_path, study))
    assert (result.verdict, result.code) == ("imported", 0)
    assert result.message.startswith("imported: ")
    assert "of 'plain' came out differently" in str(result.not_rederived)


def test_another_study_than_that_of_the_data_shows(table: Path, tmp_path: Path) -> None:
    models = {"plain": {"teacher": "naive", "selection": "greedy"}, "both": {"teacher": "mixture"}}
    study = write(tmp_path / "other", small(questions=QUESTIONS, models=models))
    assert verify(imported(table, tmp_path, study)).verdict == "different"


@pytest.mark.parametrize("model", ["plain", "both"])
def test_a_changed_reward_is_a_difference(path: Path, model: str) -> None:
    place = answer_of(path, model, question=2)
    result = verify(changed(path, with_answer(place, reward=0.123456)))
    assert result.verdict == "different"
    assert "the reward of question 2 of round" in result.message


def test_the_reward_of_the_target_may_be_1(path: Path) -> None:
    events = log.read(path).events
    place = next(
        place for place, event in enumerate(events) if isinstance(event, Answered) and event.reward == 0.9999
    )
    assert verify(changed(path, with_answer(place, reward=1.0))).verdict == "verified"


def test_a_round_whose_rewards_are_all_0_never_took_place(path: Path) -> None:
    def change(events: list[Any]) -> list[Any]:
        return [
            replace(event, reward=0.0) if isinstance(event, Answered) and event.round == 1 else event
            for event in events
        ]

    result = verify(changed(path, change))
    assert result.verdict == "verified"
    assert result.rederived == (ROUNDS - 1) * (QUESTIONS - 1)
    assert "round 1: all rewards are 0, so it never took place" in result.notes


# Without the study


def test_without_a_study_nothing_is_replayed_and_nothing_more_is_claimed(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def unnamed(events: list[Any]) -> list[Any]:
        head = events[0]
        return [replace(head, imported=replace(head.imported, study=None)), *events[1:]]

    changed(path, unnamed)
    for log_path in (path, flipped(path, "plain")):
        result = verify(log_path)
        assert (result.verdict, result.code, result.rederived) == ("imported", 0, 0)
        assert result.not_rederived == (
            "the import did not name the study that the data are from (studyapp import --study)"
        )
        capsys.readouterr()
        main(["verify", str(log_path)])
        printed = capsys.readouterr().out
        assert "none replayed" in printed
        assert "imported" in printed
        for claim in ("as they were", "unchanged", "as it was"):
            assert claim not in printed


# What an import never writes


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda events: events[:-1], "the end of the session ('finished') is missing"),
        (lambda events: [*events[:-1], replace(events[-1], found=0)], "found is 0 in the last event"),
        (
            lambda events: [*events[:-1], replace(events[-1], at="2031-01-01T00:00:00.000Z")],
            "the time is 2031-01-01T00:00:00.000Z, but an import writes only its own time",
        ),
        (
            lambda events: [events[0], replace(events[1], at="1999-01-01T00:00:00.000Z"), *events[2:]],
            "the time is 1999-01-01T00:00:00.000Z",
        ),
        (
            lambda events: [*events[:3], Left("2026-11-16T09:30:00.123Z"), *events[3:]],
            "an imported log has no event 'left'",
        ),
        (
            lambda events: [*events[:2], replace(events[2], rt_ms=300.0), *events[3:]],
            "rt_ms is not empty, but an import leaves it empty",
        ),
    ],
)
def test_what_no_import_writes_is_a_difference(
    path: Path, change: Callable[[list[Any]], list[Any]], problem: str
) -> None:
    kinds = [type(event) for event in log.read(path).events]
    assert (kinds[1], kinds[2], kinds[-1]) == (RoundBegan, Answered, Finished)
    result = verify(changed(path, change))
    assert (result.verdict, result.code) == ("different", 1)
    assert problem in result.message


# The published data


@needs_sessions
def test_all_published_questions_of_the_naive_model_come_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["import", str(SESSIONS), "--sessions", str(tmp_path), "--study", "paper"])
    capsys.readouterr()
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
