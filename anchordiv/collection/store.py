"""The store: one SQLite file that keeps what was encoded, and what each visitor was doing.

Each picture is encoded once ever for a given encoder: its vector lies under the digest of its bytes and
the encoder's identity. Prompts are kept as digests, never as text. Every change is one transaction, so a
crash at any moment leaves the last whole state.
"""

import hashlib
import json
import os
import secrets
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from anchordiv.collection.collection import Collection, Item
from anchordiv.collection.report import IngestReport
from anchordiv.collection.saved import labels_as_json, labels_from_json
from anchordiv.errors import StoreUnavailable

IN_MEMORY: Final = ":memory:"
VERSION: Final = 1
# Tells our files from other SQLite files.
APPLICATION_ID: Final = 0x416E6344
_AT_ONCE: Final = 500
_PATIENCE_SECONDS: Final = 20.0

_SCHEMA: Final = """
CREATE TABLE pictures (id TEXT PRIMARY KEY, thumbnail BLOB NOT NULL, added REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE vectors (
  encoder TEXT NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, vector BLOB NOT NULL, checksum INTEGER NOT NULL,
  PRIMARY KEY (encoder, kind, key)
) WITHOUT ROWID;
CREATE TABLE collections (
  id TEXT PRIMARY KEY, owner TEXT NOT NULL, name TEXT NOT NULL, labels TEXT NOT NULL, report TEXT NOT NULL,
  used REAL NOT NULL
);
CREATE INDEX collections_of_owner ON collections (owner, used);
CREATE TABLE members (
  collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, position INTEGER NOT NULL,
  picture TEXT NOT NULL REFERENCES pictures, name TEXT NOT NULL,
  PRIMARY KEY (collection, position)
) WITHOUT ROWID;
CREATE INDEX members_of_picture ON members (picture);
CREATE TABLE contexts (
  owner TEXT NOT NULL, name TEXT NOT NULL, document TEXT NOT NULL, saved REAL NOT NULL, PRIMARY KEY (owner, name)
);
CREATE TABLE sessions (owner TEXT PRIMARY KEY, document TEXT NOT NULL, arrays BLOB, saved REAL NOT NULL);
"""


@dataclass(frozen=True, eq=False)
class StoredPicture:
    """What the store knows of a picture: its thumbnail as encoded bytes and its vector, (d,) float32."""

    thumbnail: bytes
    embedding: NDArray[np.float32]


@dataclass(frozen=True)
class StoredCollection:
    """One line of a list of collections."""

    id: str
    name: str
    count: int


