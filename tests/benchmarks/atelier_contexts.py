"""Do text anchors help on Atelier? Mean average precision of each label under each anchor model, against cosine.

    python tests/benchmarks/atelier_contexts.py [--queries 200]

Queries are shipped pictures whose object-style pair the starter never saw in training; the
anchors are the ready contexts' prompts alone. Prints a Markdown table.
"""

import argparse

import numpy as np

import anchordiv as ad
from anchordiv.contexts import ready_contexts

LABELS = ("style", "object", "colour")
MODELS = ("prototype", "empirical", "discriminant")
DIVERGENCES = ("kl", "jeffreys")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--queries", type=int, default=0, help="how many held-out queries; 0 for all")
    arguments = parser.parse_args()
    encoder = ad.load_encoder("starter")
    collection = ad.open_sample("atelier", encoder=encoder)
    held_out = np.flatnonzero(collection.labels["split"] == "held-out pair")
    if arguments.queries:
        held_out = np.random.default_rng(0).choice(held_out, arguments.queries, replace=False)
    columns = [(model, divergence) for model in MODELS for divergence in DIVERGENCES]
    print(f"{len(held_out)} held-out queries over {len(collection)} pictures; mAP\n")
    print("| same … | cosine | " + " | ".join(f"{model}, {divergence}" for model, divergence in columns) + " |")
    print("|---|" + "---|" * (len(columns) + 1))
    gains: dict[tuple[str, str], list[float]] = {column: [] for column in columns}
    for label in LABELS:
        cells = []
        for model, divergence in columns:
            context = ad.Context.from_groups(ready_contexts("atelier")[label], encoder=encoder, model=model)
            report = ad.evaluate(collection, context, labels=label, divergence=divergence, queries=held_out.tolist())
            cells.append(f"{report.context_map:.3f}")
            if label != "colour":
                gains[model, divergence].append(report.gain)
        print(f"| {label} | {report.cosine_map:.3f} | " + " | ".join(cells) + " |")
    print("| mean gain over style and object | | " + " | ".join(f"{np.mean(g):+.3f}" for g in gains.values()) + " |")


if __name__ == "__main__":
    main()
