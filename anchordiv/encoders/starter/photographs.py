"""Photographs without photographs: what the ImageNet classifier's own weights say a photographed thing looks like.

We train on no photographs. But the classifier that comes with the image tower knows a thousand things from
photographs: its weight row of a class points where features of that class lie, and the statistics of its last
batch normalisation tell how the features of photographs are spread.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from anchordiv.encoders.starter.pictures import Picture

TOP = 6.0
"""Where ReLU6 cuts."""

COPIES, SPREAD, STRENGTH = 3, 0.35, (10.0, 30.0)
"""Captioned copies of a class, deviation of a pooled feature, how far to go along a row."""


def photographic_mean(model: Any) -> Tensor:
    """The mean pooled feature over ImageNet, (1280,), from the last batch normalisation.

    That layer's output has mean beta and deviation gamma over ImageNet's pixels; taking it for normal, the
    mean after ReLU6 is a closed formula, and pooling does not change a mean.
    """
    beta, gamma = model.bn2.bias.detach(), model.bn2.weight.detach().abs() + 1e-6
    return partial_mean(beta, gamma, 0.0) - partial_mean(beta, gamma, TOP)


def partial_mean(mean: Tensor, deviation: Tensor, cut: float) -> Tensor:
    """E[max(x - cut, 0)] of a normal x."""
    z = (mean - cut) / deviation
    density = torch.exp(-0.5 * z * z) / math.sqrt(2 * math.pi)
    below = 0.5 * (1 + torch.erf(z / math.sqrt(2)))
    return (mean - cut) * below + deviation * density


@dataclass(frozen=True)
class Imagination:
    """Draws features that photographs of ImageNet classes might have.

    ``background`` (k, 1280) holds features of pictures, scaled to the photographic mean; every imagined feature
    takes each of its numbers from another of these rows, which keeps how sparse features are and forgets what the
    pictures show. ``towards`` (1000, 1280) is the direction of each class: by linear discriminants, a class mean is
    the mean plus covariance times weight row.
    """

    background: Tensor
    towards: Tensor

    def __call__(self, classes: Tensor) -> Tensor:
        """A new feature for each class number, (n,) -> (n, 1280), from torch's own random stream."""
        rows = torch.randint(0, len(self.background), (len(classes), self.background.shape[1]))
        low, high = STRENGTH
        strength = low + (high - low) * torch.rand(len(classes), 1)
        return (self.background.gather(0, rows) + strength * self.towards[classes]).clamp(0, TOP)


def imagination(model: Any, seen: Tensor) -> Imagination:
    """The imagination of a classifier that has seen some pictures, features (k, 1280)."""
    rows = model.classifier.weight.detach()
    ratio = photographic_mean(model).clamp_min(1e-3) / seen.mean(0).clamp_min(1e-3)
    return Imagination(seen * ratio.clamp(0.3, 3.0), SPREAD**2 * (rows - rows.mean(0)))


def class_pictures(names: Sequence[tuple[str, ...]], copies: int = COPIES) -> list[Picture]:
    """The ImageNet classes, each with its names, as pictures without files as often as ``copies``."""
    once = [Picture(Path(), "imagenet", own[0], "train", own, "photo") for own in names]
    return once * copies
