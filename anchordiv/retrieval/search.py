"""Search: the pictures nearest to a query under a context, exactly, with their place under cosine."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from anchordiv.contexts import Context
from anchordiv.errors import InputError
from anchordiv.geometry import AnchorDistribution, device_of, exact_device
from anchordiv.retrieval.forms import Divergence, divergence_of
from anchordiv.retrieval.index import Index

if TYPE_CHECKING:
    from PIL.Image import Image

    from anchordiv.collection import Collection
    from anchordiv.encoders import Encoder

Embeddings = NDArray[np.float32]

# A collection's embeddings are read-only; torch warns that it could write to them, which an index never does.
warnings.filterwarnings("ignore", message="The given NumPy array is not writable", category=UserWarning)


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
    collection: "Collection",
    context: Context,
    query_embedding: Embeddings,
    divergence: Divergence = "kl",
    *,
    grouped: bool = False,
    device: str = "auto",
) -> NDArray[np.float64]:
    """Return the divergence of every picture from the query, in nats: ``(n, d), (d,) -> (n,)``.

    Computed in float64 by the cancellation-free forms, so near neighbours keep their order.

    Args:
        collection: ``n`` embedded pictures.
        context: the geometry.
        query_embedding: ``(d,)`` unit vector.
        divergence: ``kl`` = KL(P_query ‖ P_item), ``reverse_kl``, ``jeffreys``, ``bhattacharyya``,
            ``hellinger`` or ``fisher_rao``; the last two are lengths, without unit.
        grouped: whether the posteriors are lumped by group before they are compared.
        device: ``auto`` (the best there is), ``cpu``, ``cuda`` or ``mps``.

    Raises:
        InputError: for an unknown divergence, one the context does not have, embeddings of another encoder, or
            a device that is not there.
    """
    check_encoder(collection, context)
    if len(collection) == 0:
        return np.zeros(0)
    law, where = context.anchor_law(collection.embeddings), exact_device(device_of(device))
    theta, theta_query = context.theta(collection.embeddings), context.theta(query_embedding)
    return nats_from(theta.to(where), theta_query.to(where), law, divergence, grouped=grouped)


def index_of(
    collection: "Collection",
    context: Context,
    divergence: Divergence = "kl",
    *,
    grouped: bool = False,
    device: str = "auto",
) -> Index:
    """Return what is kept of a collection under a context to ask it again and again: one switch of context.

    Args:
        collection: where to look.
        context: what "similar" means.
        divergence: which divergence ranks.
        grouped: whether posteriors are lumped by group.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.

    Raises:
        InputError: as :func:`divergences`, and for a device that is not there.
    """
    check_encoder(collection, context)
    embeddings = torch.from_numpy(np.require(collection.embeddings, requirements="C"))
    law = context.anchor_law(collection.embeddings)
    return Index(embeddings, law, context.concentration, divergence, grouped=grouped, device=device_of(device))


def nats_from(
    theta_items: torch.Tensor,
    theta_query: torch.Tensor,
    law: AnchorDistribution,
    divergence: Divergence,
    *,
    grouped: bool = False,
) -> NDArray[np.float64]:
    """Return the items' divergences from one query under a law at hand: ``(n, d), (d,) -> (n,)``.

    Raises:
        InputError: for an unknown divergence.
    """
    return divergence_of(divergence)(theta_items, theta_query, law, grouped=grouped).cpu().numpy()


def search(  # noqa: PLR0913 - each is an option people type
    collection: "Collection",
    context: Context,
    query: "int | str | Image | Embeddings",
    *,
    k: int = 20,
    divergence: Divergence = "kl",
    grouped: bool = False,
    exclude_query: bool = True,
    exclude: Sequence[int] = (),
    device: str = "auto",
    index: Index | None = None,
) -> Hits:
    """Return the ``k`` pictures nearest to the query under the context.

    Args:
        collection: where to look.
        context: what "similar" means.
        query: a row of the collection, a text, a picture, or a ``(d,)`` embedding.
        k: how many to return, at least 1.
        divergence: which divergence ranks.
        grouped: whether posteriors are lumped by group before they are compared.
        exclude_query: leave the query itself out when it is a row of the collection.
        exclude: rows that are never hits and count in no rank.
        device: where to search: ``auto`` (the best there is), ``cpu``, ``cuda`` or ``mps``.
        index: made by :func:`index_of` for this collection and context, to ask many times; it then says
            which divergence ranks, and where.

    Raises:
        InputError: for a query, ``k``, divergence, device or excluded row that cannot be used.
    """
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}.")
    check_encoder(collection, context)
    embedding, row, cut = embed_query(collection, context, query)
    allowed = _allowed(len(collection), [*exclude, *([row] if exclude_query and row is not None else [])])
    index = index_of(collection, context, divergence, grouped=grouped, device=device) if index is None else index
    if len(index) != len(collection):
        raise InputError(f"the index has {len(index)} items, the collection {len(collection)}; make it anew.")
    near = index.nearest(torch.from_numpy(np.array(embedding)), k, torch.from_numpy(allowed))
    cosine = _cosine_ranks(collection.embeddings @ embedding, allowed, near.rows)
    probs = _group_probs(context, collection, collection.embeddings[near.rows])
    items = [collection.items[hit] for hit in near.rows]
    rows = tuple(
        Hit(rank, int(hit), item.id, item.name, float(nats), posterior, int(place))
        for rank, (hit, item, nats, posterior, place) in enumerate(
            zip(near.rows, items, near.divergences, probs, cosine, strict=True), start=1
        )
    )
    query_probs = _group_probs(context, collection, embedding[None])[0]
    return Hits(rows, context.group_names if context.has_groups else (), query_probs, row, cut)


def _cosine_ranks(
    cosine: NDArray[np.floating], allowed: NDArray[np.bool_], rows: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the ranks of a few rows by descending cosine, by counting what precedes each: no sort of all."""
    ahead = [
        np.count_nonzero(allowed & (cosine > cosine[row])) + np.count_nonzero((allowed & (cosine == cosine[row]))[:row])
        for row in rows
    ]
    return np.array(ahead, dtype=np.int64) + 1


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
