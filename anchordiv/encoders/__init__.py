"""Encoders turn pictures and prompts into unit vectors; importing this package loads neither torch nor open_clip."""

from typing import TYPE_CHECKING

from anchordiv.lazy import public_names

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

__getattr__, __dir__, __all__ = public_names(__name__, _HOME)
