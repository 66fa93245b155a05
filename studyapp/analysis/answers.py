"""How did people answer?  The share of yes by the similarity of the word to the target; and do they steer?

Words are counted apart when they are asked for the first time in a round and when they are asked again,
because people answer the two differently: their average describes neither.

People steer: they tend to say yes to a word that is similar to the target, so that the learner comes closer,
and no when the same word is asked about again, so that it goes on.  Neither teacher of the paper has such a
memory: a naive teacher's chance of a yes stays the same, and a planning teacher often wants the same answer
again.  Only similar words that got a yes are counted when they are asked again.  Someone whose opinions are
merely stable would therefore say yes more often then, not less.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.rewards import MOST, clamped
from core.vocabulary import Vocabulary
from studyapp.analysis.extract import Extract
from studyapp.analysis.sample import Sample
from studyapp.analysis.teachers import Fit
from studyapp.reporting.statistics import Array, Comparison, Estimate, compare, exact_ci, proportion_ci
from studyapp.study.study import Study

Choice = Callable[[Extract], NDArray[np.bool_]]  # which answers of a session, (R, Q)

# Similarity of a word to the target, which is its reward; the last band is the target itself.
BANDS = ((0.0, 0.07), (0.07, 0.1), (0.1, 0.15), (0.15, 0.3), (0.3, 0.6), (0.6, MOST), (MOST, 1.0))


@dataclass(frozen=True)
class Answers:
    """Some answers by band."""

    yes: dict[str, Estimate]  # (bands,) by model
    counts: dict[str, NDArray[np.intp]]  # (bands,) by model
    naive: Array  # (bands,), how often a naive teacher would have said yes to the same questions


@dataclass(frozen=True)
class AnswersBySimilarity:
    all: Answers
    first: Answers  # to words that had not been asked about in the round
    again: Answers  # to words that had been


def answers_by_similarity(sample: Sample) -> AnswersBySimilarity:
    return AnswersBySimilarity(
        all=_answers(sample, lambda session: np.ones_like(session.yes)),
        first=_answers(sample, lambda session: ~session.asked_before),
        again=_answers(sample, lambda session: session.asked_before),
    )


def _answers(sample: Sample, choose: Choice) -> Answers:
    yes, total = {}, {}
    for model in sample.models:
        yes[model], total[model] = _counts(sample, model, choose)
    return Answers(
        yes={model: proportion_ci(yes[model], total[model]) for model in sample.models},
        counts={model: total[model].sum(0).astype(int) for model in sample.models},
        naive=_mean_rewards(sample, choose),
    )


def _counts(sample: Sample, model: str, choose: Choice) -> tuple[Array, Array]:
    """(P, bands), the number of yes, and of answers."""
    shape = (len(sample.sessions), len(BANDS))
    yes, total = np.zeros(shape), np.zeros(shape)
    for i, session in enumerate(sample.sessions):
        chosen = choose(session) & sample.rounds(session, model)[:, None]
        for band in range(len(BANDS)):
            inside = _inside(session.reward, band) & chosen
            yes[i, band], total[i, band] = (inside & session.yes).sum(), inside.sum()
    return yes, total


def _mean_rewards(sample: Sample, choose: Choice) -> Array:
    """The mean reward in every band: the probability that a naive teacher says yes."""
    rewards = np.concatenate(
        [session.reward[choose(session) & session.counted[:, None]] for session in sample.sessions]
    )
    by_band = [rewards[_inside(rewards, band)] for band in range(len(BANDS))]
    return np.array([inside.mean() if len(inside) else np.nan for inside in by_band])


def _inside(reward: Array, band: int) -> NDArray[np.bool_]:
    """Which rewards are in a band?  The target's own reward is exactly where the last band begins."""
    low, high = BANDS[band]
    return np.asarray((reward >= low - 1e-9) & ((reward < high - 1e-9) | (band == len(BANDS) - 1)))


# Yes to similar words

# A word is similar to the target if the published kernel, exp(-3 (1 - cosine)), has at least this value for
# the two: from here on, first answers in the published study are mostly yes.  The border is the same cosine
# for every study, because the width of a study's own kernel changes all rewards, but no participant's view of
# two words.  Vectors of another origin may spread their cosines differently: look at the figure of yes
# answers by similarity.
SIMILAR = 0.15
PUBLISHED_WIDTH = 1.5


def are_similar(vocabulary: Vocabulary, targets: NDArray[np.intp]) -> NDArray[np.bool_]:
    """(T, K), which words are similar to each of these; no word is similar to itself."""
    similar = vocabulary.features(PUBLISHED_WIDTH)[targets] >= SIMILAR
    similar[np.arange(len(targets)), targets] = False
    return np.asarray(similar)


def least_reward(study: Study) -> float:
    """The border between similar words and others as a reward of this study, before it is clamped."""
    return float(SIMILAR ** (study.kernel_width / PUBLISHED_WIDTH))


@dataclass(frozen=True)
class YesShare:
    """How often one participant said yes to some questions, and how often teachers would have."""

    yes: int
    answers: int
    share: float
    low: float  # the exact 95 % interval of independent answers
    high: float
    naive_teacher: float  # the mean chance of a yes from a teacher who knows the target
    planning_teacher: float  # NaN if the participant was not compared with a planning teacher


@dataclass(frozen=True)
class Steering:
    """Yes to similar words other than the target."""

    least_reward: float  # of a similar word
    first: dict[str, YesShare]  # by participant: words that had not been asked about in the round
    again: dict[str, YesShare]  # words that had got a yes in the round
    difference: Comparison  # again minus first, over the participants who have both


def find_steering(sample: Sample, fits: dict[str, Fit]) -> Steering:
    loaded = sample.loaded
    words = list(dict.fromkeys(round_.target for session in sample.sessions for round_ in session.plan))
    places = np.array([loaded.vocabulary.index(word) for word in words])
    similar, rewards = are_similar(loaded.vocabulary, places), clamped(loaded.features[places])
    index = {word: i for i, word in enumerate(words)}
    first: dict[str, YesShare] = {}
    again: dict[str, YesShare] = {}
    for session in sample.sessions:
        targets = np.array([[index[round_.target]] for round_ in session.plan])
        naive = rewards[targets, session.asked]
        planning = np.full(naive.shape, np.nan)
        if fit := fits.get(session.participant):
            planning[session.counted] = fit.chances
        asked = similar[targets, session.asked] & session.counted[:, None]
        for shares, which in ((first, ~session.asked_before), (again, session.yes_before)):
            shares[session.participant] = _share(asked & which, session.yes, naive, planning)
    columns = [
        np.array([[shares[participant].share] for participant in sample.participants])
        for shares in (again, first)
    ]
    return Steering(least_reward(loaded.study), first, again, compare(*columns))


def _share(which: NDArray[np.bool_], yes: NDArray[np.bool_], naive: Array, planning: Array) -> YesShare:
    answers, said_yes = int(which.sum()), int((which & yes).sum())
    low, high = exact_ci(np.array(said_yes), np.array(answers))
    return YesShare(
        yes=said_yes,
        answers=answers,
        share=said_yes / answers if answers else np.nan,
        low=float(low),
        high=float(high),
        naive_teacher=float(naive[which].mean()) if answers else np.nan,
        planning_teacher=float(planning[which].mean()) if answers else np.nan,
    )
