"""One typed object holds everything a person has chosen; pages change it only through its methods."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import streamlit as st

from anchordiv.figures.palette import group_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from anchordiv.projection import Layout
    from anchordiv.ui.jobs import Job
    from anchordiv.ui.thumbnails import OpenedCollection
    from anchordiv.ui.waiting import Watch

Lens = Literal["context", "cosine"]
View = Literal["neighbours", "all"]
OWN_CONTEXT: Final = "Your own"
FIRST_GROUPS: Final[Mapping[str, Sequence[str]]] = {"photograph": ["a photo"], "drawing": ["a drawing"]}
_KEY: Final = "anchordiv"
_KEPT_LAYOUTS: Final = 12


@dataclass
class Group:
    """One value of the attribute a context cares about, as a card shows it."""

    id: str
    name: str
    colour: str
    texts: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Tell whether the group has no anchor yet."""
        return not self.texts and not self.pictures


@dataclass(frozen=True)
class ContextPlan:
    """What a person asked for, hashable, so that results can be kept under it."""

    groups: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]
    model: str
    concentration: float | None


@dataclass(frozen=True)
class Query:
    """The picture or the words whose neighbours are wanted."""

    kind: Literal["picture", "text"]
    value: str


@dataclass
class Session:
    """Everything one browser session has chosen, and the layouts it has seen."""

    opened: OpenedCollection | None = None
    groups: list[Group] = field(default_factory=list)
    context_name: str = OWN_CONTEXT
    model: str = "prototype"
    concentration: float | None = None
    divergence: str = "kl"
    lens: Lens = "context"
    view: View = "neighbours"
    page: int = 1
    query: Query | None = None
    chosen: list[str] = field(default_factory=list)
    layouts: dict[tuple[str, ContextPlan | None], Layout] = field(default_factory=dict)
    layout: Layout | None = None
    map_job: Job[Layout] | None = None
    map_wanted: tuple[str, ContextPlan | None] | None = None
    intake: Job[OpenedCollection] | None = None
    arrived: bool = False
    bound_for_explore: bool = False
    intake_from_front: bool = False
    watch: Watch | None = None
    intake_watch: Watch | None = None
    bringing: bool = False
    neighbours: int = 24
    context_untouched: bool = True
    layouts_failed: set[tuple[str, ContextPlan | None]] = field(default_factory=set)
    _numbers: Iterable[int] = field(default_factory=lambda: itertools.count(1))

    def open(self, opened: OpenedCollection, ready: Mapping[str, Mapping[str, Sequence[str]]] | None = None) -> None:
        """Turn to another collection: words stay anchors, pictures of the old one cannot.

        Args:
            opened: the collection to look at.
            ready: ready-made contexts for it; the first becomes the context.
        """
        self.opened = opened
        self.query, self.chosen, self.page, self.view = None, [], 1, "neighbours"
        self.layouts, self.layout, self.map_wanted, self.layouts_failed = {}, None, None, set()
        if self.map_job is not None:
            self.map_job.cancel()
            self.map_job = None
        if ready:
            self.use_ready(next(iter(ready)), ready)
        elif opened.is_sample:
            self.groups, self.context_untouched = [], True
        elif self.context_name != OWN_CONTEXT or not self.groups:
            self.set_groups(FIRST_GROUPS)
        else:
            for group in self.groups:
                group.pictures = []
            self.groups = [group for group in self.groups if not group.empty]
        if len(opened.collection):
            self.query = Query("picture", opened.collection.items[0].id)

    def set_groups(self, groups: Mapping[str, Sequence[str]], name: str = OWN_CONTEXT) -> None:
        """Replace the context by groups of words."""
        self.groups = []
        for group_name, texts in groups.items():
            self.add_group(group_name, texts=texts)
        self.context_name = name

    def use_ready(self, name: str, ready: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """Take one of the ready-made contexts; they are the sample's, and nothing happens on other pictures.

        A choice made on the sample can still be on its way when the person's own pictures open.
        """
        if self.opened is None or not self.opened.is_sample:
            return
        self.set_groups(ready[name], name)
        self.context_untouched = False
        self.lens = "context"

    def add_group(self, name: str, *, texts: Sequence[str] = (), pictures: Sequence[str] = ()) -> Group:
        """Add a group under a name and a colour nobody has yet."""
        taken = {group.name for group in self.groups}
        names = itertools.chain([name], (f"{name} {number}" for number in itertools.count(2)))
        free = next(candidate for candidate in names if candidate not in taken)
        colours = {group.colour for group in self.groups}
        colour = next(c for c in map(group_colour, itertools.count()) if c not in colours)
        group = Group(f"g{next(iter(self._numbers))}", free, colour, list(texts), list(pictures))
        self.groups.append(group)
        self.context_name, self.lens, self.context_untouched = OWN_CONTEXT, "context", False
        return group

    def group(self, group_id: str) -> Group | None:
        """Return the group of that id, if it is still there."""
        return next((group for group in self.groups if group.id == group_id), None)

    def change_group(
        self, group_id: str, *, add: Sequence[str] = (), drop: str = "", pictures: Sequence[str] = (), name: str = ""
    ) -> None:
        """Add words or pictures to a group, drop one anchor, or give it another name."""
        group = self.group(group_id)
        if group is None:
            return
        group.texts = [text for text in dict.fromkeys((*group.texts, *add)) if text != drop]
        group.pictures = [item for item in dict.fromkeys((*group.pictures, *pictures)) if item != drop]
        if name and name not in {other.name for other in self.groups}:
            group.name = name
        self.context_name, self.lens = OWN_CONTEXT, "context"

    def remove_group(self, group_id: str) -> None:
        """Take a group out of the context."""
        self.groups = [group for group in self.groups if group.id != group_id]
        self.context_name = OWN_CONTEXT

    def ask_picture(self, item_id: str) -> None:
        """Make a picture the query and show its neighbours."""
        self.query, self.view = Query("picture", item_id), "neighbours"

    def ask_text(self, words: str) -> None:
        """Make words the query."""
        self.query, self.view = Query("text", words), "neighbours"

    def plan(self) -> ContextPlan | None:
        """Return the context as asked for, or nothing while fewer than two groups have anchors."""
        filled = [group for group in self.groups if not group.empty]
        if len(filled) < 2:
            return None
        groups = tuple((group.name, tuple(group.texts), tuple(group.pictures)) for group in filled)
        return ContextPlan(groups, self.model, self.concentration)

    def shown_groups(self) -> list[Group]:
        """Return the groups that take part in the context, in its order."""
        return [group for group in self.groups if not group.empty]

    def keep_layout(self, key: tuple[str, ContextPlan | None], layout: Layout) -> None:
        """Remember a map so that coming back to a context brings back its map."""
        self.layouts[key] = layout
        self.layout = layout
        while len(self.layouts) > _KEPT_LAYOUTS:
            self.layouts.pop(next(iter(self.layouts)))


def current_session() -> Session:
    """Return this browser session's state, made on first use."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Session()
    return cast("Session", st.session_state[_KEY])


def push(key: str, value: Any) -> str:
    """Set a widget to the session's value before it is drawn, and return its key.

    Widgets forget their state when their page is left; the session does not. A value that is
    already there is left alone: setting it again would wipe out what is being typed.
    """
    if key not in st.session_state or st.session_state[key] != value:
        st.session_state[key] = value
    return key


def told(key: str) -> Any:
    """Return what a widget or an element of ours just said, inside its callback."""
    return st.session_state.get(key)


def event_of(key: str) -> dict[str, Any]:
    """Return the event one of our own elements just sent, inside its callback."""
    state = st.session_state.get(key) or {}
    return dict(state.get("event") or {})
