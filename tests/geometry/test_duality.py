"""Legendre duality of every family: back from η, the Fenchel-Young equality, geodesics and centroids."""

import pytest
import torch

from anchordiv.errors import InputError
from anchordiv.geometry.discrete import DiscreteAnchors
from anchordiv.geometry.duality import (
    conjugate,
    e_geodesic,
    left_centroid,
    m_geodesic,
    natural_from_mean,
    right_centroid,
)
from anchordiv.geometry.gaussian import GaussianAnchors
from anchordiv.geometry.sphere import UniformSphereAnchors
from tests.geometry.families import CONCENTRATIONS, DISCRETE, FAMILIES, D, around, discrete, normal, spd, unit

family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
# Within rounding of a face, θ is infinite as far as η can tell: lopsided or concentrated discrete posteriors.
CURVED = {name: law for name, law in FAMILIES.items() if name not in DISCRETE}
ROUND_TRIPS = [
    *[(name, kappa, torch.float64) for name in FAMILIES for kappa in (1e-3, 1.0)],
    *[(name, kappa, torch.float32) for name in FAMILIES for kappa in (1e-3, 1.0)],
    *[(name, 30.0, torch.float64) for name in ("discrete m<d", "discrete m>d")],
    *[(name, kappa, dtype) for name in CURVED for kappa in (30.0, 1e3) for dtype in (torch.float64, torch.float32)],
]


@pytest.mark.parametrize(("name", "kappa", "dtype"), ROUND_TRIPS)
def test_back_from_eta_gives_the_same_eta_and_no_longer_theta(name, kappa, dtype):
    law = FAMILIES[name]
    theta = (kappa * unit(4, D, seed=60)).to(dtype)
    eta = law.mean_parameter(theta)
    back = natural_from_mean(eta, law)
    eps = torch.finfo(dtype).eps
    assert back.dtype == dtype
    scale = 2 + eta.norm(dim=-1)
    assert bool(((law.mean_parameter(back) - eta).norm(dim=-1) <= 32 * eps * scale).all())
    # The divergence between the two is second order in the residual, unless η is blind to the way between.
    if name not in DISCRETE and kappa >= 1 and "tight" not in name:
        assert torch.allclose(back, theta, rtol=2e4 * eps, atol=2e4 * eps * kappa)


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize("rest", [1e-2, 1e-6, 1e-10])
def test_every_anchor_can_be_made_to_outweigh_the_others(name, rest):
    # Against a prior of e⁻⁶⁰, too: from θ = 0 the mean anchor would not be seen to move at all.
    law = DISCRETE[name]
    m = len(law.anchors)
    masses = torch.full((m, m), rest, dtype=torch.float64) + (1 - m * rest) * torch.eye(m, dtype=torch.float64)
    eta = masses @ law.anchors
    theta = natural_from_mean(eta, law)
    assert torch.allclose(law.mean_parameter(theta), eta, rtol=0, atol=1e-14)
    if m < D:  # Affinely independent anchors have the masses that η says.
        assert torch.allclose(law.log_probs(theta).exp(), masses, rtol=1e-4, atol=1e-16)


@pytest.mark.parametrize("name", FAMILIES)
def test_the_level_point_has_the_most_level_masses_and_no_blind_part(name):
    law = FAMILIES[name]
    level = law.level_point(torch.zeros(D, dtype=torch.float64))
    assert level.shape == (D,)
    theta = 3 * unit(2, D, seed=78)
    there = law.level_point(theta)
    if name == "one dominant":
        assert torch.allclose(law.log_probs(level).exp(), torch.full((5,), 0.2, dtype=torch.float64))
    if name not in DISCRETE:
        assert torch.equal(there, theta)
        return
    centred = law.anchors - law.anchors.mean(dim=0)
    seen = torch.linalg.pinv(centred) @ centred
    assert torch.allclose(there, level + theta - theta @ seen, atol=1e-9)
    assert torch.allclose(seen @ level, level, atol=1e-9)
    around = law.log_joint(level + 0.1 * unit(20, D, seed=77))
    assert float(law.log_joint(level).var()) <= float(around.var(dim=-1).min())


@pytest.mark.parametrize("name", ["discrete m<d", "duplicates"])
def test_theta_from_zero_is_the_shortest_and_from_elsewhere_keeps_the_blind_part(name):
    law = FAMILIES[name]
    theta, start = 3 * unit(5, D, seed=61), 2 * unit(5, D, seed=62)
    centred = law.anchors - law.anchors.mean(dim=0)
    seen = torch.linalg.pinv(centred) @ centred
    eta = law.mean_parameter(theta)
    assert torch.allclose(natural_from_mean(eta, law), theta @ seen, atol=1e-9)
    expected = theta @ seen + start - start @ seen
    assert torch.allclose(natural_from_mean(eta, law, start=start), expected, atol=1e-9)


