"""Anchor distributions: the law of the anchors, which defines the geometry.

An anchor distribution is the base measure of an exponential family whose sufficient
statistic is the anchor itself. Its cumulant generating function, the log-partition, is
the convex generator from which every divergence of :mod:`anchordiv.geometry.divergences`
follows. The construction is our derivation from Kannan, Park & Veitch (arXiv:2610.06919)
and Park, Nief, Choe & Veitch (arXiv:2602.15293); see the README for what is whose.
"""

from abc import ABC, abstractmethod

import torch
from torch import Tensor

from anchordiv.errors import InputError


class AnchorDistribution(ABC):
    """A law of anchors in ``dim`` dimensions, seen through its log-partition ψ.

    Every method takes natural parameters ``theta`` of shape ``(..., d)`` and inherits
    their dtype and device. A family says what ψ, its two derivatives and its near-form
    divergence are; everything else follows from them here.
    """

    dim: int

    @abstractmethod
    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ψ(θ) = log E exp⟨θ, a⟩ in nats: ``(..., d) -> (...)``."""

    @abstractmethod
    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return η = ∇ψ(θ), the mean anchor seen from θ: ``(..., d) -> (..., d)``."""

    @abstractmethod
    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return ∇²ψ(θ), the covariance of the anchors seen from θ: ``(..., d) -> (..., d, d)``."""

    @abstractmethod
    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return B(θ_p : θ_q) without cancellation for near arguments: ``(..., d), (..., d) -> (...)``."""

    @abstractmethod
    def support_function(self, direction: Tensor) -> Tensor:
        """Return h(v) = sup ⟨v, a⟩ over the anchors, +inf where unbounded: ``(..., d) -> (...)``.

        η is a mean of anchors only if ⟨v, η⟩ ≤ h(v) for every v.
        """

    @property
    def pair_width(self) -> int:
        """How many numbers one pair of points keeps at a time while its divergence is computed."""
        return 8 * self.dim

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return ∇²ψ(θ) v: ``(..., d), (..., d) -> (..., d)``; families override it to avoid the d × d matrix."""
        return (self.fisher_metric(theta) @ vector.unsqueeze(-1)).squeeze(-1)

    def negative_entropy(self, theta: Tensor) -> Tensor:
        """Return φ(η(θ)) = ⟨θ, η⟩ − ψ(θ), the convex conjugate at θ's own η: ``(..., d) -> (...)``.

        Since ψ(0) = 0 it is B(0 : θ) = KL(p(·∣θ) ‖ π), which cancels nowhere.
        """
        return self.bregman(torch.zeros_like(theta), theta)

    def bhattacharyya(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return ½ψ(θ_p) + ½ψ(θ_q) − ψ(½(θ_p + θ_q)) without cancellation: ``(..., d), (..., d) -> (...)``.

        Written as the mean of the two Bregman divergences to the midpoint: their linear terms
        cancel exactly and nothing else does.
        """
        middle = (theta_p + theta_q) / 2
        return (self.bregman(theta_p, middle) + self.bregman(theta_q, middle)) / 2

    def fisher_rao(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return the length of the shortest path between the two posteriors: ``(..., d), (..., d) -> (...)``.

        Raises:
            InputError: when the family has no closed form for it.
        """
        raise InputError(
            f"{type(self).__name__} has no closed form of the Fisher-Rao distance; take the Hellinger distance or "
            "the Jeffreys divergence, which agree with it for near neighbours."
        )

    def dual_features(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return ``(u, v)`` of shape ``(..., f)`` with Jeffreys(p, q) = ⟨u_p − u_q, v_p − v_q⟩.

        The default is (η, θ), which holds for every generator; a family with a shorter
        pair of features overrides it.
        """
        return self.mean_parameter(theta), theta

    def level_point(self, theta: Tensor) -> Tensor:
        """Return a point from which no anchor is seen to outweigh the others: ``(..., d) -> (..., d)``.

        It shares θ's component in the blind directions; it is θ itself unless a family knows better.
        """
        return theta

    @property
    def feature_width(self) -> int:
        """How many numbers each of the two dual features has."""
        return self.dim

    def jeffreys_of_features(self, v_p: Tensor, v_q: Tensor) -> Tensor:
        """Return Jeffreys(p, q) ≥ 0 from the second dual features: ``(..., f), (..., f) -> (...)``.

        Among many pairs it spares the way from d numbers to f. Its digits are those of v_p − v_q.
        """
        return self.bregman(v_p, v_q) + self.bregman(v_q, v_p)

    def group_bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return KL(P(g∣θ_q) ‖ P(g∣θ_p)) of the posteriors lumped by group: ``(..., d), (..., d) -> (...)``.

        Raises:
            InputError: when the family has no groups.
        """
        raise self._without_groups()

    def group_bhattacharyya(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return −log Σ_g √(P(g∣θ_p) P(g∣θ_q)): ``(..., d), (..., d) -> (...)``.

        Raises:
            InputError: when the family has no groups.
        """
        raise self._without_groups()

    def group_fisher_rao(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return the Fisher-Rao distance of the posteriors lumped by group: ``(..., d), (..., d) -> (...)``.

        Raises:
            InputError: when the family has no groups.
        """
        raise self._without_groups()

    def _without_groups(self) -> InputError:
        name = type(self).__name__
        return InputError(f"{name} has no groups; compare it without grouping or use discrete anchors.")

    def check(self, theta: Tensor) -> Tensor:
        """Return ``theta`` unchanged.

        Raises:
            InputError: when its last dimension is not the anchors' or a number in it is not finite.
        """
        return all_finite(self.check_dim(theta), "theta")

    def check_dim(self, theta: Tensor) -> Tensor:
        """Return ``theta`` unchanged.

        Raises:
            InputError: when its last dimension is not the anchors', or it holds whole numbers.
        """
        if not theta.is_floating_point():
            raise InputError(f"theta holds {theta.dtype}; give floating-point numbers, such as theta.double().")
        if theta.shape[-1] != self.dim:
            raise InputError(f"theta has {theta.shape[-1]} dimensions, the anchors have {self.dim}.")
        return theta


def all_finite(numbers: Tensor, what: str) -> Tensor:
    """Return ``numbers`` unchanged.

    Raises:
        InputError: when one of them is NaN or infinite.
    """
    # A sum is finite only if every term is, and is read in one pass; a sum may overflow, so it only acquits.
    if not (bool(torch.isfinite(numbers.sum())) or bool(torch.isfinite(numbers).all())):
        raise InputError(f"{what} holds numbers that are not finite; leave out the rows with NaN or infinity.")
    return numbers


def normalised_masses(log_weights: Tensor, count: int, kind: str) -> tuple[Tensor, Tensor]:
    """Return which of ``count`` parts have mass, ``(count,)`` bool, and in float64 the log masses of those that do.

    Args:
        log_weights: ``(count,)`` logarithms of masses, −inf for none; they need not be normalised.
        count: how many parts there are.
        kind: what a part is called in the refusal.

    Raises:
        InputError: for another shape, NaN, +inf, or no mass at all.
    """
    if log_weights.shape != (count,):
        raise InputError(f"log_weights must hold one number per {kind} ({count}), got {tuple(log_weights.shape)}.")
    if bool(torch.isnan(log_weights).any()) or bool((log_weights == torch.inf).any()):
        raise InputError("log_weights may be finite or -inf (switched off), but not NaN or +inf.")
    log_weights = log_weights.double() if log_weights.device.type != "mps" else log_weights.float()
    kept = log_weights > -torch.inf
    if not bool(kept.any()):
        raise InputError(f"every {kind} is switched off; give at least one a positive weight.")
    return kept, torch.log_softmax(log_weights[kept], dim=0)
