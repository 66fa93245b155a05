"""``studyapp verify``: whole sessions are re-derived, and every change is caught."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chains import edited, event_of, parts
from hypothesis import assume
from hypothesis import strategies as st
from proofs import holds_for
from study_files import WORDS, loaded, open_sitting, run, small, write

from core import learner
from core.selection import SELECTIONS
from core.teachers import TEACHERS
from studyapp.base import documents, parallel
from studyapp.base.clock import iso
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.answers import imported_answer
from studyapp.session.events import (
    Answered,
    Consented,
    Finished,
    Imported,
    Left,
    Read,
    Responded,
    Rested,
    RoundBegan,
    Started,
    Withdrawn,
)
from studyapp.session.log_format import encode
from studyapp.session.receipts import receipt_of
from studyapp.session.saved import open_session
from studyapp.session.session import Session
from studyapp.session.verification import verify

QUESTIONS = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("verify")


@pytest.fixture(scope="module")
def whole(folder: Path) -> Path:
    """A finished session, its words beside it."""
    pace = {"pause": 0.5}
    study = loaded(
        folder, small(questions=QUESTIONS, pace=pace, bonus={"within": 4, "rounds": 1, "won": "Well done."})
    )
    run(study, folder)
    (folder / "study.yaml").unlink()
    return folder / "P01.yaml"


def checked(path: Path) -> tuple[int, str]:
    """The exit code and the message for a log."""
    result = verify(path)
    return result.code, result.message


def rewritten(whole: Path, events: list[Any]) -> Path:
    """A log of these events with a valid chain, as a forger would write it."""
    path = whole.parent / "forged" / whole.name
    path.parent.mkdir(exist_ok=True)
    (path.parent / "words.txt").write_bytes((whole.parent / "words.txt").read_bytes())
    path.write_bytes(encode(events))
    return path


def test_a_finished_session_is_verified(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = 6 * QUESTIONS
    chain = log.read(whole).chain
    message = f"verified: {answers} questions re-derived; chain {chain}; receipt {receipt_of(chain)}"
    assert checked(whole) == (0, message)
    assert main(["verify", str(whole)]) == 0
    assert capsys.readouterr() == (f"{whole}: {message}\n", "")


@pytest.mark.parametrize(
    ("teacher", "belief"), [(model.name, belief) for model in TEACHERS for belief in model.beliefs]
)
@pytest.mark.parametrize("selection", SELECTIONS.names)
@pytest.mark.parametrize("fit", ["converged", "published"])
def test_every_kind_of_model_is_verified(
    tmp_path: Path, teacher: str, belief: str, selection: str, fit: str
) -> None:
    model = {"teacher": teacher, "belief": belief}
    models = {"a": model, "b": model | {"horizon": 2}}
    study = small(
        questions=2,
        models=models,
        learner={"samples": 8, "selection": selection, "fit": fit},
        targets=["tea"],
        practice=[],
        after_round=[],
    )
    run(loaded(tmp_path, study), tmp_path)
    assert checked(tmp_path / "P01.yaml")[0] == 0


@pytest.mark.parametrize("order", ["fixed", "random"])
@pytest.mark.parametrize("ids", ["P{number:02}", ["random-002", "random-001"]])
def test_a_rehearsed_study_with_a_balanced_order_is_verified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], order: str, ids: str | list[str]
) -> None:
    models = {name: {"teacher": "naive"} for name in "abc"}
    study = write(tmp_path, small(models=models, order=order, order_of_models="balanced", ids=ids))
    sessions = tmp_path / "sessions"
    options = ["--study", str(study), "--teacher", "random", "--sessions", str(sessions)]
    assert main(["rehearse", *options, "--participants", "7", "--seed", "3"]) == 0
    (sessions / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    study.unlink()  # a log carries all that its plan follows from
    capsys.readouterr()
    assert main(["verify", str(sessions)]) == 0
    assert capsys.readouterr().out.count(": verified: 18 questions re-derived;") == 7


def test_models_in_another_order_than_the_balanced_one_are_a_difference(tmp_path: Path) -> None:
    run(loaded(tmp_path, small(order_of_models="balanced")), tmp_path)
    started, *later = log.read(tmp_path / "P01.yaml").events
    assert isinstance(started, Started)
    one, other, *rest = started.plan
    swapped = [replace(one, model=other.model), replace(other, model=one.model), *rest]
    path = rewritten(tmp_path / "P01.yaml", [replace(started, plan=swapped), *later])
    code, message = checked(path)
    assert code == 1
    assert "line 1: round 1 of the plan has another model than expected" in message


def test_unfinished_and_withdrawn_sessions_are_verified_as_far_as_they_go(
    tmp_path: Path,
) -> None:
    study = loaded(tmp_path, small())
    run(study, tmp_path)
    path = tmp_path / "P01.yaml"
    documents_ = parts(path.read_bytes())
    path.write_bytes(b"".join(documents_[:9]) + documents_[9][:20])
    code, message = checked(path)
    answers = sum(b'"event": "answer"' in document for document in documents_[:9])
    assert (code, message.split(";")[0]) == (0, f"verified: {answers} questions re-derived (incomplete)")
    assert "torn tail of 20 bytes" in verify(path).notes[0]
    sitting = open_sitting(study, tmp_path)
    sitting.withdraw(delete=False)
    sitting.close()
    assert f"{answers} questions re-derived (withdrawn)" in checked(path)[1]


def test_deleted_answers_leave_nothing_to_verify(tmp_path: Path) -> None:
    study = loaded(tmp_path, small())
    sitting = open_sitting(study, tmp_path)
    sitting.withdraw(delete=True)
    sitting.close()
    assert checked(tmp_path / "P01.yaml") == (0, "nothing to verify: the answers were deleted on request")


# Every change by hand breaks the chain


@holds_for(25, 500, data=st.data())
def test_a_change_in_any_field_of_any_event_is_caught(whole: Path, data: st.DataObject) -> None:
    documents_ = parts(whole.read_bytes())
    number = data.draw(st.integers(1, len(documents_) - 1))
    event = event_of(documents_[number])
    name = data.draw(st.sampled_from(sorted(set(event) - {"event"})))
    before = documents.json_line({name: event[name]})[1:-1]
    after = documents.json_line({name: _other(data, event[name])})[1:-1]
    assume(before != after)
    documents_[number] = documents_[number].replace(before.encode(), after.encode(), 1)
    path = whole.with_name("changed.yaml")  # a broken chain is found before the name
    path.write_bytes(b"".join(documents_))
    line = sum(document.count(b"\n") for document in documents_[:number]) + 1
    assert checked(path)[0] == 1
    assert checked(path)[1].startswith(f"changed: line {line}: ")


def _other(data: st.DataObject, value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + data.draw(st.sampled_from([1, -1, 0.000001]))
        case "y" | "n":
            return "n" if value == "y" else "y"
        case str():
            return data.draw(st.sampled_from([*WORDS, value + "x"]))
    return 1.0


@holds_for(25, 500, data=st.data())
def test_removed_duplicated_or_swapped_events_are_caught(whole: Path, data: st.DataObject) -> None:
    documents_ = parts(whole.read_bytes())
    one, other = data.draw(st.lists(st.integers(1, len(documents_) - 1), min_size=2, max_size=2, unique=True))
    match data.draw(st.sampled_from(["out", "doubled", "swapped"])):
        case "out":
            assume(one < len(documents_) - 1)  # a log without its last event is just unfinished
            del documents_[one]
        case "doubled":
            documents_.insert(other, documents_[one])
        case "swapped":
            documents_[one], documents_[other] = documents_[other], documents_[one]
    path = whole.with_name("moved.yaml")
    path.write_bytes(b"".join(documents_))
    assert checked(path)[0] == 1


# A new chain does not help: the learner disagrees


def events(whole: Path) -> list[Any]:
    return list(log.read(whole).events)


def as_imported(whole: Path, study: str | None) -> list[Any]:
    """The same session as an import writes it."""
    opened = open_session(whole)
    head = opened.session.started
    drop = {"consent": None, "bonus": None, "breaks": None}
    empty: dict[str, Any] = {"instructions": [], "questionnaires": {}, "after_round": [], "at_end": []}
    study_ = {key: value for key, value in head.study.items() if key not in drop} | empty
    table = Imported("x.csv", "0", 2, study)
    head = replace(head, simulated=False, teacher=None, imported=table, study=study_, clock_ms=None)
    written: list[Any] = [head]
    session = Session(head)
    for event in opened.saved.events:
        if isinstance(event, RoundBegan):
            written.append(RoundBegan(event.round, head.at))
        elif isinstance(event, Answered):
            known = (event.round, event.question, event.word, event.answer, event.reward)
            written.append(imported_answer(*known))
    for event in written[1:]:
        session.apply(event)
    return [*written, session.finished(head.at)]


def answers(whole: Path) -> list[int]:
    return [i for i, event in enumerate(events(whole)) if isinstance(event, Answered)]


def answer_numbers(last_too: bool) -> st.SearchStrategy[int]:
    numbers = st.integers(0, 6 * QUESTIONS - 1)
    return numbers if last_too else numbers.filter(lambda i: i % QUESTIONS < QUESTIONS - 1)


@holds_for(8, 100, i=answer_numbers(last_too=False))
def test_a_changed_answer_shows_in_the_next_question_or_state(whole: Path, i: int) -> None:
    changed, at = events(whole), answers(whole)[i]
    changed[at] = replace(changed[at], answer="n" if changed[at].answer == "y" else "y")
    code, message = checked(rewritten(whole, changed))
    assert code == 1
    round_, question = divmod(i, QUESTIONS)
    assert f"question {question + 2} of round {round_ + 1}" in message
    assert "expected" in message


@holds_for(8, 200, i=answer_numbers(last_too=True), word=st.sampled_from(WORDS))
def test_a_changed_word_is_caught(whole: Path, i: int, word: str) -> None:
    changed, at = events(whole), answers(whole)[i]
    assume(word != changed[at].word)
    changed[at] = replace(changed[at], word=word)
    code, message = checked(rewritten(whole, changed))
    # The plan has the first word of a round, so a log with another word is not even readable.
    assert (code, message.split(":")[0]) == ((2, "unreadable") if i % QUESTIONS == 0 else (1, "different"))
    if i % QUESTIONS:
        assert f"is {word!r}; expected" in message


@holds_for(8, 200, i=answer_numbers(last_too=True), reward=st.floats(0, 1))
def test_a_changed_reward_is_caught(whole: Path, i: int, reward: float) -> None:
    changed, at = events(whole), answers(whole)[i]
    assume(abs(reward - changed[at].reward) > 2e-6)
    changed[at] = replace(changed[at], reward=reward)
    code, message = checked(rewritten(whole, changed))
    assert code == 1
    assert f"is {reward}; expected {events(whole)[at].reward}" in message


@holds_for(8, 100, i=answer_numbers(last_too=True), name=st.sampled_from(["digest", "converged"]))
def test_a_changed_state_is_caught(whole: Path, i: int, name: str) -> None:
    changed, at = events(whole), answers(whole)[i]
    value: Any = "0-0-0" if name == "digest" else not changed[at].converged
    changed[at] = replace(changed[at], **{name: value})
    assert checked(rewritten(whole, changed))[0] == 1


@holds_for(
    15,
    200,
    i=st.integers(0, 5),
    name=st.sampled_from(["model", "target", "first", "practice"]),
    data=st.data(),
)
def test_a_changed_plan_is_caught(whole: Path, i: int, name: str, data: st.DataObject) -> None:
    head, *rest = events(whole)
    plan = list(head.plan)
    others = {"model": ["plain", "both"], "practice": [True, False]}.get(name, list(WORDS))
    value = data.draw(st.sampled_from(others).filter(lambda other: other != getattr(plan[i], name)))
    plan[i] = replace(plan[i], **{name: value})
    code, message = checked(rewritten(whole, [replace(head, plan=plan), *rest]))
    assert code in (1, 2)
    if code == 1:
        assert "the plan has" in message
        assert "expected" in message
        assert "plain" not in message  # whoever verifies logs is blind
        assert "both" not in message


@holds_for(10, 100, order=st.permutations(range(6)).filter(lambda order: list(order) != sorted(order)))
def test_rounds_in_another_order_are_caught(whole: Path, order: list[int]) -> None:
    head, *rest = events(whole)
    plan = [replace(head.plan[j], round=i + 1) for i, j in enumerate(order)]
    assume(plan != head.plan)
    assert checked(rewritten(whole, [replace(head, plan=plan), *rest]))[0] in (1, 2)


def test_another_seed_and_another_participant_are_caught(whole: Path) -> None:
    head, *rest = events(whole)
    assert "the seed is 8, but 7 in the study" in checked(rewritten(whole, [replace(head, seed=8), *rest]))[1]
    other_study = replace(head, seed=8, study=head.study | {"seed": 8})
    assert checked(rewritten(whole, [other_study, *rest]))[0] == 1
    assert checked(rewritten(whole, [replace(head, participant="P02"), *rest]))[0] == 1
    shorter = replace(head, plan=head.plan[:-1])
    assert checked(rewritten(whole, [shorter, *rest]))[0] in (1, 2)


@pytest.mark.parametrize(
    ("kind", "changes", "message"),
    [
        (Finished, {"answers": 3}, "answers is 3 in the last event; expected 24"),
        (Finished, {"found": 0}, "found is 0 in the last event; expected"),
        (Finished, {"bonus": False}, "bonus is False in the last event; expected True"),
        (Answered, {"rt_ms": 5_000_000.0}, "'answer' took 5000000.0 ms, longer than the time there was"),
        (Responded, {"rt_ms": 5_000_000.0}, "'response' took 5000000.0 ms, longer than the time there was"),
        (Rested, {"ms": 5_000_000.0}, "'break' took 5000000.0 ms, longer than the time there was"),
        (Read, {"ms": 5_000_000.0}, "'instructions' took 5000000.0 ms, longer than the time there was"),
        (Answered, {"delay_ms": 5_000_000.0}, "delay_ms is 5000000.0, longer than the sitting so far"),
        (Answered, {"delay_ms": 400.0}, "delay_ms is 400.0, but the study has a pause of 500 ms"),
        (Responded, {"clock_ms": 3.5}, "to 3.5: no stopwatch does"),
        (Finished, {"clock_ms": 0.0}, "to 0.0: no stopwatch does"),
        (Started, {"clock_ms": 7.0}, "clock_ms is 7.0, but a sitting begins with 0"),
    ],
)
def test_impossible_counts_and_times_are_caught(
    whole: Path, kind: type[Any], changes: dict[str, Any], message: str
) -> None:
    changed = events(whole)
    at = next(i for i, event in enumerate(changed) if isinstance(event, kind))
    changed[at] = replace(changed[at], **changes)
    path = rewritten(whole, changed)
    code, what = checked(path)
    assert code == 1
    assert message in what
    assert what.startswith(f"different: line {log.read(path).lines[at]}: ")


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        (Answered, {"rt_ms": 1e18}),
        (Answered, {"rt_ms": -1.0}),
        (Answered, {"rt_ms": 0.5}),  # shorter than its choices
        (Answered, {"first_choice_ms": 5_000_000.0}),
        (Answered, {"last_choice_ms": 5_000_000.0}),
        (Answered, {"first_choice_ms": -1.0}),
        (Answered, {"away_ms": 1e9}),
        (Answered, {"delay_ms": -1e6}),
        (Answered, {"compute_ms": -1.0}),
        (Answered, {"changes": -3}),
        (Answered, {"stray_keys": -1}),
        (Answered, {"stray_keys": 10**400}),
        (Answered, {"reward": 1.5}),
        (Answered, {"reward": -0.1}),
        (Answered, {"shown_at": "9999-12-31T23:59:59.999Z"}),
        (Answered, {"shown_at": "0001-01-01T00:00:00.000Z"}),
        (Answered, {"shown_at": "2026-11-16T09:30:00.123+23:59"}),
        (Answered, {"clock_ms": -1.0}),
        (Responded, {"rt_ms": -1.0}),
        (Responded, {"away_ms": 1e9}),
        (Read, {"ms": 1e18}),
        (Read, {"away_ms": 1e9}),
        (Rested, {"away_ms": 1e9}),
        (Finished, {"answers": -1}),
        (Finished, {"found": 10**20}),
        (Started, {"process": -1}),
        (Started, {"seed": 2**70}),
    ],
)
def test_numbers_out_of_their_bounds_make_a_log_unreadable(
    whole: Path, kind: type[Any], changes: dict[str, Any]
) -> None:
    changed = events(whole)
    at = next(i for i, event in enumerate(changed) if isinstance(event, kind))
    changed[at] = replace(changed[at], **changes)
    line = 1 + encode(changed[:at]).count(b"\n")
    code, message = checked(rewritten(whole, changed))
    assert code == 2
    assert message.startswith(f"unreadable: line {line}: this is not an event of a session: ")
    assert next(iter(changes)) in message


# The clock


@pytest.mark.parametrize("seconds", [0.2, 3600.0])
@pytest.mark.parametrize("kind", [RoundBegan, Answered, Responded, Finished])
def test_a_clock_set_back_is_noted_and_every_question_is_rederived(
    whole: Path, kind: type[Any], seconds: float
) -> None:
    """As an honest program writes it: every later time is earlier, the stopwatch goes on."""
    changed = events(whole)
    at = next(i for i, event in enumerate(changed) if isinstance(event, kind))
    for i, event in enumerate(changed[at:], start=at):
        name = "shown_at" if isinstance(event, Answered) else "at"
        earlier = datetime.fromisoformat(getattr(event, name)) - timedelta(seconds=seconds)
        changed[i] = replace(event, **{name: iso(earlier)})
    path = rewritten(whole, changed)
    result = verify(path)
    assert (result.code, result.rederived) == (0, 6 * QUESTIONS)
    if seconds > 1:
        (note,) = result.notes
        assert note.startswith(f"line {log.read(path).lines[at]}: the computer's clock was set back by 3")


def test_a_log_that_was_written_again_says_so_in_a_note(tmp_path: Path) -> None:
    sitting = open_sitting(loaded(tmp_path, small()), tmp_path)
    sitting.record(Consented(sitting.at()))
    (tmp_path / "P01.yaml").write_bytes(b"")
    sitting.record(Left(sitting.at()))
    sitting.close()
    (note,) = verify(tmp_path / "P01.yaml").notes
    (aside,) = tmp_path.glob("P01.yaml.damaged-*")
    assert "another program changed this file during the session (cut short)" in note
    assert note.endswith(f"wrote it again, whole; {aside.name} has what was found")


def test_a_log_under_another_participants_name_is_different(whole: Path, tmp_path: Path) -> None:
    for name in ("words.txt", "P02.yaml"):
        (tmp_path / name).write_bytes((whole.parent / name.replace("P02", "P01")).read_bytes())
    code, message = checked(tmp_path / "P02.yaml")
    assert code == 1
    assert message.startswith("different: this is the log of P01, but the file is not named P01.yaml")


@pytest.mark.parametrize("value", [99, None, "left", 10**400])
def test_an_invalid_response_makes_a_log_unreadable(whole: Path, value: Any) -> None:
    changed = events(whole)
    at = next(i for i, event in enumerate(changed) if isinstance(event, Responded))
    changed[at] = replace(changed[at], value=value)
    code, message = checked(rewritten(whole, changed))
    assert code == 2
    assert message.startswith("unreadable: line ")


def test_a_study_that_needs_too_much_memory_is_refused(whole: Path) -> None:
    head, *rest = events(whole)
    models = {name: model | {"samples": 1 << 24} for name, model in head.study["models"].items()}
    code, message = checked(rewritten(whole, [replace(head, study=head.study | {"models": models}), *rest]))
    assert code == 2
    assert "numbers in memory; 50,000,000 are allowed" in message


def test_terminal_codes_in_a_log_are_not_printed(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed, at = events(whole), answers(whole)[1]
    changed[at] = replace(changed[at], digest="\x1b[31mred\x1b]0;title\x07")
    main(["verify", str(rewritten(whole, changed))])
    printed = capsys.readouterr().out
    assert "red" in printed
    assert "\x1b" not in printed


def test_a_withdrawal_with_the_wrong_count_is_caught(tmp_path: Path) -> None:
    sitting = open_sitting(loaded(tmp_path, small()), tmp_path)
    sitting.withdraw(delete=False)
    sitting.close()
    path = tmp_path / "P01.yaml"
    path.write_bytes(edited(path.read_bytes(), -1, answers=5))
    assert "answers is 5 in the last event; expected 0" in checked(path)[1]


# Floating point on other machines


@pytest.fixture
def level(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A learner for which all arms score the same up to rounding."""
    tell_each = learner.tell_each

    def tied(*told: Any) -> list[Any]:
        states = tell_each(*told)
        scores = np.linspace(0, 1e-10, len(states[0].scores))
        return [replace(state, arm=len(scores) - 1, scores=scores) for state in states]

    monkeypatch.setattr(learner, "tell_each", tied)
    return iter(())


