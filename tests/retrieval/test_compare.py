"""Comparing rankings: every picture of either first k is named once, under what happened to it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anchordiv.errors import InputError
from anchordiv.retrieval import Comparison, compare_rankings, ranks_of


def test_the_lowest_score_ranks_first():
    np.testing.assert_array_equal(ranks_of(np.array([0.3, 0.1, 0.2])), [3, 1, 2])
    assert ranks_of(np.array([0.5])).dtype == np.int64
    assert ranks_of(np.zeros(0)).shape == (0,)


def test_ties_keep_the_rows_order():
    np.testing.assert_array_equal(ranks_of(np.array([1.0, 0.0, 1.0, 0.0])), [3, 1, 4, 2])


def test_rows_that_take_no_part_have_rank_zero_and_push_nobody_down():
    scores = np.array([0.0, 0.1, 0.2, 0.3])
    np.testing.assert_array_equal(ranks_of(scores, leave_out=0), [0, 1, 2, 3])
    allowed = np.array([True, False, True, True])
    np.testing.assert_array_equal(ranks_of(scores, leave_out=0, allowed=allowed), [0, 0, 1, 2])
    np.testing.assert_array_equal(ranks_of(scores, allowed=np.zeros(4, dtype=bool)), [0, 0, 0, 0])
    np.testing.assert_array_equal(allowed, [True, False, True, True])


def test_each_change_is_told_apart():
    ranks, other = np.array([1, 2, 3, 4, 5]), np.array([1, 3, 5, 2, 4])
    assert compare_rankings(ranks, other, 3) == Comparison(entered=(2,), left=(3,), moved=(1,), stayed=(0,))


def test_entered_are_in_their_own_order_and_left_in_the_others():
    ranks, other = np.array([2, 1, 4, 3]), np.array([3, 4, 1, 2])
    assert compare_rankings(ranks, other, 2) == Comparison(entered=(1, 0), left=(2, 3), moved=(), stayed=())


def test_a_row_left_out_of_one_ranking_leaves_without_a_successor():
    comparison = compare_rankings(np.array([0, 1]), np.array([1, 2]), 2)
    assert comparison == Comparison(entered=(), left=(0,), moved=(1,), stayed=())


@pytest.mark.parametrize(
    ("comparison", "sentence"),
    [
        (
            Comparison(tuple(range(15)), tuple(range(15)), tuple(range(6)), tuple(range(3))),
            "15 entered, 15 left, 6 moved, 3 stayed",
        ),
        (Comparison((), (), (0, 1), ()), "2 moved"),
        (Comparison((), (), (), (0, 1)), "nothing changed"),
        (Comparison((), (), (), ()), "nothing changed"),
    ],
)
def test_the_sentence_leaves_out_what_did_not_happen(comparison, sentence):
    assert comparison.sentence() == sentence


@given(data=st.data(), n=st.integers(1, 30))
def test_the_parts_make_up_both_first_ks(data, n):
    scores = st.lists(st.integers(0, 9), min_size=n, max_size=n)  # few values, so that ties are common
    leave_out = data.draw(st.none() | st.integers(0, n - 1))
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    ranks, other = (ranks_of(np.array(data.draw(scores), dtype=float), leave_out, allowed) for _ in range(2))
    k = data.draw(st.integers(1, n))
    comparison = compare_rankings(ranks, other, k)
    kept = comparison.moved + comparison.stayed
    assert len(comparison.entered) == len(comparison.left)
    assert sorted(comparison.entered + kept) == sorted(np.flatnonzero((ranks > 0) & (ranks <= k)))
    assert sorted(comparison.left + kept) == sorted(np.flatnonzero((other > 0) & (other <= k)))


@given(scores=st.lists(st.floats(-5, 5), min_size=1, max_size=30))
def test_a_ranking_against_itself_changes_nothing(scores):
    ranks = ranks_of(np.array(scores))
    assert compare_rankings(ranks, ranks, 10).sentence() == "nothing changed"


def test_what_cannot_be_compared_is_refused_with_a_sentence():
    with pytest.raises(InputError, match="at least 1"):
        compare_rankings(np.array([1]), np.array([1]), 0)
    with pytest.raises(InputError, match="same rows"):
        compare_rankings(np.array([1]), np.array([1, 2]), 1)
    with pytest.raises(InputError, match="each of 2 rows"):
        ranks_of(np.zeros(2), allowed=np.ones(3, dtype=bool))
    with pytest.raises(InputError, match="0 to 1"):
        ranks_of(np.zeros(2), leave_out=2)
