"""Our own page elements: pictures, the selection, what left the ranking, the anchor cards, the query, the wait.

Each is a keyed Components-v2 element, which a rerun does not remount; it reports what a person
did as one event, read with ``event_of`` in the callback.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import streamlit as st

if TYPE_CHECKING:
    from collections.abc import Callable

_HERE: Final = Path(__file__).resolve().parent


def _source(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_grid = st.components.v2.component(
    "anchordiv_picture_grid",
    html='<div class="frame"><ul class="grid"></ul></div>',
    css=_source("picture_grid.css"),
    js=_source("picture_grid.js"),
)
_tray = st.components.v2.component(
    "anchordiv_selection_tray",
    html='<div class="tray" role="region" aria-label="Selected pictures" style="display: none">'
    '<b aria-live="polite"></b><ul class="strip"></ul><div class="actions"></div></div>',
    css=_source("selection_tray.css"),
    js=_source("selection_tray.js"),
)
_missing = st.components.v2.component(
    "anchordiv_missing_row",
    html='<div class="missing" style="display: none"><span class="label"></span><ul class="row"></ul></div>',
    css=_source("missing_row.css"),
    js=_source("missing_row.js"),
)
_cards = st.components.v2.component(
    "anchordiv_anchor_cards",
    html='<div class="cards"></div>',
    css=_source("anchor_cards.css"),
    js=_source("anchor_cards.js"),
)
_query = st.components.v2.component(
    "anchordiv_query_card",
    html='<div class="query"></div>',
    css=_source("query_card.css"),
    js=_source("query_card.js"),
)
_waiting = st.components.v2.component(
    "anchordiv_waiting_line",
    html='<div class="line" style="display: none"><div class="said"></div><div class="stages"></div></div>',
    css=_source("waiting_line.css"),
    js=_source("waiting_line.js"),
)


def picture_grid(key: str, data: dict[str, Any], *, on_event: Callable[[], None]) -> None:
    """Show pictures to ask about and to select.

    Args:
        key: names the element on the page.
        data: ``items`` (id, url, name, alt, spoken, hint, rank, move, way, moveHint, badge, note, shares, top, query),
            ``shareGroups`` (name, colour) of the bars, ``chosen`` ids, ``label`` of the list, ``tile`` width in
            pixels, ``list`` whether they are rows.
        on_event: runs on ``ask`` (id) and ``select`` (ids).
    """
    _grid(key=key, data=data, on_event_change=on_event)


def selection_tray(key: str, data: dict[str, Any], *, on_event: Callable[[], None]) -> None:
    """Show the selected pictures and what can be done with them; nothing while none is selected.

    Args:
        key: names the element on the page.
        data: ``items`` (id, url, name), the first of them; ``count`` selected of ``total``; ``groups``
            (id, name, colour) to add them to.
        on_event: runs on ``drop`` (id), ``new_group``, ``add_to`` (group), ``ask``, ``exclude``, ``clear``.
    """
    _tray(key=key, data=data, on_event_change=on_event)


def missing_row(key: str, data: dict[str, Any], *, on_event: Callable[[], None]) -> None:
    """Show the pictures that left the ranking, in one line; nothing while there are none.

    Args:
        key: names the element on the page.
        data: ``label`` of the line, ``items`` (id, url, name, hint, spoken, words).
        on_event: runs on ``ask`` (id).
    """
    _missing(key=key, data=data, on_event_change=on_event)


def anchor_cards(key: str, data: dict[str, Any], *, on_event: Callable[[], None]) -> None:
    """Show the groups of a context as cards.

    Args:
        key: names the element on the page.
        data: ``groups`` (id, name, colour, weight, on, texts, pictures) and ``chosen``, how many are selected.
        on_event: runs on ``add_text``, ``remove_text``, ``remove_picture``, ``rename``, ``recolour`` (colour),
            ``switch`` (on), ``weigh`` (weight), ``remove_group``, ``new_group``, ``add_selected``.
    """
    _cards(key=key, data=data, on_event_change=on_event)


def query_card(key: str, data: dict[str, Any]) -> None:
    """Show the query: its picture or words, its name, and its posterior over the groups.

    Args:
        key: names the element on the page.
        data: ``url`` (or none for words), ``name``, ``kind``, ``shares`` (name, colour, share), ``note``.
    """
    _query(key=key, data=data)


def waiting_line(key: str, data: dict[str, Any], *, on_through: Callable[[], None]) -> None:
    """Ask the server how far background work is, and have the page drawn again once it is through.

    Args:
        key: names the element on the page.
        data: ``address`` to ask (empty: nothing to wait for), ``bar`` whether progress is shown, ``first`` state:
            ``through``, ``words``, ``stages`` (name, words, share; no share: unknown); ``home`` to ask which
            server answers and ``server`` that drew the page, which loads itself anew after a restart.
        on_through: runs when the work is through, before the page is drawn again.
    """
    _waiting(key=key, data=data, on_through_change=on_through)