@dataclass(frozen=True, eq=False)
class Store:
    """An open store; it may be used from several threads, and several processes may open the same file.

    Args:
        path: where it lies; ``:memory:`` for one that is gone when the process ends.
    """

    path: str
    _connection: sqlite3.Connection = field(repr=False)
    _lock: threading.RLock = field(default_factory=threading.RLock, repr=False)

    @classmethod
    def open(cls, path: str | Path | None = None) -> Self:
        """Open a store, and make it if it is not there.

        Args:
            path: a file, ``:memory:``, or None for what ``ANCHORDIV_STORE`` says, else the user's data folder.

        Raises:
            StoreUnavailable: if it cannot be opened, is another kind of file, or was made by a newer version.
        """
        place = str(path or os.environ.get("ANCHORDIV_STORE", "").strip() or _default_path())
        if place != IN_MEMORY:
            place = str(Path(place).expanduser())
        try:
            return cls(place, _connected(place))
        except (sqlite3.Error, OSError) as error:
            raise StoreUnavailable(place, str(error)) from error

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _transaction(self, kind: str = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """Run statements as one change that happens wholly or not at all."""
        with self._lock:
            try:
                self._connection.execute(f"BEGIN {kind}")
                try:
                    yield self._connection
                    self._connection.commit()
                except BaseException:
                    self._connection.rollback()
                    raise
            except sqlite3.Error as error:
                raise StoreUnavailable(self.path, str(error)) from error

    def picture(self, item_id: str, encoder_identity: str) -> StoredPicture | None:
        """Return what is known of a picture under an encoder; a damaged row counts as none."""
        with self._transaction("DEFERRED") as db:
            row = db.execute(
                "SELECT thumbnail, vector, checksum FROM pictures JOIN vectors ON key = id "
                "WHERE id = ? AND encoder = ? AND kind = 'image'",
                (item_id, encoder_identity),
            ).fetchone()
        vector = None if row is None else _vector(row[1], row[2])
        return None if vector is None else StoredPicture(row[0], vector)

    def keep_pictures(self, pictures: Mapping[str, StoredPicture], encoder_identity: str) -> None:
        """Keep pictures with their vectors, all or none.

        Args:
            pictures: item id -> thumbnail and vector.
            encoder_identity: who made the vectors.
        """
        now = time.time()
        with self._transaction() as db:
            db.executemany(
                "INSERT OR IGNORE INTO pictures VALUES (?, ?, ?)",
                [(item_id, bytes(picture.thumbnail), now) for item_id, picture in pictures.items()],
            )
            rows = [(item_id, picture.embedding) for item_id, picture in pictures.items()]
            _keep_vectors(db, "image", rows, encoder_identity)

    def prompt_vectors(self, keys: Sequence[str], encoder_identity: str) -> dict[str, NDArray[np.float32]]:
        """Return the vectors of those prompts (by ``prompt_key``) that are there, each (d,) float32."""
        with self._transaction("DEFERRED") as db:
            return _vectors(db, "text", keys, encoder_identity)

    def keep_prompt_vectors(self, vectors: Mapping[str, NDArray[np.float32]], encoder_identity: str) -> None:
        """Keep the vectors of prompts under their ``prompt_key``."""
        with self._transaction() as db:
            _keep_vectors(db, "text", vectors.items(), encoder_identity)

    def keep_collection(self, collection: Collection, owner: str, collection_id: str | None = None) -> str:
        """Keep which pictures make up a collection, with their names, labels and vectors.

        Args:
            collection: what to keep.
            owner: whose it is; nobody else gets it back.
            collection_id: the one to replace; None for a new one.

        Returns:
            The id to ask for it by.
        """
        collection_id = collection_id or secrets.token_urlsafe(9)
        report = collection.report
        said = json.dumps([report.accepted, report.duplicates, report.rejected, report.skipped])
        pictures = {
            item.id: StoredPicture(small, vector)
            for item, small, vector in zip(collection.items, collection.thumbnails, collection.embeddings, strict=True)
        }
        self.keep_pictures(pictures, collection.encoder_identity)
        with self._transaction() as db:
            db.execute("DELETE FROM collections WHERE id = ? AND owner = ?", (collection_id, owner))
            db.execute(
                "INSERT INTO collections VALUES (?, ?, ?, ?, ?, ?)",
                (
                    collection_id,
                    owner,
                    collection.name,
                    json.dumps(labels_as_json(collection.labels)),
                    said,
                    time.time(),
                ),
            )
            db.executemany(
                "INSERT INTO members VALUES (?, ?, ?, ?)",
                [(collection_id, place, item.id, item.name) for place, item in enumerate(collection.items)],
            )
        return collection_id

    def collections(self, owner: str) -> tuple[StoredCollection, ...]:
        """List an owner's collections, the last used first."""
        with self._transaction("DEFERRED") as db:
            rows = db.execute(
                "SELECT id, name, (SELECT COUNT(*) FROM members WHERE collection = id) FROM collections "
                "WHERE owner = ? ORDER BY used DESC",
                (owner,),
            ).fetchall()
        return tuple(StoredCollection(*row) for row in rows)

    def collection(self, collection_id: str, owner: str, encoder_identity: str) -> Collection | None:
        """Return an owner's collection without encoding anything.

        Args:
            collection_id: what ``keep_collection`` returned.
            owner: whose it is.
            encoder_identity: whose vectors are wanted; the encoder itself need not be loaded.

        Returns:
            None if there is no such collection, or if some of its pictures were never encoded by this encoder.
        """
        with self._transaction() as db:
            head = db.execute(
                "UPDATE collections SET used = ? WHERE id = ? AND owner = ? RETURNING name, labels, report",
                (time.time(), collection_id, owner),
            ).fetchall()
            members = db.execute(
                "SELECT picture, name, thumbnail FROM members JOIN pictures ON id = picture "
                "WHERE collection = ? ORDER BY position",
                (collection_id,),
            ).fetchall()
            vectors = _vectors(db, "image", [row[0] for row in members], encoder_identity) if head else {}
        if not head or not members or len(vectors) < len(members):
            return None
        name, labels, report = head[0]
        accepted, duplicates, rejected, skipped = json.loads(report)
        rows = [vectors[row[0]] for row in members]
        return Collection(
            name=name,
            items=tuple(Item(row[0], row[1]) for row in members),
            embeddings=np.stack(rows),
            thumbnails=tuple(row[2] for row in members),
            encoder_identity=encoder_identity,
            labels=labels_from_json(json.loads(labels), len(members)),
            report=IngestReport(accepted, tuple(duplicates), tuple((n, why) for n, why in rejected), skipped),
        )

    def keep_context(self, owner: str, name: str, document: object) -> None:
        """Keep a context, as plain JSON values, under a name; one of the same name is replaced."""
        with self._transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO contexts VALUES (?, ?, ?, ?)", (owner, name, json.dumps(document), time.time())
            )

    def contexts(self, owner: str) -> dict[str, Any]:
        """Return an owner's contexts, the latest first."""
        with self._transaction("DEFERRED") as db:
            rows = db.execute(
                "SELECT name, document FROM contexts WHERE owner = ? ORDER BY saved DESC", (owner,)
            ).fetchall()
        return {name: json.loads(document) for name, document in rows}

    def forget_context(self, owner: str, name: str) -> None:
        """Remove a context."""
        with self._transaction() as db:
            db.execute("DELETE FROM contexts WHERE owner = ? AND name = ?", (owner, name))

    def keep_session(self, owner: str, document: object, arrays: bytes | None = None) -> None:
        """Keep what an owner was doing: plain JSON values, and arrays as bytes."""
        with self._transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)",
                (owner, json.dumps(document), arrays, time.time()),
            )

    def session(self, owner: str) -> tuple[Any, bytes | None] | None:
        """Return what an owner was doing, if it is known."""
        with self._transaction("DEFERRED") as db:
            row = db.execute("SELECT document, arrays FROM sessions WHERE owner = ?", (owner,)).fetchone()
        return None if row is None else (json.loads(row[0]), row[1])


