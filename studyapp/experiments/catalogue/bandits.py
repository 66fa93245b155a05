"""Figures of bandit learners and their teachers: 3, 4, and S2 to S9."""

from __future__ import annotations

from functools import partial

from core.pairs import TABLE_1
from studyapp.experiments import figures
from studyapp.experiments.catalogue.entry import Entry
from studyapp.experiments.catalogue.runs import bandits, profiles
from studyapp.experiments.catalogue.shared_claims import (
    less_optimal,
    reward_and_concordance,
    teachers_and_learners,
)
from studyapp.experiments.claims import Claim, gain, side
from studyapp.experiments.designs.profile import REWARDING_ARMS

__all__ = [
    "ARMS_500",
    "BETA_5",
    "BETA_10",
    "LEAF",
    "MAIN",
    "MULTI_STEP",
    "REWARD_PROFILES",
    "WINE",
    "WORD_DENSE",
]

CAPTION = (
    "Above, the cumulative reward: the reward probabilities of the arms asked about so far, added up. Below, "
    "the concordance of the estimated order of the arms with the true one. The first letter names the "
    "teacher (N naive, P planning), the second the learner's model of it (M a mixture of both). Lines "
    "are means over replications, bands their 95 % intervals; grey lines repeat pairs from the left panel."
)

MAIN = Entry(
    name="main",
    title="Figure 3",
    heading="Teachers and learners",
    description=(
        "Six pairs of a simulated teacher and a bandit learner with Thompson sampling, on 100 words drawn "
        "for each replication (main setting: c = -4, d = 8). Teachers plan one step ahead with beta 20, as "
        "the learners assume. All pairs share the words, the target, the first question and the random "
        "numbers that decide the answers."
    ),
    caption=CAPTION,
    replications=100,
    quick=50,
    runs=bandits({"word": TABLE_1}),
    claims=teachers_and_learners("word"),
    draw=partial(figures.bandits, run="word"),
)

MULTI_STEP = Entry(
    name="multi-step",
    title="Figures 4 and S6",
    heading="Planning further ahead",
    description=(
        "A planning teacher and the learner that models it (P-P) plan two, three or four steps ahead instead "
        "of one, in the main setting. Both plan for the mean reward of these steps."
    ),
    caption=(
        "Differences from planning one step, replication by replication: cumulative reward (Figure 4) and "
        "concordance (Figure S6), means with 95 % intervals."
    ),
    replications=100,
    quick=50,
    runs=bandits({"word": ("P-P",), "horizon2": ("P-P",), "horizon3": ("P-P",), "horizon4": ("P-P",)}),
    claims=tuple(
        claim
        for steps in (2, 3, 4)
        for claim in reward_and_concordance(
            f"Planning {steps} steps ahead does better than planning one (P-P)",
            side(f"horizon{steps}", "P-P"),
            "above",
            side("word", "P-P"),
        )
    ),
    draw=partial(
        figures.multi_step,
        one="word",
        others={f"horizon{steps}": f"{steps} steps" for steps in (2, 3, 4)},
    ),
)

REWARD_PROFILES = Entry(
    name="reward-profiles",
    title="Figure S2",
    heading="How rewarding the arms are",
    description=(
        "The reward probabilities of the 100 arms of each replication, sorted: words in the main setting "
        "(c = -4, d = 8) and in the supplementary one (c = -2, d = 6), and wines and leaves in the "
        "supplementary one. Leaves are included if their data were given."
    ),
    caption=(
        "Means over replications with 95 % intervals. A line that passes 0.6 at the 80th arm means that 20 "
        "arms have a reward probability of 0.6 or more."
    ),
    replications=100,
    quick=100,
    runs=profiles,
    claims=(
        Claim(
            "More arms have a high reward probability (0.5 or more) in the supplementary setting than in "
            "the main one",
            side("word-dense", "profile"),
            "above",
            side("word", "profile"),
            REWARDING_ARMS,
            1,
        ),
    ),
    draw=partial(
        figures.profiles,
        labels={
            "word": "words (main)",
            "word-dense": "words (supplementary)",
            "wine": "wines",
            "leaf": "leaves",
        },
    ),
    by_fit=False,
)

