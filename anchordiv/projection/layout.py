"""The map of a collection under a context: UMAP of its divergence, warm-started and aligned."""

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from anchordiv.contexts import Context
from anchordiv.errors import InputError
from anchordiv.geometry import device_of
from anchordiv.projection.neighbours import nearest_neighbours
from anchordiv.retrieval.search import check_encoder

if TYPE_CHECKING:
    from anchordiv.collection import Collection

Coordinates = NDArray[np.float32]

SMALLEST_UMAP = 5
_EPOCHS_FIRST, _EPOCHS_WARM = 300, 120
_EPOCHS_EARLY = 10
_SPREAD = 10.0  # UMAP's own start lies within ±10, so every start is scaled to that
_compile_lock = threading.Lock()
_caching_enabled = False


@dataclass(frozen=True, eq=False)
class Layout:
    """Where each picture lies on the map.

    Args:
        coordinates: ``(n, 2)`` float32, in the collection's order.
        item_ids: the pictures' content hashes, in the same order.
        method: ``umap``, or ``plain`` for collections too small for it.
    """

    coordinates: Coordinates
    item_ids: tuple[str, ...]
    method: Literal["umap", "plain"]


def project(
    collection: "Collection",
    context: Context,
    *,
    init: Layout | None = None,
    n_neighbors: int = 15,
    seed: int = 0,
    device: str = "auto",
    steps: Callable[[Layout], None] | None = None,
) -> Layout:
    """Lay the collection out so that pictures near under the context's divergence lie near.

    The layout depends on the set of pictures, not on their order. With ``init`` it starts from
    that layout and is turned, mirrored, scaled and moved back onto it, so what did not change
    does not move.

    With ``steps`` a map to start moving towards is handed out early. The final layout is the
    same, number for number, with and without it.

    Args:
        collection: the pictures.
        context: the geometry.
        init: the layout shown before, of this or an overlapping collection.
        n_neighbors: neighbours each picture is attached to, itself included.
        seed: of UMAP's negative sampling.
        device: where neighbours are found: ``auto`` (the best there is), ``cpu``, ``cuda`` or ``mps``.
        steps: called with a layout of a few epochs, aligned as the final one is, before the rest is
            computed; not called for collections too small for UMAP.

    Raises:
        InputError: for a context of another encoder, fewer than 2 neighbours, or a device that is not there.
    """
    check_encoder(collection, context)
    if n_neighbors < 2:
        raise InputError(f"n_neighbors must be at least 2, got {n_neighbors}.")
    ids = tuple(item.id for item in collection.items)
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    embeddings = collection.embeddings[order]
    start = _matching(init, [ids[i] for i in order])
    small, where = len(ids) < SMALLEST_UMAP, device_of(device)

    def laid_out(placed: Coordinates) -> Layout:
        coordinates = np.empty((len(ids), 2), dtype=np.float32)
        coordinates[order] = placed if start is None else aligned(placed, start)
        return Layout(coordinates, ids, "plain" if small else "umap")

    if small:
        return laid_out(_plain(context, embeddings))
    task, epochs = _umap_task(context, embeddings, start, min(n_neighbors, len(ids)), seed, where)
    if steps is not None:
        steps(laid_out(_embed(task, _EPOCHS_EARLY)))
    return laid_out(_embed(task, epochs))


def aligned(coordinates: Coordinates, target: Coordinates) -> Coordinates:
    """Return ``coordinates`` turned, mirrored, scaled and moved onto ``target`` (Procrustes): ``(n, 2)``.

    Rows of ``target`` that are NaN (pictures that were not on the map before) do not vote.
    """
    known = np.isfinite(target).all(axis=1)
    if known.sum() < 2:
        return coordinates
    centre, goal = coordinates[known].mean(axis=0), target[known].mean(axis=0)
    moved, wanted = coordinates[known] - centre, target[known] - goal
    u, _, vt = np.linalg.svd(moved.T @ wanted)
    size = np.square(moved).sum()
    # The least-squares scale shrinks the map a little at every step; keeping the overall size does not.
    scale = np.sqrt(np.square(wanted).sum() / size) if size > 0 else 1.0
    placed: Coordinates = ((coordinates - centre) @ (u @ vt) * scale + goal).astype(np.float32)
    return placed


def principal_plane(features: torch.Tensor) -> Coordinates:
    """Return the first two principal components, signs fixed, scaled to the map's spread: ``(n, f) -> (n, 2)``."""
    centred = features - features.mean(dim=0)
    u, s, vt = torch.linalg.svd(centred, full_matrices=False)
    # The sign of a component is arbitrary; the largest loading positive makes it the same on every run.
    signs = torch.sign(vt.gather(1, vt.abs().argmax(dim=1, keepdim=True)))[:, 0]
    plane = torch.zeros(len(features), 2, dtype=features.dtype)
    width = min(2, len(s))
    plane[:, :width] = (u * s * signs)[:, :width]
    largest = plane.abs().max() if len(plane) else torch.tensor(0.0)
    return (plane / largest * _SPREAD if largest > 0 else plane).numpy().astype(np.float32)


def warm_up() -> None:
    """Compile UMAP's inner loops ahead of the first map; safe to call from a background thread."""
    points = np.random.default_rng(0).normal(size=(40, 3))
    u = torch.from_numpy(points)
    lengths = torch.cdist(u, u)
    values, indices = lengths.topk(10, dim=1, largest=False)
    _embed(_prepared(indices.numpy(), values.numpy(), principal_plane(u), seed=0), epochs=2)


