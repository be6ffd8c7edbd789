"""The rows of a result grid: ranked by the context or by plain cosine, each beside its place under the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from anchordiv.contexts import Context
    from anchordiv.ui.thumbnails import OpenedCollection

PAGE = 24


@dataclass(frozen=True)
class Row:
    """One picture of a ranking.

    Args:
        index: which picture.
        rank: its place in the ranking shown, 1 for the nearest.
        other_rank: its place in the other ranking; none if there is no other.
        entered: whether the other ranking does not have it among as many first ones.
        shares: its posterior over the groups.
        nats: its divergence from the query, where a context ranks.
    """

    index: int
    rank: int
    other_rank: int | None = None
    entered: bool = False
    shares: Sequence[float] = ()
    nats: float | None = None


@dataclass(frozen=True)
class Answer:
    """What a query brought: one page of neighbours and the query's own posterior over the groups.

    Args:
        rows: the page's pictures, nearest first.
        pages: how many pages there are.
        left: pictures that the other ranking has among as many first ones and this one does not.
        comparison: says in words how the two differ.
        shares: the query's posterior; empty without a context.
        by_context: whether the context ranked, not plain cosine.
        cut: words of the query that the encoder could not read.
    """

    rows: Sequence[Row]
    pages: int = 1
    left: Sequence[Row] = ()
    comparison: str = ""
    shares: Sequence[float] = ()
    by_context: bool = False
    cut: str = ""


@dataclass(frozen=True, eq=False)
class Asked:
    """A query as numbers.

    Args:
        vector: (d,) unit vector.
        leave_out: rows that are the query itself.
        cut: words that the encoder could not read.
        hidden: rows that were excluded.
    """

    vector: NDArray[np.float32]
    leave_out: Sequence[int] = ()
    cut: str = ""
    hidden: Sequence[int] = field(default=())


def by_cosine(opened: OpenedCollection, asked: Asked, *, page: int = 1, size: int = PAGE) -> Answer:
    """Rank by plain cosine without torch; the same order as a uniform anchor law gives."""
    out = {*asked.leave_out, *asked.hidden}
    cosine = opened.collection.embeddings @ asked.vector
    order = [int(index) for index in np.argsort(-cosine, kind="stable") if index not in out]
    pages = _pages(len(order), size)
    first = (min(page, pages) - 1) * size
    rows = [Row(index, rank) for rank, index in enumerate(order[first : first + size], start=first + 1)]
    return Answer(rows, pages, cut=asked.cut)


def with_context(
    opened: OpenedCollection,
    context: Context,
    asked: Asked,
    shares: NDArray[np.floating],
    *,
    divergence: str,
    by_context: bool,
    page: int = 1,
    size: int = PAGE,
) -> Answer:
    """Rank by a context's divergence or by cosine, and say how each differs from the other.

    Args:
        opened: where to look.
        context: the geometry.
        asked: the query.
        shares: (n, G) every picture's posterior over the groups.
        divergence: which of the context's divergences ranks.
        by_context: whether the context ranks; otherwise cosine does and the context is the other ranking.
        page: which page, from 1.
        size: how many pictures a page has.
    """
    from anchordiv.retrieval import compare_rankings, divergences, ranks_of

    embeddings = opened.collection.embeddings
    allowed = np.ones(len(embeddings), dtype=bool)
    allowed[[*asked.leave_out, *asked.hidden]] = False
    nats = divergences(opened.collection, context, asked.vector, divergence)  # type: ignore[arg-type]
    under = ranks_of(nats, None, allowed)
    plain = ranks_of(-(embeddings @ asked.vector).astype(np.float64), None, allowed)
    ranks, other = (under, plain) if by_context else (plain, under)
    pages = _pages(int(allowed.sum()), size)
    page = min(page, pages)
    compared = compare_rankings(ranks, other, page * size)
    entered = set(compared.entered)

    def row(index: int) -> Row:
        said = [float(share) for share in shares[index]]
        return Row(index, int(ranks[index]), int(other[index]), index in entered, said, float(nats[index]))

    order = np.argsort(np.where(ranks > 0, ranks, len(ranks) + 1), kind="stable")
    here = order[(page - 1) * size : min(page * size, int(allowed.sum()))]
    own = np.exp(context.group_log_probs(asked.vector[None], embeddings))[0]
    return Answer(
        [row(int(index)) for index in here],
        pages,
        [row(int(index)) for index in compared.left],
        compared.sentence(),
        [float(share) for share in own],
        by_context,
        asked.cut,
    )


def _pages(count: int, size: int) -> int:
    return max(1, -(-count // size))
