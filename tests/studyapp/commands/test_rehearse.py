"""``studyapp rehearse`` runs a study with simulated participants, reproducibly and each only once."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_files import Settings, loaded, small, write

from core.simulated import SIMULATED
from studyapp.base.clock import SimulatedClock, SystemClock
from studyapp.cli import main
from studyapp.session import log
from studyapp.session.events import Answered, Event, Finished, Read, Responded, Resumed, Started
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.sitting import Participant, Sitting


class Bench:
    """A small study, and the command run on it."""

    def __init__(self, folder: Path, **changes: Settings) -> None:
        self.study = write(folder, small(**changes))
        self.sessions = folder / "sessions"

    def rehearse(self, *options: str, teacher: str = "random", participants: int = 2) -> int:
        return main(
            [
                *("rehearse", "--study", str(self.study), "--sessions", str(self.sessions)),
                *("--teacher", teacher, "--participants", str(participants), *options),
            ]
        )

    def events(self, participant: str = "random-001") -> list[Event]:
        return log.read(self.sessions / f"{participant}.yaml").events

    def answers(self, participant: str = "random-001") -> list[tuple[str, str]]:
        return [
            (event.word, event.answer) for event in self.events(participant) if isinstance(event, Answered)
        ]

    def responses(self, participant: str = "random-001") -> list[str | int | None]:
        return [event.value for event in self.events(participant) if isinstance(event, Responded)]

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in sorted(self.sessions.iterdir())}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.parametrize("teacher", SIMULATED.names)
def test_every_kind_of_teacher_finishes_and_is_marked_as_simulated(
    bench: Bench, teacher: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.rehearse(teacher=teacher) == 0
    printed, error = capsys.readouterr()
    assert printed == f"2 simulated participants finished; the logs are in {bench.sessions}\n"
    assert error == ""
    assert list(bench.files()) == [f"{teacher}-001.yaml", f"{teacher}-002.yaml"]
    for participant in (f"{teacher}-001", f"{teacher}-002"):
        head, *_, last = bench.events(participant)
        assert isinstance(head, Started)
        assert (head.participant, head.simulated, head.teacher) == (participant, True, teacher)
        assert isinstance(last, Finished)
        assert last.answers == len(bench.answers(participant)) == 12


def test_a_rehearsal_of_a_changed_study_is_refused_even_if_all_had_finished(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.rehearse()
    before = bench.files()
    bench.study.write_text(bench.study.read_text().replace("questions: 2", "questions: 3"))
    capsys.readouterr()
    assert bench.rehearse() == 2
    error = capsys.readouterr().err
    assert "the study has changed since random-001 began:\n  questions: 2 when the session began" in error
    assert "choose another folder (--sessions)" in error
    assert bench.files() == before


def test_a_second_run_changes_nothing(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.rehearse()
    before = bench.files()
    capsys.readouterr()
    assert bench.rehearse() == 0
    assert bench.files() == before
    assert (
        "0 simulated participants finished; 2 had finished before; the logs are in" in capsys.readouterr().out
    )
    assert bench.rehearse(participants=3) == 0
    after = bench.files()
    assert set(after) - set(before) == {"random-003.yaml"}
    assert {name: after[name] for name in before} == before


def test_an_interrupted_participant_continues_with_the_same_answers(bench: Bench) -> None:
    bench.rehearse(participants=1)
    answers, responses = bench.answers(), bench.responses()
    path = bench.sessions / "random-001.yaml"
    raw = path.read_bytes()
    path.write_bytes(raw[: raw.rindex(b'--- {"event": "round"') + 10])
    assert bench.rehearse(participants=1) == 0
    assert any(isinstance(event, Resumed) for event in bench.events())
    assert isinstance(bench.events()[-1], Finished)
    assert (bench.answers(), bench.responses()) == (answers, responses)


def test_the_same_seed_gives_the_same_answers_and_another_seed_others(tmp_path: Path) -> None:
    first, second, third = (Bench(tmp_path / name) for name in "abc")
    for bench, seed in ((first, "5"), (second, "5"), (third, "6")):
        assert bench.rehearse("--seed", seed) == 0
        head = bench.events()[0]
        assert isinstance(head, Started)
        assert head.seed == int(seed)
        assert head.study["seed"] == int(seed)
    for participant in ("random-001", "random-002"):
        assert first.answers(participant) == second.answers(participant)
        assert first.responses(participant) == second.responses(participant)
    assert first.answers() != third.answers()
    assert first.answers("random-001") != first.answers("random-002")


def test_participants_with_another_seed_do_not_continue_existing_sessions(
    bench: Bench, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.rehearse("--seed", "5", participants=1)
    path = bench.sessions / "random-001.yaml"
    raw = path.read_bytes()
    path.write_bytes(raw[: raw.rindex(b"--- ")])
    before = bench.files()
    assert bench.rehearse("--seed", "6") == 2
    assert "seed: 5 when the session began, 6 now" in capsys.readouterr().err
    assert bench.files() == before


@pytest.mark.parametrize(
    "options",
    [
        ["--participants", "0"],
        ["--participants", "-3"],
        ["--participants", "100001"],
        ["--seed", str(2**63)],
        ["--study", "nonsense"],
        ["--study", "missing.yaml"],
    ],
)
def test_an_invalid_value_exits_with_2(
    bench: Bench, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.rehearse(*options) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.startswith("studyapp: ")
    assert error.count("\n") == 1
    assert not bench.sessions.exists()


@pytest.mark.parametrize(
    "options", [["--teacher", "kind"], ["--participants", "two"], ["--seed", "1.5"], ["x"]]
)
def test_an_invalid_argument_exits_with_2(
    bench: Bench, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        bench.rehearse(*options)
    assert caught.value.code == 2
    assert "Traceback" not in capsys.readouterr().err


def test_an_unusable_sessions_folder_exits_with_2(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    bench.sessions.write_text("a file")
    assert bench.rehearse() == 2
    assert capsys.readouterr().err.startswith(f"studyapp: {bench.sessions}: ")


def test_the_log_of_a_person_is_left_alone(bench: Bench, capsys: pytest.CaptureFixture[str]) -> None:
    study = loaded(bench.study.parent, small())
    Sitting.open(study, Participant("random-001"), bench.sessions).close()
    before = bench.files()
    assert bench.rehearse() == 2
    assert "this is the log of a person" in capsys.readouterr().err
    assert bench.files() == before


# Time


def test_simulated_time_passes_without_waiting(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(pace={"pause": 60}, instructions=["x"]))
    began = SystemClock().seconds()
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
    assert SystemClock().seconds() - began < 60
    assert 12 * 60 < clock.seconds() < 12 * 60 + 19 * 60
    assert positions == [*range(1, len(positions)), len(positions) - 1]
    answers = sitting.session.answers
    assert all(answer.delay_ms == 60_000 for answer in answers)
    assert len({answer.rt_ms for answer in answers}) == len(answers)
    assert [answer.shown_at for answer in answers] == sorted(str(answer.shown_at) for answer in answers)
    assert [event for event in log.read(tmp_path / "P01.yaml").events if isinstance(event, Read)]


def test_a_text_answer_respects_the_longest_length(tmp_path: Path) -> None:
    item = {"id": "word", "kind": "text", "ask": "One letter?", "longest": 1}
    bench = Bench(tmp_path, questionnaires={"you": [item]}, after_round=[], at_end=["you"])
    assert bench.rehearse(participants=1) == 0
    assert bench.responses() == ["s"]


def test_responses_are_valid_answers_to_their_items(bench: Bench) -> None:
    assert bench.rehearse(participants=4) == 0  # few enough for one process
    for number in range(1, 5):
        *tired, side, remarks, more = bench.responses(f"random-00{number}")
        assert len(tired) == 4
        assert set(tired) <= {0, 1, 2, 3}
        assert side in ("left", "no")
        assert remarks == "simulated"
        assert more is None
