"""Anchors on the unit sphere: uniform, whose geometry is cosine's, and von Mises-Fisher."""

import math
from collections import deque
from collections.abc import Iterator
from fractions import Fraction
from functools import cache

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution, all_finite

_INNER, _OUTER = (math.sqrt(5 - sign * math.sqrt(40 / 7)) / 3 for sign in (1, -1))
_GAUSS_LEGENDRE = (  # (node, weight) on [-1, 1]
    (-_OUTER, (322 - 13 * math.sqrt(70)) / 900),
    (-_INNER, (322 + 13 * math.sqrt(70)) / 900),
    (0.0, 128 / 225),
    (_INNER, (322 + 13 * math.sqrt(70)) / 900),
    (_OUTER, (322 - 13 * math.sqrt(70)) / 900),
)
_SHORT = 0.2  # of d/2 + r, the length over which A′ changes: there five nodes are good to 1e-10
_DEBYE_ORDER = 25.0  # from this order on, the Debye expansion is good to rounding with
_DEBYE_TERMS = 10  # so many terms beyond its leading one


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
        return _representable(norm, norm * norm)

    def _square(self, theta: Tensor) -> Tensor:
        square = (self.check(theta) * theta).sum(dim=-1)  # smooth at 0, where the norm is not
        return _representable(square, square)

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ψ(θ), 0 at θ = 0: ``(..., d) -> (...)``."""
        return _log_partition(self._square(theta), self.dim)

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return A_d(r) θ/r: ``(..., d) -> (..., d)``."""
        return _resultant(self._square(theta), self.dim)[0].unsqueeze(-1) * theta

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return A/r · 1 + (A′ − A/r) uuᵀ with u = θ/r: ``(..., d) -> (..., d, d)``."""
        identity = torch.eye(self.dim, dtype=theta.dtype, device=theta.device)
        return self.fisher_vector_product(theta.unsqueeze(-2), identity)

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return A/r · v + (A′ − A/r) u⟨u, v⟩: ``(..., d), (..., d) -> (..., d)``."""
        r = self._norm(theta)
        ratio, slope = _resultant(self._square(theta), self.dim)
        direction = _direction(theta, r)
        along = (slope - ratio) * (direction * all_finite(vector, "vector")).sum(dim=-1)
        return ratio.unsqueeze(-1) * vector + along.unsqueeze(-1) * direction

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return B(θ_p : θ_q) in its near form: ``(..., d), (..., d) -> (...)``."""
        return self.bregman_of_step(theta_q, theta_p - theta_q)

    def bregman_of_step(self, theta: Tensor, step: Tensor) -> Tensor:
        """Return B(θ + δ : θ) split into its radial part and A_d(r) r_p (1 − cos): ``(..., d), (..., d) -> (...)``.

        With h = r_p − r = (2⟨θ, δ⟩ + ‖δ‖²)/(r_p + r) and unit vectors u, 1 − cos = ½‖u_p − u‖² and
        u_p − u = (δ − h u)/r_p: each is formed from the difference δ, so nothing cancels. Where one
        of the two is 0, norms have no gradient; the definition has, and is as exact there.
        """
        r, r_p = self._norm(theta), self._norm(theta + step)
        ratio, _ = _resultant(r * r, self.dim)
        along = (theta * step).sum(dim=-1)
        rise = (2 * along + (step * step).sum(dim=-1)) / _or_one(r_p + r)
        across = step - rise.unsqueeze(-1) * _direction(theta, r)
        chord_part = ratio * r * 0.5 * (across * across).sum(dim=-1) / _or_one(r_p)
        near = _radial_bregman(r, rise, self.dim) + chord_part
        plain = log_bessel_partition(r_p, self.dim) - log_bessel_partition(r, self.dim) - ratio * along
        return torch.where((r > 0) & (r_p > 0), near, plain)

    def jeffreys_of_features(self, v_p: Tensor, v_q: Tensor) -> Tensor:
        """Return |A_p − A_q||r_p − r_q| + ½(A_p r_q + A_q r_p)‖u_p − u_q‖²: ``(..., d), (..., d) -> (...)``.

        ⟨η_p − η_q, θ_p − θ_q⟩ with η = A u and θ = r u; A grows with r, so both terms are ≥ 0 by their form.
        """
        r_p, r_q = self._norm(v_p), self._norm(v_q)
        over_p, over_q = mean_resultant_over_norm(r_p, self.dim), mean_resultant_over_norm(r_q, self.dim)
        turned = _direction(v_p, r_p) - _direction(v_q, r_q)
        across = 0.5 * (over_p + over_q) * r_p * r_q * (turned * turned).sum(dim=-1)
        return (over_p * r_p - over_q * r_q).abs() * (r_p - r_q).abs() + across

    def support_function(self, direction: Tensor) -> Tensor:
        """Return ‖v‖: ``(..., d) -> (...)``."""
        return self._norm(direction)

    @property
    def pair_width(self) -> int:
        """The difference of a pair, what becomes of it, and the Bessel functions of two norms."""
        return 9 * self.dim + 60


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
        largest = mean_direction.abs().max() if len(mean_direction) else torch.tensor(0.0)
        if not bool(largest > 0):
            raise InputError("mean_direction is zero; give a vector that points somewhere.")
        direction = mean_direction / largest  # first, so that no square leaves the range of its dtype
        if not 0 <= spread < math.inf:
            raise InputError(f"spread must be a finite number of at least 0, got {spread}.")
        self.sphere = UniformSphereAnchors(len(mean_direction))
        self.dim = self.sphere.dim
        self.tilt: Tensor = spread * (direction / torch.linalg.vector_norm(direction))
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

    def jeffreys_of_features(self, v_p: Tensor, v_q: Tensor) -> Tensor:
        """Return the uniform sphere's at κ₀μ + v: ``(..., d), (..., d) -> (...)``."""
        return self.sphere.jeffreys_of_features(self._tilted(v_p), self._tilted(v_q))

    def support_function(self, direction: Tensor) -> Tensor:
        """Return ‖v‖: ``(..., d) -> (...)``."""
        return self.sphere.support_function(direction)

    @property
    def pair_width(self) -> int:
        """The uniform sphere's, and the tilted points."""
        return self.sphere.pair_width + self.dim


