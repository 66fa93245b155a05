"""All results of an analysis, one per question that it answers."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.analysis.answers import AnswersBySimilarity, Steering, answers_by_similarity, find_steering
from studyapp.analysis.comparisons import MARGIN, PairComparison, compare_models
from studyapp.analysis.curves import Found, Rewards, compare_rewards, find_targets
from studyapp.analysis.gather import Gathered
from studyapp.analysis.order import Order, order_effects
from studyapp.analysis.quality import Times, response_times
from studyapp.analysis.questionnaires import ItemResult, questionnaire_results
from studyapp.analysis.sample import Pair, Sample
from studyapp.analysis.teachers import Fit, fit_teachers


@dataclass(frozen=True)
class Results:
    gathered: Gathered
    sample: Sample
    rewards: Rewards
    found: dict[str, Found]  # by model
    comparisons: dict[Pair, PairComparison]
    answers: AnswersBySimilarity
    steering: Steering
    fits: dict[str, Fit]  # by participant
    times: Times
    order: Order
    questionnaires: list[ItemResult]


def analyse(gathered: Gathered, margin: float = MARGIN) -> Results:
    """Compute all results.

    Rewards that differ by less than the margin are as good as the same.  In a blind analysis, nobody is
    compared with a planning teacher: it is that of a model.
    """
    sample = Sample(gathered.sessions)
    fits = {} if gathered.blind else fit_teachers(sample)
    return Results(
        gathered=gathered,
        sample=sample,
        rewards=compare_rewards(sample),
        found=find_targets(sample),
        comparisons=compare_models(sample, margin),
        answers=answers_by_similarity(sample),
        steering=find_steering(sample, fits),
        fits=fits,
        times=response_times(sample),
        order=order_effects(sample),
        questionnaires=questionnaire_results(sample),
    )
