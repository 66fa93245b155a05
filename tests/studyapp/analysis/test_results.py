"""Questionnaires in the results, against examples that were worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import a_session, others_like, results_of
from scipy import stats
from study_files import loaded, run, small

from studyapp.analysis.extract import Extract, Response, extract
from studyapp.analysis.results import ItemResult, Results
from studyapp.session.events import Responded
from studyapp.study.questionnaires import READY_MADE

SUS = [item.id for item in READY_MADE["sus"].items]
TLX = [item.id for item in READY_MADE["nasa-tlx"].items]

OWN = {
    "mood": [{"id": "tired", "kind": "scale", "ask": "Tired?", "least": 0, "most": 3}],
    "way": [
        {"id": "how", "kind": "choice", "ask": "How?", "choices": ["fast", "slow"]},
        {"id": "why", "kind": "text", "ask": "Why?", "optional": True},
    ],
    "you": [
        {"id": "side", "kind": "choice", "ask": "Which?", "choices": ["left", "right", "none"]},
        {"id": "remarks", "kind": "text", "ask": "Anything?", "optional": True},
    ],
}
ASKED = {"after_round": ["mood", "way", "nasa-tlx", "sus"], "at_end": ["you", "nasa-tlx", "sus"]}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Extract:
    return a_session(tmp_path_factory.mktemp("session"), questionnaires=OWN, **ASKED)


def found(session: Extract, *given: list[Response]) -> Results:
    """The results of as many participants, who gave these responses."""
    people = others_like(session, len(given))
    return results_of([replace(each, responses=own) for each, own in zip(people, given, strict=True)])


def item(results: Results, questionnaire: str, name: str, *, at_end: bool) -> ItemResult:
    (one,) = (
        each
        for each in results.survey
        if (each.questionnaire, each.item) == (questionnaire, name)
        and ("" in (each.by_model or each.counts)) == at_end
    )
    return one


def filled_in(questionnaire: str, ids: list[str], values: list[int], model: str | None) -> list[Response]:
    return [Response(questionnaire, id, model, value) for id, value in zip(ids, values, strict=True)]


# Scores


@pytest.mark.parametrize(
    ("answers", "score"),
    [
        ([5, 1, 5, 1, 5, 1, 5, 1, 5, 1], 100.0),
        ([1, 5, 1, 5, 1, 5, 1, 5, 1, 5], 0.0),
        ([3] * 10, 50.0),
        ([5] * 10, 50.0),
        ([4, 2, 5, 1, 3, 3, 4, 2, 5, 2], 77.5),  # 2.5 (3 + 4 + 2 + 3 + 4 + 3 + 4 + 2 + 3 + 3)
        ([2, 1, 1, 1, 1, 1, 1, 1, 1, 1], 52.5),
    ],
)
def test_the_sus_score_is_that_of_brooke(session: Extract, answers: list[int], score: float) -> None:
    results = found(session, filled_in("sus", SUS, answers, None))
    one = item(results, "sus", "score", at_end=True)
    assert one.by_model[""].mean == pytest.approx(score)
    assert (one.kind, one.scale) == ("scale", (0, 100))


@pytest.mark.parametrize(
    ("answers", "score"),
    [
        ([0] * 6, 0.0),
        ([20] * 6, 100.0),
        ([10, 0, 5, 20, 15, 10], 50.0),  # 60 of 120
        ([1, 0, 0, 0, 0, 0], 5 / 6),
        ([0, 0, 0, 20, 0, 0], 100 / 6),  # performance counts from perfect to failure, like the others
    ],
)
def test_the_raw_tlx_is_the_mean_of_the_six_scales(
    session: Extract, answers: list[int], score: float
) -> None:
    results = found(session, filled_in("nasa-tlx", TLX, answers, None))
    assert item(results, "nasa-tlx", "score", at_end=True).by_model[""].mean == pytest.approx(score)


def test_scores_after_rounds_are_of_each_model_and_of_the_means_of_its_rounds(session: Extract) -> None:
    first = [
        *filled_in("nasa-tlx", TLX, [0] * 6, "plain"),
        *filled_in("nasa-tlx", TLX, [4] * 6, "plain"),  # on the mean 2 of 20
        *filled_in("nasa-tlx", TLX, [10] * 6, "both"),
        *filled_in("nasa-tlx", TLX, [20] * 6, "both"),  # 15
        *filled_in("nasa-tlx", TLX, [7] * 6, None),
    ]
    second = [
        *filled_in("nasa-tlx", TLX, [6] * 6, "plain"),
        *filled_in("nasa-tlx", TLX, [0, 2, 4, 8, 10, 12], "both"),  # 6
    ]
    results = found(session, first, second)
    after = item(results, "nasa-tlx", "score", at_end=False)
    assert {model: float(each.mean) for model, each in after.by_model.items()} == pytest.approx(
        {"plain": 20.0, "both": 52.5}  # (10 + 30) / 2, (75 + 30) / 2
    )
    compared = after.pairs["both", "plain"]
    tested = stats.ttest_rel([75.0, 30.0], [10.0, 30.0])
    assert compared.mean.item() == pytest.approx(32.5)
    assert (compared.t.item(), compared.p.item()) == pytest.approx((tested.statistic, tested.pvalue))
    at_end = item(results, "nasa-tlx", "score", at_end=True)
    assert at_end.by_model[""].mean == pytest.approx(35.0)
    assert at_end.by_model[""].count == 1
    assert at_end.pairs == {}


def test_who_left_out_a_statement_has_no_score_and_the_others_have_theirs(session: Extract) -> None:
    whole = filled_in("sus", SUS, [4, 2, 5, 1, 3, 3, 4, 2, 5, 2], None)
    results = found(session, whole, whole[:-1], [], [*whole[:-1], Response("sus", SUS[-1], None, None)])
    score = item(results, "sus", "score", at_end=True).by_model[""]
    assert (score.mean, score.count) == (77.5, 1)
    first = item(results, "sus", SUS[0], at_end=True).by_model[""]
    assert (first.mean, first.count) == (4.0, 3)


def test_a_score_stands_before_its_items_in_the_order_asked(session: Extract) -> None:
    survey = found(session, []).survey
    assert [(each.questionnaire, each.item) for each in survey] == [
        ("mood", "tired"),
        *(("way", name) for name in ("how", "why")),
        *(("nasa-tlx", name) for name in ("score", *TLX)),
        *(("sus", name) for name in ("score", *SUS)),
        *(("you", name) for name in ("side", "remarks")),
        *(("nasa-tlx", name) for name in ("score", *TLX)),
        *(("sus", name) for name in ("score", *SUS)),
    ]


# Scales, choices and texts


def tired(model: str, *values: int) -> list[Response]:
    return [Response("mood", "tired", model, value) for value in values]


def test_scales_are_means_by_model_over_participants(session: Extract) -> None:
    results = found(
        session,
        [*tired("plain", 0, 2), *tired("both", 3, 3)],  # 1 and 3
        [*tired("plain", 1, 2), *tired("both", 2, 3)],  # 1.5 and 2.5
        [*tired("plain", 0, 1), *tired("both", 2, 2)],  # 0.5 and 2
    )
    one = item(results, "mood", "tired", at_end=False)
    assert (one.ask, one.kind, one.scale) == ("Tired?", "scale", (0, 3))
    plain, both = one.by_model["plain"], one.by_model["both"]
    assert (plain.mean, both.mean) == (1.0, 2.5)
    low, high = stats.t.interval(0.95, 2, loc=1.0, scale=stats.sem([1.0, 1.5, 0.5]))
    assert (plain.low, plain.high) == pytest.approx((low, high))
    compared = one.pairs["both", "plain"]
    assert list(one.pairs) == [("both", "plain")]
    assert compared.mean.item() == pytest.approx(1.5)
    tested = stats.ttest_rel([3.0, 2.5, 2.0], [1.0, 1.5, 0.5])
    assert (compared.t.item(), compared.p.item()) == pytest.approx((tested.statistic, tested.pvalue))


def test_who_was_asked_with_one_model_only_counts_there_and_in_no_comparison(session: Extract) -> None:
    results = found(session, [*tired("plain", 1), *tired("both", 3)], tired("plain", 2), tired("both", 0))
    one = item(results, "mood", "tired", at_end=False)
    assert {model: (float(each.mean), int(each.count)) for model, each in one.by_model.items()} == {
        "plain": (1.5, 2),
        "both": (1.5, 2),
    }
    assert one.pairs["both", "plain"].participants == 1
    assert one.pairs["both", "plain"].mean.item() == 2.0


def test_choices_are_counted_by_model_and_those_that_nobody_made_are_0(session: Extract) -> None:
    results = found(
        session,
        [
            *(Response("way", "how", "plain", way) for way in ("fast", "fast")),
            *(Response("way", "how", "both", way) for way in ("slow", "fast")),
            Response("you", "side", None, "left"),
        ],
        [Response("way", "how", "plain", "slow"), Response("you", "side", None, "left")],
        [Response("you", "side", None, "none")],
    )
    how = item(results, "way", "how", at_end=False)
    assert how.kind == "choice"
    assert how.counts == {"plain": {"fast": 2, "slow": 1}, "both": {"fast": 1, "slow": 1}}
    assert (how.by_model, how.pairs) == ({}, {})
    side = item(results, "you", "side", at_end=True)
    assert side.counts == {"": {"left": 2, "right": 0, "none": 1}}


def test_what_was_written_is_listed_with_who_wrote_it_and_what_was_left_empty_is_not(
    session: Extract,
) -> None:
    results = found(
        session,
        [
            Response("you", "remarks", None, "<b>Nice</b>"),
            Response("way", "why", "plain", "because"),
            Response("way", "why", "both", "just so"),
            Response("way", "why", "both", None),
        ],
        [Response("you", "remarks", None, None)],
        [Response("you", "remarks", None, "no")],
    )
    by_name = {(each.questionnaire, each.item): each for each in results.survey if each.kind == "text"}
    assert by_name["you", "remarks"].texts == [("P001", "<b>Nice</b>"), ("P003", "no")]
    assert sorted(by_name["way", "why"].texts) == [("P001", "because"), ("P001", "just so")]


def test_what_simulated_participants_answered_is_what_is_in_their_logs(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(after_round=["mood", "nasa-tlx"], at_end=["you", "sus"]))
    sessions, sus, moods = [], [], []
    for participant in ("P1", "P2", "P3"):
        events = [each for each in run(study, tmp_path / "logs", participant) if isinstance(each, Responded)]
        session = extract(tmp_path / "logs" / f"{participant}.yaml", tmp_path / "words.txt")
        assert isinstance(session, Extract)
        sessions.append(session)
        values = [int(each.value or 0) for each in events if each.questionnaire == "sus"]
        sus.append(2.5 * (sum(values[0::2]) - 5 + 25 - sum(values[1::2])))
        rounds = {played.round: played.model for played in session.plan}
        answered = [each for each in events if each.item == "tired" and rounds[each.after or 0] == "both"]
        moods.append(np.mean([int(each.value or 0) for each in answered]))
    results = results_of(sessions)
    assert item(results, "sus", "score", at_end=True).by_model[""].mean == pytest.approx(np.mean(sus))
    assert item(results, "mood", "tired", at_end=False).by_model["both"].mean == pytest.approx(np.mean(moods))
