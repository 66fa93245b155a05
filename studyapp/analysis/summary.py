"""The results as one JSON document, summary.json.  Its keys are public interface."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from studyapp.analysis.answers import BANDS, Answers, AnswersBySimilarity
from studyapp.analysis.comparisons import Outcome, PairComparison
from studyapp.analysis.decisions import conduct_as_json
from studyapp.analysis.finding import Found
from studyapp.analysis.gather import Gathered
from studyapp.analysis.main_result import main_result
from studyapp.analysis.planners import Fit
from studyapp.analysis.questionnaires import ItemResult
from studyapp.analysis.results import Results
from studyapp.analysis.rewards import Rewards
from studyapp.analysis.sample import Pair
from studyapp.analysis.steering import Steering, YesShare
from studyapp.base.environment import software
from studyapp.reporting.paired import Test
from studyapp.reporting.statistics import Comparison, Estimate

__all__ = ["as_json", "baseline", "plain", "sessions_as_json"]


# What a blind analysis leaves out: teachers are what models differ in.
OF_TEACHERS = ("alpha", "log_likelihood", "naive_teacher", "planning_teacher")


def baseline(models: list[str]) -> str:
    """The name of the random baseline among the curves."""
    return "random" if "random" not in models else "random baseline"


def as_json(results: Results) -> dict[str, Any]:
    """Every number by name; unknown values are null."""
    sample, rewards, gathered = results.sample, results.rewards, results.gathered
    pairs = [_pair(pair, rewards) for pair in sample.pairs]
    main = main_result(results)
    document = {
        "participants": len(sample.participants),
        "models": sample.models,
        "questions": sample.questions,
        "targets": sample.targets,
        "kinds": gathered.kinds,
        "include": list(gathered.include),
        "exclude": list(gathered.exclude),
        "curves": {model: estimate.mean for model, estimate in rewards.means.items()}
        | {baseline(sample.models): rewards.random},
        "ci95": {model: _interval(estimate) for model, estimate in rewards.means.items()},
        "paired_t": [{name: row[name] for name in ("question", "t", "p")} for row in pairs[0]["by_question"]]
        if pairs
        else [],
        "main_result": {"finding": main.finding, "reward": main.reward, "cautions": main.cautions},
        "comparisons": [_comparison(comparison) for comparison in results.comparisons.values()],
        "pairs": pairs,
        "found": {model: _found(found) for model, found in results.finding.found.items()},
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
        "first_minus_later": {model: _test(effect) for model, effect in results.order.first.items()},
        "learning_a_target": {model: _test(effect) for model, effect in results.order.learning.items()},
        "survey": [_item(item) for item in results.questionnaires],
        "by_participant": {
            participant: {model: curves[i] for model, curves in rewards.curves.items()}
            for i, participant in enumerate(sample.participants)
        },
        "sessions": sessions_as_json(gathered),
        "conduct": conduct_as_json(gathered),
        "registered": gathered.registered and gathered.registered.as_json(),
        "software": software(),
    }
    whole: dict[str, Any] = plain(document)
    return _without(whole, OF_TEACHERS) if gathered.blind else whole


def _without(value: Any, names: Collection[str]) -> Any:
    """The value without what has these names, at any depth."""
    match value:
        case dict():
            return {name: _without(inner, names) for name, inner in value.items() if name not in names}
        case list():
            return [_without(inner, names) for inner in value]
    return value


def sessions_as_json(gathered: Gathered) -> list[dict[str, Any]]:
    """Every log, and whether it is included."""
    return [
        {
            "log": log.name,
            "participant": log.participant,
            "kind": log.kind,
            "state": log.state,
            "included": log.included,
            "reason": log.reason,
        }
        for log in gathered.logs
    ]


def _comparison(comparison: PairComparison) -> dict[str, Any]:
    crossed, equivalence, left_out = comparison.crossed, comparison.equivalence, comparison.leave_one_out
    return {
        "models": comparison.pair,
        "question": comparison.question,
        "participants": comparison.reward.test.count,
        **_outcome(comparison.reward),
        "d_z": comparison.d_z,
        "d_z_ci95": [comparison.d_z_low, comparison.d_z_high],
        "by_target": _test(comparison.by_target) | {"targets": comparison.by_target.count},
        "crossed": {
            "difference": crossed.difference,
            "ci95": [crossed.low, crossed.high],
            "se": crossed.se,
            "t": crossed.t,
            "df": crossed.df,
            "p": crossed.p,
            "random_slopes": crossed.random_slopes,
            "slope_variances": crossed.slope_variances,
            "residual_variance": crossed.residual_variance,
            "note": crossed.note,
        },
        "bayes_factor": comparison.bayes_factor,
        "equivalence": {
            "margin": equivalence.margin,
            "p": equivalence.p,
            "ci90": [equivalence.low, equivalence.high],
            "equivalent": equivalence.equivalent if math.isfinite(equivalence.p) else None,
        },
        "leave_one_out": left_out and vars(left_out),
        "found": {**comparison.found.means, **_outcome(comparison.found)},
        "time_to_find": {
            **comparison.time.means,
            **_outcome(comparison.time),
            "restricted_to": comparison.question,
        },
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    tests = {"p_holm": outcome.p_holm, "p_sign_flip": outcome.p_sign_flip}
    return {"means": outcome.means, **_test(outcome.test), **tests}


def _test(test: Test) -> dict[str, Any]:
    return {
        "difference": test.difference,
        "ci95": [test.low, test.high],
        "t": test.t,
        "df": test.df,
        "p": test.p,
        "note": f"cannot be computed: {test.reason}" if test.reason else "",
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
        "found": found.rounds_found,
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
    difference = _tests(steering.difference)
    return {
        "reward_from": steering.least_reward,
        "by_participant": {
            participant: {
                "first": _yes_share(steering.first[participant]),
                "again": _yes_share(steering.again[participant]),
            }
            for participant in steering.first
        },
        "again_minus_first": {"participants": steering.difference.participants}
        | {name: difference[name] for name in ("mean_difference", "ci95", "t", "p", "d_z")},
    }


def _yes_share(share: YesShare) -> dict[str, Any]:
    return {
        "yes": share.yes,
        "answers": share.answers,
        "share": share.share,
        "ci95": [share.low, share.high],
        "naive_teacher": share.naive,
        "planning_teacher": share.planning,
    }


def _fit(fit: Fit) -> dict[str, Any]:
    return {
        "naive": fit.naive,
        "planning": fit.planning,
        "mixture": fit.mixture,
        "best_alpha": fit.alpha.best,
        "planning_minus_naive": {"mean": fit.planning_gain.mean, "ci95": _interval(fit.planning_gain)},
        "mixture_minus_naive": {"mean": fit.mixture_gain.mean, "ci95": _interval(fit.mixture_gain)},
    }


def _item(item: ItemResult) -> dict[str, Any]:
    return {
        "questionnaire": item.questionnaire,
        "item": item.item,
        "ask": item.ask,
        "kind": item.kind,
        "scale": item.scale if item.kind == "scale" else None,
        "mean": {group or "at the end": estimate.mean for group, estimate in item.by_group.items()},
        "ci95": {group or "at the end": _interval(estimate) for group, estimate in item.by_group.items()},
        "counts": {group or "at the end": counts for group, counts in item.counts.items()},
        "pairs": [
            {"models": pair, **{name: _tests(comparison)[name] for name in ("mean_difference", "t", "p")}}
            for pair, comparison in item.comparisons.items()
        ],
    }


def _interval(estimate: Estimate) -> Any:
    return np.stack([estimate.low, estimate.high], -1)


def plain(value: Any) -> Any:
    """The value as JSON knows it: lists instead of arrays, null instead of NaN."""
    match value:
        case dict():
            return {str(name): plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
        case np.ndarray() | np.generic():
            return plain(value.tolist())
        case float():
            return value if math.isfinite(value) else None
    return value
