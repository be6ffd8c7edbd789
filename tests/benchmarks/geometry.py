"""What a context costs: switching to it and asking under it, against cosine on the whole embeddings.

Run ``python tests/benchmarks/geometry.py`` (``--items 10000 100000`` for fewer rows). Each size is timed
in one run against torch's cosine, numpy's, faiss's IndexFlatIP and the bare product with log-softmax;
the answers are checked to be those of float64 on a part of the queries. Aims at 100,000 × 512 and 32
anchors on two cores: a query 15 times as fast as torch's cosine, a switch within 1.3 times the bare
product, a million rows within 8 GiB. Where CUDA is present, ten million half-precision rows follow.
Printed, never asserted.
"""

import argparse
import resource
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import faiss
import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from anchordiv.geometry import DiscreteAnchors
from anchordiv.retrieval import Index

D, K, KAPPA = 512, 20, 100.0


def unit(n: int, seed: int, dtype: torch.dtype = torch.float32, device: str = "cpu") -> torch.Tensor:
    """Return ``(n, D)`` random unit vectors, made in blocks."""
    torch.manual_seed(seed)
    rows = torch.empty(n, D, dtype=dtype, device=device)
    for block in rows.split(100_000):
        block.copy_(torch.nn.functional.normalize(torch.randn(len(block), D, device=device), dim=1))
    return rows


def milliseconds(work: Callable[[], object], repeats: int, wait: Callable[[], None] = lambda: None) -> float:
    """Return the median time of some calls after a first one."""
    work()
    times = []
    for _ in range(repeats):
        wait()
        began = time.perf_counter()
        work()
        wait()
        times.append(1e3 * (time.perf_counter() - began))
    return statistics.median(times)


def law_of(m: int) -> DiscreteAnchors:
    """Return m random anchors of equal mass."""
    return DiscreteAnchors(unit(m, seed=m).double(), torch.zeros(m, dtype=torch.float64))


def check(index: Index, embeddings: torch.Tensor, law: DiscreteAnchors, query: torch.Tensor) -> None:
    """Stop if the index does not answer like float64 on everything."""
    nats = law.bregman(KAPPA * embeddings[:50_000].double(), KAPPA * query.double())
    part = torch.arange(len(embeddings)) < 50_000
    if index.nearest(query, K, part).rows.tolist() != nats.argsort()[:K].tolist():
        raise SystemExit("the index does not give the order of brute force")


def measure(n: int, anchors: list[int]) -> None:
    """Print the table of one size."""
    embeddings, queries = unit(n, seed=1), unit(50, seed=2)
    repeats = 50 if n <= 100_000 else 10
    array, turn = embeddings.numpy(), iter(range(10**9))
    flat = faiss.IndexFlatIP(D)
    flat.add(array)
    rivals = {
        "torch": lambda: (embeddings @ queries[next(turn) % 50]).topk(K),
        "numpy": lambda: np.argpartition(-(array @ queries[next(turn) % 50].numpy()), K),
        "faiss": lambda: flat.search(queries[next(turn) % 50 :][:1].numpy(), K),
    }
    cosine = {name: milliseconds(work, repeats) for name, work in rivals.items()}
    print(f"\n{n:,} × {D}: cosine query, ms: " + ", ".join(f"{name} {ms:.2f}" for name, ms in cosine.items()))
    flat.reset()
    for m in anchors:
        law = law_of(m)
        points = (KAPPA * law.anchors.float()).mT.contiguous()
        bare = milliseconds(lambda: torch.log_softmax(embeddings @ points, dim=1), 7)  # noqa: B023
        switch = milliseconds(lambda: Index(embeddings, law, KAPPA), 7)  # noqa: B023
        index = Index(embeddings, law, KAPPA)
        query = milliseconds(lambda: index.nearest(queries[next(turn) % 50], K), repeats)  # noqa: B023
        check(index, embeddings, law, queries[0])
        print(
            f"  m = {m:3}: switch {switch:7.1f} ms = {switch / bare:.2f} × bare product ({bare:.1f} ms); query "
            f"{query:6.2f} ms: torch {cosine['torch'] / query:.1f} ×, numpy {cosine['numpy'] / query:.1f} ×, "
            f"faiss {cosine['faiss'] / query:.1f} × as long; {index.nearest(queries[0], K).examined} re-ranked"
        )


def measure_cuda(n: int = 10_000_000) -> None:
    """Print the switch of ten million half-precision rows as a share of the bandwidth of a copy."""
    embeddings, law = unit(n, seed=1, dtype=torch.float16, device="cuda"), law_of(32)
    copy = milliseconds(embeddings.clone, 5, torch.cuda.synchronize)
    switch = milliseconds(lambda: Index(embeddings, law, KAPPA, device="cuda"), 3, torch.cuda.synchronize)
    index, query = Index(embeddings, law, KAPPA, device="cuda"), unit(1, seed=2)[0]
    ask = milliseconds(lambda: index.nearest(query, K), 20, torch.cuda.synchronize)
    # A copy reads and writes what a switch only reads.
    print(
        f"\nCUDA, {n:,} × {D} float16: switch {switch:.1f} ms, {copy / 2 / switch:.0%} of a copy's bandwidth; ", end=""
    )
    print(f"query {ask:.2f} ms")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--anchors", type=int, nargs="+", default=[8, 32, 128])
    options = parser.parse_args()
    print(f"{torch.get_num_threads()} threads, κ = {KAPPA:g}, k = {K}")
    for n in options.items:
        measure(n, options.anchors)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"  peak memory so far {peak:.1f} GiB; the embeddings are {n * D * 4 / 2**30:.1f}, and faiss copies them")
    if torch.cuda.is_available():
        measure_cuda()
    else:
        print("\nskipped: CUDA, 10,000,000 × 512 float16 (no CUDA device here)")


if __name__ == "__main__":
    main()
