"""Evaluation: metrics against an independent reference, anchors neither asked nor found."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from anchordiv.contexts import Anchor, Context
from anchordiv.errors import InputError
from anchordiv.evaluation import average_precision, evaluate
from tests.stand_ins import ToyEncoder, toy_collection

COLLECTION = toy_collection()
COLOURS = Context.from_groups({"red": ["red"], "green": ["green"], "blue": ["blue"]}, encoder=ToyEncoder())


@pytest.mark.parametrize("seed", range(5))
def test_average_precision_equals_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    relevant = rng.random(40) < 0.3
    scores = np.arange(40, 0, -1)
    assert average_precision(relevant) == pytest.approx(average_precision_score(relevant, scores))


def test_nothing_relevant_is_no_score():
    assert np.isnan(average_precision(np.zeros(4, dtype=bool)))


def test_a_context_helps_with_what_it_speaks_of_and_not_with_what_it_does_not():
    colour = evaluate(COLLECTION, COLOURS, labels="colour")
    shape = evaluate(COLLECTION, COLOURS, labels="shape")
    assert colour.context_map > 0.9
    assert colour.gain > 0.3
    assert shape.gain < -0.2
    assert len(colour.queries) == len(COLLECTION)


def test_cosine_equals_itself():
    report = evaluate(COLLECTION, Context.cosine(ToyEncoder()), labels="colour")
    assert report.gain == pytest.approx(0, abs=1e-12)


def test_anchors_are_neither_queries_nor_targets():
    groups = {
        name: [Anchor.of_item(COLLECTION, int(np.flatnonzero(COLLECTION.labels["colour"] == name)[0]))]
        for name in ("red", "green", "blue")
    }
    context = Context.from_groups(groups, encoder=ToyEncoder())
    anchors = {COLLECTION.index_of(group.anchors[0].item_id) for group in context.groups}
    report = evaluate(COLLECTION, context, labels="colour", queries=range(30))
    assert report.left_out == 3
    assert not anchors & set(report.queries.tolist())
    assert set(report.queries.tolist()) == set(range(30)) - anchors


def test_missing_columns_and_lonely_labels_are_refused():
    with pytest.raises(InputError, match="colour, shape"):
        evaluate(COLLECTION, COLOURS, labels="mood")
    alone = toy_collection(3)
    alone.labels["own"] = ["a", "b", "c"]
    with pytest.raises(InputError, match="nothing to find"):
        evaluate(alone, COLOURS, labels="own")
