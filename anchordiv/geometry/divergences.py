"""Divergences between natural parameters, written once for every anchor distribution.

Each function takes ``theta_p`` and ``theta_q`` of shape ``(..., d)``, broadcasts them and
returns nats of shape ``(...)``. Each is built from the distribution's own cancellation-free
Bregman divergence; compute it in float64 where near neighbours must be told apart.
"""

from torch import Tensor

from anchordiv.geometry.distributions import AnchorDistribution


def bregman_divergence(theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return B(θ_p : θ_q) = ψ(θ_p) − ψ(θ_q) − ⟨η_q, θ_p − θ_q⟩ = KL(p(·∣θ_q) ‖ p(·∣θ_p)).

    Mind the flip: the Bregman divergence of ψ is the Kullback-Leibler divergence with its
    arguments exchanged.

    >>> import torch
    >>> from anchordiv.geometry import DiscreteAnchors
    >>> law = DiscreteAnchors(torch.eye(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64))
    >>> p, q = torch.tensor([1.0, 0.0], dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    >>> log_p, log_q = law.log_probs(p), law.log_probs(q)
    >>> kl_q_p = (log_q.exp() * (log_q - log_p)).sum()
    >>> bool(torch.isclose(bregman_divergence(p, q, law), kl_q_p))
    True
    """
    return anchors.bregman(theta_p, theta_q)


def reverse_bregman_divergence(theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return B(θ_q : θ_p) = KL(p(·∣θ_p) ‖ p(·∣θ_q))."""
    return anchors.bregman(theta_q, theta_p)


def jeffreys_divergence(theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return B(θ_p : θ_q) + B(θ_q : θ_p) = ⟨η_p − η_q, θ_p − θ_q⟩."""
    return anchors.bregman(theta_p, theta_q) + anchors.bregman(theta_q, theta_p)


def bhattacharyya_divergence(theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution) -> Tensor:
    """Return ½ψ(θ_p) + ½ψ(θ_q) − ψ(½(θ_p + θ_q)); for discrete anchors −log Σ √(P_p P_q).

    Written as the mean of the two Bregman divergences to the midpoint: their linear terms
    cancel exactly and nothing else does.
    """
    middle = (theta_p + theta_q) / 2
    return (anchors.bregman(theta_p, middle) + anchors.bregman(theta_q, middle)) / 2
