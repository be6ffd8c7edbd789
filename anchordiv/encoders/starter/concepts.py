"""What the emoji show: concepts with their names, and the split that keeps held-out concepts unseen.

A concept is one emoji without its skin-tone and gender variants and without the flags of countries. All concepts
that share their first code point (and all vendors' drawings of them) fall into the same part of the split.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SEED = 20

SKIN_TONES = frozenset(f"{0x1F3FB + i:X}" for i in range(5))
GENDER_SIGNS = frozenset({"2640", "2642"})
GENDERED_PEOPLE = frozenset({"1F468", "1F469"})
FLAGS = frozenset({"country-flag", "subdivision-flag"})


@dataclass(frozen=True)
class Concept:
    """One thing an emoji shows.

    ``code`` is the sequence of code points in hexadecimal without variation selectors ("1F34E"), ``name`` the
    short name ("red apple"), ``others`` further names and ``keywords`` looser words.
    """

    code: str
    name: str
    others: tuple[str, ...]
    keywords: tuple[str, ...]

    @property
    def base(self) -> str:
        """The first code point, by which the split is made."""
        return self.code.split("-")[0]


def fraction(key: str, seed: int = SEED) -> float:
    """A number in [0, 1) that depends on the key and the seed alone."""
    digest = hashlib.sha256(f"{seed}|{key}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def split_of(key: str, *, test: float = 0.13, validation: float = 0.08, seed: int = SEED) -> str:
    """Which part ("test", "validation" or "train") everything with this key belongs to."""
    place = fraction(key, seed)
    if place < test:
        return "test"
    return "validation" if place < test + validation else "train"


def plain_code(unified: str) -> str:
    """Code points in upper-case hexadecimal, joined by "-", without variation selectors."""
    return "-".join(point for point in unified.upper().split("-") if point != "FE0F")


def is_variant(code: str) -> bool:
    """Whether a code point sequence is a skin-tone or gender variant of another emoji."""
    points = code.split("-")
    gendered = len(points) > 1 and points[0] in GENDERED_PEOPLE
    return gendered or bool(SKIN_TONES.intersection(points) or GENDER_SIGNS.intersection(points))


def read_concepts(noto: Path, keywords: Path) -> list[Concept]:
    """All concepts of the emoji list in the unpacked ``noto`` source, named by the ``keywords`` source."""
    records = json.loads((noto / "package/emoji.json").read_text("utf-8"))
    words = json.loads((keywords / "package/dist/emoji-en-US.json").read_text("utf-8"))
    by_code = {plain_code("-".join(f"{ord(c):04X}" for c in emoji)): entry for emoji, entry in words.items()}
    return concepts_of(records, by_code)


def concepts_of(records: Sequence[Mapping[str, Any]], words: Mapping[str, Sequence[str]]) -> list[Concept]:
    """Concepts of emoji records; ``words`` maps a plain code to its short name followed by keywords."""
    concepts = []
    for record in records:
        code = plain_code(str(record["unified"]))
        if is_variant(code) or record.get("subcategory") in FLAGS or record.get("category") == "Component":
            continue
        entry = [spoken(word) for word in words.get(code, ())]
        formal = spoken(str(record["name"]).lower())
        slack = [spoken(name) for name in record.get("short_names", ())]
        name = entry[0] if entry else (slack[0] if slack else formal)
        others = tuple(dict.fromkeys(n for n in [*slack, formal] if n != name and is_words(n)))
        loose = tuple(dict.fromkeys(w for w in entry[1:] if is_words(w) and w != name))
        concepts.append(Concept(code=code, name=name, others=others, keywords=loose))
    return concepts


def spoken(name: str) -> str:
    """A name as one would say it: "red_apple" becomes "red apple"."""
    return " ".join(name.replace("_", " ").replace("-", " ").split())


def is_words(text: str) -> bool:
    """Whether a keyword consists of words (and is no emoticon such as ":D")."""
    return len(text) > 1 and all(c.isalnum() or c in " '’.," for c in text) and any(c.isalpha() for c in text)
