"""``studyapp rehearse`` runs a study with simulated participants, reproducibly and each only once."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_files import Settings, loaded, small, write

from core.simulated import SIMULATED
from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Answered, Event, Finished, Responded, Resumed, Started
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.sitting import Participant, Sitting


class Bench:
    """A small study, and the command run on it."""

    def __init__(self, folder: Path, **changes: Settings) -> None:
        self.study = write(folder, small(**changes))
        self.sessions = folder / "sessions"

    def rehearse(self, *options: str, teacher: str = "random", participants: int = 2) -> int:
        folders = ("--study", str(self.study), "--sessions", str(self.sessions))
        who = ("--teacher", teacher, "--participants", str(participants))
        return main(["rehearse", *folders, *who, *options])

    def events(self, participant: str = "random-001") -> list[Event]:
        return log.read(self.sessions / f"{participant}.yaml").events

    def given(self, participant: str = "random-001") -> list[object]:
        """The answers and responses of a participant."""
        events = self.events(participant)
        answers = [(event.word, event.answer) for event in events if isinstance(event, Answered)]
        return [*answers, *(event.value for event in events if isinstance(event, Responded))]

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.sessions.iterdir())}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_every_kind_of_teacher_finishes_and_is_marked_as_simulated(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    for teacher in SIMULATED.names:
        assert bench.rehearse(teacher=teacher) == 0
        done = f"2 simulated participants finished; the logs are in {bench.sessions}\n"
        assert capsys.readouterr() == (done, "")
        for participant in (f"{teacher}-001", f"{teacher}-002"):
            head, *_, last = bench.events(participant)
            assert isinstance(head, Started)
            assert (head.participant, head.simulated, head.teacher) == (participant, True, teacher)
            assert isinstance(last, Finished)
            assert last.answers == 12
            *tired, side, remarks, more = bench.given(participant)[12:]
            assert len(tired) == 4
            assert set(tired) <= {0, 1, 2, 3}
            assert side in ("left", "no")
            assert (remarks, more) == ("simulated", None)
    assert len(bench.files()) == 2 * len(SIMULATED.names)


def test_a_rehearsal_is_repeated_and_continued_but_not_mixed_with_another_study(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.rehearse("--seed", "5")
    before, given = bench.files(), bench.given()
    capsys.readouterr()
    assert bench.rehearse("--seed", "5", participants=3) == 0
    said = "1 simulated participant finished; 2 had finished before; the logs are in"
    assert said in capsys.readouterr().out
    after = bench.files()
    assert set(after) - set(before) == {"random-003.yaml"}
    assert {name: after[name] for name in before} == before
    path = bench.sessions / "random-001.yaml"
    path.write_bytes(before[path.name][: before[path.name].rindex(b'--- {"event": "round"') + 10])
    cut = bench.files()
    assert bench.rehearse("--seed", "6") == 2
    assert "seed: 5 when the session began, 6 now" in capsys.readouterr().err
    text = bench.study.read_text()
    bench.study.write_text(text.replace("questions: 2", "questions: 3"))
    path.write_bytes(before[path.name])  # refused even if all had finished
    assert bench.rehearse("--seed", "5") == 2
    error = capsys.readouterr().err
    assert "the study has changed since random-001 began:\n  questions: 2 when the session began" in error
    assert "choose another folder (--sessions)" in error
    bench.study.write_text(text)
    path.write_bytes(cut[path.name])
    assert bench.files() == cut
    assert bench.rehearse("--seed", "5") == 0
    assert any(isinstance(event, Resumed) for event in bench.events())
    assert isinstance(bench.events()[-1], Finished)
    assert bench.given() == given


def test_the_same_seed_gives_the_same_answers_and_another_seed_others(tmp_path: Path) -> None:
    first, second, third = (Bench(tmp_path / name) for name in "abc")
    for bench, seed in ((first, "5"), (second, "5"), (third, "6")):
        assert bench.rehearse("--seed", seed) == 0
        head = bench.events()[0]
        assert isinstance(head, Started)
        assert (head.seed, head.study["seed"]) == (int(seed), int(seed))
    for participant in ("random-001", "random-002"):
        assert first.given(participant) == second.given(participant)
    assert first.given() != third.given()
    assert first.given("random-001") != first.given("random-002")


def test_what_cannot_be_rehearsed_exits_with_2_and_one_line(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    for options in (
        ["--participants", "0"],
        ["--participants", "100001"],
        ["--seed", str(2**63)],
        ["--study", "nonsense"],
        ["--study", "missing.yaml"],
    ):
        assert bench.rehearse(*options) == 2
        printed, error = capsys.readouterr()
        assert (printed, error.startswith("studyapp: "), error.count("\n")) == ("", True, 1), options
        assert not bench.sessions.exists()
    Sitting.open(loaded(bench.study.parent, small()), Participant("random-001"), bench.sessions).close()
    before = bench.files()
    assert bench.rehearse() == 2
    assert "this is the log of a person" in capsys.readouterr().err
    assert bench.files() == before
    bench.sessions = bench.study  # a file
    assert bench.rehearse() == 2
    assert capsys.readouterr().err.startswith(f"studyapp: {bench.sessions}: ")


def test_simulated_time_passes_without_waiting(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(pace={"pause": 60}, instructions=["x"]))
    clock = SimulatedClock(SystemClock().now())
    sitting = Sitting.open(study, Participant("P01", teacher="naive"), tmp_path, clock=clock)
    positions: list[int] = []
    attend(
        sitting,
        SimulatedParticipant(sitting, "naive"),
        clock,
        after_step=lambda: positions.append(sitting.session.position),
    )
    sitting.close()
    assert 12 * 60 < clock.seconds() < 12 * 60 + 19 * 60
    assert positions == [*range(1, len(positions)), len(positions) - 1]
    answers = sitting.session.answers
    assert all(answer.delay_ms == 60_000 for answer in answers)
    assert len({answer.rt_ms for answer in answers}) == len(answers)
    assert [answer.shown_at for answer in answers] == sorted(str(answer.shown_at) for answer in answers)


def test_a_text_answer_respects_the_longest_length(tmp_path: Path) -> None:
    item = {"id": "word", "kind": "text", "ask": "One letter?", "longest": 1}
    bench = Bench(tmp_path, questionnaires={"you": [item]}, after_round=[], at_end=["you"])
    assert bench.rehearse(participants=1) == 0
    assert bench.given()[12:] == ["s"]
