"""Anchor distributions made of others: a mixture (a gate), Gaussian mixtures, and independent sums ("and")."""

from collections.abc import Sequence

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution, normalised_masses
from anchordiv.geometry.gaussian import GaussianAnchors, LowRankPlusDiagonal
from anchordiv.geometry.near_form import centre, log_mean_exp_of_centred


class MixtureAnchors(AnchorDistribution):
    """A gate between laws of anchors: ψ(θ) = log Σ w_i exp ψ_i(θ), and θ itself decides which part speaks.

    It is not a logical "or": for that take the smaller of two divergences, which is no Bregman
    divergence.

    Args:
        log_weights: ``(k,)`` logarithms of the parts' prior masses; they need not be normalised, and
            −inf switches a part off.
        parts: k anchor distributions of one dimension.

    Raises:
        InputError: for weights and parts that do not fit each other.
    """

    def __init__(self, log_weights: Tensor, parts: Sequence[AnchorDistribution]) -> None:
        kept, self.log_weights = normalised_masses(log_weights, len(parts), "part")
        self.dim = _common_dim(parts)
        self.parts = tuple(part for part, keep in zip(parts, kept.tolist(), strict=True) if keep)

    def gate_log_probs(self, theta: Tensor) -> Tensor:
        """Return log r_i(θ), the posterior over the parts: ``(..., d) -> (..., k)``."""
        return torch.log_softmax(self._log_joint(theta), dim=-1)

    def _log_joint(self, theta: Tensor) -> Tensor:
        partitions = torch.stack([part.log_partition(theta) for part in self.parts], dim=-1)
        return partitions + self.log_weights.to(theta)

    def _means(self, theta: Tensor) -> Tensor:
        return torch.stack([part.mean_parameter(theta) for part in self.parts], dim=-2)

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return log Σ w_i exp ψ_i(θ): ``(..., d) -> (...)``."""
        return torch.logsumexp(self._log_joint(theta), dim=-1)

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return Σ r_i(θ) η_i(θ): ``(..., d) -> (..., d)``."""
        return (self.gate_log_probs(theta).exp().unsqueeze(-1) * self._means(theta)).sum(dim=-2)

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return Σ r_i F_i + Σ r_i (η_i − η)(η_i − η)ᵀ, within plus between: ``(..., d) -> (..., d, d)``."""
        gate = self.gate_log_probs(theta).exp()
        centred = self._means(theta) - self.mean_parameter(theta).unsqueeze(-2)
        within = sum(gate[..., i, None, None] * part.fisher_metric(theta) for i, part in enumerate(self.parts))
        return within + (gate.unsqueeze(-1) * centred).mT @ centred

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return Σ r_i F_i v + Σ r_i (η_i − η)⟨η_i − η, v⟩: ``(..., d), (..., d) -> (..., d)``."""
        log_gate, means = self.gate_log_probs(theta), self._means(theta)
        gate, centred = centre((means * vector.unsqueeze(-2)).sum(dim=-1), log_gate)
        products = [part.fisher_vector_product(theta, vector) for part in self.parts]
        within = (gate.unsqueeze(-1) * torch.stack(products, dim=-2)).sum(dim=-2)
        between = means - (gate.unsqueeze(-1) * means).sum(dim=-2, keepdim=True)
        return within + ((gate * centred).unsqueeze(-1) * between).sum(dim=-2)

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return KL(r(θ_q) ‖ r(θ_p)) + Σ r_i(θ_q) B_i(θ_p : θ_q), the chain rule: ``(..., d), (..., d) -> (...)``.

        The gate's part is a discrete divergence with the scores ψ_i(θ_p) − ψ_i(θ_q), computed as
        B_i + ⟨η_i(θ_q), θ_p − θ_q⟩, so nothing cancels between near arguments.
        """
        log_gate = self.gate_log_probs(theta_q)
        inner = torch.stack([part.bregman(theta_p, theta_q) for part in self.parts], dim=-1)
        scores = inner + (self._means(theta_q) @ (theta_p - theta_q).unsqueeze(-1)).squeeze(-1)
        return log_mean_exp_of_centred(scores, log_gate) + (log_gate.exp() * inner).sum(dim=-1)

    def support_function(self, direction: Tensor) -> Tensor:
        """Return max_i h_i(v): ``(..., d) -> (...)``."""
        return torch.stack([part.support_function(direction) for part in self.parts]).amax(dim=0)

    @property
    def pair_width(self) -> int:
        """The widest part, the parts' means and some rows of gate scores."""
        return max(part.pair_width for part in self.parts) + len(self.parts) * (self.dim + 8)


