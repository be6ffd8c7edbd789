"""Zip archives, read in memory and never unpacked: caps on members, on bytes really read and on their ratio."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Final

from anchordiv.collection.pixels import MAX_FILE_BYTES
from anchordiv.errors import RejectedFile

ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06")
MAX_MEMBERS: Final = 100_000
MAX_TOTAL_BYTES: Final = 32 << 30
MAX_RATIO: Final = 100
# Small members may be as compressible as they like: a white bitmap of a megabyte is no attack.
_RATIO_FREE_BYTES = 32 << 20
_CHUNK = 1 << 20
# A directory entry takes 46 bytes, its name and some extras.
_NAME_BUDGET = 1024


def list_zip(archive: Path | bytes, name: str) -> list[tuple[str, Callable[[], bytes]]]:
    """List the members of a zip, without its folders, each with a function that reads it.

    Args:
        archive: the file's path or content.
        name: the archive's own name, for refusals.

    Raises:
        RejectedFile: if it is no zip, is cut off, or has too many members.
    """
    opened = _Archive(archive, name)
    members = [info for info in opened.infos if not info.is_dir()]
    return [(_shown_name(info), _Member(opened, info)) for info in members]


class _Archive:
    """An open archive that counts what is read out of it; it closes when nothing refers to it any more.

    Args:
        archive: its path or content.
        name: its own name.
    """

    def __init__(self, archive: Path | bytes, name: str) -> None:
        self.bytes_read = 0
        stream: IO[bytes] | None = None
        try:
            stream = io.BytesIO(archive) if isinstance(archive, bytes) else archive.open("rb")
            _refuse_long_directory(stream, name)
            self._zip = zipfile.ZipFile(stream)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error, OSError):
            raise RejectedFile(name, "it is not a whole zip archive: damaged or cut off") from None
        finally:
            # A ZipFile that could not be built leaves its stream open.
            if stream is not None and not hasattr(self, "_zip"):
                stream.close()
        self._stream = stream
        self.infos = self._zip.infolist()
        if len(self.infos) > MAX_MEMBERS:
            raise RejectedFile(name, _too_many())

    def __del__(self) -> None:
        if hasattr(self, "_zip"):
            self._zip.close()
            self._stream.close()

    def open(self, info: zipfile.ZipInfo) -> IO[bytes]:
        """Open a member; several may be open at once."""
        return self._zip.open(info)


class _Member:
    """Reads one member of an archive when asked.

    Args:
        archive: the archive.
        info: the member's entry in the directory.
    """

    def __init__(self, archive: _Archive, info: zipfile.ZipInfo) -> None:
        self._archive = archive
        self._info = info

    def __call__(self) -> bytes:
        """Return the member's bytes, whatever its header claims about their number.

        Raises:
            RejectedFile: for a locked, damaged, linked, nested or over-large member.
        """
        name, info = _shown_name(self._info), self._info
        if info.flag_bits & 1:
            raise RejectedFile(name, "it is locked with a password; unpack the archive yourself")
        if stat.S_ISLNK(info.external_attr >> 16):
            raise RejectedFile(name, "it is a link, not a file")
        try:
            data = self._read(name)
        except RejectedFile:
            raise
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, struct.error, ValueError):
            raise RejectedFile(name, "it is damaged inside the archive") from None
        except (NotImplementedError, RuntimeError):
            raise RejectedFile(name, "it is packed by a method that cannot be read; pack it again") from None
        except Exception:
            # The decompressors of bz2 and lzma have errors of their own.
            raise RejectedFile(name, "it is damaged inside the archive") from None
        if data.startswith(ZIP_STARTS):
            raise RejectedFile(name, "it is an archive inside an archive; unpack it first")
        return data

    def _read(self, name: str) -> bytes:
        """Read within the budgets."""
        parts: list[bytes] = []
        size = 0
        with self._archive.open(self._info) as member:
            while part := member.read(_CHUNK):
                parts.append(part)
                size += len(part)
                self._archive.bytes_read += len(part)
                if size > MAX_FILE_BYTES:
                    raise RejectedFile(name, f"it is larger than {MAX_FILE_BYTES >> 20} MB")
                if size > _RATIO_FREE_BYTES and size > MAX_RATIO * self._info.compress_size:
                    raise RejectedFile(name, f"it unpacks to over {MAX_RATIO} times its size, as attacks do")
                if self._archive.bytes_read > MAX_TOTAL_BYTES:
                    raise RejectedFile(name, f"the archive unpacks to over {MAX_TOTAL_BYTES >> 30} GB; split it")
        return b"".join(parts)


def _too_many() -> str:
    return f"it has more than {MAX_MEMBERS:,} members; split it"


def _refuse_long_directory(stream: IO[bytes], name: str) -> None:
    """Refuse an over-long directory before it is read into memory."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(max(0, size - 65_557))
    tail = stream.read()
    stream.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise RejectedFile(name, "it is not a whole zip archive: damaged or cut off")
    directory_bytes = struct.unpack("<L", tail[at + 12 : at + 16])[0]
    # 0xFFFFFFFF stands for a directory over 4 GB, described elsewhere.
    if directory_bytes > MAX_MEMBERS * _NAME_BUDGET:
        raise RejectedFile(name, _too_many())


def _shown_name(info: zipfile.ZipInfo) -> str:
    """Return a member's name; old archivers wrote UTF-8 without saying so."""
    if info.flag_bits & 0x800:
        return info.filename
    try:
        return info.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.filename
