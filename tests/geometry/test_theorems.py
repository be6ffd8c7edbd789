"""Theorems of the anchor geometry, each over every family (theory: properties 1 to 6)."""

import math

import mpmath
import pytest
import torch
from torch.autograd.functional import hessian, jacobian

from anchordiv.errors import InputError
from anchordiv.geometry import (
    DiscreteAnchors,
    SumAnchors,
    UniformSphereAnchors,
    bhattacharyya_divergence,
    bregman_divergence,
    jeffreys_divergence,
    reverse_bregman_divergence,
)

D = 6


def unit(*shape: int, seed: int) -> torch.Tensor:
    x = torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return x / x.norm(dim=-1, keepdim=True)


def discrete(m: int = 5, seed: int = 0) -> DiscreteAnchors:
    weights = torch.arange(1.0, m + 1, dtype=torch.float64).log()
    return DiscreteAnchors(unit(m, D, seed=seed), weights, torch.arange(m) % 2)


FAMILIES = {
    "discrete": discrete(),
    "uniform sphere": UniformSphereAnchors(D),
    "sum": SumAnchors([0.3, 2.0], [discrete(4, seed=3), UniformSphereAnchors(D)]),
}
family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
kappa = pytest.mark.parametrize("kappa", [0.5, 20.0, 100.0])


@family
@kappa
def test_mean_parameter_is_the_gradient_and_fisher_metric_the_hessian(law, kappa):
    theta = kappa * unit(D, seed=1)
    torch.testing.assert_close(law.mean_parameter(theta), jacobian(law.log_partition, theta), rtol=1e-7, atol=1e-9)
    torch.testing.assert_close(law.fisher_metric(theta), hessian(law.log_partition, theta), rtol=1e-5, atol=1e-7)


@family
@kappa
def test_bregman_is_its_definition_not_negative_and_zero_only_at_home(law, kappa):
    p, q = kappa * unit(7, D, seed=1), kappa * unit(7, D, seed=2)
    plain = law.log_partition(p) - law.log_partition(q) - (law.mean_parameter(q) * (p - q)).sum(-1)
    divergence = bregman_divergence(p, q, law)
    torch.testing.assert_close(divergence, plain, rtol=1e-8, atol=1e-10)
    assert (divergence > 0).all()
    assert (bregman_divergence(p, p, law) == 0).all()


@family
def test_derived_divergences_equal_their_textbook_forms(law):
    p, q = 8 * unit(7, D, seed=1), 8 * unit(7, D, seed=2)
    eta_p, eta_q = law.mean_parameter(p), law.mean_parameter(q)
    jeffreys = jeffreys_divergence(p, q, law)
    torch.testing.assert_close(jeffreys, ((eta_p - eta_q) * (p - q)).sum(-1))
    u, v = law.dual_features(torch.stack([p, q]))
    torch.testing.assert_close(jeffreys, ((u[0] - u[1]) * (v[0] - v[1])).sum(-1))
    torch.testing.assert_close(reverse_bregman_divergence(p, q, law), bregman_divergence(q, p, law))
    skewed = law.log_partition(p) / 2 + law.log_partition(q) / 2 - law.log_partition((p + q) / 2)
    torch.testing.assert_close(bhattacharyya_divergence(p, q, law), skewed)


@kappa
def test_discrete_divergences_compare_categorical_posteriors(kappa):
    law = discrete()
    p, q = kappa * unit(7, D, seed=1), kappa * unit(7, D, seed=2)
    log_p, log_q = law.log_probs(p), law.log_probs(q)
    kl_q_p = (log_q.exp() * (log_q - log_p)).sum(-1)
    torch.testing.assert_close(bregman_divergence(p, q, law), kl_q_p)
    overlap = -torch.log(torch.sqrt((log_p + log_q).exp()).sum(-1))
    torch.testing.assert_close(bhattacharyya_divergence(p, q, law), overlap)


def test_shifting_every_anchor_changes_no_divergence():
    law, shift = discrete(), 3 * unit(D, seed=9)
    moved = DiscreteAnchors(law.anchors + shift, law.log_weights, law.groups)
    p, q = 20 * unit(7, D, seed=1), 20 * unit(7, D, seed=2)
    for divergence in (bregman_divergence, jeffreys_divergence, bhattacharyya_divergence):
        torch.testing.assert_close(divergence(p, q, moved), divergence(p, q, law), rtol=1e-9, atol=1e-11)
    # ... but moving one anchor alone does, so the test could fail.
    bent = DiscreteAnchors(torch.cat([law.anchors[:1] + shift, law.anchors[1:]]), law.log_weights)
    assert not torch.allclose(bregman_divergence(p, q, bent), bregman_divergence(p, q, law))


def test_directions_orthogonal_to_the_centred_anchors_are_blind():
    law = discrete(m=3)
    _, _, basis = torch.linalg.svd(law.anchors - law.anchors.mean(0))
    theta, blind = 5 * unit(D, seed=1), basis[2:].sum(0)
    assert bregman_divergence(theta + 4 * blind, theta, law) == pytest.approx(0, abs=1e-20)
    assert torch.linalg.matrix_rank(law.fisher_metric(theta)) == 2


@pytest.mark.parametrize("dim", [2, 3, 64, 512])
@pytest.mark.parametrize("kappa", [1e-3, 1.0, 20.0, 100.0, 3000.0])
def test_uniform_sphere_is_cosine(dim, kappa):
    p, q = unit(50, dim, seed=1), unit(dim, seed=2)
    divergence = bregman_divergence(kappa * p, kappa * q, UniformSphereAnchors(dim))
    cosine = p @ q
    assert torch.equal(divergence.argsort(), (-cosine).argsort())
    slope = divergence / (1 - cosine)
    torch.testing.assert_close(slope, slope[:1].expand(50), rtol=1e-9, atol=0)


