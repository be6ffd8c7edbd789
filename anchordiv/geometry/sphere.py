"""Uniform anchors on the unit sphere: the anchor distribution whose geometry is cosine's."""

import math

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution

_SERIES_REACH = 25.0  # x²/4 ≤ reach · (ν + 1): there the power series sums to at most e^25
_SERIES_TERMS = 130  # enough for the series at that reach, for every order
_DEBYE_ORDER = 100.0  # from this order on, five terms of the Debye expansion are good to 1e-13


class UniformSphereAnchors(AnchorDistribution):
    """Anchors spread evenly over the unit sphere of ``R^dim``.

    Mathematically ψ depends on r = ‖θ‖ alone: ψ = log [Γ(d/2) (2/r)^ν I_ν(r)], ν = d/2 − 1, and
    for two θ of equal norm κ the divergence is κ A_d(κ)(1 − cos): cosine's ranking, exactly.

    Args:
        dim: the dimension d ≥ 2.
    """

    def __init__(self, dim: int) -> None:
        if dim < 2:
            raise InputError(f"a sphere needs at least 2 dimensions, got {dim}.")
        self.dim = dim

    def _norm(self, theta: Tensor) -> Tensor:
        if theta.shape[-1] != self.dim:
            raise InputError(f"theta has {theta.shape[-1]} dimensions, the sphere has {self.dim}.")
        norm: Tensor = torch.linalg.vector_norm(theta, dim=-1)
        return norm

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ψ(θ), 0 at θ = 0: ``(..., d) -> (...)``."""
        return log_bessel_partition(self._norm(theta), self.dim)

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return A_d(r) θ/r: ``(..., d) -> (..., d)``."""
        return mean_resultant_over_norm(self._norm(theta), self.dim).unsqueeze(-1) * theta

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return A/r · 1 + (A′ − A/r) uuᵀ with u = θ/r: ``(..., d) -> (..., d, d)``."""
        r = self._norm(theta)
        ratio = mean_resultant_over_norm(r, self.dim)
        # A′ = 1 − A² − (d − 1)A/r; divided by r² below, so the outer product may use θ itself.
        slope = 1 - (ratio * r) ** 2 - (self.dim - 1) * ratio
        along = torch.where(r > 0, (slope - ratio) / torch.where(r > 0, r * r, torch.ones_like(r)), torch.zeros_like(r))
        identity = torch.eye(self.dim, dtype=theta.dtype, device=theta.device)
        outer = theta.unsqueeze(-1) * theta.unsqueeze(-2)
        return ratio[..., None, None] * identity + along[..., None, None] * outer

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return B split into its radial part and A_d(r_q) r_p (1 − cos): ``(..., d), (..., d) -> (...)``.

        The radial part vanishes for equal norms and 1 − cos = ½‖u_p − u_q‖², so nothing
        cancels between near directions.
        """
        r_p, r_q = self._norm(theta_p), self._norm(theta_q)
        resultant = mean_resultant_over_norm(r_q, self.dim) * r_q
        radial = log_bessel_partition(r_p, self.dim) - log_bessel_partition(r_q, self.dim) - resultant * (r_p - r_q)
        chord = _direction(theta_p, r_p) - _direction(theta_q, r_q)
        return radial + resultant * r_p * 0.5 * (chord * chord).sum(dim=-1)


def _direction(theta: Tensor, norm: Tensor) -> Tensor:
    return theta / torch.where(norm > 0, norm, torch.ones_like(norm)).unsqueeze(-1)


def log_bessel_partition(r: Tensor, dim: int) -> Tensor:
    """Return log [Γ(ν+1) (2/r)^ν I_ν(r)], ν = d/2 − 1, elementwise in r ≥ 0.

    It is the logarithm of 0F1(; ν+1; r²/4): the power series (all terms positive) serves small
    r; elsewhere the uniform Debye expansion (DLMF 10.41.3) at a raised order, brought down by
    the recurrence of the ratios I_{k+1}/I_k, which contracts errors.
    """
    nu = dim / 2 - 1
    quarter = r * r / 4
    small = quarter <= _SERIES_REACH * (nu + 1)
    series = torch.log1p(_series_beyond_one(torch.where(small, quarter, torch.zeros_like(r)), nu))
    x = torch.where(small, torch.full_like(r, 2 * math.sqrt(_SERIES_REACH * (nu + 1))), r)
    order, log_ratios = nu, torch.zeros_like(x)
    for ratio in _ratios_down_to(x, nu):
        log_ratios = log_ratios + torch.log(ratio)
        order += 1
    log_bessel = _log_debye(x, order) - log_ratios
    large = math.lgamma(nu + 1) + nu * torch.log(2 / x) + log_bessel
    return torch.where(small, series, large)


def mean_resultant_over_norm(r: Tensor, dim: int) -> Tensor:
    """Return A_d(r)/r with A_d = I_{d/2}/I_{d/2−1}, 1/d at r = 0, elementwise in r ≥ 0."""
    nu = dim / 2 - 1
    # I_{ν+1}/(x I_ν) = 1 / (2(ν+1) + x·I_{ν+2}/I_{ν+1}); the raised ratio comes from the same recurrence.
    above = _ratios_down_to(torch.where(r > 0, r, torch.ones_like(r)), nu + 1, at_least=1)[-1]
    return 1 / (2 * (nu + 1) + r * torch.where(r > 0, above, torch.zeros_like(r)))


def _ratios_down_to(x: Tensor, nu: float, at_least: int = 0) -> list[Tensor]:
    """Return I_{k+1}/I_k for k from a high order down to ν, highest first."""
    steps = max(at_least, math.ceil(_DEBYE_ORDER - nu))
    if steps == 0:
        return []
    top = nu + steps
    ratio = torch.exp(_log_debye(x, top + 1) - _log_debye(x, top))
    ratios = []
    for step in range(1, steps + 1):
        ratio = x / (2 * (top - step + 1) + x * ratio)
        ratios.append(ratio)
    return ratios


def _series_beyond_one(quarter: Tensor, nu: float) -> Tensor:
    total = torch.zeros_like(quarter)
    for k in range(_SERIES_TERMS, 0, -1):
        total = quarter / (k * (nu + k)) * (1 + total)
    return total


def _log_debye(x: Tensor, nu: float) -> Tensor:
    """Return log I_ν(x) by the uniform expansion for large order (DLMF 10.41.3, U_k from 10.41.10)."""
    root = torch.sqrt(nu * nu + x * x)
    p = nu / root
    exponent = root + nu * torch.log(x / (nu + root))
    q = p * p
    u1 = p * (3 - 5 * q) / 24
    u2 = q * (81 - 462 * q + 385 * q**2) / 1152
    u3 = p * q * (30375 - 369603 * q + 765765 * q**2 - 425425 * q**3) / 414720
    u4 = q**2 * (4465125 - 94121676 * q + 349922430 * q**2 - 446185740 * q**3 + 185910725 * q**4) / 39813120
    correction = u1 / nu + u2 / nu**2 + u3 / nu**3 + u4 / nu**4
    return exponent - 0.5 * torch.log(2 * math.pi * root) + torch.log1p(correction)
