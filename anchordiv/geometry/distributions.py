"""Anchor distributions: the law of the anchors, which defines the geometry.

An anchor distribution is the base measure of an exponential family whose sufficient
statistic is the anchor itself. Its cumulant generating function, the log-partition, is
the convex generator from which every divergence of :mod:`anchordiv.geometry.divergences`
follows. The construction is our derivation from Kannan, Park & Veitch (arXiv:2610.06919)
and Park, Nief, Choe & Veitch (arXiv:2602.15293); see the README for what is whose.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor

from anchordiv.errors import InputError


class AnchorDistribution(ABC):
    """A law of anchors in ``dim`` dimensions, seen through its log-partition ψ.

    Every method takes natural parameters ``theta`` of shape ``(..., d)`` and inherits
    their dtype and device.
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

    def dual_features(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return ``(u, v)`` of shape ``(..., f)`` with Jeffreys(p, q) = ⟨u_p − u_q, v_p − v_q⟩.

        The default is (η, θ), which holds for every generator; a family with a shorter
        pair of features overrides it.
        """
        return self.mean_parameter(theta), theta


class DiscreteAnchors(AnchorDistribution):
    """Anchors that are finitely many weighted points, each belonging to a group.

    Args:
        anchors: ``(m, d)`` reference embeddings.
        log_weights: ``(m,)`` logarithms of prior masses; they need not be normalised, and
            −inf switches an anchor off.
        groups: ``(m,)`` group index of each anchor, 0 to G − 1; one group each if left out.

    Raises:
        InputError: for empty, misshapen or non-finite anchors, or when no anchor has mass.
    """

    def __init__(self, anchors: Tensor, log_weights: Tensor, groups: Tensor | None = None) -> None:
        if anchors.ndim != 2 or 0 in anchors.shape:
            raise InputError(f"anchors must be a non-empty (m, d) array, got shape {tuple(anchors.shape)}.")
        if log_weights.shape != anchors.shape[:1]:
            raise InputError(
                f"log_weights must hold one number per anchor ({anchors.shape[0]}), got {tuple(log_weights.shape)}."
            )
        groups = torch.arange(len(anchors), device=anchors.device) if groups is None else groups.to(anchors.device)
        if groups.shape != anchors.shape[:1] or groups.is_floating_point() or bool((groups < 0).any()):
            raise InputError("groups must hold one non-negative whole number per anchor.")
        if not bool(torch.isfinite(anchors).all()):
            raise InputError("anchors hold numbers that are not finite; leave out the rows with NaN or infinity.")
        if bool(torch.isnan(log_weights).any()) or bool((log_weights == torch.inf).any()):
            raise InputError("log_weights may be finite or -inf (switched off), but not NaN or +inf.")
        kept = log_weights > -torch.inf
        if not bool(kept.any()):
            raise InputError("every anchor is switched off; give at least one a positive weight.")
        self.n_groups = int(groups.max()) + 1
        # An anchor without mass never enters the geometry, so it is dropped: 0 · log 0 has no place below.
        self.anchors = anchors[kept]
        self.log_weights = torch.log_softmax(log_weights[kept].to(anchors.dtype), dim=0)
        self.groups = groups[kept]
        self.dim = anchors.shape[1]

    def _at(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        if theta.shape[-1] != self.dim:
            raise InputError(f"theta has {theta.shape[-1]} dimensions, the anchors have {self.dim}.")
        return self.anchors.to(theta), self.log_weights.to(theta)

    def log_joint(self, theta: Tensor) -> Tensor:
        """Return log π(a) + ⟨θ, a⟩ for every anchor: ``(..., d) -> (..., m)``."""
        anchors, log_weights = self._at(theta)
        return theta @ anchors.mT + log_weights

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ψ(θ) = log Σ w_a exp⟨θ, a⟩: ``(..., d) -> (...)``."""
        return torch.logsumexp(self.log_joint(theta), dim=-1)

    def log_probs(self, theta: Tensor) -> Tensor:
        """Return the anchor posterior log p(a∣θ): ``(..., d) -> (..., m)``."""
        return torch.log_softmax(self.log_joint(theta), dim=-1)

    def group_log_probs(self, theta: Tensor) -> Tensor:
        """Return log P(g∣θ), the posterior lumped by group: ``(..., d) -> (..., G)``; −inf for an empty group."""
        log_probs = self.log_probs(theta)
        columns = [torch.logsumexp(log_probs[..., self.groups == group], dim=-1) for group in range(self.n_groups)]
        return torch.stack(columns, dim=-1)

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return η = Σ p(a∣θ) a: ``(..., d) -> (..., d)``."""
        return self.log_probs(theta).exp() @ self._at(theta)[0]

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return Cov of the anchors under p(·∣θ), of rank ≤ m − 1: ``(..., d) -> (..., d, d)``."""
        anchors, _ = self._at(theta)
        centred = anchors - self.mean_parameter(theta).unsqueeze(-2)
        return (centred * self.log_probs(theta).exp().unsqueeze(-1)).mT @ centred

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return B(θ_p : θ_q) = KL(p(·∣θ_q) ‖ p(·∣θ_p)) in its near form: ``(..., d), (..., d) -> (...)``."""
        anchors, _ = self._at(theta_q)
        log_probs_q = self.log_probs(theta_q)
        scores = (theta_p - theta_q) @ anchors.mT
        return log_mean_exp_of_centred(scores, log_probs_q)

    def dual_features(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return (P, log P), m numbers each instead of d: ``(..., d) -> (..., m), (..., m)``."""
        log_probs = self.log_probs(theta)
        return log_probs.exp(), log_probs


class SumAnchors(AnchorDistribution):
    """Independent anchors of several kinds ("A and B"): ψ = Σ w_i ψ_i, so the divergences add.

    Args:
        weights: one number ≥ 0 per part; not all zero.
        parts: anchor distributions of one dimension.

    Raises:
        InputError: for weights and parts that do not fit each other.
    """

    def __init__(self, weights: Sequence[float], parts: Sequence[AnchorDistribution]) -> None:
        if not parts or len(weights) != len(parts):
            raise InputError(f"one weight per part is needed, got {len(weights)} weights for {len(parts)} parts.")
        if len({part.dim for part in parts}) != 1:
            raise InputError(f"all parts must have one dimension, got {[part.dim for part in parts]}.")
        if any(not 0 <= weight < float("inf") for weight in weights) or not any(weights):
            raise InputError(f"weights must be finite, not negative and not all zero, got {list(weights)}.")
        self.weights = tuple(float(weight) for weight in weights)
        self.parts = tuple(parts)
        self.dim = parts[0].dim

    def _sum(self, terms: list[Tensor]) -> Tensor:
        weighted = [weight * term for weight, term in zip(self.weights, terms, strict=True)]
        return torch.stack(weighted).sum(dim=0)

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return Σ w_i ψ_i(θ): ``(..., d) -> (...)``."""
        return self._sum([part.log_partition(theta) for part in self.parts])

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return Σ w_i η_i(θ): ``(..., d) -> (..., d)``."""
        return self._sum([part.mean_parameter(theta) for part in self.parts])

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return Σ w_i of the parts' Fisher metrics: ``(..., d) -> (..., d, d)``."""
        return self._sum([part.fisher_metric(theta) for part in self.parts])

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return Σ w_i B_i(θ_p : θ_q): ``(..., d), (..., d) -> (...)``."""
        return self._sum([part.bregman(theta_p, theta_q) for part in self.parts])

    def dual_features(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return the parts' features side by side, the weight on the first of each pair."""
        pairs = [part.dual_features(theta) for part in self.parts]
        weighted = [weight * u for weight, (u, _) in zip(self.weights, pairs, strict=True)]
        return torch.cat(weighted, dim=-1), torch.cat([v for _, v in pairs], dim=-1)


def log_mean_exp_of_centred(scores: Tensor, log_probs: Tensor) -> Tensor:
    """Return log Σ q_a exp(s_a − Σ q s) ≥ 0 with all digits kept when the scores are small.

    Equal to log1p(Σ q_a (exp(s_a) − 1 − s_a)) for scores centred under q: every term of that
    sum is ≥ 0, so nothing cancels. Past the range of exp the plain log-sum-exp takes over,
    which is exact enough there because the result is then large.

    Args:
        scores: ``(..., m)`` s_a = ⟨θ_p − θ_q, a⟩, computed from the difference.
        log_probs: ``(..., m)`` log q_a, the posterior at θ_q.
    """
    probs = log_probs.exp()
    centred = scores - (probs * scores).sum(dim=-1, keepdim=True)
    far = (centred > 0.9 * math.log(torch.finfo(scores.dtype).max)).any(dim=-1)
    near_scores = torch.where(far.unsqueeze(-1), torch.zeros_like(centred), centred)
    near = torch.log1p((probs * exp_beyond_linear(near_scores)).sum(dim=-1))
    return torch.where(far, torch.logsumexp(log_probs + centred, dim=-1), near)


def exp_beyond_linear(s: Tensor) -> Tensor:
    """Return exp(s) − 1 − s ≥ 0 to full relative precision, elementwise.

    expm1(s) − s loses digits below |s| ≈ 0.1, where eleven terms of the series are exact to
    rounding.
    """
    small = s.abs() < 0.25
    t = torch.where(small, s, torch.zeros_like(s))
    series = torch.ones_like(t)
    for k in range(12, 2, -1):
        series = 1 + series * t / k
    large = torch.where(small, torch.ones_like(s), s)
    return torch.where(small, 0.5 * t * t * series, torch.expm1(large) - large)
