"""The rows of a result grid, from the full search or, before torch has woken up, from plain cosine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from anchordiv.contexts import Context
    from anchordiv.ui.thumbnails import OpenedCollection


@dataclass(frozen=True)
class Row:
    """One neighbour: its place under the context, under cosine, and its posterior over the groups."""

    index: int
    rank: int
    cosine_rank: int | None = None
    shares: Sequence[float] = ()


@dataclass(frozen=True)
class Answer:
    """What a query brought: its neighbours and its own posterior over the groups.

    Args:
        rows: nearest first.
        shares: the query's posterior, empty under cosine.
        by_context: whether the context ranked, not plain cosine.
        cut: words of the query that the encoder could not read.
    """

    rows: Sequence[Row]
    shares: Sequence[float] = ()
    by_context: bool = False
    cut: str = ""


def by_cosine(
    opened: OpenedCollection, query: NDArray[np.float32], *, k: int, leave_out: int | None, cut: str = ""
) -> Answer:
    """Rank by plain cosine without torch; the same order as a uniform anchor law gives.

    Args:
        opened: where to look.
        query: (d,) unit vector.
        k: how many.
        leave_out: the query's own index, if it is one of the pictures.
        cut: words of the query that the encoder could not read.
    """
    cosine = opened.collection.embeddings @ query
    order = [int(index) for index in np.argsort(-cosine, kind="stable") if index != leave_out][:k]
    return Answer([Row(index, rank) for rank, index in enumerate(order, start=1)], cut=cut)


def by_context(
    opened: OpenedCollection,
    context: Context,
    query: int | NDArray[np.float32],
    *,
    k: int,
    divergence: str,
    cut: str = "",
) -> Answer:
    """Rank by a context's divergence."""
    from anchordiv.retrieval import search

    hits = search(opened.collection, context, query, k=k, divergence=divergence)  # type: ignore[arg-type]
    rows = [Row(hit.index, hit.rank, hit.cosine_rank, [float(share) for share in hit.group_probs]) for hit in hits.rows]
    return Answer(rows, [float(share) for share in hits.query_group_probs], True, cut)
