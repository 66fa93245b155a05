"""The likelihoods of the teacher models agree with the paper's formulas.

Their derivatives are checked with those of every other teacher model, in test_contracts.py.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray
from strategies import Place, places

from core.likelihoods import Evidence
from core.teachers import TEACHERS

BETA = 20.0
Array = NDArray[np.float64]


def sigma(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def log_likelihood(model: str, evidence: Evidence, at: Array, kappa: float) -> float:
    """Equations 1, 3 and 5 of the paper, written out (with the prior of the mixture's alpha)."""
    theta = at[: evidence.features.shape[2]]
    alpha = sigma(at[-1]) if model == "mixture" else 0.0
    total = math.log(alpha * (1.0 - alpha)) if model == "mixture" else 0.0
    for x, sign, sums in zip(evidence.features[0], evidence.signs[0], evidence.sums[0], strict=True):
        no, yes = (quality(rows @ theta, kappa) for rows in sums)
        naive = sigma(sign * float(x @ theta))
        planning = sigma(sign * BETA * (yes - no))
        p = {"naive": naive, "planning": planning, "mixture": (1 - alpha) * naive + alpha * planning}
        total += math.log(p[model])
    return total


def quality(returns: Array, kappa: float) -> float:
    """Q*: the maximum of the returns, or its smooth stand-in."""
    if math.isinf(kappa):
        return float(returns.max())
    return float(np.log(np.exp(kappa * (returns - returns.max())).sum()) / kappa + returns.max())


@given(place=places())
@settings(max_examples=40)
def test_the_value_is_the_formula_of_the_paper(place: Place) -> None:
    evidence, point = place
    for model, kappa in itertools.product(("naive", "planning", "mixture"), (5.0, math.inf)):
        at = point if TEACHERS[model].has_alpha else point[:-1]
        (value,) = TEACHERS[model].log_likelihood(evidence, BETA, kappa)(at[None]).value
        assert value == pytest.approx(log_likelihood(model, evidence, at, kappa), abs=1e-10)


@given(place=places())
@settings(max_examples=40)
def test_the_smooth_maximum_is_at_most_log_rows_over_kappa_too_high(place: Place) -> None:
    evidence, at = place
    J = evidence.sums.shape[3]
    for kappa in (10.0, 1e6):
        smooth, exact = (
            TEACHERS["planning"].log_likelihood(evidence, BETA, sharpness)(at[None, :-1]).value
            for sharpness in (kappa, math.inf)
        )
        most = evidence.signs.shape[1] * BETA * math.log(J) / kappa
        assert abs(smooth[0] - exact[0]) <= most + 1e-12
