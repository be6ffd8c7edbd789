"""The one encoder class: every model open_clip can build, from the starter to the large ones of the hubs."""

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anchordiv.encoders import prompts as reading
from anchordiv.encoders.model_source import ModelSource, digest, find_model, patient_only_with_network
from anchordiv.encoders.protocol import EncodedTexts, EncoderCard
from anchordiv.errors import InputError, ModelUnavailable

if TYPE_CHECKING:
    import torch
    from PIL.Image import Image

# Part of the identity: raise it when the same picture or prompt begins to give another vector.
_READING_VERSION = 1
_TEXT_BATCH = 64
# Narrower pictures are cropped or padded to this ratio first; resizing them as they are takes gigabytes or fails.
_NARROWEST = 16
_MANY_LANGUAGES = ("xlm", "nllb", "worldwide", "siglip2", "i18n", "mt5", "multilingual")


class OpenClipEncoder:
    """A dual encoder loaded by open_clip.

    Args:
        name: "ViT-B-32/laion2b_s34b_b79k", "hf-hub:org/name", a folder in open_clip's local-dir format (with or
            without "local-dir:"), or "ARCHITECTURE@FILE" for weights of a named architecture in a file, such as
            "ViT-B-32@weights.safetensors". A .pt, .pth or .bin file is read as plain tensors only.
        device: "auto", "cpu", "cuda", "cuda:1" or "mps".
        label: the name people see instead of the folder's.
        facts: what the card says: any of description, good_at, bad_at, languages.

    Raises:
        InputError: if the device is no device, or not one of this machine.
        ModelUnavailable: if the model is not to be had here.
    """

    def __init__(
        self,
        name: str,
        *,
        device: str = "auto",
        label: str | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None:
        from anchordiv.geometry import device_of

        self._device = device_of(device)
        with patient_only_with_network(name):
            source = find_model(name, label)
            self._model, config = _build(source)
            self._tokenizer = _tokenizer(source)
        self._convolutional = _is_convolutional(self._model.visual)
        self._model = self._model.eval().requires_grad_(False).to(self._device)
        if self._convolutional:
            import torch

            self._model.visual.to(memory_format=torch.channels_last)
        self._context_length = int(self._tokenizer.context_length)
        self._preprocess, self._preprocess_config = _preprocess(self._model)
        self._identity = f"{source.label}#" + digest(
            {
                "model": config,
                "quick_gelu": source.quick_gelu,
                "preprocess": self._preprocess_config,
                "tokenizer": type(self._tokenizer).__name__,
                "context_length": self._context_length,
                "precision": "fp32",
                "reading": _READING_VERSION,
            },
            (source.weights, *source.tokenizer_files),
        )
        self._dim = int(config["embed_dim"])
        self._card = _card(self._model, source.label, self._context_length, self._device, facts or {})

    @property
    def identity(self) -> str:
        """Everything that determines a vector: the model's name, then a digest of weights and configuration."""
        return self._identity

    @property
    def dim(self) -> int:
        """The width d of the embeddings."""
        return self._dim

    @property
    def concentration(self) -> float:
        """The model's own inverse temperature, exp(logit_scale)."""
        return float(self._model.logit_scale.detach().double().exp().mean())

    @property
    def card(self) -> EncoderCard:
        """What a person should know about this encoder."""
        return self._card

    def encode_images(
        self,
        images: "Sequence[Image]",
        *,
        batch_size: int = 32,
        progress: Callable[[int, int], None] | None = None,
    ) -> NDArray[np.float32]:
        """Embed pictures; the vectors do not depend on the batches.

        Args:
            images: n upright RGB pictures of any size.
            batch_size: pictures per pass.
            progress: called with (done, total) after each batch; raising from it stops the work.

        Returns:
            (n, d) float32 of unit length.
        """
        if batch_size < 1:
            raise InputError(f"A batch holds at least one picture; batch_size is {batch_size}.")
        import torch

        rows = [np.empty((0, self._dim), np.float32)]
        with ThreadPoolExecutor(max_workers=4) as pool, torch.inference_mode(), _exact_convolutions(self._device):
            for start in range(0, len(images), batch_size):
                batch = images[start : start + batch_size]
                pixels = torch.stack(list(pool.map(self._pixels, batch))).to(self._device)
                if self._convolutional:
                    pixels = pixels.contiguous(memory_format=torch.channels_last)
                rows.append(self._unit(self._model.encode_image(pixels)))
                if progress is not None:
                    progress(start + len(batch), len(images))
        return np.concatenate(rows)

    def encode_texts(self, prompts: Sequence[str], *, templates: Sequence[str] = ("{}",)) -> EncodedTexts:
        """Embed prompts; with several templates, as the renormalised mean over them.

        Args:
            prompts: n texts with something visible in each.
            templates: texts with ``{}`` where the prompt goes.

        Returns:
            (n, d) unit vectors, and per prompt the words that did not fit (of the template that loses most).

        Raises:
            InputError: if a prompt is blank or holds control characters, or a template has no ``{}``.
        """
        if isinstance(prompts, str):
            raise InputError("encode_texts takes a list of prompts; put a single one into brackets.")
        checked = [reading.checked_prompt(prompt) for prompt in prompts]
        frames = reading.checked_templates(templates)
        total = np.zeros((len(checked), self._dim), np.float64)
        cut = [""] * len(checked)
        for frame in frames:
            texts = [frame.replace("{}", prompt) for prompt in checked]
            total += self._embed_texts(texts)
            unread = [reading.cut_words(text, self._fits, self._context_length) for text in texts]
            cut = [max(pair, key=len) for pair in zip(cut, unread, strict=True)]
        lengths = np.linalg.norm(total, axis=1, keepdims=True)
        return EncodedTexts((total / np.where(lengths > 0, lengths, 1.0)).astype(np.float32), tuple(cut))

    def _embed_texts(self, texts: list[str]) -> NDArray[np.float32]:
        """Embed filled-in texts: n texts -> (n, d) of unit length."""
        import torch

        near = [reading.within_reach(text, self._context_length) for text in texts]
        rows = [np.empty((0, self._dim), np.float32)]
        with torch.inference_mode():
            for start in range(0, len(near), _TEXT_BATCH):
                tokens = self._tokens(near[start : start + _TEXT_BATCH], self._context_length)
                rows.append(self._unit(self._model.encode_text(tokens.to(self._device))))
        return np.concatenate(rows)

    def _tokens(self, texts: list[str], context_length: int) -> "torch.Tensor":
        """Tokenize as the model was trained: n texts -> (n, context_length) long."""
        tokens: torch.Tensor = self._tokenizer(
            [reading.readable(text) for text in texts], context_length=context_length
        )
        return tokens

    def _fits(self, text: str) -> bool:
        """Tell whether a text is read to its end: then one more place for a token changes nothing before it."""
        length = self._context_length
        tight, loose = self._tokens([text], length)[0], self._tokens([text], length + 1)[0]
        # The "clips" mode closes every row with a mark of its own, so there the last place says nothing.
        compared = length - 1 if getattr(self._tokenizer, "tokenizer_mode", "") == "clips" else length
        return bool((tight[:compared] == loose[:compared]).all())

    def _pixels(self, image: "Image") -> "torch.Tensor":
        """Prepare one picture as the model was trained: (3, h, w) float32."""
        if image.mode != "RGB":
            image = image.convert("RGB")
        pixels: torch.Tensor = self._preprocess(_not_too_narrow(image, self._preprocess_config))
        return pixels

    def _unit(self, features: "torch.Tensor") -> NDArray[np.float32]:
        """Scale features to unit length on the CPU: (b, d) -> (b, d) float32."""
        unit = features.float() / features.float().norm(dim=-1, keepdim=True)
        embeddings: NDArray[np.float32] = unit.cpu().numpy()
        if not np.isfinite(embeddings).all():
            raise ModelUnavailable(
                f"The encoder {self._card.name} gives vectors that are not finite; its weights are damaged."
            )
        return embeddings


def _exact_convolutions(device: "torch.device") -> AbstractContextManager[None]:
    """Keep convolutions in full float32 on CUDA; by default they drop to 10 bits, and then batches matter."""
    import torch

    if device.type != "cuda":
        return nullcontext()
    exact: AbstractContextManager[None] = torch.backends.cudnn.flags(enabled=True, allow_tf32=False)
    return exact


def _build(source: ModelSource) -> tuple[Any, dict[str, Any]]:
    """Build the model and load its weights: (model on the CPU in float32, its configuration)."""
    import open_clip

    _refuse_unreadable(source.weights)
    try:
        config = open_clip.get_model_config(source.architecture)
        with _without_random_start():
            model = open_clip.create_model(
                source.architecture,
                pretrained=source.pretrained,
                precision="fp32",
                device="cpu",
                jit=False,
                # open_clip only warns when the weights want the other GELU, and then gives wrong vectors.
                force_quick_gelu=source.quick_gelu,
                weights_only=True,
                require_pretrained=True,
            )
    except ImportError as error:
        raise ModelUnavailable(f"{source.label} needs a package that is not installed: {error.name}.") from error
    except Exception as error:
        raise ModelUnavailable(
            f"The weights in {source.weights.name} do not fit {source.label}: the file is damaged or belongs to "
            "another architecture."
        ) from error
    return model, json.loads(json.dumps(config))


def _without_random_start() -> AbstractContextManager[Any]:
    """Skip drawing random numbers for weights that are loaded (all of them, strictly) right afterwards.

    It takes as long as the loading itself.
    """
    import torch
    from torch.overrides import TorchFunctionMode

    draws = {torch.Tensor.normal_, torch.Tensor.uniform_}

    class WithoutRandomStart(TorchFunctionMode):
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return args[0] if func in draws else func(*args, **(kwargs or {}))

    return WithoutRandomStart()


def _refuse_unreadable(weights: Path) -> None:
    """Refuse a damaged weights file, and one that would run code when it is opened."""
    import torch
    from safetensors import SafetensorError, safe_open

    try:
        if weights.suffix == ".safetensors":
            with safe_open(weights, framework="pt") as file:
                file.keys()
        else:
            torch.load(weights, map_location="cpu", weights_only=True)
    except (SafetensorError, OSError, EOFError) as error:
        raise ModelUnavailable(f"The weights file {weights.name} is damaged or cut off; fetch it again.") from error
    except Exception as error:
        raise ModelUnavailable(
            f"{weights.name} is damaged, or holds more than plain tensors and could run code when opened; "
            "a .safetensors file of the same weights is safe."
        ) from error


def _tokenizer(source: ModelSource) -> Any:
    """Build the tokenizer that belongs to the model."""
    import open_clip

    try:
        return open_clip.get_tokenizer(source.architecture)
    except ImportError as error:
        raise ModelUnavailable(
            f"The tokenizer of {source.label} needs the package {error.name or 'transformers'}; "
            "install it with pip and try again."
        ) from error
    except Exception as error:
        raise ModelUnavailable(
            f"The tokenizer of {source.label} could not be loaded (no network, or its files are missing)."
        ) from error


def _preprocess(model: Any) -> tuple[Callable[["Image"], "torch.Tensor"], dict[str, Any]]:
    """Return the model's own inference transform and its settings."""
    from open_clip.transform import PreprocessCfg, image_transform_v2

    settings = dict(model.visual.preprocess_cfg)
    transform: Callable[[Image], torch.Tensor] = image_transform_v2(PreprocessCfg(**settings), is_train=False)
    return transform, json.loads(json.dumps(settings))


def _is_convolutional(tower: Any) -> bool:
    """Tell whether a tower is made of convolutions (many) or only starts with one, as a ViT does."""
    import torch

    return sum(isinstance(module, torch.nn.Conv2d) for module in tower.modules()) > 4


def _not_too_narrow(image: "Image", settings: Mapping[str, Any]) -> "Image":
    """Crop or pad a picture more than 16 times as long as wide, as the transform itself would end up doing."""
    width, height = image.size
    most = _NARROWEST * min(width, height)
    if max(width, height) <= most or settings["resize_mode"] == "squash":
        return image
    from PIL import Image as Pictures

    if settings["resize_mode"] == "shortest":
        size = (min(width, most), min(height, most))
        left, top = (width - size[0]) // 2, (height - size[1]) // 2
        return image.crop((left, top, left + size[0], top + size[1]))
    size = (max(width, height // _NARROWEST), max(height, width // _NARROWEST))
    padded = Pictures.new("RGB", size, (int(settings["fill_color"]),) * 3)
    padded.paste(image, ((size[0] - width) // 2, (size[1] - height) // 2))
    return padded


def _card(model: Any, label: str, context_length: int, device: "torch.device", facts: Mapping[str, str]) -> EncoderCard:
    """Fill the card from the model itself and what is known about it."""
    side = model.visual.preprocess_cfg["size"]
    many = any(word in label.lower() for word in _MANY_LANGUAGES)
    return EncoderCard(
        name=label,
        description=facts.get("description", "A CLIP-like dual encoder loaded by open_clip."),
        good_at=facts.get("good_at", "photographs and pictures like those of the web it was trained on"),
        bad_at=facts.get("bad_at", "counting, negation, and special fields it has not seen"),
        languages=facts.get("languages", "many languages" if many else "English"),
        context_length=context_length,
        image_size=int(side if isinstance(side, int) else max(side)),
        parameters=sum(weights.numel() for weights in model.parameters()),
        device=device.type,
    )
