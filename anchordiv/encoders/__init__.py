"""Encoders turn pictures and prompts into unit vectors; importing this package loads neither torch nor open_clip."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anchordiv.encoders.open_clip import OpenClipEncoder as OpenClipEncoder
    from anchordiv.encoders.presets import load_encoder as load_encoder
    from anchordiv.encoders.prompt_bank import text_mean as text_mean
    from anchordiv.encoders.protocol import EncodedTexts as EncodedTexts
    from anchordiv.encoders.protocol import Encoder as Encoder
    from anchordiv.encoders.protocol import EncoderCard as EncoderCard

_HOME = {
    "EncodedTexts": "anchordiv.encoders.protocol",
    "Encoder": "anchordiv.encoders.protocol",
    "EncoderCard": "anchordiv.encoders.protocol",
    "OpenClipEncoder": "anchordiv.encoders.open_clip",
    "load_encoder": "anchordiv.encoders.presets",
    "text_mean": "anchordiv.encoders.prompt_bank",
}

__all__ = ["EncodedTexts", "Encoder", "EncoderCard", "OpenClipEncoder", "load_encoder", "text_mean"]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'anchordiv.encoders' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})
