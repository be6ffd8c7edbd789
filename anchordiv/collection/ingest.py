"""From files to vectors in one pass with bounded memory: read, hash, decode, thumbnail, encode."""

import hashlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anchordiv.collection.collection import Item, Progress
from anchordiv.collection.pixels import read_image, thumbnail
from anchordiv.collection.report import IngestReport
from anchordiv.collection.sources import Entry, Source, list_source
from anchordiv.collection.store import Store, StoredPicture
from anchordiv.encoders import Encoder
from anchordiv.errors import RejectedFile, StoreUnavailable

if TYPE_CHECKING:
    import pandas as pd
    from PIL.Image import Image

Arrived: TypeAlias = Callable[[dict[str, Any]], None]

_BATCH = 32
# A batch is closed early when its pictures hold this many pixels (0.4 GB), so large photographs do not pile up.
_BATCH_PIXELS = 128_000_000
_DECODERS = 2


# The pictures in so far are shown again whenever there are half as many more.
_GROWTH = 1.5


class _Intake:
    """What has been accepted so far, in order, and the pictures waiting to be encoded.

    Args:
        encoder: makes the vectors.
        store: knows pictures encoded before and keeps the new ones.
        name: of the collection.
        columns: label columns.
    """

    def __init__(self, encoder: Encoder, store: Store | None, name: str, columns: tuple[str, ...]) -> None:
        self.items: list[Item] = []
        self.duplicates: list[str] = []
        self.rejected: list[tuple[str, str]] = []
        self._encoder, self._store, self._name, self._columns = encoder, store, name, columns
        self._thumbnails: list[bytes] = []
        self._originals: list[Callable[[], bytes]] = []
        self._labels: list[dict[str, object]] = []
        self._rows: list[NDArray[np.float32]] = []
        self._batch: list[tuple[int, Image]] = []
        self._warning = ""

    @property
    def encoded(self) -> int:
        """How many pictures have their vector."""
        return len(self.items) - len(self._batch)

    @property
    def batch_full(self) -> bool:
        """Tell whether enough pictures wait to be encoded together."""
        pixels = sum(picture.width * picture.height for _, picture in self._batch)
        return len(self._batch) >= _BATCH or pixels >= _BATCH_PIXELS

    def accept(self, entry: Entry, digest: str, thumbnail_bytes: bytes) -> None:
        """Take a picture in; its vector follows."""
        self.items.append(Item(digest, entry.name))
        self._thumbnails.append(thumbnail_bytes)
        self._originals.append(entry.read)
        self._labels.append(dict(entry.labels))

    def known(self, vector: NDArray[np.float32]) -> None:
        """Give the picture taken in last the vector it got in the past."""
        self._rows.append(vector)

    def fresh(self, picture: "Image") -> None:
        """Have the picture taken in last encoded with the next batch."""
        self._batch.append((len(self._rows), picture))
        self._rows.append(np.empty(0, np.float32))

    def encode_batch(self) -> None:
        """Encode what waits, and keep it at once, so that a crash later loses nothing of it."""
        if not self._batch:
            return
        places = [place for place, _ in self._batch]
        vectors = self._encoder.encode_images([picture for _, picture in self._batch], batch_size=_BATCH)
        self._batch.clear()
        for place, vector in zip(places, vectors, strict=True):
            self._rows[place] = vector
        if self._store is not None:
            kept = {self.items[at].id: StoredPicture(self._thumbnails[at], self._rows[at]) for at in places}
            try:
                self._store.keep_pictures(kept, self._encoder.identity)
            except StoreUnavailable as error:
                # The pictures are here all the same; only the next opening has to encode them again.
                self._store, self._warning = None, str(error)

    def arguments(self, rejected: Sequence[tuple[str, str]], skipped: int) -> dict[str, Any]:
        """Return the arguments of a Collection of what is in so far; nothing may wait to be encoded."""
        return {
            "name": self._name,
            "items": tuple(self.items),
            "embeddings": np.stack(self._rows) if self._rows else np.empty((0, self._encoder.dim), np.float32),
            "thumbnails": tuple(self._thumbnails),
            "encoder_identity": self._encoder.identity,
            "encoder": self._encoder,
            "labels": _label_table(self._labels, self._columns),
            "originals": tuple(self._originals),
            "report": IngestReport(
                len(self.items), tuple(self.duplicates), (*rejected, *self.rejected), skipped, self._warning
            ),
        }


