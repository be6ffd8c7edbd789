"""Divergences between natural parameters, written once for every anchor distribution.

Each function takes ``theta_p`` and ``theta_q`` of shape ``(..., d)``, broadcasts them and
returns shape ``(...)``. With ``grouped`` the two posteriors are lumped by group before they are
compared: each is then at most its version over the anchors (data-processing inequality), and
what varies inside a group is forgotten; families without groups refuse it with an ``InputError``.
Each is built from the distribution's own cancellation-free Bregman divergence; compute it in
float64 where near neighbours must be told apart. Sources: Banerjee et al., JMLR 6 (2005), for
Bregman divergences of log-partitions; Nielsen & Boltz, IEEE Trans. Inf. Theory 57 (2011), for
the skew ones.
"""

from typing import Protocol

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution


class DivergenceFunction(Protocol):
    """One of the functions below."""

    def __call__(
        self, theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution, *, grouped: bool = False
    ) -> Tensor:
        """Compare ``(..., d)`` with ``(..., d)`` and return ``(...)``."""


def bregman_divergence(
    theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution, *, grouped: bool = False
) -> Tensor:
    """Return B(θ_p : θ_q) = ψ(θ_p) − ψ(θ_q) − ⟨η_q, θ_p − θ_q⟩ = KL(p(·∣θ_q) ‖ p(·∣θ_p)), in nats.

    Mind the flip: the Bregman divergence of ψ is the Kullback-Leibler divergence with its
    arguments exchanged. Lumped by group it is KL(P(g∣θ_q) ‖ P(g∣θ_p)).

    >>> import torch
    >>> from anchordiv.geometry import DiscreteAnchors
    >>> law = DiscreteAnchors(torch.eye(2, dtype=torch.float64), torch.zeros(2, dtype=torch.float64))
    >>> p, q = torch.tensor([1.0, 0.0], dtype=torch.float64), torch.zeros(2, dtype=torch.float64)
    >>> log_p, log_q = law.log_probs(p), law.log_probs(q)
    >>> kl_q_p = (log_q.exp() * (log_q - log_p)).sum()
    >>> bool(torch.isclose(bregman_divergence(p, q, law), kl_q_p))
    True
    """
    return anchors.group_bregman(theta_p, theta_q) if grouped else anchors.bregman(theta_p, theta_q)


def reverse_bregman_divergence(
    theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution, *, grouped: bool = False
) -> Tensor:
    """Return B(θ_q : θ_p) = KL(p(·∣θ_p) ‖ p(·∣θ_q)), in nats."""
    return bregman_divergence(theta_q, theta_p, anchors, grouped=grouped)


def jeffreys_divergence(
    theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution, *, grouped: bool = False
) -> Tensor:
    """Return B(θ_p : θ_q) + B(θ_q : θ_p) = ⟨η_p − η_q, θ_p − θ_q⟩, in nats."""
    there = bregman_divergence(theta_p, theta_q, anchors, grouped=grouped)
    return there + reverse_bregman_divergence(theta_p, theta_q, anchors, grouped=grouped)


def bhattacharyya_divergence(
    theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution, *, grouped: bool = False
) -> Tensor:
    """Return ½ψ(θ_p) + ½ψ(θ_q) − ψ(½(θ_p + θ_q)), in nats: the Jensen divergence of ψ.

    For discrete anchors it is −log Σ √(P_p P_q).
    """
    return anchors.group_bhattacharyya(theta_p, theta_q) if grouped else anchors.bhattacharyya(theta_p, theta_q)


def hellinger_distance(
    theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution, *, grouped: bool = False
) -> Tensor:
    """Return √(1 − exp(−Bhattacharyya)), from 0 to 1: √(½ Σ (√P_p − √P_q)²) for discrete anchors."""
    return (-torch.expm1(-bhattacharyya_divergence(theta_p, theta_q, anchors, grouped=grouped))).sqrt()


def fisher_rao_distance(
    theta_p: Tensor, theta_q: Tensor, anchors: AnchorDistribution, *, grouped: bool = False
) -> Tensor:
    """Return the length of the shortest path between the posteriors, in the Fisher metric.

    For discrete anchors over the whole simplex of their masses, 2 arccos Σ √(P_p P_q) ≤ π; for
    Gaussian anchors, whose metric is constant, √(2B).

    Raises:
        InputError: for a family without a closed form.
    """
    return anchors.group_fisher_rao(theta_p, theta_q) if grouped else anchors.fisher_rao(theta_p, theta_q)


def pairwise_divergences(
    divergence: DivergenceFunction,
    theta_p: Tensor,
    theta_q: Tensor,
    anchors: AnchorDistribution,
    *,
    grouped: bool = False,
    memory_budget: int = 256 * 2**20,
) -> Tensor:
    """Return the divergence of every row from every other's: ``(n, d), (k, d) -> (n, k)``.

    Args:
        divergence: one of this module's functions, such as :func:`bregman_divergence`.
        theta_p: ``(n, d)`` first arguments.
        theta_q: ``(k, d)`` second arguments.
        anchors: the anchor distribution.
        grouped: whether the posteriors are lumped by group.
        memory_budget: how many bytes the pairs may take while they are computed, besides the result.

    Raises:
        InputError: for a budget that is not positive, and what the divergence refuses.
    """
    if memory_budget < 1:
        raise InputError(f"the memory budget must be a positive number of bytes, got {memory_budget}.")
    pairs = max(1, memory_budget // (anchors.pair_width * theta_p.element_size()))
    columns = min(pairs, len(theta_q))
    rows = max(1, pairs // max(1, columns))
    result = theta_p.new_empty(len(theta_p), len(theta_q))
    for i in range(0, len(theta_p), rows):
        for j in range(0, len(theta_q), max(1, columns)):
            p, q = theta_p[i : i + rows, None], theta_q[None, j : j + columns]
            result[i : i + rows, j : j + columns] = divergence(p, q, anchors, grouped=grouped)
    return result
