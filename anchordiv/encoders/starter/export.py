"""Write the starter in open_clip's own folder format: configuration and half-precision safetensors weights."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor, nn

from anchordiv.encoders.starter.distil import CONTEXT, DIM, HEADS, LAYERS, VOCABULARY, WIDTH
from anchordiv.encoders.starter.features import MEAN, SIDE, STD

CONFIG: dict[str, Any] = {
    "model_cfg": {
        "embed_dim": DIM,
        "custom_text": True,
        "vision_cfg": {
            "timm_model_name": "tf_efficientnet_lite0",
            "timm_model_pretrained": False,
            "timm_pool": "avg",
            "timm_proj": "mlp",
            "timm_proj_bias": True,
            "image_size": SIDE,
        },
        "text_cfg": {
            "context_length": CONTEXT,
            "vocab_size": VOCABULARY,
            "width": WIDTH,
            "heads": HEADS,
            "layers": LAYERS,
        },
    },
    "preprocess_cfg": {
        "size": SIDE,
        "mean": [MEAN] * 3,
        "std": [STD] * 3,
        "interpolation": "bicubic",
        "resize_mode": "longest",
        "fill_color": 255,
    },
}

WEIGHTS = "open_clip_model.safetensors"


def export(trunk: nn.Module, head: dict[str, Tensor], tower: nn.Module, log_scale: float, out: Path) -> None:
    """Write the model's folder; open_clip itself must accept every name and shape before anything is written.

    Args:
        trunk: the EfficientNet; its classifier is left behind.
        head: the projection by open_clip's names of the head ("mlp.fc1.weight", ...).
        tower: the text tower.
        log_scale: the logarithm of the concentration.
        out: the folder.
    """
    from open_clip.model import CustomTextCLIP

    state = {f"visual.trunk.{k}": v for k, v in trunk.state_dict().items() if not k.startswith("classifier.")}
    state |= {f"visual.head.{k}": v for k, v in head.items()}
    state |= {f"text.{k}": v for k, v in tower.state_dict().items()}
    state["logit_scale"] = torch.tensor(min(log_scale, math.log(100.0)))
    settings = {k: v for k, v in CONFIG["model_cfg"].items() if k != "custom_text"}
    CustomTextCLIP(**settings).load_state_dict(state, strict=True)
    out.mkdir(parents=True, exist_ok=True)
    halves = {k: (v.half() if v.is_floating_point() else v).contiguous() for k, v in state.items()}
    if not all(bool(torch.isfinite(v).all()) for v in halves.values()):
        raise ValueError("a weight does not fit into half precision; the training went astray")
    save_file(halves, str(out / WEIGHTS))
    (out / WEIGHTS).chmod(0o644)  # safetensors writes files for their owner alone; these are shipped
    (out / "open_clip_config.json").write_text(json.dumps(CONFIG, indent=2) + "\n", "utf-8")
