"""Bregman k-means: the total never rises, each centroid is its cluster's best, and Gaussians give k-means."""

import pytest
import torch
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from anchordiv.errors import InputError
from anchordiv.geometry import (
    GaussianAnchors,
    bregman_divergence,
    bregman_k_means,
    left_centroid,
    reverse_bregman_divergence,
    right_centroid,
)
from tests.geometry.families import DISCRETE, FAMILIES, D, normal, unit

family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
sides = pytest.mark.parametrize("side", ["right", "left"])
ISOTROPIC = GaussianAnchors(normal(D, seed=1), torch.full((D,), 0.5, dtype=torch.float64))


def blobs() -> tuple[torch.Tensor, torch.Tensor]:
    truth = torch.arange(120) % 4
    return 8 * unit(4, D, seed=2)[truth] + 0.3 * normal(120, D, seed=3), truth


@family
@sides
def test_every_round_lowers_the_total_and_the_end_is_at_rest(law, side):
    theta = 3 * unit(30, D, seed=4)
    found = bregman_k_means(theta, law, 4, side=side)
    assert found.converged
    steps = torch.tensor(found.totals).double()
    assert (steps.diff() <= 1e-9 * steps[:-1]).all()
    divergence = bregman_divergence if side == "right" else reverse_bregman_divergence
    own = divergence(theta, found.centroids[found.assignment], law)
    assert float(own.sum()) == pytest.approx(found.total, rel=1e-9)
    everyone = torch.stack([divergence(theta, centroid, law) for centroid in found.centroids], dim=1)
    torch.testing.assert_close(own, everyone.amin(dim=1), rtol=1e-9, atol=1e-12)
    for cluster, centroid in enumerate(found.centroids):
        members = theta[found.assignment == cluster]
        best = right_centroid(members) if side == "right" else left_centroid(members, law)
        torch.testing.assert_close(centroid, best)


@sides
def test_isotropic_gaussian_anchors_give_plain_k_means(side):
    theta, truth = blobs()
    found = bregman_k_means(theta, ISOTROPIC, 4, side=side, seed=5)
    plain = KMeans(4, n_init=1, init=found.centroids.numpy()).fit(theta.numpy())
    assert adjusted_rand_score(truth, found.assignment) == 1
    assert adjusted_rand_score(plain.labels_, found.assignment) == 1
    # B = ½ δᵀSδ with S = ½ I is a quarter of the squared length.
    assert found.total == pytest.approx(plain.inertia_ / 4, rel=1e-9)


@sides
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_one_cluster_and_a_cluster_each(side, dtype):
    law, theta = DISCRETE["discrete m>d"], 5 * unit(9, D, seed=6).to(dtype)
    one = bregman_k_means(theta, law, 1, side=side)
    best = right_centroid(theta) if side == "right" else left_centroid(theta, law)
    torch.testing.assert_close(one.centroids[0], best)
    each = bregman_k_means(theta, law, 9, side=side)
    assert sorted(each.assignment.tolist()) == list(range(9))
    assert each.total == pytest.approx(0, abs=1e-5 if dtype == torch.float32 else 1e-12)


def test_copies_leave_no_cluster_empty():
    theta = 3 * unit(3, D, seed=7).repeat(5, 1)
    found = bregman_k_means(theta, DISCRETE["discrete m<d"], 6)
    assert found.assignment.unique().tolist() == list(range(6))
    assert found.total == pytest.approx(0, abs=1e-12)
    assert found.converged


def test_a_seed_repeats_itself_and_rounds_can_run_out():
    theta, law = 4 * unit(80, D, seed=8), DISCRETE["discrete m>d"]
    again = [bregman_k_means(theta, law, 5, seed=3) for _ in range(2)]
    assert torch.equal(again[0].assignment, again[1].assignment)
    assert torch.equal(again[0].centroids, again[1].centroids)
    short = bregman_k_means(theta, law, 5, seed=3, max_rounds=1)
    assert not short.converged
    assert short.totals == again[0].totals[:1]
    own = bregman_divergence(theta, short.centroids[short.assignment], law)
    assert short.total == pytest.approx(float(own.sum()), rel=1e-12)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 10}, {"k": 2, "side": "middle"}, {"k": 2, "max_rounds": 0}])
def test_unusable_requests_are_refused_with_a_sentence(options):
    with pytest.raises(InputError, match=r"\.$"):
        bregman_k_means(unit(9, D, seed=9), ISOTROPIC, **options)
