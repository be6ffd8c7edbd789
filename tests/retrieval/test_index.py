"""The index: few numbers per item, and yet the order of comparing everything in float64."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from anchordiv.errors import InputError
from anchordiv.geometry import (
    DiscreteAnchors,
    GaussianAnchors,
    MixtureAnchors,
    SumAnchors,
    UniformSphereAnchors,
    devices_present,
)
from anchordiv.retrieval import DIVERGENCES, Index
from anchordiv.retrieval.forms import divergence_of, has_form, item_vectors, query_vectors
from anchordiv.samples import open_sample
from tests.geometry.families import DISCRETE, FAMILIES, D, normal, unit

family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
everywhere = pytest.mark.parametrize("device", devices_present())
WITHOUT_CLOSED_FISHER_RAO = [name for name in DIVERGENCES if name != "fisher_rao"]


def brute_force(embeddings, law, kappa, divergence, query, *, grouped=False, allowed=None):
    rows = torch.arange(len(embeddings)) if allowed is None else torch.nonzero(allowed)[:, 0]
    theta = kappa * embeddings[rows].double()
    # Hellinger saturates at 1 in float64 while the overlap it grows with goes on.
    by = "bhattacharyya" if divergence == "hellinger" else divergence
    order = divergence_of(by)(theta, kappa * query.double(), law, grouped=grouped).argsort(stable=True)
    nats = divergence_of(divergence)(theta[order], kappa * query.double(), law, grouped=grouped)
    return rows[order].numpy(), nats.numpy()


def assert_same_order(found, expected, k):
    rows, nats = expected
    np.testing.assert_allclose(found.divergences, nats[:k], rtol=1e-9, atol=1e-14)
    # Two divergences that agree in all but their last digits may change places.
    swapped = found.rows != rows[:k]
    assert swapped.mean() < 0.2


@everywhere
@family
@pytest.mark.parametrize("divergence", WITHOUT_CLOSED_FISHER_RAO)
@pytest.mark.parametrize("kappa", [1.0, 30.0])
def test_search_finds_the_order_of_brute_force(law, divergence, kappa, device):
    embeddings, query = unit(700, D, seed=1).float(), unit(D, seed=2).float()
    index = Index(embeddings, law, kappa, divergence, device=device)
    assert (index.width is None) == (not has_form(law, divergence))
    found = index.nearest(query, 20)
    assert_same_order(found, brute_force(embeddings, law, kappa, divergence, query), 20)
    np.testing.assert_allclose(index.divergences(query)[found.rows], found.divergences, rtol=1e-9, atol=1e-14)


@everywhere
@pytest.mark.parametrize("law", DISCRETE.values(), ids=DISCRETE.keys())
@pytest.mark.parametrize("divergence", DIVERGENCES)
@pytest.mark.parametrize("kappa", [1e-3, 1.0, 30.0, 1e3])
@pytest.mark.parametrize("grouped", [False, True])
def test_search_of_posteriors_at_every_concentration(law, divergence, kappa, grouped, device):
    embeddings, query = unit(700, D, seed=1).float(), unit(D, seed=2).float()
    index = Index(embeddings, law, kappa, divergence, grouped=grouped, device=device)
    assert index.width <= 2 * len(law.anchors) + 1
    theta, theta_query = kappa * embeddings.double(), kappa * query.double()
    nats = divergence_of(divergence)(theta, theta_query, law, grouped=grouped)
    found = index.nearest(query, 20)
    smallest = nats.sort().values[:20].numpy()
    np.testing.assert_allclose(found.divergences, smallest, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(nats[found.rows].numpy(), found.divergences, rtol=1e-9, atol=1e-300)


GAUSSIAN_AND_DISCRETE = SumAnchors([0.7, 2.0], [FAMILIES["gaussian full"], DISCRETE["discrete m<d"]])


@pytest.mark.parametrize(
    ("divergence", "law"),
    [(d, law) for d in DIVERGENCES for law in (*FAMILIES.values(), GAUSSIAN_AND_DISCRETE) if has_form(law, d)],
)
def test_forms_are_the_divergence_up_to_a_constant_of_the_query(law, divergence):
    theta, query = 8 * unit(50, D, seed=1), 8 * unit(1, D, seed=2)
    scores = item_vectors(theta, law, divergence) @ query_vectors(query, law, divergence)[0]
    if divergence in ("bhattacharyya", "hellinger", "fisher_rao"):  # a decreasing function of the score
        order = divergence_of(divergence)(theta, query, law).argsort()
        assert (scores[order].diff() <= 1e-13).all()
        return
    constant = scores + divergence_of(divergence)(theta, query, law)
    torch.testing.assert_close(constant, constant[:1].expand_as(constant), rtol=1e-10, atol=1e-10)


@given(
    st.integers(0, 2**31),
    st.sampled_from(DIVERGENCES),
    st.floats(-2, 2.5),
    st.sampled_from([3, 64, 512]),
    st.booleans(),
)
@settings(max_examples=40, deadline=None)
def test_near_duplicates_keep_their_order(seed, divergence, log_kappa, dim, grouped):
    # Many pictures a hair apart, which float32 cannot tell from each other: the short list has to grow.
    kappa = 10**log_kappa
    law = DiscreteAnchors(unit(9, dim, seed=seed), normal(9, seed=seed + 1), torch.arange(9) % 4)
    centre = unit(1, dim, seed=seed + 2)
    near = centre + 10 ** -(2 + 4 * torch.rand(600, 1, dtype=torch.float64)) * unit(600, dim, seed=seed + 3)
    embeddings = torch.cat([unit(400, dim, seed=seed + 4), near]).float()
    query = centre[0].float()
    found = Index(embeddings, law, kappa, divergence, grouped=grouped).nearest(query, 12)
    nats = divergence_of(divergence)(kappa * embeddings.double(), kappa * query.double(), law, grouped=grouped)
    np.testing.assert_allclose(found.divergences, nats.sort().values[:12].numpy(), rtol=1e-6, atol=1e-300)


@everywhere
def test_copies_come_in_the_order_of_their_rows(device):
    law = DISCRETE["discrete m>d"]
    embeddings = unit(1, D, seed=1).expand(900, D).float()
    found = Index(embeddings, law, 30.0, device=device).nearest(unit(D, seed=2).float(), 10)
    assert found.rows.tolist() == list(range(10))
    assert found.examined == 900


@everywhere
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_storage_only(dtype, device):
    law, query = DISCRETE["discrete m>d"], unit(D, seed=2).float()
    embeddings = unit(700, D, seed=1).to(dtype)
    found = Index(embeddings, law, 30.0, device=device).nearest(query, 20)
    wide = Index(embeddings.float(), law, 30.0).nearest(query, 20)
    assert found.rows.tolist() == wide.rows.tolist()
    np.testing.assert_allclose(found.divergences, wide.divergences, rtol=1e-9)


def test_items_that_take_no_part_are_never_found():
    law, query = DISCRETE["discrete m>d"], unit(D, seed=2).float()
    embeddings = unit(700, D, seed=1).float()
    allowed = torch.arange(700) % 3 == 0
    found = Index(embeddings, law, 30.0).nearest(query, 40, allowed)
    assert_same_order(found, brute_force(embeddings, law, 30.0, "kl", query, allowed=allowed), 40)
    assert len(Index(embeddings, law, 30.0).nearest(query, 999, allowed).rows) == int(allowed.sum())
    nobody = torch.zeros(700, dtype=torch.bool)
    assert len(Index(embeddings, law, 30.0).nearest(query, 5, nobody).rows) == 0
    assert len(Index(embeddings[:0], law, 30.0).nearest(query, 5).rows) == 0


def test_a_short_list_suffices_among_ordinary_pictures():
    law = DiscreteAnchors(unit(32, 512, seed=3), torch.zeros(32, dtype=torch.float64))
    embeddings = unit(20000, 512, seed=1).float()
    found = Index(embeddings, law, 100.0).nearest(unit(512, seed=2).float(), 20)
    assert 48 <= found.examined < 100
    assert_same_order(found, brute_force(embeddings, law, 100.0, "kl", unit(512, seed=2).float()), 20)


@pytest.mark.parametrize("kappa", [1.0, 20.0, 100.0])
@pytest.mark.parametrize("divergence", DIVERGENCES)
def test_the_rounding_bound_holds(kappa, divergence):
    law = DiscreteAnchors(unit(32, 512, seed=3), torch.zeros(32, dtype=torch.float64))
    embeddings, query = unit(5000, 512, seed=1).float(), unit(512, seed=2).float()
    index = Index(embeddings, law, kappa, divergence)
    theta, vector = kappa * embeddings.double(), query_vectors(kappa * query.double(), law, divergence)
    exact = item_vectors(theta, law, divergence) @ vector
    scores = (index._items @ vector.float()).double()
    bounds = torch.tensor([index._rounding(vector, float(score)) for score in scores])
    assert ((scores - exact).abs() <= bounds).all()


@everywhere
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_anchors_in_half_precision_lose_no_neighbour(dtype, device):
    # Twenty thousand items at nearly one distance: what half precision would round κ times an anchor to decides.
    law = DiscreteAnchors(unit(16, 32, seed=3).to(dtype), torch.zeros(16))
    embeddings = unit(1, 32, seed=4) + 2e-3 * unit(20000, 32, seed=1)
    embeddings = (embeddings / embeddings.norm(dim=1, keepdim=True)).float()
    query = unit(32, seed=2).float()
    found = Index(embeddings, law, 100.0, device=device).nearest(query, 20)
    assert_same_order(found, brute_force(embeddings, law, 100.0, "kl", query), 20)


@everywhere
@pytest.mark.parametrize(
    ("law", "kappa"),
    [
        (GaussianAnchors(torch.zeros(D).double(), torch.full((D,), 1e37).double()), 100.0),
        (SumAnchors([1e39], [DISCRETE["discrete m<d"]]), 20.0),
    ],
    ids=["wide", "heavy"],
)
def test_what_float32_cannot_hold_is_compared_in_float64(law, kappa, device):
    embeddings, query = unit(300, D, seed=1).float(), unit(D, seed=2).float()
    found = Index(embeddings, law, kappa, device=device).nearest(query, 10)
    assert found.examined == 300
    assert_same_order(found, brute_force(embeddings, law, kappa, "kl", query), 10)


def test_requests_that_cannot_be_met_are_refused_with_a_sentence():
    law, embeddings = DISCRETE["discrete m<d"], unit(9, D, seed=1).float()
    index = Index(embeddings, law, 3.0)
    spoilt = embeddings.clone()
    spoilt[4, 1] = torch.nan
    for request in (
        lambda: index.nearest(embeddings[0], 0),
        lambda: index.nearest(spoilt[4], 3),
        lambda: index.nearest(embeddings[0, :3], 3),
        lambda: index.nearest(embeddings[:1], 3),
        lambda: index.nearest(embeddings[0], 3, torch.ones(4, dtype=torch.bool)),
        lambda: index.nearest(embeddings[0], 3, torch.ones(9, dtype=torch.int64)),
        lambda: Index(spoilt, law, 3.0),
        lambda: Index(embeddings, law, 3.0, "euclid"),
        lambda: Index(embeddings, UniformSphereAnchors(D), 3.0, grouped=True),
        lambda: Index(embeddings, UniformSphereAnchors(D), 3.0, "fisher_rao"),
        lambda: Index(embeddings, UniformSphereAnchors(D + 1), 3.0),
        lambda: Index(spoilt, MixtureAnchors(torch.zeros(1), [law]), 3.0, "bhattacharyya").nearest(embeddings[0], 3),
    ):
        with pytest.raises(InputError, match=r"\.$"):
            request()


@everywhere
def test_the_uniform_sphere_searches_the_atelier_in_cosines_order(device):
    # Unit length must hold in float64: float32 norms differ by 1e-7, and the sphere tells lengths apart.
    pictures = torch.from_numpy(open_sample("atelier").embeddings.astype(np.float64))
    pictures = pictures / pictures.norm(dim=-1, keepdim=True)
    index = Index(pictures, UniformSphereAnchors(pictures.shape[1]), 20.0, device=device)
    for row in range(0, len(pictures), 150):
        by_cosine = (pictures @ pictures[row]).argsort(descending=True, stable=True)
        assert index.nearest(pictures[row], 50).rows.tolist() == by_cosine[:50].tolist()
