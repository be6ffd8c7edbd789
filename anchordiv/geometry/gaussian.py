"""Gaussian anchors: a constant metric, so the divergence is half a squared Mahalanobis length."""

from dataclasses import dataclass

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution, all_finite


@dataclass(frozen=True)
class LowRankPlusDiagonal:
    """The covariance F Fᵀ + diag(s), never formed.

    Args:
        factor: ``(d, r)`` F, or ``(k, d, r)`` for k of them.
        diagonal: ``(d,)`` s ≥ 0, or ``(k, d)``.
    """

    factor: Tensor
    diagonal: Tensor


class GaussianAnchors(AnchorDistribution):
    """Anchors from N(m, S): ψ(θ) = ⟨m, θ⟩ + ½ θᵀSθ.

    The divergence is ½ (θ_p − θ_q)ᵀ S (θ_p − θ_q) whatever the mean: Mahalanobis, diagonal
    re-weighting and (isotropic S) squared Euclid are special cases. Whatever was given, S is kept
    as F Fᵀ + diag(s), so the divergence is a sum of squares. In a dense S, variances below rounding
    beside the largest are taken for 0; a diagonal one keeps them.

    Args:
        mean: ``(d,)`` m.
        covariance: S, positive semidefinite: ``(d, d)`` symmetric, ``(d,)`` its diagonal, or low rank
            plus diagonal.

    Raises:
        InputError: for misshapen or non-finite numbers, or a covariance that is not positive semidefinite.
    """

    def __init__(self, mean: Tensor, covariance: Tensor | LowRankPlusDiagonal) -> None:
        if mean.ndim != 1 or len(mean) == 0 or not bool(torch.isfinite(mean).all()):
            raise InputError(f"mean must be a non-empty (d,) array of finite numbers, got shape {tuple(mean.shape)}.")
        split = covariance if isinstance(covariance, LowRankPlusDiagonal) else _split(covariance)
        factor, diagonal = split.factor, split.diagonal
        if factor.ndim != 2 or diagonal.shape != mean.shape or len(factor) != len(mean):
            raise InputError(f"the covariance does not fit a mean of {len(mean)} dimensions; give (d,) or (d, d).")
        if not bool(torch.isfinite(factor).all()) or not bool(torch.isfinite(diagonal).all()):
            raise InputError("the covariance holds numbers that are not finite.")
        if bool((diagonal < 0).any()):
            raise InputError("the covariance has a negative variance; every variance must be at least 0.")
        self.mean, self.factor, self.diagonal = mean, factor, diagonal
        self.dim = len(mean)

    def _apply(self, vector: Tensor) -> Tensor:
        factor = self.factor.to(vector)
        return (vector @ factor) @ factor.mT + self.diagonal.to(vector) * vector

    def _half_square(self, vector: Tensor) -> Tensor:
        along = vector @ self.factor.to(vector)
        return 0.5 * ((along * along).sum(dim=-1) + (self.diagonal.to(vector) * vector * vector).sum(dim=-1))

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ⟨m, θ⟩ + ½ θᵀSθ: ``(..., d) -> (...)``."""
        return self.check(theta) @ self.mean.to(theta) + self._half_square(theta)

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return m + Sθ: ``(..., d) -> (..., d)``."""
        return self.mean.to(theta) + self._apply(self.check(theta))

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return S, the same everywhere: ``(..., d) -> (..., d, d)``."""
        factor = self.factor.to(self.check(theta))
        return (factor @ factor.mT + torch.diag(self.diagonal.to(theta))).expand(*theta.shape, self.dim)

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return Sv = F(Fᵀv) + s v: ``(..., d), (..., d) -> (..., d)``."""
        return self._apply(all_finite(vector, "vector")) + torch.zeros_like(self.check(theta))

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return ½ (θ_p − θ_q)ᵀ S (θ_p − θ_q), a sum of squares: ``(..., d), (..., d) -> (...)``."""
        return self._half_square(self.check(theta_p - theta_q))

    def fisher_rao(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return √((θ_p − θ_q)ᵀ S (θ_p − θ_q)): the metric is constant, so the shortest path is straight."""
        return (2 * self.bregman(theta_p, theta_q)).sqrt()

    def support_function(self, direction: Tensor) -> Tensor:
        """Return +inf, or ⟨m, v⟩ for v along which nothing varies: ``(..., d) -> (...)``."""
        centre = self.check(direction) @ self.mean.to(direction)
        return torch.where(self._half_square(direction) > 0, torch.full_like(centre, torch.inf), centre)

    @property
    def pair_width(self) -> int:
        """The difference of a pair, its middle, what becomes of them, and the scores of the factor."""
        return 9 * self.dim + 2 * self.factor.shape[1]

    def dual_features(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return (Sθ, θ): the mean cancels from every difference, so it is left out."""
        return self._apply(self.check(theta)), theta

    def jeffreys_of_features(self, v_p: Tensor, v_q: Tensor) -> Tensor:
        """Return (v_p − v_q)ᵀ S (v_p − v_q), twice the divergence: ``(..., d), (..., d) -> (...)``."""
        return 2 * self.bregman(v_p, v_q)


def _split(covariance: Tensor) -> LowRankPlusDiagonal:
    """Return a dense covariance as a factor without diagonal, and a diagonal one without factor."""
    if covariance.ndim == 1:
        return LowRankPlusDiagonal(covariance.new_zeros(len(covariance), 0), covariance)
    if covariance.ndim != 2 or covariance.shape[0] != covariance.shape[1]:
        raise InputError(f"the covariance must be (d,) or (d, d), got shape {tuple(covariance.shape)}.")
    if not bool(torch.isfinite(covariance).all()):
        raise InputError("the covariance holds numbers that are not finite.")
    if not torch.allclose(covariance, covariance.mT, atol=float(_rounding(covariance.abs().max(), covariance))):
        raise InputError("the covariance is not symmetric.")
    variances, axes = torch.linalg.eigh(covariance)
    rounding = _rounding(variances.abs().max(), covariance)
    if bool((variances < -rounding).any()):
        raise InputError(f"the covariance is not positive semidefinite: it has the eigenvalue {variances.min():.3g}.")
    kept = variances > rounding  # what is left out is zero to the precision of the numbers given
    return LowRankPlusDiagonal(axes[:, kept] * variances[kept].sqrt(), covariance.new_zeros(len(covariance)))


def _rounding(scale: Tensor, like: Tensor) -> Tensor:
    return scale * len(like) * torch.finfo(like.dtype).eps
