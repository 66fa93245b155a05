"""Newton's method on exact cases and saddles, and its report when it fails."""

from __future__ import annotations

import torch
from torch import Tensor

from core.laplace import Density, Evaluation, climb, newton, normal_factor


class Quadratic:
    """The log density of a Gaussian of the given mean and precision."""

    def __init__(self, mean: Tensor, precision: Tensor) -> None:
        self.mean, self.precision = mean, precision

    def __call__(self, at: Tensor) -> Evaluation:
        gradient = self.gradient(at)
        value = -0.5 * ((at - self.mean) * -gradient).sum(-1)
        curvature = self.precision.expand(len(at), -1, -1)
        return Evaluation(value, gradient, curvature, curvature)

    def gradient(self, at: Tensor) -> Tensor:
        return -(at - self.mean) @ self.precision

    def only(self, rows: Tensor) -> Quadratic:  # noqa: ARG002 (all elements have the same density)
        return self


class TwoHills:
    """-(x^2 - 1)^2 - y^2: maxima at (-1, 0) and (1, 0), a saddle between them at the origin."""

    def __call__(self, at: Tensor) -> Evaluation:
        x, y = at[:, 0], at[:, 1]
        curvature = torch.diag_embed(torch.stack([12 * x**2 - 4, torch.full_like(x, 2.0)], -1))
        convex = torch.diag_embed(torch.stack([12 * x**2 + 4, torch.full_like(x, 2.0)], -1))
        return Evaluation(-((x**2 - 1) ** 2) - y**2, self.gradient(at), curvature, convex)

    def gradient(self, at: Tensor) -> Tensor:
        x, y = at[:, 0], at[:, 1]
        return torch.stack([-4 * x * (x**2 - 1), -2 * y], -1)

    def only(self, rows: Tensor) -> TwoHills:  # noqa: ARG002 (all elements have the same density)
        return self


class Slope:
    """x, which has no maximum."""

    def __call__(self, at: Tensor) -> Evaluation:
        curvature = torch.full((len(at), 1, 1), 1e-3, dtype=at.dtype)
        return Evaluation(at[:, 0], self.gradient(at), curvature, curvature)

    def gradient(self, at: Tensor) -> Tensor:
        return torch.ones_like(at)

    def only(self, rows: Tensor) -> Slope:  # noqa: ARG002 (all elements have the same density)
        return self


def numbers(*rows: list[float]) -> Tensor:
    return torch.tensor(rows, dtype=torch.float64)


def test_a_gaussian_is_fitted_exactly_in_one_step() -> None:
    precision = numbers([2.0, 0.5], [0.5, 1.0])
    fit = newton(Quadratic(numbers([1.0, -2.0])[0], precision), numbers([30.0, 40.0]))
    torch.testing.assert_close(fit.at, numbers([1.0, -2.0]), rtol=0, atol=1e-12)
    assert fit.iterations.tolist() == [1]
    assert fit.converged.tolist() == [True]
    factor, bent = normal_factor(fit.curvature)
    torch.testing.assert_close((factor @ factor.mT)[0], torch.linalg.inv(precision), rtol=0, atol=1e-14)
    assert bent.tolist() == [0.0]


def test_a_climb_that_starts_where_the_density_curves_upwards_ends_on_the_nearer_hill() -> None:
    fit = newton(TwoHills(), numbers([0.1, 3.0], [-0.01, -1.0], [5.0, 0.0]))
    torch.testing.assert_close(fit.at, numbers([1.0, 0.0], [-1.0, 0.0], [1.0, 0.0]), rtol=0, atol=1e-9)
    assert bool(fit.converged.all())


def test_a_climb_that_starts_on_a_saddle_leaves_it() -> None:
    fit = newton(TwoHills(), numbers([0.0, 0.0], [0.0, 2.0]))
    torch.testing.assert_close(fit.at.abs(), numbers([1.0, 0.0], [1.0, 0.0]), rtol=0, atol=1e-9)
    assert bool((torch.linalg.eigvalsh(fit.curvature) > 0).all())


def test_a_density_without_a_maximum_is_reported_as_not_converged() -> None:
    fit = newton(Slope(), numbers([0.0]))
    assert fit.converged.tolist() == [False]
    assert fit.gradient.tolist() == [1.0]
    assert fit.iterations.tolist() == [200]


def test_an_element_of_a_batch_is_fitted_as_if_it_were_alone() -> None:
    starts = torch.randn(50, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    together = newton(TwoHills(), starts)
    for i, start in enumerate(starts):
        alone = newton(TwoHills(), start.unsqueeze(0))
        assert torch.equal(alone.at[0], together.at[i])
        assert int(alone.iterations[0]) == int(together.iterations[i])


def test_published_steps_are_plain_gradient_steps_and_report_that_they_stopped_short() -> None:
    density: Density = Quadratic(numbers([1.0])[0], numbers([2.0]))
    fit = climb(density, numbers([0.0]), steps=10, rate=0.01)
    torch.testing.assert_close(fit.at, numbers([1.0 - 0.98**10]), rtol=0, atol=1e-14)
    assert fit.converged.tolist() == [False]
    assert fit.iterations.tolist() == [10]


def test_a_curvature_that_is_not_positive_definite_is_bent_and_reported() -> None:
    factor, bent = normal_factor(torch.stack([torch.eye(2), numbers([4.0, 0.0], [0.0, -0.25])]).double())
    covariance = factor @ factor.mT
    torch.testing.assert_close(covariance[0], torch.eye(2, dtype=torch.float64))
    torch.testing.assert_close(covariance[1], numbers([0.25, 0.0], [0.0, 4.0]))
    assert bent.tolist() == [0.0, 0.25]
