"""Context files: ``NAME.anchors.json``, self-contained, versioned, plain JSON and nothing executable."""

import base64
import binascii
import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from anchordiv.contexts.context import Context
from anchordiv.contexts.groups import Anchor, Group, Vector
from anchordiv.errors import InputError

FORMAT = "anchordiv-context"
VERSION = 1
LARGEST_FILE = 64 * 2**20


def save_context(context: Context, path: Path) -> None:
    """Write a context beside ``path`` first and rename it, so that a crash leaves the old file whole."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "encoder": context.encoder_identity,
        "dim": context.dim,
        "model": context.model,
        "concentration": context.concentration,
        "text_mean": None if context.text_mean is None else _encode(context.text_mean),
        "groups": [
            {
                "name": group.name,
                "weight": group.weight,
                "colour": group.colour,
                "anchors": [
                    {
                        "kind": anchor.kind,
                        "label": anchor.label,
                        "item_id": anchor.item_id,
                        "cut": anchor.cut,
                        "weight": anchor.weight,
                        "embedding": _encode(anchor.embedding),
                    }
                    for anchor in group.anchors
                ],
            }
            for group in context.groups
        ],
    }
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, ensure_ascii=False, indent=1)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def load_context(path: Path) -> Context:
    """Read a context file.

    Raises:
        InputError: one sentence for a file that is missing, damaged, foreign, too large or newer.
    """
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise InputError(f"{path.name} is larger than a context file can be ({LARGEST_FILE // 2**20} MB).")
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path.name} is not a context file: it holds no readable JSON.") from error
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{path.name} is not a context file; save one from Explore or with Context.save.")
    if content.get("version") != VERSION:
        raise InputError(
            f"{path.name} has format version {content.get('version')!r}, this anchordiv reads {VERSION}; update it."
        )
    try:
        return _context(content)
    except InputError as error:
        raise InputError(f"{path.name} cannot be used: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise InputError(f"{path.name} is damaged: a field is missing or of the wrong kind ({error}).") from error


def _context(content: dict[str, Any]) -> Context:
    text_mean = content["text_mean"]
    return Context(
        tuple(_group(group) for group in content["groups"]),
        content["model"],
        float(content["concentration"]),
        str(content["encoder"]),
        int(content["dim"]),
        None if text_mean is None else _decode(text_mean),
    )


def _group(group: dict[str, Any]) -> Group:
    colour = str(group["colour"])
    if len(colour) != 7 or colour[0] != "#" or any(c not in "0123456789abcdefABCDEF" for c in colour[1:]):
        raise InputError(f"the colour {colour!r} is not of the form #rrggbb.")
    anchors = tuple(_anchor(anchor) for anchor in group["anchors"])
    return Group(str(group["name"]), anchors, float(group["weight"]), colour)


def _anchor(anchor: dict[str, Any]) -> Anchor:
    if anchor["kind"] not in ("text", "image"):
        raise InputError(f"an anchor is a text or an image, got {anchor['kind']!r}.")
    return Anchor(
        anchor["kind"],
        str(anchor["label"]),
        _decode(anchor["embedding"]),
        str(anchor["item_id"]),
        str(anchor["cut"]),
        float(anchor["weight"]),
    )


def _encode(vector: Vector) -> str:
    return base64.b64encode(np.asarray(vector, dtype="<f4").tobytes()).decode("ascii")


def _decode(text: str) -> Vector:
    return np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4").astype(np.float32)
