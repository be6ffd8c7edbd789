"""Every divergence, of atoms and of lumped groups, against torch.distributions and fifty digits."""

import math
import subprocess
import sys

import mpmath
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.distributions import Categorical, kl_divergence

from anchordiv.errors import InputError
from anchordiv.geometry import (
    DiscreteAnchors,
    GaussianAnchors,
    SumAnchors,
    UniformSphereAnchors,
    bhattacharyya_divergence,
    bregman_divergence,
    fisher_rao_distance,
    hellinger_distance,
    jeffreys_divergence,
    pairwise_divergences,
    reverse_bregman_divergence,
)
from tests.geometry.families import CONCENTRATIONS, DISCRETE, FAMILIES, D, around, dot, normal, numbers, spd, unit

family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
discrete_family = pytest.mark.parametrize("law", DISCRETE.values(), ids=DISCRETE.keys())
concentration = pytest.mark.parametrize("kappa", CONCENTRATIONS)
grouping = pytest.mark.parametrize("grouped", [False, True])
precision = pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
EVERYWHERE = [
    bregman_divergence,
    reverse_bregman_divergence,
    jeffreys_divergence,
    bhattacharyya_divergence,
    hellinger_distance,
]
ALL = [*EVERYWHERE, fisher_rao_distance]


def expected(p: torch.Tensor, q: torch.Tensor) -> dict:
    """The divergences of categorical distributions ``(n, m)`` from their textbook formulas."""
    laws = Categorical(logits=p), Categorical(logits=q)
    overlap = (0.5 * (p + q)).exp().sum(dim=-1)
    return {
        bregman_divergence: kl_divergence(laws[1], laws[0]),
        reverse_bregman_divergence: kl_divergence(*laws),
        jeffreys_divergence: kl_divergence(*laws) + kl_divergence(laws[1], laws[0]),
        bhattacharyya_divergence: -overlap.log(),
        hellinger_distance: (1 - overlap.clamp(max=1)).sqrt(),
        fisher_rao_distance: 2 * torch.acos(overlap.clamp(max=1)),
    }


@discrete_family
@pytest.mark.parametrize("kappa", [1.0, 30.0])
@grouping
@precision
def test_each_compares_categorical_posteriors(law, kappa, grouped, dtype):
    # One pair of points, whatever the precision; the reference is always computed in double.
    p, q = (around(law, kappa, 9, seed=seed).float().double() for seed in (1, 2))
    posterior = law.group_log_probs if grouped else law.log_probs
    exact = dtype == torch.float64
    for divergence, reference in expected(posterior(p), posterior(q)).items():
        # The textbook overlap 1 − H² of near posteriors is itself only good to 1e-16, its root to 1e-8.
        root = divergence in (hellinger_distance, fisher_rao_distance)
        value = divergence(p.to(dtype), q.to(dtype), law, grouped=grouped).double()
        room = (5e-8 if root else 1e-13) if exact else 2e-4
        torch.testing.assert_close(value, reference, rtol=1e-9 if exact else 1e-3, atol=room)


@discrete_family
@concentration
@precision
def test_lumping_never_raises_a_divergence(law, kappa, dtype):
    p, q = (kappa * unit(40, D, seed=1)).to(dtype), (kappa * unit(40, D, seed=2)).to(dtype)
    for divergence in ALL:
        atoms, groups = divergence(p, q, law), divergence(p, q, law, grouped=True)
        assert groups.dtype == dtype
        assert (groups >= 0).all()
        assert (groups <= atoms * (1 + 1e4 * torch.finfo(dtype).eps) + torch.finfo(dtype).tiny).all()
        assert (divergence(p, p, law, grouped=True) == 0).all()


@family
@concentration
@precision
def test_hellinger_is_between_zero_and_one_and_zero_at_home(law, kappa, dtype):
    p, q = (kappa * unit(40, D, seed=1)).to(dtype), (kappa * unit(40, D, seed=2)).to(dtype)
    value = hellinger_distance(p, q, law)
    assert ((value >= 0) & (value <= 1)).all()
    assert (hellinger_distance(p, p, law) == 0).all()


