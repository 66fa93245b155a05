"""Do participants steer?  How often they say yes to similar words, asked for the first time and asked again.

People tend to say yes to a word that is similar to the target, so that the learner comes closer, and no when
the same word is asked about again, so that it goes on.  Neither teacher of the paper has such a memory: a
naive teacher's chance of a yes stays the same, and a planning teacher often wants the same answer again.

Only words that got a yes are counted when they are asked again.  Someone whose opinions are merely stable
would therefore say yes more often then, not less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.rewards import clamped
from core.vocabulary import Vocabulary
from studyapp.analysis.planners import Fit
from studyapp.analysis.sample import Sample
from studyapp.reporting.statistics import Array, Comparison, compare, exact_ci
from studyapp.study.study import Study

__all__ = ["SIMILAR", "Steering", "YesShare", "are_similar", "find_steering", "least_reward"]

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
    naive: float  # the mean chance of a yes from a teacher who knows the target
    planning: float  # NaN if the participant was not compared with a planning teacher


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
        naive=float(naive[which].mean()) if answers else np.nan,
        planning=float(planning[which].mean()) if answers else np.nan,
    )
