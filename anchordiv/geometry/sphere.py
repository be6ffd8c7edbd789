"""Anchors on the unit sphere: uniform, whose geometry is cosine's, and von Mises-Fisher."""

import math
from collections import deque
from collections.abc import Iterator

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution

_SERIES_REACH = 25.0  # x²/4 ≤ reach · (ν + 1): there the power series sums to at most e^25
_SERIES_TERMS = 130  # enough for the series at that reach, for every order
_GAUSS_LEGENDRE = (  # (node, weight) on [0, 1]
    (0.5 - math.sqrt(0.15), 5 / 18),
    (0.5, 8 / 18),
    (0.5 + math.sqrt(0.15), 5 / 18),
)
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
        norm: Tensor = torch.linalg.vector_norm(self.check(theta), dim=-1)
        return norm

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ψ(θ), 0 at θ = 0: ``(..., d) -> (...)``."""
        return log_bessel_partition(self._norm(theta), self.dim)

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return A_d(r) θ/r: ``(..., d) -> (..., d)``."""
        return mean_resultant_over_norm(self._norm(theta), self.dim).unsqueeze(-1) * theta

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return A/r · 1 + (A′ − A/r) uuᵀ with u = θ/r: ``(..., d) -> (..., d, d)``."""
        identity = torch.eye(self.dim, dtype=theta.dtype, device=theta.device)
        return self.fisher_vector_product(theta.unsqueeze(-2), identity)

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return A/r · v + (A′ − A/r) u⟨u, v⟩: ``(..., d), (..., d) -> (..., d)``."""
        r = self._norm(theta)
        ratio = mean_resultant_over_norm(r, self.dim)
        direction = _direction(theta, r)
        along = (_resultant_slope(r, self.dim) - ratio) * (direction * vector).sum(dim=-1)
        return ratio.unsqueeze(-1) * vector + along.unsqueeze(-1) * direction

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return B(θ_p : θ_q) in its near form: ``(..., d), (..., d) -> (...)``."""
        return self.bregman_of_step(theta_q, theta_p - theta_q)

    def bregman_of_step(self, theta: Tensor, step: Tensor) -> Tensor:
        """Return B(θ + δ : θ) split into its radial part and A_d(r) r_p (1 − cos): ``(..., d), (..., d) -> (...)``.

        With h = r_p − r = ⟨2θ + δ, δ⟩/(r_p + r) and unit vectors u, 1 − cos = ½‖u_p − u‖² and
        u_p − u = (δ − h u)/r_p: each is formed from the difference δ, so nothing cancels.
        """
        r, r_p = self._norm(theta), self._norm(theta + step)
        rise = ((2 * theta + step) * step).sum(dim=-1) / _or_one(r_p + r)
        resultant = mean_resultant_over_norm(r, self.dim) * r
        across = step - rise.unsqueeze(-1) * _direction(theta, r)
        chord_part = resultant * 0.5 * (across * across).sum(dim=-1) / _or_one(r_p)
        return _radial_bregman(r, rise, self.dim) + chord_part

    def support_function(self, direction: Tensor) -> Tensor:
        """Return ‖v‖: ``(..., d) -> (...)``."""
        return self._norm(direction)

    @property
    def pair_width(self) -> int:
        """The difference of a pair, what becomes of it, and the Bessel functions of two norms."""
        return 4 * self.dim + 30


class VonMisesFisherAnchors(AnchorDistribution):
    """Anchors from a von Mises-Fisher law: the uniform sphere, tilted by κ₀μ.

    ψ(θ) = log C_d(κ₀) − log C_d(‖κ₀μ + θ‖) with C_d(κ) = κ^{d/2−1} / ((2π)^{d/2} I_{d/2−1}(κ)): the
    geometry of the uniform sphere seen from the point κ₀μ.

    Args:
        mean_direction: ``(d,)`` μ, of any length but zero; it is normalised.
        spread: κ₀ ≥ 0, the concentration of the anchors' own law around μ (not the concentration of
            θ): 0 spreads them evenly over the sphere, a large one gathers them at μ.

    Raises:
        InputError: for a direction without direction, or a spread that is not a number ≥ 0.
    """

    def __init__(self, mean_direction: Tensor, spread: float) -> None:
        if mean_direction.ndim != 1 or not bool(torch.isfinite(mean_direction).all()):
            raise InputError(f"mean_direction must be a finite (d,) array, got shape {tuple(mean_direction.shape)}.")
        length = torch.linalg.vector_norm(mean_direction)
        if not bool(length > 0):
            raise InputError("mean_direction is zero; give a vector that points somewhere.")
        if not 0 <= spread < math.inf:
            raise InputError(f"spread must be a finite number of at least 0, got {spread}.")
        self.sphere = UniformSphereAnchors(len(mean_direction))
        self.dim = self.sphere.dim
        self.tilt: Tensor = spread * mean_direction / length
        self.spread = float(spread)

    def _tilted(self, theta: Tensor) -> Tensor:
        return self.check(theta) + self.tilt.to(theta)

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ψ_0(κ₀μ + θ) − ψ_0(κ₀μ), ψ_0 the uniform sphere's: ``(..., d) -> (...)``."""
        return self.sphere.log_partition(self._tilted(theta)) - self.sphere.log_partition(self.tilt.to(theta))

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return the uniform sphere's η at κ₀μ + θ: ``(..., d) -> (..., d)``."""
        return self.sphere.mean_parameter(self._tilted(theta))

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return the uniform sphere's metric at κ₀μ + θ: ``(..., d) -> (..., d, d)``."""
        return self.sphere.fisher_metric(self._tilted(theta))

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return the uniform sphere's product at κ₀μ + θ: ``(..., d), (..., d) -> (..., d)``."""
        return self.sphere.fisher_vector_product(self._tilted(theta), vector)

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return the uniform sphere's divergence of θ_p − θ_q at κ₀μ + θ_q: ``(..., d), (..., d) -> (...)``."""
        return self.sphere.bregman_of_step(self._tilted(theta_q), theta_p - theta_q)

    def support_function(self, direction: Tensor) -> Tensor:
        """Return ‖v‖: ``(..., d) -> (...)``."""
        return self.sphere.support_function(direction)

    @property
    def pair_width(self) -> int:
        """The uniform sphere's, and the tilted points."""
        return self.sphere.pair_width + self.dim


