"""Search under a context: exact rankings, and how they differ from cosine's."""

from anchordiv.retrieval.search import (
    DIVERGENCES,
    Divergence,
    Hit,
    Hits,
    divergences,
    embed_query,
    nats_from,
    search,
)

__all__ = ["DIVERGENCES", "Divergence", "Hit", "Hits", "divergences", "embed_query", "nats_from", "search"]
