"""The crossed model, compared with the analysis of variance, a dense likelihood, and statsmodels."""

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


def mean_squares(d: np.ndarray) -> tuple[float, float, float]:
    """Of participants, targets and the rest."""
    P, T = d.shape
    rows, columns, mean = d.mean(1), d.mean(0), d.mean()
    rest = d - rows[:, None] - columns + mean
    return (
        T * ((rows - mean) ** 2).sum() / (P - 1),
        P * ((columns - mean) ** 2).sum() / (T - 1),
        (rest**2).sum() / ((P - 1) * (T - 1)),
    )


@pytest.mark.parametrize(("participants", "targets"), [(5, 19), (10, 19), (30, 4), (3, 40), (200, 19)])
def test_balanced_data_give_the_exact_results_of_the_analysis_of_variance(
    participants: int, targets: int
) -> None:
    d = made_up(participants, targets, seed=participants)
    p, t, e = mean_squares(d)
    assert min(p, t) > e  # otherwise a variance is zero
    fit = crossed_model(d)
    variance = (p + t - e) / d.size
    assert fit.difference == pytest.approx(d.mean(), rel=1e-9)
    assert fit.se == pytest.approx(math.sqrt(variance), rel=1e-6)
    df = (p + t - e) ** 2 / (
        p**2 / (participants - 1) + t**2 / (targets - 1) + e**2 / ((participants - 1) * (targets - 1))
    )
    assert fit.df == pytest.approx(df, rel=1e-4)
    assert fit.slope_variances == pytest.approx(
        {"participant": (p - e) / targets, "target": (t - e) / participants}, rel=1e-5
    )
    assert fit.residual_variance == pytest.approx(e, rel=1e-6)
    assert (fit.converged, fit.note) == (True, "")


def full_model(d: np.ndarray, seed: int) -> tuple[float, float]:
    """The difference and its standard error by REML of all rounds, with dense matrices.

    Every round has intercepts of its participant, its target and both together, which the differences don't
    have; here they are made up, and their variances are estimated as well.
    """
    rng = np.random.default_rng(seed)
    known = np.argwhere(np.isfinite(d))
    P, T = d.shape
    middle = (3 * rng.normal(size=(P, 1)) + rng.normal(size=T) + rng.normal(size=(P, T)))[tuple(known.T)]
    values = d[tuple(known.T)]
    y = np.concatenate([middle + values / 2, middle - values / 2])
    code = np.repeat([0.5, -0.5], len(values))
    rows, columns, pairs = (np.tile(labels, 2) for labels in (*known.T, np.arange(len(values))))

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


@pytest.mark.parametrize("seed", [1, 2])
def test_with_missing_rounds_the_fit_is_that_of_all_rounds_with_all_intercepts(seed: int) -> None:
    d = made_up(7, 6, seed, slopes=(2.0, 2.0))
    d[np.random.default_rng(seed).random(d.shape) < 0.2] = np.nan
    assert np.isnan(d).any()
    fit = crossed_model(d)
    assert fit.random_slopes == ["participant", "target"]
    assert (fit.difference, fit.se) == pytest.approx(full_model(d, seed), rel=1e-3)


def test_statsmodels_gives_the_same_fit_where_it_converges() -> None:
    models = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    d = made_up(15, 12, seed=5, slopes=(2.0, 2.0))
    d[0, :3] = np.nan
    known = np.argwhere(np.isfinite(d))
    effects = [np.eye(size)[labels] for size, labels in zip(d.shape, known.T, strict=True)]
    names = [[[f"{k}{i}" for i in range(own.shape[1])]] for k, own in enumerate(effects)]
    spec = models.VCSpec(["participant", "target"], names, [[own] for own in effects])
    values = d[tuple(known.T)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tries several optimisers
        model = models.MixedLM(values, np.ones((len(values), 1)), groups=np.ones(len(values)), exog_vc=spec)
        expected = model.fit(reml=True)
    assert expected.converged
    fit = crossed_model(d)
    assert fit.difference == pytest.approx(expected.fe_params[0], rel=1e-4)
    assert fit.se == pytest.approx(expected.bse_fe[0], rel=1e-3)
    assert list(fit.slope_variances.values()) == pytest.approx(expected.vcomp.tolist(), rel=1e-2)


def test_a_slope_without_variance_is_left_out_and_the_rest_is_the_paired_test() -> None:
    rng = np.random.default_rng(3)
    d = made_up(8, 10, 3)
    d -= d.mean(0)  # targets don't differ at all
    d += 1
    fit, over_participants = crossed_model(d), paired_test(d.mean(1), np.zeros(8))
    assert fit.random_slopes == ["participant"]
    assert fit.note == "the random slope by target was estimated as zero and left out"
    assert (fit.t, fit.p, fit.df) == pytest.approx((over_participants.t, over_participants.p, 7), rel=1e-5)
    both = rng.normal(size=(6, 6))
    both -= both.mean(0)
    both -= both.mean(1, keepdims=True)
    neither = crossed_model(both + 1)
    assert neither.random_slopes == []
    assert (
        neither.note == "the random slopes by participant and by target were estimated as zero and left out"
    )
    assert neither.df == pytest.approx(35, rel=1e-5)
    assert neither.converged


@pytest.mark.parametrize(
    ("differences", "note"),
    [
        ([[np.nan, np.nan]], "no participant has both models"),
        ([[1.0, 2.0, 4.0]], "there is only one participant"),
        ([[1.0], [2.0]], "there is only one target"),
        ([[1.0, np.nan], [2.0, 3.0]], "there are too few rounds"),
        ([[1.5, 1.5], [1.5, 1.5]], "every difference is the same"),
        ([[1.0, 2.0], [3.0, 4.0]], "participant and target explain every difference without a rest"),
        ([[0.0, 0.0], [0.0, 0.0]], "every difference is the same"),
    ],
)
def test_where_there_is_no_fit_the_reason_is_said(differences: list[list[float]], note: str) -> None:
    fit = crossed_model(np.array(differences))
    assert fit.note == note
    assert not fit.converged
    assert np.isnan([fit.p, fit.se, fit.low]).all()


def test_when_there_is_no_difference_p_is_below_5_percent_about_as_often() -> None:
    fits = [crossed_model(made_up(8, 12, seed) - 1) for seed in range(80)]
    assert 0.0125 <= np.mean([fit.p < 0.05 for fit in fits]) <= 0.1125
