"""Tables with a column of paths: each row a picture, every other column a label."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from anchordiv.collection.sources import Entry, Listing, place_of, read_file
from anchordiv.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

PATH_COLUMNS: Final = (
    "path",
    "file",
    "filename",
    "file_name",
    "filepath",
    "file_path",
    "image",
    "image_path",
    "image_file",
    "img",
    "img_path",
    "picture",
)
MAX_ROWS: Final = 1_000_000
_DELIMITERS = ",;\t|"


def list_table(path: Path) -> Listing:
    """List the pictures of a CSV, TSV or Parquet table.

    The column of paths is the first one named like ``path``, ``file``, ``filename`` or ``image``; a relative path
    starts at the table's own folder. All other columns become labels.

    Raises:
        InputError: if the table cannot be read, is too long, or has no column of paths.
    """
    table = _read_table(path)
    if len(table) > MAX_ROWS:
        raise InputError(f"{path.name} has {len(table):,} rows; up to {MAX_ROWS:,} can be opened at once.")
    column = _path_column(table, path)
    labels = [name for name in table.columns if name != column]
    listing = Listing(path.stem, columns=tuple(str(name) for name in labels))
    places = table[column].tolist()
    rows = table[labels].to_dict("records") if labels else [{} for _ in places]
    for number, (place, row) in enumerate(zip(places, rows, strict=True), start=1):
        if not isinstance(place, str) or not place.strip():
            listing.rejected.append((f"row {number} of {path.name}", "it names no file"))
            continue
        file = _file_of(place.strip(), path.parent)
        if file is None:
            listing.rejected.append((place, "there is no such file"))
            continue
        listing.entries.append(
            Entry(place.strip(), _Row(file, place.strip()), {str(key): value for key, value in row.items()})
        )
    return listing


def _file_of(place: str, folder: Path) -> Path | None:
    """Return the file a row names, from the table's folder; a Windows table may have been moved."""
    for spelled in (place, place.replace("\\", "/")):
        try:
            file = folder / place_of(spelled)
            if file.is_file():
                return file
        except (InputError, OSError):
            continue
    return None


class _Row:
    """Reads the picture of a row when asked.

    Args:
        file: where it lies.
        name: the path as the table gives it.
    """

    def __init__(self, file: Path, name: str) -> None:
        self._file = file
        self._name = name

    def __call__(self) -> bytes:
        return read_file(self._file, self._name)


def _read_table(path: Path) -> "pd.DataFrame":
    """Read a table; the separator of a CSV is the one its first line uses most."""
    import pandas as pd

    try:
        if path.suffix.lower() == ".parquet":
            return pd.read_parquet(path)
        with path.open(encoding="utf-8-sig", errors="replace") as stream:
            first = stream.readline()
        separator = max(_DELIMITERS, key=first.count)
        return pd.read_csv(path, sep=separator, encoding="utf-8-sig", encoding_errors="replace")
    except ImportError as error:
        raise InputError(
            f"Reading {path.name} needs the package {error.name or 'pyarrow'}; CSV works without."
        ) from error
    except Exception as error:
        raise InputError(f"{path.name} cannot be read as a table: {str(error).splitlines()[0][:200]}") from error


def _path_column(table: "pd.DataFrame", path: Path) -> str:
    """Return the name of the column that holds the paths."""
    by_name = {str(name).strip().lower().replace(" ", "_"): name for name in reversed(table.columns)}
    for wanted in PATH_COLUMNS:
        if wanted in by_name:
            return str(by_name[wanted])
    raise InputError(
        f"{path.name} has no column of paths; name it one of {', '.join(PATH_COLUMNS[:4])}. "
        f"Its columns are {', '.join(str(name) for name in table.columns[:10])}."
    )
