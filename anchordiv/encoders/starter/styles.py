"""How people call the styles the starter is taught, and the words held back to measure other wording."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Style:
    """One style: nouns and adjectives used in captions, and nouns that no training caption contains."""

    nouns: tuple[str, ...]
    ways: tuple[str, ...]
    other: tuple[str, ...]


STYLES: dict[str, Style] = {
    "flat": Style(
        ("flat icon", "flat colour icon", "simple flat illustration", "emoji", "flat design icon"),
        ("in flat design", "as a flat icon", "in flat colours"),
        ("flat vector graphic", "plain app symbol with solid colours"),
    ),
    "3d": Style(
        ("3D render", "3D rendering", "glossy 3D icon", "three-dimensional render", "3D emoji"),
        ("rendered in 3D", "as a glossy 3D model"),
        ("computer generated three-dimensional object", "shiny plastic-looking CGI model"),
    ),
    "clipart": Style(
        ("clip art", "clipart", "vector illustration", "clip art picture", "cartoon clip art"),
        ("as clip art", "in a cartoon style"),
        ("cartoon vector drawing", "office document illustration"),
    ),
    "outline": Style(
        ("line drawing", "outline drawing", "black and white line art", "outline", "ink line drawing"),
        ("drawn in outline", "in thin black lines", "as line art"),
        ("contour drawing", "colouring book page"),
    ),
    "pencil": Style(
        ("pencil drawing", "pencil sketch", "graphite drawing", "hand-drawn pencil sketch"),
        ("drawn in pencil", "sketched with a pencil", "in graphite"),
        ("lead pencil study on paper", "rough sketch made with a pencil"),
    ),
    "charcoal": Style(
        ("charcoal drawing", "charcoal sketch", "smudged charcoal drawing"),
        ("drawn in charcoal", "in black charcoal"),
        ("picture made with a stick of charcoal", "dark smoky charcoal study"),
    ),
    "watercolour": Style(
        ("watercolour painting", "watercolor painting", "watercolour", "watercolor", "aquarelle"),
        ("painted in watercolour", "painted with watercolors", "in watercolour"),
        ("water colour picture with soft washes", "painting made with watercolour paints"),
    ),
    "oil": Style(
        ("oil painting", "oil on canvas", "thick oil painting", "impasto painting"),
        ("painted in oil", "in oil paint", "painted with thick brush strokes"),
        ("canvas painted with oils", "picture in heavy oil paint"),
    ),
    "pixel art": Style(
        ("pixel art", "8-bit pixel art", "pixel art sprite", "pixelated image", "retro game sprite"),
        ("as pixel art", "in 8-bit pixels", "made of big pixels"),
        ("old video game graphic", "low resolution blocky image"),
    ),
    "stained glass": Style(
        ("stained glass window", "stained glass", "stained-glass picture", "leaded glass panel"),
        ("in stained glass", "made of stained glass", "as a stained glass window"),
        ("church window made of coloured glass", "coloured glass pieces joined by lead"),
    ),
    "pointillism": Style(
        ("pointillist painting", "pointillism", "dot painting", "painting made of dots"),
        ("in pointillism", "painted with small dots", "made of many coloured dots"),
        ("picture of tiny colour points", "pointillist artwork"),
    ),
    "blueprint": Style(
        ("blueprint", "technical drawing", "blueprint drawing", "architect's plan"),
        ("as a blueprint", "in white lines on blue", "drawn on blueprint paper"),
        ("engineering plan on blue paper", "white technical lines on a blue sheet"),
    ),
    "neon": Style(
        ("neon sign", "neon light", "glowing neon sign", "neon tube sign"),
        ("in neon", "in glowing neon lights", "as a neon sign"),
        ("luminous sign at night", "bright glowing neon tubes"),
    ),
    "silhouette": Style(
        ("silhouette", "black silhouette", "shadow silhouette", "solid black shape"),
        ("as a silhouette", "in silhouette", "as a black shape"),
        ("dark shadow figure", "filled black outline shape"),
    ),
    "comic": Style(
        ("comic book drawing", "pop art print", "halftone comic", "comic strip picture"),
        ("in comic book style", "as pop art", "with halftone dots"),
        ("superhero comic panel", "printed comic with raster dots"),
    ),
    "chalk": Style(
        ("chalk drawing", "chalkboard drawing", "chalk on a blackboard", "chalk sketch"),
        ("drawn in chalk", "drawn with chalk on a blackboard"),
        ("blackboard picture made with chalk", "white chalk lines on a school board"),
    ),
    "mosaic": Style(
        ("mosaic", "tile mosaic", "stone mosaic", "mosaic picture"),
        ("as a mosaic", "made of small tiles", "in mosaic"),
        ("picture laid from square stones", "Roman tile floor picture"),
    ),
    "engraving": Style(
        ("engraving", "woodcut", "etching", "old engraved print", "woodcut print"),
        ("as an engraving", "engraved in fine lines", "in woodcut style"),
        ("antique book print of hatched lines", "etched copper plate print"),
    ),
    "photo": Style(
        ("photo", "photograph", "real photo", "picture taken with a camera", "colour photograph"),
        ("photographed", "in a photograph", "in real life"),
        ("snapshot from a camera", "realistic photographic image"),
    ),
}


def with_article(noun: str) -> str:
    """The noun with "a" or "an" where it takes one."""
    if noun.rsplit(maxsplit=1)[-1] in {"art", "clipart", "pointillism", "watercolour", "watercolor", "glass", "canvas"}:
        return noun
    return f"an {noun}" if noun[0].lower() in "aeiou8" else f"a {noun}"
