"""Who is who: a random cookie brings a visitor back to their own session after a reload or a restart.

The cookie says nothing about a person and cannot be guessed; the store knows it by its digest alone.
Without it (a browser that refuses cookies) a session lasts as long as its page.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

import streamlit as st

from anchordiv.ui.keeping import recalled

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from anchordiv.ui.session import Session

COOKIE: Final = "anchordiv_visitor"
_YEAR: Final = 365 * 24 * 3600
_SHORTEST: Final = 24
_LONGEST: Final = 64
_MOST: Final = 64
_PRESENT: Final[OrderedDict[str, Session]] = OrderedDict()
_LOCK: Final = threading.Lock()


class VisitorCookie:
    """Middleware that gives a new visitor their cookie with the page itself.

    Args:
        app: the server behind.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; add the cookie to an HTML page for a visitor who has none."""
        if scope["type"] != "http" or COOKIE.encode() in dict(scope["headers"]).get(b"cookie", b""):
            await self._app(scope, receive, send)
            return

        async def send_with_cookie(message: Message) -> None:
            headers = dict(message.get("headers", ()))
            if message["type"] == "http.response.start" and b"html" in headers.get(b"content-type", b""):
                message = {**message, "headers": [*message["headers"], (b"set-cookie", _new_cookie())]}
            await send(message)

        await self._app(scope, receive, send_with_cookie)


def _new_cookie() -> bytes:
    token = secrets.token_urlsafe(24)
    return f"{COOKIE}={token}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict".encode()


def visitor_token() -> str:
    """Return the secret part of the visitor's cookie, or nothing if they have none of ours."""
    token = st.context.cookies.get(COOKIE)
    return token if isinstance(token, str) and _SHORTEST <= len(token) <= _LONGEST else ""


def session_of_visitor() -> Session:
    """Return the session of whoever asks: the one in use, the one remembered, or a new one."""
    from anchordiv.ui.session import Session

    token = visitor_token()
    if not token:
        return Session()
    owner = hashlib.sha256(token.encode()).hexdigest()
    with _LOCK:
        session = _PRESENT.get(owner)
        if session is None:
            session = _PRESENT[owner] = recalled(owner)
        _PRESENT.move_to_end(owner)
        while len(_PRESENT) > _MOST:
            _PRESENT.popitem(last=False)
    return session
