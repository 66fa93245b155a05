"""Beyond the paper: which of the two fits the conclusions depend on."""

from __future__ import annotations

from functools import partial

from studyapp.experiments import figures
from studyapp.experiments.catalogue.entry import Entry
from studyapp.experiments.catalogue.runs import (
    CONVERGED,
    FACTORIAL,
    LAST,
    STOPPED,
    THREE_STEPS,
    by_fits,
)
from studyapp.experiments.catalogue.shared_claims import reward_and_concordance
from studyapp.experiments.claims import Claim, Margin, Term, side
from studyapp.experiments.designs.bandits import CONCORDANCE, CONTRAST, CUMULATIVE_REWARD, DIFFERENT_ARMS

__all__ = ["OPTIMISER"]

OPTIMISER = Entry(
    name="optimiser",
    title="Beyond the paper",
    heading="Which fits matter",
    description=(
        "The published study fits by a fixed number of gradient steps, which stops short of the maximum. It "
        "does so in two places: in the learner itself, and in the naive learner that a planning teacher "
        "imagines (and that a learner with a model of the teacher assumes it imagines). Here each is fitted "
        "either way, in the main setting, to find out which of them the conclusions depend on. The "
        "hypothesis: an imagined learner that is stopped early moves less between a yes and a no. A "
        "learner that models the teacher then treats each answer as weaker evidence and keeps exploring. "
        "Planning further ahead gives the imagined learner time to move."
    ),
    caption=(
        "Left, cumulative reward after 30 questions with 95 % intervals, by how the learner and the imagined "
        "learner are fitted. Right, the contrast: the expected distance, in feature space, between the next "
        "question after a yes and after a no (N-P). Beta times the contrast is the weight of an answer."
    ),
    replications=400,
    quick=50,
    runs=by_fits,
    claims=(
        *reward_and_concordance(
            "With all fits converged, a learner that wrongly expects a planning teacher earns more, not "
            "less, than one that takes answers at face value (N-P above N-N)",
            side(CONVERGED, "N-P"),
            "above",
            side(CONVERGED, "N-N"),
            (CUMULATIVE_REWARD,),
        ),
        *reward_and_concordance(
            "Even so, that learner knows less about the order of the arms (N-P below N-N)",
            side(CONVERGED, "N-P"),
            "below",
            side(CONVERGED, "N-N"),
            (CONCORDANCE,),
        ),
        *reward_and_concordance(
            "Stopping the imagined fits early does the harm, with the learner's own fits converged (N-P)",
            side(STOPPED, "N-P"),
            "below",
            side(CONVERGED, "N-P"),
            (CUMULATIVE_REWARD,),
        ),
        *reward_and_concordance(
            "Stopping the learner's own fits early does little harm, with the imagined fits converged (N-P)",
            side("published, converged", "N-P"),
            "close",
            side(CONVERGED, "N-P"),
            (CUMULATIVE_REWARD,),
        ),
        Claim(
            "With imagined fits stopped early, the learner asks about more different arms (N-P)",
            side(STOPPED, "N-P"),
            "above",
            side(CONVERGED, "N-P"),
            DIFFERENT_ARMS,
            LAST,
        ),
        Claim(
            "Imagined fits stopped early see less than half of the contrast between a yes and a no to the "
            "first question, which is the same for all (N-P; right: half of the converged contrast)",
            side(STOPPED, "N-P"),
            "below",
            (Term(CONVERGED, "N-P", 0.5),),
            CONTRAST,
            1,
        ),
        *reward_and_concordance(
            "With imagined fits stopped early, planning three steps ahead earns more than planning one (P-P)",
            side(f"{STOPPED}{THREE_STEPS}", "P-P"),
            "above",
            side(STOPPED, "P-P"),
            (CUMULATIVE_REWARD,),
        ),
        Claim(
            "With imagined fits converged, planning three steps ahead makes next to no difference (P-P)",
            side(f"{CONVERGED}{THREE_STEPS}", "P-P"),
            "close",
            side(CONVERGED, "P-P"),
            CUMULATIVE_REWARD,
            LAST,
            Margin(0.3),
        ),
    ),
    draw=partial(figures.factorial, pairs=FACTORIAL, further=THREE_STEPS, contrast="N-P"),
    by_fit=False,
    beyond_paper=True,
)
