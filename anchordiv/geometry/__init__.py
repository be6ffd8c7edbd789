"""Anchor divergences: Bregman geometries whose generator is the log-partition of an anchor distribution.

Loads torch and nothing heavier; knows neither images nor pages.
"""

from anchordiv.geometry.distributions import AnchorDistribution, DiscreteAnchors, SumAnchors
from anchordiv.geometry.divergences import (
    bhattacharyya_divergence,
    bregman_divergence,
    jeffreys_divergence,
    reverse_bregman_divergence,
)
from anchordiv.geometry.sphere import UniformSphereAnchors

__all__ = [
    "AnchorDistribution",
    "DiscreteAnchors",
    "SumAnchors",
    "UniformSphereAnchors",
    "bhattacharyya_divergence",
    "bregman_divergence",
    "jeffreys_divergence",
    "reverse_bregman_divergence",
]
