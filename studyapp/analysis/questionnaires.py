"""What did people answer in the questionnaires?"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from studyapp.analysis.sample import Pair, Sample
from studyapp.reporting.statistics import Array, Comparison, Estimate, compare, mean_ci
from studyapp.study.items import Categories, Item, Numbers
from studyapp.study.questionnaires import Score

AT_END = ""  # the group of items that are asked at the end, rather than after rounds with a model

# By group (a model or AT_END), the values that every participant gave, in the order of the sessions.
Values = dict[str, list[list[str | int]]]


@dataclass(frozen=True)
class ItemResult:
    """Answers to one item of a questionnaire, or the score of a whole questionnaire."""

    questionnaire: str
    item: str  # its ID, or "score"
    ask: str
    kind: str  # "scale", "choice" or "text"
    scale: tuple[float, float] = (0.0, 1.0)  # the lowest and the highest value
    by_group: dict[str, Estimate] = field(default_factory=dict)  # of a scale
    comparisons: dict[Pair, Comparison] = field(default_factory=dict)  # of a scale
    counts: dict[str, dict[str, int]] = field(default_factory=dict)  # of a choice, by group and category
    texts: list[tuple[str, str]] = field(default_factory=list)  # (participant, text)


def questionnaire_results(sample: Sample) -> list[ItemResult]:
    """Results in the order in which items are asked; a score comes before its items."""
    study = sample.loaded.study
    results = []
    for names, groups in ((study.after_round, sample.models), (study.at_end, [AT_END])):
        for name in names:
            questionnaire = study.questionnaire(name)
            values = {item.id: _values(sample, name, item.id, groups) for item in questionnaire.items}
            if questionnaire.score:
                results.append(_score_result(name, questionnaire.score, list(values.values()), groups))
            results += [_item_result(sample, name, item, values[item.id]) for item in questionnaire.items]
    return results


def _values(sample: Sample, questionnaire: str, item: str, groups: list[str]) -> Values:
    return {
        group: [
            [
                response.value
                for response in session.responses
                if (response.questionnaire, response.item) == (questionnaire, item)
                and (response.model or AT_END) == group
                and response.value is not None
            ]
            for session in sample.sessions
        ]
        for group in groups
    }


def _item_result(sample: Sample, questionnaire: str, item: Item, values: Values) -> ItemResult:
    ask = sample.loaded.say(item.ask, target="(the target)")  # items after a round may name its target
    match item.measure:
        case Numbers(least, most):
            return _scale_result(questionnaire, item.id, ask, (least, most), _means(values))
        case Categories(levels):
            counts = {
                group: {level: sum(own.count(level) for own in by_participant) for level in levels}
                for group, by_participant in values.items()
            }
            return ItemResult(questionnaire, item.id, ask, "choice", counts=counts)
    texts = [
        (participant, str(value))
        for by_participant in values.values()
        for participant, own in zip(sample.participants, by_participant, strict=True)
        for value in own
    ]
    return ItemResult(questionnaire, item.id, ask, "text", texts=texts)


def _score_result(questionnaire: str, score: Score, items: list[Values], groups: list[str]) -> ItemResult:
    means = [_means(values) for values in items]
    scores = {group: score.compute([of_item[group] for of_item in means]) for group in groups}
    return _scale_result(questionnaire, "score", score.title, (score.least, score.most), scores)


def _scale_result(
    questionnaire: str, item: str, ask: str, scale: tuple[float, float], means: dict[str, Array]
) -> ItemResult:
    return ItemResult(
        questionnaire,
        item,
        ask,
        "scale",
        scale,
        by_group={group: mean_ci(own) for group, own in means.items()},
        comparisons={
            (one, other): compare(means[one][:, None], means[other][:, None])
            for one, other in combinations(means, 2)
        },
    )


def _means(values: Values) -> dict[str, Array]:
    """(P,) by group, the mean of each participant's values."""
    return {
        group: np.array([np.mean([int(value) for value in own]) if own else np.nan for own in by_participant])
        for group, by_participant in values.items()
    }
