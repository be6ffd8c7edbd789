"""Pictures in order: neighbours of a query as a grid or a list, what left them, or everything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import streamlit as st

from anchordiv.ui.controls import picture_name
from anchordiv.ui.elements import missing_row, picture_grid
from anchordiv.ui.neighbours import PAGE as NEIGHBOUR_PAGE
from anchordiv.ui.session import Query, Session, current_session, event_of, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anchordiv.ui.neighbours import Answer, Row
    from anchordiv.ui.session import Group
    from anchordiv.ui.thumbnails import OpenedCollection

PAGE: Final = 60
_OTHER: Final = {True: "plain cosine", False: "your meaning"}
_MISSING: Final = 40


def neighbour_grid(session: Session, opened: OpenedCollection, answer: Answer) -> None:
    """Show the neighbours in order, each with its bars and its move against the other ranking."""
    groups = session.shown_groups() if answer.shares else []
    items = [neighbour_item(opened, row, groups, by_context=answer.by_context) for row in answer.rows]
    if answer.comparison:
        said = answer.comparison.replace("entered", "entered (marked new)")
        upto = min(NEIGHBOUR_PAGE * session.result_page, answer.rows[-1].rank if answer.rows else 0)
        st.caption(f"First {upto:,}, against {_OTHER[answer.by_context]}: {said}.")
    _grid("neighbours", session, items, groups, "Nearest pictures, nearest first", as_list=session.view == "list")
    _missing(opened, answer)
    _paging(answer.pages, session.result_page, f"results-{opened.token}", "result_page")


def _missing(opened: OpenedCollection, answer: Answer) -> None:
    """Show what the other ranking has among the first and this one has not, with where it went."""
    where = "your meaning" if answer.by_context else "plain cosine"
    items = []
    for row in answer.left[:_MISSING]:
        item = plain_item(opened, row.index, "")
        words = f"now {row.rank:,}"
        said = f"{item['name']}: rank {row.other_rank:,} under {_OTHER[answer.by_context]}, {row.rank:,} under {where}."
        items.append(item | {"words": words, "hint": said, "spoken": f"{said} Make it the query."})
    label = f"Left, against {_OTHER[answer.by_context]}:"
    missing_row("missing", {"label": label, "items": items}, on_event=lambda: _ask("missing"))


def _ask(key: str) -> None:
    event = event_of(key)
    if event.get("kind") == "ask":
        current_session().ask_picture(str(event["id"]))


def all_pictures(session: Session, opened: OpenedCollection) -> None:
    """Show everything, a page at a time; the sample in a mixed order, others as they came."""
    gone = {opened.index_by_id[item] for item in session.excluded if item in opened.index_by_id}
    order = [i for i in (mixed_order(opened) if opened.is_sample else range(len(opened.collection))) if i not in gone]
    pages = max(1, -(-len(order) // PAGE))
    session.page = min(session.page, pages)
    here = order[(session.page - 1) * PAGE : session.page * PAGE]
    asked = session.query.value if session.query else ""
    items = [plain_item(opened, index, asked) for index in here]
    _grid("all", session, items, [], "All pictures")
    _paging(pages, session.page, f"page-{opened.token}", "page")


def _paging(pages: int, page: int, key: str, of: str) -> None:
    if pages < 2:
        return
    with st.container(horizontal_alignment="center"):
        # Another default makes another widget, so that a page turned elsewhere (a new query) is followed.
        key = f"{key}-{page}"
        st.pagination(pages, default=min(page, pages), width="stretch", key=key, on_change=_turn, args=(key, of))


def _turn(key: str, of: str) -> None:
    setattr(current_session(), of, int(told(key) or 1))


def mixed_order(opened: OpenedCollection) -> Sequence[int]:
    """Return the indices in an order that mixes everything and is the same every time: by content hash."""
    return sorted(range(len(opened.collection)), key=lambda index: opened.collection.items[index].id)


def _grid(
    key: str, session: Session, items: list[dict[str, Any]], groups: Sequence[Group], label: str, *,
    as_list: bool = False,
) -> None:  # fmt: skip
    data = {
        "items": items,
        "shareGroups": [{"name": group.name, "colour": group.colour} for group in groups],
        "chosen": session.chosen,
        "label": label,
        "tile": 98,
        "list": as_list,
        "turn": session.page if key == "all" else session.result_page,
    }
    picture_grid(key, data, on_event=lambda: on_grid(key))


def plain_item(opened: OpenedCollection, index: int, asked: str) -> dict[str, Any]:
    """Describe a picture for the grid: its address, its name, what is read aloud."""
    name = picture_name(opened, index)
    item = opened.collection.items[index]
    return {
        "id": item.id,
        "url": opened.url(index),
        "name": name,
        "alt": name,
        "spoken": f"{name}. Make it the query.",
        "hint": f"{name}\nClick: make it the query",
        "rank": None,
        "query": item.id == asked,
    }


def neighbour_item(opened: OpenedCollection, row: Row, groups: Sequence[Group], *, by_context: bool) -> dict[str, Any]:
    """Describe a neighbour for the grid, with its rank, its posterior and its move against the other ranking."""
    item = plain_item(opened, row.index, "")
    item["rank"] = row.rank
    spoken = [f"Rank {row.rank}: {item['name']}."]
    if row.shares and groups and by_context:
        best = max(range(len(groups)), key=lambda g: row.shares[g])
        item["shares"] = [round(share, 4) for share in row.shares]
        item["top"] = f"{groups[best].name} {round(100 * row.shares[best])} %"
        spoken.append(f"{item['top']}.")
    if row.other_rank is not None:
        item |= _move(row, _OTHER[by_context])
        spoken.append(f"{item['moveHint']}.")
    if row.nats is not None and by_context:
        item["note"] = f"{row.nats:.3f} nats" if row.nats >= 0.0005 else "under 0.001 nats"
    item["spoken"] = " ".join([*spoken, "Make it the query."])
    item["hint"] = "\n".join([*spoken, "Click: make it the query"])
    return item


def _move(row: Row, other: str) -> dict[str, str]:
    assert row.other_rank is not None
    change, under = row.other_rank - row.rank, f"rank {row.other_rank:,} under {other}"
    badge = {"badge": "new"} if row.entered else {}
    if change > 0:
        return badge | {"move": f"▲ {change:,}", "way": "up", "moveHint": f"Up {change:,} places, {under}"}
    if change < 0:
        return badge | {"move": f"▼ {-change:,}", "way": "down", "moveHint": f"Down {-change:,} places, {under}"}
    return {"move": "=", "way": "", "moveHint": f"Same place, {under}"}


def on_grid(key: str) -> None:
    """Carry out what a person did in a grid."""
    session, event = current_session(), event_of(key)
    if event.get("kind") == "ask":
        session.ask(Query("picture", str(event["id"])))
    elif event.get("kind") == "select":
        session.choose(str(item) for item in event.get("ids", []))