def prompt_key(prompt: str, templates: Sequence[str]) -> str:
    """Return the digest a prompt's vector is kept under; the text itself is not kept."""
    return hashlib.sha256(json.dumps([prompt, list(templates)]).encode()).hexdigest()


def _default_path() -> Path:
    import platformdirs

    return platformdirs.user_data_path("anchordiv", appauthor=False) / "anchordiv.sqlite"


def _connected(place: str) -> sqlite3.Connection:
    if place != IN_MEMORY:
        file = Path(place)
        file.parent.mkdir(parents=True, exist_ok=True)
        # For its owner alone: it holds small versions of their pictures.
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(place, timeout=_PATIENCE_SECONDS, check_same_thread=False, isolation_level=None)
    try:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        _prepare_schema(connection, place)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare_schema(connection: sqlite3.Connection, place: str) -> None:
    """Make the tables of an empty file; refuse files that are not ours or are newer than we are."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT COUNT(*) FROM sqlite_schema").fetchone()
        if tables and application != APPLICATION_ID:
            raise StoreUnavailable(place, "it is another program's database")
        if version > VERSION:
            raise StoreUnavailable(place, "it was made by a newer version of anchordiv; update anchordiv to use it")
        if not tables:
            for statement in _SCHEMA.split(";"):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _vectors(
    db: sqlite3.Connection, kind: str, keys: Sequence[str], encoder_identity: str
) -> dict[str, NDArray[np.float32]]:
    found: dict[str, NDArray[np.float32]] = {}
    for start in range(0, len(keys), _AT_ONCE):
        block = keys[start : start + _AT_ONCE]
        marks = ",".join("?" * len(block))
        rows = db.execute(
            f"SELECT key, vector, checksum FROM vectors WHERE encoder = ? AND kind = ? AND key IN ({marks})",
            (encoder_identity, kind, *block),
        )
        found |= {key: vector for key, data, checksum in rows if (vector := _vector(data, checksum)) is not None}
    return found


def _keep_vectors(
    db: sqlite3.Connection, kind: str, vectors: Iterable[tuple[str, NDArray[np.float32]]], encoder_identity: str
) -> None:
    rows = [(key, np.ascontiguousarray(vector, dtype="<f4").tobytes()) for key, vector in vectors]
    db.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)",
        [(encoder_identity, kind, key, data, zlib.crc32(data)) for key, data in rows],
    )


def _vector(data: bytes, checksum: int) -> NDArray[np.float32] | None:
    """Return a stored vector, or nothing if its bytes are not what was written."""
    if zlib.crc32(data) != checksum:
        return None
    return np.frombuffer(data, dtype="<f4").astype(np.float32)
