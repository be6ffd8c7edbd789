"""A collection: pictures with stable ids, their vectors under one encoder, and their labels."""

import hashlib
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from anchordiv.collection.pixels import read_image
from anchordiv.collection.report import IngestReport
from anchordiv.collection.sources import Source
from anchordiv.encoders import Encoder
from anchordiv.errors import InputError, RejectedFile

if TYPE_CHECKING:
    import pandas as pd
    from PIL.Image import Image

    from anchordiv.collection.store import Store

Progress: TypeAlias = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Item:
    """One picture.

    Args:
        id: SHA-256 of the file's content in hex; does not depend on its name or place.
        name: what people call it.
    """

    id: str
    name: str


@dataclass(frozen=True, eq=False)
class Collection:
    """Pictures, their vectors and their labels; row i of each belongs to item i.

    Args:
        name: what people call it.
        items: n items with different ids.
        embeddings: (n, d) float32 of unit length, read-only.
        thumbnails: n small pictures as WebP (or JPEG or PNG) bytes.
        encoder_identity: the identity of the encoder that made the vectors.
        encoder: that encoder, if it is loaded.
        labels: n rows, one column per attribute; None for no columns.
        originals: n functions that return a file's bytes; None if only the thumbnails are there.
        report: what became of the files handed over; by default, that all became items.
    """

    name: str
    items: tuple[Item, ...]
    embeddings: NDArray[np.float32]
    thumbnails: Sequence[bytes] = field(repr=False)
    encoder_identity: str
    encoder: Encoder | None = field(default=None, repr=False)
    labels: "pd.DataFrame" = field(default=None, repr=False)  # type: ignore[assignment]
    originals: Sequence[Callable[[], bytes]] | None = field(default=None, repr=False)
    report: IngestReport = field(default=None, repr=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        count = len(self.items)
        if self.embeddings.ndim != 2 or len(self.embeddings) != count or len(self.thumbnails) != count:
            raise InputError(
                f"A collection of {count} items needs as many rows of vectors and thumbnails, not "
                f"{self.embeddings.shape} and {len(self.thumbnails)}."
            )
        embeddings = np.ascontiguousarray(self.embeddings, dtype=np.float32)
        if embeddings is self.embeddings:
            embeddings = embeddings.view()
        embeddings.flags.writeable = False
        object.__setattr__(self, "embeddings", embeddings)
        if self.labels is None:
            import pandas as pd

            object.__setattr__(self, "labels", pd.DataFrame(index=pd.RangeIndex(count)))
        elif len(self.labels) != count:
            raise InputError(f"There are {len(self.labels)} rows of labels for {count} items.")
        if self.report is None:
            object.__setattr__(self, "report", IngestReport(accepted=count))
        if self.encoder is not None and self.encoder.identity != self.encoder_identity:
            raise InputError(
                f"These vectors were made by the encoder {self.encoder_identity}, not by {self.encoder.identity}; "
                "load the one they were made by, or encode the pictures again."
            )

    @classmethod
    def open(
        cls,
        source: Source,
        *,
        encoder: Encoder,
        name: str | None = None,
        progress: Progress | None = None,
        store: "Store | None" = None,
        arrived: "Callable[[Self], None] | None" = None,
    ) -> Self:
        """Open pictures and encode them; a bad file is left out with a reason and never stops the rest.

        Args:
            source: a folder, a zip, a picture, a table with a column of paths (its other columns become labels), a
                list of files, or a list of (name, bytes) pairs; or an .npz that ``save`` wrote, which needs no
                encoding. Sub-folders become the label column "folder".
            encoder: makes the vectors.
            name: what people call it; else the folder's or file's name.
            progress: called with (stage, done, total), the stage "reading" or "encoding"; raising from it cancels.
            store: knows the vectors of pictures encoded before, and keeps those made now; by default nothing is kept.
            arrived: called now and then with the collection of what is in so far.

        Raises:
            InputError: if there is no such source. No pictures at all are no error: the collection is empty.
        """
        from anchordiv.collection.ingest import ingest

        if isinstance(source, str | Path) and Path(source).suffix.lower() == ".npz":
            return cls.load(Path(source).expanduser(), encoder)

        def pass_on(arguments: dict[str, Any]) -> None:
            if arrived is not None:
                arrived(cls(**arguments))

        return cls(
            **ingest(source, encoder=encoder, name=name, progress=progress, store=store, arrived=arrived and pass_on)
        )

    @classmethod
    def load(cls, path: str | Path, encoder: Encoder | None = None) -> Self:
        """Load what ``save`` wrote.

        Args:
            path: an .npz file.
            encoder: the encoder the vectors were made by, if prompts are to be encoded too.

        Raises:
            InputError: if it is no such file, is damaged, or was made by another encoder.
        """
        from anchordiv.collection.saved import load

        return cls(**load(Path(path)), encoder=encoder)

    def save(self, path: str | Path) -> None:
        """Write everything but the original files to an .npz; the file appears whole or not at all."""
        from anchordiv.collection.saved import save

        save(self, Path(path))

    def __len__(self) -> int:
        return len(self.items)

    @property
    def ids(self) -> tuple[str, ...]:
        """The item ids in row order."""
        return tuple(item.id for item in self.items)

    @cached_property
    def _rows(self) -> Mapping[str, int]:
        return {item.id: row for row, item in enumerate(self.items)}

    def index_of(self, item_id: str) -> int:
        """Return the row of an item.

        Raises:
            InputError: if there is no item of that id.
        """
        if item_id not in self._rows:
            raise InputError(f'The collection "{self.name}" has no item {item_id[:12]}….')
        return self._rows[item_id]

    def thumbnail(self, index: int) -> bytes:
        """Return the small picture of a row as encoded bytes (WebP if made here)."""
        return self.thumbnails[index]

    def image(self, index: int) -> "Image":
        """Return the picture of a row in full size, or its thumbnail where the file is gone or was changed."""
        from PIL import Image

        if self.originals is not None:
            try:
                data = self.originals[index]()
                if hashlib.sha256(data).hexdigest() == self.items[index].id:
                    return read_image(data, self.items[index].name)
            except RejectedFile:
                pass
        return Image.open(io.BytesIO(self.thumbnails[index])).convert("RGB")

    def subset(self, indices: ArrayLike) -> Self:
        """Return the collection of some rows, in the order given.

        Args:
            indices: k row numbers, or n booleans.

        Raises:
            InputError: if a row does not exist or is asked for twice.
        """
        rows = np.asarray(indices)
        if rows.dtype == bool and rows.shape == (len(self),):
            rows = np.flatnonzero(rows)
        rows = rows.astype(np.int64) if rows.size else np.zeros(0, np.int64)
        if rows.ndim != 1 or len(np.unique(rows)) != len(rows) or ((rows < 0) | (rows >= len(self))).any():
            raise InputError(f"A subset is made of different rows between 0 and {len(self) - 1}.")
        chosen: dict[str, Any] = {
            "name": self.name,
            "items": tuple(self.items[row] for row in rows),
            "embeddings": self.embeddings[rows],
            "thumbnails": [self.thumbnails[row] for row in rows],
            "encoder_identity": self.encoder_identity,
            "encoder": self.encoder,
            "labels": self.labels.iloc[rows].reset_index(drop=True),
            "originals": None if self.originals is None else [self.originals[row] for row in rows],
        }
        return type(self)(**chosen)
