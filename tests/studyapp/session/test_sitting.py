"""A sitting begins, resumes or refuses a session, and writes every event to disk before it happens."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
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
from study_files import VECTORS, loaded, open_sitting, recorded, run, small

from core.errors import FileError, SettingError
from studyapp.base.clock import SimulatedClock, iso
from studyapp.session import events as ev
from studyapp.session import log
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.ids import SameIdError, check_id, log_path
from studyapp.session.log import Log
from studyapp.session.log_format import encode
from studyapp.session.resuming import OverError
from studyapp.session.saved import SavedSession, open_session
from studyapp.session.session import AskWord
from studyapp.session.sitting import Participant, Sitting, peek
from studyapp.session.verification import verify
from studyapp.study import plan
from studyapp.study.loaded import LoadedStudy
from studyapp.tables.tables import minutes

# The fields that differ between two runs of the same session: times, and where it ran.
PASSING = re.compile(r"(shown_)?at|(\w+_)?ms|host|process|software")
NOBODY = Participant("P01", teacher="random")


def lasting(events: Iterator[ev.Event] | list[ev.Event] | tuple[ev.Event, ...]) -> list[dict[str, Any]]:
    """The part of these events that must be the same however often the session was interrupted."""
    return [
        {name: value for name, value in ev.as_mapping(event).items() if not PASSING.fullmatch(name)}
        for event in events
        if not isinstance(event, ev.Resumed | ev.Recovered | ev.Rewritten)
    ]


WHOLE = recorded().events


@pytest.fixture
def study() -> LoadedStudy:
    return recorded().study


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


def left_after(sessions: Path, count: int) -> Path:
    """The log of the recorded session, interrupted after this number of steps."""
    return recorded().put(sessions, WHOLE[: 1 + count])


def bytes_below(folder: Path) -> dict[str, bytes]:
    return {entry.name: entry.read_bytes() for entry in folder.iterdir()}


@contextmanager
def refused(sessions: Path, problem: str, error: type[Exception] = FileError) -> Iterator[None]:
    """It is refused for this reason, and nothing is written."""
    before = bytes_below(sessions)
    with pytest.raises(error, match=problem):
        yield
    assert bytes_below(sessions) == before


# Beginning


def test_a_new_log_begins_with_everything_that_determines_the_session(
    study: LoadedStudy, sessions: Path
) -> None:
    sitting = open_sitting(study, sessions / "deeper" / "still", kind="naive")
    sitting.close()
    (head,) = log.read(sessions / "deeper" / "still" / "P01.yaml").events
    assert isinstance(head, ev.Started)
    assert (head.participant, head.simulated, head.teacher, head.pilot) == ("P01", True, "naive", False)
    assert (head.words, head.words_sha256) == ("words.txt", study.vocabulary.sha256)
    assert (head.seed, head.study) == (7, study.study.record())
    assert head.plan == plan.make(study, "P01")
    assert head.process == os.getpid()
    assert {"python", "system", "learners", "numpy", "scipy", "textual"} <= set(head.software)
    assert not sitting.resumed
    Sitting.open(study, Participant("P02", pilot=True), sessions).close()  # a person
    (head,) = log.read(sessions / "P02.yaml").events
    assert isinstance(head, ev.Started)
    assert (head.simulated, head.teacher, head.pilot) == (False, None, True)
    assert iso(datetime(2026, 11, 16, 9, 30, 0, 123456, tzinfo=UTC)) == "2026-11-16T09:30:00.123Z"


def test_an_event_is_on_disk_before_it_happens_and_else_it_does_not_happen(
    study: LoadedStudy, sessions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    sitting = open_sitting(study, sessions)
    advance, seen = sitting.session.advance, []

    def watched(event: ev.Event) -> None:
        seen.append(log.read(sessions / "P01.yaml").events[-1])
        advance(event)

    monkeypatch.setattr(sitting.session, "advance", watched)
    consented = ev.Consented(sitting.at())
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(FileError, match="the disk is full"):
            sitting.record(consented)
    assert (seen, sitting.session.position) == ([], 0)
    sitting.record(consented)
    with refused(sessions, "'consent' does not belong here; expected the instructions", SettingError):
        sitting.record(consented)
    sitting.close()
    assert (seen, sitting.session.position) == ([replace(consented, clock_ms=0.0)], 1)


# Resuming


def test_a_session_resumed_after_any_event_ends_as_if_it_had_never_been_interrupted(
    study: LoadedStudy, sessions: Path
) -> None:
    for count in range(1, len(WHOLE)):
        folder = sessions / str(count)
        left_after(folder, count - 1)
        again = run(study, folder)
        assert tuple(again[:count]) == WHOLE[:count]
        assert isinstance(again[count], ev.Resumed)
        assert lasting(again) == lasting(WHOLE)
        raw = (folder / "P01.yaml").read_bytes()
        assert raw.startswith(encode(WHOLE[:count]))
        assert raw == chained(parts(raw)) == encode(again)  # one unbroken chain


def test_a_torn_event_is_kept_and_recorded_and_asked_again(study: LoadedStudy, sessions: Path) -> None:
    begin = len(encode(WHOLE[: recorded().nth(ev.Answered)]))
    path = recorded().put(sessions)
    path.write_bytes(recorded().raw[: begin + 40])
    events = run(study, sessions)
    resumed, recovered = events[4:6]
    assert isinstance(resumed, ev.Resumed)
    assert isinstance(recovered, ev.Recovered)
    assert (sessions / recovered.kept_in).read_bytes() == recorded().raw[begin : begin + 40]
    assert (recovered.bytes, lasting(events)) == (40, lasting(WHOLE))
    for torn in (sessions / recovered.kept_in, path):
        torn.unlink()
    path.write_bytes(recorded().raw[:300])  # a torn head: the session begins again
    assert lasting(run(study, sessions)) == lasting(WHOLE)
    (kept,) = sessions.glob("P01.yaml.torn-*")
    assert kept.read_bytes() == recorded().raw[:300]


def test_resuming_is_recorded_and_nothing_is_lost(study: LoadedStudy, sessions: Path) -> None:
    path = left_after(sessions, 4)
    sitting = open_sitting(study, sessions)
    assert sitting.resumed
    assert [answer.question for answer in sitting.session.answers] == [1]
    assert isinstance(sitting.session.step, AskWord)
    assert sitting.session.step.question == 2
    with pytest.raises(FileError, match=rf"already open \(process {os.getpid()} on "):
        open_sitting(study, sessions)
    sitting.record(ev.Left(sitting.at()))
    sitting.close()
    sitting = open_sitting(study, sessions)
    sitting.record(ev.Interrupted("SIGTERM", sitting.at()))
    sitting.close()
    after = log.read(path).events
    assert tuple(after[:5]) == WHOLE[:5]
    assert [event.event for event in after[5:]] == ["resumed", "left", "resumed", "interrupted"]
    assert isinstance(run(study, sessions)[-1], ev.Finished)


def test_answers_to_questions_this_version_would_not_ask_are_refused(
    study: LoadedStudy, sessions: Path
) -> None:
    path, place = left_after(sessions, 5), recorded().nth(ev.Answered, 1)
    word = WHOLE[place].word
    other = "tea" if word != "tea" else "café"
    path.write_bytes(edited(path.read_bytes(), place, word=other))
    sitting = open_sitting(study, sessions)
    questions = sitting.questions(sitting.session.plan[0])
    with pytest.raises(SettingError, match=f"is '{other}' in the log but would be '{word}' now"):
        questions.now.result()
    sitting.close()


# The end


def test_a_finished_session_is_never_opened_or_changed(study: LoadedStudy, sessions: Path) -> None:
    recorded().put(sessions)
    with refused(sessions, r"P01 finished on 20.*; choose another ID", OverError):
        open_sitting(study, sessions)


@pytest.mark.parametrize("delete", [True, False])
def test_a_withdrawn_session_is_never_opened_or_changed(
    study: LoadedStudy, sessions: Path, delete: bool
) -> None:
    path = left_after(sessions, 5)
    path.write_bytes(path.read_bytes() + b'--- {"event": "answer", "round": 1, "question": 2, "word": "tea"')
    sitting = open_sitting(study, sessions)
    assert len(list(sessions.glob("*.torn-*"))) == 1
    sitting.withdraw(delete=delete)
    assert isinstance(sitting.session.over, ev.Withdrawn)
    sitting.close()
    events = log.read(path).events
    last, raw = events[-1], path.read_bytes()
    assert isinstance(last, ev.Withdrawn)
    assert (last.data, last.answers) == ("deleted" if delete else "kept", 2)
    assert raw == chained(parts(raw)) == encode(events)
    if delete:  # torn tails too
        assert events == [WHOLE[0], last]
        assert sorted(bytes_below(sessions)) == ["P01.yaml", "words.txt"]
        assert b'"event": "answer"' not in raw
    else:
        assert [event.event for event in events].count("answer") == 2
    with refused(sessions, "P01 withdrew on 20", OverError):
        open_sitting(study, sessions)


# Who may open it


def test_a_session_of_somebody_else_is_refused(study: LoadedStudy, sessions: Path) -> None:
    path = left_after(sessions, 3)
    Sitting.open(study, Participant("P02"), sessions).close()
    for teacher in (None, "naive"):  # people and simulated participants can't resume each other's
        with refused(sessions, r"the log of a simulated participant \(random\); choose another ID"):
            Sitting.open(study, Participant("P01", teacher=teacher), sessions)
    with refused(sessions, "the log of a person; choose another ID"):
        Sitting.open(study, Participant("P02", teacher="naive"), sessions)
    for look in (Sitting.open, peek):
        for teacher in (None, "random"):
            with refused(
                sessions, r"P01\.yaml: P01 and p01 differ only in upper and lower case", SameIdError
            ):
                look(study, Participant("p01", teacher=teacher), sessions)
    open_sitting(study, sessions).close()  # a refused session is not locked
    bad = ev.RoundBegan(5, "2026-11-16T09:30:00.000Z", clock_ms=9.0)
    recorded().put(sessions, [*WHOLE[:4], bad])
    with refused(sessions, "'round' does not belong here; expected question 1 of round 1; was the log"):
        open_sitting(study, sessions)
    path.rename(path.with_name("p01.yaml"))
    with refused(sessions, "this is the log of P01, but the file is not named P01"):
        open_sitting(study, sessions, "p01")


def test_a_look_at_a_session_writes_nothing_and_finds_what_opening_it_would(
    study: LoadedStudy, sessions: Path
) -> None:
    assert peek(study, NOBODY, sessions) is None
    assert not sessions.exists()
    path = left_after(sessions, 3)
    path.write_bytes(path.read_bytes() + b'{"event": "answer", ')  # a torn tail
    before = bytes_below(sessions)
    found = peek(study, NOBODY, sessions)
    assert found is not None
    assert bytes_below(sessions) == before
    sitting = open_sitting(study, sessions)
    assert sitting.session.step == found.step
    with pytest.raises(FileError, match="already open"):
        peek(study, NOBODY, sessions)
    sitting.close()


def test_the_study_file_says_whether_and_until_when_a_session_may_be_resumed(
    tmp_path: Path, sessions: Path
) -> None:
    limited = loaded(tmp_path, small(resume={"within_hours": 2}))
    for steps in (1, 4):  # an answer has its time in another field than other events
        last = WHOLE[steps]
        ended = datetime.fromisoformat(last.shown_at if isinstance(last, ev.Answered) else last.at)
        for hours, may in ((-5.0, True), (0.0, True), (1.9, True), (2.1, False), (1000.0, False)):
            left_after(sessions, steps)
            clock = SimulatedClock(ended + timedelta(hours=hours))
            if may:
                Sitting.open(limited, NOBODY, sessions, clock=clock).close()
                continue
            with refused(sessions, rf"left {hours:.1f} hours ago; the limit is 2 \(resume.within_hours\)"):
                Sitting.open(limited, NOBODY, sessions, clock=clock)
    forbidden = loaded(tmp_path, small(resume={"allowed": False}))
    with refused(sessions, r"does not allow sessions to be resumed \(resume.allowed: false\)"):
        open_sitting(forbidden, sessions)


# The stopwatch


class WrongClock(SimulatedClock):
    """A clock that somebody sets during the session; the stopwatch goes on."""

    def set(self, seconds: float) -> None:
        self._start += timedelta(seconds=seconds)


def timed(study: LoadedStudy, folder: Path, jumps: list[float], stop: int) -> SavedSession:
    """A session whose clock is set after every step, left after some steps and resumed a year later."""
    for start in (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)):
        clock, steps = WrongClock(start), iter(range(stop if start.year == 2026 else 1000))
        sitting = Sitting.open(study, NOBODY, folder, clock=clock)

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


@holds_for(4, 25, jumps=st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=12), stop=st.integers(1, 20))
def test_a_clock_set_back_and_forward_changes_no_duration_and_no_question(
    tmp_path: Path, study: LoadedStudy, jumps: list[float], stop: int
) -> None:
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


# Another program

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not let an open file be replaced")


@posix
def test_a_session_goes_on_when_another_program_changes_its_log(tmp_path: Path, study: LoadedStudy) -> None:
    for damage in DAMAGE:
        sessions = Path(mkdtemp(dir=tmp_path)) / "sessions"
        sitting, steps = open_sitting(study, sessions), iter(range(1000))
        path = sessions / "P01.yaml"

        def after_step(path: Path = path, steps: Iterator[int] = steps, damage: Any = damage) -> None:
            if next(steps) in (3, 4, 12):
                damage(path)

        attend(sitting, SimulatedParticipant(sitting, "random"), sitting.clock, after_step)
        sitting.close()
        events = log.read(path).events
        assert lasting(events) == lasting(WHOLE)
        found = [event for event in events if isinstance(event, ev.Rewritten)]
        assert [event.found for event in found] == [DAMAGE[damage]] * 3
        assert sitting.rewritten == found
        (sessions / "words.txt").write_text(VECTORS, encoding="utf-8")
        result = verify(path)
        assert (result.verdict, len(result.notes)) == ("verified", 3)


@posix
def test_a_log_changed_while_it_is_resumed_is_verified(study: LoadedStudy, sessions: Path) -> None:
    path, append = left_after(sessions, 4), Log.append

    def changed(file: Log, event: ev.Event) -> None:
        path.write_bytes(b"")
        append(file, event)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Log, "append", changed)
        open_sitting(study, sessions).close()
    run(study, sessions)
    assert verify(path).verdict == "verified"


# IDs and folders


@given(st.text() | st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True))
@example("")
@example("../x")
@example("a\\b")
@example("é")
@example("a\n")
@example("٣")
@example("a" * 65)
@example("a b")
@example("a.b")
@example("C:")
@example("a\0")
def test_letters_digits_hyphens_and_underscores_make_an_id_and_nothing_else_does(participant: str) -> None:
    if re.fullmatch(r"[A-Za-z0-9_-]{1,64}", participant):
        assert check_id(participant) == participant
        return
    with pytest.raises(SettingError, match="use 1 to 64 letters, digits, hyphens and underscores"):
        log_path(Path(), participant)


def test_what_is_no_place_for_sessions_is_named_and_left_alone(study: LoadedStudy, tmp_path: Path) -> None:
    with pytest.raises(SettingError):
        open_sitting(study, tmp_path / "sessions", "../P01")
    with pytest.raises(FileError, match="the study is closed to new participants"):
        Sitting.open(loaded(tmp_path, small(collecting=False)), Participant("P01"), tmp_path / "sessions")
    assert not (tmp_path / "sessions").exists()
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "sessions"):
        with pytest.raises(FileError) as caught:
            open_sitting(study, folder)
        assert caught.value.path == str(folder)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    if not os.access(locked, os.W_OK):  # root may write everywhere
        with pytest.raises(FileError, match="permission denied"):
            open_sitting(study, locked)
    locked.chmod(0o700)