@pytest.mark.parametrize(("dim", "kappa"), [(2, 1.0), (3, 0.01), (3, 5.0), (3, 400.0), (512, 1.0), (512, 100.0)])
def test_uniform_sphere_matches_independent_bessel_values(dim, kappa):
    law, theta = UniformSphereAnchors(dim), torch.zeros(dim, dtype=torch.float64)
    theta[0] = kappa
    if dim == 2:  # I_0(1), Abramowitz & Stegun table 9.8
        assert law.log_partition(theta).exp() == pytest.approx(1.2660658777520082, rel=1e-13)
    elif dim == 3:  # sinh κ / κ and the Langevin function
        assert law.log_partition(theta) == pytest.approx(
            kappa + math.log1p(-math.exp(-2 * kappa)) - math.log(2 * kappa), rel=1e-9
        )
        assert law.mean_parameter(theta)[0] == pytest.approx(1 / math.tanh(kappa) - 1 / kappa, rel=1e-9)
    else:  # the series of 0F1, summed here term by term in exact rational steps
        term, total = 1.0, 0.0
        for k in range(1, 200):
            term *= kappa**2 / 4 / (k * (dim / 2 - 1 + k))
            total += term
        assert law.log_partition(theta) == pytest.approx(math.log1p(total), rel=1e-12)


@family
def test_near_points_see_the_fisher_metric(law):
    theta, direction = 10 * unit(D, seed=1), unit(D, seed=2)
    step = 1e-4 * direction
    local = step @ law.fisher_metric(theta) @ step / 2
    assert bregman_divergence(theta + step, theta, law) == pytest.approx(float(local), rel=1e-3)


@pytest.mark.parametrize("separation", [1e-2, 1e-4, 1e-6, 1e-7, 1e-9])
def test_near_form_keeps_its_digits(separation):
    # Reference: the same posterior difference in 40-digit arithmetic.
    law, theta = discrete(), 20 * unit(D, seed=1)
    moved = theta + 20 * separation * unit(D, seed=2)
    with mpmath.workdps(60):
        scores = [
            sum(mpmath.mpf(float(x)) * mpmath.mpf(float(a)) for x, a in zip(moved - theta, row, strict=True))
            for row in law.anchors
        ]
        joint = [
            mpmath.mpf(float(w))
            + sum(mpmath.mpf(float(x)) * mpmath.mpf(float(a)) for x, a in zip(theta, row, strict=True))
            for w, row in zip(law.log_weights, law.anchors, strict=True)
        ]
        total = sum(mpmath.exp(j) for j in joint)
        q = [mpmath.exp(j) / total for j in joint]
        mean = sum(a * s for a, s in zip(q, scores, strict=True))
        exact = float(mpmath.log(sum(a * mpmath.exp(s - mean) for a, s in zip(q, scores, strict=True))))
    assert float(bregman_divergence(moved, theta, law)) == pytest.approx(exact, rel=1e-9)


def test_far_points_stay_finite():
    law = discrete()
    p, q = 1e5 * unit(20, D, seed=1), 1e5 * unit(20, D, seed=2)
    divergence = bregman_divergence(p, q, law)
    assert torch.isfinite(divergence).all()
    log_p, log_q = law.log_probs(p), law.log_probs(q)
    torch.testing.assert_close(divergence, (log_q.exp() * (log_q - log_p)).sum(-1))


def test_groups_lump_the_posterior_and_never_raise_the_divergence():
    law = discrete(m=6)
    p, q = 10 * unit(9, D, seed=1), 10 * unit(9, D, seed=2)
    lumped_p, lumped_q = law.group_log_probs(p), law.group_log_probs(q)
    torch.testing.assert_close(lumped_p.exp()[:, 0], law.log_probs(p).exp()[:, ::2].sum(-1))
    lumped = (lumped_q.exp() * (lumped_q - lumped_p)).sum(-1)
    assert (lumped <= bregman_divergence(p, q, law) + 1e-12).all()


def test_an_anchor_without_mass_is_not_there():
    anchors, theta = unit(4, D, seed=1), 9 * unit(5, D, seed=2)
    off = DiscreteAnchors(
        anchors, torch.tensor([0.0, 0.0, -torch.inf, 0.0], dtype=torch.float64), torch.tensor([0, 1, 2, 1])
    )
    gone = DiscreteAnchors(anchors[[0, 1, 3]], torch.zeros(3, dtype=torch.float64))
    torch.testing.assert_close(off.log_partition(theta), gone.log_partition(theta))
    assert (off.group_log_probs(theta)[:, 2] == -torch.inf).all()


@pytest.mark.parametrize(
    ("anchors", "weights"),
    [
        (torch.zeros(0, 3), torch.zeros(0)),
        (torch.zeros(3), torch.zeros(3)),
        (torch.zeros(2, 3), torch.zeros(3)),
        (torch.full((2, 3), float("nan")), torch.zeros(2)),
        (torch.zeros(2, 3), torch.full((2,), float("nan"))),
        (torch.zeros(2, 3), torch.full((2,), -torch.inf)),
    ],
)
def test_unusable_anchors_are_refused_with_a_sentence(anchors, weights):
    with pytest.raises(InputError, match=r"\.$"):
        DiscreteAnchors(anchors, weights)


def test_wrong_dimension_is_refused():
    for law in FAMILIES.values():
        with pytest.raises(InputError, match="dimensions"):
            law.log_partition(torch.zeros(D + 1))
