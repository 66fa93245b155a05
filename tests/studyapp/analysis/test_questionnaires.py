"""Results of questionnaires, compared with examples worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from made_up import a_session, others_like
from scipy import stats
from study_files import loaded, run, small

from studyapp.analysis.extract import Extract, Response, extract
from studyapp.analysis.questionnaires import ItemResult, questionnaire_results
from studyapp.analysis.sample import Sample
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


def results_of(session: Extract, *responses: list[Response]) -> list[ItemResult]:
    """The results of participants who gave these responses."""
    sessions = others_like(session, len(responses))
    return questionnaire_results(
        Sample([replace(one, responses=own) for one, own in zip(sessions, responses, strict=True)])
    )


def find(results: list[ItemResult], questionnaire: str, name: str, *, at_end: bool) -> ItemResult:
    (item,) = (
        item
        for item in results
        if (item.questionnaire, item.item) == (questionnaire, name)
        and ("" in (item.by_group or item.counts)) == at_end
    )
    return item


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
def test_the_sus_score_follows_brooke(session: Extract, answers: list[int], score: float) -> None:
    results = results_of(session, filled_in("sus", SUS, answers, None))
    item = find(results, "sus", "score", at_end=True)
    assert item.by_group[""].mean == pytest.approx(score)
    assert (item.kind, item.scale) == ("scale", (0, 100))


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
def test_the_raw_tlx_score_is_the_mean_of_the_six_scales(
    session: Extract, answers: list[int], score: float
) -> None:
    results = results_of(session, filled_in("nasa-tlx", TLX, answers, None))
    assert find(results, "nasa-tlx", "score", at_end=True).by_group[""].mean == pytest.approx(score)


def test_scores_after_rounds_are_computed_per_model_from_the_means_over_its_rounds(session: Extract) -> None:
    first = [
        *filled_in("nasa-tlx", TLX, [0] * 6, "plain"),
        *filled_in("nasa-tlx", TLX, [4] * 6, "plain"),  # mean 2 of 20
        *filled_in("nasa-tlx", TLX, [10] * 6, "both"),
        *filled_in("nasa-tlx", TLX, [20] * 6, "both"),  # 15
        *filled_in("nasa-tlx", TLX, [7] * 6, None),
    ]
    second = [
        *filled_in("nasa-tlx", TLX, [6] * 6, "plain"),
        *filled_in("nasa-tlx", TLX, [0, 2, 4, 8, 10, 12], "both"),  # 6
    ]
    results = results_of(session, first, second)
    after = find(results, "nasa-tlx", "score", at_end=False)
    assert {model: float(estimate.mean) for model, estimate in after.by_group.items()} == pytest.approx(
        {"plain": 20.0, "both": 52.5}  # (10 + 30) / 2, (75 + 30) / 2
    )
    compared = after.comparisons["both", "plain"]
    tested = stats.ttest_rel([75.0, 30.0], [10.0, 30.0])
    assert compared.mean.item() == pytest.approx(32.5)
    assert (compared.t.item(), compared.p.item()) == pytest.approx((tested.statistic, tested.pvalue))
    at_end = find(results, "nasa-tlx", "score", at_end=True)
    assert at_end.by_group[""].mean == pytest.approx(35.0)
    assert at_end.by_group[""].count == 1
    assert at_end.comparisons == {}


def test_a_participant_who_left_out_a_statement_has_no_score_and_the_others_have_one(
    session: Extract,
) -> None:
    whole = filled_in("sus", SUS, [4, 2, 5, 1, 3, 3, 4, 2, 5, 2], None)
    results = results_of(session, whole, whole[:-1], [], [*whole[:-1], Response("sus", SUS[-1], None, None)])
    score = find(results, "sus", "score", at_end=True).by_group[""]
    assert (score.mean, score.count) == (77.5, 1)
    first = find(results, "sus", SUS[0], at_end=True).by_group[""]
    assert (first.mean, first.count) == (4.0, 3)


def test_items_are_in_the_order_asked_with_the_score_before_its_items(session: Extract) -> None:
    items = results_of(session, [])
    assert [(item.questionnaire, item.item) for item in items] == [
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


def test_a_scale_gives_a_mean_per_model_over_participants(session: Extract) -> None:
    results = results_of(
        session,
        [*tired("plain", 0, 2), *tired("both", 3, 3)],  # 1 and 3
        [*tired("plain", 1, 2), *tired("both", 2, 3)],  # 1.5 and 2.5
        [*tired("plain", 0, 1), *tired("both", 2, 2)],  # 0.5 and 2
    )
    item = find(results, "mood", "tired", at_end=False)
    assert (item.ask, item.kind, item.scale) == ("Tired?", "scale", (0, 3))
    plain, both = item.by_group["plain"], item.by_group["both"]
    assert (plain.mean, both.mean) == (1.0, 2.5)
    low, high = stats.t.interval(0.95, 2, loc=1.0, scale=stats.sem([1.0, 1.5, 0.5]))
    assert (plain.low, plain.high) == pytest.approx((low, high))
    compared = item.comparisons["both", "plain"]
    assert list(item.comparisons) == [("both", "plain")]
    assert compared.mean.item() == pytest.approx(1.5)
    tested = stats.ttest_rel([3.0, 2.5, 2.0], [1.0, 1.5, 0.5])
    assert (compared.t.item(), compared.p.item()) == pytest.approx((tested.statistic, tested.pvalue))


def test_a_participant_who_was_asked_with_one_model_counts_in_its_mean_but_not_in_the_comparison(
    session: Extract,
) -> None:
    results = results_of(
        session, [*tired("plain", 1), *tired("both", 3)], tired("plain", 2), tired("both", 0)
    )
    item = find(results, "mood", "tired", at_end=False)
    assert {
        model: (float(estimate.mean), int(estimate.count)) for model, estimate in item.by_group.items()
    } == {
        "plain": (1.5, 2),
        "both": (1.5, 2),
    }
    assert item.comparisons["both", "plain"].participants == 1
    assert item.comparisons["both", "plain"].mean.item() == 2.0


def test_choices_are_counted_per_model_including_choices_that_nobody_made(session: Extract) -> None:
    results = results_of(
        session,
        [
            *(Response("way", "how", "plain", way) for way in ("fast", "fast")),
            *(Response("way", "how", "both", way) for way in ("slow", "fast")),
            Response("you", "side", None, "left"),
        ],
        [Response("way", "how", "plain", "slow"), Response("you", "side", None, "left")],
        [Response("you", "side", None, "none")],
    )
    how = find(results, "way", "how", at_end=False)
    assert how.kind == "choice"
    assert how.counts == {"plain": {"fast": 2, "slow": 1}, "both": {"fast": 1, "slow": 1}}
    assert (how.by_group, how.comparisons) == ({}, {})
    side = find(results, "you", "side", at_end=True)
    assert side.counts == {"": {"left": 2, "right": 0, "none": 1}}


def test_texts_are_listed_with_their_participant_and_empty_ones_are_left_out(
    session: Extract,
) -> None:
    results = results_of(
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
    by_name = {(item.questionnaire, item.item): item for item in results if item.kind == "text"}
    assert by_name["you", "remarks"].texts == [("P001", "<b>Nice</b>"), ("P003", "no")]
    assert sorted(by_name["way", "why"].texts) == [("P001", "because"), ("P001", "just so")]


def test_results_match_the_responses_in_the_logs_of_simulated_participants(tmp_path: Path) -> None:
    study = loaded(tmp_path, small(after_round=["mood", "nasa-tlx"], at_end=["you", "sus"]))
    sessions, sus, moods = [], [], []
    for participant in ("P1", "P2", "P3"):
        events = [
            event for event in run(study, tmp_path / "logs", participant) if isinstance(event, Responded)
        ]
        session = extract(tmp_path / "logs" / f"{participant}.yaml", tmp_path / "words.txt")
        assert isinstance(session, Extract)
        sessions.append(session)
        values = [int(event.value or 0) for event in events if event.questionnaire == "sus"]
        sus.append(2.5 * (sum(values[0::2]) - 5 + 25 - sum(values[1::2])))
        models = {round_.round: round_.model for round_ in session.plan}
        tired = [event for event in events if event.item == "tired" and models[event.after or 0] == "both"]
        moods.append(np.mean([int(event.value or 0) for event in tired]))
    results = questionnaire_results(Sample(sessions))
    assert find(results, "sus", "score", at_end=True).by_group[""].mean == pytest.approx(np.mean(sus))
    assert find(results, "mood", "tired", at_end=False).by_group["both"].mean == pytest.approx(np.mean(moods))
