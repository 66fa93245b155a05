"""The results as one JSON document, for programs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from studyapp.analysis.results import BANDS, Effect, ItemResult, Pair, Results
from studyapp.base.environment import software
from studyapp.reporting.statistics import Comparison, Estimate

__all__ = ["as_json", "baseline"]


def baseline(models: list[str]) -> str:
    """What the random baseline is called among the curves."""
    return "random" if "random" not in models else "random baseline"


def as_json(results: Results) -> dict[str, Any]:
    """Everything, by names; what cannot be told is null."""
    curves = {model: results.mean_curves[model] for model in results.models}
    pairs = [_pair(pair) for pair in results.pairs]
    document = {
        "participants": len(results.participants),
        "models": results.models,
        "questions": results.questions,
        "targets": results.targets,
        "kinds": results.gathered.kinds,
        "include": list(results.gathered.include),
        "exclude": list(results.gathered.exclude),
        "curves": {model: each.mean for model, each in curves.items()}
        | {baseline(results.models): results.random},
        "ci95": {model: _interval(each) for model, each in curves.items()},
        "paired_t": [{name: row[name] for name in ("question", "t", "p")} for row in pairs[0]["by_question"]]
        if pairs
        else [],
        "pairs": pairs,
        "found": {
            model: {
                "by_question": found.by_question.mean,
                "share": found.share.mean,
                "share_ci95": _interval(found.share),
                "question": found.question.mean,
                "question_ci95": _interval(found.question),
            }
            for model, found in results.found.items()
        },
        "response_ms": {
            model: {"mean_of_medians": each.mean, "ci95": _interval(each)}
            for model, each in results.times.items()
        },
        "delay_ms": {model: {"mean_of_medians": each.mean} for model, each in results.delays.items()},
        "late_questions": results.late,
        "yes": {
            model: [
                {
                    "reward_from": least,
                    "reward_to": most,
                    "answers": results.yes_counts[model][b],
                    "yes": each.mean[b],
                    "ci95": [each.low[b], each.high[b]],
                    "naive_teacher": results.naive_yes[b],
                }
                for b, (least, most) in enumerate(BANDS)
            ]
            for model, each in results.yes.items()
        },
        "alpha": {
            participant: {"mean": alpha.mean, "ci95": [alpha.low, alpha.high]}
            for participant, alpha in results.alphas.items()
        },
        "first_minus_later": {model: _effect(effect) for model, effect in results.place.items()},
        "learning_a_target": {model: _effect(effect) for model, effect in results.learning.items()},
        "survey": [_item(each) for each in results.survey],
        "by_participant": {
            participant: {model: results.curves[model][i] for model in results.models}
            for i, participant in enumerate(results.participants)
        },
        "sessions": [
            {
                "log": each.path.name,
                "participant": each.participant,
                "kind": each.kind,
                "state": each.state,
                "included": each.included,
                "reason": each.reason,
            }
            for each in results.gathered.listed
        ],
        "software": software(),
    }
    plain: dict[str, Any] = _plain(document)
    return plain


def _pair(pair: Pair) -> dict[str, Any]:
    reward = pair.reward
    return {
        "models": pair.models,
        "participants": reward.participants,
        "by_question": [
            {"question": question, **_tested(reward, i)} for i, question in enumerate(pair.questions)
        ],
        "found_share": _tested(pair.found, 0),
        "found_question": _tested(pair.soon, 0),
    }


def _tested(tested: Comparison, i: int) -> dict[str, Any]:
    return {
        "mean_difference": tested.mean[i],
        "ci95": [tested.low[i], tested.high[i]],
        "t": tested.t[i],
        "p": tested.p[i],
        "p_corrected": tested.p_corrected[i],
        "p_wilcoxon": tested.p_wilcoxon[i],
        "d_z": tested.d_z[i],
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "mean": effect.estimate.mean,
        "ci95": _interval(effect.estimate),
        "t": effect.comparison.t[0],
        "p": effect.comparison.p[0],
    }


def _item(each: ItemResult) -> dict[str, Any]:
    return {
        "questionnaire": each.questionnaire,
        "item": each.item,
        "ask": each.ask,
        "kind": each.kind,
        "scale": each.scale if each.kind == "scale" else None,
        "mean": {group or "at the end": estimate.mean for group, estimate in each.by_model.items()},
        "ci95": {group or "at the end": _interval(estimate) for group, estimate in each.by_model.items()},
        "counts": {group or "at the end": counts for group, counts in each.counts.items()},
        "pairs": [
            {"models": models, **{name: _tested(tested, 0)[name] for name in ("mean_difference", "t", "p")}}
            for models, tested in each.pairs.items()
        ],
    }


def _interval(estimate: Estimate) -> Any:
    return np.stack([estimate.low, estimate.high], -1)


def _plain(value: Any) -> Any:
    """As JSON has it: no arrays, no NaN."""
    match value:
        case dict():
            return {str(name): _plain(inner) for name, inner in value.items()}
        case list() | tuple():
            return [_plain(inner) for inner in value]
        case np.ndarray() | np.generic():
            return _plain(value.tolist())
        case float():
            return value if math.isfinite(value) else None
    return value
