"""Every family of anchors in small, with an independent reference in 50-digit arithmetic."""

import mpmath
import torch

from anchordiv.geometry import (
    AnchorDistribution,
    DiscreteAnchors,
    GaussianAnchors,
    GaussianMixtureAnchors,
    LowRankPlusDiagonal,
    MixtureAnchors,
    SumAnchors,
    UniformSphereAnchors,
    VonMisesFisherAnchors,
)

D = 6
CONCENTRATIONS = [1e-3, 1.0, 30.0, 1e3]


def normal(*shape: int, seed: int) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def unit(*shape: int, seed: int) -> torch.Tensor:
    x = normal(*shape, seed=seed)
    return x / x.norm(dim=-1, keepdim=True)


def discrete(m: int, seed: int = 0) -> DiscreteAnchors:
    weights = torch.arange(1.0, m + 1, dtype=torch.float64).log()
    return DiscreteAnchors(unit(m, D, seed=seed), weights, torch.arange(m) % 3)


def duplicates() -> DiscreteAnchors:
    anchors = unit(4, D, seed=4)
    return DiscreteAnchors(anchors[[0, 0, 1, 2, 2, 2, 3]], torch.zeros(7, dtype=torch.float64), torch.arange(7) % 3)


def dominant() -> DiscreteAnchors:
    weights = torch.tensor([0.0, -40.0, -35.0, -60.0, -45.0], dtype=torch.float64)
    return DiscreteAnchors(unit(5, D, seed=5), weights, torch.arange(5) % 3)


def spd(seed: int) -> torch.Tensor:
    root = normal(D, D, seed=seed) / 4
    return root @ root.mT + 0.05 * torch.eye(D, dtype=torch.float64)


def low_rank(seed: int) -> LowRankPlusDiagonal:
    return LowRankPlusDiagonal(normal(D, 2, seed=seed) / 3, 0.1 + normal(D, seed=seed + 1).abs())


def gaussian_mixture() -> GaussianMixtureAnchors:
    covariances = torch.stack([spd(40), spd(41), spd(42)]) / 10
    return GaussianMixtureAnchors(torch.tensor([0.0, 1.0, -1.0]).double(), unit(3, D, seed=43), covariances)


DISCRETE = {
    "discrete m<d": discrete(4),
    "discrete m>d": discrete(12, seed=1),
    "duplicates": duplicates(),
    "one dominant": dominant(),
}
FAMILIES: dict[str, AnchorDistribution] = {
    **DISCRETE,
    "gaussian full": GaussianAnchors(normal(D, seed=20), spd(21)),
    "gaussian diagonal": GaussianAnchors(normal(D, seed=22), normal(D, seed=23).abs()),
    "gaussian low rank": GaussianAnchors(normal(D, seed=24), low_rank(25)),
    "gaussian mixture": gaussian_mixture(),
    "uniform sphere": UniformSphereAnchors(D),
    "von mises-fisher": VonMisesFisherAnchors(normal(D, seed=30), 7.0),
    "von mises-fisher tight": VonMisesFisherAnchors(normal(D, seed=31), 200.0),
    "mixture": MixtureAnchors(
        torch.tensor([0.0, 0.5, 0.2]).double(),
        [discrete(4, seed=6), UniformSphereAnchors(D), VonMisesFisherAnchors(normal(D, seed=32), 3.0)],
    ),
    "sum": SumAnchors([0.3, 2.0], [discrete(4, seed=3), UniformSphereAnchors(D)]),
    "sum of mixtures": SumAnchors([1.0, 0.5], [gaussian_mixture(), duplicates()]),
}


def around(law: AnchorDistribution, kappa: float, *shape: int, seed: int) -> torch.Tensor:
    """Points at distance κ from where no anchor outweighs the others, so that each has a say."""
    return law.level_point(torch.zeros(D, dtype=torch.float64)) + kappa * unit(*shape, D, seed=seed)


def numbers(x: torch.Tensor) -> list[mpmath.mpf]:
    return [mpmath.mpf(float(v)) for v in x]


def dot(a, b):
    return mpmath.fsum(x * y for x, y in zip(a, b, strict=True))


def log_sum_exp(terms):
    top = max(terms)
    return top + mpmath.log(mpmath.fsum(mpmath.exp(t - top) for t in terms))


def exact_sphere(r, dim: int):
    return mpmath.log(mpmath.hyp0f1(mpmath.mpf(dim) / 2, r * r / 4))


def exact_partition(law: AnchorDistribution, theta):
    """ψ(θ) of any family from its textbook formula, theta a list of mpf."""
    match law:
        case DiscreteAnchors():
            masses = numbers(law.log_weights)
            return log_sum_exp([w + dot(theta, numbers(a)) for w, a in zip(masses, law.anchors, strict=True)])
        case GaussianAnchors():
            along = [dot(theta, numbers(column)) for column in law.factor.mT]
            own = [s * t * t for s, t in zip(numbers(law.diagonal), theta, strict=True)]
            return dot(theta, numbers(law.mean)) + (dot(along, along) + mpmath.fsum(own)) / 2
        case UniformSphereAnchors():
            return exact_sphere(mpmath.sqrt(dot(theta, theta)), law.dim)
        case VonMisesFisherAnchors():
            tilt = numbers(law.tilt)
            moved = [a + b for a, b in zip(tilt, theta, strict=True)]
            return exact_partition(law.sphere, moved) - exact_partition(law.sphere, tilt)
        case MixtureAnchors():
            masses = numbers(law.log_weights)
            return log_sum_exp([w + exact_partition(part, theta) for w, part in zip(masses, law.parts, strict=True)])
        case SumAnchors():
            parts = zip(law.weights, law.parts, strict=True)
            return mpmath.fsum(mpmath.mpf(w) * exact_partition(part, theta) for w, part in parts)
    raise TypeError(type(law))


def exact_bregman(law: AnchorDistribution, theta_p: torch.Tensor, theta_q: torch.Tensor, digits: int = 450) -> float:
    """B(θ_p : θ_q) from its definition: the slope of ψ along the step is a central difference with digits to spare."""
    with mpmath.workdps(digits):
        p, q = numbers(theta_p), numbers(theta_q)

        def along(t):
            return exact_partition(law, [a + t * (b - a) for a, b in zip(q, p, strict=True)])

        h = mpmath.mpf(10) ** -120
        # Error of the five-point rule: h⁴ = 1e-480; rounding: 1e-450 / 1e-120: 300 digits, for B may be 1e-230.
        slope = (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h)
        return float(along(mpmath.mpf(1)) - along(mpmath.mpf(0)) - slope)