@pytest.mark.usefixtures("level")
def test_a_near_tie_is_noted_and_is_not_a_difference(whole: Path) -> None:
    result = verify(whole)
    assert result.code == 0
    assert result.notes
    assert all("near-tie: question" in note for note in result.notes)


def test_a_question_that_lost_by_more_than_rounding_is_a_difference(
    whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tell_each = learner.tell_each

    def other(*told: Any) -> list[Any]:
        following = [((state.arm + 1) % 6, state) for state in tell_each(*told)]
        return [replace(state, arm=arm, scores=np.eye(6)[arm]) for arm, state in following]

    monkeypatch.setattr(learner, "tell_each", other)
    code, message = checked(whole)
    assert code == 1
    assert "(better by 1)" in message


def test_a_difference_names_the_software_that_wrote_the_log(whole: Path) -> None:
    head, *rest = events(whole)
    old = replace(head, software=head.software | {"numpy": "1.0"}, seed=8)
    assert (
        verify(rewritten(whole, [old, *rest]))
        .notes[0]
        .startswith("the log was written with numpy 1.0 (here ")
    )


# Several logs


def test_one_bad_log_does_not_hide_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parallel, "cores", lambda: 1)
    study = loaded(tmp_path, small())
    sessions = tmp_path / "logs"
    for participant in ("A", "B", "C", "D"):
        run(study, sessions, participant)
    (sessions / "words.txt").write_bytes((tmp_path / "words.txt").read_bytes())
    (sessions / "A.yaml").write_bytes(b"nothing\n...\n")
    raw = (sessions / "C.yaml").read_bytes()
    (sessions / "C.yaml").write_bytes(raw.replace(b'"answer": "y"', b'"answer": "n"', 1))
    assert main(["verify", str(sessions)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[1] for line in lines[:-1]] == ["unreadable", "verified", "changed", "verified"]
    assert lines[-1] == "2 of 4 logs passed"
    (sessions / "C.yaml").unlink()
    assert main(["verify", str(sessions)]) == 2


def test_missing_logs_exit_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path / "P01.yaml")]) == 2
    assert "there is no such file" in capsys.readouterr().err
    assert main(["verify", str(tmp_path)]) == 2
    assert "this folder has no session logs" in capsys.readouterr().err


