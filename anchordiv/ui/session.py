"""One typed object holds everything a person has chosen; pages change it only through its methods."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, cast

import streamlit as st

from anchordiv.figures.palette import group_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from anchordiv.collection import IngestReport
    from anchordiv.projection import Layout
    from anchordiv.ui.jobs import Job
    from anchordiv.ui.thumbnails import OpenedCollection
    from anchordiv.ui.waiting import Watch

Lens = Literal["context", "cosine"]
View = Literal["grid", "list", "all"]
OWN_CONTEXT: Final = "Your own"
FIRST_GROUPS: Final[Mapping[str, Sequence[str]]] = {"photograph": ["a photo"], "drawing": ["a drawing"]}
LIGHTEST: Final = 1 / 8
HEAVIEST: Final = 8.0
_KEY: Final = "anchordiv"
_KEPT_LAYOUTS: Final = 12


@dataclass
class Group:
    """One value of the attribute a context cares about, as a card shows it.

    Args:
        id: names it in events.
        name: what the person calls it.
        colour: ``#RRGGBB``.
        texts: anchors in words.
        pictures: ids of the pictures that are anchors.
        weight: prior mass relative to the other groups.
        on: whether it takes part.
    """

    id: str
    name: str
    colour: str
    texts: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)
    weight: float = 1.0
    on: bool = True

    @property
    def empty(self) -> bool:
        """Tell whether the group has no anchor yet."""
        return not self.texts and not self.pictures


@dataclass(frozen=True)
class ContextPlan:
    """What a person asked for, hashable, so that results can be kept under it.

    Args:
        groups: (name, texts, picture ids, weight) of each.
        model: the anchor model.
        concentration: κ, or None for the encoder's own.
    """

    groups: tuple[tuple[str, tuple[str, ...], tuple[str, ...], float], ...]
    model: str
    concentration: float | None


@dataclass(frozen=True)
class Query:
    """What neighbours are wanted of.

    Args:
        kind: a picture of the collection, words, several pictures (their mean), or a picture dropped on the page.
        value: the picture's id, or the words.
        ids: the pictures of a mean.
    """

    kind: Literal["picture", "text", "mean", "dropped"]
    value: str = ""
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Memory:
    """What the store remembers of a visitor until their collection is open again.

    Args:
        document: their choices as plain values.
        places: (n, 2) where their pictures lay on the map, if that is known.
    """

    document: Mapping[str, Any]
    places: NDArray[np.float32] | None


LayoutKey = tuple[str, "ContextPlan | None"]


@dataclass
class Session:
    """Everything one browser session has chosen, and the layouts it has seen."""

    owner: str = ""
    opened: OpenedCollection | None = None
    groups: list[Group] = field(default_factory=list)
    context_name: str = OWN_CONTEXT
    model: str = "prototype"
    concentration: float | None = None
    divergence: str = "kl"
    lens: Lens = "context"
    view: View = "grid"
    page: int = 1
    result_page: int = 1
    query: Query | None = None
    dropped: OpenedCollection | None = None
    dropping: tuple[str, bytes] | None = None
    drop_problem: str = ""
    chosen: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    layouts: dict[LayoutKey, Layout] = field(default_factory=dict)
    layout: Layout | None = None
    restored_places: NDArray[np.float32] | None = None
    map_job: Job[Layout] | None = None
    map_wanted: LayoutKey | None = None
    map_turn: int = 0
    map_drawn: object = None
    map_chosen: list[str] = field(default_factory=list)
    intake: Job[OpenedCollection] | None = None
    arrived: bool = False
    report: IngestReport | None = None
    bound_for_explore: bool = False
    intake_from_front: bool = False
    watch: Watch | None = None
    intake_watch: Watch | None = None
    bringing: bool = False
    context_untouched: bool = True
    layouts_failed: set[LayoutKey] = field(default_factory=set)
    memory: Memory | None = None
    kept: str = ""
    put_away: dict[str, dict[str, Any]] = field(default_factory=dict)
    _numbers: Iterable[int] = field(default_factory=lambda: itertools.count(1))

    def open(self, opened: OpenedCollection, ready: Mapping[str, Mapping[str, Sequence[str]]] | None = None) -> None:
        """Turn to another collection: words stay anchors, pictures of the old one cannot.

        Args:
            opened: the collection to look at.
            ready: ready-made contexts for it; the first becomes the context.
        """
        self.opened = opened
        self.query, self.chosen, self.excluded, self.page, self.result_page = None, [], [], 1, 1
        self.dropped, self.drop_problem, self.view = None, "", "grid"
        self._forget_layouts()
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

    def grow(self, opened: OpenedCollection) -> None:
        """Go on with the same collection now that more pictures are in; everything chosen stays."""
        self.opened = opened
        before = self.layout
        self._forget_layouts()
        self.layout = before
        if self.query is None and len(opened.collection):
            self.query = Query("picture", opened.collection.items[0].id)

    def _forget_layouts(self) -> None:
        self.layouts, self.layout, self.map_wanted, self.layouts_failed = {}, None, None, set()
        self.restored_places = None
        if self.map_job is not None:
            self.map_job.cancel()
            self.map_job = None

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

    def use_saved(self, name: str, groups: Sequence[Group]) -> None:
        """Take a context the person has saved; pictures that are not in this collection are left out."""
        known = self.opened.index_by_id if self.opened is not None else {}
        self.groups = []
        for group in groups:
            made = self.add_group(group.name, texts=group.texts, pictures=[p for p in group.pictures if p in known])
            made.colour, made.weight, made.on = group.colour, group.weight, group.on
        self.context_name = name

    def add_group(self, name: str, *, texts: Sequence[str] = (), pictures: Sequence[str] = ()) -> Group:
        """Add a group under a name and a colour nobody has yet."""
        taken = {group.name for group in self.groups}
        names = itertools.chain([name], (f"{name} {number}" for number in itertools.count(2)))
        free = next(candidate for candidate in names if candidate not in taken)
        colours = {group.colour for group in self.groups}
        colour = next(c for c in map(group_colour, itertools.count()) if c not in colours)
        group = Group(f"g{next(iter(self._numbers))}", free, colour, list(texts), list(pictures))
        self.groups.append(group)
        self._touched()
        return group

    def number_groups_from(self, number: int) -> None:
        """Give the groups that come from now on ids that the present ones do not have."""
        taken = {group.id for group in self.groups}
        self._numbers = (n for n in itertools.count(number) if f"g{n}" not in taken)

    def _touched(self) -> None:
        """Make the context the person's own and show what the change did."""
        self.context_name, self.lens, self.context_untouched = OWN_CONTEXT, "context", False
        self.result_page = 1

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
        self._touched()

    def weigh_group(self, group_id: str, weight: float) -> None:
        """Give a group more or less prior mass than the others."""
        group = self.group(group_id)
        if group is not None:
            group.weight = min(max(float(weight), LIGHTEST), HEAVIEST)
            self._touched()

    def switch_group(self, group_id: str, *, on: bool) -> None:
        """Let a group take part in the geometry or not."""
        group = self.group(group_id)
        if group is not None:
            group.on = on
            self._touched()

    def colour_group(self, group_id: str, colour: str) -> None:
        """Give a group another colour, which changes no geometry."""
        group = self.group(group_id)
        if group is not None and len(colour) == 7 and colour[0] == "#" and _is_hex(colour[1:]):
            group.colour = colour.upper()

    def remove_group(self, group_id: str) -> None:
        """Take a group out of the context."""
        self.groups = [group for group in self.groups if group.id != group_id]
        self.context_name, self.result_page = OWN_CONTEXT, 1

    def ask(self, query: Query) -> None:
        """Ask for the neighbours of something and show them."""
        self.query, self.result_page, self.drop_problem = query, 1, ""
        if self.view == "all":
            self.view = "grid"

    def ask_picture(self, item_id: str) -> None:
        """Make a picture the query and show its neighbours."""
        self.ask(Query("picture", item_id))

    def ask_text(self, words: str) -> None:
        """Make words the query."""
        self.ask(Query("text", words))

    def ask_chosen(self) -> None:
        """Make the selected picture the query, or the mean of the selected ones."""
        if len(self.chosen) == 1:
            self.ask_picture(self.chosen[0])
        elif self.chosen:
            self.ask(Query("mean", ids=tuple(self.chosen)))
        self.choose(())

    def choose(self, ids: Iterable[str], *, on_map: bool = False) -> None:
        """Select pictures; what was lassoed on the map is shown there by the map itself."""
        self.chosen = list(dict.fromkeys(ids))
        if not on_map:
            self.map_turn += 1

    def exclude_chosen(self) -> None:
        """Leave the selected pictures out of results and map until they are brought back."""
        gone = set(self.chosen)
        if self.opened is not None and len(gone) + len(self.excluded) < len(self.opened.collection):
            self.excluded = list(dict.fromkeys([*self.excluded, *self.chosen]))
            if self.query is not None and self.query.value in gone:
                left = (item.id for item in self.opened.collection.items if item.id not in set(self.excluded))
                self.query = Query("picture", next(left))
        self.choose(())

    def bring_back(self) -> None:
        """Take back every exclusion."""
        self.excluded = []

    def plan(self) -> ContextPlan | None:
        """Return the context as asked for, or nothing while fewer than two groups take part."""
        taking_part = self.shown_groups()
        if len(taking_part) < 2:
            return None
        groups = tuple((g.name, tuple(g.texts), self._there(g), g.weight) for g in taking_part)
        return ContextPlan(groups, self.model, self.concentration)

    def shown_groups(self) -> list[Group]:
        """Return the groups that take part in the context, in its order."""
        return [group for group in self.groups if group.on and (group.texts or self._there(group))]

    def _there(self, group: Group) -> tuple[str, ...]:
        """Return the group's pictures that the collection has; one that is still coming in may miss some."""
        known = self.opened.index_by_id if self.opened is not None else {}
        return tuple(item for item in group.pictures if item in known)

    def keep_layout(self, key: LayoutKey, layout: Layout) -> None:
        """Remember a map so that coming back to a context brings back its map."""
        self.layouts[key] = layout
        self.layout = layout
        while len(self.layouts) > _KEPT_LAYOUTS:
            self.layouts.pop(next(iter(self.layouts)))


def _is_hex(digits: str) -> bool:
    return all(digit in "0123456789abcdefABCDEF" for digit in digits)


def current_session() -> Session:
    """Return this visitor's state: the one they had before a reload or a restart, or a new one."""
    if _KEY not in st.session_state:
        from anchordiv.ui.visitors import session_of_visitor

        st.session_state[_KEY] = session_of_visitor()
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
