"""Bregman k-means: clusters under an anchor divergence (Banerjee, Merugu, Dhillon & Ghosh, JMLR 6, 2005)."""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution
from anchordiv.geometry.divergences import bregman_divergence, pairwise_divergences, reverse_bregman_divergence
from anchordiv.geometry.duality import left_centroid, right_centroid

Side = Literal["right", "left"]


@dataclass(frozen=True, eq=False)
class Clusters:
    """Where each point belongs.

    Args:
        assignment: ``(n,)`` int64, the cluster of each point, 0 to k − 1.
        centroids: ``(k, d)`` natural parameters.
        total: the sum of the points' divergences from their centroids, in nats.
        totals: that sum after each round; it does not rise but for rounding.
        converged: whether another round would move no point.
    """

    assignment: Tensor
    centroids: Tensor
    total: float
    totals: tuple[float, ...]
    converged: bool


def bregman_k_means(
    theta: Tensor, anchors: AnchorDistribution, k: int, *, side: Side = "right", seed: int = 0, max_rounds: int = 100
) -> Clusters:
    """Split ``(n, d)`` points into ``k`` clusters of small divergence from their centroids.

    Each round sends every point to its nearest centroid and every centroid to the argmin of its
    cluster; neither raises the total, so it ends. The start is k-means++ under the divergence.

    Args:
        theta: ``(n, d)`` natural parameters.
        anchors: the anchor distribution.
        k: how many clusters, 1 to n.
        side: ``right`` minimises Σ B(θ_i : c), whose centroid is the mean of θ; ``left`` Σ B(c : θ_i),
            whose centroid has the mean of η.
        seed: of the start.
        max_rounds: how many rounds at most, at least 1.

    Raises:
        InputError: for k out of range, another side, no round, or numbers that are not finite.
    """
    if theta.ndim != 2 or not 1 <= k <= len(theta):
        raise InputError(f"k must be 1 to the number of points, got {k} for points of shape {tuple(theta.shape)}.")
    if side not in ("right", "left") or max_rounds < 1:
        raise InputError(f"side must be right or left and max_rounds at least 1, got {side!r} and {max_rounds}.")
    centroids = _spread_start(theta, anchors, k, side, seed)
    divergences = _from_centroids(theta, centroids, anchors, side)
    assignment, totals = _without_empty(divergences, k), list[float]()
    for _ in range(max_rounds):
        centroids = torch.stack([_centroid(theta[assignment == c], anchors, side) for c in range(k)])
        divergences = _from_centroids(theta, centroids, anchors, side)
        totals.append(float(divergences.gather(1, assignment.unsqueeze(1)).sum()))
        before, assignment = assignment, _without_empty(divergences, k)
        if torch.equal(before, assignment):
            break
    return Clusters(before, centroids, totals[-1], tuple(totals), torch.equal(before, assignment))


def _from_centroids(theta: Tensor, centroids: Tensor, anchors: AnchorDistribution, side: Side) -> Tensor:
    divergence = bregman_divergence if side == "right" else reverse_bregman_divergence
    return pairwise_divergences(divergence, theta, centroids, anchors)


def _centroid(members: Tensor, anchors: AnchorDistribution, side: Side) -> Tensor:
    return right_centroid(members) if side == "right" else left_centroid(members, anchors)


def _spread_start(theta: Tensor, anchors: AnchorDistribution, k: int, side: Side, seed: int) -> Tensor:
    """Choose k points, each with a chance in proportion to its divergence from those chosen before."""
    chance = torch.Generator().manual_seed(seed)  # on the CPU, so that every device starts alike
    chosen = [int(torch.randint(len(theta), (1,), generator=chance))]
    nearest = torch.full((len(theta),), torch.inf, dtype=torch.float64)
    while len(chosen) < k:
        latest = _from_centroids(theta, theta[chosen[-1:]], anchors, side)[:, 0]
        nearest = torch.minimum(nearest, latest.cpu().double())
        nearest[chosen] = 0.0
        left = nearest if bool(nearest.any()) else _not_among(chosen, len(theta))  # only copies are left
        chosen.append(int(torch.multinomial(left, 1, generator=chance)))
    return theta[chosen]


def _not_among(chosen: list[int], n: int) -> Tensor:
    others = torch.ones(n, dtype=torch.float64)
    others[chosen] = 0.0
    return others


def _without_empty(from_centroids: Tensor, k: int) -> Tensor:
    """Assign each point to its nearest centroid, the farthest ones to those left without any: ``(n, k) -> (n,)``.

    An emptied cluster takes a point from one that keeps another.
    """
    divergences, assignment = from_centroids.min(dim=1)
    for cluster in range(k):
        sizes = torch.bincount(assignment, minlength=k)
        if sizes[cluster]:
            continue
        spare = sizes[assignment] > 1
        farthest = int(torch.where(spare, divergences, torch.full_like(divergences, -torch.inf)).argmax())
        assignment[farthest], divergences[farthest] = cluster, 0.0
    return assignment
