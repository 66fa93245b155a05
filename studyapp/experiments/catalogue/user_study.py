"""The user study with simulated people (Figure 5)."""

from __future__ import annotations

from functools import partial

from studyapp.experiments import figures
from studyapp.experiments.catalogue.entry import Entry, Options, Run
from studyapp.experiments.claims import Claim, Margin, Side, gain, side
from studyapp.experiments.designs.measures import Measure
from studyapp.experiments.designs.user_study import (
    FOUND,
    ONCE_FOUND,
    QUESTIONS,
    REWARD,
    STAYING,
    TO_FIND,
    UserStudy,
)

__all__ = ["USER_STUDY"]

# The labels of runs, by how learners are fitted or choose their questions.
PUBLISHED, CONVERGED, GREEDY, EXPLORING = "published", "converged", "targets", "targets, explore first"
LEARNERS = {
    PUBLISHED: partial(UserStudy, fit="published"),
    CONVERGED: partial(UserStudy, fit="converged"),
    GREEDY: partial(UserStudy, selection="greedy"),
    EXPLORING: partial(UserStudy, selection="explore-first"),
}
BY_FIT = ("H-N", "H-M")

# The ten participants of the published study: mean cumulative reward, and the share of rounds in which the
# target was found (175 and 158 of 190).
REAL = {REWARD: {"H-N": 6.276, "H-M": 7.451}, FOUND: {"H-N": 175 / 190, "H-M": 158 / 190}}


def _last(text: str, left: Side, relation: str, right: Side, *measures: Measure) -> tuple[Claim, ...]:
    """A claim about the end of the rounds, once for each measure."""
    return tuple(
        Claim(text, left, relation, right, measure, QUESTIONS if measure.step else 1) for measure in measures
    )


def _user_study(options: Options) -> dict[str, Run]:
    return {
        learner: Run(
            f"user-study-{learner.replace(', ', '-').replace(' ', '-')}",
            BY_FIT if learner in (PUBLISHED, CONVERGED) else ("H-HT",),
            partial(make, seed=options.seed),
        )
        for learner, make in LEARNERS.items()
    }


def _mixture_against_naive(run: str, fits: str) -> tuple[Claim, ...]:
    mixture, naive = side(run, "H-M"), side(run, "H-N")
    return (
        *_last(f"With {fits}, people earn more with the mixture model", mixture, "above", naive, REWARD),
        *_last(f"With {fits}, the mixture finds the target more often", mixture, "above", naive, FOUND),
        *_last(f"With {fits}, the mixture finds the target sooner", mixture, "below", naive, TO_FIND),
    )


def _like_the_real_one(measure: Measure) -> tuple[Claim, ...]:
    """Would a study of ten simulated people give the numbers that the study of ten real people gave?"""
    text = "The published study is typical of studies of ten simulated people ({}; right: published)"
    real = REAL[measure]
    sides = {
        "naive": (side(PUBLISHED, "H-N"), real["H-N"]),
        "mixture": (side(PUBLISHED, "H-M"), real["H-M"]),
        "mixture minus naive": (gain(PUBLISHED, "H-M", over="H-N"), real["H-M"] - real["H-N"]),
    }
    return tuple(
        Claim(text.format(name), left, "typical", right, measure, QUESTIONS)
        for name, (left, right) in sides.items()
    )


USER_STUDY = Entry(
    name="user-study",
    title="Figure 5",
    heading="The user study, with simulated people",
    description=(
        "The published study with people simulated as core/README.md describes, fitted to five of its ten "
        "participants: 20 words, 19 targets, 15 questions, Bayes-UCB, the first question of each person and "
        "target shared by all learners. A replication is a study of ten people, who agree on what is special "
        "about single pairs of words; it is drawn for every study, because it is only partly known. The "
        "hypothesis: a fit that is stopped early hardly moves when the target gets its first yes, so the "
        "naive learner leaves the target that it has found and keeps exploring. That costs it the reward of "
        "asking again, and helps it to find more targets. The mixture, which takes ten times as many steps, "
        "stays. Fitted to convergence, the naive learner stays too. The third learner keeps a probability "
        "for every word of being the target, and expects people to answer as the fitted ones do. How far "
        "can simulated people be trusted? The last claims compare them with the ten real ones."
    ),
    caption=(
        "Above, the mean cumulative reward of a round with 95 % intervals over studies; stars are the ten "
        "published participants. Below, left and centre, the share of rounds in which the target has been "
        "asked about, with the same lines. Below, right, staying: of all questions after the first about the "
        "target, the share that is about the target again."
    ),
    replications=30,
    quick=4,
    runs=_user_study,
    claims=(
        *_mixture_against_naive(PUBLISHED, "the published fits"),
        *_mixture_against_naive(CONVERGED, "converged fits"),
        *_last(
            "The mixture's advantage over the naive model is smaller with converged fits",
            gain(CONVERGED, "H-M", over="H-N"),
            "below",
            gain(PUBLISHED, "H-M", over="H-N"),
            REWARD,
        ),
        *_last(
            "With the published fits, the naive learner leaves a target that it has found more often than "
            "the mixture does",
            side(PUBLISHED, "H-N"),
            "below",
            side(PUBLISHED, "H-M"),
            STAYING,
        ),
        *_last(
            "With converged fits, it stays more often, and earns more once the target is found",
            side(CONVERGED, "H-N"),
            "above",
            side(PUBLISHED, "H-N"),
            STAYING,
            ONCE_FOUND,
        ),
        Claim(
            "With converged fits, it stays about as often as the mixture",
            side(CONVERGED, "H-N"),
            "close",
            side(CONVERGED, "H-M"),
            STAYING,
            1,
            Margin(0.1),
        ),
        *_last(
            "A belief over targets earns more than the converged mixture, and finds more targets",
            side(GREEDY, "H-HT"),
            "above",
            side(CONVERGED, "H-M"),
            REWARD,
            FOUND,
        ),
        *_last(
            "A belief over targets finds the target sooner than the converged mixture",
            side(GREEDY, "H-HT"),
            "below",
            side(CONVERGED, "H-M"),
            TO_FIND,
        ),
        *_last(
            "With a belief over targets and people, greedy questions earn more than exploring first",
            side(GREEDY, "H-HT"),
            "above",
            side(EXPLORING, "H-HT"),
            REWARD,
        ),
        *_like_the_real_one(REWARD),
        *_like_the_real_one(FOUND),
    ),
    draw=partial(
        figures.user_study,
        by_fit={PUBLISHED: "Published fits", CONVERGED: "Converged fits"},
        targets={GREEDY: "greedy", EXPLORING: "explore first"},
        real=REAL,
    ),
    by_fit=False,
    beyond_paper=True,
)
