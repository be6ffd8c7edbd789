"""What the starter can do, measured: every figure of its model card, printed as a table.

    python tests/benchmarks/starter.py --work FOLDER [--skip speed] [--json FILE]

FOLDER holds the trainer's downloads (fetched by name, version and SHA-256 on first use); the photographs are
files that ship inside the packages scikit-image, scikit-learn and gradio.
"""

import argparse
import json
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import numpy as np
from PIL import Image

import anchordiv as ad
from anchordiv.encoders import Encoder
from anchordiv.encoders.presets import starter_dir
from anchordiv.encoders.starter import sources
from anchordiv.encoders.starter.concepts import split_of
from anchordiv.encoders.starter.drawings import ATELIER_STYLES
from anchordiv.encoders.starter.evaluate import (
    concept_recall,
    group_vectors,
    name_accuracy,
    nearest_group,
    recall_at,
    style_accuracy,
)
from anchordiv.encoders.starter.export import WEIGHTS
from anchordiv.encoders.starter.pictures import Picture, all_pictures
from anchordiv.samples.atelier import plan

GRADIO = sources.Source(
    name="gradio",
    client="pip",
    package="gradio",
    version="6.31.0",
    file="gradio-6.31.0-py3-none-any.whl",
    sha256="7b50b9b6a2d23cd02851ad4c8b1c8312c88d8b911d1f29c93f9761c98348a64a",
    licence="Apache-2.0 (three photographs, looked at here only)",
    members=("gradio/media_assets/images/",),
)

THINGS = {
    ("skimage", "data/astronaut.png"): "an astronaut",
    ("skimage", "data/camera.png"): "a man with a camera",
    ("skimage", "data/chelsea.png"): "a cat",
    ("skimage", "data/coffee.png"): "a cup of coffee",
    ("skimage", "data/coins.png"): "coins",
    ("skimage", "data/motorcycle_left.png"): "a motorcycle",
    ("skimage", "data/rocket.jpg"): "a rocket",
    ("sklearn", "datasets/images/china.jpg"): "a temple",
    ("sklearn", "datasets/images/flower.jpg"): "a flower",
    ("gradio", "cheetah.jpg"): "a cheetah",
    ("gradio", "lion.jpg"): "a lion",
    ("gradio", "tower.jpg"): "a tower",
}
"""Photographs of things and beings inside Python packages, each with its one right label."""

SURFACES = {
    ("skimage", "data/brick.png"): "a brick wall",
    ("skimage", "data/clock_motion.png"): "a clock",
    ("skimage", "data/grass.png"): "grass",
    ("skimage", "data/gravel.png"): "gravel",
    ("skimage", "data/hubble_deep_field.jpg"): "galaxies",
    ("skimage", "data/moon.png"): "the moon",
}
"""The other nameable photographs there: grey textures, the sky, a clock blurred by motion."""

Row = tuple[str, float, str]


def emoji_rows(encoder: Encoder, pictures: list[Picture]) -> Iterator[Row]:
    """Text to picture among held-out concepts, and styles of held-out concepts."""
    held_out = [p for p in pictures if p.split == "test"]
    images = encoder.encode_images([p.load() for p in held_out])

    def embed(prompts):
        return encoder.encode_texts(list(prompts)).embeddings

    for origin in ("noto", "twemoji", "fluent"):
        rows = [i for i, p in enumerate(held_out) if p.origin == origin and not p.effect]
        wanted = ">= 0.60" if origin != "fluent" else ""
        title = f"text to picture, R@10, {origin}, {len(rows)} held-out concepts"
        yield title, concept_recall(held_out, images, embed, origin, "test"), wanted
        asked = [f"a picture of a {held_out[i].names[0]}" for i in rows]
        yield "the same, asked as 'a picture of a ...'", recall_at(embed(asked), images[rows]), ""
        slack = [i for i in rows if len(held_out[i].names) > 1]
        asked = [held_out[i].names[1] for i in slack]
        yield "the same, asked by another name", recall_at(embed(asked), images[slack]), ""
    styles = [p.style for p in held_out]
    count = len(set(styles))
    for wording, wanted in (("training", ">= 0.85"), ("other", "aim 0.65")):
        accuracy = style_accuracy(images, styles, embed, wording)
        yield f"style zero-shot, {count} styles, {len(styles)} pictures, {wording} wording", accuracy, wanted


