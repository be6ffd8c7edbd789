"""The sphere's Bessel functions and divergences in 50-digit arithmetic, and cosine's order."""

import math

import mpmath
import numpy as np
import pytest
import scipy.special
import torch
from torch.autograd.functional import hessian

import anchordiv as ad
from anchordiv.geometry import UniformSphereAnchors, VonMisesFisherAnchors
from anchordiv.geometry.sphere import _resultant, log_bessel_partition, mean_resultant_over_norm
from tests.geometry.families import dot, numbers, unit

DIMS = [2, 3, 4, 5, 17, 64, 511, 512, 2048]
AROUND_THE_DEBYE_ORDER = [46, 47, 48, 49, 50, 51, 52, 53, 54]  # d/2 − 1 on either side of 25
NORMS = [0.0, 1e-6, 1e-3, 1.0, 20.0, 100.0, 1e3, 1e4]
DENSE_NORMS = sorted({*NORMS, *np.geomspace(1e-6, 1e4, 41).tolist()})

every_dim = pytest.mark.parametrize("dim", DIMS)
every_dtype = pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-14), (torch.float32, 1e-6)])


def exact_functions(r: float, dim: int):
    """ψ, A/r and A′ from 0F1 and the textbook identity A′ = 1 − A² − (d − 1) A/r, with digits to spare."""
    with mpmath.workdps(70):
        quarter, half = mpmath.mpf(r) ** 2 / 4, mpmath.mpf(dim) / 2
        partition = mpmath.hyp0f1(half, quarter)
        ratio = mpmath.hyp0f1(half + 1, quarter) / partition / dim
        return mpmath.log(partition), ratio, 1 - 4 * quarter * ratio**2 - (dim - 1) * ratio


def exact_bregman(p: torch.Tensor, q: torch.Tensor, tilt: torch.Tensor) -> float:
    """B(p : q) of the sphere seen from ``tilt``, from its definition at 110 digits: 1e-40 of ψ may be all there is."""
    with mpmath.workdps(110):
        offset, half = numbers(tilt), mpmath.mpf(len(q)) / 2
        at_p, at_q = ([a + b for a, b in zip(numbers(x), offset, strict=True)] for x in (p, q))
        square_p, square_q = dot(at_p, at_p), dot(at_q, at_q)
        partition = mpmath.hyp0f1(half, square_q / 4)
        ratio = mpmath.hyp0f1(half + 1, square_q / 4) / partition / (2 * half)
        rise = mpmath.log(mpmath.hyp0f1(half, square_p / 4) / partition)
        return float(rise - ratio * (dot(at_p, at_q) - square_q))


def relative_error(value: float, exact: float | mpmath.mpf) -> float:
    assert math.isfinite(value)
    return float(abs(value - exact) / abs(exact)) if exact else abs(value)


@every_dtype
@pytest.mark.parametrize("dim", DIMS + AROUND_THE_DEBYE_ORDER)
def test_bessel_functions_agree_with_fifty_digits(dim, dtype, tolerance):
    r = torch.tensor(DENSE_NORMS, dtype=dtype)
    computed = (log_bessel_partition(r, dim), *_resultant(r * r, dim))
    assert torch.equal(mean_resultant_over_norm(r, dim), computed[1])
    # A′ falls like (d − 1)/(2r²) while the recurrence starts at order 25: small d loses two digits of sixteen.
    slope_tolerance = (400 if dim < 50 else 2) * tolerance
    for i, norm in enumerate(r.tolist()):
        partition, ratio, slope = exact_functions(norm, dim)
        assert relative_error(float(computed[0][i]), partition) < tolerance, norm
        assert relative_error(float(computed[1][i]), ratio) < tolerance, norm
        assert relative_error(float(computed[2][i]), slope) < slope_tolerance, norm


@pytest.mark.parametrize("dim", [2, 3, 4, 5, 17, 64])
def test_bessel_functions_agree_with_scipy_where_it_is_valid(dim):
    # ive underflows for a large order at a small argument; its own error here is about 1e-13.
    nu, r = dim / 2 - 1, np.geomspace(1.0 if dim < 50 else 10.0, 1e4, 50)
    log_bessel = np.log(scipy.special.ive(nu, r)) + r
    partition = scipy.special.gammaln(nu + 1) + nu * np.log(2 / r) + log_bessel
    ratio = scipy.special.ive(nu + 1, r) / scipy.special.ive(nu, r) / r
    np.testing.assert_allclose(log_bessel_partition(torch.from_numpy(r), dim), partition, rtol=1e-11)
    np.testing.assert_allclose(mean_resultant_over_norm(torch.from_numpy(r), dim), ratio, rtol=1e-12)


