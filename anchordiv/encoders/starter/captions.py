"""The sentences the text tower learns: everything people might type, in many wordings, in a fixed order."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from anchordiv.encoders.starter import words
from anchordiv.encoders.starter.concepts import read_concepts
from anchordiv.encoders.starter.pictures import clipart_pictures
from anchordiv.encoders.starter.styles import STYLES, with_article

EVERYDAY = {"05", "06", "08", "13", "17", "20"}
"""WordNet's files of animals, artifacts, bodies, food, natural objects and plants."""

GLOSSED = EVERYDAY | {"04", "07", "11", "12", "14", "15", "16", "18", "19", "21", "22", "25", "26", "27", "10", "09"}


TOO_GENERAL = frozenset(
    {"artifact", "whole", "object", "entity", "unit", "matter", "physical entity", "instrumentality"}
)


def all_captions(unpacked: Path, seed: int = 0) -> list[str]:
    """Every caption for the text tower, each once, shuffled by the seed."""
    rng = random.Random(seed)
    names = list(dict.fromkeys(everyday_names(unpacked)))
    found: dict[str, None] = {}
    for part in (
        emoji_texts(unpacked),
        clipart_texts(unpacked),
        imagenet_texts(),
        wordnet_texts(unpacked),
        style_texts(names, rng),
        medium_texts(names, rng),
        attribute_texts(names, rng),
        scene_texts(names, rng),
        radiology_texts(),
    ):
        found.update(dict.fromkeys(text for text in part if 1 < len(text) <= 160))
    held_back = {noun for style in STYLES.values() for noun in style.other}
    captions = [text for text in found if not any(noun in text for noun in held_back)]
    rng.shuffle(captions)
    return captions


def a(name: str) -> str:
    """The name with an article, unless it already has one or is a plural."""
    plural = name.endswith("s") and not name.endswith(("ss", "us", "is"))
    taken = name.split(maxsplit=1)[0] in {"a", "an", "the", "two", "some"}
    if plural or taken:
        return name
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def everyday_names(unpacked: Path) -> Iterator[str]:
    """Names of things one can draw or photograph."""
    yield from words.ATELIER_OBJECTS
    yield from (c.name for c in read_concepts(unpacked / "noto", unpacked / "keywords"))
    yield from imagenet_names()
    yield from common_nouns(unpacked / "wordnet/usr/share/wordnet")


def imagenet_names() -> list[str]:
    """The thousand class names of ImageNet as open_clip words them, in the classifier's order."""
    from open_clip.zero_shot_metadata import IMAGENET_CLASSNAMES

    return [str(name) for name in IMAGENET_CLASSNAMES]


def imagenet_kinds(unpacked: Path) -> list[tuple[str, ...]]:
    """Each ImageNet class's name followed by what it is a kind of ("tabby cat", "cat", "feline"), by WordNet."""
    folder = unpacked / "wordnet/usr/share/wordnet"
    above, lemma_of, sense = {}, {}, dict[str, str]()
    for offset, group, lemmas, parents in wordnet_parents(folder):
        above[offset], lemma_of[offset] = parents, lemmas[0]
        if group in EVERYDAY | {"18", "19"}:
            for lemma in lemmas:
                sense.setdefault(lemma.lower(), offset)
    found = []
    for name in imagenet_names():
        words_of = name.lower().split()
        tails = (" ".join(words_of[k:]) for k in range(len(words_of)))
        tail = next((t for t in tails if t in sense), "")
        names, place = [name, tail], sense.get(tail, "")
        for _ in range(3):
            place = next(iter(above.get(place, ())), "")
            names.append(lemma_of.get(place, ""))
        found.append(tuple(dict.fromkeys(n for n in names if n and n not in TOO_GENERAL)))
    return found


def emoji_texts(unpacked: Path) -> Iterator[str]:
    """Names and keywords of the emoji."""
    for concept in read_concepts(unpacked / "noto", unpacked / "keywords"):
        for name in (concept.name, *concept.others):
            yield from (name, a(name), f"an emoji of {a(name)}", f"{name} symbol")
        yield from concept.keywords
        yield from (f"{concept.name}, {word}" for word in concept.keywords[:4])


