"""The model of people (core.people), fitted to answers of known people about known targets.

The parameters maximise the posterior

    log p(parameters) + log int p(answers | parameters, u, r, b, o) p(u, r, b, o | parameters) d(u, r, b, o)

where everything that belongs to a person, a pair or an opinion is integrated out.  Opinions o and pairs b are
integrated on grids: given u, an opinion concerns the answers of one person about one pair, and a pair's
effect the answers about that pair.  So is r, which concerns the repeated questions of one person.  The u of
all persons, which the pairs tie together, are integrated by Laplace's method: each rests on hundreds of
answers, so its posterior is close to normal.

The log prior is weak, and keeps the parameters finite where the sessions say nothing about them, such as a
spread between persons where there is only one.  Standard errors are those of the normal posterior at the
maximum, in the parameters themselves (for a standard deviation s, s times the error of log s).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import minimize
from torch import Tensor

from core.errors import SettingError
from core.people import MOST_SLIPS, PARAMETERS, USUAL_LIKENESS, USUAL_QUESTION, Pairs, People, nodes
from core.recall import NEVER, Answers
from core.rewards import clamped

Array = NDArray[np.float64]
Whole = NDArray[np.intp]

# Mean and standard deviation of each parameter's normal prior, in the units of the search: logarithms of
# standard deviations, and log-odds of the slip as a share of the largest that is possible.
PRIOR = {
    "ready": (2.0, 3.0),
    "ready_sd": (math.log(1.5), 0.7),
    "question": (0.0, 2.0),
    "found": (0.0, 2.0),
    "likeness": (2.0, 3.0),
    "slope": (7.0, 5.0),
    "pair_sd": (math.log(2.0), 0.7),
    "opinion_sd": (math.log(1.0), 0.7),
    "again": (-3.0, 3.0),
    "again_sd": (math.log(2.0), 0.7),
    "slip": (-4.375, 1.0),
}
PAIR_NODES, OPINION_NODES, FURTHEST = 17, 9, 4.0
# Hundreds of repeated questions leave a posterior of r that is a tenth as wide as its prior.  Between nodes
# that are too far apart for it, the density has maxima of its own.
AGAIN_NODES, AGAIN_FURTHEST = 401, 5.0
ARRIVED = 1e-8  # largest entry of the gradient in u, where its search ends
CONVERGED = 1e-2  # largest entry of the gradient in the parameters, in nats per unit of the search
STEP = 1e-4  # of the finite differences of the gradient


@dataclass(frozen=True, eq=False)
class PeopleFit:
    """People, and how well they are known."""

    people: People  # with what was learned about pairs
    standard_errors: dict[str, float]
    log_likelihood: float  # of all answers, everything personal integrated out
    converged: bool
    gradient: float  # its largest entry
    iterations: int
    ready: Array  # u of each person, at the maximum
    ready_errors: Array


def fit_people(answers: Answers, words: tuple[str, ...], start: People | None = None) -> PeopleFit:
    """Fit the model of people to answers about ``words``.

    The search begins at ``start``, or at the centre of the prior: people who were fitted to almost the same
    answers save half of the time.
    """
    if not len(answers):
        raise SettingError("there are no answers to fit people to")
    density = _Density(answers)
    begin = np.array([PRIOR[name][0] for name in PARAMETERS]) if start is None else _point(start)
    search = minimize(density.negative, begin, jac=True, method="BFGS", options={"gtol": CONVERGED / 10})
    value, gradient = density.both(search.x)
    curvature = _curvature(density, search.x)
    values = _parameters(torch.tensor(search.x))
    people = People(**{name: value.item() for name, value in values.items()}, pairs=None)
    errors = _standard_errors(curvature, people)
    u, u_errors = density.persons(search.x)
    return PeopleFit(
        people=replace(people, pairs=density.pairs(search.x, words)),
        standard_errors=errors,
        log_likelihood=value - density.log_prior(torch.tensor(search.x)).item(),
        converged=bool(np.abs(gradient).max() <= CONVERGED),
        gradient=float(np.abs(gradient).max()),
        iterations=int(search.nit),
        ready=u,
        ready_errors=u_errors,
    )


def _parameters(at: Tensor) -> dict[str, Tensor]:
    """The parameters at a point of the search."""
    return {
        name: value.exp()
        if name.endswith("_sd")
        else MOST_SLIPS * value.sigmoid()
        if name == "slip"
        else value
        for name, value in zip(PARAMETERS, at.unbind(), strict=True)
    }


def _point(people: People) -> Array:
    """The point of the search at which the parameters are those of ``people``."""
    given = ((name, getattr(people, name)) for name in PARAMETERS)
    return np.array(
        [
            math.log(value)
            if name.endswith("_sd")
            else math.log(value / (MOST_SLIPS - value))
            if name == "slip"
            else value
            for name, value in given
        ]
    )


def _curvature(density: _Density, at: Array) -> Array:
    """Minus the Hessian of the log posterior, by differences of its gradient."""
    rows = []
    for i in range(len(at)):
        step = np.zeros(len(at))
        step[i] = STEP
        rows.append((density.both(at - step)[1] - density.both(at + step)[1]) / (2 * STEP))
    matrix = np.array(rows)
    return np.asarray((matrix + matrix.T) / 2)


def _standard_errors(curvature: Array, people: People) -> dict[str, float]:
    values, vectors = np.linalg.eigh(curvature)
    spread = (vectors**2 / np.maximum(values, 1e-9)) @ np.ones(len(values))
    units = {name: getattr(people, name) if name.endswith("_sd") else 1.0 for name in PARAMETERS} | {
        "slip": people.slip * (1 - people.slip / MOST_SLIPS)
    }
    return {name: float(np.sqrt(v)) * units[name] for name, v in zip(PARAMETERS, spread, strict=True)}


class _Density:
    """The log posterior of the parameters, and its gradient."""

    def __init__(self, answers: Answers) -> None:
        target = answers.is_target
        self._targets = answers.of(target)
        self._again = answers.of(~target & (answers.last == 1))
        self._after_no = answers.of(~target & (answers.last == 0))
        self._first = _First(answers.of(~target & (answers.last == NEVER)), int(answers.person.max()) + 1)
        self._u = np.zeros(self._first.persons)  # where the last search for the mode ended
        self._start = True

    def negative(self, at: Array) -> tuple[float, Array]:
        """Minus the log posterior and its gradient, to be minimised."""
        value, gradient = self.both(at)
        return -value, -gradient

    def both(self, at: Array) -> tuple[float, Array]:
        """The log posterior at a point, and its gradient."""
        point = torch.tensor(at, requires_grad=True)
        parameters = _parameters(point)
        value = self._laplace(parameters) + self._others(parameters) + self.log_prior(point)
        (gradient,) = torch.autograd.grad(value, point)
        return value.item(), gradient.numpy()

    @staticmethod
    def log_prior(at: Tensor) -> Tensor:
        mean, sd = torch.tensor([PRIOR[name] for name in PARAMETERS], dtype=torch.float64).unbind(-1)
        return (-0.5 * ((at - mean) / sd).square() - sd.log() - 0.5 * math.log(2 * math.pi)).sum()

    def persons(self, at: Array) -> tuple[Array, Array]:
        """The mode of u for every person, and its standard error."""
        with torch.no_grad():
            parameters = _parameters(torch.tensor(at))
            u = self._mode(parameters)
            _, _, curvature = self._first.derivatives(parameters, u)
            return u.numpy().copy(), torch.linalg.inv(curvature).diagonal().clamp_min(0).sqrt().numpy()

    def pairs(self, at: Array, words: tuple[str, ...]) -> Pairs:
        """The posterior of every pair that was asked about."""
        with torch.no_grad():
            parameters = _parameters(torch.tensor(at))
            return self._first.pairs(parameters, self._mode(parameters), words)

    def _laplace(self, parameters: dict[str, Tensor]) -> Tensor:
        """The log likelihood of first questions, with the u of all persons integrated out."""
        with torch.no_grad():
            u = self._mode(parameters)
        # One more step of Newton's method changes nothing but carries the mode's derivative.
        _, slope, curvature = self._first.derivatives(parameters, u)
        u = u + torch.linalg.solve(curvature, slope)
        value, _, curvature = self._first.derivatives(parameters, u)
        return value - 0.5 * torch.logdet(curvature) + 0.5 * len(u) * math.log(2 * math.pi)

    def _mode(self, parameters: dict[str, Tensor]) -> Tensor:
        """The most probable u of all persons, by Newton's method with halved steps."""
        u = torch.tensor(self._u)
        if self._start:
            u, self._start = torch.full_like(u, float(parameters["ready"])), False
        here = self._first.derivatives(parameters, u)
        for _ in range(100):
            value, slope, curvature = here
            if slope.abs().amax() <= ARRIVED:
                break
            values, vectors = torch.linalg.eigh(curvature)
            step = vectors @ ((vectors.mT @ slope) / values.abs().clamp_min(1e-3))
            length = 1.0
            least = value - 1e-12 * (1 + value.abs())  # but for rounding
            while (here := self._first.derivatives(parameters, u + length * step))[0] < least:
                length /= 2
                if length < 1e-9:
                    break
            u = u + length * step
        self._u = u.numpy().copy()
        return u

    def _others(self, parameters: dict[str, Tensor]) -> Tensor:
        """The log likelihood of all other questions."""
        slip = parameters["slip"]
        slips = int((~self._targets.yes).sum()) + int(self._after_no.yes.sum())
        none = len(self._targets) + len(self._after_no) - slips
        value = slips * slip.log() + none * torch.log1p(-slip)
        x, p = map(torch.tensor, nodes(AGAIN_NODES, AGAIN_FURTHEST))
        chance = slip + (1 - 2 * slip) * (parameters["again"] + parameters["again_sd"] * x).sigmoid()
        persons = self._first.persons
        yes, asked = (
            torch.tensor(np.bincount(self._again.person, weights, persons), dtype=torch.float64).unsqueeze(-1)
            for weights in (self._again.yes, None)
        )
        by_person = yes * chance.log() + (asked - yes) * torch.log1p(-chance) + p.log()
        return value + torch.logsumexp(by_person, -1).sum()


