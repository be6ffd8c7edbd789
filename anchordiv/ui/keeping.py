"""What a visitor was doing, written to the store as plain values and read back after a restart."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from anchordiv.errors import StoreUnavailable
from anchordiv.ui import resources
from anchordiv.ui.session import Group, Memory, Query, Session
from anchordiv.ui.thumbnails import OpenedCollection

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Ready = Mapping[str, Mapping[str, Sequence[str]]]

_LOG = logging.getLogger(__name__)
_VERSION: Final = 1
_MOST_PUT_AWAY: Final = 20
_CHOICES: Final = (
    "context_name", "model", "concentration", "divergence", "lens", "view", "page", "result_page", "chosen", "excluded",
    "arrived", "context_untouched",
)  # fmt: skip


def keep(session: Session) -> None:
    """Write the session to the store if anything in it has changed since the last time."""
    if not session.owner or session.opened is None or session.memory is not None:
        return
    places = _places(session)
    document = _document(session)
    mark = json.dumps([document, None if places is None else hash(places)])
    if mark == session.kept:
        return
    try:
        resources.store().keep_session(session.owner, document, places)
        session.kept = mark
    except StoreUnavailable:
        # The person goes on undisturbed; the sidebar says that nothing is being kept.
        _LOG.warning("A session could not be kept", exc_info=True)


def _places(session: Session) -> bytes | None:
    """Return the map in use as (n, 2) float32 bytes; none while it is another context's."""
    import numpy as np

    plan = session.plan() if session.lens == "context" else None
    layout = session.layouts.get((session.opened.key, plan)) if session.opened else None
    return None if layout is None else np.ascontiguousarray(layout.coordinates, dtype="<f4").tobytes()


def _document(session: Session) -> dict[str, Any]:
    assert session.opened is not None
    query, opened = session.query, session.opened
    return {
        "version": _VERSION,
        "collection": {"sample": opened.is_sample, "id": opened.kept_as, "source": opened.source,
                       "encoder": opened.collection.encoder_identity},
        "groups": [asdict(group) for group in session.groups],
        "query": None if query is None else asdict(query),
        "dropped": None if session.dropped is None else session.dropped.collection.items[0].name,
        **{name: getattr(session, name) for name in _CHOICES},
        "put_away": session.put_away,
    }  # fmt: skip


def recalled(owner: str) -> Session:
    """Return a session with what the store remembers of its owner; its collection, if it is theirs, is open."""
    session = Session(owner=owner)
    try:
        found = resources.store().session(owner)
    except StoreUnavailable:
        found = None
    if found is None or not isinstance(found[0], dict) or found[0].get("version") != _VERSION:
        return session
    document, data = found
    places = None
    if data is not None:
        import numpy as np

        places = np.frombuffer(data, dtype="<f4").reshape(-1, 2)
    session.memory = Memory(document, places)
    return session


def turn_to(session: Session, opened: OpenedCollection, ready: Ready | None = None) -> None:
    """Turn to another collection; what was chosen on this one waits here, and what waits there is taken up."""
    if session.opened is not None:
        document = _document(session)
        del document["put_away"]
        session.put_away[_key(document)] = document
        while len(session.put_away) > _MOST_PUT_AWAY:
            session.put_away.pop(next(iter(session.put_away)))
    session.open(opened, ready)
    waiting = session.put_away.get(_key(_document(session)))
    if waiting is not None:
        session.memory = Memory(waiting, None)
        recall_choices(session)


def _key(document: Mapping[str, Any]) -> str:
    told = document["collection"]
    return "sample" if told["sample"] else str(told["id"] or told["source"])


def remembered_collection(session: Session) -> OpenedCollection | None:
    """Return the visitor's own collection they were looking at last, without encoding anything."""
    if session.memory is None:
        return None
    told = session.memory.document["collection"]
    return own_collection(session, told["id"], told["encoder"]) if told["id"] else None


def own_collection(session: Session, collection_id: str, encoder_identity: str) -> OpenedCollection | None:
    """Open one of the visitor's own collections, if it is there under that encoder."""
    try:
        collection = resources.store().collection(collection_id, session.owner, encoder_identity)
    except StoreUnavailable:
        return None
    return None if collection is None else OpenedCollection(collection, kept_as=collection_id)


def recall_choices(session: Session) -> None:
    """Choose again what was chosen before, now that a collection is open; another collection's choices are dropped."""
    memory, opened = session.memory, session.opened
    session.memory = None
    if memory is None or opened is None:
        return
    document, places = memory.document, memory.places
    told = document["collection"]
    if (told["sample"], told["id"], told["source"]) != (opened.is_sample, opened.kept_as, opened.source):
        return
    for name in _CHOICES:
        setattr(session, name, document[name])
    session.put_away = dict(document.get("put_away", session.put_away))
    session.groups = [Group(**group) for group in document["groups"]]
    session.number_groups_from(len(session.groups) + 1)
    session.chosen = [item for item in session.chosen if item in opened.index_by_id]
    session.excluded = [item for item in session.excluded if item in opened.index_by_id]
    session.query = _query(session, document, opened) or session.query
    if places is not None and len(places) == len(opened.collection):
        session.restored_places = places


def _query(session: Session, document: Mapping[str, Any], opened: OpenedCollection) -> Query | None:
    if document["query"] is None:
        return None
    query = Query(**{**document["query"], "ids": tuple(document["query"]["ids"])})
    if query.kind == "picture" and query.value not in opened.index_by_id:
        return None
    if query.kind == "mean" and not set(query.ids) <= set(opened.index_by_id):
        return None
    if query.kind == "dropped":
        session.dropped = _dropped(query.value, str(document["dropped"]), opened.collection.encoder_identity)
        return query if session.dropped is not None else None
    return query


def _dropped(item_id: str, name: str, encoder_identity: str) -> OpenedCollection | None:
    """Return a picture that was dropped on the page once, from the store."""
    import numpy as np

    from anchordiv.collection import Collection, Item

    try:
        picture = resources.store().picture(item_id, encoder_identity)
    except StoreUnavailable:
        return None
    if picture is None:
        return None
    vectors = np.asarray(picture.embedding)[None]
    return OpenedCollection(Collection(name, (Item(item_id, name),), vectors, (picture.thumbnail,), encoder_identity))
