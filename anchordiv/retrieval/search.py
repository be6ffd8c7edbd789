"""Search: the pictures nearest to a query under a context, exactly, with their place under cosine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from anchordiv.contexts import Context
from anchordiv.errors import InputError
from anchordiv.geometry import AnchorDistribution
from anchordiv.retrieval.compare import ranks_of
from anchordiv.retrieval.forms import Divergence, divergence_of

if TYPE_CHECKING:
    from PIL.Image import Image

    from anchordiv.collection import Collection
    from anchordiv.encoders import Encoder

Embeddings = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Hit:
    """One result: a picture, how far it is from the query under the context, and where cosine puts it.

    Args:
        rank: 1 for the nearest.
        index: row in the collection.
        item_id: content hash.
        name: the picture's name.
        divergence: nats from the query.
        group_probs: ``(G,)`` posterior over the groups; empty under cosine.
        cosine_rank: its rank under cosine, over the same candidates.
    """

    rank: int
    index: int
    item_id: str
    name: str
    divergence: float
    group_probs: NDArray[np.float64]
    cosine_rank: int

    @property
    def rank_change(self) -> int:
        """How many places it rose against cosine; negative when it fell."""
        return self.cosine_rank - self.rank


@dataclass(frozen=True, eq=False)
class Hits:
    """A ranking's top: the query's own posterior over the groups and its nearest pictures.

    Args:
        rows: nearest first.
        group_names: what the columns of ``group_probs`` mean.
        query_group_probs: ``(G,)``; empty under cosine.
        query_index: the query's row when it is a picture of the collection, else None.
        query_cut: words of a text query that did not fit into the encoder's context.
    """

    rows: tuple[Hit, ...]
    group_names: tuple[str, ...]
    query_group_probs: NDArray[np.float64]
    query_index: int | None
    query_cut: str = ""


def divergences(
    collection: "Collection", context: Context, query_embedding: Embeddings, divergence: Divergence = "kl"
) -> NDArray[np.float64]:
    """Return the divergence of every picture from the query, in nats: ``(n, d), (d,) -> (n,)``.

    Computed in float64 by the cancellation-free forms, so near neighbours keep their order.

    Args:
        collection: ``n`` embedded pictures.
        context: the geometry.
        query_embedding: ``(d,)`` unit vector.
        divergence: ``kl`` = KL(P_query ‖ P_item), ``reverse_kl``, ``jeffreys`` or ``bhattacharyya``.

    Raises:
        InputError: for an unknown divergence or embeddings of another encoder.
    """
    check_encoder(collection, context)
    if len(collection) == 0:
        return np.zeros(0)
    law = context.anchor_law(collection.embeddings)
    return nats_from(context.theta(collection.embeddings), context.theta(query_embedding), law, divergence)


def nats_from(
    theta_items: torch.Tensor, theta_query: torch.Tensor, law: AnchorDistribution, divergence: Divergence
) -> NDArray[np.float64]:
    """Return the items' divergences from one query under a law at hand: ``(n, d), (d,) -> (n,)``.

    Raises:
        InputError: for an unknown divergence.
    """
    return divergence_of(divergence)(theta_items, theta_query, law).numpy()


def search(
    collection: "Collection",
    context: Context,
    query: "int | str | Image | Embeddings",
    *,
    k: int = 20,
    divergence: Divergence = "kl",
    exclude_query: bool = True,
    exclude: Sequence[int] = (),
) -> Hits:
    """Return the ``k`` pictures nearest to the query under the context.

    Args:
        collection: where to look.
        context: what "similar" means.
        query: a row of the collection, a text, a picture, or a ``(d,)`` embedding.
        k: how many to return, at least 1.
        divergence: which divergence ranks.
        exclude_query: leave the query itself out when it is a row of the collection.
        exclude: rows that are never hits and count in no rank.

    Raises:
        InputError: for a query, ``k``, divergence or excluded row that cannot be used.
    """
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}.")
    check_encoder(collection, context)
    embedding, row, cut = embed_query(collection, context, query)
    nats = divergences(collection, context, embedding, divergence)
    cosine = collection.embeddings @ embedding
    allowed = _allowed(len(collection), exclude)
    leave_out = row if exclude_query else None
    ranks, cosine_rank = ranks_of(nats, leave_out, allowed), ranks_of(-cosine, leave_out, allowed)
    # Ranks of 0 take no part; they sort before the first and are cut off.
    top = np.argsort(ranks)[np.count_nonzero(ranks == 0) :][:k]
    probs = _group_probs(context, collection, collection.embeddings[top])
    rows = tuple(
        Hit(
            rank,
            int(index),
            collection.items[index].id,
            collection.items[index].name,
            float(nats[index]),
            probs[rank - 1],
            int(cosine_rank[index]),
        )
        for rank, index in enumerate(top, start=1)
    )
    query_probs = _group_probs(context, collection, embedding[None])[0]
    return Hits(rows, context.group_names if context.has_groups else (), query_probs, row, cut)


def embed_query(
    collection: "Collection", context: Context, query: "int | str | Image | Embeddings"
) -> tuple[Embeddings, int | None, str]:
    """Return the query's ``(d,)`` unit embedding, its row in the collection if it has one, and cut words.

    A text's embedding is moved by mean(pictures) − mean(prompt bank) and renormalised: against
    pictures a raw text stays biased by the modality gap.
    """
    if isinstance(query, str):
        encoder = _encoder_of(collection)
        from anchordiv.encoders import text_mean

        encoded = encoder.encode_texts([query])
        moved = encoded.embeddings[0] - text_mean(encoder)
        if len(collection):
            moved = moved + collection.embeddings.mean(axis=0)
        return (moved / np.linalg.norm(moved)).astype(np.float32), None, encoded.cut[0]
    if isinstance(query, np.ndarray):
        if query.shape != (context.dim,) or not np.isfinite(query).all():
            raise InputError(f"a query embedding holds {context.dim} finite numbers, got shape {query.shape}.")
        return query.astype(np.float32), None, ""
    if isinstance(query, int | np.integer):
        if not 0 <= query < len(collection):
            raise InputError(f"the collection has pictures 0 to {len(collection) - 1}, got {query}.")
        return collection.embeddings[query], int(query), ""
    return _encoder_of(collection).encode_images([query])[0], None, ""


def check_encoder(collection: "Collection", context: Context) -> None:
    """Refuse to compare vectors of two encoders, which would rank by accident.

    Raises:
        InputError: when the collection and the context were encoded differently.
    """
    if collection.encoder_identity != context.encoder_identity:
        raise InputError(
            f"the collection was encoded by {collection.encoder_identity}, the context by "
            f"{context.encoder_identity}; encode one of them again with the other's encoder."
        )


def _allowed(n: int, exclude: Sequence[int]) -> NDArray[np.bool_]:
    allowed = np.ones(n, dtype=bool)
    for row in exclude:
        if not 0 <= row < n:
            raise InputError(f"the collection has pictures 0 to {n - 1}, cannot exclude {row}.")
        allowed[row] = False
    return allowed


def _encoder_of(collection: "Collection") -> "Encoder":
    if collection.encoder is None:
        raise InputError("this collection was opened without its encoder; open it with encoder=... to search by it.")
    return collection.encoder


def _group_probs(context: Context, collection: "Collection", embeddings: Embeddings) -> NDArray[np.float64]:
    if not context.has_groups:
        return np.zeros((len(embeddings), 0))
    return np.exp(context.group_log_probs(embeddings, collection.embeddings))
