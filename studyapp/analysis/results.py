"""All results of an analysis, one per question that it answers."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.analysis.answers import AnswersBySimilarity, answers_by_similarity
from studyapp.analysis.comparisons import MARGIN, PairComparison, compare_models
from studyapp.analysis.finding import Finding, find_targets
from studyapp.analysis.gather import Gathered
from studyapp.analysis.order import Order, order_effects
from studyapp.analysis.planners import Fit, fit_teachers
from studyapp.analysis.questionnaires import ItemResult, questionnaire_results
from studyapp.analysis.rewards import Rewards, compare_rewards
from studyapp.analysis.sample import Pair, Sample
from studyapp.analysis.steering import Steering, find_steering
from studyapp.analysis.times import Times, response_times

__all__ = ["Results", "analyse"]


@dataclass(frozen=True)
class Results:
    gathered: Gathered
    sample: Sample
    rewards: Rewards
    finding: Finding
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
    rewards, finding = compare_rewards(sample), find_targets(sample)
    return Results(
        gathered=gathered,
        sample=sample,
        rewards=rewards,
        finding=finding,
        comparisons=compare_models(sample, rewards, finding, margin),
        answers=answers_by_similarity(sample),
        steering=find_steering(sample, fits),
        fits=fits,
        times=response_times(sample),
        order=order_effects(sample),
        questionnaires=questionnaire_results(sample),
    )
