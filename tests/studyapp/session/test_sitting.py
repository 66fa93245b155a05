"""A sitting begins, resumes or refuses a session, and writes every event to disk before it happens."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from chains import chained, edited, parts
from hypothesis import example, given
from hypothesis import strategies as st
from meddling import DAMAGE
from proofs import holds_for
from study_files import VECTORS, Settings, loaded, open_sitting, run, small, write

from core.errors import FileError, SettingError
from studyapp.base.clock import SimulatedClock, iso
from studyapp.session import log
from studyapp.session.events import (
    Answered,
    Consented,
    Event,
    Finished,
    Interrupted,
    Left,
    Recovered,
    Resumed,
    Rewritten,
    RoundBegan,
    Started,
    Withdrawn,
    as_mapping,
)
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.ids import SameIdError, check_id, log_path
from studyapp.session.log import Log
from studyapp.session.log_format import encode
from studyapp.session.resuming import OverError
from studyapp.session.saved import SavedSession, open_session
from studyapp.session.session import AskWord, BeginRound, End
from studyapp.session.sitting import Participant, Sitting, peek
from studyapp.session.verification import verify
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.study.loading import load
from studyapp.tables.tables import minutes

# The fields that differ between two runs of the same session: times, and where it ran.
PASSING = {
    "at",
    "shown_at",
    "rt_ms",
    "first_choice_ms",
    "last_choice_ms",
    "compute_ms",
    "delay_ms",
    "ms",
    "clock_ms",
    "host",
    "process",
    "software",
}


def lasting(events: list[Event]) -> list[dict[str, Any]]:
    """The part of these events that must be the same however often the session was interrupted."""
    return [
        {name: value for name, value in as_mapping(event).items() if name not in PASSING}
        for event in events
        if not isinstance(event, Resumed | Recovered | Rewritten)
    ]


@pytest.fixture
def study(tmp_path: Path) -> LoadedStudy:
    return loaded(tmp_path, small())


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


def stop_after(study: LoadedStudy, sessions: Path, count: int, participant: str = "P01") -> list[Event]:
    """The events of a session that is interrupted after this number of steps."""
    sitting = open_sitting(study, sessions, participant)
    left = [count]

    def tick() -> None:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt

    assert isinstance(sitting.clock, SimulatedClock)
    with pytest.raises(KeyboardInterrupt):
        attend(sitting, SimulatedParticipant(sitting, "random"), sitting.clock, tick)
    sitting.close()
    return log.read(log_path(sessions, participant)).events


# Beginning


def test_a_new_log_begins_with_everything_that_determines_the_session(
    study: LoadedStudy, sessions: Path
) -> None:
    sitting = open_sitting(study, sessions / "deeper" / "still", kind="naive")
    sitting.close()
    (head,) = log.read(sessions / "deeper" / "still" / "P01.yaml").events
    assert isinstance(head, Started)
    assert (head.participant, head.simulated, head.teacher, head.pilot) == ("P01", True, "naive", False)
    assert (head.words, head.words_sha256) == ("words.txt", study.vocabulary.sha256)
    assert (head.seed, head.study) == (7, study.study.record())
    assert head.plan == plan.make(study, "P01")
    assert head.process == os.getpid()
    assert {"python", "system", "learners", "numpy", "scipy", "textual"} <= set(head.software)
    assert not sitting.resumed


def test_a_person_is_not_marked_as_simulated(study: LoadedStudy, sessions: Path) -> None:
    Sitting.open(study, Participant("P01", pilot=True), sessions).close()
    (head,) = log.read(sessions / "P01.yaml").events
    assert isinstance(head, Started)
    assert (head.simulated, head.teacher, head.pilot) == (False, None, True)
    assert datetime.now(UTC) - datetime.fromisoformat(head.at) < timedelta(minutes=5)


def test_a_whole_session_has_every_step_of_its_study(study: LoadedStudy, sessions: Path) -> None:
    head, *events = run(study, sessions)
    names = [event.event for event in events]
    practice = ["round", "answer", "answer"] * 2
    counted = ["round", "answer", "answer", "response"]
    block = [*counted, *counted]
    assert names == [
        *("consent", "instructions"),
        *practice,
        *block,
        "break",
        *block,
        *("response", "response", "response", "confirmed", "finished"),
    ]
    assert isinstance(events[-1], Finished)
    assert events[-1].answers == 12
    assert isinstance(head, Started)
    firsts = [event.word for event in events if isinstance(event, Answered) and event.question == 1]
    assert firsts == [round_.first for round_ in head.plan]


def test_an_event_is_on_disk_before_it_happens(study: LoadedStudy, sessions: Path) -> None:
    sitting = open_sitting(study, sessions)
    advance, seen = sitting.session.advance, []

    def watched(event: Event) -> None:
        seen.append(log.read(sessions / "P01.yaml").events[-1])
        advance(event)

    sitting.session.advance = watched  # type: ignore[method-assign]
    consented = Consented(sitting.at())
    sitting.record(consented)
    sitting.close()
    assert seen == [replace(consented, clock_ms=0.0)]


def test_an_event_that_cannot_be_saved_does_not_happen(
    study: LoadedStudy, sessions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    sitting = open_sitting(study, sessions)
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(FileError, match="the disk is full"):
        sitting.record(Consented(sitting.at()))
    assert sitting.session.position == 0
    monkeypatch.undo()
    sitting.record(Consented(sitting.at()))
    assert sitting.session.position == 1
    sitting.close()


def test_an_answer_with_a_missing_time_is_not_recorded(study: LoadedStudy, sessions: Path) -> None:
    *_, answer = stop_after(study, sessions, 4)
    assert isinstance(answer, Answered)
    sitting = open_sitting(study, sessions)
    before = (sessions / "P01.yaml").read_bytes()
    with pytest.raises(SettingError, match="shown_at is empty"):
        sitting.record(replace(answer, question=2, shown_at=None))
    assert (sessions / "P01.yaml").read_bytes() == before
    sitting.close()


# Resuming


def test_a_session_resumed_after_any_event_ends_as_if_it_had_never_been_interrupted(
    study: LoadedStudy, sessions: Path
) -> None:
    whole = run(study, sessions)
    raw = (sessions / "P01.yaml").read_bytes()
    ends = [match.end() for match in re.finditer(rb"^\.\.\.\n", raw, re.MULTILINE)]
    assert len(ends) == len(whole)
    for count in range(1, len(whole)):
        folder = sessions / str(count)
        folder.mkdir()
        (folder / "P01.yaml").write_bytes(raw[: ends[count - 1]])
        again = run(study, folder)
        assert again[:count] == whole[:count]
        assert isinstance(again[count], Resumed)
        assert lasting(again) == lasting(whole)
        again_raw = (folder / "P01.yaml").read_bytes()
        assert again_raw.startswith(raw[: ends[count - 1]])
        assert again_raw == chained(parts(again_raw)) == encode(again)  # one unbroken chain


def test_a_session_interrupted_at_every_step_ends_as_if_it_had_never_been_interrupted(
    tmp_path: Path, sessions: Path
) -> None:
    study = loaded(tmp_path, small(practice=[], targets=["no"]))
    whole = run(study, sessions, "P02")
    steps = len(whole) - 1
    for _ in range(steps - 1):
        stop_after(study, sessions / "broken", 1, "P02")
    assert lasting(run(study, sessions / "broken", "P02")) == lasting(whole)


def test_a_torn_tail_is_kept_and_recorded_and_its_question_is_asked_again(
    study: LoadedStudy, sessions: Path
) -> None:
    whole = run(study, sessions)
    raw = (sessions / "P01.yaml").read_bytes()
    begin = raw.index(b'--- {"event": "answer"')
    end = raw.index(b"...\n", begin) + 4
    for cut in (begin + 1, begin + 40, end - 1):
        folder = sessions / str(cut)
        folder.mkdir()
        (folder / "P01.yaml").write_bytes(raw[:cut])
        events = run(study, folder)
        resumed, recovered = events[4:6]
        assert isinstance(recovered, Recovered)
        assert isinstance(resumed, Resumed)
        assert recovered.bytes == cut - begin
        assert recovered.kept_in.startswith("P01.yaml.torn-")
        assert (folder / recovered.kept_in).read_bytes() == raw[begin:cut]
        assert lasting(events) == lasting(whole)


def test_a_torn_head_is_kept_and_the_session_begins_again(study: LoadedStudy, sessions: Path) -> None:
    whole = run(study, sessions)
    raw = (sessions / "P01.yaml").read_bytes()
    for cut in (1, 300):
        folder = sessions / str(cut)
        folder.mkdir()
        (folder / "P01.yaml").write_bytes(raw[:cut])
        assert lasting(run(study, folder)) == lasting(whole)
        (kept,) = (entry for entry in folder.iterdir() if entry.name != "P01.yaml")
        assert kept.read_bytes() == raw[:cut]


def test_resuming_is_recorded_and_nothing_is_lost(study: LoadedStudy, sessions: Path) -> None:
    before = stop_after(study, sessions, 4)
    sitting = open_sitting(study, sessions)
    assert sitting.resumed
    assert [answer.question for answer in sitting.session.answers] == [1]
    assert isinstance(sitting.session.step, AskWord)
    assert sitting.session.step.question == 2
    sitting.record(Left(sitting.at()))
    sitting.close()
    after = log.read(sessions / "P01.yaml").events
    assert after[: len(before)] == before
    assert [event.event for event in after[len(before) :]] == ["resumed", "left"]


def test_an_interrupted_session_can_be_resumed(study: LoadedStudy, sessions: Path) -> None:
    sitting = open_sitting(study, sessions)
    sitting.record(Interrupted("SIGTERM", sitting.at()))
    sitting.close()
    assert isinstance(run(study, sessions)[-1], Finished)


def test_an_open_session_cannot_be_opened_twice(study: LoadedStudy, sessions: Path) -> None:
    sitting = open_sitting(study, sessions)
    with pytest.raises(FileError, match=rf"already open \(process {os.getpid()} on "):
        open_sitting(study, sessions)
    sitting.close()
    open_sitting(study, sessions).close()


def test_answers_to_questions_this_version_would_not_ask_are_refused(
    study: LoadedStudy, sessions: Path
) -> None:
    stop_after(study, sessions, 5)
    path = sessions / "P01.yaml"
    word = [event.word for event in log.read(path).events if isinstance(event, Answered)][-1]
    other = "tea" if word != "tea" else "café"
    path.write_bytes(edited(path.read_bytes(), -1, word=other))
    sitting = open_sitting(study, sessions)
    round_ = sitting.session.plan[0]
    questions = sitting.questions(round_)
    with pytest.raises(SettingError, match=f"is '{other}' in the log but would be '{word}' now"):
        questions.now.result(timeout=60)
    sitting.close()


# The end


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def test_a_finished_session_is_never_opened_or_changed(study: LoadedStudy, sessions: Path) -> None:
    run(study, sessions)
    before = bytes_below(sessions)
    with pytest.raises(OverError, match=r"P01 finished on 20.*; choose another ID"):
        open_sitting(study, sessions)
    assert bytes_below(sessions) == before


@pytest.mark.parametrize("delete", [True, False])
def test_a_withdrawn_session_is_never_opened_or_changed(
    study: LoadedStudy, sessions: Path, delete: bool
) -> None:
    head, *_ = stop_after(study, sessions, 5)
    sitting = open_sitting(study, sessions)
    sitting.withdraw(delete=delete)
    assert isinstance(sitting.session.over, Withdrawn)
    sitting.close()
    events = log.read(sessions / "P01.yaml").events
    last = events[-1]
    assert isinstance(last, Withdrawn)
    assert (last.data, last.answers) == ("deleted" if delete else "kept", 2)
    raw = (sessions / "P01.yaml").read_bytes()
    assert raw == chained(parts(raw)) == encode(events)
    if delete:
        assert events == [head, last]
    else:
        assert [event.event for event in events].count("answer") == 2
    before = bytes_below(sessions)
    with pytest.raises(OverError, match="P01 withdrew on 20"):
        open_sitting(study, sessions)
    assert bytes_below(sessions) == before


def test_deleting_answers_deletes_torn_tails_too(study: LoadedStudy, sessions: Path) -> None:
    stop_after(study, sessions, 4)
    with (sessions / "P01.yaml").open("ab") as file:
        file.write(b'--- {"event": "answer", "round": 1, "question": 2, "word": "tea", "ans')
    sitting = open_sitting(study, sessions)
    assert len(list(sessions.iterdir())) == 2
    sitting.withdraw(delete=True)
    sitting.close()
    assert [entry.name for entry in sessions.iterdir()] == ["P01.yaml"]
    assert b'"event": "answer"' not in (sessions / "P01.yaml").read_bytes()


@pytest.mark.parametrize(
    ("bonus", "found", "won"),
    [
        ({"within": 2, "rounds": 4, "won": "!"}, 4, True),
        ({"within": 1, "rounds": 1, "won": "!"}, 0, False),
        (None, 4, None),
    ],
)
def test_the_bonus_counts_rounds_that_found_the_target_in_time(
    tmp_path: Path, sessions: Path, bonus: Settings | None, found: int, won: bool | None
) -> None:
    study = loaded(tmp_path, small(bonus=bonus, after_round=[], breaks=None))
    sitting = open_sitting(study, sessions)
    session = sitting.session
    asked = Answered(
        0, 0, "", "y", 0.5, "", 0.0, 0.0, 0.0, None, 0.0, False, 0, 0, 0.0, "", True, clock_ms=0.0
    )
    while not isinstance(session.step, End):
        match session.step:
            case BeginRound(round_):
                session.apply(RoundBegan(round_.round, "", clock_ms=0.0))
            case AskWord(round_, question):
                word = round_.first if question == 1 else round_.target
                session.apply(
                    Answered(**vars(asked) | {"round": round_.round, "question": question, "word": word})
                )
            case _:
                session.position += 1
    sitting.finish()
    sitting.close()
    last = log.read(sessions / "P01.yaml").events[-1]
    assert isinstance(last, Finished)
    assert (last.answers, last.found, last.bonus) == (12, found, won)


# What must not have changed


@pytest.mark.parametrize("changes", [{"participants": 30}, {"ids": ["P01", "P02"]}, {"ids": "Q{number}"}])
def test_more_participants_and_other_ids_do_not_lock_a_session_out(
    tmp_path: Path, sessions: Path, study: LoadedStudy, changes: Settings
) -> None:
    stop_after(study, sessions, 3)
    open_sitting(loaded(tmp_path, small(**changes)), sessions).close()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"questions": 3}, ["questions: 2 when the session began, 3 now"]),
        ({"seed": 8, "look": "light"}, ["seed: 7 when the session began, 8 now"]),
        (
            {"models": {"plain": {"teacher": "naive"}, "both": {"teacher": "planning"}}},
            ["models: not the same as when the session began"],
        ),
        ({"learner": {"samples": 17}}, ["models: not the same as when the session began"]),
        ({"pace": {"pause": 3.0}}, ["pace.pause: "]),
        ({"targets": ["tea"], "bonus": None}, ["targets: ['tea', 'no'] when"]),
        ({"targets": ["tea", "n"]}, ["targets[2]: 'no' when the session began, 'n' now"]),
        (
            {"order_of_models": "balanced"},
            ["order_of_models: 'random' when the session began, 'balanced' now"],
        ),
    ],
)
def test_a_changed_study_is_refused_with_a_list_of_changes(
    tmp_path: Path, sessions: Path, study: LoadedStudy, changes: Settings, expected: list[str]
) -> None:
    stop_after(study, sessions, 3)
    before = bytes_below(sessions)
    with pytest.raises(FileError, match="the study has changed since P01 began:") as caught:
        open_sitting(loaded(tmp_path, small(**changes)), sessions)
    for change in expected:
        assert change in str(caught.value)
    assert str(caught.value).count("\n  ") == len(expected)
    assert not {"plain", "both"} & set(re.findall(r"\w+", str(caught.value)))  # the models
    assert bytes_below(sessions) == before


@pytest.mark.parametrize(
    "changes",
    [
        {"title": "Another"},
        {"consent": None},
        {"resume": {"within_hours": 5}},
        {"look": "light"},
        {"texts": {"ask": "{word}?"}},
        {"instructions": ["Other."]},
        {"bonus": None},
        {"breaks": {"every": 1, "seconds": 20}},
        {"collecting": False, "stage": "pilot", "blind": True, "sessions": "logs"},
    ],
)
def test_a_session_goes_on_with_the_study_in_its_own_log(
    tmp_path: Path, sessions: Path, study: LoadedStudy, changes: Settings
) -> None:
    stop_after(study, sessions, 3)
    sitting = open_sitting(loaded(tmp_path, small(**changes)), sessions)
    sitting.close()
    assert sitting.loaded.study.record() == study.study.record()
    assert sitting.session.study == sitting.loaded.study


def test_the_study_file_says_whether_a_session_may_still_be_resumed(
    tmp_path: Path, sessions: Path, study: LoadedStudy
) -> None:
    stop_after(study, sessions, 3)
    with pytest.raises(FileError, match="does not allow sessions to be resumed"):
        open_sitting(loaded(tmp_path, small(resume={"allowed": False})), sessions)


def test_a_closed_study_takes_no_new_participant(tmp_path: Path, sessions: Path) -> None:
    with pytest.raises(FileError, match="the study is closed to new participants"):
        Sitting.open(loaded(tmp_path, small(collecting=False)), Participant("P01"), sessions)
    assert not sessions.exists()


def test_a_text_that_this_version_has_added_does_not_lock_a_session_out(
    sessions: Path, study: LoadedStudy
) -> None:
    stop_after(study, sessions, 3)
    path = sessions / "P01.yaml"
    started, *events = log.read(path).events
    assert isinstance(started, Started)
    del started.study["texts"]["more"]  # as a version without this text would have written it
    path.write_bytes(encode([started, *events]))
    open_sitting(study, sessions).close()


def test_a_long_list_of_changes_is_cut(tmp_path: Path, sessions: Path) -> None:
    study = small()
    stop_after(loaded(tmp_path, study), sessions, 3)
    more = {f"q{i}": [{"id": "one", "kind": "text", "ask": "Why?"}] for i in range(20)}
    changed = study | {"questionnaires": study["questionnaires"] | more}
    with pytest.raises(FileError, match=r"\n  and 8 more\nRestore the study as it was"):
        open_sitting(loaded(tmp_path, changed), sessions)


def test_a_study_file_that_is_only_written_differently_can_be_resumed(
    tmp_path: Path, sessions: Path, study: LoadedStudy
) -> None:
    stop_after(study, sessions, 3)
    changes: Settings = {
        "learner": {},
        "models": {
            "plain": {"teacher": "naive", "samples": 16, "beta": 20},
            "both": {"samples": 16, "selection": "bayes-ucb"},
        },
        "order": "fixed",
        "resume": {"allowed": True},
    }
    open_sitting(loaded(tmp_path, small(**changes)), sessions).close()


def test_changed_words_are_refused(tmp_path: Path, sessions: Path, study: LoadedStudy) -> None:
    stop_after(study, sessions, 3)
    path = write(tmp_path, small())
    (tmp_path / "words.txt").write_text(VECTORS.replace("1 0 2", "1 0 3"), encoding="utf-8")
    before = bytes_below(sessions)
    with pytest.raises(FileError, match="the words or their vectors: not the same"):
        open_sitting(load(path), sessions)
    assert bytes_below(sessions) == before
    (tmp_path / "same.txt").write_text(VECTORS, encoding="utf-8")  # the same numbers elsewhere
    with pytest.raises(FileError, match=r"words: 'words.txt' when the session began, 'same.txt' now"):
        open_sitting(loaded(tmp_path, small(words="same.txt")), sessions)


def test_a_log_of_another_participant_is_refused(study: LoadedStudy, sessions: Path) -> None:
    stop_after(study, sessions, 3)
    (sessions / "P01.yaml").rename(sessions / "p01.yaml")
    with pytest.raises(FileError, match="this is the log of P01, but the file is not named P01"):
        open_sitting(study, sessions, "p01")


@pytest.mark.parametrize("teacher", [None, "random"])
def test_an_id_that_differs_from_another_only_in_case_is_refused_by_whoever_opens_it(
    study: LoadedStudy, sessions: Path, teacher: str | None
) -> None:
    stop_after(study, sessions, 3)
    for look in (Sitting.open, peek):
        with pytest.raises(SameIdError, match=r"P01\.yaml: P01 and p01 differ only in upper and lower case"):
            look(study, Participant("p01", teacher=teacher), sessions)
    assert [path.name for path in sessions.iterdir()] == ["P01.yaml"]
    open_sitting(study, sessions).close()


def test_a_look_at_a_session_writes_nothing_and_finds_what_opening_it_would(
    study: LoadedStudy, sessions: Path
) -> None:
    who = Participant("P01", teacher="random")
    assert peek(study, who, sessions) is None
    assert not sessions.exists()
    stop_after(study, sessions, 3)
    path = sessions / "P01.yaml"
    path.write_bytes(path.read_bytes() + b'{"event": "answer", ')  # a torn tail
    before = path.read_bytes()
    found = peek(study, who, sessions)
    assert found is not None
    assert path.read_bytes() == before
    assert [entry.name for entry in sessions.iterdir()] == ["P01.yaml"]
    sitting = open_sitting(study, sessions)
    assert sitting.session.step == found.step
    with pytest.raises(FileError, match="already open"):
        peek(study, who, sessions)
    sitting.close()


@pytest.mark.parametrize("teacher", [None, "naive"])
def test_people_and_simulated_participants_cannot_resume_each_others_sessions(
    study: LoadedStudy, sessions: Path, teacher: str | None
) -> None:
    stop_after(study, sessions, 3)
    Sitting.open(study, Participant("P02"), sessions).close()
    before = bytes_below(sessions)
    with pytest.raises(FileError, match=r"the log of a simulated participant \(random\); choose another ID"):
        Sitting.open(study, Participant("P01", teacher=teacher), sessions)
    with pytest.raises(FileError, match="the log of a person; choose another ID"):
        Sitting.open(study, Participant("P02", teacher="naive"), sessions)
    assert bytes_below(sessions) == before


def test_events_out_of_order_are_refused(study: LoadedStudy, sessions: Path) -> None:
    stop_after(study, sessions, 3)
    file = Log(sessions / "P01.yaml")
    file.append(RoundBegan(5, "2026-11-16T09:30:00.000Z", clock_ms=9.0))
    file.close()
    before = bytes_below(sessions)
    with pytest.raises(
        FileError, match="'round' does not belong here; expected question 1 of round 1; was the log"
    ):
        open_sitting(study, sessions)
    assert bytes_below(sessions) == before


def test_a_refused_session_does_not_stay_locked(tmp_path: Path, study: LoadedStudy, sessions: Path) -> None:
    stop_after(study, sessions, 3)
    with pytest.raises(FileError):
        open_sitting(loaded(tmp_path, small(questions=3)), sessions)
    open_sitting(loaded(tmp_path, small()), sessions).close()


# When a session may be resumed


def test_a_study_can_forbid_resuming(tmp_path: Path, sessions: Path) -> None:
    study = loaded(tmp_path, small(resume={"allowed": False}))
    stop_after(study, sessions, 3)
    before = bytes_below(sessions)
    with pytest.raises(FileError, match=r"resume.allowed: false"):
        open_sitting(study, sessions)
    assert bytes_below(sessions) == before


@pytest.mark.parametrize(
    ("hours", "may"), [(-5.0, True), (0.0, True), (1.9, True), (2.1, False), (1000.0, False)]
)
@pytest.mark.parametrize("steps", [1, 4])
def test_a_study_can_limit_the_time_for_resuming(
    tmp_path: Path, sessions: Path, hours: float, may: bool, steps: int
) -> None:
    study = loaded(tmp_path, small(resume={"within_hours": 2}))
    stop_after(study, sessions, steps)  # an answer has its time in another field than other events
    clock = SimulatedClock(datetime.now(UTC) + timedelta(hours=hours))
    participant = Participant("P01", teacher="random")
    if may:
        Sitting.open(study, participant, sessions, clock=clock).close()
    else:
        with pytest.raises(FileError, match=f"left {hours:.1f} hours ago; the limit is 2"):
            Sitting.open(study, participant, sessions, clock=clock)


# The stopwatch


class WrongClock(SimulatedClock):
    """A clock that somebody sets during the session; the stopwatch goes on."""

    def set(self, seconds: float) -> None:
        self._start += timedelta(seconds=seconds)


def timed(study: LoadedStudy, folder: Path, jumps: list[float], stop: int) -> SavedSession:
    """A session whose clock is set after every step, left after some steps and resumed a year later."""
    for start in (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)):
        clock, steps = WrongClock(start), iter(range(stop if start.year == 2026 else 1000))
        sitting = Sitting.open(study, Participant("P01", teacher="random"), folder, clock=clock)

        def after_step(clock: WrongClock = clock, steps: Iterator[int] = steps) -> None:
            step = next(steps, None)
            if step is None:
                raise KeyboardInterrupt
            clock.set(jumps[step % len(jumps)])

        with suppress(KeyboardInterrupt):
            attend(sitting, SimulatedParticipant(sitting, "random"), clock, after_step)
        sitting.close()
    (folder / "words.txt").write_text(VECTORS, encoding="utf-8")
    return open_session(folder / "P01.yaml")


@holds_for(4, 60, jumps=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), stop=st.integers(1, 20))
def test_a_clock_set_back_and_forward_changes_no_duration_and_no_question(
    tmp_path: Path, jumps: list[float], stop: int
) -> None:
    study = loaded(tmp_path, small())
    steady = timed(study, Path(mkdtemp(dir=tmp_path)), [0.0], stop)
    wrong = timed(study, Path(mkdtemp(dir=tmp_path)), jumps, stop)
    assert lasting(wrong.saved.events) == lasting(steady.saved.events)
    clock = [event.clock_ms for event in steady.saved.events]
    assert [event.clock_ms for event in wrong.saved.events] == pytest.approx(clock)
    assert clock.count(0.0) >= 2  # it begins again when the session is resumed
    assert verify(wrong.path).verdict == verify(steady.path).verdict == "verified"
    took = minutes(steady)
    assert took is not None
    assert 0 < took < 10  # the year in between does not count
    assert minutes(wrong) == took
    assert not verify(steady.path).notes


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let an open file be replaced")
@pytest.mark.parametrize("damage", DAMAGE, ids=lambda damage: damage.__name__)
def test_a_session_goes_on_when_another_program_changes_its_log(
    tmp_path: Path, study: LoadedStudy, damage: Callable[[Path], None]
) -> None:
    whole = run(study, tmp_path / "whole")
    sessions = tmp_path / "sessions"
    sitting = open_sitting(study, sessions)
    steps = iter(range(1000))

    def after_step() -> None:
        if next(steps) in (3, 4, 12):
            damage(sessions / "P01.yaml")

    assert isinstance(sitting.clock, SimulatedClock)
    attend(sitting, SimulatedParticipant(sitting, "random"), sitting.clock, after_step)
    sitting.close()
    events = log.read(sessions / "P01.yaml").events
    assert lasting(events) == lasting(whole)
    found = [event for event in events if isinstance(event, Rewritten)]
    assert [event.found for event in found] == [DAMAGE[damage]] * 3
    assert sitting.rewritten == found
    (sessions / "words.txt").write_text(VECTORS, encoding="utf-8")
    result = verify(sessions / "P01.yaml")
    assert (result.verdict, len(result.notes)) == ("verified", 3)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let an open file be replaced")
def test_a_log_changed_while_it_is_resumed_is_verified(tmp_path: Path, study: LoadedStudy) -> None:
    stop_after(study, tmp_path, 4)
    path, append = tmp_path / "P01.yaml", Log.append

    def changed(file: Log, event: Event) -> None:
        path.write_bytes(b"")
        append(file, event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Log, "append", changed)
        open_sitting(study, tmp_path).close()
    run(study, tmp_path)
    assert verify(path).verdict == "verified"


def test_times_are_utc_to_the_millisecond() -> None:
    assert iso(datetime(2026, 11, 16, 9, 30, 0, 123456, tzinfo=UTC)) == "2026-11-16T09:30:00.123Z"


# IDs and folders


@given(st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True))
def test_letters_digits_hyphens_and_underscores_make_an_id(participant: str) -> None:
    assert check_id(participant) == participant


@given(st.text().filter(lambda text: not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", text)))
@example("")
@example("../x")
@example("a/b")
@example("a\\b")
@example("é")
@example("a\n")
@example("\n")
@example("٣")
@example("a" * 65)
@example("a b")
@example("a.b")
@example("C:")
@example("a\0")
def test_nothing_else_is_an_id(participant: str) -> None:
    with pytest.raises(SettingError, match="use 1 to 64 letters, digits, hyphens and underscores"):
        log_path(Path(), participant)


def test_an_invalid_id_leaves_no_trace(study: LoadedStudy, sessions: Path) -> None:
    with pytest.raises(SettingError):
        open_sitting(study, sessions, "../P01")
    assert not sessions.exists()


def test_a_folder_that_cannot_be_created_is_named(study: LoadedStudy, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "sessions"):
        with pytest.raises(FileError) as caught:
            open_sitting(study, folder)
        assert caught.value.path == str(folder)


@pytest.fixture
def locked_folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("root may write everywhere")
    yield folder
    folder.chmod(0o700)


def test_a_read_only_folder_is_named(study: LoadedStudy, locked_folder: Path) -> None:
    with pytest.raises(FileError, match="permission denied"):
        open_sitting(study, locked_folder)
