"""The results as one JSON document, summary.json.  Its keys are public interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from studyapp.analysis.answers import BANDS, Answers, AnswersBySimilarity, Steering
from studyapp.analysis.comparisons import Compared, PairComparison
from studyapp.analysis.curves import Found, Rewards
from studyapp.analysis.gather import Gathered
from studyapp.analysis.main_result import main_result
from studyapp.analysis.notes import conduct_as_json
from studyapp.analysis.questionnaires import ItemResult
from studyapp.analysis.results import Results
from studyapp.analysis.sample import Pair
from studyapp.analysis.teachers import Fit
from studyapp.base.environment import software
from studyapp.base.outputs import plain
from studyapp.reporting.statistics import Comparison, Estimate

# What a blind analysis leaves out: teachers are what models differ in.
OF_TEACHERS = ("alpha", "log_likelihood", "naive_teacher", "planning_teacher")


def baseline(models: list[str]) -> str:
    """The name of the random baseline among the curves."""
    return "random" if "random" not in models else "random baseline"


def as_json(results: Results) -> dict[str, Any]:
    """Every number by name; unknown values are null."""
    sample, rewards = results.sample, results.rewards
    pairs = [_pair(pair, rewards) for pair in sample.pairs]
    document: dict[str, Any] = plain(
        {
            **about_sample(results.gathered, len(sample.participants), sample.models, sample.questions),
            "targets": sample.targets,
            "curves": {model: estimate.mean for model, estimate in rewards.means.items()}
            | {baseline(sample.models): rewards.random},
            "ci95": {model: _interval(estimate) for model, estimate in rewards.means.items()},
            "paired_t": [
                {name: row[name] for name in ("question", "t", "p")} for row in pairs[0]["by_question"]
            ]
            if pairs
            else [],
            "main_result": main_result(results),
            "comparisons": [_comparison(comparison) for comparison in results.comparisons.values()],
            "pairs": pairs,
            "found": {model: _found(found) for model, found in results.found.items()},
            "response_ms": {
                model: {"mean_of_medians": estimate.mean, "ci95": _interval(estimate)}
                for model, estimate in results.times.answer.items()
            },
            "late_questions": results.times.late,
            "yes": {model: _bands(results.answers, model) for model in sample.models},
            "similar_words": _steering(results.steering),
            "alpha": {
                participant: {"mean": fit.alpha.mean, "ci95": [fit.alpha.low, fit.alpha.high]}
                for participant, fit in results.fits.items()
            },
            "log_likelihood": {participant: _fit(fit) for participant, fit in results.fits.items()},
            "first_minus_later": results.order.first,
            "learning_a_target": results.order.learning,
            "survey": [_item(item) for item in results.questionnaires],
            "by_participant": {
                participant: {model: curves[i] for model, curves in rewards.curves.items()}
                for i, participant in enumerate(sample.participants)
            },
        }
    )
    if results.gathered.blind:
        return {name: _without(value) for name, value in document.items() if name not in OF_TEACHERS}
    return document


def about_sample(gathered: Gathered, participants: int, models: list[str], questions: int) -> dict[str, Any]:
    """The sessions of an analysis, and how the study went, without any result."""
    logs = ("name", "participant", "kind", "state", "included", "reason")
    return {
        "participants": participants,
        "models": models,
        "questions": questions,
        "kinds": gathered.kinds,
        "include": gathered.include,
        "exclude": gathered.exclude,
        "sessions": [
            {"log" if name == "name" else name: getattr(log, name) for name in logs} for log in gathered.logs
        ],
        "conduct": conduct_as_json(gathered),
        "registered": gathered.registered,
        "software": software(),
    }


def _without(value: Any) -> Any:
    """The value without what tells of teachers, at any depth."""
    match value:
        case dict():
            return {name: _without(inner) for name, inner in value.items() if name not in OF_TEACHERS}
        case list():
            return [_without(inner) for inner in value]
    return value


def _comparison(comparison: PairComparison) -> dict[str, Any]:
    found, time = comparison.found, comparison.time
    return {
        "models": comparison.pair,
        "question": comparison.question,
        "participants": comparison.reward.test.count,
        **_compared(comparison.reward),
        "equivalence": comparison.equivalence,
        "found": {**found.means, **_compared(found)},
        "time_to_find": {**time.means, **_compared(time), "restricted_to": comparison.question},
    }


def _compared(own: Compared) -> dict[str, Any]:
    names = ("p_holm", "p_sign_flip", "d_z", "crossed", "bayes_factor", "leave_one_out")
    return {
        "means": own.means,
        **own.test.as_json(),
        **{name: getattr(own, name) for name in names},
        "d_z_ci95": [own.d_z_low, own.d_z_high],
        "by_target": own.by_target.as_json() | {"targets": own.by_target.count},
    }


def _pair(pair: Pair, rewards: Rewards) -> dict[str, Any]:
    comparison = rewards.comparisons[pair]
    return {
        "models": pair,
        "participants": comparison.participants,
        "by_question": [
            {"question": question, **_tests(comparison, i)}
            for i, question in enumerate(rewards.compared_questions)
        ],
    }


def _tests(comparison: Comparison, i: int = 0) -> dict[str, Any]:
    return {
        "mean_difference": comparison.mean[i],
        "ci95": [comparison.low[i], comparison.high[i]],
        "t": comparison.t[i],
        "p": comparison.p[i],
        "p_corrected": comparison.p_corrected[i],
        "d_z": comparison.d_z[i],
    }


def _found(found: Found) -> dict[str, Any]:
    return {
        "rounds": found.rounds,
        "found": found.found,
        "share": found.share.mean,
        "share_ci95": _interval(found.share),
        "by_question": found.by_question.mean,
        "by_question_ci95": _interval(found.by_question),
        "restricted_mean": found.question.mean,
        "restricted_mean_ci95": _interval(found.question),
    }


def _bands(answers: AnswersBySimilarity, model: str) -> list[dict[str, Any]]:
    return [
        {
            "reward_from": low,
            "reward_to": high,
            **_band(answers.all, model, band),
            "first": _band(answers.first, model, band),
            "again": _band(answers.again, model, band),
        }
        for band, (low, high) in enumerate(BANDS)
    ]


def _band(answers: Answers, model: str, band: int) -> dict[str, Any]:
    yes = answers.yes[model]
    return {
        "answers": answers.counts[model][band],
        "yes": yes.mean[band],
        "ci95": [yes.low[band], yes.high[band]],
        "naive_teacher": answers.naive[band],
    }


def _steering(steering: Steering) -> dict[str, Any]:
    tests = _tests(steering.difference)
    del tests["p_corrected"]
    return {
        "reward_from": steering.least_reward,
        "by_participant": {
            participant: {"first": first, "again": steering.again[participant]}
            for participant, first in steering.first.items()
        },
        "again_minus_first": {"participants": steering.difference.participants, **tests},
    }


def _fit(fit: Fit) -> dict[str, Any]:
    names = ("naive", "planning", "mixture", "planning_minus_naive", "mixture_minus_naive")
    return {"best_alpha": fit.alpha.best, **{name: getattr(fit, name) for name in names}}


def _item(item: ItemResult) -> dict[str, Any]:
    def by_group(values: dict[str, Any]) -> dict[str, Any]:
        return {group or "at the end": value for group, value in values.items()}

    return {
        "questionnaire": item.questionnaire,
        "item": item.item,
        "ask": item.ask,
        "kind": item.kind,
        "scale": item.scale if item.kind == "scale" else None,
        "mean": by_group({group: estimate.mean for group, estimate in item.by_group.items()}),
        "ci95": by_group({group: _interval(estimate) for group, estimate in item.by_group.items()}),
        "counts": by_group(item.counts),
        "pairs": [
            {"models": pair, **{name: _tests(comparison)[name] for name in ("mean_difference", "t", "p")}}
            for pair, comparison in item.comparisons.items()
        ],
    }


def _interval(estimate: Estimate) -> Any:
    return np.stack([estimate.low, estimate.high], -1)
