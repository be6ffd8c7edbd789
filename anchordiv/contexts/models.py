"""Anchor models: how the law of the anchors is estimated from the examples a person gave.

Modelling the anchor distribution models the geometry; which model serves best with how many
examples is an empirical question (README, table). The estimators are ours, not the paper's.
"""

from dataclasses import dataclass
from typing import Literal, get_args

import torch
from torch import Tensor

from anchordiv.geometry import DiscreteAnchors

AnchorModel = Literal["prototype", "empirical", "discriminant", "uniform"]
ANCHOR_MODELS: tuple[AnchorModel, ...] = get_args(AnchorModel)


@dataclass(frozen=True, eq=False)
class Examples:
    """The example embeddings of one modality, all groups in one array, in float64.

    Args:
        embeddings: ``(k, d)``.
        groups: ``(k,)`` group index of each.
        masses: ``(k,)`` prior mass of each, > 0 or 0 for a group that is off; each group's
            masses add up to the group's weight.
        centre: ``(d,)`` mean of the modality: the collection's for pictures, the prompt
            bank's for texts. Never the mean of the context's own few anchors.
    """

    embeddings: Tensor
    groups: Tensor
    masses: Tensor
    centre: Tensor

    def group_masses(self) -> Tensor:
        """Return ``(G,)`` the groups' weights."""
        return torch.zeros(int(self.groups.max()) + 1, dtype=self.masses.dtype).index_add(0, self.groups, self.masses)

    def prototypes(self) -> Tensor:
        """Return ``(G, d)`` mass-weighted means; the plain mean where a group has no mass, 0 where it is empty."""
        shares = torch.where(self.group_masses()[self.groups] > 0, self.masses, torch.ones_like(self.masses))
        one_hot = torch.nn.functional.one_hot(self.groups).to(shares) * shares.unsqueeze(1)
        totals = one_hot.sum(dim=0).unsqueeze(1)
        return (one_hot.mT @ self.embeddings) / torch.where(totals > 0, totals, torch.ones_like(totals))


def empirical(examples: Examples) -> DiscreteAnchors:
    """Make every example an atom."""
    return DiscreteAnchors(examples.embeddings, examples.masses.log(), examples.groups)


def prototype(examples: Examples) -> DiscreteAnchors:
    """Make one atom per group, the mean of its examples."""
    return DiscreteAnchors(examples.prototypes(), examples.group_masses().log())


def discriminant(examples: Examples, within: Tensor, picture_mean: Tensor, concentration: float) -> DiscreteAnchors:
    """Make one atom per group, its prototype denoised by the within-group covariance.

    Mathematically the atoms are S⁻¹(c_k − c̄), rescaled to the prototypes' root-mean-square
    spread so that the concentration keeps its meaning, and the class constant of linear
    discriminant analysis goes into the log-weights, with the prototypes moved from their
    modality's centre to the pictures' mean, which is where the embeddings to judge lie.

    Args:
        examples: the examples of one modality.
        within: ``(d, d)`` positive definite within-group covariance S.
        picture_mean: ``(d,)`` mean of the collection.
        concentration: κ, which scales the class constants like everything else.
    """
    masses, prototypes = examples.group_masses(), examples.prototypes()
    centred = prototypes - examples.centre
    active = masses > 0
    middle = (masses.unsqueeze(1) * centred).sum(dim=0) / masses.sum()
    spread = centred - middle
    atoms = torch.linalg.solve(within, spread.mT).mT
    size = torch.linalg.vector_norm(atoms[active])
    if size > 0:  # groups with one and the same prototype span nothing and stay at the origin
        atoms = atoms * (torch.linalg.vector_norm(spread[active]) / size)
    half_way = atoms @ picture_mean + 0.5 * ((centred + middle) * atoms).sum(dim=1)
    return DiscreteAnchors(atoms, masses.log() - concentration * half_way)


def within_covariance(examples: Examples) -> Tensor:
    """Estimate the within-group covariance, shrunk (OAS, Chen et al. 2010): ``(d, d)``, positive definite.

    It is pooled over the groups that have at least two examples; without any there is nothing
    to denoise with, and the identity leaves the prototypes as they are. (The collection's own
    covariance is no substitute: on Atelier it took the mAP of text contexts to chance, because
    it divides by directions in which the pictures hardly vary but the anchors do.)
    """
    from sklearn.covariance import oas

    counts = torch.bincount(examples.groups)
    shared = counts[examples.groups] >= 2
    rows = (examples.embeddings - examples.prototypes()[examples.groups])[shared]
    if not bool(rows.any()):
        return torch.eye(examples.embeddings.shape[1], dtype=torch.float64)
    covariance, _ = oas(rows.numpy(), assume_centered=True)
    return torch.from_numpy(covariance)