@discrete_family
@pytest.mark.parametrize("separation", [1e-2, 1e-4, 1e-7])
@pytest.mark.parametrize("kappa", [1.0, 30.0, 1e3])
@grouping
def test_the_overlap_keeps_its_digits_between_near_points(law, separation, kappa, grouped):
    q = kappa * unit(D, seed=11)
    p = q + kappa * separation * unit(D, seed=12)
    with mpmath.workdps(60):
        gap = exact_squared_hellinger(law, p, q, grouped)
        # The angle whose cosine is 1 − H² is 2 arcsin(H/√2), and Fisher-Rao is twice it.
        exact = float(mpmath.sqrt(gap)), float(4 * mpmath.asin(mpmath.sqrt(gap / 2)))
    assert float(hellinger_distance(p, q, law, grouped=grouped)) == pytest.approx(exact[0], rel=1e-6, abs=1e-150)
    assert float(fisher_rao_distance(p, q, law, grouped=grouped)) == pytest.approx(exact[1], rel=1e-6, abs=1e-150)


def exact_squared_hellinger(law, p, q, grouped):
    """½ Σ (√P − √Q)² in mpmath's current precision."""

    def posterior(theta):
        joint = [
            w + dot(numbers(theta), numbers(a)) for w, a in zip(numbers(law.log_weights), law.anchors, strict=True)
        ]
        top = max(joint)
        masses = [mpmath.exp(j - top) for j in joint]
        if grouped:
            groups = law.groups.tolist()
            masses = [
                mpmath.fsum(m for m, h in zip(masses, groups, strict=True) if h == g) for g in sorted(set(groups))
            ]
        return [m / mpmath.fsum(masses) for m in masses]

    pairs = zip(posterior(p), posterior(q), strict=True)
    return mpmath.fsum((mpmath.sqrt(a) - mpmath.sqrt(b)) ** 2 for a, b in pairs) / 2


def test_fisher_rao_is_a_metric_on_the_simplex_and_a_length_for_gaussians():
    law = DISCRETE["discrete m>d"]
    p, q, r = (20 * unit(200, D, seed=s) for s in (1, 2, 3))
    there = fisher_rao_distance(p, q, law)
    torch.testing.assert_close(there, fisher_rao_distance(q, p, law))
    assert (there <= fisher_rao_distance(p, r, law) + fisher_rao_distance(r, q, law)).all()
    assert (there <= math.pi).all()
    covariance = spd(1)
    gaussian = GaussianAnchors(normal(D, seed=2), covariance)
    length = torch.einsum("ni,ij,nj->n", p - q, covariance, p - q).sqrt()
    torch.testing.assert_close(fisher_rao_distance(p, q, gaussian), length)


def test_lengths_of_independent_anchors_add_like_the_sides_of_a_right_angle():
    one, two = DISCRETE["discrete m<d"], DISCRETE["duplicates"]
    both = SumAnchors([1.0, 1.0], [one, two])
    p, q = 5 * unit(9, D, seed=1), 5 * unit(9, D, seed=2)
    for grouped in (False, True):
        sides = [fisher_rao_distance(p, q, law, grouped=grouped) for law in (one, two)]
        hypotenuse = fisher_rao_distance(p, q, both, grouped=grouped)
        torch.testing.assert_close(hypotenuse, torch.hypot(*sides))
        added = [bhattacharyya_divergence(p, q, law, grouped=grouped) for law in (one, two)]
        torch.testing.assert_close(bhattacharyya_divergence(p, q, both, grouped=grouped), sum(added))


@given(st.integers(0, 2**31), st.floats(-3, 3), st.integers(2, 9), st.integers(2, 12))
@settings(max_examples=60, deadline=None)
def test_order_of_the_divergences(seed, log_kappa, dim, m):
    # H² ≤ 1 − exp(−B) ≤ B/1 and −2 log BC ≤ KL (Jensen), whatever the anchors.
    anchors = DiscreteAnchors(normal(m, dim, seed=seed), normal(m, seed=seed + 1))
    p, q = 10**log_kappa * normal(20, dim, seed=seed + 2), 10**log_kappa * normal(20, dim, seed=seed + 3)
    overlap = bhattacharyya_divergence(p, q, anchors)
    for kl in (bregman_divergence, reverse_bregman_divergence):
        assert (2 * overlap <= kl(p, q, anchors) * (1 + 1e-9)).all()
    hellinger = hellinger_distance(p, q, anchors)
    assert (hellinger**2 <= overlap * (1 + 1e-9)).all()
    # Both lengths measure one angle: sin of a quarter of it is H/√2.
    angle = fisher_rao_distance(p, q, anchors)
    torch.testing.assert_close(torch.sin(angle / 4), hellinger / math.sqrt(2))