def ingest(
    source: Source,
    *,
    encoder: Encoder,
    name: str | None = None,
    progress: Progress | None = None,
    store: Store | None = None,
    arrived: Arrived | None = None,
) -> dict[str, Any]:
    """Read, decode and encode a source; returns the arguments of a Collection.

    ``arrived`` is called with the same arguments for what is in so far, at growing distances.
    """
    listing = list_source(source)
    total = len(listing.entries)
    intake = _Intake(encoder, store, name or listing.name, listing.columns)
    refused: dict[str, str] = {}
    shown = 0

    def tell(stage: str, done: int, of: int) -> None:
        if progress is not None:
            progress(stage, done, of)

    def encode_batch() -> None:
        nonlocal shown
        intake.encode_batch()
        tell("encoding", intake.encoded, total - len(intake.rejected) - len(intake.duplicates))
        if arrived is not None and intake.items and len(intake.items) >= _GROWTH * shown:
            shown = len(intake.items)
            arrived(intake.arguments(listing.rejected, listing.skipped))

    tell("reading", 0, total)
    for done, (entry, digest, decoded) in enumerate(_decoded(listing.entries, encoder.identity, store), start=1):
        if isinstance(decoded, RejectedFile):
            intake.rejected.append((decoded.name, decoded.reason))
            refused[digest] = decoded.reason
        elif decoded is None and digest in refused:
            intake.rejected.append((entry.name, refused[digest]))
        elif decoded is None:
            intake.duplicates.append(entry.name)
        elif isinstance(decoded, StoredPicture):
            intake.accept(entry, digest, decoded.thumbnail)
            intake.known(decoded.embedding)
        else:
            picture, small = decoded
            intake.accept(entry, digest, small)
            intake.fresh(picture)
        tell("reading", done, total)
        if intake.batch_full:
            encode_batch()
    encode_batch()
    return intake.arguments(listing.rejected, listing.skipped)


def _decoded(entries: list[Entry], encoder_identity: str, store: Store | None) -> Iterator[tuple[Entry, str, Any]]:
    """Yield each entry in order, with its digest and what came of it.

    That is (picture, thumbnail), or what the store knows of it, its refusal, or None for a copy.

    Files are decoded by two threads, a few ahead of the one asked for.
    """
    seen: set[str] = set()
    waiting: deque[tuple[Entry, str, Future[Any]]] = deque()
    pool = ThreadPoolExecutor(max_workers=_DECODERS)
    try:
        for entry in entries:
            waiting.append(_started(pool, entry, seen, encoder_identity, store))
            if len(waiting) > 2 * _DECODERS:
                first, digest, future = waiting.popleft()
                yield first, digest, future.result()
        while waiting:
            first, digest, future = waiting.popleft()
            yield first, digest, future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _started(
    pool: ThreadPoolExecutor, entry: Entry, seen: set[str], encoder_identity: str, store: Store | None
) -> tuple[Entry, str, "Future[Any]"]:
    """Read and hash a file, and start decoding it unless the same bytes were seen before, now or in the past."""
    try:
        data = entry.read()
    except RejectedFile as refusal:
        return entry, "", _done(refusal)
    digest = hashlib.sha256(data).hexdigest()
    if digest in seen:
        return entry, digest, _done(None)
    seen.add(digest)
    known = _known(store, digest, encoder_identity)
    if known is not None:
        return entry, digest, _done(known)
    return entry, digest, pool.submit(_decode, data, entry.name)


def _known(store: Store | None, digest: str, encoder_identity: str) -> StoredPicture | None:
    """Look a picture up; a store that cannot be read knows nothing and stops nothing."""
    try:
        return None if store is None else store.picture(digest, encoder_identity)
    except StoreUnavailable:
        return None


def _decode(data: bytes, name: str) -> "tuple[Image, bytes] | RejectedFile":
    """Decode a file into its picture and thumbnail."""
    try:
        picture = read_image(data, name)
        return picture, thumbnail(picture)
    except RejectedFile as refusal:
        return refusal


def _done(result: RejectedFile | StoredPicture | None) -> "Future[Any]":
    """Wrap what is known already, so that it waits in line with the rest."""
    future: Future[Any] = Future()
    future.set_result(result)
    return future


def _label_table(rows: list[dict[str, object]], columns: tuple[str, ...]) -> "pd.DataFrame":
    """Return the labels as a table: one row per item, one column per attribute."""
    import pandas as pd

    table = pd.DataFrame({name: [row.get(name) for row in rows] for name in columns}, index=pd.RangeIndex(len(rows)))
    return table.infer_objects()
