"""Does a context help? Mean average precision of a label under the context and under cosine."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anchordiv.contexts import Context
from anchordiv.errors import InputError
from anchordiv.evaluation.metrics import average_precision
from anchordiv.retrieval import Divergence, nats_from
from anchordiv.retrieval.search import check_encoder

if TYPE_CHECKING:
    from anchordiv.collection import Collection


@dataclass(frozen=True, eq=False)
class Report:
    """How well "nearest" agrees with "same label".

    Args:
        labels: the label column.
        queries: ``(q,)`` rows that were asked.
        context_precision: ``(q,)`` average precision of each query under the context.
        cosine_precision: ``(q,)`` the same under cosine.
        left_out: anchors of the context, which are neither queries nor targets.
    """

    labels: str
    queries: NDArray[np.int64]
    context_precision: NDArray[np.float64]
    cosine_precision: NDArray[np.float64]
    left_out: int

    @property
    def context_map(self) -> float:
        """Mean average precision under the context."""
        return float(np.mean(self.context_precision))

    @property
    def cosine_map(self) -> float:
        """Mean average precision under cosine."""
        return float(np.mean(self.cosine_precision))

    @property
    def gain(self) -> float:
        """How much mean average precision the context adds over cosine."""
        return self.context_map - self.cosine_map


def evaluate(
    collection: "Collection",
    context: Context,
    *,
    labels: str,
    divergence: Divergence = "kl",
    grouped: bool = False,
    queries: Sequence[int] | None = None,
) -> Report:
    """Ask with every labelled picture for its like and measure how early they come.

    Pictures that serve as anchors of the context are left out entirely, as queries and as
    targets: finding again what one pointed at proves nothing.

    Args:
        collection: with the label column.
        context: the geometry to judge.
        labels: the column's name.
        divergence: which divergence ranks.
        grouped: whether posteriors are lumped by group before they are compared.
        queries: rows to ask with; all labelled ones by default.

    Raises:
        InputError: for an unknown column or when no query has another picture of its label.
    """
    if labels not in collection.labels.columns:
        known = ", ".join(map(str, collection.labels.columns)) or "none"
        raise InputError(f"the collection has no label column {labels!r}; it has: {known}.")
    anchors = {a.item_id for group in context.groups for a in group.anchors if a.item_id}
    column = collection.labels[labels]
    values = column.astype(str).to_numpy()
    usable = column.notna().to_numpy() & np.array([item.id not in anchors for item in collection.items], dtype=bool)
    targets = np.flatnonzero(usable)
    wanted = targets if queries is None else np.array([q for q in queries if usable[q]], dtype=np.int64)
    asked = np.array([q for q in wanted if (values[targets] == values[q]).sum() > 1], dtype=np.int64)
    if not len(asked):
        raise InputError(f"no picture shares its {labels!r} with another one, so there is nothing to find.")
    check_encoder(collection, context)
    theta, law = context.theta(collection.embeddings), context.anchor_law(collection.embeddings)
    context_scores, cosine_scores = [], []
    for query in asked:
        others = targets[targets != query]
        same = values[others] == values[query]
        nats = nats_from(theta[others], theta[query], law, divergence, grouped=grouped)
        cosine = collection.embeddings[others] @ collection.embeddings[query]
        context_scores.append(average_precision(same[np.argsort(nats, kind="stable")]))
        cosine_scores.append(average_precision(same[np.argsort(-cosine, kind="stable")]))
    left_out = len(collection) - int(usable.sum())
    return Report(labels, asked, np.array(context_scores), np.array(cosine_scores), left_out)
