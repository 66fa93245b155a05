"""Normal distributions over the weights theta, in batches.

After few answers, such a distribution differs from the prior N(0, tau^2 I) only in the span of a few vectors.
It is then kept in the coordinates c of an orthonormal basis Q (M, R) of that span:

    theta = mean + Q F e + rest,      e ~ N(0, I),      rest ~ N(0, tau^2 (I - QQ')), independent of e.

Where the span is the whole space, there is no basis, and theta = mean + F e.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["FEW_FEATURES", "Gaussian"]

FEW_FEATURES = 32  # with so few, the whole space takes no longer than a span

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A batch of normal distributions over theta."""

    mean: Array  # (B, M)
    basis: Array | None  # (B, M, R), Q; None where R = M and Q is the identity
    factor: Array  # (B, R, P), F
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
        outside = 0 if self.basis is None else self.mean.shape[-1]
        return int(self.factor.shape[-1]) + outside

    def draws(self, normals: Array) -> Array:
        """Theta (B, M), from standard normal numbers (B, ``normals``)."""
        width = self.factor.shape[-1]
        inner = self.factor @ normals[:, :width, None]
        if self.basis is None:
            return self.mean + inner[..., 0]
        prior = self.tau * normals[:, width:]
        inner = inner - self.basis.swapaxes(-1, -2) @ prior[..., None]
        return self.mean + prior + (self.basis @ inner)[..., 0]

    @property
    def whole_factor(self) -> Array:
        """A square root (B, M, M) of ``cov``, for a square F: F itself where there is no basis."""
        if self.basis is None:
            return self.factor
        change = self.factor - self.tau * np.eye(self.factor.shape[1])
        return self.tau * np.eye(self.mean.shape[-1]) + self.basis @ change @ self.basis.swapaxes(-1, -2)


def _squares(array: Array) -> Array:
    """The squared length of every row."""
    return np.asarray(np.einsum("...i,...i->...", array, array))