def _representable(numbers: Tensor, squares: Tensor) -> Tensor:
    """Return ``numbers`` unchanged.

    Raises:
        InputError: when a square of a length leaves the range of its dtype.
    """
    if not bool(torch.isfinite(squares.sum())) and not bool(torch.isfinite(squares).all()):
        raise InputError(f"theta is too long for {squares.dtype}: its squared length is infinite there; widen it.")
    return numbers


def _or_one(positive: Tensor) -> Tensor:
    """Return the numbers as they are, and 1 for 0: a denominator whose numerator is 0 too."""
    return torch.where(positive > 0, positive, torch.ones_like(positive))


def _direction(theta: Tensor, norm: Tensor) -> Tensor:
    return theta / _or_one(norm).unsqueeze(-1)


def _radial_bregman(r: Tensor, rise: Tensor, dim: int) -> Tensor:
    """Return g(r + h) − g(r) − A(r) h for g = log_bessel_partition, elementwise.

    For a short step it is Taylor's remainder h² ∫₀¹ (1 − t) A′(r + t h) dt by Gauss-Legendre nodes,
    whose terms are all positive. For a long one g(r) − r takes the place of g, and A − 1 that of A:
    what is linear in r adds nothing to the result, but would drown it.
    """
    short = rise.abs() < _SHORT * (dim / 2 + r)
    step = torch.where(short, rise, torch.zeros_like(rise))
    nodes = step.new_tensor([(1 + node) / 2 for node, _ in _GAUSS_LEGENDRE])
    weights = step.new_tensor([weight * (1 - node) / 4 for node, weight in _GAUSS_LEGENDRE])
    _, slopes = _resultant((r.unsqueeze(-1) + nodes * step.unsqueeze(-1)) ** 2, dim)
    ratio, slope = _resultant(r * r, dim)
    missing = (slope + (dim - 1) * ratio) / (1 + ratio * r)  # 1 − A, from A′ = 1 − A² − (d − 1) A/r
    plain = _log_partition_less_norm(r + rise, dim) - _log_partition_less_norm(r, dim) + missing * rise
    return torch.where(short, step * step * (slopes @ weights), plain)


def log_bessel_partition(r: Tensor, dim: int) -> Tensor:
    """Return log [Γ(ν+1) (2/r)^ν I_ν(r)], ν = d/2 − 1, elementwise in r ≥ 0.

    It is ψ_ν = log 0F1(; ν+1; r²/4), brought down from a high order N by 0F1's recurrence:
    ψ_k = ψ_{k+1} + log1p(r I_{k+2}/(2(k+1) I_{k+1})). Every term is positive, so nothing cancels.
    """
    return _log_partition(r * r, dim)


def _log_partition(square: Tensor, dim: int) -> Tensor:
    order = _high_order(dim / 2 - 1)
    return square / (order + torch.sqrt(order * order + square)) + _log_partition_less_lead(square, dim)


def _log_partition_less_norm(r: Tensor, dim: int) -> Tensor:
    """Return log_bessel_partition − r, which grows like log r only, with its digits kept at large r."""
    order = _high_order(dim / 2 - 1)
    root = torch.sqrt(order * order + r * r)
    # ψ's lead is r²/(N + √(N² + r²)); less r it is −N times a number from 0 to 1.
    lead = -order * (r / (root + r)) * ((root + r + order) / (root + order))
    return lead + _log_partition_less_lead(r * r, dim)


def _log_partition_less_lead(square: Tensor, dim: int) -> Tensor:
    order = _high_order(dim / 2 - 1)
    total = _log_debye_less_lead(square, order)
    for ratio, _ in _ratios_down_to(square, dim / 2, order):
        total = total + torch.log1p(square * ratio / (2 * order))
        order -= 1
    return total


def mean_resultant_over_norm(r: Tensor, dim: int) -> Tensor:
    """Return A_d(r)/r with A_d = I_{d/2}/I_{d/2−1}, 1/d at r = 0, elementwise in r ≥ 0."""
    return _resultant(r * r, dim)[0]


