"""Train the last stage of the image tower together with the projection, for a few hundred steps.

The stage was made for photographs of a thousand classes; drawings need a little more of it. So that photographs
keep their meaning, its answers to every picture, read by the ImageNet classifier, are held near the old ones.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anchordiv.encoders.starter.align import Projection, Spoken, also_true, contrast, cosine_rate
from anchordiv.encoders.starter.features import late
from anchordiv.encoders.starter.pairs import Pairs


@dataclass(frozen=True)
class Refinement:
    """How the last stage is trained: steps, pictures and imagined photographs per step, rates, seed.

    ``keep`` weighs the divergence of the classifier's new answers from its old ones, at temperature 2.
    """

    steps: int = 300
    pictures: int = 448
    imagined: int = 96
    stage_rate: float = 3e-4
    head_rate: float = 5e-4
    keep: float = 1.0
    seed: int = 0


def refine(
    trunk: nn.Module, head: Projection, pairs: Pairs, maps: NDArray[np.float16], how: Refinement
) -> tuple[nn.Module, Projection]:
    """Train copies of the trunk's last stage and of the head.

    Args:
        trunk: the classifier; only its last stage is trained, its batch statistics stay.
        head: the projection to start from.
        pairs: the first ``len(maps)`` rows have maps; the rest are imagined features.
        maps: (n, 192, 7, 7) early maps.
        how: the schedule.
    """
    torch.manual_seed(how.seed)
    rng = np.random.default_rng(how.seed)
    old, new, head = trunk, copy.deepcopy(trunk).requires_grad_(False), copy.deepcopy(head).train()
    stage = last_stage(new)
    groups = [{"params": stage, "peak": how.stage_rate}, {"params": list(head.parameters()), "peak": how.head_rate}]
    optimiser = torch.optim.AdamW(groups, lr=how.head_rate, weight_decay=0.02)
    weights = pairs.weights[: len(maps)].double().numpy()
    began = time.monotonic()
    for step in range(how.steps):
        for group in optimiser.param_groups:
            group["lr"] = cosine_rate(group["peak"], step, how.steps, warm=20)
        seen = rng.choice(len(maps), how.pictures, replace=False, p=weights / weights.sum())
        unseen = len(maps) + rng.choice(len(pairs.weights) - len(maps), how.imagined, replace=False)
        rows = torch.from_numpy(np.concatenate([seen, unseen]))
        column = torch.from_numpy(rng.integers(0, pairs.texts.shape[1], len(rows)))
        before = pairs.features_of(rows)
        batch = torch.from_numpy(maps[seen]).float().contiguous(memory_format=torch.channels_last)
        after = late(new, batch)
        loss = pair_loss(head, pairs, rows, column, torch.cat([after, before[len(seen) :]]))
        loss = loss + how.keep * forgetting(old, before[: len(seen)], after)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        if step % 50 == 0:
            took = time.monotonic() - began
            print(f"last stage: step {step}/{how.steps}, loss {loss.item():.3f}, {took:.0f} s", flush=True)
    return new.eval(), head.eval()


def last_stage(trunk: Any) -> list[nn.Parameter]:
    """The weights of everything behind the early maps, made trainable."""
    parts = (trunk.blocks[-1], trunk.conv_head, trunk.bn2)
    weights = [w for part in parts for w in part.parameters()]
    for weight in weights:
        weight.requires_grad_(True)
    return weights


def pair_loss(head: Projection, pairs: Pairs, rows: Tensor, column: Tensor, features: Tensor) -> Tensor:
    """The contrastive loss of a batch: rows (b,) of the pairs, which caption of each (b,), features (b, 1280)."""
    noisy = features + 0.1 * head.std * torch.randn_like(features)
    spoken = Spoken(pairs.kinds[rows, column], pairs.named[rows, column], pairs.coloured[rows, column])
    true = also_true(spoken, pairs.names[rows], pairs.styles[rows], pairs.colours[rows])
    return contrast(head(noisy), pairs.vectors[pairs.texts[rows, column]], head.log_scale.exp(), true)


def forgetting(trunk: Any, before: Tensor, after: Tensor) -> Tensor:
    """How far the ImageNet classifier's answers to features (b, 1280) have moved, in nats at temperature 2."""
    with torch.no_grad():
        wanted = functional.log_softmax(trunk.classifier(before) / 2, dim=1)
    found = functional.log_softmax(trunk.classifier(after) / 2, dim=1)
    return functional.kl_div(found, wanted, log_target=True, reduction="batchmean")
