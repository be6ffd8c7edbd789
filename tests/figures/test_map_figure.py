"""The map's figure says where each point is, whose it is and which point was clicked."""

import numpy as np
import pytest

from anchordiv.figures import MapGroups, blend, group_colour, map_figure
from anchordiv.figures.map import SYMBOLS

PLACES = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 2.0]], dtype=np.float32)
NAMES = ["a", "b", "c", "d"]
GROUPS = MapGroups(["red", "blue"], ["#FF0000", "#0000FF"], np.array([[1, 0], [0.2, 0.8], [0.9, 0.1], [0, 1]]))


def test_every_picture_is_drawn_once_at_its_place_in_the_trace_of_its_largest_share():
    figure = map_figure(PLACES, NAMES, groups=GROUPS)
    drawn = {}
    for trace in figure.data:
        for x, y, (index, name, _) in zip(trace.x, trace.y, trace.customdata, strict=True):
            assert index not in drawn
            drawn[index] = (trace.name, x, y, name)
    assert {index: owner for index, (owner, *_) in drawn.items()} == {0: "red", 1: "blue", 2: "red", 3: "blue"}
    for index, (_, x, y, name) in drawn.items():
        assert (x, y, name) == (PLACES[index, 0], PLACES[index, 1], NAMES[index])


def test_groups_differ_in_shape_too_and_rings_mark_the_query_and_its_neighbours():
    figure = map_figure(PLACES, NAMES, groups=GROUPS, query=2, neighbours=[0, 3])
    symbols = {trace.name: trace.marker.symbol for trace in figure.data}
    assert symbols["red"] != symbols["blue"]
    rings = {trace.name: list(zip(trace.x, trace.y, strict=True)) for trace in figure.data}
    assert rings["query"] == [(0.0, 2.0)]
    assert rings["neighbours"] == [(0.0, 0.0), (1.0, 2.0)]


def test_without_groups_all_points_look_the_same():
    (trace,) = map_figure(PLACES, NAMES).data
    assert len(set(trace.marker.color)) == 1


def test_one_lonely_point_still_has_a_map_around_it():
    figure = map_figure(np.zeros((1, 2), dtype=np.float32), ["only"])
    low, high = figure.layout.xaxis.range
    assert low < 0 < high


def test_a_sure_point_has_its_groups_colour_and_a_torn_one_lies_between():
    sure, torn = blend(np.array([[1.0, 0.0], [0.5, 0.5]]), ["#FF0000", "#0000FF"])
    assert sure == "#FF0000"
    red, green, blue = (int(torn[i : i + 2], 16) for i in (1, 3, 5))
    assert green == 0
    assert red == blue
    # Half the light of each, which is brighter than half the number.
    assert 180 <= red <= 192


@pytest.mark.parametrize("count", [8, 32, 100])
def test_colours_do_not_repeat(count):
    colours = [group_colour(number) for number in range(count)]
    assert len(set(colours)) == count
    assert all(len(colour) == 7 and int(colour[1:], 16) >= 0 for colour in colours)


def test_neighbouring_groups_have_different_symbols():
    assert len(set(SYMBOLS)) == len(SYMBOLS) >= 8
