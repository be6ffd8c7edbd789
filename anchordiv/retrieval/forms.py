"""Search forms: each divergence as an inner product of an item's vector and a query's, in few dimensions.

For a fixed query the largest ⟨item, query⟩ belongs to the smallest divergence. For m discrete
anchors (or G groups) the vectors have m to 2m + 1 numbers instead of the embedding's d; the forms
of any other generator have d + 1 or 2d + 1. The forms are our derivation; that a Bregman
divergence is an inner product of lifted vectors is Cayton, *Fast nearest neighbor retrieval for
Bregman divergences* (ICML 2008).
"""

from typing import Literal, get_args

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry import (
    AnchorDistribution,
    DiscreteAnchors,
    DivergenceFunction,
    GaussianAnchors,
    SumAnchors,
    bhattacharyya_divergence,
    bregman_divergence,
    fisher_rao_distance,
    hellinger_distance,
    jeffreys_divergence,
    reverse_bregman_divergence,
)

Divergence = Literal["kl", "reverse_kl", "jeffreys", "bhattacharyya", "hellinger", "fisher_rao"]
DIVERGENCES: tuple[Divergence, ...] = get_args(Divergence)

# theta_p is the item, theta_q the query: B(item : query) = KL(P_query ‖ P_item).
_OF_ITEM_AND_QUERY: dict[str, DivergenceFunction] = {
    "kl": bregman_divergence,
    "reverse_kl": reverse_bregman_divergence,
    "jeffreys": jeffreys_divergence,
    "bhattacharyya": bhattacharyya_divergence,
    "hellinger": hellinger_distance,
    "fisher_rao": fisher_rao_distance,
}
_OF_THE_OVERLAP = ("bhattacharyya", "hellinger", "fisher_rao")


def divergence_of(name: str) -> DivergenceFunction:
    """Return the function of a name; its first argument is the item, its second the query.

    Raises:
        InputError: for an unknown name.
    """
    if name not in _OF_ITEM_AND_QUERY:
        raise InputError(f"the divergence must be one of {', '.join(DIVERGENCES)}, got {name!r}.")
    return _OF_ITEM_AND_QUERY[name]


def has_form(law: AnchorDistribution, divergence: Divergence) -> bool:
    """Return whether the divergence is an inner product under this law; the overlap is one only for some."""
    return divergence not in _OF_THE_OVERLAP or isinstance(law, DiscreteAnchors | GaussianAnchors)


def item_vectors(theta: Tensor, law: AnchorDistribution, divergence: Divergence, *, grouped: bool = False) -> Tensor:
    """Return what is kept of every item: ``(n, d) -> (n, f)``.

    Args:
        theta: the items' natural parameters.
        law: the anchor distribution, one for which :func:`has_form` holds.
        divergence: what the search minimises.
        grouped: whether posteriors are lumped by group.

    Raises:
        InputError: for numbers that are not finite, or groups where the law has none.
    """
    match law:
        case SumAnchors():
            parts = [item_vectors(theta, part, divergence, grouped=grouped) for part in law.parts]
            return torch.cat(parts, dim=-1)
        case DiscreteAnchors():
            return _posterior_items(_log_posterior(theta, law, grouped), divergence)
    _refuse_groups(law, theta, grouped)
    if isinstance(law, GaussianAnchors):  # every divergence grows with ½ θᵀSθ of the difference
        moved, theta = law.dual_features(theta)
        return torch.cat([moved, 0.5 * _dot(moved, theta)], dim=-1)
    if divergence == "kl":
        return torch.cat([theta, law.log_partition(theta).unsqueeze(-1)], dim=-1)
    eta = law.mean_parameter(theta)
    if divergence == "reverse_kl":
        return torch.cat([eta, law.negative_entropy(theta).unsqueeze(-1)], dim=-1)
    return torch.cat([eta, theta, _dot(eta, theta)], dim=-1)


def query_vectors(theta: Tensor, law: AnchorDistribution, divergence: Divergence, *, grouped: bool = False) -> Tensor:
    """Return what the items' vectors are multiplied with, one row per query: ``(q, d) -> (q, f)``.

    Raises:
        InputError: as :func:`item_vectors`.
    """
    match law:
        case SumAnchors():
            parts = zip(law.weights, law.parts, strict=True)
            return torch.cat([w * query_vectors(theta, part, divergence, grouped=grouped) for w, part in parts], -1)
        case DiscreteAnchors():
            return _posterior_queries(_log_posterior(theta, law, grouped), divergence)
    _refuse_groups(law, theta, grouped)
    minus_one = -torch.ones_like(theta[..., :1])
    if isinstance(law, GaussianAnchors) or divergence == "reverse_kl":
        # Jeffreys of a Gaussian is twice its Bregman divergence, which counts beside other parts of a sum.
        twice = 2.0 if divergence == "jeffreys" else 1.0
        return twice * torch.cat([law.check(theta), minus_one], dim=-1)
    eta = law.mean_parameter(theta)
    return torch.cat([eta, minus_one] if divergence == "kl" else [theta, eta, minus_one], dim=-1)


def _posterior_items(log_probs: Tensor, divergence: Divergence) -> Tensor:
    if divergence == "kl":
        return log_probs
    if divergence in _OF_THE_OVERLAP:
        return (0.5 * log_probs).exp()
    probs = log_probs.exp()
    pieces = [probs, log_probs] if divergence == "jeffreys" else [probs]
    return torch.cat([*pieces, _dot(probs, log_probs)], dim=-1)


def _posterior_queries(log_probs: Tensor, divergence: Divergence) -> Tensor:
    if divergence == "kl":
        return log_probs.exp()
    if divergence in _OF_THE_OVERLAP:
        return (0.5 * log_probs).exp()
    pieces = [log_probs, log_probs.exp()] if divergence == "jeffreys" else [log_probs]
    return torch.cat([*pieces, -torch.ones_like(log_probs[..., :1])], dim=-1)


def _log_posterior(theta: Tensor, law: DiscreteAnchors, grouped: bool) -> Tensor:
    if not grouped:
        return law.log_probs(theta)
    # A group without anchors has no mass on either side: it is left out, for 0 · log 0 has no product.
    filled = torch.tensor(law.groups_with_anchors, device=theta.device)
    return law.group_log_probs(theta).index_select(-1, filled)


def _refuse_groups(law: AnchorDistribution, theta: Tensor, grouped: bool) -> None:
    if grouped:
        law.group_bregman(theta[:1], theta[:1])  # a law without groups says so


def _dot(u: Tensor, v: Tensor) -> Tensor:
    return (u * v).sum(dim=-1, keepdim=True)