def _matching(init: Layout | None, ids: list[str]) -> Coordinates | None:
    if init is None:
        return None
    known = dict(zip(init.item_ids, init.coordinates, strict=True))
    if not any(item_id in known for item_id in ids):
        return None
    nowhere = np.full(2, np.nan, dtype=np.float32)
    return np.stack([known.get(item_id, nowhere) for item_id in ids])


def _features(context: Context, embeddings: NDArray[np.float32]) -> torch.Tensor:
    """Return what a first look at the geometry shows: posteriors where there are groups, else embeddings."""
    if context.has_groups:
        return torch.from_numpy(np.exp(context.group_log_probs(embeddings, embeddings)))
    return torch.from_numpy(embeddings.astype(np.float64))


def _plain(context: Context, embeddings: NDArray[np.float32]) -> Coordinates:
    if len(embeddings) < 2:
        return np.zeros((len(embeddings), 2), dtype=np.float32)
    plane = principal_plane(context.theta(embeddings) if not context.has_groups else _features(context, embeddings))
    # Pictures that coincide would hide each other; a small circle keeps each in sight.
    angle = 2 * np.pi * np.arange(len(plane)) / len(plane)
    return (plane + 0.5 * np.stack([np.cos(angle), np.sin(angle)], axis=1)).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _UmapTask:
    """All that UMAP's optimisation starts from, so that it can be run for few epochs and for many.

    Args:
        graph: ``(n, n)`` sparse membership strengths.
        spot: ``(n, 2)`` float32, where each picture starts.
        random_state: of the negative sampling; copied for each run.
    """

    graph: Any
    spot: Coordinates
    random_state: np.random.RandomState


def _umap_task(
    context: Context,
    embeddings: NDArray[np.float32],
    start: Coordinates | None,
    n_neighbors: int,
    seed: int,
    device: torch.device,
) -> tuple[_UmapTask, int]:
    """Return what to optimise and for how many epochs."""
    theta, law = context.theta(embeddings), context.anchor_law(embeddings)
    indices, lengths = nearest_neighbours(theta, law, n_neighbors, device=device)
    if start is None:
        first = principal_plane(_features(context, embeddings))
        return _prepared(indices, lengths, first, seed=seed), _EPOCHS_FIRST
    return _prepared(indices, lengths, _filled(start, indices), seed=seed), _EPOCHS_WARM


def _filled(start: Coordinates, indices: NDArray[np.int64]) -> Coordinates:
    """Put newcomers where their known neighbours are."""
    filled = start.copy()
    middle = np.nanmean(start, axis=0)
    for row in np.flatnonzero(~np.isfinite(start).all(axis=1)):
        near = start[indices[row]]
        near = near[np.isfinite(near).all(axis=1)]
        filled[row] = near.mean(axis=0) if len(near) else middle
    return filled


@contextmanager
def _umap_to_oneself() -> Iterator[None]:
    # umap compiles on first use and is not safe to enter twice while it does.
    with _compile_lock, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _enable_caching()
        yield


def _prepared(indices: NDArray[np.int64], lengths: NDArray[np.float64], start: Coordinates, *, seed: int) -> _UmapTask:
    with _umap_to_oneself():
        from umap.umap_ import fuzzy_simplicial_set

        random_state = np.random.RandomState(seed)
        graph, _, _ = fuzzy_simplicial_set(
            start,
            indices.shape[1],
            random_state,
            "precomputed",
            knn_indices=indices.astype(np.int32),
            knn_dists=lengths.astype(np.float32),
        )
    # A hair of noise parts pictures that start on the same spot, which no gradient would.
    spot = start * (_SPREAD / max(float(np.abs(start).max()), 1e-6))
    spot = spot + random_state.normal(scale=1e-3, size=start.shape)
    return _UmapTask(graph, spot.astype(np.float32), random_state)


def _embed(task: _UmapTask, epochs: int) -> Coordinates:
    """Optimise from the task's start, with UMAP's whole schedule of learning rates: ``(n, 2)``.

    A layout shown early is a short run of its own, not a part of the long one: umap rescales each
    axis where a run starts, so a map continued in stages would depend on whether anybody watched.
    """
    with _umap_to_oneself():
        from umap.umap_ import find_ab_params, simplicial_set_embedding

        a, b = find_ab_params(1.0, 0.1)
        coordinates, _ = simplicial_set_embedding(
            task.spot,
            task.graph,
            2,
            1.0,
            a,
            b,
            1.0,
            5,
            epochs,
            task.spot,
            deepcopy(task.random_state),
            "euclidean",
            {},
            False,
            {},
            False,
        )
    return np.asarray(coordinates, dtype=np.float32)


def _enable_caching() -> None:
    """Let numba keep umap's compiled loops on disk: the next process starts in about a second."""
    global _caching_enabled  # noqa: PLW0603 - a once-per-process switch guarded by the lock
    if _caching_enabled:
        return
    import umap.layouts
    import umap.umap_

    for module in (umap.umap_, umap.layouts):
        for value in vars(module).values():
            if hasattr(value, "enable_caching") and not getattr(value, "signatures", None):
                # Caching saves time only; where the folder cannot be written umap still works.
                try:
                    value.enable_caching()
                except (RuntimeError, OSError):
                    continue
    _caching_enabled = True
