"""The training pictures: which file, which words, which style, which part of the split."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from PIL import Image

from anchordiv.encoders.starter.concepts import Concept, fraction, plain_code, read_concepts, split_of
from anchordiv.encoders.starter.stylise import EFFECTS, on_white, stylise

VENDORS = {
    "noto": ("package/img/google/64", "flat"),
    "twemoji": ("package/img/twitter/64", "flat"),
    "fluent": ("package/assets", "3d"),
}


COLLECTION = 4
"""A title that more clip art files than this share names their collection, not what they show."""

COPIES = 6
"""So many files of one name are used; the rest repeat it."""

EMPTY_WORDS = frozenset({"hash", "icons", "unsorted", "svg", "clip art", "clipart", "special", "signs and symbols"})


@dataclass(frozen=True)
class Picture:
    """One picture to learn from or to be measured on.

    ``names`` begins with the best name; ``concept`` is what the split keeps together; ``effect`` redraws the
    file in another style with ``seed`` before anything looks at it; ``colour`` is a colour word or "".
    """

    path: Path
    origin: str
    concept: str
    split: str
    names: tuple[str, ...]
    style: str
    effect: str = ""
    seed: int = 0
    colour: str = ""

    def load(self) -> Image.Image:
        """The picture as the image tower gets it: RGB, square, on white."""
        with Image.open(self.path) as image:
            image.load()
            whole = trimmed(image) if self.origin == "clipart" else image
        return stylise(whole, self.effect, self.seed) if self.effect else on_white(whole)


def trimmed(image: Image.Image) -> Image.Image:
    """The picture without its empty margin, on white; an empty picture stays as it is."""
    image.thumbnail((768, 768), Image.Resampling.BICUBIC)
    rgba = image.convert("RGBA")
    page = Image.new("RGBA", rgba.size, "white")
    page.alpha_composite(rgba)
    grey = page.convert("L").point(lambda v: 255 if v < 250 else 0)
    box = grey.getbbox()
    if box is None:
        return page.convert("RGB")
    room = round(0.04 * max(page.size))
    return page.crop((box[0] - room, box[1] - room, box[2] + room, box[3] + room)).convert("RGB")


def emoji_pictures(unpacked: Path) -> list[Picture]:
    """Every vendor's drawing of every concept."""
    concepts = read_concepts(unpacked / "noto", unpacked / "keywords")
    found = []
    for vendor, (folder, style) in VENDORS.items():
        files = {plain_code(p.stem): p for p in sorted((unpacked / vendor / folder).iterdir())}
        found += [emoji_picture(c, files[c.code], vendor, style) for c in concepts if c.code in files]
    return found


def emoji_picture(concept: Concept, path: Path, vendor: str, style: str) -> Picture:
    """One vendor's drawing of one concept, named and assigned to its part of the split."""
    names = (concept.name, *concept.others, *concept.keywords[:6])
    return Picture(path, vendor, concept.code, split_of(concept.base), names, style)


def clipart_pictures(unpacked: Path) -> Iterator[Picture]:
    """Every clip art picture whose SVG twin has a usable title; the split is made by the title."""
    pngs = unpacked / "clipart-png/usr/share/openclipart/png"
    svgs = unpacked / "clipart-svg/usr/share/openclipart/svg"
    named, seen = {}, Counter[str]()
    for path in sorted(pngs.rglob("*.png")):
        twin = svgs / path.relative_to(pngs).with_suffix(".svg")
        named[path] = clipart_names(twin, path) if twin.exists() else ()
    titles = Counter(names[0] for names in named.values() if names)
    for path, found in named.items():
        names = found
        if found and titles[found[0]] > COLLECTION:
            names = tuple(n for n in dict.fromkeys([plain_title(path.stem), *found[1:]]) if n)
        if names and seen[names[0]] < COPIES and moderate(path):
            seen[names[0]] += 1
            yield Picture(path, "clipart", names[0], split_of("title " + names[0]), names, "clipart")


def moderate(path: Path) -> bool:
    """Whether a picture has at most nine million pixels (some clip art was printed for posters)."""
    with path.open("rb") as stream:
        width, height = struct.unpack(">II", stream.read(24)[16:24])
    return bool(width * height <= 9_000_000)


def clipart_names(svg: Path, png: Path) -> tuple[str, ...]:
    """Title, then keywords, of a clip art file; nothing when its title says nothing."""
    title, subjects = "", []
    try:
        for element in ElementTree.parse(svg).iter():
            tag, text = element.tag.rpartition("}")[2], " ".join((element.text or "").split())
            if tag == "title" and text and not title:
                title = text
            elif tag == "li" and text:
                subjects.append(text.lower())
    except ElementTree.ParseError:
        return ()
    title = plain_title(title)
    folders = [part.replace("_", " ") for part in png.parts[-3:-1] if part != "png"]
    words = [w for w in [*subjects, *folders[::-1]] if re.fullmatch(r"[a-z][a-z '-]{2,24}", w) and w not in EMPTY_WORDS]
    names = tuple(dict.fromkeys(n for n in [title, *words[:6]] if n))
    return names if title else ()


def plain_title(title: str) -> str:
    """A title in lower case without numbers and file endings; "" when it is a placeholder or too long."""
    text = re.sub(r"\.(svg|png)$", "", title.lower())
    text = re.sub(r"[^a-z' ]+", " ", text)
    text = " ".join(w for w in text.split() if w not in {"clip", "clipart", "openclipart", "icon", "svg"})
    placeholder = text in {"", "untitled", "new document", "drawing", "document", "template", "layer"}
    return "" if placeholder or len(text) < 3 or len(text.split()) > 6 else text


def redrawn(pictures: Iterable[Picture], per_picture: int) -> Iterator[Picture]:
    """Each picture again in ``per_picture`` other styles, chosen by its own name."""
    effects = list(EFFECTS)
    for picture in pictures:
        start = int(fraction(f"effect {picture.origin} {picture.path.name}") * len(effects))
        for turn in range(per_picture):
            effect = effects[(start + turn * 7) % len(effects)]
            seed = int(fraction(f"{picture.path.name} {effect}") * 2**31)
            yield replace(picture, style=effect, effect=effect, seed=seed)


def all_pictures(unpacked: Path) -> list[Picture]:
    """Emoji, clip art and their redrawings, in a fixed order."""
    emoji = emoji_pictures(unpacked)
    clipart = list(clipart_pictures(unpacked))
    held_out = [p for p in emoji if p.split != "train"]
    training = [p for p in emoji if p.split == "train"]
    return [
        *emoji,
        *clipart,
        *redrawn(training, 2),
        *redrawn(held_out, 3),
        *redrawn((p for p in clipart if fraction(p.path.name) < 0.5), 1),
    ]
