"""Exact nearest neighbours under a context's divergence, symmetrised (Jeffreys)."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry import AnchorDistribution, exact_device

_BLOCK_BYTES = 64 * 2**20  # the largest block of pairs held at once


def nearest_neighbours(
    theta: Tensor, law: AnchorDistribution, k: int, *, device: torch.device | str = "cpu"
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return each row's ``k`` nearest rows, itself first, and √Jeffreys to them: ``(n, d) -> (n, k), (n, k)``.

    √Jeffreys is locally the length measured by the Fisher metric, which is what UMAP expects
    of a distance. Candidates are found by one float32 product of the dual features per block and compared
    anew in float64, where nothing cancels; a row whose candidates the product's rounding could have
    kept a nearer one out of finds them again by a float64 product. What that product cannot tell apart
    either, Jeffreys that differ by some 1e-15 of ‖u‖‖v‖, may be taken for one another.

    Args:
        theta: natural parameters in float64.
        law: the anchor distribution.
        k: how many, 1 to n.
        device: where the products are computed; see :func:`anchordiv.geometry.device_of`.

    Raises:
        InputError: for no rows, ``k`` out of range, or numbers that are not finite.
    """
    if theta.ndim != 2 or not 1 <= k <= len(theta):
        raise InputError(f"k must be 1 to the number of rows, got {k} for shape {tuple(theta.shape)}.")
    exact = exact_device(torch.device(device))
    u, v = law.dual_features(theta.to(exact))
    fast = _Ranking(u, v, torch.float32, torch.device(device))
    shortlist = min(len(theta), 2 * k + 8)
    found = []
    for rows in torch.split(torch.arange(len(theta)), fast.rows_at_once(shortlist * v.shape[1])):
        indices, jeffreys, settled = _nearest(fast, law, v, rows, k, shortlist)
        if not bool(settled.all()):
            sure = _Ranking(u, v, torch.float64, exact)
            indices[~settled], jeffreys[~settled], _ = _nearest(sure, law, v, rows[~settled.cpu()], k, shortlist)
        found.append((indices.cpu(), jeffreys.cpu().sqrt()))
    return torch.cat([indices for indices, _ in found]).numpy(), torch.cat([lengths for _, lengths in found]).numpy()


class _Ranking:
    """Jeffreys of every pair as one product, ⟨u_i − u_j, v_i − v_j⟩ multiplied out, in one precision.

    Args:
        u: ``(n, f)`` first dual features in float64.
        v: ``(n, f)`` second ones.
        dtype: of the products.
        device: where they are computed.
    """

    def __init__(self, u: Tensor, v: Tensor, dtype: torch.dtype, device: torch.device) -> None:
        # Both sides about their means: differences stay as they are and the products stay small.
        u, v = u - u.mean(dim=0), v - v.mean(dim=0)
        own = (u * v).sum(dim=1)
        # A probabilistic bound as in retrieval.Index: √f units of what is summed, and a few for the conversions.
        units = torch.finfo(dtype).eps / 2 * (2 * (2 * u.shape[1]) ** 0.5 + 4)
        long_u, long_v = torch.linalg.vector_norm(u, dim=1), torch.linalg.vector_norm(v, dim=1)
        self.own = own
        self.rounding = units * (long_u * long_v.max() + long_v * long_u.max() + 2 * own.max())
        self._left, self._right = torch.cat([u, v], dim=1).to(device, dtype), torch.cat([v, u], dim=1).to(device, dtype)
        self._own = own.to(device, dtype)

    def rows_at_once(self, pair_numbers: int) -> int:
        """Return how many rows fit into a block beside their candidates' numbers."""
        return max(1, _BLOCK_BYTES // (8 * max(len(self.own), pair_numbers)))

    def candidates(self, rows: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Return the nearest rows, themselves among them, and the largest Jeffreys: ``(r,) -> (r, count), (r,)``."""
        here = rows.to(self._left.device)
        # A row's own ⟨u, v⟩ is the same for all its pairs: it is added to what is left only.
        scores = torch.addmm(self._own, self._left[here], self._right.mT, alpha=-1)
        # Where all pairs are nearer than rounding, a row could miss itself.
        scores.scatter_(1, here[:, None], -torch.inf)
        values, indices = scores.topk(count, dim=1, largest=False)
        return indices.to(self.own.device), self.own[rows] + values[:, -1].to(self.own)


def _nearest(
    ranking: _Ranking, law: AnchorDistribution, v: Tensor, rows: Tensor, k: int, shortlist: int
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the rows' ``k`` nearest, their Jeffreys, and whether nothing nearer can have been left out."""
    rows = rows.to(v.device)
    candidates, beyond = ranking.candidates(rows, shortlist)
    jeffreys = law.jeffreys_of_features(v[rows, None], v[candidates])
    # The row itself must come first even among exact copies of it.
    order = jeffreys.masked_fill(candidates == rows[:, None], -torch.inf).argsort(dim=1)[:, :k]
    nearest = jeffreys.gather(1, order)
    everything = torch.tensor(shortlist == len(v), device=v.device)
    settled = everything | (nearest[:, -1] < beyond - ranking.rounding[rows])
    return candidates.gather(1, order), nearest, settled
