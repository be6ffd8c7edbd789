"""The dual side of the geometry: from η back to θ, its two kinds of straight lines and its two centroids.

ψ is convex, so η = ∇ψ(θ) can be inverted; the inverse is the gradient of the convex conjugate φ. A
line straight in θ is an e-geodesic, one straight in η an m-geodesic, and each side of a Bregman
divergence has its own centroid. Sources: Amari, Information Geometry and Its Applications (2016),
for the duality; Banerjee, Merugu, Dhillon & Ghosh, JMLR 6 (2005), and Nielsen & Nock, IEEE Trans.
Inf. Theory 55 (2009), for the centroids; Nocedal & Wright, Numerical Optimization (2006), chapter 7,
for Newton's method with conjugate gradients.
"""

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution, all_finite

_MAX_STEPS = 300  # a tail e⁻ˣ takes one step per nat and ends at 36 nats in float64; a sphere's takes one per bit
_PATIENCE = 100  # after so many steps a row begins again where no anchor is too faint to be felt
_MAX_HALVINGS = 120  # where the prior mass is e⁻⁶⁰ the first full step may be e⁶⁰ times too long
_UNUSED = 0.1  # of the decrease that the slope promises, the share a step must bring; Newton's brings ½ on a parabola
_ROUNDINGS = 8.0  # how many roundings of what it is computed from an η may be off


def natural_from_mean(eta: Tensor, anchors: AnchorDistribution, *, start: Tensor | None = None) -> Tensor:
    """Return the θ at which the mean anchor is η: ``(..., d) -> (..., d)``, the inverse of ``mean_parameter``.

    It minimises ψ(θ) − ⟨θ, η⟩ by Newton's method. Every step lies in the range of the Fisher metric,
    the span of the centred anchors, so the θ found has the smallest norm of all that have this η;
    with ``start``, its component in the blind directions is that of ``start``. η is met to rounding
    in its own dtype, and θ is as good as η determines it. The result carries no gradient.

    Args:
        eta: ``(..., d)`` mean anchors, inside the hull of the anchors.
        anchors: the anchor distribution.
        start: θ to begin from, of a shape that broadcasts to that of ``eta``; 0 if left out. Where the anchors'
            masses are level is tried too, and taken if it is better.

    Raises:
        InputError: when a number is not finite, when an η lies outside the hull of the anchors or, to
            rounding, on its boundary, where θ would be infinite, or when the search does not converge.

    >>> import torch
    >>> from anchordiv.geometry import UniformSphereAnchors
    >>> law, theta = UniformSphereAnchors(3), torch.tensor([3.0, 0.0, -4.0], dtype=torch.float64)
    >>> bool(torch.allclose(natural_from_mean(law.mean_parameter(theta), law), theta))
    True
    """
    theta, last_step = _solve(eta, anchors, start)
    # On the boundary ever longer steps come ever closer to η; the direction they settle on shows it.
    room = anchors.support_function(last_step) - (last_step * eta).sum(dim=-1)
    allowed = _rounding(theta, eta, anchors.mean_parameter(theta), torch.zeros_like(room))
    on_boundary = (last_step != 0).any(dim=-1) & (room <= allowed * _norm(last_step))
    if bool(on_boundary.any()):
        raise _no_theta(on_boundary)
    return theta


