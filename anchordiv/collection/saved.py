"""Collections as one .npz file: plain arrays and JSON, no pickle."""

import json
import os
import tempfile
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from anchordiv.collection.report import IngestReport
from anchordiv.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

    from anchordiv.collection.collection import Collection

FORMAT: Final = "anchordiv-collection"
VERSION: Final = 1


def save(collection: "Collection", path: Path) -> None:
    """Write a collection; a temporary file beside the target is renamed when it is complete."""
    thumbnails = [bytes(small) for small in collection.thumbnails]
    description = {
        "format": FORMAT,
        "version": VERSION,
        "name": collection.name,
        "encoder_identity": collection.encoder_identity,
        "items": [[item.id, item.name] for item in collection.items],
        "labels": labels_as_json(collection.labels),
    }
    arrays = {
        "description": _bytes_as_array(json.dumps(description, ensure_ascii=True).encode()),
        "embeddings": collection.embeddings,
        "thumbnail_ends": np.cumsum([len(small) for small in thumbnails], dtype=np.int64),
        "thumbnails": _bytes_as_array(b"".join(thumbnails)),
    }
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as stream:
            try:
                np.savez(stream, **arrays)  # type: ignore[arg-type]
                stream.close()
                Path(stream.name).replace(path)
            except BaseException:
                stream.close()
                Path(stream.name).unlink(missing_ok=True)
                raise
        if os.name == "posix":
            # Temporary files are for their owner alone; this one is now an ordinary file.
            umask = os.umask(0)
            os.umask(umask)
            path.chmod(0o666 & ~umask)
    except OSError as error:
        raise InputError(f"{path} could not be written: {error.strerror or error}.") from error


def load(path: Path) -> dict[str, Any]:
    """Read a collection; returns the arguments of a Collection but for the encoder.

    Raises:
        InputError: if there is no such file, or it is damaged or of another kind.
    """
    if not path.is_file():
        raise InputError(f'There is no file "{path}".')
    try:
        with np.load(path, allow_pickle=False) as arrays:
            description = json.loads(arrays["description"].tobytes())
            embeddings = arrays["embeddings"]
            ends = arrays["thumbnail_ends"].astype(np.int64)
            thumbnails = arrays["thumbnails"].tobytes()
        if description["format"] != FORMAT:
            raise KeyError("format")
        version = int(description["version"])
        if version > VERSION:
            raise InputError(f"{path.name} was written by a newer version of anchordiv; update to open it.")
        return _arguments(description, embeddings, ends, thumbnails)
    except InputError:
        raise
    except (KeyError, ValueError, TypeError, OSError, EOFError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{path.name} is not a collection saved by anchordiv, or is damaged; encode the pictures again."
        ) from error


def _arguments(
    description: dict[str, Any], embeddings: NDArray[Any], ends: NDArray[np.int64], thumbnails: bytes
) -> dict[str, Any]:
    """Check what was read and shape it into the arguments of a Collection."""
    from anchordiv.collection.collection import Item

    items = tuple(Item(str(item_id), str(name)) for item_id, name in description["items"])
    if embeddings.ndim != 2 or len(embeddings) != len(items) or len(ends) != len(items):
        raise ValueError("rows do not match")
    if len({item.id for item in items}) != len(items):
        raise ValueError("an item is there twice")
    if not np.isfinite(embeddings).all() or (np.abs(np.linalg.norm(embeddings, axis=1) - 1) > 1e-3).any():
        raise ValueError("vectors are not of unit length")
    starts = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
    if (ends < starts).any() or (len(ends) and ends[-1] != len(thumbnails)):
        raise ValueError("thumbnails do not match")
    return {
        "name": str(description["name"]),
        "items": items,
        "embeddings": embeddings.astype(np.float32),
        "thumbnails": [thumbnails[start:end] for start, end in zip(starts, ends, strict=True)],
        "encoder_identity": str(description["encoder_identity"]),
        "labels": labels_from_json(description["labels"], len(items)),
        "report": IngestReport(accepted=len(items)),
    }


def _bytes_as_array(data: bytes) -> NDArray[np.uint8]:
    return np.frombuffer(data, dtype=np.uint8)


def labels_as_json(labels: "pd.DataFrame") -> list[list[Any]]:
    """Return the columns as [name, values]; what JSON does not know becomes text, what is missing null."""
    import pandas as pd

    return [
        [str(name), [None if pd.isna(value) else _plain(value) for value in labels[name].tolist()]]
        for name in labels.columns
    ]


def _plain(value: object) -> bool | int | float | str:
    """Return a label as JSON knows it."""
    return value if isinstance(value, bool | int | float | str) else str(value)


def labels_from_json(columns: list[list[Any]], count: int) -> "pd.DataFrame":
    """Return the label table."""
    import pandas as pd

    if any(len(values) != count for _, values in columns):
        raise ValueError("labels do not match")
    return pd.DataFrame({str(name): values for name, values in columns}, index=pd.RangeIndex(count))
