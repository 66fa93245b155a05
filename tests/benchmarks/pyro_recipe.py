"""The paper's own recipe, on Pyro: what a lab would run otherwise.

Stochastic variational inference with plain SGD (learning rate 0.01) on a Laplace guide: 1,000 steps
for the mixture model and 100 for each imagined naive fit, then the guide's Laplace approximation,
and 1,000 Rao-Blackwellised samples for the Thompson probabilities.  Written from the paper's
description for timing beside ``core``; it is not part of the package.
"""

from __future__ import annotations

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.infer.autoguide import AutoLaplaceApproximation, init_to_median
from pyro.optim import SGD
from torch import Tensor

BETA, TAU, RATE = 20.0, 2.0, 0.01


def naive_model(features: Tensor, answers: Tensor) -> None:
    M = features.shape[1]
    theta = pyro.sample("theta", dist.Normal(torch.zeros(M), TAU * torch.ones(M)).to_event(1))
    with pyro.plate("answers", len(answers)):
        pyro.sample("y", dist.Bernoulli(logits=features @ theta), obs=answers)


def mixture_model(features: Tensor, differences: Tensor, answers: Tensor) -> None:
    M = features.shape[1]
    theta = pyro.sample("theta", dist.Normal(torch.zeros(M), TAU * torch.ones(M)).to_event(1))
    alpha = pyro.sample("alpha", dist.Beta(torch.tensor(1.0), torch.tensor(1.0)))
    naive, planning = torch.sigmoid(features @ theta), torch.sigmoid(BETA * differences @ theta)
    with pyro.plate("answers", len(answers)):
        pyro.sample("y", dist.Bernoulli(probs=(1.0 - alpha) * naive + alpha * planning), obs=answers)


def fit(model, steps: int, *data: Tensor):  # type: ignore[no-untyped-def]
    """The Laplace posterior over the model's unconstrained parameters."""
    pyro.clear_param_store()
    guide = AutoLaplaceApproximation(model, init_loc_fn=init_to_median)
    svi = SVI(model, guide, SGD({"lr": RATE}), Trace_ELBO())
    for _ in range(steps):
        svi.step(*data)
    return guide.laplace_approximation(*data).get_posterior()


def thompson_probabilities(mean: Tensor, covariance: Tensor, arms: Tensor, samples: int = 1000) -> Tensor:
    """Rao-Blackwellised: arm k's chance of exceeding the sampled others, given them."""
    K = len(arms)
    centre = arms @ mean
    cov = arms @ covariance @ arms.T + 1e-6 * torch.eye(K)
    z = dist.MultivariateNormal(centre, cov).sample((samples,))
    precision = torch.linalg.inv(cov)
    p = torch.empty(K)
    for k in range(K):
        others = [j for j in range(K) if j != k]
        sd = precision[k, k].rsqrt()
        conditional = centre[k] - (z[:, others] - centre[others]) @ precision[k, others] / precision[k, k]
        p[k] = dist.Normal(0.0, 1.0).cdf((conditional - z[:, others].amax(1)) / sd).mean()
    return p / p.sum()


def tell_naive(arms: Tensor, asked: Tensor, answers: Tensor) -> Tensor:
    """The naive learner's fit to all answers."""
    return fit(naive_model, 100, arms[asked], answers).mean


def tell_mixture(arms: Tensor, asked: Tensor, answers: Tensor, differences: Tensor) -> Tensor:
    """Look ahead from the last question, whose answer is new, then fit the mixture to all answers."""
    averages = []
    for imagined in (0.0, 1.0):
        outcomes = torch.cat([answers[:-1], torch.tensor([imagined])])
        posterior = fit(naive_model, 100, arms[asked], outcomes)
        covariance = posterior.covariance_matrix
        averages.append(arms.T @ thompson_probabilities(posterior.mean, covariance, arms))
    seen = torch.cat([differences, (averages[1] - averages[0]).unsqueeze(0)])
    return fit(mixture_model, 1000, arms[asked], seen, answers).mean