@every_dim
@pytest.mark.parametrize("norm", NORMS)
def test_fisher_metric_has_the_exact_variances_along_and_across(dim, norm):
    law, along = UniformSphereAnchors(dim), unit(dim, seed=1)
    across = unit(dim, seed=2)
    across = across - (across @ along) * along
    _, ratio, slope = exact_functions(float((norm * along).norm()), dim)
    theta = norm * along
    quadratic = (along * law.fisher_vector_product(theta, along)).sum()
    assert relative_error(float(quadratic), slope) < 1e-9
    torch.testing.assert_close(law.fisher_vector_product(theta, across), float(ratio) * across, rtol=1e-12, atol=1e-16)
    if dim <= 64:
        assert relative_error(float(along @ law.fisher_metric(theta) @ along), slope) < 1e-9


def steps(theta: torch.Tensor, separation: float) -> dict[str, torch.Tensor]:
    """Moves of a length relative to θ's own; at θ = 0 every direction is radial."""
    size, random = separation * (float(theta.norm()) or 1), unit(len(theta), seed=5)
    radial = theta / theta.norm() if theta.any() else random
    tangential = random - (random @ radial) * radial if theta.any() else random
    return {
        "random": size * random,
        "outwards": size * radial,
        "inwards": -0.9 * size * radial,
        "tangential": size * tangential / tangential.norm(),
    }


@every_dim
@pytest.mark.parametrize("separation", [3.0, 0.21, 0.19, 1e-2, 1e-7])  # 0.2 is where the radial form changes
def test_divergence_keeps_its_digits(dim, separation):
    law, nowhere = UniformSphereAnchors(dim), torch.zeros(dim, dtype=torch.float64)
    for norm in NORMS:
        theta = norm * unit(dim, seed=4)
        for name, step in steps(theta, separation).items():
            moved = theta + step
            value = float(law.bregman(moved, theta))
            assert value > 0
            assert relative_error(value, exact_bregman(moved, theta, nowhere)) < 1e-9, (norm, name)


@pytest.mark.parametrize("dim", [2, 3, 64, 512])
@pytest.mark.parametrize("spread", [0.0, 1.0, 100.0, 1e4])
def test_tilted_divergence_keeps_its_digits(dim, spread):
    law = VonMisesFisherAnchors(unit(dim, seed=3), spread)
    for norm in [1e-3, 1.0, 100.0, 1e4]:
        theta = norm * unit(dim, seed=4)
        for separation in [1.0, 1e-7]:
            for name, step in steps(theta, separation).items():
                moved = theta + step
                value = float(law.bregman(moved, theta))
                assert value > 0
                assert relative_error(value, exact_bregman(moved, theta, law.tilt)) < 1e-9, (norm, separation, name)


@pytest.mark.parametrize("dim", [2, 5, 64, 512])
@pytest.mark.parametrize("spread", [0.0, 30.0, 1e4])
def test_tilted_partition_agrees_with_fifty_digits(dim, spread):
    law, rounding = VonMisesFisherAnchors(unit(dim, seed=3), spread), 1e-15
    for norm in NORMS:
        theta = norm * unit(dim, seed=4)
        with mpmath.workdps(60):
            tilt, half = numbers(law.tilt), mpmath.mpf(dim) / 2
            moved = [a + b for a, b in zip(tilt, numbers(theta), strict=True)]
            tilted, home = (mpmath.log(mpmath.hyp0f1(half, dot(x, x) / 4)) for x in (moved, tilt))
            error = float(abs(float(law.log_partition(theta)) - (tilted - home)))
        assert error <= rounding * float(tilted + home), norm


@pytest.mark.parametrize("dim", [2, 17, 512])
def test_single_precision_is_sensible(dim):
    law, nowhere = UniformSphereAnchors(dim), torch.zeros(dim)
    for norm in NORMS:
        theta = (norm * unit(dim, seed=4)).float()
        for separation in [1.0, 0.19, 1e-5]:
            for name, step in steps(theta.double(), separation).items():
                moved = (theta.double() + step).float()
                value = float(law.bregman(moved, theta))
                assert value >= 0
                assert relative_error(value, exact_bregman(moved, theta, nowhere)) < 5e-4, (norm, separation, name)


