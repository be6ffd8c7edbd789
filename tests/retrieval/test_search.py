"""Search: exact order, honest ranks, and refusals."""

import numpy as np
import pytest
from PIL import Image

from anchordiv.contexts import Context
from anchordiv.errors import InputError
from anchordiv.geometry import devices_present
from anchordiv.retrieval import DIVERGENCES, divergences, search
from tests.stand_ins import ToyEncoder, toy_collection

COLLECTION = toy_collection()
COLOURS = Context.from_groups({"red": ["red"], "green": ["green"], "blue": ["blue"]}, encoder=ToyEncoder())


def column(hits, name: str) -> list[str]:
    return [COLLECTION.labels[name][hit.index] for hit in hits.rows]


@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_the_context_decides_what_is_near(divergence):
    query = 0
    colour, shape = COLLECTION.labels.loc[query]
    near = search(COLLECTION, COLOURS, query, k=8, divergence=divergence)
    assert column(near, "colour") == [colour] * 8
    assert len(set(column(near, "shape"))) == 2
    if divergence == "fisher_rao":
        with pytest.raises(InputError, match="no closed form"):
            search(COLLECTION, Context.cosine(ToyEncoder()), query, k=8, divergence=divergence)
        return
    plain = search(COLLECTION, Context.cosine(ToyEncoder()), query, k=8, divergence=divergence)
    assert column(plain, "shape") == [shape] * 8


def test_divergences_compare_posteriors():
    log_p = COLOURS.group_log_probs(COLLECTION.embeddings, COLLECTION.embeddings)
    log_q = log_p[3]
    expected = {
        "kl": (np.exp(log_q) * (log_q - log_p)).sum(axis=1),
        "reverse_kl": (np.exp(log_p) * (log_p - log_q)).sum(axis=1),
        "bhattacharyya": -np.log(np.exp((log_p + log_q) / 2).sum(axis=1)),
    }
    expected["jeffreys"] = expected["kl"] + expected["reverse_kl"]
    for name, nats in expected.items():
        ours = divergences(COLLECTION, COLOURS, COLLECTION.embeddings[3], name)
        np.testing.assert_allclose(ours, nats, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("device", devices_present())
@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_every_device_says_the_same(device, divergence):
    there = divergences(COLLECTION, COLOURS, COLLECTION.embeddings[3], divergence, device=device)
    here = divergences(COLLECTION, COLOURS, COLLECTION.embeddings[3], divergence, device="cpu")
    np.testing.assert_allclose(there, here, rtol=1e-9, atol=1e-14)
    hits = search(COLLECTION, COLOURS, 3, k=10, divergence=divergence, device=device)
    np.testing.assert_allclose([hit.divergence for hit in hits.rows], np.sort(np.delete(here, 3))[:10], rtol=1e-9)


@pytest.mark.parametrize("ask", [divergences, search])
def test_a_device_that_is_not_there_is_refused(ask):
    with pytest.raises(InputError, match="auto"):
        ask(COLLECTION, COLOURS, COLLECTION.embeddings[3], device="cuda:99")


def test_ranks_are_over_the_same_candidates_and_add_up():
    hits = search(COLLECTION, COLOURS, 5, k=len(COLLECTION))
    assert len(hits.rows) == len(COLLECTION) - 1
    assert 5 not in {hit.index for hit in hits.rows}
    assert [hit.rank for hit in hits.rows] == list(range(1, 60))
    assert sorted(hit.cosine_rank for hit in hits.rows) == list(range(1, 60))
    assert sum(hit.rank_change for hit in hits.rows) == 0
    nats = [hit.divergence for hit in hits.rows]
    assert nats == sorted(nats)
    assert hits.rows[0].group_probs.sum() == pytest.approx(1)
    assert hits.query_group_probs.argmax() == ["red", "green", "blue"].index(COLLECTION.labels["colour"][5])


def test_excluded_pictures_are_no_hits_and_count_in_no_rank():
    everything = search(COLLECTION, COLOURS, 5, k=60)
    exclude = [everything.rows[0].index, everything.rows[7].index]
    hits = search(COLLECTION, COLOURS, 5, k=60, exclude=exclude)
    assert [hit.index for hit in hits.rows] == [hit.index for hit in everything.rows if hit.index not in exclude]
    assert [hit.rank for hit in hits.rows] == list(range(1, 58))
    assert sorted(hit.cosine_rank for hit in hits.rows) == list(range(1, 58))
    assert len(search(COLLECTION, COLOURS, 5, k=60, exclude=[5]).rows) == 59
    assert len(search(COLLECTION, COLOURS, 5, k=60, exclude=[5], exclude_query=False).rows) == 59
    assert search(COLLECTION, COLOURS, "blue", exclude=range(60)).rows == ()


def test_cosine_moves_nothing():
    hits = search(COLLECTION, Context.cosine(ToyEncoder()), 5, k=20)
    assert {hit.rank_change for hit in hits.rows} == {0}
    assert hits.rows[0].group_probs.shape == (0,)


def test_a_text_a_picture_and_a_vector_can_ask():
    assert set(column(search(COLLECTION, COLOURS, "blue", k=5), "colour")) == {"blue"}
    blue = Image.new("RGB", (4, 4), "blue")
    hits = search(COLLECTION, COLOURS, blue, k=5)
    assert set(column(hits, "colour")) == {"blue"}
    assert hits.query_index is None
    vector = COLLECTION.embeddings[7]
    assert search(COLLECTION, COLOURS, vector, k=1).rows[0].index == 7
    assert search(COLLECTION, COLOURS, 7, k=1, exclude_query=False).rows[0].index == 7


def test_cut_words_of_a_text_query_are_reported():
    assert search(COLLECTION, COLOURS, "red red red red red red round shape", k=1).query_cut == "round shape"


def test_an_empty_collection_has_no_hits():
    empty = toy_collection(0)
    assert search(empty, COLOURS, "blue").rows == ()


@pytest.mark.parametrize(
    ("more", "match"),
    [
        ({"k": 0}, "at least 1"),
        ({"query": 60}, "0 to 59"),
        ({"query": -1}, "0 to 59"),
        ({"query": np.zeros(3, dtype=np.float32)}, "finite numbers"),
        ({"divergence": "euclid"}, "euclid"),
        ({"exclude": [60]}, "exclude 60"),
        ({"exclude": [-1]}, "exclude -1"),
    ],
)
def test_unusable_requests_are_refused_with_a_sentence(more, match):
    with pytest.raises(InputError, match=match):
        search(COLLECTION, COLOURS, **{"query": 0, **more})


def test_vectors_of_two_encoders_never_meet():
    other = ToyEncoder()
    other.identity = "toy:2"
    with pytest.raises(InputError, match="toy:2"):
        search(toy_collection(encoder=other), COLOURS, 0)
