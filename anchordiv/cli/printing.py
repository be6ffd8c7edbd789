"""What the commands print: plain lines for people, JSON for programs, notes on standard error."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from anchordiv.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

    from anchordiv.collection import Collection
    from anchordiv.contexts import Context
    from anchordiv.retrieval import Hits


def print_hits(
    collection: "Collection",
    context: "Context",
    query: "int | str | Image",
    how: dict[str, Any],
    as_json: bool,
) -> None:
    """Print the nearest pictures with their posterior and the change of rank against cosine.

    Args:
        collection: where to look.
        context: what "similar" means.
        query: as :func:`anchordiv.retrieval.search` takes it.
        how: the search's options.
        as_json: whether to print JSON instead of a table.
    """
    from anchordiv.retrieval import search as find

    hits = find(collection, context, query, **how)
    if as_json:
        print_json(_hits_as_json(hits))
        return
    if hits.query_cut:
        note(f'The query is too long for this encoder; not read: "{shortened(hits.query_cut)}".')
    if hits.group_names:
        typer.echo(f"query is {shares(hits.group_names, hits.query_group_probs)}")
    typer.echo(f"{'rank':>4} {'vs cosine':>9} {'nats':>10}  name")
    for hit in hits.rows:
        change = f"{hit.rank_change:+d}" if hit.rank_change else "="
        posterior = f"  ({shares(hits.group_names, hit.group_probs)})" if hits.group_names else ""
        typer.echo(f"{hit.rank:>4} {change:>9} {hit.divergence:>10.4g}  {plain(hit.name)}{posterior}")


def _hits_as_json(hits: "Hits") -> dict[str, Any]:
    """Return a ranking as plain values."""
    return {
        "query": {
            "index": hits.query_index,
            "groups": dict(zip(hits.group_names, map(float, hits.query_group_probs), strict=True)),
            "cut": hits.query_cut,
        },
        "hits": [
            {
                "rank": hit.rank,
                "index": hit.index,
                "id": hit.item_id,
                "name": hit.name,
                "divergence": hit.divergence,
                "cosine_rank": hit.cosine_rank,
                "rank_change": hit.rank_change,
                "groups": dict(zip(hits.group_names, map(float, hit.group_probs), strict=True)),
            }
            for hit in hits.rows
        ],
    }


def print_typical(collection: "Collection", context: "Context", k: int, as_json: bool) -> None:
    """Print for each group the pictures that most probably belong to it."""
    import numpy as np

    if not context.has_groups:
        raise InputError("Cosine has no groups to rank by; give a --query, or another --model.")
    log_probs = (
        context.group_log_probs(collection.embeddings, collection.embeddings)
        if len(collection)
        else np.zeros((0, len(context.groups)))
    )
    typical = {
        name: [
            {
                "rank": rank,
                "index": int(row),
                "id": collection.items[row].id,
                "name": collection.items[row].name,
                "probability": float(np.exp(log_probs[row, column])),
            }
            for rank, row in enumerate(np.argsort(-log_probs[:, column], kind="stable")[:k], start=1)
        ]
        for column, name in enumerate(context.group_names)
    }
    if as_json:
        print_json({"groups": typical})
        return
    for name, rows in typical.items():
        typer.echo(f"{plain(name)}")
        for row in rows:
            typer.echo(f"{row['rank']:>4} {row['probability']:>7.1%}  {plain(row['name'])}")


def shares(names: Sequence[str], probabilities: Any) -> str:
    """Write a posterior: "photo 93%, drawing 7%"."""
    return ", ".join(f"{plain(name)} {p:.0%}" for name, p in zip(names, probabilities, strict=True))


def shortened(text: str, limit: int = 80) -> str:
    """Return the start of a text that is too long for a line."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def plain(text: str) -> str:
    """Return a text that cannot steer the terminal, whatever a file is called."""
    return "".join(c if c.isprintable() else "�" for c in text)


def note(sentence: str) -> None:
    """Tell people something beside the result."""
    print(plain(sentence), file=sys.stderr)


def print_json(value: object) -> None:
    """Print a value as JSON in plain ASCII, so that no terminal is steered by a name."""
    typer.echo(json.dumps(value, indent=1, ensure_ascii=True, allow_nan=False))
