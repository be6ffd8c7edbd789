"""What people hand over (a folder, a zip, files, a table of paths) becomes one list of named, unread files."""

import os
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final, TypeAlias

from anchordiv.collection.archives import ZIP_STARTS, list_zip
from anchordiv.collection.pixels import MAX_FILE_BYTES
from anchordiv.errors import InputError, RejectedFile

Source: TypeAlias = str | Path | Sequence[str | Path] | Sequence[tuple[str, bytes]]

TABLE_SUFFIXES: Final = (".csv", ".tsv", ".parquet")
FOLDER_LABEL: Final = "folder"

_CLUTTER_NAMES = frozenset({"thumbs.db", "ehthumbs.db", "desktop.ini", "icon\r"})
_CLUTTER_FOLDERS = frozenset({"__macosx", "@eadir", "$recycle.bin", "system volume information"})


@dataclass(frozen=True)
class Entry:
    """One file that may become an item.

    Args:
        name: what people see: the path below what was handed over.
        read: returns its bytes; raises RejectedFile.
        labels: what a table says about it.
    """

    name: str
    read: Callable[[], bytes]
    labels: Mapping[str, object] = field(default_factory=dict)


@dataclass
class Listing:
    """What was found before anything was decoded.

    Args:
        name: a name for the whole.
        entries: the files to try, in the order of their names.
        rejected: (name, reason) of what cannot be tried.
        skipped: how many files of the operating system, hidden files and links were left out without a word each.
        columns: label columns, in order.
    """

    name: str
    entries: list[Entry] = field(default_factory=list)
    rejected: list[tuple[str, str]] = field(default_factory=list)
    skipped: int = 0
    columns: tuple[str, ...] = ()


def list_source(source: Source) -> Listing:
    """List the files of a source without decoding them.

    Args:
        source: a folder, a zip, one picture, a CSV, TSV or Parquet table with a column of paths, a list of such
            files, or a list of (name, bytes) pairs.

    Raises:
        InputError: if there is nothing of that name, or the source is of another kind.
    """
    if isinstance(source, str | Path):
        return _list_path(place_of(source))
    if not isinstance(source, Iterable) or isinstance(source, bytes | Mapping):
        raise InputError(
            "A collection is opened from a folder, a zip, a table of paths, a list of files or (name, bytes) pairs, "
            f"not from {type(source).__name__}."
        )
    listing = Listing("files")
    for member in source:
        _add_member(listing, member)
    return with_folder_labels(listing)


def place_of(text: str | Path) -> Path:
    """Return the path a person means, with ``~`` filled in.

    Raises:
        InputError: if no file can have such a name.
    """
    try:
        path = Path(text).expanduser()
        path.is_file()
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f'"{str(text)[:80]}" cannot be the name of a file or folder here.') from error
    return path


def is_clutter(name: str) -> bool:
    """Tell whether a path names a file of the operating system or a hidden one."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    hidden = any(part.startswith(".") and part not in (".", "..") for part in parts)
    return hidden or (
        bool(parts) and (parts[-1].lower() in _CLUTTER_NAMES or any(p.lower() in _CLUTTER_FOLDERS for p in parts[:-1]))
    )


def with_folder_labels(listing: Listing) -> Listing:
    """Label each file by its folder, below the folders all files share, if there is more than one."""
    folders = [PurePosixPath(entry.name.replace("\\", "/")).parts[:-1] for entry in listing.entries]
    shared = _shared_start(folders)
    labels = ["/".join(parts[shared:]) or "." for parts in folders]
    if len(Counter(labels)) < 2:
        return listing
    listing.entries = [
        Entry(entry.name, entry.read, {FOLDER_LABEL: label})
        for entry, label in zip(listing.entries, labels, strict=True)
    ]
    listing.columns = (FOLDER_LABEL,)
    return listing


def _shared_start(folders: Sequence[tuple[str, ...]]) -> int:
    """Count the leading parts that all folders have in common."""
    lowest, highest = min(folders, default=()), max(folders, default=())
    return next(
        (depth for depth, parts in enumerate(zip(lowest, highest, strict=False)) if parts[0] != parts[1]),
        min(len(lowest), len(highest)),
    )


def read_file(path: Path, name: str) -> bytes:
    """Read a whole file, unless it is larger than a picture may be."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise RejectedFile(name, f"it is larger than {MAX_FILE_BYTES >> 20} MB")
        return path.read_bytes()
    except PermissionError:
        raise RejectedFile(name, "it may not be read by you") from None
    except OSError:
        raise RejectedFile(name, "it cannot be read, or is no longer there") from None