def _or_one(positive: Tensor) -> Tensor:
    """Return the numbers as they are, and 1 for 0: a denominator whose numerator is 0 too."""
    return torch.where(positive > 0, positive, torch.ones_like(positive))


def _direction(theta: Tensor, norm: Tensor) -> Tensor:
    return theta / _or_one(norm).unsqueeze(-1)


def _resultant_slope(r: Tensor, dim: int) -> Tensor:
    """Return A_d′(r) = 1 − A² − (d − 1) A/r, the variance of the anchors along θ, elementwise in r ≥ 0."""
    ratio = mean_resultant_over_norm(r, dim)
    return 1 - (ratio * r) ** 2 - (dim - 1) * ratio


def _radial_bregman(r: Tensor, rise: Tensor, dim: int) -> Tensor:
    """Return g(r + h) − g(r) − A(r) h for g = log_bessel_partition, elementwise.

    For a short step it is Taylor's remainder h² ∫₀¹ (1 − t) A′(r + t h) dt by three Gauss-Legendre
    nodes: A′ changes over lengths of order 1 + r, so they are exact to rounding and nothing cancels.
    """
    short = rise.abs() < 0.01 * (1 + r)
    step = torch.where(short, rise, torch.zeros_like(rise))
    nodes = step.new_tensor([node for node, _ in _GAUSS_LEGENDRE])
    weights = step.new_tensor([weight * (1 - node) for node, weight in _GAUSS_LEGENDRE])
    remainder = _resultant_slope(r.unsqueeze(-1) + nodes * step.unsqueeze(-1), dim) @ weights
    resultant = mean_resultant_over_norm(r, dim) * r
    plain = log_bessel_partition(r + rise, dim) - log_bessel_partition(r, dim) - resultant * rise
    return torch.where(short, step * step * remainder, plain)


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
    above = deque(_ratios_down_to(_or_one(r), nu + 1, at_least=1), maxlen=1).pop()
    return 1 / (2 * (nu + 1) + r * torch.where(r > 0, above, torch.zeros_like(r)))


def _ratios_down_to(x: Tensor, nu: float, at_least: int = 0) -> Iterator[Tensor]:
    """Yield I_{k+1}/I_k for k from a high order down to ν."""
    steps = max(at_least, math.ceil(_DEBYE_ORDER - nu))
    top = nu + steps
    ratio = torch.exp(_log_debye(x, top + 1) - _log_debye(x, top))
    for step in range(1, steps + 1):
        ratio = x / (2 * (top - step + 1) + x * ratio)
        yield ratio


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
