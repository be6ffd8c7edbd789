"""The page's wait for background work, kept by the browser and not by timed reruns.

A fragment that reruns by the clock can answer just after its page was left; the browser then puts its
elements into the next page, fails, and shows nothing. So the page asks a small address of the server
how far the work is, and tells its script once, when there is something new to draw.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakValueDictionary

import streamlit as st

from anchordiv.ui.elements import waiting_line
from anchordiv.ui.thumbnails import below_base

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from anchordiv.ui.jobs import Job

# Another server at the same address has another one; a page that notices loads itself anew.
_SERVER: Final = secrets.token_urlsafe(9)
_SERVER_NAME: Final = "server"
_WATCHED: Final[WeakValueDictionary[str, Watch]] = WeakValueDictionary()


@dataclass(frozen=True)
class Bar:
    """One stage of the work as a bar: its name, how far it is in words, and as a share (none: nobody knows)."""

    name: str
    words: str
    share: float | None


@dataclass(frozen=True)
class Progress:
    """What a waiting person is told: a headline and one bar per stage."""

    words: str = ""
    stages: tuple[Bar, ...] = ()


@dataclass(eq=False, frozen=True)
class Watch:
    """Jobs one page waits for, under an address nobody can guess.

    Args:
        jobs: the page is drawn again as soon as one of them is through or has news.
        words: says how far they are; none for a silent wait.
        news: how much news of each job the page has been drawn with.
        token: the secret part of the address.
    """

    jobs: tuple[Job[Any], ...]
    words: Callable[[], Progress] | None = None
    news: tuple[int, ...] = ()
    token: str = field(default_factory=lambda: secrets.token_urlsafe(18))

    def __post_init__(self) -> None:
        """Make the state reachable for as long as the page's session holds this object."""
        _WATCHED[self.token] = self

    @property
    def through(self) -> bool:
        """Tell whether there is something new to draw."""
        return any(not job.pending for job in self.jobs) or self.stale

    @property
    def stale(self) -> bool:
        """Tell whether a job has news the page was drawn without."""
        return bool(self.news) and self.news != tuple(job.news for job in self.jobs)

    def state(self) -> dict[str, object]:
        """Return what the page is told when it asks."""
        told = self.words() if self.words is not None else Progress()
        stages = [
            {"name": stage.name, "words": stage.words, "share": None if stage.share is None else round(stage.share, 4)}
            for stage in told.stages
        ]
        return {"through": self.through, "words": told.words, "stages": stages}


def wait_for(
    key: str, watch: Watch | None, jobs: Sequence[Job[Any]], words: Callable[[], Progress] | None = None
) -> Watch | None:
    """Draw the page again once one of these jobs is through; draw nothing while there is none.

    Args:
        key: names the element on the page.
        watch: what this session waited for when the page was drawn last; it is kept if the jobs are the same.
        jobs: what the page was drawn without. One that got through while the page was being drawn counts
            too, or its result would never be picked up.
        words: for a wait with a progress bar.

    Returns:
        What to hand over next time. The caller's session must hold it.
    """
    if watch is None or watch.jobs != tuple(jobs) or watch.stale:
        watch = Watch(tuple(jobs), words, tuple(job.news for job in jobs)) if jobs else None
    if watch is not None and watch.through:
        st.rerun()
    address = below_base(f"waiting/{watch.token}") if watch is not None else ""
    first = watch.state() if watch is not None else {}
    data = {"address": address, "bar": words is not None, "first": first}
    if words is None:
        data |= {"home": below_base(f"waiting/{_SERVER_NAME}"), "server": _SERVER}
    waiting_line(key, data, on_through=lambda: None)
    return watch


def waiting_routes() -> Sequence[BaseRoute]:
    """Return the route pages ask, for ``st.App(..., routes=...)``."""
    from starlette.routing import Route

    return [Route("/waiting/{token}", _send_state, methods=["GET"])]


async def _send_state(request: Request) -> Response:
    from starlette.responses import JSONResponse

    token = request.path_params["token"]
    watch = _WATCHED.get(token)
    state: dict[str, object] = {"gone": True} if watch is None else watch.state()
    if token == _SERVER_NAME:
        state = {"server": _SERVER}
    return JSONResponse(state, headers={"Cache-Control": "no-store"})