class _First:
    """The log likelihood of first questions about words other than the target, and its derivatives in u."""

    def __init__(self, answers: Answers, persons: int) -> None:
        self.persons = persons
        self._answers = answers
        size = int(max(answers.target.max(initial=0), answers.word.max(initial=0))) + 1
        pair = answers.target * size + answers.word
        self._pair_names, self._pair = np.unique(pair, return_inverse=True)
        cells, cell = np.unique(self._pair * persons + answers.person, return_inverse=True)
        self._cell = torch.tensor(cell)  # of each answer: one person and one pair
        self._cell_pair, self._cell_person = torch.tensor(cells // persons), torch.tensor(cells % persons)
        self._person = torch.tensor(answers.person)
        self._log_number = torch.tensor(np.log(answers.number / USUAL_QUESTION))
        self._found = torch.tensor(answers.found.astype(float))
        self._log_likeness = torch.tensor(np.log(clamped(answers.likeness) / USUAL_LIKENESS))
        self._yes = torch.tensor(answers.yes)[:, None, None]
        self._sign = torch.tensor(np.where(answers.yes, 1.0, -1.0))[:, None, None]
        self._size = size

    def derivatives(self, parameters: dict[str, Tensor], u: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The log density at u with its prior, its gradient, and minus its Hessian."""
        own, slopes, bends = self._by_cell(parameters, u)  # (cells, nodes of b)
        weights = torch.tensor(nodes(PAIR_NODES, FURTHEST)[1]).log()
        pairs = len(self._pair_names)
        by_pair = weights + torch.zeros(pairs, PAIR_NODES, dtype=u.dtype).index_add(0, self._cell_pair, own)
        total = torch.logsumexp(by_pair, -1)
        share = (by_pair - total.unsqueeze(-1)).exp()  # (pairs, nodes)
        spread = torch.zeros(pairs, self.persons, PAIR_NODES, dtype=u.dtype)
        spread = spread.index_put((self._cell_pair, self._cell_person), slopes)
        mean = (spread * share.unsqueeze(1)).sum(-1)  # (pairs, persons)
        sd = parameters["ready_sd"]
        off = u - parameters["ready"]
        value = total.sum() - (0.5 * (off / sd).square() + sd.log() + 0.5 * math.log(2 * math.pi)).sum()
        diagonal = torch.zeros_like(u).index_add(
            0, self._cell_person, (share[self._cell_pair] * bends).sum(-1)
        )
        weighted = (spread * share.unsqueeze(1).sqrt()).permute(1, 0, 2).flatten(1)
        hessian = diagonal.diag() + weighted @ weighted.mT - mean.mT @ mean
        return (
            value,
            mean.sum(0) - off / sd.square(),
            torch.eye(len(u), dtype=u.dtype) / sd.square() - hessian,
        )

    def _by_cell(self, parameters: dict[str, Tensor], u: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The log likelihood of each cell and node of b, without opinions, and its derivatives in u."""
        x, _ = map(torch.tensor, nodes(PAIR_NODES, FURTHEST))
        y, p = map(torch.tensor, nodes(OPINION_NODES, FURTHEST))
        odds = parameters["likeness"] + parameters["slope"] * self._log_likeness
        effects = parameters["pair_sd"] * x[:, None] + parameters["opinion_sd"] * y
        relevance = (odds[:, None, None] + effects).sigmoid()
        ready = (
            u[self._person] + parameters["question"] * self._log_number + parameters["found"] * self._found
        )
        hint = ready.sigmoid()[:, None, None]
        slip = parameters["slip"]
        chance = slip + (1 - 2 * slip) * hint * relevance
        likelihood = torch.where(self._yes, chance, 1 - chance)
        slope = self._sign * (1 - 2 * slip) * relevance * hint * (1 - hint) / likelihood
        bend = slope * (1 - 2 * hint) - slope.square()
        cells = len(self._cell_pair)
        empty = torch.zeros(cells, PAIR_NODES, OPINION_NODES, dtype=u.dtype)
        log, slope, bend = (empty.index_add(0, self._cell, part) for part in (likelihood.log(), slope, bend))
        log = log + p.log()
        total = torch.logsumexp(log, -1)
        share = (log - total.unsqueeze(-1)).exp()
        mean = (share * slope).sum(-1)
        return total, mean, (share * (bend + slope.square())).sum(-1) - mean.square()

    def pairs(self, parameters: dict[str, Tensor], u: Tensor, words: tuple[str, ...]) -> Pairs:
        own, _, _ = self._by_cell(parameters, u)
        x, p = nodes(PAIR_NODES, FURTHEST)
        by_pair = torch.zeros(len(self._pair_names), PAIR_NODES, dtype=u.dtype).index_add(
            0, self._cell_pair, own
        )
        share = torch.softmax(by_pair + torch.tensor(p).log(), -1).numpy()
        b = float(parameters["pair_sd"]) * x
        mean = share @ b
        sd = np.sqrt(np.maximum(share @ b**2 - mean**2, 1e-6))
        size = len(words)
        likeness, means, sds = (np.full((size, size), empty) for empty in (np.nan, 0.0, np.nan))
        at = np.divmod(self._pair_names, self._size)
        first = np.unique(self._pair, return_index=True)[1]
        likeness[at], means[at], sds[at] = self._answers.likeness[first], mean, sd
        return Pairs.of(words, likeness, means, sds)
