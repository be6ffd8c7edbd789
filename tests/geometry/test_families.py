"""The theorems once more, over every family of anchors, concentration and precision."""

import pytest
import torch
from torch.autograd.functional import hessian, jacobian

from anchordiv.errors import InputError
from anchordiv.geometry import (
    DiscreteAnchors,
    GaussianAnchors,
    GaussianMixtureAnchors,
    LowRankPlusDiagonal,
    MixtureAnchors,
    UniformSphereAnchors,
    VonMisesFisherAnchors,
    bhattacharyya_divergence,
    bregman_divergence,
    jeffreys_divergence,
)
from tests.geometry.families import CONCENTRATIONS, DISCRETE, FAMILIES, D, exact_bregman, low_rank, normal, spd, unit

family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
concentration = pytest.mark.parametrize("kappa", CONCENTRATIONS)


@family
@concentration
def test_gradient_hessian_and_its_product(law, kappa):
    theta, vectors = kappa * unit(D, seed=1), normal(3, D, seed=2)
    torch.testing.assert_close(law.mean_parameter(theta), jacobian(law.log_partition, theta), rtol=1e-7, atol=1e-9)
    metric = law.fisher_metric(theta)
    torch.testing.assert_close(metric, hessian(law.log_partition, theta), rtol=1e-5, atol=1e-7)
    product = law.fisher_vector_product(theta, vectors)
    torch.testing.assert_close(product, vectors @ metric, rtol=1e-9, atol=1e-9 * float(metric.abs().max()) + 1e-20)
    batch = law.fisher_vector_product(theta.expand(3, D), vectors)
    torch.testing.assert_close(batch, product)


@family
@concentration
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_bregman_is_never_negative_and_zero_at_home(law, kappa, dtype):
    p, q = (kappa * unit(50, D, seed=1)).to(dtype), (kappa * unit(50, D, seed=2)).to(dtype)
    near = q + (1e-4 * kappa * unit(50, D, seed=3)).to(dtype)
    for divergence in (bregman_divergence, jeffreys_divergence, bhattacharyya_divergence):
        for a, b in [(p, q), (near, q), (q, near)]:
            value = divergence(a, b, law)
            assert value.dtype == dtype
            assert torch.isfinite(value).all()
            assert (value >= 0).all()
        assert (divergence(p, p, law) == 0).all()


@family
@concentration
def test_bregman_is_the_definition_and_the_negative_entropy_the_conjugate(law, kappa):
    p, q = kappa * unit(7, D, seed=1), kappa * unit(7, D, seed=2)
    psi_p, psi_q, eta_q = law.log_partition(p), law.log_partition(q), law.mean_parameter(q)
    scale = float(torch.maximum(psi_p.abs(), psi_q.abs()).max()) + kappa + 1  # what the plain form can resolve
    plain = psi_p - psi_q - (eta_q * (p - q)).sum(-1)
    torch.testing.assert_close(bregman_divergence(p, q, law), plain, rtol=1e-9, atol=2e-13 * scale)
    conjugate = (q * eta_q).sum(-1) - psi_q
    torch.testing.assert_close(law.negative_entropy(q), conjugate, rtol=1e-9, atol=2e-13 * scale)


@family
@pytest.mark.parametrize("kappa", [1.0, 30.0, 1e3])
@pytest.mark.parametrize("separation", [1e-2, 1e-4, 1e-7])
def test_near_form_keeps_its_digits(law, kappa, separation):
    theta = kappa * unit(D, seed=11)
    moved = theta + kappa * separation * unit(D, seed=12)
    exact = exact_bregman(law, moved, theta)
    assert exact >= 0
    assert float(bregman_divergence(moved, theta, law)) == pytest.approx(exact, rel=1e-6, abs=1e-290)


@family
@concentration
def test_far_form_agrees_with_fifty_digits(law, kappa):
    p, q = kappa * unit(D, seed=11), kappa * unit(D, seed=12)
    exact = exact_bregman(law, p, q)
    assert float(bregman_divergence(p, q, law)) == pytest.approx(exact, rel=1e-6, abs=1e-290)


