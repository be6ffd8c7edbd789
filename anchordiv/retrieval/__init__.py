"""Search under a context: exact rankings, and how they differ from cosine's and from each other."""

from anchordiv.retrieval.compare import Comparison, compare_rankings, ranks_of
from anchordiv.retrieval.forms import DIVERGENCES, Divergence
from anchordiv.retrieval.index import Index, Nearest
from anchordiv.retrieval.search import (
    Hit,
    Hits,
    divergences,
    embed_query,
    index_of,
    nats_from,
    search,
)

__all__ = [
    "DIVERGENCES",
    "Comparison",
    "Divergence",
    "Hit",
    "Hits",
    "Index",
    "Nearest",
    "compare_rankings",
    "divergences",
    "embed_query",
    "index_of",
    "nats_from",
    "ranks_of",
    "search",
]
