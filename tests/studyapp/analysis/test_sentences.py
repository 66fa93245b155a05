"""The report's sentences about answers follow from the results."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from made_up import a_session, others_like, results_of, with_planners

from studyapp.analysis.answers import Steering, YesShare
from studyapp.analysis.report import about_similar_words, about_teachers
from studyapp.analysis.results import Results
from studyapp.analysis.teachers import Fit
from studyapp.reporting.statistics import Estimate, compare


@cache
def three() -> Results:
    with TemporaryDirectory() as folder:
        return with_planners(results_of(others_like(a_session(Path(folder)), 3)))


def share(yes: int, answers: int) -> YesShare:
    return YesShare(yes, answers, yes / answers if answers else np.nan, 0.0, 1.0, 0.25, 0.75)


def with_yes(first: list[int], again: list[int | None]) -> Results:
    """Three participants who said yes this often in 10 answers; None if they were not asked again."""
    names = three().sample.participants
    by_name = [
        {name: share(yes or 0, 0 if yes is None else 10) for name, yes in zip(names, column, strict=True)}
        for column in (first, again)
    ]
    columns = [np.array([[own.share] for own in shares.values()]) for shares in (by_name[1], by_name[0])]
    return replace(three(), steering=Steering(0.15, by_name[0], by_name[1], compare(*columns)))


@pytest.mark.parametrize(
    ("first", "again", "expected"),
    [
        ([9, 8, 9], [0, 1, 1], "Participants said yes less often when they were asked again, by 80.0 perc"),
        ([0, 1, 1], [9, 8, 9], "Participants said yes more often when they were asked again, by 80.0 perc"),
        ([5, 5, 5], [1, 9, 6], "is uncertain: the difference is 3.3 percentage points"),
        (
            [9, 9, 9],
            [1, 1, 1],
            "The difference is -80.0 percentage points for every participant with both, so",
        ),
        ([9, 8, 9], [0, 1, None], "; 2 participants with both kinds of questions)"),
    ],
)
def test_the_sentence_about_being_asked_again_follows_the_interval(
    first: list[int], again: list[int | None], expected: str
) -> None:
    assert expected in " ".join(about_similar_words(with_yes(first, again)))


def test_shares_are_means_over_participants_beside_those_of_both_teachers() -> None:
    text = " ".join(about_similar_words(with_yes([9, 8, 7], [0, 1, 2])))
    assert "(similarity of at least 0.15) got a yes in 80 % of answers when they were asked for the" in text
    assert "and in 10 % when they were asked again after a yes (means over participants)." in text
    assert "a naive teacher would say yes in 25 % and 25 % of answers, and the planning teacher" in text
    assert "(beta = 20) in 75 % and 75 %." in text


def test_where_nobody_was_asked_again_or_about_similar_words_nothing_is_said_about_it() -> None:
    (text,) = about_similar_words(with_yes([9, 8, 7], [None, None, None]))
    assert text.endswith("None that got a yes was asked again in its round.")
    nobody = {name: share(0, 0) for name in three().sample.participants}
    nothing = replace(three().steering, first=nobody, again=nobody)
    assert about_similar_words(replace(three(), steering=nothing)) == []


def fits(*gains: tuple[float, float]) -> dict[str, Fit]:
    """Fits with these intervals of the planning teacher's gain."""
    fit = next(iter(three().fits.values()))
    return {
        f"P{number}": replace(
            fit,
            alpha=replace(fit.alpha, mean=0.3),
            planning_minus_naive=Estimate(
                np.array((low + high) / 2), np.array(low), np.array(high), np.array(2)
            ),
        )
        for number, (low, high) in enumerate(gains)
    }


def test_the_sentence_about_teachers_counts_whom_each_fits_better() -> None:
    text = " ".join(about_teachers(replace(three(), fits=fits((0.1, 0.2), (-0.3, -0.1), (-0.5, -0.4)))))
    assert (
        "the planning teacher (beta = 20) fits better for 1 participant and worse for 2 participants" in text
    )
    assert "The posterior mean of alpha over participants is 0.30." in text
    assert "not the share that was planned" in text
    unclear = " ".join(about_teachers(replace(three(), fits=fits((-0.1, 0.2), (np.nan, np.nan)))))
    assert "fits neither clearly better nor clearly worse for 2 participants" in unclear
    assert about_teachers(replace(three(), fits={})) == []
