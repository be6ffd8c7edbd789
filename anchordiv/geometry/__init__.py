"""Anchor divergences: Bregman geometries whose generator is the log-partition of an anchor distribution.

Loads torch and nothing heavier; knows neither images nor pages.
"""

from anchordiv.geometry.clustering import Clusters, bregman_k_means
from anchordiv.geometry.device import device_name, device_of, devices_present, exact_device
from anchordiv.geometry.discrete import DiscreteAnchors
from anchordiv.geometry.distributions import AnchorDistribution
from anchordiv.geometry.divergences import (
    DivergenceFunction,
    bhattacharyya_divergence,
    bregman_divergence,
    fisher_rao_distance,
    hellinger_distance,
    jeffreys_divergence,
    pairwise_divergences,
    reverse_bregman_divergence,
)
from anchordiv.geometry.duality import (
    conjugate,
    e_geodesic,
    left_centroid,
    m_geodesic,
    natural_from_mean,
    right_centroid,
)
from anchordiv.geometry.gaussian import GaussianAnchors, LowRankPlusDiagonal
from anchordiv.geometry.mixtures import GaussianMixtureAnchors, MixtureAnchors, SumAnchors
from anchordiv.geometry.sphere import UniformSphereAnchors, VonMisesFisherAnchors

__all__ = [
    "AnchorDistribution",
    "Clusters",
    "DiscreteAnchors",
    "DivergenceFunction",
    "GaussianAnchors",
    "GaussianMixtureAnchors",
    "LowRankPlusDiagonal",
    "MixtureAnchors",
    "SumAnchors",
    "UniformSphereAnchors",
    "VonMisesFisherAnchors",
    "bhattacharyya_divergence",
    "bregman_divergence",
    "bregman_k_means",
    "conjugate",
    "device_name",
    "device_of",
    "devices_present",
    "e_geodesic",
    "exact_device",
    "fisher_rao_distance",
    "hellinger_distance",
    "jeffreys_divergence",
    "left_centroid",
    "m_geodesic",
    "natural_from_mean",
    "pairwise_divergences",
    "reverse_bregman_divergence",
    "right_centroid",
]
