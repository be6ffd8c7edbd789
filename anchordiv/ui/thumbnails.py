"""Pictures over HTTP at addresses nobody can guess, gone as soon as nobody holds their collection.

A page draws hundreds of thumbnails; sending them through the script's own messages would
resend them on every rerun. Each opened collection gets a random token instead and the browser
fetches and keeps each picture once.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from anchordiv.collection import Collection

_SHELF: Final[WeakValueDictionary[str, OpenedCollection]] = WeakValueDictionary()
_KEEP: Final = "private, max-age=86400, immutable"


@dataclass(eq=False, frozen=True)
class OpenedCollection:
    """A collection somebody is looking at, with the secret part of its pictures' addresses.

    Args:
        collection: the pictures and their embeddings.
        is_sample: whether it is one of ours, for which ready contexts exist.
        kept_as: its id in the store, if it is kept there for its owner.
        source: the place on this computer it was opened from when the server started.
        token: names it in addresses; a collection that grows keeps it, and with it the browser its pictures.
        key: names exactly these pictures in cache keys.
    """

    collection: Collection
    is_sample: bool = False
    kept_as: str = ""
    source: str = ""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    key: str = field(default_factory=lambda: secrets.token_urlsafe(9))

    def __post_init__(self) -> None:
        """Make the pictures reachable for as long as this object lives."""
        _SHELF[self.token] = self

    @cached_property
    def index_by_id(self) -> dict[str, int]:
        """Map an item's id to its place in the collection."""
        return {item.id: index for index, item in enumerate(self.collection.items)}

    def url(self, index: int) -> str:
        """Return the address of one thumbnail."""
        return below_base(f"pictures/{self.token}/{index}")


def below_base(path: str) -> str:
    """Return a path below the server's own base path."""
    from streamlit import config

    base = str(config.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}/{path}" if base else f"/{path}"


def picture_routes() -> Sequence[BaseRoute]:
    """Return the route of the thumbnails, for ``st.App(..., routes=...)``."""
    from starlette.routing import Route

    return [Route("/pictures/{token}/{index:int}", _send_thumbnail, methods=["GET"])]


def _send_thumbnail(request: Request) -> Response:
    from starlette.responses import Response

    opened = _SHELF.get(request.path_params["token"])
    index = int(request.path_params["index"])
    if opened is None or not 0 <= index < len(opened.collection):
        return Response(status_code=404)
    headers = {"Cache-Control": _KEEP, "X-Content-Type-Options": "nosniff"}
    return Response(opened.collection.thumbnail(index), media_type="image/webp", headers=headers)
