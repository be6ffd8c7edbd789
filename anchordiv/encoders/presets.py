"""Encoders by name: the starter that ships with the package, and every name OpenClipEncoder understands."""

from typing import TYPE_CHECKING

from anchordiv.encoders.protocol import Encoder
from anchordiv.errors import InputError
from anchordiv.places import assets_dir

if TYPE_CHECKING:
    from pathlib import Path

STARTER = "starter"


def starter_dir() -> "Path":
    """Return the folder of the starter model."""
    return assets_dir() / "starter"


def load_encoder(name: str = STARTER, *, device: str = "auto") -> Encoder:
    """Load an encoder by name; "starter" needs no network.

    Args:
        name: "starter"; a hub name such as "ViT-B-32/laion2b_s34b_b79k" or "hf-hub:org/name"; a folder in
            open_clip's local-dir format; or "ARCHITECTURE@FILE", such as "ViT-B-32@weights.safetensors".
        device: "auto" (the first of cuda, mps and cpu that is there), or one of these.

    Raises:
        InputError: if the name is no text or blank.
        ModelUnavailable: if the model cannot be loaded here; the sentence says why and what works instead.
    """
    if not isinstance(name, str) or not name.strip():
        raise InputError('An encoder is chosen by its name, such as "starter" or "ViT-B-32/laion2b_s34b_b79k".')
    from anchordiv.encoders.open_clip import OpenClipEncoder

    if name.strip().lower() == STARTER:
        return OpenClipEncoder(str(starter_dir()), device=device, label=STARTER, facts=STARTER_FACTS)
    return OpenClipEncoder(name, device=device)


STARTER_FACTS = {
    "description": "A small dual encoder that ships with Anchordiv and runs without a network.",
    "good_at": "drawings, icons, styles and simple photographs of one thing",
    "bad_at": "crowded scenes, text in pictures, faces, fine detail and medical images",
    "languages": "English",
}