def _list_path(path: Path) -> Listing:
    """List a folder, a zip, a table or one picture."""
    if path.is_dir():
        return with_folder_labels(_list_folder(path))
    if not path.is_file():
        raise InputError(f'There is no file or folder "{path}"; check the spelling, or give the whole path.')
    if path.suffix.lower() in TABLE_SUFFIXES:
        from anchordiv.collection.tables import list_table

        return list_table(path)
    listing = Listing(path.stem)
    _add_file(listing, path)
    return with_folder_labels(listing)


def _list_folder(root: Path) -> Listing:
    """List a folder and its sub-folders; links are left out, so that nothing outside and nothing twice is read."""
    listing = Listing(root.resolve().name or "folder")

    def closed(error: OSError) -> None:
        listing.rejected.append((_shown(Path(error.filename or root)), "this folder may not be opened by you"))

    for folder, subfolders, files in os.walk(root, onerror=closed, followlinks=False):
        real = [sub for sub in subfolders if not Path(folder, sub).is_symlink()]
        listing.skipped += len(subfolders) - len(real)
        subfolders[:] = sorted(real)
        for file in sorted(files):
            path = Path(folder, file)
            name = _shown(path.relative_to(root))
            if is_clutter(name) or not _is_plain_file(path):
                listing.skipped += 1
            else:
                listing.entries.append(Entry(name, _FileOnDisk(path, name)))
    return listing


def _shown(path: Path) -> str:
    """Return a path as text that can be printed, stored and sent, even if its bytes are no UTF-8."""
    return os.fsencode(path.as_posix()).decode("utf-8", "replace")


def _is_plain_file(path: Path) -> bool:
    """Tell a file from a link, a pipe, a socket or a device."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def _add_member(listing: Listing, member: object) -> None:
    """Add one member of a list: a path, or a pair of name and bytes."""
    if isinstance(member, str | Path):
        path = place_of(member)
        if path.is_dir():
            inside = _list_folder(path)
            listing.entries += inside.entries
            listing.skipped += inside.skipped
            listing.rejected += inside.rejected
        else:
            _add_file(listing, path)
    elif isinstance(member, tuple) and len(member) == 2 and isinstance(member[1], bytes | bytearray | memoryview):
        name, data = str(member[0]), bytes(member[1])
        if is_clutter(name):
            listing.skipped += 1
        elif data.startswith(ZIP_STARTS):
            _add_zip(listing, data, name)
        else:
            listing.entries.append(Entry(name, _Given(data)))
    else:
        raise InputError("A list of files holds paths or (name, bytes) pairs; this one holds something else.")


def _add_file(listing: Listing, path: Path) -> None:
    """Add one file by its path; a zip is opened, anything else becomes an entry."""
    name = _shown(Path(path.name))
    if not path.is_file():
        listing.rejected.append((_shown(path), "there is no such file"))
        return
    try:
        with path.open("rb") as stream:
            start = stream.read(4)
    except OSError:
        listing.rejected.append((name, "it may not be read by you"))
        return
    if start in ZIP_STARTS:
        _add_zip(listing, path, name)
    else:
        listing.entries.append(Entry(name, _FileOnDisk(path, name)))


def _add_zip(listing: Listing, archive: Path | bytes, name: str) -> None:
    """Add the members of a zip; one that cannot be opened is refused as a whole."""
    try:
        members = list_zip(archive, name)
    except RejectedFile as refusal:
        listing.rejected.append((refusal.name, refusal.reason))
        return
    for member, read in members:
        if is_clutter(member):
            listing.skipped += 1
        else:
            listing.entries.append(Entry(member, read))


@dataclass(frozen=True)
class _FileOnDisk:
    """Reads a file when asked, and keeps nothing open."""

    path: Path
    name: str

    def __call__(self) -> bytes:
        return read_file(self.path, self.name)


@dataclass(frozen=True)
class _Given:
    """Bytes that were handed over."""

    data: bytes = field(repr=False)

    def __call__(self) -> bytes:
        return self.data
