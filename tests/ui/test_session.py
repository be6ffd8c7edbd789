"""A session changes only as people mean it to."""

import pytest

from anchordiv.ui.session import FIRST_GROUPS, HEAVIEST, OWN_CONTEXT, Query, Session
from anchordiv.ui.thumbnails import OpenedCollection
from tests.stand_ins import toy_collection

READY = {"colour": {"red": ["red"], "blue": ["blue"]}, "shape": {"round": ["round"], "square": ["square"]}}


@pytest.fixture
def session() -> Session:
    made = Session()
    made.open(OpenedCollection(toy_collection(12), is_sample=True), READY)
    return made


def test_opening_asks_about_the_first_picture_under_the_first_ready_context(session):
    assert session.query is not None
    assert session.query.value == session.opened.collection.items[0].id
    assert [group.name for group in session.groups] == ["red", "blue"]
    assert session.context_name == "colour"


def test_a_plan_needs_two_groups_with_anchors(session):
    assert session.plan() is not None
    session.change_group(session.groups[0].id, drop="red")
    assert session.plan() is None
    session.change_group(session.groups[0].id, add=["red", "red"])
    assert session.plan().groups[0] == ("red", ("red",), (), 1.0)


def test_plans_are_equal_exactly_when_the_wishes_are(session):
    before = session.plan()
    session.change_group(session.groups[0].id, add=["crimson"])
    assert session.plan() != before
    session.change_group(session.groups[0].id, drop="crimson")
    assert session.plan() == before
    session.concentration = 7.0
    assert session.plan() != before


def test_every_group_has_a_name_and_a_colour_of_its_own(session):
    for _ in range(40):
        session.add_group("red", texts=["red"])
    names, colours = [g.name for g in session.groups], [g.colour for g in session.groups]
    assert len(set(names)) == len(names) == len(set(colours)) == 42
    assert names[2] == "red 2"


def test_touching_a_ready_context_makes_it_ones_own_and_shows_its_effect(session):
    session.lens = "cosine"
    session.change_group(session.groups[0].id, add=["crimson"])
    assert (session.context_name, session.lens) == (OWN_CONTEXT, "context")


def test_a_name_that_is_taken_is_not_given_twice(session):
    session.change_group(session.groups[0].id, name="blue")
    assert [group.name for group in session.groups] == ["red", "blue"]


def test_another_collection_keeps_words_and_drops_pictures_of_the_old_one(session):
    session.add_group("like these", pictures=[session.opened.collection.items[3].id])
    session.change_group(session.groups[0].id, pictures=[session.opened.collection.items[4].id])
    session.chosen = [session.opened.collection.items[5].id]
    session.open(OpenedCollection(toy_collection(9, seed=1)))
    assert [(g.name, g.texts, g.pictures) for g in session.groups] == [("red", ["red"], []), ("blue", ["blue"], [])]
    assert session.chosen == []
    assert session.query.value == session.opened.collection.items[0].id
    assert session.layout is None


def test_own_pictures_start_with_two_groups_when_only_a_ready_context_was_there(session):
    session.open(OpenedCollection(toy_collection(9, seed=1)))
    assert [group.name for group in session.groups] == list(FIRST_GROUPS)


def test_a_late_choice_made_on_the_sample_leaves_own_pictures_alone(session):
    session.open(OpenedCollection(toy_collection(9, seed=1)))
    session.use_ready(next(iter(READY)), READY)
    assert [group.name for group in session.groups] == list(FIRST_GROUPS)


def test_only_so_many_layouts_are_kept(session):
    for number in range(30):
        session.keep_layout(("token", None if not number else session.plan()), object())
        session.concentration = float(number + 1)
    assert len(session.layouts) == 12


def test_weight_and_switch_change_the_geometry_and_colour_does_not(session):
    first = session.groups[0]
    before = session.plan()
    session.colour_group(first.id, "#123abc")
    assert session.plan() == before
    assert first.colour == "#123ABC"
    session.colour_group(first.id, "red; background: url(x)")
    assert first.colour == "#123ABC"
    session.weigh_group(first.id, 2.0)
    assert session.plan().groups[0][3] == 2.0
    session.weigh_group(first.id, 1e9)
    assert session.plan().groups[0][3] == HEAVIEST
    session.add_group("third", texts=["green"])
    session.switch_group(first.id, on=False)
    assert [group[0] for group in session.plan().groups] == ["blue", "third"]
    session.switch_group(session.groups[1].id, on=False)
    assert session.plan() is None


def test_the_selection_becomes_a_query_a_group_or_is_excluded(session):
    ids = [item.id for item in session.opened.collection.items]
    session.choose(ids[2:5])
    session.ask_chosen()
    assert (session.query.kind, session.query.ids, session.chosen) == ("mean", tuple(ids[2:5]), [])
    session.choose(ids[7:8])
    session.ask_chosen()
    assert session.query == Query("picture", ids[7])
    session.choose(ids[7:10])
    session.exclude_chosen()
    assert session.excluded == ids[7:10]
    assert session.query.value not in session.excluded, "what is excluded is not asked about any more"
    session.choose(ids)
    session.exclude_chosen()
    assert session.excluded == ids[7:10], "not everything can be excluded"
    session.bring_back()
    assert session.excluded == []


def test_a_growing_collection_keeps_everything_that_was_chosen(session):
    whole = toy_collection(30, seed=1)
    session.open(OpenedCollection(whole.subset(range(10)), token="t"))
    session.ask_picture(whole.items[3].id)
    session.add_group("like these", pictures=[whole.items[4].id])
    session.choose([whole.items[5].id])
    session.layout = layout = object()
    session.grow(OpenedCollection(whole, token="t"))
    assert session.query == Query("picture", whole.items[3].id)
    assert session.groups[-1].pictures == [whole.items[4].id]
    assert session.chosen == [whole.items[5].id]
    assert session.layout is layout, "the map moves on from where it was"


def test_another_query_begins_at_the_first_page(session):
    session.result_page, session.view = 3, "all"
    session.ask_text("red")
    assert (session.result_page, session.view) == (1, "grid")


def test_anchors_that_have_not_come_in_yet_do_not_count_and_are_not_lost(session):
    whole = toy_collection(12, seed=1)
    session.open(OpenedCollection(whole.subset(range(4)), token="t"))
    group = session.add_group("like these", pictures=[whole.items[9].id])
    assert group not in session.shown_groups()
    session.grow(OpenedCollection(whole, token="t"))
    assert session.plan().groups[-1] == ("like these", (), (whole.items[9].id,), 1.0)