@pytest.mark.parametrize("law", DISCRETE.values(), ids=DISCRETE.keys())
@concentration
def test_shifting_every_anchor_changes_no_divergence(law, kappa):
    moved = DiscreteAnchors(law.anchors + 3 * unit(D, seed=9), law.log_weights, law.groups)
    p, q = kappa * unit(7, D, seed=1), kappa * unit(7, D, seed=2)
    for divergence in (bregman_divergence, jeffreys_divergence, bhattacharyya_divergence):
        torch.testing.assert_close(divergence(p, q, moved), divergence(p, q, law), rtol=1e-8, atol=1e-15)
    v = normal(7, D, seed=3)
    product = law.fisher_vector_product(p, v)
    torch.testing.assert_close(moved.fisher_vector_product(p, v), product, rtol=1e-8, atol=1e-13)


@pytest.mark.parametrize("covariance", ["full", "diagonal", "low rank"])
def test_gaussian_divergence_is_half_a_mahalanobis_length_whatever_the_mean(covariance):
    given = {"full": spd(1), "diagonal": normal(D, seed=2).abs(), "low rank": low_rank(3)}[covariance]
    match given:
        case LowRankPlusDiagonal():
            dense = given.factor @ given.factor.mT + torch.diag(given.diagonal)
        case _:
            dense = given if given.ndim == 2 else torch.diag(given)
    p, q = 9 * normal(5, D, seed=4), 9 * normal(5, D, seed=5)
    expected = 0.5 * torch.einsum("ni,ij,nj->n", p - q, dense, p - q)
    for mean in (torch.zeros(D, dtype=torch.float64), 1e3 * normal(D, seed=6)):
        law = GaussianAnchors(mean, given)
        torch.testing.assert_close(bregman_divergence(p, q, law), expected)
        torch.testing.assert_close(law.fisher_metric(p)[0], dense)
        torch.testing.assert_close(law.mean_parameter(p), mean + p @ dense)


def test_gaussian_kl_agrees_with_torch_distributions():
    law = GaussianAnchors(normal(D, seed=1), spd(2))
    p, q = normal(D, seed=3), normal(D, seed=4)
    normals = [torch.distributions.MultivariateNormal(law.mean_parameter(x), spd(2)) for x in (q, p)]
    torch.testing.assert_close(bregman_divergence(p, q, law), torch.distributions.kl_divergence(*normals))


def test_a_singular_gaussian_is_blind_where_nothing_varies():
    factor = normal(D, 2, seed=1)
    law = GaussianAnchors(normal(D, seed=2), factor @ factor.mT)
    assert law.factor.shape == (D, 2)
    blind = torch.linalg.svd(factor.mT)[2][2]
    assert bregman_divergence(5 * blind, torch.zeros(D, dtype=torch.float64), law) == pytest.approx(0, abs=1e-25)


@concentration
def test_von_mises_fisher_without_spread_is_the_uniform_sphere(kappa):
    law, sphere = VonMisesFisherAnchors(normal(D, seed=1), 0.0), UniformSphereAnchors(D)
    p, q = kappa * normal(9, D, seed=2), kappa * normal(9, D, seed=3)
    assert torch.equal(law.log_partition(p), sphere.log_partition(p))
    assert torch.equal(law.mean_parameter(p), sphere.mean_parameter(p))
    assert torch.equal(law.fisher_metric(p), sphere.fisher_metric(p))
    assert torch.equal(bregman_divergence(p, q, law), bregman_divergence(p, q, sphere))


def test_tight_von_mises_fisher_anchors_look_gaussian_across_their_mean():
    # For κ₀ → ∞ the anchors gather at μ with variance A/κ₀ ≈ 1/κ₀ across it.
    mu = unit(D, seed=1)
    law = VonMisesFisherAnchors(mu, 1e4)
    step = normal(D, seed=2)
    step = step - (step @ mu) * mu
    value = bregman_divergence(step, torch.zeros_like(step), law)
    assert float(value) == pytest.approx(float(step @ step) / 2e4, rel=1e-3)