def clipart_texts(unpacked: Path) -> Iterator[str]:
    """Titles and keywords of the clip art."""
    for picture in clipart_pictures(unpacked):
        yield from picture.names
        yield f"clip art of {a(picture.names[0])}"
        yield ", ".join(picture.names[:4])


def imagenet_texts() -> Iterator[str]:
    """ImageNet's class names in photographic wordings."""
    for name in imagenet_names():
        yield from (name, a(name), f"a photo of {a(name)}", f"a real photograph of {a(name)}")
        yield from (f"{name}, photo", f"a close-up of {a(name)}", f"a drawing of {a(name)}", f"a sketch of {a(name)}")


def wordnet_rows(folder: Path) -> Iterator[tuple[str, list[str], str]]:
    """WordNet's noun synsets: lexicographer file, lemmas, first part of the gloss."""
    for line in (folder / "data.noun").read_text("ascii", errors="replace").splitlines():
        if line.startswith("  "):
            continue
        fields, _, gloss = line.partition("|")
        parts = fields.split()
        lemmas = [parts[4 + 2 * k].replace("_", " ") for k in range(int(parts[3], 16))]
        yield parts[1], lemmas, re.split(r'[;"]', gloss)[0].strip()


def wordnet_parents(folder: Path) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """WordNet's noun synsets: offset, lexicographer file, lemmas, offsets of what they are kinds of."""
    for line in (folder / "data.noun").read_text("ascii", errors="replace").splitlines():
        if not line.startswith("  "):
            parts = line.partition("|")[0].split()
            count = int(parts[3], 16)
            lemmas = [parts[4 + 2 * k].replace("_", " ") for k in range(count)]
            pointers = parts[5 + 2 * count :]
            parents = [pointers[k + 1] for k in range(0, len(pointers) - 3, 4) if pointers[k].startswith("@")]
            yield parts[0], parts[1], lemmas, parents


def common_nouns(folder: Path) -> Iterator[str]:
    """Lower-case nouns of everyday things that WordNet's tagged texts really use."""
    used = set()
    for line in (folder / "index.noun").read_text("ascii", errors="replace").splitlines():
        if not line.startswith("  "):
            parts = line.split()
            pointers = int(parts[3])
            if int(parts[5 + pointers]) > 0:
                used.add(parts[0].replace("_", " "))
    for group, lemmas, _ in wordnet_rows(folder):
        if group in EVERYDAY:
            yield from (lemma for lemma in lemmas[:2] if lemma in used and len(lemma) > 2)


def wordnet_texts(unpacked: Path) -> Iterator[str]:
    """Nouns and what they mean."""
    for group, lemmas, gloss in wordnet_rows(unpacked / "wordnet/usr/share/wordnet"):
        lower = [lemma for lemma in lemmas if lemma == lemma.lower() and not re.search(r"\d", lemma)]
        if group not in GLOSSED or not lower:
            continue
        latin = group in {"05", "20"} and not gloss
        if latin:
            continue
        yield lower[0]
        if group in EVERYDAY | {"27", "19", "25"}:
            yield from lower[1:3]
            if len(gloss.split()) < 18:
                yield f"{lower[0]}, {gloss}"


def worded(name: str, style: str, rng: random.Random) -> str:
    """One caption that names a thing and its style in one of the training wordings; "" as name: style only."""
    words_of = STYLES[style]
    noun = rng.choice(words_of.nouns)
    way = rng.choice(words_of.ways)
    if not name:
        return rng.choice((with_article(noun), noun, f"in the style of {with_article(noun)}", f"{noun} style", way))
    thing = a(name)
    return rng.choice(
        (
            f"{with_article(noun)} of {thing}",
            f"{noun} of {thing}",
            f"{name}, {noun}",
            f"{thing} {way}",
            f"{thing}, {way}",
            f"{name} {noun}",
            f"{with_article(noun)} showing {thing}",
            f"{thing} in the style of {with_article(noun)}",
        )
    )


