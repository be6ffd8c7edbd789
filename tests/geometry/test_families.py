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
from tests.geometry.families import (
    CONCENTRATIONS,
    DISCRETE,
    FAMILIES,
    D,
    around,
    exact_bregman,
    low_rank,
    normal,
    spd,
    unit,
)

family = pytest.mark.parametrize("law", FAMILIES.values(), ids=FAMILIES.keys())
concentration = pytest.mark.parametrize("kappa", CONCENTRATIONS)


@family
@concentration
def test_gradient_hessian_and_its_product(law, kappa):
    theta, vectors = around(law, kappa, seed=1), normal(3, D, seed=2)
    torch.testing.assert_close(law.mean_parameter(theta), jacobian(law.log_partition, theta), rtol=1e-7, atol=1e-9)
    metric = law.fisher_metric(theta)
    torch.testing.assert_close(metric, hessian(law.log_partition, theta), rtol=1e-5, atol=1e-7)
    product = law.fisher_vector_product(theta, vectors)
    torch.testing.assert_close(product, vectors @ metric, rtol=1e-9, atol=1e-9 * float(metric.abs().max()) + 1e-20)
    batch = law.fisher_vector_product(theta.expand(3, D), vectors)
    torch.testing.assert_close(batch, product)


@family
@concentration
def test_single_precision_has_the_same_derivatives(law, kappa):
    theta = around(law, kappa, 5, seed=1).float().double()  # one point, whatever the precision
    single, eps = theta.float(), torch.finfo(torch.float32).eps
    # What rounding moves a posterior by: an eps of κ‖a‖, whose part of the whole it is.
    allowed = 8 * eps * (1 + float(theta.norm(dim=1).max()) + getattr(law, "spread", 0.0))
    for method, least in ((law.log_partition, 1.0), (law.mean_parameter, 1.0), (law.fisher_metric, 0.0)):
        exact, rounded = method(theta), method(single)
        assert rounded.dtype == torch.float32
        size = max(least, float(exact.abs().max())) + eps  # copies of an anchor differ by rounding, squared
        torch.testing.assert_close(rounded.double(), exact, rtol=allowed, atol=allowed * size)
    slope = jacobian(lambda x: law.log_partition(x).sum(), single)
    torch.testing.assert_close(
        law.mean_parameter(single), slope, rtol=allowed, atol=allowed * (1 + float(slope.abs().max()))
    )


@family
@concentration
def test_near_points_see_the_fisher_metric_in_every_digit_there_is(law, kappa):
    # The near form is right to 1e-6 of itself (below), however small: so the metric is held to its own size.
    theta, step = around(law, kappa, seed=1), 1e-5 * unit(4, D, seed=2)
    local = (step * law.fisher_vector_product(theta, step)).sum(-1) / 2
    assert (local > 0).all()
    # Copies of an anchor differ by rounding, of which the square is left where they have all mass.
    copies = (1e-5 * 16 * torch.finfo(torch.float64).eps) ** 2
    torch.testing.assert_close(bregman_divergence(theta + step, theta, law), local, rtol=1e-4, atol=copies)
    metric = (step @ law.fisher_metric(theta) * step).sum(-1) / 2
    torch.testing.assert_close(metric, local, rtol=1e-6, atol=1e-14 * float(local.max()) + copies)


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
    p, q = around(law, kappa, 7, seed=1), around(law, kappa, 7, seed=2)
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
    theta = around(law, kappa, seed=11)
    moved = theta + kappa * separation * unit(D, seed=12)
    exact = exact_bregman(law, moved, theta)
    assert exact >= 0
    assert float(bregman_divergence(moved, theta, law)) == pytest.approx(exact, rel=1e-6, abs=1e-290)


@family
@concentration
def test_far_form_agrees_with_fifty_digits(law, kappa):
    p, q = around(law, kappa, seed=11), around(law, kappa, seed=12)
    exact = exact_bregman(law, p, q)
    assert float(bregman_divergence(p, q, law)) == pytest.approx(exact, rel=1e-6, abs=1e-290)


@pytest.mark.parametrize("law", DISCRETE.values(), ids=DISCRETE.keys())
@concentration
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_shifting_every_anchor_changes_no_divergence(law, kappa, dtype):
    moved = DiscreteAnchors(law.anchors + 3 * unit(D, seed=9), law.log_weights, law.groups)
    p, q = around(law, kappa, 7, seed=1).to(dtype), around(law, kappa, 7, seed=2).to(dtype)
    # Shifted anchors are three times as long: ⟨θ, a⟩ rounds by so much more.
    rounding = 64 * torch.finfo(dtype).eps * (1 + float(p.norm(dim=1).max()))
    for divergence in (bregman_divergence, jeffreys_divergence, bhattacharyya_divergence):
        torch.testing.assert_close(divergence(p, q, moved), divergence(p, q, law), rtol=rounding, atol=rounding**2)
    v = normal(7, D, seed=3).to(dtype)
    product = law.fisher_vector_product(p, v)
    torch.testing.assert_close(moved.fisher_vector_product(p, v), product, rtol=rounding, atol=rounding)


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


@family
def test_whole_numbers_and_vectors_that_are_not_finite_are_refused(law):
    whole, spoilt = torch.ones(2, D, dtype=torch.int64), normal(D, seed=1)
    spoilt[3] = torch.nan
    for method in (law.log_partition, law.mean_parameter, law.fisher_metric, law.dual_features):
        with pytest.raises(InputError, match=r"floating-point.*\.$"):
            method(whole)
    with pytest.raises(InputError, match=r"floating-point.*\.$"):
        law.bregman(whole, whole)
    with pytest.raises(InputError, match=r"not finite.*\.$"):
        law.fisher_vector_product(normal(D, seed=2), spoilt)
    with pytest.raises(InputError, match=r"not finite.*\.$"):
        law.jeffreys_of_features(law.dual_features(normal(D, seed=2))[1] * torch.nan, law.dual_features(spoilt * 0)[1])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.float16])
def test_a_theta_too_long_for_the_spheres_functions_is_refused(dtype):
    theta = torch.full((D,), torch.finfo(dtype).max ** 0.5, dtype=dtype)
    for law in (UniformSphereAnchors(D), VonMisesFisherAnchors(normal(D, seed=1), 2.0)):
        for method in (law.log_partition, law.mean_parameter, law.fisher_metric, law.dual_features):
            with pytest.raises(InputError, match=r"too long.*\.$"):
                method(theta)


@pytest.mark.parametrize("length", [1e-30, 1.0, 1e36])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_a_mean_direction_may_have_any_length(length, dtype):
    law = VonMisesFisherAnchors((length * unit(D, seed=1)).to(dtype), 1e4)
    torch.testing.assert_close(law.tilt, (1e4 * unit(D, seed=1)).to(dtype))


def test_no_mass_is_lost_to_the_precision_of_weights_or_anchors():
    origin = torch.zeros(D, dtype=torch.float64)
    anchors, weights = unit(9, D, seed=1).float(), normal(9, seed=2).float()
    for law in (DiscreteAnchors(anchors, weights), MixtureAnchors(weights, [UniformSphereAnchors(D)] * 9)):
        assert float(law.log_partition(origin)) == pytest.approx(0, abs=1e-15)


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
        lambda: GaussianMixtureAnchors(
            torch.zeros(3), torch.zeros(3, 3), LowRankPlusDiagonal(torch.zeros(5, 3, 1), torch.ones(3, 3))
        ),
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
