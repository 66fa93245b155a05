"""The crossed model, compared with a dense likelihood of all rounds, statsmodels, and the paired test."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from scipy import linalg, optimize

from studyapp.reporting.crossed import crossed_model
from studyapp.reporting.paired import paired_test


def made_up(
    participants: int, targets: int, seed: int, slopes: tuple[float, float] = (1.0, 1.0)
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    by_participant = slopes[0] * rng.normal(size=(participants, 1))
    return (
        1
        + by_participant
        + slopes[1] * rng.normal(size=targets)
        + 2 * rng.normal(size=(participants, targets))
    )


def full_model(d: np.ndarray) -> tuple[float, float]:
    """The difference and its standard error by REML of all rounds, with dense matrices.

    Every round has intercepts of its participant, its target and both together, which the differences don't
    have; here they are made up, and their variances are estimated as well.
    """
    rng = np.random.default_rng(0)
    P, T = d.shape
    middle = (3 * rng.normal(size=(P, 1)) + rng.normal(size=T) + 3 * rng.normal(size=(P, T))).ravel()
    y = np.concatenate([middle + d.ravel() / 2, middle - d.ravel() / 2])
    code = np.repeat([0.5, -0.5], d.size)
    rows, columns = (np.tile(own.ravel(), 2) for own in np.indices(d.shape))
    pairs = np.tile(np.arange(d.size), 2)

    def alike(labels: np.ndarray) -> np.ndarray:
        return (labels[:, None] == labels).astype(float)

    parts = [np.eye(len(y)), alike(rows), alike(columns), alike(pairs)]
    parts += [alike(rows) * np.outer(code, code), alike(columns) * np.outer(code, code)]
    X = np.column_stack([np.ones(len(y)), code])

    def solved(logs: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        V = sum(math.exp(log) * part for log, part in zip(logs, parts, strict=True))
        factor = linalg.cho_factor(V)
        inverse_X = linalg.cho_solve(factor, X)
        information = X.T @ inverse_X
        beta = np.linalg.solve(information, inverse_X.T @ y)
        rest = y - X @ beta
        deviance = 2 * np.log(np.diag(factor[0])).sum() + np.linalg.slogdet(information)[1]
        return deviance + rest @ linalg.cho_solve(factor, rest), beta, information

    best = optimize.minimize(lambda logs: solved(logs)[0], np.zeros(6), method="BFGS", options={"gtol": 1e-6})
    _, beta, information = solved(best.x)
    return float(beta[1]), math.sqrt(np.linalg.inv(information)[1, 1])


@pytest.mark.parametrize(("slopes", "kept"), [((2, 2), ["participant", "target"]), ((0, 3), ["target"])])
def test_the_fit_is_that_of_all_rounds_with_all_intercepts(
    slopes: tuple[float, float], kept: list[str]
) -> None:
    d = made_up(7, 6, 2, slopes)
    fit = crossed_model(d)
    assert fit.random_slopes == kept
    assert (fit.difference, fit.se) == pytest.approx(full_model(d), rel=1e-3)


def test_statsmodels_gives_the_same_fit() -> None:
    models = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    d = made_up(15, 12, seed=5, slopes=(2.0, 2.0))
    effects = [np.eye(size)[own.ravel()] for size, own in zip(d.shape, np.indices(d.shape), strict=True)]
    names = [[[f"{k}{i}" for i in range(own.shape[1])]] for k, own in enumerate(effects)]
    spec = models.VCSpec(["participant", "target"], names, [[own] for own in effects])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tries several optimisers
        model = models.MixedLM(d.ravel(), np.ones((d.size, 1)), groups=np.ones(d.size), exog_vc=spec)
        expected = model.fit(reml=True)
    assert expected.converged
    fit = crossed_model(d)
    assert fit.difference == pytest.approx(expected.fe_params[0], rel=1e-4)
    assert fit.se == pytest.approx(expected.bse_fe[0], rel=1e-3)
    assert list(fit.slope_variances.values()) == pytest.approx(expected.vcomp.tolist(), rel=1e-2)
    assert fit.residual_variance == pytest.approx(expected.scale, rel=1e-2)


def test_a_slope_without_variance_is_left_out_and_the_rest_is_the_paired_test() -> None:
    d = made_up(8, 10, 3)
    d -= d.mean(0)  # targets don't differ at all
    d += 1
    fit, over_participants = crossed_model(d), paired_test(d.mean(1), np.zeros(8))
    assert fit.random_slopes == ["participant"]
    assert fit.note == "the random slope by target was estimated as zero and left out"
    assert (fit.t, fit.p, fit.df) == pytest.approx((over_participants.t, over_participants.p, 7))
    d -= d.mean(1, keepdims=True)
    neither, over_rounds = crossed_model(d + 1), paired_test(d.ravel() + 1, np.zeros(80))
    assert neither.random_slopes == []
    assert (
        neither.note == "the random slopes by participant and by target were estimated as zero and left out"
    )
    assert (neither.t, neither.p, neither.df) == pytest.approx((over_rounds.t, over_rounds.p, 79))


def test_where_there_is_no_fit_the_reason_is_said() -> None:
    for differences, note in (
        ([[np.nan, np.nan]], "no participant has both models"),
        ([[1.0, 2.0, 4.0]], "there is only one participant"),
        ([[1.0], [2.0]], "there is only one target"),
        ([[1.0, np.nan], [2.0, 3.0]], "not every participant has both models with every target"),
        ([[1.5, 1.5], [1.5, 1.5]], "every difference is the same"),
        ([[1.0, 2.0], [3.0, 4.0]], "participant and target explain every difference without a rest"),
        ([[0.0, 0.0], [0.0, 0.0]], "every difference is the same"),
    ):
        fit = crossed_model(np.array(differences))
        assert fit.note == note
        assert np.isnan([fit.p, fit.se, fit.low]).all()


def test_participants_and_targets_that_nobody_has_with_both_models_do_not_count() -> None:
    d = np.full((6, 7), np.nan)
    d[1:, 2:] = made_up(5, 5, 1)
    assert crossed_model(d) == crossed_model(d[1:, 2:])


def test_when_there_is_no_difference_p_is_below_5_percent_about_as_often() -> None:
    fits = [crossed_model(made_up(8, 12, seed) - 1) for seed in range(400)]
    assert 0.03 <= np.mean([fit.p < 0.05 for fit in fits]) <= 0.07