def style_texts(names: Sequence[str], rng: random.Random, per_style: int = 1500) -> Iterator[str]:
    """Things in styles, and styles alone."""
    for style, wording in STYLES.items():
        for noun in wording.nouns:
            yield from (noun, with_article(noun), f"{noun} style", f"in the style of {with_article(noun)}")
            yield from (f"{with_article(noun)} of something", f"this is {with_article(noun)}")
            yield from (f"{with_article(noun)} of {a(name)}" for name in words.ATELIER_OBJECTS)
            yield from (f"{with_article(noun)} in {colour}" for colour in words.COLOURS[:14])
        yield from wording.ways
        for _ in range(per_style):
            name = rng.choice(names if rng.random() < 0.6 else words.ATELIER_OBJECTS)
            coloured = f"{rng.choice(words.COLOURS)} {name}" if rng.random() < 0.3 else name
            yield worded(coloured, style, rng)


def medium_texts(names: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Photographs against drawings of every kind."""
    for medium in (*words.DRAWING_WORDS, *words.PHOTO_WORDS):
        yield from (medium, medium.split(" ", 1)[-1], f"{medium} of something", f"this is {medium}", f"not {medium}")
        for name in (*words.ATELIER_OBJECTS, *rng.sample(list(names), 80), *words.PEOPLE, *words.SUBJECTS[::2]):
            yield f"{medium} of {a(name)}"
        yield from (f"{medium} of {a(rng.choice(names))} {rng.choice(words.PLACES)}" for _ in range(30))


def attribute_texts(names: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Colours, qualities, counts and places of things."""
    yield from words.COLOURS
    yield from (f"{c} colour" for c in words.COLOURS)
    yield from (f"a {c} background" for c in words.COLOURS)
    yield from (f"something {c}" for c in words.COLOURS)
    yield from words.QUALITIES
    yield from (f"a {q} thing" for q in words.QUALITIES)
    yield from words.PATTERNS
    yield from (f"a pattern of {p}" for p in words.PATTERNS)
    for name in (*words.ATELIER_OBJECTS, *names):
        yield a(f"{rng.choice(words.COLOURS)} {name}")
        yield a(f"{rng.choice(words.QUALITIES)} {name}")
    for name in words.ATELIER_OBJECTS:
        yield from (a(f"{colour} {name}") for colour in words.COLOURS)
        yield from (f"{a(name)} {layout}" for layout in words.LAYOUTS)
        yield from (f"{count} {name}s" for count in words.COUNTS[1:])
    for _ in range(9000):
        quality, colour, name = rng.choice(words.QUALITIES), rng.choice(words.COLOURS), rng.choice(names)
        yield rng.choice(
            (
                a(f"{quality} {colour} {name}"),
                f"{a(name)} {rng.choice(words.PLACES)}",
                f"{a(name)} {rng.choice(words.LAYOUTS)}",
                f"{rng.choice(words.COUNTS)} {name}",
                f"{a(name)} with {rng.choice(words.PATTERNS)}",
                f"{a(name)} that is {quality}",
                f"{quality} {name} on a {colour} background",
            )
        )


def scene_texts(names: Sequence[str], rng: random.Random) -> Iterator[str]:
    """Two things together, people doing things, whole pictures."""
    for _ in range(14000):
        first, second = rng.choice(names), rng.choice(names)
        joint = rng.choice(("and", "with", "next to", "on", "in", "behind", "under", "without", "instead of"))
        yield f"{a(first)} {joint} {a(second)}"
    for person in words.PEOPLE:
        yield from (person, a(person), f"the face of {a(person)}")
        yield from (f"{a(person)} {action}" for action in words.ACTIONS)
        yield from (f"{a(person)} with {a(rng.choice(names))}" for _ in range(40))
    for subject in words.SUBJECTS:
        yield from (subject, f"a picture of {a(subject)}", f"a photo of {a(subject)}", f"a painting of {a(subject)}")
        yield from (f"{subject} {place}" for place in words.PLACES[::3])
        yield from (a(f"{quality} {subject}") for quality in words.QUALITIES[::4])


def radiology_texts() -> Iterable[str]:
    """What radiologists and microscopists call their pictures."""
    yield from (*words.SCANS, *words.REGIONS, *words.FINDINGS, *words.MICROSCOPY)
    for scan in words.SCANS:
        yield from (f"{scan} of the {region}" for region in words.REGIONS)
        yield from (f"{scan} showing {finding}" for finding in words.FINDINGS)
        yield from (
            f"{scan} of the {region} with {finding}"
            for k, region in enumerate(words.REGIONS)
            for finding in words.FINDINGS[k % 5 :: 5]
        )