def photograph(package: str, name: str, gradio: Path) -> Image.Image:
    path = gradio / "gradio/media_assets/images" / name if package == "gradio" else files(package).joinpath(name)
    with Image.open(str(path)) as image:
        return image.convert("RGB")


def photograph_rows(encoder: Encoder, gradio: Path) -> Iterator[Row]:
    """Photographs among the fixed labels, and photographs told from drawings."""
    everything = THINGS | SURFACES
    images = encoder.encode_images([photograph(*key, gradio) for key in everything])
    labels = np.array(list(everything.values()))
    groups = encoder.encode_texts([f"a photo of {label}" for label in labels]).embeddings
    for count, wanted, what in ((len(THINGS), ">= 0.60", "things"), (len(labels), "", "things, textures and sky")):
        found = nearest_group(images[:count], groups[:count], list(labels[:count]))
        for (_, name), label, other in zip(everything, labels[:count], found, strict=False):
            print(f"    {name}: {other}" + ("" if other == label else f" instead of {label}"))
        yield f"photographs of {what}, {count} labels", float((found == labels[:count]).mean()), wanted
    drawings = encoder.encode_images([spec.draw() for spec in plan()[::13]])

    def embed(prompts):
        return encoder.encode_texts(list(prompts)).embeddings

    sides = group_vectors([["a photo"], ["a drawing"]], embed)
    yield "photographs taken for 'a photo' rather than 'a drawing'", is_first(images, sides), ""
    yield "Atelier pictures taken for 'a drawing'", 1 - is_first(drawings, sides), ""


def is_first(images, groups) -> float:
    return float(((images @ groups.T).argmax(axis=1) == 0).mean())


def atelier_rows(encoder: Encoder) -> Iterator[Row]:
    """Styles and objects of the shipped Atelier, whose object-style pairs training left out."""
    collection = ad.open_sample("atelier", encoder=encoder)
    images, labels = collection.embeddings, collection.labels

    def embed(prompts):
        return encoder.encode_texts(list(prompts)).embeddings

    for part, wanted in (("held-out pair", True), ("seen pair", False)):
        rows = np.flatnonzero(labels["split"] == part)
        styles = [ATELIER_STYLES.get(style, style) for style in labels["style"].iloc[rows]]
        objects = [name.replace("-", " ") for name in labels["object"].iloc[rows]]
        style = style_accuracy(images[rows], styles, embed, "training")
        thing = name_accuracy(images[rows], objects, embed)
        yield f"Atelier, {len(rows)} pictures, {part}: style", style, ">= 0.85" if wanted else ""
        yield f"Atelier, {part}: style in other words", style_accuracy(images[rows], styles, embed, "other"), ""
        yield f"Atelier, {part}: object", thing, ">= 0.70" if wanted else ""


def size_and_speed_rows(encoder: Encoder, skip_speed: bool) -> Iterator[Row]:
    """Megabytes on disk and pictures a second, from PIL pictures to vectors."""
    yield "weights, MB", (starter_dir() / WEIGHTS).stat().st_size / 1e6, "<= 40"
    if skip_speed:
        return
    import torch

    torch.set_num_threads(2)
    pictures = [Image.effect_noise((256, 256), 60).convert("RGB") for _ in range(192)]
    encoder.encode_images(pictures[:32])
    began = time.perf_counter()
    encoder.encode_images(pictures)
    yield "pictures a second on two threads", len(pictures) / (time.perf_counter() - began), ">= 20"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder of the trainer's downloads")
    parser.add_argument("--skip", choices=["speed"], default="", help="leave the timing out")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    arguments = parser.parse_args()
    for source in (*sources.SOURCES, GRADIO):
        sources.fetch(source, arguments.work)
    encoder = ad.load_encoder("starter")
    pictures = all_pictures(arguments.work / "unpacked")
    assert {p.split for p in pictures if p.concept == "1F34E"} == {split_of("1F34E")}
    rows = [
        *emoji_rows(encoder, pictures),
        *photograph_rows(encoder, arguments.work / "unpacked/gradio"),
        *atelier_rows(encoder),
        *size_and_speed_rows(encoder, arguments.skip == "speed"),
    ]
    print(f"\n{encoder.identity}\n\n| figure | measured | wanted |\n|---|---|---|")
    for title, value, wanted in rows:
        print(f"| {title} | {value:.3f} | {wanted} |")
    if arguments.json:
        arguments.json.write_text(json.dumps({title: value for title, value, _ in rows}, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