@concentration
def test_mixture_obeys_the_chain_rule(kappa):
    law = FAMILIES["mixture"]
    p, q = kappa * unit(7, D, seed=1), kappa * unit(7, D, seed=2)
    log_p, log_q = law.gate_log_probs(p), law.gate_log_probs(q)
    gate = (log_q.exp() * (log_q - log_p)).sum(-1)
    inner = sum(log_q.exp()[:, i] * bregman_divergence(p, q, part) for i, part in enumerate(law.parts))
    torch.testing.assert_close(bregman_divergence(p, q, law), gate + inner, rtol=1e-8, atol=1e-12)


@concentration
def test_a_mixture_of_discrete_laws_is_one_discrete_law(kappa):
    one, two = DISCRETE["discrete m<d"], DISCRETE["duplicates"]
    mixed = MixtureAnchors(torch.tensor([0.4, 0.6]).double().log(), [one, two])
    weights = torch.cat(
        [one.log_weights + torch.log(torch.tensor(0.4)), two.log_weights + torch.log(torch.tensor(0.6))]
    )
    flat = DiscreteAnchors(torch.cat([one.anchors, two.anchors]), weights)
    p, q = kappa * unit(7, D, seed=1), kappa * unit(7, D, seed=2)
    torch.testing.assert_close(mixed.mean_parameter(p), flat.mean_parameter(p), rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(mixed.bregman(p, q), flat.bregman(p, q), rtol=1e-6, atol=1e-12)


@family
def test_the_support_function_bounds_every_mean(law):
    theta, direction = 20 * unit(9, D, seed=1), normal(9, D, seed=2)
    assert ((law.mean_parameter(theta) * direction).sum(-1) <= law.support_function(direction) + 1e-12).all()


@family
def test_wrong_dimension_is_refused(law):
    with pytest.raises(InputError, match=r"dimensions.*\.$"):
        law.log_partition(torch.zeros(D + 1))


ZERO, EYE = torch.zeros(3), torch.eye(3)


@pytest.mark.parametrize(
    "build",
    [
        lambda: GaussianAnchors(torch.zeros(2, 2), EYE),
        lambda: GaussianAnchors(torch.full((3,), float("nan")), EYE),
        lambda: GaussianAnchors(ZERO, torch.eye(4)),
        lambda: GaussianAnchors(ZERO, torch.zeros(2, 3)),
        lambda: GaussianAnchors(ZERO, torch.tensor([1.0, -1.0, 1.0])),
        lambda: GaussianAnchors(ZERO, torch.diag(torch.tensor([1.0, -1.0, 1.0]))),
        lambda: GaussianAnchors(ZERO, EYE + torch.triu(torch.ones(3, 3), 1)),
        lambda: GaussianAnchors(ZERO, EYE * float("inf")),
        lambda: GaussianAnchors(ZERO, LowRankPlusDiagonal(torch.zeros(2, 1), torch.ones(3))),
        lambda: GaussianMixtureAnchors(torch.zeros(2), torch.zeros(2, 3), torch.ones(3, 3)),
        lambda: GaussianMixtureAnchors(torch.zeros(3), torch.zeros(2, 3), torch.ones(2, 3)),
        lambda: GaussianMixtureAnchors(torch.full((2,), -torch.inf), torch.zeros(2, 3), torch.ones(2, 3)),
        lambda: VonMisesFisherAnchors(ZERO, 1.0),
        lambda: VonMisesFisherAnchors(torch.ones(1), 1.0),
        lambda: VonMisesFisherAnchors(torch.ones(3), -1.0),
        lambda: VonMisesFisherAnchors(torch.ones(3), float("nan")),
        lambda: MixtureAnchors(torch.zeros(0), []),
        lambda: MixtureAnchors(torch.zeros(2), [UniformSphereAnchors(3), UniformSphereAnchors(4)]),
    ],
)
def test_unusable_laws_are_refused_with_a_sentence(build):
    with pytest.raises(InputError, match=r"\.$"):
        build()
