"""Discrete anchors: finitely many weighted points, the softmax family."""

import torch
from torch import Tensor

from anchordiv.errors import InputError
from anchordiv.geometry.distributions import AnchorDistribution, all_finite, normalised_masses
from anchordiv.geometry.near_form import centre, log_mean_exp_of_centred, squared_root_gap


class DiscreteAnchors(AnchorDistribution):
    """Anchors that are finitely many weighted points, each belonging to a group.

    Args:
        anchors: ``(m, d)`` reference embeddings.
        log_weights: ``(m,)`` logarithms of prior masses; they need not be normalised, and
            −inf switches an anchor off.
        groups: ``(m,)`` group index of each anchor, 0 to G − 1; one group each if left out.

    Raises:
        InputError: for empty, misshapen or non-finite anchors, or when no anchor has mass.
    """

    def __init__(self, anchors: Tensor, log_weights: Tensor, groups: Tensor | None = None) -> None:
        if anchors.ndim != 2 or 0 in anchors.shape:
            raise InputError(f"anchors must be a non-empty (m, d) array, got shape {tuple(anchors.shape)}.")
        groups = torch.arange(len(anchors), device=anchors.device) if groups is None else groups.to(anchors.device)
        if groups.shape != anchors.shape[:1] or groups.is_floating_point() or bool((groups < 0).any()):
            raise InputError("groups must hold one non-negative whole number per anchor.")
        all_finite(anchors, "the array of anchors")
        kept, log_masses = normalised_masses(log_weights.to(anchors.device), len(anchors), "anchor")
        self.n_groups = int(groups.max()) + 1
        # An anchor without mass never enters the geometry, so it is dropped: 0 · log 0 has no place below.
        self.anchors = anchors[kept]
        self.log_weights = log_masses
        self.groups = groups[kept]
        self.dim = anchors.shape[1]
        self._members = {
            group: torch.nonzero(self.groups == group)[:, 0] for group in sorted(set(self.groups.tolist()))
        }

    @property
    def groups_with_anchors(self) -> tuple[int, ...]:
        """The groups that an anchor with mass belongs to, in order."""
        return tuple(self._members)

    def _scores(self, theta: Tensor) -> Tensor:
        # The m scores of a point are finite only if its d numbers are, and there are fewer of them to read.
        return all_finite(self.check_dim(theta) @ self.anchors.to(theta).mT, "theta")

    def log_joint(self, theta: Tensor) -> Tensor:
        """Return log π(a) + ⟨θ, a⟩ for every anchor: ``(..., d) -> (..., m)``."""
        return self._scores(theta) + self.log_weights.to(theta)

    def log_partition(self, theta: Tensor) -> Tensor:
        """Return ψ(θ) = log Σ w_a exp⟨θ, a⟩: ``(..., d) -> (...)``."""
        return torch.logsumexp(self.log_joint(theta), dim=-1)

    def log_probs(self, theta: Tensor) -> Tensor:
        """Return the anchor posterior log p(a∣θ): ``(..., d) -> (..., m)``."""
        return torch.log_softmax(self.log_joint(theta), dim=-1)

    def group_log_probs(self, theta: Tensor) -> Tensor:
        """Return log P(g∣θ), the posterior lumped by group: ``(..., d) -> (..., G)``; −inf for an empty group."""
        log_probs = self.log_probs(theta)
        lumped = log_probs.new_full((*log_probs.shape[:-1], self.n_groups), -torch.inf)
        for group, atoms in self._members.items():
            lumped[..., group] = torch.logsumexp(log_probs.index_select(-1, atoms.to(theta.device)), dim=-1)
        return lumped

    def mean_parameter(self, theta: Tensor) -> Tensor:
        """Return η = Σ p(a∣θ) a: ``(..., d) -> (..., d)``."""
        return self.log_probs(theta).exp() @ self.anchors.to(theta)

    def fisher_metric(self, theta: Tensor) -> Tensor:
        """Return Cov of the anchors under p(·∣θ), of rank ≤ m − 1: ``(..., d) -> (..., d, d)``."""
        centred = self.anchors.to(theta) - self.mean_parameter(theta).unsqueeze(-2)
        return (centred * self.log_probs(theta).exp().unsqueeze(-1)).mT @ centred

    def fisher_vector_product(self, theta: Tensor, vector: Tensor) -> Tensor:
        """Return Σ p_a (a − η)⟨a − η, v⟩ through the m scores ⟨a, v⟩: ``(..., d), (..., d) -> (..., d)``."""
        anchors = self.anchors.to(theta)
        probs, centred = centre(all_finite(vector @ anchors.mT, "vector"), self.log_probs(theta))
        pull = probs * centred
        # Σ pull = 0 but for rounding; taking its share of the mean off keeps the result blind to a shift.
        return pull @ anchors - pull.sum(dim=-1, keepdim=True) * (probs @ anchors)

    def bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return B(θ_p : θ_q) = KL(p(·∣θ_q) ‖ p(·∣θ_p)) in its near form: ``(..., d), (..., d) -> (...)``."""
        return log_mean_exp_of_centred(self._scores(theta_p - theta_q), self.log_probs(theta_q))

    def support_function(self, direction: Tensor) -> Tensor:
        """Return max_a ⟨v, a⟩: ``(..., d) -> (...)``."""
        return self._scores(direction).amax(dim=-1)

    @property
    def pair_width(self) -> int:
        """The difference of a pair, its middle, and some rows of m scores."""
        return 5 * self.dim + 10 * len(self.anchors)

    def _group_scores(self, theta_p: Tensor, theta_q: Tensor) -> tuple[Tensor, Tensor]:
        """Return S_g = log Σ_{a∈g} q(a∣g) exp(s_a), up to a constant, and log Q(g), for the groups with anchors.

        log P(g) − log Q(g) is S_g − log Σ Q_g exp(S_g). S_g is its own first order, the mean of s
        in the group, plus the near form of what lies beyond.
        """
        log_probs = self.log_probs(theta_q)
        _, scores = centre(self._scores(theta_p - theta_q), log_probs)
        moved, lumped = [], []
        for atoms in (members.to(scores.device) for members in self._members.values()):
            within = log_probs.index_select(-1, atoms)
            mass = torch.logsumexp(within, dim=-1, keepdim=True)
            inside = scores.index_select(-1, atoms)
            first_order = ((within - mass).exp() * inside).sum(dim=-1)
            moved.append(first_order + log_mean_exp_of_centred(inside, within - mass))
            lumped.append(mass.squeeze(-1))
        return torch.stack(moved, dim=-1), torch.stack(lumped, dim=-1)

    def group_bregman(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return KL(P(g∣θ_q) ‖ P(g∣θ_p)) ≤ B(θ_p : θ_q) in its near form: ``(..., d), (..., d) -> (...)``."""
        return log_mean_exp_of_centred(*self._group_scores(theta_p, theta_q))

    def group_bhattacharyya(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return −log Σ_g √(P_g Q_g) in its near form: ``(..., d), (..., d) -> (...)``.

        Near, it is −log(1 − H²) with the squared Hellinger distance H²; far, the overlap itself is summed.
        """
        scores, log_probs = self._group_scores(theta_p, theta_q)
        _, centred = centre(scores, log_probs)
        log_ratio = centred - log_mean_exp_of_centred(scores, log_probs).unsqueeze(-1)
        gap = squared_root_gap(log_ratio, log_probs)
        near = torch.log1p(-torch.where(gap < 0.5, gap, torch.zeros_like(gap)))
        return -torch.where(gap < 0.5, near, torch.logsumexp(log_probs + 0.5 * log_ratio, dim=-1))

    def fisher_rao(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return 2 arccos Σ √(P_a Q_a), at most π, in its near form: ``(..., d), (..., d) -> (...)``.

        The path runs over the whole simplex of m masses, a sphere of radius 2 in √P.
        """
        return _arc(self.bhattacharyya(theta_p, theta_q))

    def group_fisher_rao(self, theta_p: Tensor, theta_q: Tensor) -> Tensor:
        """Return 2 arccos Σ_g √(P_g Q_g), at most π, in its near form: ``(..., d), (..., d) -> (...)``."""
        return _arc(self.group_bhattacharyya(theta_p, theta_q))

    def level_point(self, theta: Tensor) -> Tensor:
        """Return the point nearest to θ at which log π(a) + ⟨θ, a⟩ varies least: ``(..., d) -> (..., d)``."""
        anchors, joint = self.anchors.to(theta), self.log_joint(theta)
        back = torch.linalg.pinv(anchors - anchors.mean(dim=0)).mT
        level: Tensor = theta - (joint - joint.mean(dim=-1, keepdim=True)) @ back
        return level

    def dual_features(self, theta: Tensor) -> tuple[Tensor, Tensor]:
        """Return (P, log P), m numbers each instead of d: ``(..., d) -> (..., m), (..., m)``."""
        log_probs = self.log_probs(theta)
        return log_probs.exp(), log_probs

    @property
    def feature_width(self) -> int:
        """One number per anchor."""
        return len(self.anchors)

    def jeffreys_of_features(self, v_p: Tensor, v_q: Tensor) -> Tensor:
        """Return Σ (P_a − Q_a)(log P_a − log Q_a), each term ≥ 0 by its form: ``(..., m), (..., m) -> (...)``.

        With the gap g = |log P_a − log Q_a| a term is max(P_a, Q_a) (1 − exp(−g)) g.
        """
        gap = all_finite(v_p - v_q, "the difference of the features").abs()
        return (torch.maximum(v_p, v_q).exp() * -torch.expm1(-gap) * gap).sum(dim=-1)


def _arc(bhattacharyya: Tensor) -> Tensor:
    """Return 2 arccos exp(−B) as 4 arcsin √(½(1 − exp(−B))), which keeps the digits of a small B."""
    return 4 * torch.asin((-torch.expm1(-bhattacharyya) / 2).sqrt())
