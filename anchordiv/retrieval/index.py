"""An index: a collection's item vectors under one geometry, searched exactly and in blocks."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry import AnchorDistribution, DiscreteAnchors, DivergenceFunction, SumAnchors, exact_device
from anchordiv.retrieval.forms import Divergence, divergence_of, has_form, item_vectors, query_vectors

_BLOCK_NUMBERS = 2**21  # numbers of one block of embeddings: it stays near the processor while it is worked on
_PER_BLOCK = 64  # scores of which the best is kept when a short list is drawn up
_EXACT_BYTES = 64 * 2**20  # what a block of pairs in float64 may take


@dataclass(frozen=True, eq=False)
class Nearest:
    """The items nearest to a query.

    Args:
        rows: ``(k,)`` rows of the index, nearest first; equals keep the rows' order.
        divergences: ``(k,)`` float64, the divergence of each.
        examined: how many items were compared in float64 to make sure of the order.
    """

    rows: NDArray[np.int64]
    divergences: NDArray[np.float64]
    examined: int


class Index:
    """What is kept of every item to find the nearest ones, exactly, from few numbers each.

    Items are ranked by one float32 product of their vectors with the query's; a short list is then
    compared in float64, where nothing cancels, and grown until the rounding of the product has, with near
    certainty, kept no nearer item out of it. The result is the order of comparing everything in float64.

    Args:
        embeddings: ``(n, d)`` in float32, or float16 or bfloat16 to halve their memory; they stay where they
            are, and are widened block by block, so every sum is accumulated in float32 at least.
        law: the anchor distribution.
        concentration: κ, the natural parameter is θ = κ · embedding.
        divergence: what is minimised; the item is its first argument, the query the second.
        grouped: whether posteriors are lumped by group.
        device: where the item vectors are kept and searched; see :func:`anchordiv.geometry.device_of`.

    Raises:
        InputError: for numbers that are not finite, another dimension than the anchors', an unknown
            divergence, or one this law does not have.
    """

    def __init__(
        self,
        embeddings: Tensor,
        law: AnchorDistribution,
        concentration: float,
        divergence: Divergence = "kl",
        *,
        grouped: bool = False,
        device: torch.device | str = "cpu",
    ) -> None:
        self._embeddings, self._law, self._concentration = embeddings, law, concentration
        self._divergence, self._grouped, self._device = divergence, grouped, torch.device(device)
        self._compare = divergence_of(divergence)
        # Hellinger and Fisher-Rao end at 1 and π, where the overlap they grow with still tells items apart.
        ends = divergence == "hellinger" or (divergence == "fisher_rao" and has_form(law, divergence))
        self._order = divergence_of("bhattacharyya") if ends else self._compare
        first = self._exact_theta(embeddings[:1])
        self._compare(first, first, law, grouped=grouped)  # refuses early
        self._largest = 0.0  # the longest embedding
        self._items = self._build() if has_form(law, divergence) else None
        parts = law.parts if isinstance(law, SumAnchors) else (law,)
        self._discrete = [part for part in parts if isinstance(part, DiscreteAnchors)]
        self._of_posteriors = len(self._discrete) == len(parts)
        self._longest = 0.0
        if self._items is not None and len(self) and not self._of_posteriors:
            self._longest = float(torch.linalg.vector_norm(self._items, dim=1).max())

    def __len__(self) -> int:
        return len(self._embeddings)

    @property
    def width(self) -> int | None:
        """How many numbers are kept of an item; None where the divergence is no inner product."""
        return None if self._items is None else self._items.shape[1]

    @torch.inference_mode()
    def nearest(self, query: Tensor, k: int, allowed: Tensor | None = None) -> Nearest:
        """Return the ``k`` items with the smallest divergence from the query, as comparing all of them would.

        Args:
            query: ``(d,)`` embedding.
            k: how many, at least 1; fewer where fewer are allowed.
            allowed: ``(n,)`` bool, False for items that take no part; None allows all.

        Raises:
            InputError: for ``k`` below 1, a query with numbers that are not finite, or ``allowed`` of another shape.
        """
        if k < 1:
            raise InputError(f"k must be at least 1, got {k}.")
        if query.ndim != 1:
            raise InputError(f"a query is one embedding of shape (d,), got {tuple(query.shape)}; ask one by one.")
        if allowed is not None and (allowed.shape != (len(self),) or allowed.dtype != torch.bool):
            got = f"{tuple(allowed.shape)} of {allowed.dtype}"
            raise InputError(f"allowed must say yes or no to each of {len(self)} items as torch.bool, got {got}.")
        theta = self._exact_theta(query)
        possible = len(self) if allowed is None else int(allowed.sum())
        if self._items is None or possible == 0:
            return self._among(theta, self._all_rows(allowed), k)
        vector = query_vectors(theta, self._law, self._divergence, grouped=self._grouped)
        scores = self._items @ vector.to(self._device, torch.float32)
        if not bool(torch.isfinite(scores.sum())):  # the product left the range of float32
            return self._among(theta, self._all_rows(allowed), k)
        if allowed is not None:
            scores[~allowed.to(self._device)] = -torch.inf
        size = min(possible, max(2 * k, 48))
        while True:
            rows, lowest = _best_rows(scores, size)
            found = self._among(theta, rows, k)
            if len(rows) == possible or self._settled(vector, lowest, float(scores[found.rows[-1]])):
                return found
            size = min(possible, 4 * size)

    def divergences(self, query: Tensor) -> NDArray[np.float64]:
        """Return every item's divergence from the query in float64: ``(d,) -> (n,)``."""
        return self._compared(self._compare, self._exact_theta(query), self._all_rows(None)).numpy()

    def _build(self) -> Tensor:
        # κ⟨x, a⟩ = ⟨x, κa⟩: where it can be, κ goes to the few anchors instead of the many items.
        law, factor = self._law, self._concentration
        if isinstance(law, DiscreteAnchors):
            wide = law.anchors.to(torch.promote_types(law.anchors.dtype, torch.float32))
            law, factor = DiscreteAnchors(factor * wide, law.log_weights, law.groups), 1.0
        items, size = None, max(1, _BLOCK_NUMBERS // law.dim)
        for start in range(0, len(self), size):
            block = self._embeddings[start : start + size].to(self._device, torch.float32)
            theta = block if factor == 1.0 else factor * block
            vectors = item_vectors(theta, law, self._divergence, grouped=self._grouped)
            if items is None:
                items = vectors.new_empty(vectors.shape[1], len(self)).mT
            items[start : start + size] = vectors
            self._largest = max(self._largest, float(torch.linalg.vector_norm(block, dim=1).max()))
        return torch.empty(0, 1, device=self._device) if items is None else items

    def _exact_theta(self, embeddings: Tensor) -> Tensor:
        # Widened before it is multiplied: the difference of near neighbours must keep its digits.
        return self._concentration * embeddings.to(exact_device(self._device)).double()

    def _all_rows(self, allowed: Tensor | None) -> Tensor:
        return torch.arange(len(self)) if allowed is None else torch.nonzero(allowed)[:, 0]

    def _compared(self, by: DivergenceFunction, theta: Tensor, rows: Tensor) -> Tensor:
        """Return the divergences of some rows from the query, on the CPU: ``(d,), (r,) -> (r,)`` float64."""
        size = max(1, _EXACT_BYTES // (8 * self._law.pair_width))
        rows = rows.to(self._embeddings.device)
        blocks = [
            by(self._exact_theta(self._embeddings[block]), theta, self._law, grouped=self._grouped).cpu()
            for block in torch.split(rows, size)
        ]
        return torch.cat(blocks) if len(rows) else torch.empty(0, dtype=torch.float64)

    def _among(self, theta: Tensor, rows: Tensor, k: int) -> Nearest:
        values, order = self._compared(self._order, theta, rows).sort(stable=True)
        nearest = rows.cpu()[order[:k]]
        named = values[:k] if self._order is self._compare else self._compared(self._compare, theta, nearest)
        return Nearest(nearest.numpy(), named.numpy(), len(rows))

    def _settled(self, query: Tensor, lowest: float, reached: float) -> bool:
        """Return whether no item scored at most ``lowest`` can be nearer than the one that scored ``reached``."""
        return lowest + self._rounding(query, lowest) < reached - self._rounding(query, reached)

    def _rounding(self, query: Tensor, score: float) -> float:
        """Return how far rounding can move a float32 score: a probabilistic bound.

        A sum of d products rounds by less than 2 √d units of their absolute sum with near certainty
        (Higham & Mary, SIAM J. Sci. Comput. 41, 2019). In a posterior that is √d units of κ‖a‖ nats,
        once in ⟨θ, a⟩ and once in ψ; the product of the vectors adds its own √f.
        """
        inner = 2 * math.sqrt(self._law.dim) * max(1.0, abs(self._concentration) * self._largest)
        outer = 2 * math.sqrt(len(query))
        if self._of_posteriors:
            inner *= 2 * max(float(torch.linalg.vector_norm(law.anchors, dim=1).max()) for law in self._discrete)
            # Σ P |log P| ≤ log m: what the terms of a score can have beyond its own size.
            mixed = self._divergence in ("reverse_kl", "jeffreys")
            beyond = sum(2 * math.log(len(law.anchors)) for law in self._discrete) if mixed else 0.0
            weight = sum(self._law.weights) if isinstance(self._law, SumAnchors) else 1.0
            size = abs(score) + max(1.0, weight) * (1 + beyond)
        else:
            size = self._longest * float(torch.linalg.vector_norm(query))
        return torch.finfo(torch.float32).eps / 2 * (inner + outer) * size


def _best_rows(scores: Tensor, size: int) -> tuple[Tensor, float]:
    """Return the rows that reach some score, and that score: ``(n,) -> (r,), ()``, in order, r ≥ size hardly more.

    Among the best of every 64 items there are at least ``size`` that reach the size-th of them, so only they
    are sorted and only their blocks are looked into. A score of −inf is an item that takes no part.
    """
    whole = len(scores) // _PER_BLOCK * _PER_BLOCK
    blocks = scores[:whole].view(-1, _PER_BLOCK)
    best = blocks.amax(dim=1)
    if len(best) <= size:
        lowest = scores.topk(size).values[-1]
        rows = torch.nonzero(scores >= lowest)[:, 0]
    else:
        lowest = best.topk(size).values[-1]
        reaching = torch.nonzero(best >= lowest)[:, 0]
        block, place = torch.nonzero(blocks[reaching] >= lowest).unbind(dim=1)
        behind = whole + torch.nonzero(scores[whole:] >= lowest)[:, 0]
        rows = torch.cat([reaching[block] * _PER_BLOCK + place, behind])
    return rows[scores[rows] > -torch.inf], float(lowest)
