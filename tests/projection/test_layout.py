"""The map follows the context, keeps still where nothing changed, and works for any size."""

import numpy as np
import pytest

from anchordiv.contexts import Context
from anchordiv.errors import InputError
from anchordiv.geometry import devices_present
from anchordiv.projection import Layout, aligned, project
from tests.stand_ins import ToyEncoder, collection_of, toy_collection

ENCODER = ToyEncoder()
COLOURS = Context.from_groups({"red": ["red"], "green": ["green"], "blue": ["blue"]}, encoder=ENCODER)
SHAPES = Context.from_groups({"round": ["round"], "square": ["square"]}, encoder=ENCODER)
COLLECTION = toy_collection(120)


def purity(layout, label: str) -> float:
    """Return the share of pictures whose five nearest on the map mostly share their label."""
    gaps = np.linalg.norm(layout.coordinates[:, None] - layout.coordinates[None], axis=2)
    near = gaps.argsort(axis=1)[:, 1:6]
    values = np.array(COLLECTION.labels[label])
    return float(((values[near] == values[:, None]).mean(axis=1) > 0.5).mean())


def test_the_map_follows_the_context():
    by_colour = project(COLLECTION, COLOURS)
    by_shape = project(COLLECTION, SHAPES, init=by_colour)
    assert by_colour.method == "umap"
    assert purity(by_colour, "colour") > 0.95
    assert purity(by_shape, "shape") > 0.95
    moved = np.linalg.norm(by_shape.coordinates - by_colour.coordinates, axis=1)
    assert np.median(moved) > 0.05 * np.ptp(by_colour.coordinates)


def test_the_same_context_again_leaves_the_map_nearly_still():
    first = project(COLLECTION, COLOURS)
    changed = project(COLLECTION, SHAPES, init=first)
    again = project(COLLECTION, COLOURS, init=first)

    def median_move(layout):
        return np.median(np.linalg.norm(layout.coordinates - first.coordinates, axis=1))

    assert median_move(again) < 0.5 * median_move(changed)


def test_a_map_to_move_towards_comes_before_the_end_and_changes_nothing():
    first = project(COLLECTION, COLOURS)
    quiet = project(COLLECTION, SHAPES, init=first)
    runs = []
    for _ in range(2):
        seen: list[Layout] = []
        final = project(COLLECTION, SHAPES, init=first, steps=seen.append)
        np.testing.assert_array_equal(final.coordinates, quiet.coordinates)
        assert seen
        runs.append(seen)
    for early, again in zip(*runs, strict=True):
        assert early.item_ids == tuple(item.id for item in COLLECTION.items)
        assert early.method == "umap"
        assert np.isfinite(early.coordinates).all()
        np.testing.assert_allclose(aligned(early.coordinates, first.coordinates), early.coordinates, atol=1e-3)
        np.testing.assert_array_equal(early.coordinates, again.coordinates)


def test_the_early_map_lies_on_the_way():
    first = project(COLLECTION, COLOURS)
    seen: list[Layout] = []
    final = project(COLLECTION, SHAPES, init=first, steps=seen.append)

    def median_way(a, b):
        return np.median(np.linalg.norm(a.coordinates - b.coordinates, axis=1))

    assert median_way(seen[0], final) < median_way(first, final)
    assert median_way(first, seen[0]) > 0


def test_who_receives_the_early_map_may_lay_out_another():
    inner: list[Layout] = []
    project(COLLECTION, COLOURS, steps=lambda early: inner.append(project(COLLECTION, SHAPES, init=early)))
    assert len(inner) == 1


def test_a_collection_too_small_for_umap_has_no_early_map():
    seen: list[Layout] = []
    project(toy_collection(3), COLOURS, steps=seen.append)
    assert seen == []


def test_the_same_pictures_in_another_order_get_the_same_places():
    order = np.random.default_rng(1).permutation(len(COLLECTION))
    shuffled = collection_of(
        tuple(COLLECTION.items[i] for i in order),
        COLLECTION.embeddings[order],
        COLLECTION.labels.iloc[order].reset_index(drop=True),
        ENCODER,
    )
    np.testing.assert_array_equal(
        project(shuffled, COLOURS).coordinates, project(COLLECTION, COLOURS).coordinates[order]
    )


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 6, 20])
@pytest.mark.parametrize("context", [COLOURS, Context.cosine(ENCODER)], ids=["colours", "cosine"])
def test_small_collections_have_a_map(n, context):
    layout = project(toy_collection(n), context)
    assert layout.coordinates.shape == (n, 2)
    assert np.isfinite(layout.coordinates).all()
    assert layout.method == ("plain" if n < 5 else "umap")
    assert len(np.unique(layout.coordinates, axis=0)) == n


def test_newcomers_join_and_leavers_leave():
    first = project(toy_collection(40), COLOURS)
    more = toy_collection(40)
    grown = collection_of(
        more.items + toy_collection(5, seed=9).items,
        np.concatenate([more.embeddings, toy_collection(5, seed=9).embeddings]),
        toy_collection(45).labels,
        ENCODER,
    )
    layout = project(grown, COLOURS, init=first)
    assert layout.coordinates.shape == (45, 2)
    assert np.isfinite(layout.coordinates).all()


def test_copies_of_one_picture_do_not_break_the_map():
    embeddings = np.repeat(COLLECTION.embeddings[:2], 20, axis=0)
    copies = collection_of(COLLECTION.items[:40], embeddings, COLLECTION.labels[:40], ENCODER)
    assert np.isfinite(project(copies, COLOURS).coordinates).all()


def test_alignment_undoes_turning_mirroring_scaling_and_moving():
    rng = np.random.default_rng(0)
    target = rng.normal(size=(30, 2)).astype(np.float32)
    turned = 3 * target @ np.array([[0.6, 0.8], [0.8, -0.6]]) + 5
    np.testing.assert_allclose(aligned(turned.astype(np.float32), target), target, atol=1e-5)
    partly = target.copy()
    partly[:10] = np.nan
    np.testing.assert_allclose(aligned(turned.astype(np.float32), partly), target, atol=1e-5)


@pytest.mark.parametrize("device", devices_present())
def test_the_map_is_the_same_wherever_neighbours_are_found(device):
    here = project(COLLECTION, COLOURS, device="cpu")
    assert purity(project(COLLECTION, COLOURS, init=here, device=device), "colour") > 0.95


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="auto"):
        project(COLLECTION, COLOURS, device="cuda:99")