class GaussianMixtureAnchors(MixtureAnchors):
    """Anchors from a mixture of Gaussians: ψ(θ) = log Σ w_k exp(⟨m_k, θ⟩ + ½ θᵀS_kθ).

    Args:
        log_weights: ``(k,)`` logarithms of the components' masses; they need not be normalised.
        means: ``(k, d)``.
        covariances: ``(k, d, d)``, diagonals ``(k, d)``, or a stack of low rank plus diagonal.

    Raises:
        InputError: for shapes that do not fit, or what :class:`GaussianAnchors` refuses.
    """

    def __init__(self, log_weights: Tensor, means: Tensor, covariances: Tensor | LowRankPlusDiagonal) -> None:
        each: list[Tensor | LowRankPlusDiagonal]
        if isinstance(covariances, LowRankPlusDiagonal):
            factors, diagonals = covariances.factor, covariances.diagonal
            if len(factors) != len(diagonals):
                raise InputError(f"{len(factors)} low-rank factors need as many diagonals, not {len(diagonals)}.")
            each = [LowRankPlusDiagonal(f, s) for f, s in zip(factors, diagonals, strict=True)]
        else:
            each = list(covariances)
        if means.ndim != 2 or len(each) != len(means):
            raise InputError(f"one covariance per mean is needed, got {len(each)} for means {tuple(means.shape)}.")
        super().__init__(log_weights, [GaussianAnchors(mean, cov) for mean, cov in zip(means, each, strict=True)])


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
        if any(not 0 <= weight < float("inf") for weight in weights) or not any(weights):
            raise InputError(f"weights must be finite, not negative and not all zero, got {list(weights)}.")
        self.weights = tuple(float(weight) for weight in weights)
        self.parts = tuple(parts)
        self.dim = _common_dim(parts)

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

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return Σ w_i F_i(θ) v: ``(..., d), (..., d) -> (..., d)``."""
        return self._sum([part.fisher_vector_product(theta, vector) for part in self.parts])

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return Σ w_i B_i(θ_p : θ_q): ``(..., d), (..., d) -> (...)``."""
        return self._sum([part.bregman(theta_p, theta_q) for part in self.parts])

    def group_bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return Σ w_i of the parts' lumped divergences: ``(..., d), (..., d) -> (...)``."""
        return self._sum([part.group_bregman(theta_p, theta_q) for part in self.parts])

    def group_bhattacharyya(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return Σ w_i of the parts' lumped divergences: ``(..., d), (..., d) -> (...)``."""
        return self._sum([part.group_bhattacharyya(theta_p, theta_q) for part in self.parts])

    def fisher_rao(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return √(Σ w_i FR_i²), the length in the product of the parts' spaces: ``(..., d), (..., d) -> (...)``."""
        return self._sum([part.fisher_rao(theta_p, theta_q) ** 2 for part in self.parts]).sqrt()

    def group_fisher_rao(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return √(Σ w_i FR_i²) of the parts' lumped lengths: ``(..., d), (..., d) -> (...)``."""
        return self._sum([part.group_fisher_rao(theta_p, theta_q) ** 2 for part in self.parts]).sqrt()

    def support_function(self, direction: Tensor) -> Tensor:
        """Return Σ w_i h_i(v) over the parts with weight: ``(..., d) -> (...)``."""
        heights = [w * part.support_function(direction) for w, part in zip(self.weights, self.parts, strict=True) if w]
        return torch.stack(heights).sum(dim=0)

    @property
    def pair_width(self) -> int:
        """The parts take turns; each leaves one number behind."""
        return max(part.pair_width for part in self.parts) + len(self.parts)

    def dual_features(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return the parts' features side by side, the weight on the first of each pair."""
        pairs = [part.dual_features(theta) for part in self.parts]
        weighted = [weight * u for weight, (u, _) in zip(self.weights, pairs, strict=True)]
        return torch.cat(weighted, dim=-1), torch.cat([v for _, v in pairs], dim=-1)

    @property
    def feature_width(self) -> int:
        """The parts' widths together."""
        return sum(part.feature_width for part in self.parts)

    def jeffreys_of_features(self, v_p: Tensor, v_q: Tensor) -> Tensor:
        """Return Σ w_i of the parts' Jeffreys from their own features: ``(..., f), (..., f) -> (...)``."""
        widths = [part.feature_width for part in self.parts]
        pairs = zip(self.parts, torch.split(v_p, widths, dim=-1), torch.split(v_q, widths, dim=-1), strict=True)
        return self._sum([part.jeffreys_of_features(p, q) for part, p, q in pairs])


def _common_dim(parts: Sequence[AnchorDistribution]) -> int:
    """Return the one dimension of all parts.

    Raises:
        InputError: when they differ.
    """
    if len({part.dim for part in parts}) != 1:
        raise InputError(f"all parts must have one dimension, got {[part.dim for part in parts]}.")
    return parts[0].dim
