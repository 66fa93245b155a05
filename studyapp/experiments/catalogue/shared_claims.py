"""Claims that the paper makes about several figures."""

from __future__ import annotations

from functools import partial

from studyapp.experiments.catalogue.runs import LAST
from studyapp.experiments.claims import Claim, Margin, Side, side
from studyapp.experiments.designs.bandits import CONCORDANCE, CUMULATIVE_REWARD

__all__ = [
    "CONCORDANCE_MARGIN",
    "REWARD_MARGIN",
    "less_optimal",
    "reward_and_concordance",
    "teachers_and_learners",
]

# The paper says "close" or "similar" without a number; these margins are ours.
REWARD_MARGIN = Margin(0.1, share=True)
CONCORDANCE_MARGIN = Margin(0.03)


def reward_and_concordance(
    text: str,
    left: Side,
    relation: str,
    right: Side,
) -> tuple[Claim, ...]:
    """A claim about the last question, once for reward and once for concordance."""
    claims = []
    for measure in (CUMULATIVE_REWARD, CONCORDANCE):
        margin = REWARD_MARGIN if measure is CUMULATIVE_REWARD else CONCORDANCE_MARGIN
        claims.append(
            Claim(text, left, relation, right, measure, LAST, margin if relation == "close" else None)
        )
    return tuple(claims)


def teachers_and_learners(run: str) -> tuple[Claim, ...]:
    """The claims about Figure 3, which the paper repeats for other data and settings."""
    pair = partial(side, run)
    return (
        *reward_and_concordance(
            "A planning teacher helps even a learner that takes answers at face value (P-N above N-N)",
            pair("P-N"),
            "above",
            pair("N-N"),
        ),
        *reward_and_concordance(
            "A learner that models the planning teacher gains more (P-P above P-N)",
            pair("P-P"),
            "above",
            pair("P-N"),
        ),
        *reward_and_concordance(
            "Wrongly expecting a planning teacher does harm (N-P below N-N)",
            pair("N-P"),
            "below",
            pair("N-N"),
        ),
        *reward_and_concordance(
            "With a planning teacher, the mixture does about as well as the matching model "
            "(P-M close to P-P)",
            pair("P-M"),
            "close",
            pair("P-P"),
        ),
        *reward_and_concordance(
            "With a naive teacher, the mixture does about as well as the matching model (N-M close to N-N)",
            pair("N-M"),
            "close",
            pair("N-N"),
        ),
    )


def less_optimal(run: str, beta: int) -> tuple[Claim, ...]:
    """A less optimal teacher teaches less well than the one of Figure S3."""
    return tuple(
        claim
        for series in ("P-P", "P-N")
        for claim in reward_and_concordance(
            f"A less optimal teacher, with beta {beta} instead of 20, teaches less well ({series})",
            side(run, series),
            "below",
            side("word-dense", series),
        )
    )