@family
def test_fenchel_and_young_agree_at_the_dual_pair(law):
    theta, other = around(law, 2.0, 4, seed=63), around(law, 1.0, 4, seed=64)
    eta = law.mean_parameter(theta)
    phi = conjugate(eta, law)
    assert torch.allclose(phi + law.log_partition(theta), (theta * eta).sum(dim=-1), atol=1e-12)
    excess = phi + law.log_partition(other) - (other * eta).sum(dim=-1)
    assert torch.allclose(excess, law.bregman(other, theta), atol=1e-12)


@family
@pytest.mark.parametrize("kappa", CONCENTRATIONS)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_three_points_obey_the_law_of_cosines(law, kappa, dtype):
    p, q, r = (around(law, kappa, 5, seed=seed).to(dtype) for seed in (65, 66, 67))
    turn = ((p - q) * (law.mean_parameter(q) - law.mean_parameter(r))).sum(dim=-1)
    sides = law.bregman(p, q), law.bregman(q, r), turn
    # The three cancel between near points: what is left is as exact as η, of whose size each is made.
    eta = law.mean_parameter(torch.stack([p, q, r])).norm(dim=-1).max()
    room = (
        16
        * torch.finfo(dtype).eps
        * float((p - q).norm(dim=-1).max())
        * (1 + float(eta))
        * (1 + float(p.norm(dim=-1).max()))
    )
    assert torch.allclose(law.bregman(p, r), sum(sides), rtol=1e-4 if dtype == torch.float32 else 1e-10, atol=room)


@family
@pytest.mark.parametrize("kappa", [1e-3, 3.0, 30.0])
def test_geodesics_are_straight_and_exact_at_their_ends(law, kappa):
    p, q = around(law, kappa, 2, seed=68), around(law, kappa, 2, seed=69)
    times = torch.tensor([0.0, 0.5, 1.0], dtype=torch.float64)
    straight, mixed = e_geodesic(p, q, times), m_geodesic(p, q, times, law)
    assert straight.shape == mixed.shape == (3, 2, D)
    for path in (straight, mixed):
        assert torch.equal(path[0], p)
        assert torch.equal(path[2], q)
    assert torch.allclose(straight[1], (p + q) / 2)
    middle = (law.mean_parameter(p) + law.mean_parameter(q)) / 2
    assert torch.allclose(law.mean_parameter(mixed[1]), middle, atol=1e-13)
    assert torch.equal(e_geodesic(p, q, 0.5), straight[1])
    assert torch.allclose(law.mean_parameter(m_geodesic(p[0], q[0], 0.5, law)), middle[0], atol=1e-13)


@family
@pytest.mark.parametrize("kappa", [1e-3, 3.0, 30.0])
def test_geodesics_and_centroids_in_single_precision(law, kappa):
    points = around(law, kappa, 5, seed=68).float()
    eps, eta = torch.finfo(torch.float32).eps, law.mean_parameter(points)
    room = 64 * eps * (1 + float(points.norm(dim=-1).max())) * (1 + float(eta.norm(dim=-1).max()))
    straight, mixed = e_geodesic(points[0], points[1], 0.5), m_geodesic(points[0], points[1], 0.5, law)
    assert torch.allclose(straight, (points[0] + points[1]) / 2)
    assert torch.allclose(law.mean_parameter(mixed), (eta[0] + eta[1]) / 2, atol=room)
    left, right = left_centroid(points, law), right_centroid(points)
    assert left.dtype == right.dtype == mixed.dtype == torch.float32
    assert torch.allclose(right, points.mean(dim=0), rtol=1e-5, atol=1e-5)
    assert torch.allclose(law.mean_parameter(left), eta.mean(dim=0), atol=room)


@family
@pytest.mark.parametrize("weighted", [False, True])
def test_no_competitor_beats_a_centroid(law, weighted):
    points = 2 * unit(6, D, seed=70)
    weights = torch.tensor([0.0, 1, 2, 3, 1, 5]).double() if weighted else None
    shares = torch.ones(6).double() if weights is None else weights

    def spread(centre, left):
        centre = centre.unsqueeze(-2)
        divergence = law.bregman(centre, points) if left else law.bregman(points, centre)
        return divergence @ shares

    for left in (False, True):
        best = left_centroid(points, law, weights) if left else right_centroid(points, weights)
        for size in (1e-2, 1.0):
            rivals = best + size * unit(50, D, seed=71)
            assert bool((spread(rivals, left) >= spread(best, left) * (1 - 1e-12) - 1e-15).all())


@pytest.mark.parametrize("kappa", [30.0, 300.0, 1e3])
@pytest.mark.parametrize(("m", "dim"), [(2, 2), (4, 6), (12, 6), (8, 64)])
def test_between_saturated_posteriors_there_is_a_way(m, dim, kappa):
    # At the ends one anchor has all mass to rounding: a metric of nothing, from which no step leads away.
    law = DiscreteAnchors(unit(m, dim, seed=90), 5 * normal(m, seed=91))
    points = kappa * unit(5, dim, seed=92)
    times = torch.tensor([0.1, 0.5, 0.9]).double()
    path = m_geodesic(points[0], points[1], times, law)
    mixed = torch.lerp(law.mean_parameter(points[0]), law.mean_parameter(points[1]), times[:, None])
    assert torch.allclose(law.mean_parameter(path), mixed, atol=1e-14)
    centre = left_centroid(points, law)
    assert torch.allclose(law.mean_parameter(centre), law.mean_parameter(points).mean(dim=0), atol=1e-14)


