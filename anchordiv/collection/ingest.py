"""From files to vectors in one pass with bounded memory: read, hash, decode, thumbnail, encode."""

import hashlib
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anchordiv.collection.collection import Item, Progress
from anchordiv.collection.pixels import read_image, thumbnail
from anchordiv.collection.report import IngestReport
from anchordiv.collection.sources import Entry, Source, list_source
from anchordiv.encoders import Encoder
from anchordiv.errors import RejectedFile

if TYPE_CHECKING:
    import pandas as pd
    from PIL.Image import Image

_BATCH = 32
# A batch is closed early when its pictures hold this many pixels (0.4 GB), so large photographs do not pile up.
_BATCH_PIXELS = 128_000_000
_DECODERS = 2


@dataclass
class _Gathered:
    """What has been accepted so far, in order."""

    items: list[Item] = field(default_factory=list)
    thumbnails: list[bytes] = field(default_factory=list)
    originals: list[Callable[[], bytes]] = field(default_factory=list)
    labels: list[dict[str, object]] = field(default_factory=list)
    embeddings: list[NDArray[np.float32]] = field(default_factory=list)


def ingest(source: Source, *, encoder: Encoder, name: str | None, progress: Progress | None) -> dict[str, Any]:
    """Read, decode and encode a source; returns the arguments of a Collection."""
    listing = list_source(source)
    total = len(listing.entries)
    rejected = list(listing.rejected)
    duplicates: list[str] = []
    refused: dict[str, str] = {}
    gathered = _Gathered()
    batch: list[Image] = []

    def tell(stage: str, done: int, of: int) -> None:
        if progress is not None:
            progress(stage, done, of)

    def encode_batch() -> None:
        if batch:
            gathered.embeddings.append(encoder.encode_images(batch, batch_size=_BATCH))
            batch.clear()
        tell("encoding", len(gathered.items), total - len(rejected) - len(duplicates) + len(listing.rejected))

    tell("reading", 0, total)
    for done, (entry, digest, decoded) in enumerate(_decoded(listing.entries), start=1):
        if isinstance(decoded, RejectedFile):
            rejected.append((decoded.name, decoded.reason))
            refused[digest] = decoded.reason
        elif decoded is None and digest in refused:
            rejected.append((entry.name, refused[digest]))
        elif decoded is None:
            duplicates.append(entry.name)
        else:
            picture, small = decoded
            gathered.items.append(Item(digest, entry.name))
            gathered.thumbnails.append(small)
            gathered.originals.append(entry.read)
            gathered.labels.append(dict(entry.labels))
            batch.append(picture)
        tell("reading", done, total)
        if len(batch) >= _BATCH or sum(p.width * p.height for p in batch) >= _BATCH_PIXELS:
            encode_batch()
    encode_batch()
    return {
        "name": name or listing.name,
        "items": tuple(gathered.items),
        "embeddings": np.concatenate([np.empty((0, encoder.dim), np.float32), *gathered.embeddings]),
        "thumbnails": gathered.thumbnails,
        "encoder_identity": encoder.identity,
        "encoder": encoder,
        "labels": _label_table(gathered.labels, listing.columns),
        "originals": gathered.originals,
        "report": IngestReport(len(gathered.items), tuple(duplicates), tuple(rejected), listing.skipped),
    }


def _decoded(entries: list[Entry]) -> Iterator[tuple[Entry, str, Any]]:
    """Yield each entry with its digest and (picture, thumbnail), its refusal, or None for a copy, in order.

    Files are decoded by two threads, a few ahead of the one asked for.
    """
    seen: set[str] = set()
    waiting: deque[tuple[Entry, str, Future[Any]]] = deque()
    pool = ThreadPoolExecutor(max_workers=_DECODERS)
    try:
        for entry in entries:
            waiting.append(_started(pool, entry, seen))
            if len(waiting) > 2 * _DECODERS:
                first, digest, future = waiting.popleft()
                yield first, digest, future.result()
        while waiting:
            first, digest, future = waiting.popleft()
            yield first, digest, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _started(pool: ThreadPoolExecutor, entry: Entry, seen: set[str]) -> tuple[Entry, str, "Future[Any]"]:
    """Read and hash a file, and start decoding it unless the same bytes were seen before."""
    try:
        data = entry.read()
    except RejectedFile as refusal:
        return entry, "", _done(refusal)
    digest = hashlib.sha256(data).hexdigest()
    if digest in seen:
        return entry, digest, _done(None)
    seen.add(digest)
    return entry, digest, pool.submit(_decode, data, entry.name)


def _decode(data: bytes, name: str) -> "tuple[Image, bytes] | RejectedFile":
    """Decode a file into its picture and thumbnail."""
    try:
        picture = read_image(data, name)
        return picture, thumbnail(picture)
    except RejectedFile as refusal:
        return refusal


def _done(result: RejectedFile | None) -> "Future[Any]":
    """Wrap what is known already, so that it waits in line with the rest."""
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def _label_table(rows: list[dict[str, object]], columns: tuple[str, ...]) -> "pd.DataFrame":
    """Return the labels as a table: one row per item, one column per attribute."""
    import pandas as pd

    table = pd.DataFrame({name: [row.get(name) for row in rows] for name in columns}, index=pd.RangeIndex(len(rows)))
    return table.infer_objects()
