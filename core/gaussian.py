"""Normal distributions over the weights theta, in batches.

After few answers, such a distribution differs from the prior N(0, tau^2 I) only in the span of a few vectors.
It is then kept in the coordinates of an orthonormal basis Q (M, R) of that span:

    theta = mean + prior + Q (F / tau - I) Q'prior,      prior ~ N(0, tau^2 I),

which is Matheron's rule: a draw from the prior, corrected for the answers.  F is the symmetric square root of
the covariance in the span.  So a draw does not depend on the basis, which is not the same on every machine
where the vectors that span it depend on each other.

Where the span is the whole space, there is no basis, and theta = mean + F e, with e ~ N(0, I).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.batch import Batch

FEW_FEATURES = 32  # with so few, the whole space takes no longer than a span

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gaussian(Batch):
    """A batch of normal distributions over theta."""

    mean: Array  # (B, M)
    basis: Array | None  # (B, M, R), Q; None where R = M and Q is the identity
    factor: Array  # (B, R, R), F, symmetric; without a basis, any square root (B, M, P)
    tau: float  # the standard deviation of theta outside the basis

    @property
    def cov(self) -> Array:
        """(B, M, M)"""
        inner = self.factor @ self.factor.swapaxes(-1, -2)
        if self.basis is None:
            return inner
        less = inner - self.tau**2 * np.eye(inner.shape[-1])
        return self.tau**2 * np.eye(self.mean.shape[-1]) + self.basis @ less @ self.basis.swapaxes(-1, -2)

    def means(self, arms: Array) -> Array:
        """The means (B, K) of the values of arms (B, K, M)."""
        return (arms @ self.mean[..., None])[..., 0]

    def variances(self, arms: Array) -> Array:
        """The variances (B, K) of the values of arms (B, K, M)."""
        if self.basis is None:
            return _squares(arms @ self.factor)
        inside = arms @ self.basis
        outside = _squares(arms) - _squares(inside)
        return _squares(inside @ self.factor) + self.tau**2 * np.maximum(outside, 0.0)

    @property
    def normals(self) -> int:
        """How many standard normal numbers a draw takes."""
        return int((self.factor if self.basis is None else self.mean).shape[-1])

    def draws(self, normals: Array) -> Array:
        """Theta (B, M), from standard normal numbers (B, ``normals``)."""
        if self.basis is None:
            return self.mean + (self.factor @ normals[..., None])[..., 0]
        inside = self.correction @ (self.basis.swapaxes(-1, -2) @ normals[..., None])
        return self.mean + self.tau * (normals + (self.basis @ inside)[..., 0])

    @property
    def correction(self) -> Array:
        """F / tau - I (B, R, R): what answers change in a draw from the prior, where there is a basis."""
        return self.factor / self.tau - np.eye(self.factor.shape[1])

    def root(self, arms: Array) -> Array:
        """A square root (B, K, R) of the covariance of the values of arms (B, K, M); R is M, or K if less."""
        _, K, M = arms.shape
        if self.basis is None:
            spread = arms @ self.factor
        else:  # F / tau = I + Q (F / tau - I) Q' in the whole space
            inside = arms @ self.basis
            spread = self.tau * (arms + inside @ self.correction @ self.basis.swapaxes(-1, -2))
        return spread if M <= K else symmetric_root(spread @ spread.swapaxes(-1, -2))


def symmetric_root(matrices: Array) -> Array:
    """The symmetric positive semidefinite square roots of such matrices (B, R, R)."""
    values, vectors = np.linalg.eigh(matrices)
    roots = np.sqrt(np.maximum(values, 0.0))
    return np.asarray((vectors * roots[:, None]) @ vectors.swapaxes(-1, -2))


def _squares(array: Array) -> Array:
    """The squared length of every row."""
    return np.asarray(np.einsum("...i,...i->...", array, array))