def _resultant(square: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    """Return A_d(r)/r and A_d′(r), the variances of the anchors across θ and along it, elementwise in r² ≥ 0."""
    nu = dim / 2 - 1
    return deque(_ratios_down_to(square, nu, _high_order(nu)), maxlen=1).pop()


def _high_order(nu: float) -> float:
    """Return the first order ν + 1, ν + 2, … at which the Debye expansion may be trusted."""
    return nu + max(1, math.ceil(_DEBYE_ORDER - nu))


def _ratios_down_to(square: Tensor, nu: float, order: float) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield A/x and A′ for A = I_{k+1}(x)/I_k(x), x² = ``square``, for k from a high order down to ν.

    A_k/x = 1 / (2(k+1) + x A_{k+1}), and its derivative A_k′ = (A_k/x)² (2(k+1) − x² A_{k+1}′), keep
    the digits that A′ = 1 − A² − (d − 1) A/x loses at large x; both contract the errors from above.
    """
    ratio, slope = _debye_ratio(square, order)
    yield ratio, slope
    while order > nu:
        double = 2 * order
        ratio = 1 / (double + square * ratio)
        slope = ratio * ratio * (double - square * slope)
        order -= 1
        yield ratio, slope


def _debye_ratio(square: Tensor, nu: float) -> tuple[Tensor, Tensor]:
    """Return A/x and A′ for A = I_{ν+1}(x)/I_ν(x) by the uniform expansion, each of its differences formed first."""
    low, high = torch.sqrt(nu * nu + square), torch.sqrt((nu + 1) ** 2 + square)
    rise = (2 * nu + 1) / (low + high)
    lower, lower_slope = _debye_correction(square, nu)
    upper, upper_slope = _debye_correction(square, nu + 1)
    exponent = rise - nu * torch.log1p((1 + rise) / (nu + low)) - 0.25 * torch.log1p((2 * nu + 1) / (low * low))
    ratio = torch.exp(exponent + upper - lower) / (nu + 1 + high)
    log_slope = rise + square / (low * low) * ((nu + 0.5) / (high * high)) + upper_slope - lower_slope
    return ratio, ratio * log_slope


def _log_debye_less_lead(square: Tensor, nu: float) -> Tensor:
    """Return log 0F1(; ν+1; x²/4) − x²/(ν + √(ν² + x²)) by the uniform expansion, 0 at 0."""
    root = torch.sqrt(nu * nu + square)
    coefficients = _debye_coefficients(nu)
    quotient, partial = torch.zeros_like(root), 0.0
    for coefficient in reversed(coefficients[1:]):  # (C(p) − C(1)) / (p − 1), by synthetic division
        partial += coefficient
        quotient = quotient * (nu / root) + partial
    beyond = -square / (root * (root + nu)) * quotient
    bend = nu * torch.log1p(square / ((root + nu) * (2 * nu))) + 0.25 * torch.log1p(square / (nu * nu))
    return torch.log1p(beyond / (1 + sum(coefficients))) - bend


def _debye_correction(square: Tensor, nu: float) -> tuple[Tensor, Tensor]:
    """Return c = log (1 + U_1(p)/ν + U_2(p)/ν² + …) at p = ν/√(ν² + x²), and x dc/dx."""
    root = torch.sqrt(nu * nu + square)
    p = nu / root
    value, slope = torch.zeros_like(p), torch.zeros_like(p)
    for coefficient in reversed(_debye_coefficients(nu)):
        slope = slope * p + value
        value = value * p + coefficient
    return torch.log1p(value), -slope / (1 + value) * p * (square / (root * root))


@cache
def _debye_coefficients(nu: float) -> tuple[float, ...]:
    """Return the coefficients of U_1(p)/ν + U_2(p)/ν² + … as a polynomial in p, from its constant, 0, on."""
    total = [0.0] * (3 * _DEBYE_TERMS + 1)
    for k, polynomial in enumerate(_debye_polynomials()[1:], start=1):
        for power, coefficient in polynomial.items():
            total[power] += float(coefficient) / nu**k
    return tuple(total)


@cache
def _debye_polynomials() -> tuple[dict[int, Fraction], ...]:
    """Return U_0, U_1, …, each {power: coefficient}, by DLMF 10.41.9.

    U_{k+1}(p) = ½ p² (1 − p²) U_k′(p) + ⅛ ∫₀ᵖ (1 − 5t²) U_k(t) dt.
    """
    polynomials = [{0: Fraction(1)}]
    for _ in range(_DEBYE_TERMS):
        following: dict[int, Fraction] = {}
        for n, c in polynomials[-1].items():
            raised = Fraction(n, 2) + Fraction(1, 8 * (n + 1))
            lowered = Fraction(n, 2) + Fraction(5, 8 * (n + 3))
            following[n + 1] = following.get(n + 1, Fraction(0)) + c * raised
            following[n + 3] = following.get(n + 3, Fraction(0)) - c * lowered
        polynomials.append(following)
    return tuple(polynomials)
