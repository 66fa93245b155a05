"""The two examples (Figures 1 and 2), and the active learner of wines (Figure S1)."""

from __future__ import annotations

from functools import partial

from studyapp.experiments import figures
from studyapp.experiments.catalogue.entry import Entry
from studyapp.experiments.catalogue.runs import single
from studyapp.experiments.claims import Claim, Margin, side
from studyapp.experiments.designs import ActiveExample, ActiveWine, TeachingExample
from studyapp.experiments.designs.measures import ACCURACY
from studyapp.experiments.designs.teaching_example import ADVANTAGE, STEERING

__all__ = ["ACTIVE_EXAMPLE", "ACTIVE_WINE", "TEACHING_EXAMPLE"]

ACTIVE_EXAMPLE = Entry(
    name="active-example",
    title="Figure 1",
    heading="Teaching an active learner, an example",
    description=(
        "A logistic regression knows one point of each class and asks for the labels of ten more from a pool "
        "of 60. It always asks about the point it is least certain of, which fails on these six clusters. A "
        "teacher who knows all labels and how the learner works plans its ten answers, some of them untrue, "
        "for the best accuracy at the end."
    ),
    caption=(
        "Above, one pool without and with the teacher: the replication whose improvement is closest to the "
        "median. The numbers give the order of the queries. Below, mean accuracy by number of answers, on "
        "the pool and the two points known at the start, with 95 % intervals."
    ),
    replications=100,
    quick=50,
    runs=single("active-example", lambda seed: ActiveExample(seed=seed), ActiveExample.series),
    claims=(
        Claim(
            "With ten answers from the teacher, the learner finds a better model",
            side("active-example", "teacher"),
            "above",
            side("active-example", "alone"),
            ACCURACY,
            10,
        ),
    ),
    draw=partial(figures.active_example, run="active-example"),
    by_fit=False,
)

TEACHING_EXAMPLE = Entry(
    name="teaching-example",
    title="Figure 2",
    heading="Teaching a bandit learner, an example",
    description=(
        "Ten arms on a line have two peaks of reward, and the first question is about arm 6, between them. "
        "The reward probability of arm 6 is low: 0.06. (The paper doesn't give the width of the peaks; we "
        "chose it to match this number.) Yet a teacher who plans one step ahead says yes, because the next "
        "question is then more often about the higher peak. Replications differ only in the random points "
        "used to compute the probabilities of the next arm, so the intervals show numerical error alone."
    ),
    caption=(
        "Left, the reward probabilities of the arms. Right, the probability that each arm is asked about "
        "next, after either answer (means over replications). The advantage of yes is Q(1) minus Q(0). "
        "Steering is the probability of arms 7 to 9 after a yes minus that after a no."
    ),
    replications=20,
    quick=20,
    runs=single("teaching-example", lambda seed: TeachingExample(seed=seed), TeachingExample.series),
    claims=(
        Claim(
            "For a planning teacher, yes is the better answer: Q(1) is above Q(0)",
            side("teaching-example", "teacher"),
            "above",
            0.0,
            ADVANTAGE,
            1,
        ),
        Claim(
            "The next question is more often about an arm near the higher peak (7 to 9) after a yes than "
            "after a no",
            side("teaching-example", "teacher"),
            "above",
            0.0,
            STEERING,
            1,
        ),
    ),
    draw=partial(figures.teaching_example, run="teaching-example"),
    by_fit=False,
)

ACTIVE_WINE = Entry(
    name="active-wine",
    title="Figure S1",
    heading="Teaching an active learner of wines",
    description=(
        "A logistic regression learns to tell good white wines (quality 7 or more) from others. It knows one "
        "wine of each class and asks about a pool of 2,000: at random, about the wine it is least certain "
        "of, or the latter with a teacher who plans one step ahead for the accuracy on the pool. Calling "
        "no wine good classifies 78 % correctly, which is the baseline for all accuracies here."
    ),
    caption=(
        "Accuracy on the wines outside the pool by number of answers, means with 95 % intervals. Black: the "
        "model fitted to all labels of the pool. Grey: the model that calls no wine good."
    ),
    replications=100,
    quick=50,
    runs=single("active-wine", lambda seed: ActiveWine(seed=seed), ActiveWine.series),
    claims=(
        *(
            Claim(
                f"After 20 answers, the learner with a teacher is more accurate than {other}",
                side("active-wine", "teacher"),
                "above",
                side("active-wine", series),
                ACCURACY,
                20,
            )
            for series, other in (
                ("alone", "the one without"),
                ("random", "the one with random queries"),
            )
        ),
        Claim(
            "After about 20 answers, the learner with a teacher comes close to the model that knows the "
            "whole pool (within half of what that model gains over calling no wine good)",
            side("active-wine", "teacher"),
            "close",
            side("active-wine", "full pool"),
            ACCURACY,
            20,
            Margin(0.008),
        ),
    ),
    draw=partial(figures.active_wine, run="active-wine"),
    by_fit=False,
)
