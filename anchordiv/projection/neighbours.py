"""Exact nearest neighbours under a context's divergence, symmetrised (Jeffreys)."""

import numpy as np
import torch
from numpy.typing import NDArray

from anchordiv.geometry import AnchorDistribution

_BLOCK_BYTES = 64 * 2**20  # the largest block of pairs held at once


def nearest_neighbours(
    theta: torch.Tensor, law: AnchorDistribution, k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return each row's ``k`` nearest rows, itself first, and √Jeffreys to them: ``(n, d) -> (n, k), (n, k)``.

    √Jeffreys is locally the length measured by the Fisher metric, which is what UMAP expects
    of a distance. Candidates are found by inner products of the dual features; the candidates'
    divergences are then computed anew from differences, where nothing cancels.

    Args:
        theta: natural parameters in float64.
        law: the anchor distribution.
        k: how many, 1 to n.
    """
    u, v = law.dual_features(theta)
    # Both sides about their means: differences stay as they are and the products stay small.
    u, v = u - u.mean(dim=0), v - v.mean(dim=0)
    own = (u * v).sum(dim=1)
    shortlist = min(len(theta), 2 * k + 8)
    rows = max(1, _BLOCK_BYTES // (8 * max(len(theta), 2 * shortlist * u.shape[1])))
    indices, lengths = [], []
    for start in range(0, len(theta), rows):
        block = slice(start, start + rows)
        jeffreys = own[block, None] + own[None, :] - u[block] @ v.mT - v[block] @ u.mT
        candidates = jeffreys.topk(shortlist, dim=1, largest=False).indices
        exact = ((u[block, None] - u[candidates]) * (v[block, None] - v[candidates])).sum(dim=2)
        # The row itself must come first even among exact copies of it.
        exact[candidates == torch.arange(start, start + len(exact))[:, None]] = -1.0
        nearest = exact.topk(k, dim=1, largest=False)
        indices.append(candidates.gather(1, nearest.indices))
        # A product of two roundings can land a hair below zero for copies; their length is 0.
        lengths.append(nearest.values.clamp_min(0).sqrt())
    return torch.cat(indices).numpy(), torch.cat(lengths).numpy()
