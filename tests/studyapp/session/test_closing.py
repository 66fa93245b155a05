"""What the experimenter reads when a session has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from study_files import loaded, open_sitting, small

from studyapp.base.clock import SimulatedClock
from studyapp.session.events import Declined, Interrupted, Left
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.place import closing_line
from studyapp.session.saved import open_session
from studyapp.session.sitting import Sitting
from studyapp.session.verification import verify

BONUS = {"within": 1, "rounds": 1, "won": "Well done."}


@pytest.fixture
def sitting(tmp_path: Path) -> Iterator[Sitting]:
    opened = open_sitting(loaded(tmp_path, small(bonus=BONUS)), tmp_path)
    yield opened
    opened.close()


def complete(sitting: Sitting) -> None:
    assert isinstance(sitting.clock, SimulatedClock)
    attend(sitting, SimulatedParticipant(sitting, "random"), sitting.clock)


def test_a_finished_session_has_its_bonus_and_its_receipt(sitting: Sitting) -> None:
    complete(sitting)
    receipt = verify(sitting.path).receipt
    expected = rf"P01 finished\. Bonus due: (yes|no)\. Receipt: {receipt} \(please write it down\)"
    assert re.fullmatch(expected, closing_line(sitting))
    assert closing_line(open_session(sitting.path)) == closing_line(sitting)


def test_a_session_that_is_not_over_says_where_it_is_and_how_to_continue(sitting: Sitting) -> None:
    command = "To continue: studyapp run --study 'my study.yaml' --participant P01"
    line = closing_line(sitting, ["--study", "my study.yaml"])
    assert line.startswith("P01 has not finished (")
    assert line.endswith(command)
    assert closing_line(sitting, None) == line.removesuffix(f" {command}")
    sitting.record(Left(at=sitting.at()))
    assert closing_line(sitting).startswith("P01 left for now (")


@pytest.mark.parametrize(("delete", "answers"), [(False, "are kept"), (True, "were deleted")])
def test_a_withdrawal_says_what_became_of_the_answers(sitting: Sitting, delete: bool, answers: str) -> None:
    sitting.withdraw(delete=delete)
    assert closing_line(sitting) == f"P01 withdrew; the answers {answers}."


def test_who_declines_has_not_left_a_session_to_continue(sitting: Sitting) -> None:
    sitting.record(Declined(at=sitting.at()))
    assert closing_line(sitting) == "P01 did not agree to take part."
    sitting.record(Interrupted("SIGHUP", at=sitting.at()))  # the window was closed, with the goodbye in it
    assert closing_line(sitting) == "P01 did not agree to take part."


def test_it_says_nothing_of_models_targets_or_rewards(sitting: Sitting) -> None:
    lines = [closing_line(sitting)]
    complete(sitting)
    lines.append(closing_line(sitting))
    words = (word for word in sitting.loaded.vocabulary.words if word != "no")  # which is a bonus, too
    secret = {*sitting.session.study.models, *words, "reward", "found", "model"}
    assert not secret & set(re.findall(r"\w+", " ".join(lines)))