def conjugate(eta: Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return φ(η) = sup ⟨θ, η⟩ − ψ(θ) over θ, in nats: ``(..., d) -> (...)``.

    φ(η) is the Kullback-Leibler divergence of the anchor law tilted to mean η from the law itself.

    Raises:
        InputError: as :func:`natural_from_mean`.
    """
    return anchors.negative_entropy(natural_from_mean(eta, anchors))


def e_geodesic(theta_p: Tensor, theta_q: Tensor, t: float | Tensor) -> Tensor:
    """Return the points at ``t`` of the line straight in θ, θ_p at 0 and θ_q at 1.

    Args:
        theta_p: ``(..., d)``.
        theta_q: ``(..., d)``.
        t: one number, or ``(s,)`` of them; outside 0 to 1 the line is prolonged.

    Returns:
        ``(..., d)`` for one number, ``(s, ..., d)`` for s.

    Raises:
        InputError: when ``t`` has another shape, or a number is not finite.
    """
    theta_p, theta_q = torch.broadcast_tensors(  # type: ignore[no-untyped-call]
        all_finite(theta_p, "theta_p"), all_finite(theta_q, "theta_q")
    )
    return torch.lerp(theta_p, theta_q, _along(t, theta_p))


def m_geodesic(theta_p: Tensor, theta_q: Tensor, t: float | Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return the points at ``t`` of the line straight in η, θ_p at 0 and θ_q at 1.

    Each is searched for from the point of the e-geodesic at the same ``t``, whose component in the
    blind directions it keeps; at its ends the line is exactly θ_p and θ_q.

    Args:
        theta_p: ``(..., d)``.
        theta_q: ``(..., d)``.
        t: one number, or ``(s,)`` of them; outside 0 to 1 the line ends at the hull of the anchors.
        anchors: the anchor distribution.

    Returns:
        ``(..., d)`` for one number, ``(s, ..., d)`` for s.

    Raises:
        InputError: when ``t`` has another shape or is not finite, and as :func:`natural_from_mean`.
    """
    theta_p, theta_q = torch.broadcast_tensors(theta_p, theta_q)  # type: ignore[no-untyped-call]
    along = _along(t, theta_p)
    eta = torch.lerp(anchors.mean_parameter(theta_p), anchors.mean_parameter(theta_q), along)
    # Between two means of anchors there is always a θ, so what rounding puts on the boundary is not refused.
    theta, _ = _solve(eta, anchors, torch.lerp(theta_p, theta_q, along))
    return torch.where(along == 0, theta_p, torch.where(along == 1, theta_q, theta))


def right_centroid(theta: Tensor, weights: Tensor | None = None) -> Tensor:
    """Return argmin_c Σ w_i B(θ_i : c), the weighted mean of θ for every generator: ``(n, d) -> (d,)``.

    Args:
        theta: ``(n, d)``.
        weights: ``(n,)`` numbers ≥ 0, not all zero; equal if left out.

    Raises:
        InputError: for no points, numbers that are not finite, or weights that do not fit.
    """
    centroid: Tensor = _shares(theta, weights) @ all_finite(theta, "theta")
    return centroid


def left_centroid(theta: Tensor, anchors: AnchorDistribution, weights: Tensor | None = None) -> Tensor:
    """Return argmin_c Σ w_i B(c : θ_i), the θ whose η is the weighted mean of the η_i: ``(n, d) -> (d,)``.

    It is searched for from the right centroid, whose component in the blind directions it keeps.

    Args:
        theta: ``(n, d)``.
        anchors: the anchor distribution.
        weights: ``(n,)`` numbers ≥ 0, not all zero; equal if left out.

    Raises:
        InputError: for no points, weights that do not fit, or when the search does not converge.
    """
    eta = _shares(theta, weights) @ anchors.mean_parameter(theta)
    return _solve(eta, anchors, right_centroid(theta, weights))[0]


@torch.no_grad()
def _solve(eta: Tensor, anchors: AnchorDistribution, start: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return θ with mean parameter η and the last step taken towards it, 0 where the start was good enough.

    Only rows that are not yet there take part in a step, so a row's path does not depend on the others.
    """
    if eta.shape[-1] != anchors.dim:
        raise InputError(f"eta has {eta.shape[-1]} dimensions, the anchors have {anchors.dim}.")
    goals = all_finite(eta, "eta").reshape(-1, anchors.dim)
    given = torch.zeros_like(eta) if start is None else all_finite(start, "start").to(eta).expand_as(eta)
    theta = _start(given.reshape(-1, anchors.dim), goals, anchors)
    last_step, rows = torch.zeros_like(theta), torch.arange(len(goals), device=goals.device)
    for count in range(_MAX_STEPS):
        if count == _PATIENCE:
            theta[rows] = anchors.level_point(given.reshape(-1, anchors.dim)[rows])
        mean = anchors.mean_parameter(theta[rows])
        step, spread = _newton_step(theta[rows], goals[rows] - mean, anchors)
        allowed = _rounding(theta[rows], goals[rows], mean, spread)
        far = _norm(goals[rows] - mean) > allowed
        if not bool(far.any()):
            return theta.reshape(eta.shape), last_step.reshape(eta.shape)
        rows, mean, step, allowed = rows[far], mean[far], step[far], allowed[far]
        _refuse_outside(goals[rows] - mean, rows, goals, anchors, allowed)
        _refuse_outside(last_step[rows], rows, goals, anchors, allowed)
        moved = _line_search(theta[rows], step, goals[rows] - mean, anchors)
        last_step[rows] = moved - theta[rows]
        theta[rows] = moved
    worst = float(_norm(goals - anchors.mean_parameter(theta)).max())
    raise InputError(f"no theta was found in {_MAX_STEPS} steps, {worst:.3g} is left of eta; is it a mean of anchors?")


def _start(start: Tensor, goals: Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return ``start``, or its level point where ψ(θ) − ⟨θ, η⟩ is lower there: ``(n, d) -> (n, d)``.

    Where one anchor outweighs all others, η hardly moves, and Newton's steps from there lead nowhere.
    """
    level = anchors.level_point(start)

    def height(theta: Tensor) -> Tensor:
        return anchors.log_partition(theta) - (theta * goals).sum(dim=-1)

    return torch.where((height(level) < height(start)).unsqueeze(-1), level, start)


def _newton_step(theta: Tensor, residual: Tensor, anchors: AnchorDistribution) -> tuple[Tensor, Tensor]:
    """Solve ∇²ψ(θ) s = residual by conjugate gradients: ``(n, d), (n, d) -> (n, d), (n,)``.

    Also returns the largest standard deviation of the anchors that was met on the way. A direction
    whose variance is nothing but rounding beside it is blind, and ends the row's search.
    """
    eps = torch.finfo(theta.dtype).eps
    step, rest, direction = torch.zeros_like(residual), residual, residual
    square = (rest * rest).sum(dim=-1)
    enough, going, variance = 0.01 * square, square > 0, torch.zeros_like(square)
    for _ in range(2 * anchors.dim):
        pushed = anchors.fisher_vector_product(theta, direction)
        curvature, length = (direction * pushed).sum(dim=-1), (direction * direction).sum(dim=-1)
        variance = torch.where(going, torch.maximum(variance, curvature / length), variance)
        going = going & (curvature > eps * variance * length)
        far = torch.where(going, square / curvature, torch.zeros_like(square)).unsqueeze(-1)
        step, rest = step + far * direction, rest - far * pushed
        left = (rest * rest).sum(dim=-1)
        going = going & (left > enough)
        if not bool(going.any()):
            break
        turn = torch.where(going, left / square, torch.zeros_like(square)).unsqueeze(-1)
        direction, square = rest + turn * direction, left
    return step, variance.sqrt()


def _line_search(theta: Tensor, step: Tensor, residual: Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return θ + t · step, t the largest of 1, ½, ¼, … that brings enough: ``(n, d) -> (n, d)``.

    ψ(θ) − ⟨θ, η⟩ falls by t ⟨residual, step⟩ − B(θ + t step : θ), in which nothing cancels.
    """
    promised = (residual * step).sum(dim=-1)
    length = torch.ones_like(promised)
    for _ in range(_MAX_HALVINGS):
        moved = theta + length.unsqueeze(-1) * step
        short = anchors.bregman(moved, theta) <= (1 - _UNUSED) * length * promised
        if bool(short.all()):
            break
        length = torch.where(short, length, length / 2)
    return moved


def _rounding(theta: Tensor, eta: Tensor, mean: Tensor, spread: Tensor) -> Tensor:
    """Return how far η and the mean at θ may lie apart by rounding alone: ``(..., d), … -> (...)``.

    The anchors' scale is that of their mean and of their standard deviation; θ, itself rounded, moves
    the mean by as much as its norm in standard deviations says.
    """
    scale = _norm(eta) + _norm(mean) + spread * (1 + _norm(theta) * spread)
    return _ROUNDINGS * torch.finfo(eta.dtype).eps * scale


def _refuse_outside(
    direction: Tensor, rows: Tensor, goals: Tensor, anchors: AnchorDistribution, allowed: Tensor
) -> None:
    """Raise an InputError if one of ``goals[rows]`` lies further along its direction than any anchor."""
    beyond = (direction * goals[rows]).sum(dim=-1) - anchors.support_function(direction)
    outside = torch.zeros(len(goals), dtype=torch.bool, device=goals.device)
    outside[rows] = beyond > allowed * _norm(direction)
    if bool(outside.any()):
        raise _no_theta(outside)


def _no_theta(refused: Tensor) -> InputError:
    """Return the refusal of the marked η: ``(...)`` bool."""
    one_of = "eta" if refused.numel() == 1 else f"row {int(refused.flatten().nonzero()[0, 0])} of eta"
    return InputError(
        f"{one_of} lies outside the hull of the anchors or on its boundary, where no finite theta has it for its mean; "
        "mix a little of the anchors' own mean, mean_parameter(0), into it."
    )


def _norm(vector: Tensor) -> Tensor:
    norm: Tensor = torch.linalg.vector_norm(vector, dim=-1)
    return norm


def _along(t: float | Tensor, theta: Tensor) -> Tensor:
    """Return ``t`` as numbers that broadcast against ``theta`` ``(..., d)``: ``()`` or ``(s, 1, …, 1)``.

    Raises:
        InputError: for more than one dimension, or numbers that are not finite.
    """
    along = all_finite(torch.as_tensor(t).to(theta), "t")
    if along.ndim > 1:
        raise InputError(f"t must be one number or a row of them, got shape {tuple(along.shape)}.")
    return along if along.ndim == 0 else along.reshape(-1, *[1] * theta.ndim)


def _shares(theta: Tensor, weights: Tensor | None) -> Tensor:
    """Return the weights of ``(n, d)`` points scaled to sum 1: ``(n,)``.

    Raises:
        InputError: for no points, or weights of another length, negative, not finite or all zero.
    """
    if theta.ndim != 2 or len(theta) == 0:
        raise InputError(f"a centroid needs at least one point as an (n, d) array, got shape {tuple(theta.shape)}.")
    masses = theta.new_ones(len(theta)) if weights is None else weights.to(theta)
    if masses.shape != theta.shape[:1]:
        raise InputError(f"one weight per point is needed ({len(theta)}), got shape {tuple(masses.shape)}.")
    if not bool(((masses >= 0) & masses.isfinite()).all()) or not bool(masses.any()):
        raise InputError("weights must be finite, not negative and not all zero.")
    # Scaled by the largest first, so that no sum leaves the range of the dtype.
    masses = masses / masses.max()
    shares: Tensor = masses / masses.sum()
    return shares