@pytest.mark.parametrize("dim", [2, 5, 64, 512])
@pytest.mark.parametrize("spread", [0.0, 1e4])
def test_gradients_are_finite_and_right_near_and_far(dim, spread):
    law = VonMisesFisherAnchors(unit(dim, seed=3), spread)
    for norm in NORMS:
        for separation in [-1.0, 0.0, 1e-6, 1e-2, 1.0]:  # -1: p is the origin
            q = (norm * unit(dim, seed=4)).requires_grad_()
            p = (q.detach() + separation * (norm or 1) * unit(dim, seed=4 if separation < 0 else 5)).requires_grad_()
            by_p, by_q = torch.autograd.grad(law.bregman(p, q), (p, q))
            p, q = p.detach(), q.detach()
            eta_p, eta_q = law.mean_parameter(p), law.mean_parameter(q)
            torch.testing.assert_close(by_p, eta_p - eta_q, rtol=1e-6, atol=1e-15)
            moved = law.fisher_vector_product(q, q - p)
            torch.testing.assert_close(by_q, moved, rtol=1e-6, atol=1e-9 * float(moved.abs().max()) + 1e-15)


@pytest.mark.parametrize("dim", [2, 17, 64])
def test_partition_is_smooth_at_the_origin(dim):
    origin = torch.zeros(dim, dtype=torch.float64)
    curvature = hessian(UniformSphereAnchors(dim).log_partition, origin)
    torch.testing.assert_close(curvature, torch.eye(dim, dtype=torch.float64) / dim, rtol=1e-13, atol=0)


def exact_chords(points: torch.Tensor, query: torch.Tensor) -> np.ndarray:
    """1 − cos in extended precision, as half the squared chord."""
    wide, asked = points.numpy().astype(np.longdouble), query.numpy().astype(np.longdouble)
    wide, asked = wide / np.sqrt((wide**2).sum(-1, keepdims=True)), asked / np.sqrt((asked**2).sum())
    return ((wide - asked) ** 2).sum(-1) / 2


CONCENTRATIONS = [1e-3, 0.3, 1.0, 20.0, 100.0, 1e4]


def assert_cosine_order(points: torch.Tensor, query: torch.Tensor, law: UniformSphereAnchors | VonMisesFisherAnchors):
    cosine = points @ query
    for kappa in CONCENTRATIONS:
        divergence = law.bregman(kappa * points, kappa * query)
        assert torch.equal(divergence.argsort(stable=True), (-cosine).argsort(stable=True)), kappa


@pytest.mark.parametrize("dim", [3, 8, 64, 512, 2048])
def test_uniform_sphere_ranks_random_vectors_as_cosine_does(dim):
    points = unit(1000, dim, seed=6)
    for seed in (7, 8):
        assert_cosine_order(points, unit(dim, seed=seed), UniformSphereAnchors(dim))
    assert_cosine_order(points, unit(dim, seed=9), VonMisesFisherAnchors(unit(dim, seed=3), 0.0))


def test_uniform_sphere_ranks_the_atelier_as_cosine_does():
    # Unit length must hold in float64: float32 norms differ by 1e-7, and B tells lengths apart, cosine does not.
    pictures = torch.from_numpy(ad.open_sample("atelier").embeddings.astype(np.float64))
    pictures = pictures / pictures.norm(dim=-1, keepdim=True)
    for row in range(0, len(pictures), 100):
        assert_cosine_order(pictures, pictures[row], UniformSphereAnchors(pictures.shape[1]))


@pytest.mark.parametrize("dim", [3, 8, 64, 512, 2048])
@pytest.mark.parametrize("separation", [1e-2, 1e-4, 1e-6])
def test_near_ones_are_ranked_more_finely_than_a_float64_cosine_can(dim, separation):
    # B = κA(1 − cos) is formed from the difference, so it resolves chords to their own rounding; a
    # float64 cosine steps by 1e-16 whatever 1 − cos is, and mis-sorts neighbours nearer than that.
    query = unit(dim, seed=7)
    points = query + separation * unit(1000, dim, seed=6)
    points = points / points.norm(dim=-1, keepdim=True)
    chords = exact_chords(points, query)
    nearest = float(chords.min())
    input_rounding = 1e-15 / math.sqrt(2 * nearest)  # of κ · point, relative to a chord's length
    for kappa in CONCENTRATIONS:
        sorted_chords = chords[UniformSphereAnchors(dim).bregman(kappa * points, kappa * query).argsort().numpy()]
        disorder = np.maximum.accumulate(sorted_chords) / sorted_chords - 1
        assert float(disorder.max()) <= input_rounding


def test_a_float64_cosine_does_missort_near_ones():
    query = unit(8, seed=7)
    points = query + 1e-6 * unit(1000, 8, seed=6)
    points = points / points.norm(dim=-1, keepdim=True)
    chords = exact_chords(points, query)
    assert not np.array_equal((-(points @ query)).argsort().numpy(), chords.argsort())
