"""What the experimenter reads when a session has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from study_files import loaded, open_sitting, small

from studyapp.session.events import Declined, Interrupted, Left
from studyapp.session.headless import SimulatedParticipant, attend
from studyapp.session.place import closing_line as line_of
from studyapp.session.saved import SavedSession, open_session
from studyapp.session.sitting import Sitting


def closing_line(opened: Sitting | SavedSession, options: Sequence[str] | None = ()) -> str:
    return line_of(opened.session, opened.receipt, options)


@pytest.fixture
def sitting(tmp_path: Path) -> Iterator[Sitting]:
    opened = open_sitting(loaded(tmp_path, small()), tmp_path)
    yield opened
    opened.close()


def test_a_finished_session_has_its_bonus_and_its_receipt_and_no_secret(sitting: Sitting) -> None:
    lines = [closing_line(sitting)]
    attend(sitting, SimulatedParticipant(sitting, "random"), sitting.clock)
    lines.append(closing_line(sitting))
    expected = rf"P01 finished\. Bonus due: (yes|no)\. Receipt: {sitting.receipt} \(please write it down\)"
    assert re.fullmatch(expected, lines[1])
    assert closing_line(open_session(sitting.path)) == lines[1]
    words = (word for word in sitting.loaded.vocabulary.words if word != "no")  # which is a bonus, too
    secret = {*sitting.session.study.models, *words, "reward", "found", "model"}
    assert not secret & set(re.findall(r"\w+", " ".join(lines)))


def test_a_session_that_is_not_over_says_where_it_is_and_how_to_continue(sitting: Sitting) -> None:
    command = "To continue: studyapp run --study 'my study.yaml' --participant P01"
    line = closing_line(sitting, ["--study", "my study.yaml"])
    assert line == f"P01 has not finished (the consent). {command}"
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
