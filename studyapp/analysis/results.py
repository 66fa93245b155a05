"""All numbers of an analysis, from the sessions that enter it.

As published (section 4.3, supplement G): practice rounds are out; for every participant and model the
reward is added up over the questions of a round and averaged over targets; models are compared by a paired
t-test over participants after every question from the second on (the first is the same for all).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.rewards import MOST
from studyapp.analysis.extract import Extract
from studyapp.analysis.gather import Gathered
from studyapp.analysis.planners import Alpha, find_alphas
from studyapp.reporting.statistics import Array, Comparison, Estimate, compare, mean_ci, proportion_ci
from studyapp.study.items import Categories, Item, Numbers
from studyapp.study.questionnaires import Score
from studyapp.study.study import LoadedStudy

__all__ = [
    "BANDS",
    "Effect",
    "Found",
    "ItemResult",
    "Pair",
    "Results",
    "analyse",
]

# Likeness of a word to the target; the last is the target itself.
BANDS = ((0.0, 0.07), (0.07, 0.1), (0.1, 0.15), (0.15, 0.3), (0.3, 0.6), (0.6, MOST), (MOST, 1.0))


@dataclass(frozen=True)
class Pair:
    """Two models compared, question by question from the second on, and in how the target was found."""

    models: tuple[str, str]  # differences are the first minus the second
    questions: NDArray[np.intp]  # (Q - 1,)
    reward: Comparison
    found: Comparison  # share of rounds in which the target was found
    soon: Comparison  # question at which it was; never counts as one after the last


@dataclass(frozen=True)
class Found:
    """How soon and how often a model asked about the target."""

    by_question: Estimate  # (Q,), share of rounds in which it had by then
    share: Estimate
    question: Estimate  # at which it did; never counts as one after the last


@dataclass(frozen=True)
class Effect:
    """A number of each participant, over all of them, and whether it differs from 0."""

    estimate: Estimate
    comparison: Comparison


@dataclass(frozen=True)
class ItemResult:
    """Answers to one item of a questionnaire."""

    questionnaire: str
    item: str
    ask: str
    kind: str
    scale: tuple[float, float] = (0.0, 1.0)  # from which to which number it goes
    by_model: dict[str, Estimate] = field(
        default_factory=dict
    )  # of a scale; "" where it was asked at the end
    counts: dict[str, dict[str, int]] = field(default_factory=dict)  # of a choice: by model, then by choice
    texts: list[tuple[str, str]] = field(default_factory=list)  # (participant, what was written)
    pairs: dict[tuple[str, str], Comparison] = field(default_factory=dict)  # of a scale


@dataclass(frozen=True)
class Results:
    gathered: Gathered
    loaded: LoadedStudy
    models: list[str]
    targets: list[str]
    questions: int
    participants: list[str]
    curves: dict[str, Array]  # (P, Q) by model: every participant's mean cumulative reward
    mean_curves: dict[str, Estimate]
    random: Array  # (Q,)
    pairs: list[Pair]
    found: dict[str, Found]
    times: dict[str, Estimate]  # (Q,), of participants' median thinking times in ms; empty if not known
    delays: dict[str, Estimate]
    late: int
    yes: dict[str, Estimate]  # (bands,)
    yes_counts: dict[str, NDArray[np.intp]]
    naive_yes: Array  # (bands,), how often a naive teacher would have said yes to these questions
    alphas: dict[str, Alpha]  # by participant: how much of a planner each is
    place: dict[str, Effect]  # final reward where the model came first with a target, minus last
    learning: dict[str, Effect]  # change of the final reward a round
    by_target: dict[str, Estimate]  # (targets in the order they were played,)
    survey: list[ItemResult]


def analyse(gathered: Gathered, planners: int) -> Results:
    """All results; alpha is found for so many ``planners`` at the most."""
    sessions = gathered.sessions
    assert sessions[0].vocabulary is not None  # there are answers
    loaded = LoadedStudy(str(sessions[0].path), sessions[0].study, sessions[0].vocabulary)
    models = sorted({played.model for each in sessions for played in each.plan if not played.practice})
    questions = sessions[0].study.questions
    targets = list(
        dict.fromkeys(played.target for each in sessions for played in each.plan if not played.practice)
    )
    rows = {model: [_rows(each, model) for each in sessions] for model in models}

    def by_participant(model: str, of: Any) -> Array:
        """(P, ...): what ``of`` makes of each session's rounds with a model; NaN where there are none."""
        made = [
            of(each, chosen) if chosen.any() else None
            for each, chosen in zip(sessions, rows[model], strict=True)
        ]
        shape = next((np.shape(value) for value in made if value is not None), ())
        return np.array([np.full(shape, np.nan) if value is None else value for value in made], dtype=float)

    curves = {m: by_participant(m, lambda each, at: each.reward[at].cumsum(-1).mean(0)) for m in models}
    hits = {m: by_participant(m, lambda each, at: _found(each, at).mean(0)) for m in models}
    soon = {m: by_participant(m, lambda each, at: _found_at(each, at).mean()) for m in models}
    times = {m: by_participant(m, lambda each, at: np.median(each.thinking[at], 0)) for m in models}
    delays = {m: by_participant(m, lambda each, at: np.median(each.delay[at], 0)) for m in models}
    final = {m: [each.reward[at].sum(-1) for each, at in zip(sessions, rows[m], strict=True)] for m in models}
    known_times = any(np.isfinite(value).any() for value in times.values())
    yes = {m: _yes(sessions, rows[m]) for m in models}
    return Results(
        gathered=gathered,
        loaded=loaded,
        models=models,
        targets=targets,
        questions=questions,
        participants=[each.participant for each in sessions],
        curves=curves,
        mean_curves={m: mean_ci(curves[m]) for m in models},
        random=np.arange(1.0, questions + 1.0)
        * float(loaded.rewards[[loaded.vocabulary.index(target) for target in targets]].mean()),
        pairs=[
            Pair(
                (one, other),
                np.arange(2, questions + 1),
                compare(curves[one][:, 1:], curves[other][:, 1:]),
                compare(hits[one][:, -1:], hits[other][:, -1:]),
                compare(soon[one][:, None], soon[other][:, None]),
            )
            for one, other in combinations(models, 2)
        ],
        found={m: Found(_share_ci(hits[m]), _share_ci(hits[m][:, -1]), mean_ci(soon[m])) for m in models},
        times={m: mean_ci(times[m]) for m in models} if known_times else {},
        delays={m: mean_ci(delays[m]) for m in models} if known_times else {},
        late=sum(each.late for each in sessions),
        yes={m: proportion_ci(*yes[m]) for m in models},
        yes_counts={m: yes[m][1].sum(0).astype(int) for m in models},
        naive_yes=_mean_rewards(sessions),
        alphas=find_alphas(sessions, loaded, planners),
        place={
            m: _effect([_place_effect(*each) for each in zip(sessions, rows[m], final[m], strict=True)])
            for m in models
        },
        learning={m: _effect([_slope(each) for each in final[m]]) for m in models},
        by_target={m: mean_ci(_padded(final[m], len(targets))) for m in models},
        survey=_survey(sessions, models),
    )


