"""Tiny models with random weights in open_clip's own formats: a ViT and a convolutional one."""

import json
import warnings

import pytest

TEXT = {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 1}
VISIONS = {
    "vit": {"image_size": 32, "layers": 1, "width": 32, "patch_size": 16, "head_width": 16},
    "conv": {
        "timm_model_name": "test_efficientnet",
        "timm_model_pretrained": False,
        "timm_pool": "avg",
        "timm_proj": "mlp",
        "timm_proj_bias": True,
        "image_size": 32,
    },
}
PREPROCESS = {
    "vit": {"mean": [0.5] * 3, "std": [0.5] * 3, "interpolation": "bicubic", "resize_mode": "shortest"},
    "conv": {
        "mean": [127 / 255] * 3,
        "std": [128 / 255] * 3,
        "interpolation": "bicubic",
        "resize_mode": "longest",
        "fill_color": 255,
    },
}


@pytest.fixture(scope="session")
def model_dir(tmp_path_factory):
    """Return a function: kind -> folder of that tiny model."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    made = {}

    def make(kind):
        if kind not in made:
            folder = tmp_path_factory.mktemp(f"tiny_{kind}")
            model_cfg = {
                "embed_dim": 24,
                "custom_text": kind == "conv",
                "vision_cfg": VISIONS[kind],
                "text_cfg": TEXT,
            }
            config = {"model_cfg": model_cfg, "preprocess_cfg": PREPROCESS[kind]}
            (folder / "open_clip_config.json").write_text(json.dumps(config))
            torch.manual_seed(7)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = open_clip.create_model(f"local-dir:{folder}")
            for module in model.modules():
                # Fresh batch norms pass everything through; running statistics of their own make the test real.
                if isinstance(module, torch.nn.BatchNorm2d):
                    module.running_mean.uniform_(-0.1, 0.1)
                    module.running_var.uniform_(0.5, 1.5)
            weights = {name: tensor.contiguous() for name, tensor in model.state_dict().items()}
            save_file(weights, folder / "open_clip_model.safetensors")
            made[kind] = folder
        return made[kind]

    return make


@pytest.fixture(scope="session")
def encoders(model_dir):
    """Return a function: kind -> loaded encoder on the CPU."""
    from anchordiv.encoders.open_clip import OpenClipEncoder

    loaded = {}

    def load(kind):
        if kind not in loaded:
            loaded[kind] = OpenClipEncoder(str(model_dir(kind)), device="cpu")
        return loaded[kind]

    return load


@pytest.fixture(params=["vit", "conv"])
def encoder(request, encoders):
    return encoders(request.param)


@pytest.fixture
def tiny_architecture(model_dir, monkeypatch):
    """Register the tiny ViT among open_clip's built-in architectures as "Tiny-ViT"; return its weights file."""
    from open_clip import factory

    folder = model_dir("vit")
    config = json.loads((folder / "open_clip_config.json").read_text())["model_cfg"]
    monkeypatch.setitem(factory._MODEL_CONFIGS, "Tiny-ViT", config)
    return folder / "open_clip_model.safetensors"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch):
    """No test asks the network, whatever the machine has."""
    from anchordiv.encoders import model_source

    monkeypatch.setattr(model_source, "_answers", lambda address: False)