WORD_DENSE = Entry(
    name="word-dense",
    title="Figure S3",
    heading="More rewarding arms",
    description=(
        "Figure 3 with the supplementary reward profile (c = -2, d = 6): more arms are rewarding, and an "
        "answer at face value says more."
    ),
    caption=CAPTION,
    replications=100,
    quick=50,
    runs=bandits({"word-dense": TABLE_1, "word": ("N-N", "P-N")}),
    claims=(
        *reward_and_concordance(
            "With a learner that takes answers at face value, a planning teacher gains less than in the main "
            "setting (P-N minus N-N in both)",
            gain("word-dense", "P-N", over="N-N"),
            "below",
            gain("word", "P-N", over="N-N"),
        ),
        *reward_and_concordance(
            "A planning teacher with a learner that models it is still a considerable improvement "
            "(P-P above N-N)",
            side("word-dense", "P-P"),
            "above",
            side("word-dense", "N-N"),
        ),
        *teachers_and_learners("word-dense"),
    ),
    draw=partial(figures.bandits, run="word-dense"),
)

WINE = Entry(
    name="wine",
    title="Figure S4",
    heading="Wines instead of words",
    description=(
        "Figure 3 with arms from the Wine Quality data (4,898 white wines) and the supplementary reward "
        "profile (c = -2, d = 6). The paper reports similar conclusions."
    ),
    caption=CAPTION,
    replications=100,
    quick=50,
    runs=bandits({"wine": TABLE_1}),
    claims=teachers_and_learners("wine"),
    draw=partial(figures.bandits, run="wine"),
)

LEAF = Entry(
    name="leaf",
    title="Figure S5",
    heading="Leaves instead of words",
    description=(
        "Figure 3 with arms from the Leaf data (340 leaves) and the supplementary reward profile (c = -2, "
        "d = 6). The paper reports similar conclusions."
    ),
    caption=CAPTION,
    replications=100,
    quick=50,
    runs=bandits({"leaf": TABLE_1}),
    claims=teachers_and_learners("leaf"),
    draw=partial(figures.bandits, run="leaf"),
)

BETA_5 = Entry(
    name="beta5",
    title="Figure S7",
    heading="A far-from-optimal teacher",
    description=(
        "Figure S3 with beta 5 instead of 20, for the planning teacher and for the learner's model of it. "
        "The paper says that this degrades learning; we compare it with Figure S3."
    ),
    caption=CAPTION,
    replications=100,
    quick=50,
    runs=bandits({"beta5": TABLE_1, "word-dense": ("P-N", "P-P")}),
    claims=less_optimal("beta5", 5),
    draw=partial(figures.bandits, run="beta5"),
)

BETA_10 = Entry(
    name="beta10",
    title="Figure S8",
    heading="A less optimal teacher",
    description=(
        "Figure S3 with beta 10 instead of 20, for the planning teacher and for the learner's model of it. "
        "The paper says that a small beta degrades learning, and nothing else about this figure."
    ),
    caption=CAPTION,
    replications=100,
    quick=50,
    runs=bandits({"beta10": TABLE_1, "word-dense": ("P-N", "P-P")}),
    claims=less_optimal("beta10", 10),
    draw=partial(figures.bandits, run="beta10"),
)

ARMS_500 = Entry(
    name="arms500",
    title="Figure S9",
    heading="Five hundred arms",
    description=(
        "Figure S3 with 500 words instead of 100. The paper reports that results remain qualitatively "
        "similar."
    ),
    caption=CAPTION,
    replications=100,
    quick=20,
    runs=bandits({"arms500": TABLE_1}),
    claims=teachers_and_learners("arms500"),
    draw=partial(figures.bandits, run="arms500"),
)
