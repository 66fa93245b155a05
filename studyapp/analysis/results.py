"""All results of an analysis, one per question that it answers."""

from __future__ import annotations

from dataclasses import dataclass

from studyapp.analysis.answers import Answers, answers_by_similarity
from studyapp.analysis.finding import Finding, compare_finding
from studyapp.analysis.gather import Gathered
from studyapp.analysis.order import Order, order_effects
from studyapp.analysis.planners import Alpha, find_alphas
from studyapp.analysis.questionnaires import ItemResult, questionnaire_results
from studyapp.analysis.rewards import Rewards, compare_rewards
from studyapp.analysis.sample import Sample
from studyapp.analysis.times import Times, response_times

__all__ = ["Results", "analyse"]


@dataclass(frozen=True)
class Results:
    gathered: Gathered
    sample: Sample
    rewards: Rewards
    finding: Finding
    answers: Answers
    alphas: dict[str, Alpha]  # by participant
    times: Times
    order: Order
    questionnaires: list[ItemResult]


def analyse(gathered: Gathered, planners: int) -> Results:
    """Compute all results; alpha is estimated for at most this number of participants."""
    sample = Sample(gathered.sessions)
    return Results(
        gathered=gathered,
        sample=sample,
        rewards=compare_rewards(sample),
        finding=compare_finding(sample),
        answers=answers_by_similarity(sample),
        alphas=find_alphas(sample, planners),
        times=response_times(sample),
        order=order_effects(sample),
        questionnaires=questionnaire_results(sample),
    )