@family
@pytest.mark.parametrize("memory_budget", [1, 3000, 2**28])
def test_pairwise_in_blocks_is_pair_by_pair(law, memory_budget):
    p, q = 9 * unit(7, D, seed=1), 9 * unit(5, D, seed=2)
    for divergence in (bregman_divergence, reverse_bregman_divergence, hellinger_distance):
        matrix = pairwise_divergences(divergence, p, q, law, memory_budget=memory_budget)
        one_by_one = torch.stack([torch.stack([divergence(a, b, law) for b in q]) for a in p])
        torch.testing.assert_close(matrix, one_by_one, rtol=1e-12, atol=1e-15)


MEASURED = """
import torch
from anchordiv.geometry import *

def resident(field):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(field)) * 1024

torch.manual_seed(0)
torch.set_num_threads(1)
points = torch.randn(2, 300, 512, dtype=torch.float64)
gaussian = GaussianAnchors(points[0, 0], LowRankPlusDiagonal(points[0, :4].mT, points[0, 0].abs()))
budget, worst = 32 * 2**20, 0
for law in (gaussian, DiscreteAnchors(points[0, :4], torch.zeros(4)), UniformSphereAnchors(512)):
    for divergence in (bregman_divergence, jeffreys_divergence, bhattacharyya_divergence):
        pairwise_divergences(divergence, points[0, :2], points[1, :2], law)
        with open("/proc/self/clear_refs", "w") as marks:
            marks.write("5")  # the peak starts anew
        before = resident("VmRSS")
        pairwise_divergences(divergence, points[0], points[1], law, memory_budget=budget)
        worst = max(worst, resident("VmHWM") - before)
print(worst / budget)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from Linux's /proc")
def test_pairwise_keeps_its_memory_budget():
    done = subprocess.run([sys.executable, "-c", MEASURED], check=True, capture_output=True, text=True)
    # All pairs at once would take 45 times the budget.
    assert 0.1 < float(done.stdout) < 1.25


def test_pairwise_knows_groups_and_empty_sides_and_refuses_no_memory():
    law = DISCRETE["discrete m>d"]
    p, q = 9 * unit(7, D, seed=1), 9 * unit(5, D, seed=2)
    grouped = pairwise_divergences(bregman_divergence, p, q, law, grouped=True, memory_budget=5000)
    torch.testing.assert_close(grouped, bregman_divergence(p[:, None], q[None], law, grouped=True))
    assert pairwise_divergences(bregman_divergence, p[:0], q, law).shape == (0, 5)
    assert pairwise_divergences(bregman_divergence, p, q[:0], law).shape == (7, 0)
    with pytest.raises(InputError, match="memory budget"):
        pairwise_divergences(bregman_divergence, p, q, law, memory_budget=0)


@family
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_refused_with_a_sentence(law, bad):
    good, spoilt = unit(4, D, seed=1), unit(4, D, seed=1)
    spoilt[2, 3] = bad
    for divergence in EVERYWHERE:
        for p, q in [(spoilt, good), (good, spoilt), (spoilt, spoilt)]:
            with pytest.raises(InputError, match=r"not finite.*\.$"):
                divergence(p, q, law)
    for method in (law.log_partition, law.mean_parameter, law.fisher_metric, law.dual_features):
        with pytest.raises(InputError, match=r"not finite.*\.$"):
            method(spoilt)


def test_what_a_family_does_not_have_is_refused_with_a_way_out():
    p = unit(D, seed=1)
    for divergence in ALL:
        with pytest.raises(InputError, match="no groups"):
            divergence(p, p, UniformSphereAnchors(D), grouped=True)
    with pytest.raises(InputError, match="Hellinger"):
        fisher_rao_distance(p, p, UniformSphereAnchors(D))
