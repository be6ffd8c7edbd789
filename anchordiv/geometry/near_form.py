"""Sums of exponentials of small numbers with every digit kept: what makes near neighbours comparable."""

import math

import torch
from torch import Tensor


def log_mean_exp_of_centred(scores: Tensor, log_probs: Tensor) -> Tensor:
    """Return log Σ q_a exp(s_a − Σ q s) ≥ 0 with all digits kept when it is small.

    Equal to log1p(Σ q_a (exp(u_a) − 1 − u_a)) for u = s centred under q: every term of that sum
    is ≥ 0, so nothing cancels. Scores are counted from that of the likeliest anchor first, so
    a posterior that one anchor dominates keeps its digits too. Terms with u > 1 are formed as
    exp(log q + u) − q (1 + u): a tiny q may meet a huge u. Only where even q exp(u) leaves the range
    of exp does the plain log-sum-exp take over; the result is then large and exact enough.

    Args:
        scores: ``(..., m)`` s_a = ⟨θ_p − θ_q, a⟩, computed from the difference.
        log_probs: ``(..., m)`` log q_a, the posterior at θ_q.

    Returns:
        ``(...)`` nats.
    """
    probs, centred = centre(scores, log_probs)
    tilted = log_probs + centred
    far = tilted.amax(dim=-1, keepdim=True) > 0.9 * math.log(torch.finfo(tilted.dtype).max)
    if not bool(far.any()):
        return torch.log1p(_terms_beyond_linear(probs, centred, tilted))
    # Rows that are far are sent to nought there, or their infinities would reach the gradient of the others.
    near = _terms_beyond_linear(probs, centred.masked_fill(far, 0), tilted.masked_fill(far, 0))
    return torch.where(far.squeeze(-1), torch.logsumexp(tilted, dim=-1), torch.log1p(near))


def _terms_beyond_linear(probs: Tensor, centred: Tensor, tilted: Tensor) -> Tensor:
    """Return Σ q_a (exp(u_a) − 1 − u_a) ≥ 0 from q, u and log q + u: ``(..., m) -> (...)``."""
    steep = centred > 1
    zeros = torch.zeros_like(centred)
    risen = torch.where(steep, tilted, zeros).exp() - probs * (1 + centred)
    return torch.where(steep, risen, probs * exp_beyond_linear(torch.where(steep, zeros, centred))).sum(dim=-1)


def centre(scores: Tensor, log_probs: Tensor) -> tuple[Tensor, Tensor]:
    """Return q = exp(log_probs) and the scores less their mean under q, both ``(..., m)``.

    The likeliest anchor's score is taken off first: it is then exactly 0, and the mean, made of
    the other anchors alone, is small without cancellation when they have hardly any mass.
    """
    probs, likeliest = log_probs.exp(), log_probs.argmax(dim=-1, keepdim=True)
    scores, probs = torch.broadcast_tensors(scores, probs)  # type: ignore[no-untyped-call]
    scores = scores - scores.gather(-1, likeliest.expand(*scores.shape[:-1], 1))
    return probs, scores - (probs * scores).sum(dim=-1, keepdim=True)


def exp_beyond_linear(s: Tensor) -> Tensor:
    """Return exp(s) − 1 − s ≥ 0 to full relative precision, elementwise.

    expm1(s) − s loses digits below |s| ≈ 0.1, where eleven terms of the series are exact to
    rounding.
    """
    small = s.abs() < 0.25
    t = torch.where(small, s, torch.zeros_like(s))
    one = series = torch.ones_like(t)
    for k in range(12, 2, -1):
        series = torch.addcmul(one, series, t, value=1 / k)
    large = torch.where(small, torch.ones_like(s), s)
    return torch.where(small, 0.5 * t * t * series, torch.expm1(large) - large)


def squared_root_gap(log_ratio: Tensor, log_probs: Tensor) -> Tensor:
    """Return ½ Σ (√P_a − √Q_a)², the squared Hellinger distance, without cancellation or overflow.

    Each term is max(P, Q) expm1(−½|log P/Q|)².

    Args:
        log_ratio: ``(..., m)`` log P_a − log Q_a.
        log_probs: ``(..., m)`` log Q_a.

    Returns:
        ``(...)`` numbers from 0 to 1.
    """
    larger = torch.maximum(log_probs, log_probs + log_ratio).exp()
    return 0.5 * (larger * torch.expm1(-0.5 * log_ratio.abs()) ** 2).sum(dim=-1)
