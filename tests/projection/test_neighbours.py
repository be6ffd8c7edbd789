"""Neighbours for the map: exact on every device, whatever the geometry, with lengths that keep their digits."""

import numpy as np
import pytest
import torch

from anchordiv.errors import InputError
from anchordiv.geometry import DiscreteAnchors, devices_present, jeffreys_divergence
from anchordiv.projection import nearest_neighbours, neighbours
from tests.geometry.families import FAMILIES, D, unit

everywhere = pytest.mark.parametrize("device", devices_present())
family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())


def brute_force(theta, law):
    """Every row's Jeffreys to every other, ascending, the row itself first."""
    pairs = jeffreys_divergence(theta[:, None], theta[None, :], law)
    return pairs.masked_fill(torch.eye(len(theta), dtype=torch.bool), 0.0).sort(dim=1).values.numpy()


@everywhere
@family
@pytest.mark.parametrize("kappa", [1.0, 30.0])
def test_neighbours_are_those_of_brute_force(law, kappa, device):
    theta = kappa * unit(150, D, seed=1).float().double()
    indices, lengths = nearest_neighbours(theta, law, 12, device=device)
    assert (indices[:, 0] == np.arange(150)).all()
    assert all(len(set(row)) == 12 for row in indices.tolist())
    # Where one anchor dominates, all pairs are within what a float64 product can tell apart.
    np.testing.assert_allclose(lengths**2, brute_force(theta, law)[:, :12], rtol=1e-6, atol=1e-12)
    said = jeffreys_divergence(theta[:, None], theta[torch.from_numpy(indices)], law).numpy()
    np.testing.assert_allclose(lengths**2, said, rtol=1e-6, atol=1e-25)


@everywhere
@family
def test_copies_are_at_no_distance_and_each_comes_first_for_itself(law, device):
    theta = 30 * unit(5, D, seed=2).repeat(21, 1)
    indices, lengths = nearest_neighbours(theta, law, 15, device=device)
    assert (indices[:, 0] == np.arange(105)).all()
    assert (indices % 5 == np.arange(105)[:, None] % 5).all()
    # Copies may part by the last digit where a product is cut into blocks; a length is the root of its square.
    assert (lengths >= 0).all()
    assert lengths.max() < 1e-12


@everywhere
def test_a_crowd_nearer_than_float32_can_tell_is_ranked_again_in_float64(device, monkeypatch):
    law = DiscreteAnchors(unit(8, D, seed=3), torch.zeros(8).double())
    crowd = unit(1, D, seed=4) + 1e-5 * unit(300, D, seed=5)
    theta = 30 * torch.cat([crowd, unit(100, D, seed=6)])
    precisions = []
    kept = neighbours._Ranking.candidates
    monkeypatch.setattr(
        neighbours._Ranking,
        "candidates",
        lambda self, rows, count: (precisions.append((self._left.dtype, len(rows))), kept(self, rows, count))[1],
    )
    _, lengths = nearest_neighbours(theta, law, 10, device=device)
    np.testing.assert_allclose(lengths**2, brute_force(theta, law)[:, :10], rtol=1e-6)
    again = sum(rows for dtype, rows in precisions if dtype == torch.float64)
    assert 300 <= again < 400


@pytest.mark.parametrize("n", [1, 2, 7])
def test_as_many_neighbours_as_there_are_rows(n):
    theta = unit(n, D, seed=7)
    indices, lengths = nearest_neighbours(theta, FAMILIES["uniform sphere"], n)
    assert [sorted(row) for row in indices.tolist()] == [list(range(n))] * n
    assert (lengths[:, 0] == 0).all()


@pytest.mark.parametrize(("n", "k"), [(0, 1), (5, 0), (5, 6)])
def test_neighbours_that_are_not_there_are_refused(n, k):
    with pytest.raises(InputError, match="k must be"):
        nearest_neighbours(unit(n, D, seed=7), FAMILIES["uniform sphere"], k)


@family
@pytest.mark.parametrize("separation", [1.0, 1e-3, 1e-7, 1e-12])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_jeffreys_from_the_features_is_jeffreys(law, separation, dtype):
    p = 5 * unit(40, D, seed=8)
    q = p + separation * unit(40, D, seed=9)
    ours = law.jeffreys_of_features(law.dual_features(p.to(dtype))[1], law.dual_features(q.to(dtype))[1])
    assert (ours >= 0).all()
    assert law.feature_width == law.dual_features(p)[1].shape[-1]
    if dtype == torch.float64 and separation > 1e-10:
        # What is kept of two features is no more exact than their difference: 1e-16 of 5, or of a tilt of 200.
        rounding = 1e-6 if separation > 1e-6 else 1e-5
        torch.testing.assert_close(ours, jeffreys_divergence(p, q, law), rtol=rounding, atol=1e-25)