def test_a_gaussian_left_centroid_is_the_right_one():
    law = GaussianAnchors(normal(D, seed=72), spd(73))
    points = normal(7, D, seed=74)
    assert torch.allclose(left_centroid(points, law), right_centroid(points), atol=1e-11)


@pytest.mark.parametrize(
    "weights", [[-1.0, 1, 1], [float("nan"), 1, 1], [float("inf"), 1, 1], [0.0, 0, 0], [1.0, 1], [[1.0, 1, 1]]]
)
def test_bad_weights_are_refused(weights):
    law, points, bad = discrete(4), unit(3, D, seed=75), torch.tensor(weights)
    with pytest.raises(InputError, match="weight"):
        right_centroid(points, bad)
    with pytest.raises(InputError, match="weight"):
        left_centroid(points, law, bad)


def test_a_centroid_of_nothing_is_refused():
    with pytest.raises(InputError, match="at least one point"):
        right_centroid(torch.zeros(0, D))


@family
def test_a_batch_is_solved_as_one_by_one(law):
    theta = torch.tensor([1e-3, 1.0, 4.0]).double().unsqueeze(-1) * unit(2, 3, D, seed=76)
    eta = law.mean_parameter(theta)
    together = natural_from_mean(eta, law)
    assert together.shape == eta.shape
    one_by_one = torch.stack([natural_from_mean(row, law) for row in eta.reshape(-1, D)]).reshape(eta.shape)
    if law is FAMILIES["one dominant"]:  # Where η barely depends on θ, rounding decides which θ is found.
        assert torch.allclose(law.mean_parameter(together), law.mean_parameter(one_by_one), atol=1e-14)
    else:
        assert torch.allclose(together, one_by_one, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize(
    "law", [discrete(4), discrete(12, seed=1), UniformSphereAnchors(D)], ids=["m<d", "m>d", "ball"]
)
@pytest.mark.parametrize("length", [1.01, 1.5, 100.0])
def test_an_eta_outside_the_hull_is_refused(law, dtype, length):
    eta = torch.stack([torch.zeros(D), length * unit(D, seed=77)]).to(dtype)
    eta[0] = law.mean_parameter(eta[0])
    with pytest.raises(InputError, match="outside the hull"):
        natural_from_mean(eta, law)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("law", [discrete(4), discrete(12, seed=1)], ids=["m<d", "m>d"])
def test_a_vertex_an_edge_and_a_pole_are_refused(law, dtype):
    corners = law.anchors.to(dtype)
    with pytest.raises(InputError, match="boundary"):
        natural_from_mean(corners[1], law)
    if dtype is torch.float64:  # Rounded to single precision the point may lie inside.
        with pytest.raises(InputError, match="boundary"):
            natural_from_mean(corners[1] / 4 + 3 * corners[2] / 4, law)
    with pytest.raises(InputError, match="boundary"):
        natural_from_mean(unit(D, seed=78).to(dtype), UniformSphereAnchors(D))


def test_a_lone_anchor_has_theta_zero_and_nothing_else():
    law = DiscreteAnchors(unit(1, D, seed=79), torch.zeros(1))
    assert torch.equal(natural_from_mean(law.anchors[0], law), torch.zeros(D).double())
    with pytest.raises(InputError, match="outside"):
        natural_from_mean(-law.anchors[0], law)


def test_numbers_that_are_not_finite_and_other_dimensions_are_refused():
    law = discrete(4)
    for bad in (torch.nan, torch.inf):
        with pytest.raises(InputError, match="eta holds numbers that are not finite"):
            natural_from_mean(torch.full((D,), bad), law)
    with pytest.raises(InputError, match="dimensions"):
        natural_from_mean(torch.zeros(D + 1), law)
    spoilt = torch.full((2, D), torch.nan)
    for refused in (
        lambda: natural_from_mean(torch.zeros(D), law, start=spoilt[0]),
        lambda: e_geodesic(spoilt[0], torch.zeros(D), 0.5),
        lambda: m_geodesic(torch.zeros(D), spoilt[0], 0.5, law),
        lambda: right_centroid(spoilt),
        lambda: left_centroid(spoilt, law),
    ):
        with pytest.raises(InputError, match="not finite"):
            refused()
    with pytest.raises(InputError, match="t must be"):
        e_geodesic(torch.zeros(D), torch.ones(D), torch.zeros(2, 2))


def test_far_starts_reach_the_same_theta():
    law = discrete(12, seed=1)
    theta = unit(4, D, seed=80)
    back = natural_from_mean(law.mean_parameter(theta), law, start=30 * unit(4, D, seed=81))
    assert torch.allclose(back, theta, atol=1e-10)
