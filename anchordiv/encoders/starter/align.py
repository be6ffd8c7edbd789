"""Bring pictures into the text tower's space: train the projection of the image features and the temperature."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from anchordiv.encoders.starter.pairs import COLOUR, DRAWN, PHOTO, STYLE_ONLY, THING, Pairs

FEATURES, DIM = 1280, 256


class Projection(nn.Module):
    """The head of the image tower: 1280 -> 512 -> 256, as open_clip builds it from ``timm_proj: mlp``."""

    mean: Tensor
    std: Tensor

    def __init__(self, mean: Tensor, std: Tensor, drop: float) -> None:
        super().__init__()
        self.register_buffer("mean", mean)
        self.register_buffer("std", std)
        self.drop_in, self.drop = nn.Dropout(drop), nn.Dropout(drop)
        self.fc1 = nn.Linear(FEATURES, 2 * DIM)
        self.fc2 = nn.Linear(2 * DIM, DIM)
        self.log_scale = nn.Parameter(torch.tensor(math.log(20.0)))

    def forward(self, features: Tensor) -> Tensor:
        """Unit embeddings of pooled features: (n, 1280) -> (n, 256)."""
        hidden = functional.gelu(self.fc1(self.drop_in((features - self.mean) / self.std)))
        return functional.normalize(self.fc2(self.drop(hidden)), dim=1)

    def folded(self) -> dict[str, Tensor]:
        """The weights with the standardisation folded in, by open_clip's names of the head."""
        weight = self.fc1.weight.detach() / self.std
        return {
            "mlp.fc1.weight": weight,
            "mlp.fc1.bias": self.fc1.bias.detach() - weight @ self.mean,
            "mlp.fc2.weight": self.fc2.weight.detach(),
            "mlp.fc2.bias": self.fc2.bias.detach(),
        }


@dataclass(frozen=True)
class Spoken:
    """What the captions of a batch speak of: their kinds, the name each uses, whether it names a colour; (b,) each."""

    kinds: Tensor
    named: Tensor
    coloured: Tensor


@dataclass(frozen=True)
class Schedule:
    """How the projection is trained."""

    epochs: int = 15
    batch: int = 1024
    peak: float = 1e-3
    decay: float = 0.05
    drop: float = 0.2
    jitter: float = 0.1
    seed: int = 0


def also_true(spoken: Spoken, names: Tensor, styles: Tensor, colours: Tensor) -> Tensor:
    """Whether caption i is true of picture j, (b, b) bool: the picture has the name, style and colour it uses.

    A picture of unknown colour (0) agrees with every colour, so that it is never taken for a counterexample.
    """
    kinds = spoken.kinds[:, None]
    no_thing = (kinds == STYLE_ONLY) | (kinds == DRAWN) | (kinds == COLOUR)
    same_thing = (spoken.named[:, None, None] == names[None]).any(dim=2) | no_thing
    same_style = (styles[:, None] == styles[None]) | (kinds == THING) | (kinds == COLOUR)
    same_style |= (kinds == DRAWN) & (styles != PHOTO)[None]
    same_colour = (colours[:, None] == colours[None]) | ~spoken.coloured[:, None] | (colours == 0)[None]
    return same_thing & same_style & same_colour


def contrast(images: Tensor, texts: Tensor, scale: Tensor, true: Tensor) -> Tensor:
    """Symmetric InfoNCE over unit rows (b, d) that does not push apart pairs which are also true."""
    similarity = scale * texts @ images.T
    others = true & ~torch.eye(len(true), dtype=torch.bool)
    similarity = similarity.masked_fill(others, float("-inf"))
    target = torch.arange(len(images))
    return (functional.cross_entropy(similarity, target) + functional.cross_entropy(similarity.T, target)) / 2


def align(pairs: Pairs, schedule: Schedule, quiet: bool = False) -> Projection:
    """Train a projection on the pairs; equal seeds give equal projections on equal machines."""
    torch.manual_seed(schedule.seed)
    rng = np.random.default_rng(schedule.seed)
    mean, std = pairs.features.mean(0), pairs.features.std(0) + 0.05
    head = Projection(mean, std, schedule.drop)
    optimiser = torch.optim.AdamW(head.parameters(), lr=schedule.peak, weight_decay=schedule.decay)
    probabilities = (pairs.weights / pairs.weights.sum()).double().numpy()
    probabilities = probabilities / probabilities.sum()
    steps = schedule.epochs * max(1, len(pairs.weights) // schedule.batch)
    for step in range(steps):
        for group in optimiser.param_groups:
            group["lr"] = cosine_rate(schedule.peak, step, steps, warm=50)
        rows = torch.from_numpy(rng.choice(len(probabilities), schedule.batch, replace=False, p=probabilities))
        column = torch.from_numpy(rng.integers(0, pairs.texts.shape[1], schedule.batch))
        features = pairs.features_of(rows)
        if schedule.jitter:
            features = features + schedule.jitter * std * torch.randn_like(features)
        texts = pairs.vectors[pairs.texts[rows, column]]
        spoken = Spoken(pairs.kinds[rows, column], pairs.named[rows, column], pairs.coloured[rows, column])
        true = also_true(spoken, pairs.names[rows], pairs.styles[rows], pairs.colours[rows])
        loss = contrast(head(features), texts, head.log_scale.exp(), true)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()
        with torch.no_grad():
            head.log_scale.clamp_(max=math.log(100.0))
        if not quiet and step % 200 == 0:
            print(f"projection: step {step}/{steps}, loss {loss.item():.3f}", flush=True)
    return head.eval()


def cosine_rate(peak: float, step: int, steps: int, warm: int) -> float:
    """The learning rate at a step: up in ``warm`` steps, then down along half a cosine."""
    return peak * min(1.0, (step + 1) / warm) * 0.5 * (1 + math.cos(math.pi * step / steps))
