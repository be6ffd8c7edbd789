"""Search under a context: exact rankings, and how they differ from cosine's and from each other."""

from anchordiv.retrieval.compare import Comparison, compare_rankings, ranks_of
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

__all__ = [
    "DIVERGENCES",
    "Comparison",
    "Divergence",
    "Hit",
    "Hits",
    "compare_rankings",
    "divergences",
    "embed_query",
    "nats_from",
    "ranks_of",
    "search",
]
