"""Anchor divergences: Bregman geometries whose generator is the log-partition of an anchor distribution.

Loads torch and nothing heavier; knows neither images nor pages.
"""

from anchordiv.geometry.discrete import DiscreteAnchors
from anchordiv.geometry.distributions import AnchorDistribution
from anchordiv.geometry.divergences import (
    bhattacharyya_divergence,
    bregman_divergence,
    jeffreys_divergence,
    reverse_bregman_divergence,
)
from anchordiv.geometry.gaussian import GaussianAnchors, LowRankPlusDiagonal
from anchordiv.geometry.mixtures import GaussianMixtureAnchors, MixtureAnchors, SumAnchors
from anchordiv.geometry.sphere import UniformSphereAnchors, VonMisesFisherAnchors

__all__ = [
    "AnchorDistribution",
    "DiscreteAnchors",
    "GaussianAnchors",
    "GaussianMixtureAnchors",
    "LowRankPlusDiagonal",
    "MixtureAnchors",
    "SumAnchors",
    "UniformSphereAnchors",
    "VonMisesFisherAnchors",
    "bhattacharyya_divergence",
    "bregman_divergence",
    "jeffreys_divergence",
    "reverse_bregman_divergence",
]