def _share_ci(shares: Array) -> Estimate:
    """The interval of a mean of shares, which cannot leave 0 to 1."""
    found = mean_ci(shares)
    return Estimate(found.mean, np.clip(found.low, 0, 1), np.clip(found.high, 0, 1), found.count)


def _rows(each: Extract, model: str) -> NDArray[np.bool_]:
    return np.asarray(each.counted & np.array([played.model == model for played in each.plan], dtype=bool))


def _targets(each: Extract) -> NDArray[np.intp]:
    assert each.vocabulary is not None
    return np.array([each.vocabulary.index(played.target) for played in each.plan])


def _found(each: Extract, at: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(rounds, Q), had the target been asked about by then?"""
    return np.asarray(np.logical_or.accumulate(each.asked[at] == _targets(each)[at, None], axis=-1))


def _found_at(each: Extract, at: NDArray[np.bool_]) -> Array:
    return np.asarray(1.0 + (~_found(each, at)).sum(-1))


def _yes(sessions: Sequence[Extract], rows: Sequence[NDArray[np.bool_]]) -> tuple[Array, Array]:
    """(P, bands): answers yes, and all, by the likeness of the word."""
    shape = (len(sessions), len(BANDS))
    hits, of = np.zeros(shape), np.zeros(shape)
    for i, (each, at) in enumerate(zip(sessions, rows, strict=True)):
        reward, yes = each.reward[at], each.yes[at]
        for b in range(len(BANDS)):
            inside = _inside(reward, b)
            hits[i, b], of[i, b] = (inside & yes).sum(), inside.sum()
    return hits, of


def _inside(reward: Array, b: int) -> NDArray[np.bool_]:
    """Which rewards are in a band?  The target's own is exactly where the last begins."""
    least, most = BANDS[b]
    return np.asarray((reward >= least - 1e-9) & ((reward < most - 1e-9) | (b == len(BANDS) - 1)))


def _mean_rewards(sessions: Sequence[Extract]) -> Array:
    rewards = np.concatenate([each.reward[each.counted].ravel() for each in sessions])
    of_bands = [rewards[_inside(rewards, b)] for b in range(len(BANDS))]
    return np.array([each.mean() if len(each) else np.nan for each in of_bands])


def _place_effect(each: Extract, at: NDArray[np.bool_], final: Array) -> float:
    """What was earned where the model was the first with a target, minus where it was not."""
    seen: set[tuple[bool, str]] = set()
    first = []
    for played in each.plan:
        first.append((played.practice, played.target) not in seen)
        seen.add((played.practice, played.target))
    chosen = np.array(first)[at]
    if not chosen.any() or chosen.all():
        return np.nan
    return float(final[chosen].mean() - final[~chosen].mean())


def _slope(final: Array) -> float:
    """How much more is earned from one target to the next, by least squares."""
    if len(final) < 3:
        return np.nan
    x = np.arange(len(final)) - (len(final) - 1) / 2
    return float(x @ final / (x @ x))


def _effect(values: list[float]) -> Effect:
    column = np.array(values)[:, None]
    return Effect(mean_ci(column[:, 0]), compare(column, np.zeros_like(column)))


def _padded(rows: Sequence[Array], width: int) -> Array:
    padded = np.full((len(rows), width), np.nan)
    for i, row in enumerate(rows):
        padded[i, : len(row)] = row[:width]
    return padded


def _survey(sessions: Sequence[Extract], models: list[str]) -> list[ItemResult]:
    study = sessions[0].study
    results = []
    for names, groups in ((study.after_round, models), (study.at_end, [""])):
        for name in names:
            asked = study.questionnaire(name)
            given = {item.id: _given(sessions, name, item.id, groups) for item in asked.items}
            if asked.score:
                results.append(_score(name, asked.score, given, groups))
            results += [_item_result(sessions, name, item, given[item.id]) for item in asked.items]
    return results


# By group (a model, or "" at the end), what each participant answered, which may be several times.
Given = dict[str, list[list[str | int]]]


def _given(sessions: Sequence[Extract], name: str, item: str, groups: list[str]) -> Given:
    return {
        group: [
            [
                response.value
                for response in each.responses
                if (response.questionnaire, response.item, response.model or "") == (name, item, group)
                and response.value is not None
            ]
            for each in sessions
        ]
        for group in groups
    }


def _means(given: Given) -> dict[str, Array]:
    """(P,) by group, of a scale."""
    return {
        group: np.array([np.mean([int(v) for v in values]) if values else np.nan for values in of])
        for group, of in given.items()
    }


def _score(name: str, score: Score, given: dict[str, Given], groups: list[str]) -> ItemResult:
    items = [_means(each) for each in given.values()]
    scores = {group: score.of([means[group] for means in items]) for group in groups}
    return _scale_result(name, "score", score.title, (score.least, score.most), scores)


def _scale_result(
    name: str, item: str, ask: str, scale: tuple[float, float], means: dict[str, Array]
) -> ItemResult:
    pairs = {
        (one, other): compare(means[one][:, None], means[other][:, None])
        for one, other in combinations(means, 2)
    }
    estimates = {group: mean_ci(values) for group, values in means.items()}
    return ItemResult(name, item, ask, "scale", scale, by_model=estimates, pairs=pairs)


def _item_result(sessions: Sequence[Extract], name: str, item: Item, given: Given) -> ItemResult:
    match item.measure:
        case Numbers(least, most):
            return _scale_result(name, item.id, item.ask, (least, most), _means(given))
        case Categories(levels):
            counts = {
                group: {level: sum(values.count(level) for values in of) for level in levels}
                for group, of in given.items()
            }
            return ItemResult(name, item.id, item.ask, "choice", counts=counts)
    texts = [
        (each.participant, str(value))
        for of in given.values()
        for each, values in zip(sessions, of, strict=True)
        for value in values
    ]
    return ItemResult(name, item.id, item.ask, "text", texts=texts)
