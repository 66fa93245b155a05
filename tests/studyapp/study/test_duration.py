"""The expected duration follows from the study alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_files import Settings, loaded, small

from studyapp.study.loading import load


def test_the_published_study_takes_75_minutes() -> None:
    extent = load("paper").extent
    assert extent.seconds == pytest.approx(75 * 60)
    assert extent.minutes == 75
    assert (extent.rounds, extent.practice_rounds, extent.questions, extent.items) == (38, 2, 600, 0)


@pytest.mark.parametrize(
    ("changes", "minutes"),
    [
        ({"pace": {"pause": 0.5}}, 12 * 75 / 600 + 7 * 8 / 60),  # 12 questions and 7 items
        ({"pace": {"pause": 5.5}}, 12 * 75 / 600 + 1 + 7 * 8 / 60),
        ({"pace": {"pause": 0.5}, "breaks": {"every": 2, "seconds": 600}}, 10 + 12 * 75 / 600 + 7 * 8 / 60),
    ],
)
def test_pauses_questionnaires_and_breaks_are_part_of_it(
    tmp_path: Path, changes: Settings, minutes: float
) -> None:
    assert loaded(tmp_path, small(**changes)).extent.seconds / 60 == pytest.approx(minutes)


@pytest.mark.parametrize(
    ("seconds", "minutes"), [(10, 1), (100, 2), (520, 9), (700, 15), (1700, 30), (4500, 75)]
)
def test_minutes_are_rounded_up_and_above_ten_to_a_multiple_of_five(seconds: float, minutes: int) -> None:
    from studyapp.study.loaded import Extent

    assert Extent(1, 0, 1, 0, 0, seconds).minutes == minutes