def test_the_word_file_can_be_given(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alone = tmp_path / "P01.yaml"
    alone.write_bytes(whole.read_bytes())
    assert main(["verify", str(alone)]) == 2
    assert "--words FILE" in capsys.readouterr().out
    assert main(["verify", str(alone), "--words", str(whole.parent / "words.txt")]) == 0
    assert isinstance(log.read(alone).events[0], Started)


# The results as JSON


def results(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[dict[str, Any]]]:
    """The exit code and the results of ``verify --json``."""
    capsys.readouterr()
    code = main(["verify", "--json", str(path)])
    printed, error = capsys.readouterr()
    assert error == ""
    return code, json.loads(printed)


def test_json_has_the_verdict_and_how_much_was_rederived(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, (result,) = results(whole, capsys)
    assert code == 0
    assert result["log"] == "P01.yaml"
    assert result["verdict"] == "verified"
    assert (result["questions"], result["rederived"], result["not_rederived"]) == (24, 24, None)


def test_json_counts_the_questions_before_a_difference(
    whole: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed, at = events(whole), answers(whole)[5]
    changed[at] = replace(changed[at], reward=0.5)
    code, (result,) = results(rewritten(whole, changed), capsys)
    assert (code, result["verdict"]) == (1, "different")
    assert (result["questions"], result["rederived"]) == (24, 5)
    assert "the reward of question 2 of round 2 is 0.5" in result["not_rederived"]


def test_json_has_a_verdict_of_its_own_for_every_outcome(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    raw = whole.read_bytes()
    head = events(whole)[0]
    imported = as_imported(whole, None)
    withdrawn = Withdrawn("deleted", 0, "2026-11-16T09:30:00.123Z", clock_ms=9.0)
    (tmp_path / "words.txt").write_bytes((whole.parent / "words.txt").read_bytes())
    for verdict, code, content in (
        ("verified", 0, raw),
        ("imported", 0, encode(imported)),
        ("deleted", 0, encode([head, withdrawn])),
        ("changed", 1, raw.replace(b'"answer": "y"', b'"answer": "n"', 1)),
        ("unreadable", 2, b"nothing\n...\n"),
    ):
        path = tmp_path / "P01.yaml"
        path.write_bytes(content)
        ended, (result,) = results(path, capsys)
        assert (ended, result["log"], result["verdict"]) == (code, "P01.yaml", verdict)
        assert bool(result["not_rederived"]) == (verdict != "verified")
        assert result["path"] == str(path)
        path.unlink()


# The table that an import comes from


@pytest.fixture
def imported(whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[Path, Path]:
    """The log of an imported session, and its table."""
    folder, alone = tmp_path / "logs", tmp_path / "alone"
    alone.mkdir()
    for name in ("P01.yaml", "words.txt"):
        (alone / name).write_bytes((whole.parent / name).read_bytes())
    assert main(["export", str(alone), "--out", str(tmp_path / "data")]) == 0
    table = next((tmp_path / "data").rglob("*answers*.csv"))
    study = loaded(tmp_path, small(questions=QUESTIONS, pace={"pause": 0.5}))
    assert main(["import", str(table), "--study", study.name, "--sessions", str(folder)]) == 0
    (folder / "words.txt").write_bytes((whole.parent / "words.txt").read_bytes())
    capsys.readouterr()
    return folder / "P01.yaml", table


def flip(path: Path, at: int) -> None:
    """Turn the answer of an event round, with a new chain."""
    changed = events(path)
    changed[at] = replace(changed[at], answer="n" if changed[at].answer == "y" else "y")
    path.write_bytes(encode(changed))


def test_answers_are_called_as_imported_only_when_they_were_compared(
    imported: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = imported
    assert main(["verify", str(path)]) == 0
    assert "as they were imported" not in capsys.readouterr().out
    assert main(["verify", str(path), "--source", str(table)]) == 0
    assert f"the answers are as they were imported: they were compared with {table.name}" in (
        capsys.readouterr().out
    )


@pytest.mark.parametrize("last", [False, True])
def test_a_flipped_answer_differs_from_the_table_even_where_no_question_follows(
    imported: tuple[Path, Path], last: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = imported
    places = [i for i, event in enumerate(events(path)) if isinstance(event, Answered)]
    at = places[QUESTIONS - 1 if last else 1]
    flip(path, at)
    assert main(["verify", "--json", str(path), "--source", str(table)]) == 1
    (result,) = json.loads(capsys.readouterr().out)
    assert result["verdict"] == "different"
    line = log.read(path).lines[at]
    assert f"line {line}: question {QUESTIONS if last else 2} of round 1 is" in result["not_rederived"]
    assert result["not_rederived"].endswith(f"in {table.name}")
    assert "as they were imported" not in str(result)


def test_a_log_that_was_cut_or_is_of_another_participant_differs_from_the_table(
    imported: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = imported
    whole_log = events(path)
    path.write_bytes(encode(whole_log[: 2 + QUESTIONS]))
    assert main(["verify", str(path), "--source", str(table)]) == 1
    assert "the log ends too early: 'round' is next in" in capsys.readouterr().out
    path.write_bytes(encode([replace(whole_log[0], participant="P02"), *whole_log[1:]]))
    path = path.rename(path.with_name("P02.yaml"))
    assert main(["verify", str(path), "--source", str(table)]) == 1
    assert f"P02 is not in {table.name}" in capsys.readouterr().out


def test_a_table_of_another_study_is_a_difference_of_this_log_alone(
    whole: Path, imported: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = imported
    text = table.read_text(encoding="utf-8")
    table.write_text(text.replace(",plain,", ",third,"), encoding="utf-8")
    assert main(["verify", str(path), str(whole), "--source", str(table)]) == 1
    printed, error = capsys.readouterr()
    assert f"different: {table.name} is not the table of this log: on line " in printed
    assert "it has a model or a word that the study of the log does not have\n" in printed
    assert "1 of 2 logs passed" in printed
    assert error == ""


def test_a_table_that_has_changed_elsewhere_is_noted(
    imported: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = imported
    table.write_text(table.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert main(["verify", str(path), "--source", str(table)]) == 0
    note = f"{table.name} has changed since the import, but not in this participant's rows"
    assert note in capsys.readouterr().out


def test_a_session_that_ran_here_is_not_compared_with_a_table(
    whole: Path, imported: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(whole), "--source", str(imported[1])]) == 0
    assert "not imported, so it was not compared with the table" in capsys.readouterr().out


# Receipts


def test_receipts_are_compared_with_the_logs(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt = verify(whole).receipt
    assert receipt is not None
    noted = tmp_path / "receipts.csv"
    noted.write_text(f"participant,receipt\np01,{receipt.upper().replace('-', ' ')}\n", encoding="utf-8")
    assert main(["verify", str(whole), "--receipts", str(noted)]) == 0
    assert capsys.readouterr().out.endswith(
        f"  the receipt of line 2 matches\n{noted}: matching receipts: 1 of 1\n"
    )
    other = receipt_of("0" * 32)
    for text, code, said in (
        (f"P01 {other}", 1, f"{whole}: different: {other} was noted on line 1, but the log has {receipt}"),
        (f"P01 {receipt}\nP02 {other}", 1, "P02.yaml: missing: there is a receipt on line 2"),
        (f"P02 {other}", 1, "  its receipt is not on the list"),
    ):
        noted.write_text(text, encoding="utf-8")
        assert main(["verify", str(whole), "--receipts", str(noted)]) == code
        assert said in capsys.readouterr().out


def test_a_log_with_a_new_chain_no_longer_has_its_receipt(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last answer of a round can be changed without a trace: no question follows from it."""
    noted = tmp_path / "receipts.txt"
    noted.write_text(f"P01 {verify(whole).receipt}\n", encoding="utf-8")
    changed, at = events(whole), answers(whole)[QUESTIONS - 1]
    changed[at] = replace(changed[at], answer="n" if changed[at].answer == "y" else "y")
    forged = rewritten(whole, changed)
    assert verify(forged).verdict == "verified"
    assert main(["verify", str(forged), "--receipts", str(noted)]) == 1
    assert "matching receipts: 0 of 1" in capsys.readouterr().out
    forged = rewritten(whole, changed[:-1])  # the same, without its end
    assert main(["verify", str(forged), "--receipts", str(noted)]) == 1
    assert "but the log has no receipt" in capsys.readouterr().out


def test_json_has_the_receipt_and_what_the_list_says_of_it(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    receipt = verify(whole).receipt
    code, (result,) = results(whole, capsys)
    assert (code, result["receipt"]) == (0, receipt)
    assert result["chain"] == log.read(whole).chain
    noted = tmp_path / "receipts.txt"
    noted.write_text(f"P01 {receipt}\nP02 {receipt}\n", encoding="utf-8")
    assert main(["verify", "--json", str(whole), "--receipts", str(noted)]) == 1
    here, missing = json.loads(capsys.readouterr().out)
    assert (here["verdict"], here["notes"][-1]) == ("verified", "the receipt of line 1 matches")
    assert (missing["log"], missing["verdict"]) == ("P02.yaml", "missing")


@pytest.mark.parametrize("option", ["--source", "--receipts"])
def test_a_list_or_a_table_that_is_not_there_is_reported_before_the_replay(
    whole: Path, tmp_path: Path, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", str(whole), option, str(tmp_path / "none.csv")]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith(f"studyapp: {tmp_path / 'none.csv'}: there is no such file")
