"""The whole training in order: sources, text tower, picture features, projection, model folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from anchordiv.encoders.starter import sources
from anchordiv.encoders.starter.align import Projection, Schedule, align
from anchordiv.encoders.starter.captions import all_captions, imagenet_kinds
from anchordiv.encoders.starter.distil import (
    borrowed_embedding,
    distil,
    principal_code,
    text_tower,
    text_vectors,
    tokenise,
)
from anchordiv.encoders.starter.drawings import Drawing, DrawingPlan, drawing_pictures, save_all
from anchordiv.encoders.starter.evaluate import concept_recall, name_accuracy, style_accuracy
from anchordiv.encoders.starter.export import export
from anchordiv.encoders.starter.features import cached_maps, classifier, pooled
from anchordiv.encoders.starter.pairs import Pairs, make_pairs
from anchordiv.encoders.starter.photographs import class_pictures, imagination
from anchordiv.encoders.starter.pictures import Picture, all_pictures
from anchordiv.encoders.starter.refine import Refinement, refine
from anchordiv.encoders.starter.teacher import Teacher

DRAWINGS = 6144
CAPTIONS_PER_PICTURE = 10
PROJECTION_SEEDS = (0, 1, 2)


class Reader:
    """The text tower as a function from sentences to unit rows; each sentence is read once."""

    def __init__(self, tower: nn.Module) -> None:
        self.tower, self.known = tower, dict[str, Tensor]()

    def __call__(self, sentences: Sequence[str]) -> Tensor:
        """Unit vectors of sentences, (n, 256)."""
        missing = [s for s in dict.fromkeys(sentences) if s not in self.known]
        if missing:
            self.known.update(zip(missing, text_vectors(self.tower, tokenise(missing)).clone(), strict=True))
        return torch.stack([self.known[s] for s in sentences])

    def numpy(self, sentences: Sequence[str]) -> NDArray[np.float32]:
        """The same as an array."""
        return np.asarray(self(sentences).numpy(), dtype=np.float32)


def train(work: Path, out: Path, plan: DrawingPlan, seed: int = 0, epochs: int = 4) -> None:
    """Make the starter.

    Args:
        work: a folder for downloads and intermediate results; finished steps found there are not repeated.
        out: where the model's folder is written.
        plan: gives our own training drawings.
        seed: of everything random.
        epochs: how often the text tower sees each caption.
    """
    for source in sources.SOURCES:
        sources.fetch(source, work)
    unpacked = work / "unpacked"
    tower = trained_text_tower(unpacked, work, seed, epochs)
    read = Reader(tower)
    pictures, maps = seen_pictures(unpacked, work, plan, seed)
    trunk = classifier(unpacked / "efficientnet")
    rows = {split: [i for i, p in enumerate(pictures) if p.split == split] for split in ("train", "validation")}
    learnt, held_out = ([pictures[i] for i in rows[split]] for split in ("train", "validation"))
    pairs = captioned(trunk, read, learnt, pooled(maps[rows["train"]], trunk), unpacked, seed)
    head = best_projection(pairs, held_out, pooled(maps[rows["validation"]], trunk), read)
    trunk, head = refine(trunk, head, pairs, maps[rows["train"]], Refinement(seed=seed))
    figures = validation_figures(head, held_out, pooled(maps[rows["validation"]], trunk), read.numpy)
    print(f"with the refined last stage: {json.dumps(figures)}", flush=True)
    export(trunk, head.folded(), tower, float(head.log_scale.detach()), out)


def trained_text_tower(unpacked: Path, work: Path, seed: int, epochs: int) -> nn.Module:
    """The distilled text tower, from ``work`` when it has been trained before."""
    torch.manual_seed(seed)
    tower, kept = text_tower(), work / f"text-{seed}-{epochs}.pt"
    if kept.exists():
        tower.load_state_dict(torch.load(kept, weights_only=True))
        return tower.eval()
    captions = all_captions(unpacked, seed)
    teacher = Teacher(unpacked / "minilm")
    vectors = teacher.encode(captions)
    targets = torch.from_numpy(principal_code(vectors)(vectors))
    with torch.no_grad():
        tower.get_parameter("token_embedding.weight").copy_(borrowed_embedding(teacher))
    distil(tower, tokenise(captions), targets, epochs=epochs, seed=seed, checkpoint=kept.with_suffix(".part"))
    torch.save(tower.state_dict(), kept)
    return tower


def seen_pictures(
    unpacked: Path, work: Path, plan: DrawingPlan, seed: int
) -> tuple[list[Picture], NDArray[np.float16]]:
    """All pictures with their early maps, (n, 192, 7, 7); our drawings are the last ones."""
    drawings: Sequence[Drawing] = plan(DRAWINGS, seed)
    save_all(drawings, work / "drawings")
    pictures = [*all_pictures(unpacked), *drawing_pictures(drawings, work / "drawings", "train")]
    return pictures, cached_maps(pictures, unpacked, work / "maps")


def captioned(
    trunk: nn.Module, read: Reader, pictures: Sequence[Picture], features: Tensor, unpacked: Path, seed: int
) -> Pairs:
    """The training pictures and the imagined photographs with their captions; features (m, 1280) of the former."""
    shown = [*pictures, *class_pictures(imagenet_kinds(unpacked))]
    imagine = imagination(trunk, features[::7])
    return make_pairs(shown, features, imagine, read, captions=CAPTIONS_PER_PICTURE, seed=seed)


def best_projection(pairs: Pairs, held_out: Sequence[Picture], features: Tensor, read: Reader) -> Projection:
    """Train one projection per seed and keep the one with the best validation score, (v, 1280) features."""
    candidates = [align(pairs, Schedule(seed=s)) for s in PROJECTION_SEEDS]
    figures = [validation_figures(head, held_out, features, read.numpy) for head in candidates]
    for s, figure in zip(PROJECTION_SEEDS, figures, strict=True):
        print(f"projection with seed {s}: {json.dumps(figure)}", flush=True)
    scores = [sum(figure.values()) for figure in figures]
    return candidates[int(np.argmax(scores))]


def validation_figures(
    head: Projection,
    held_out: Sequence[Picture],
    features: Tensor,
    embed: Callable[[Sequence[str]], NDArray[np.float32]],
) -> dict[str, float]:
    """What the choice of a projection rests on: the validation pictures with their features, (v, 1280)."""
    with torch.inference_mode():
        images = np.asarray(head(features).numpy(), dtype=np.float32)
    styles, clipart = [p.style for p in held_out], [i for i, p in enumerate(held_out) if p.origin == "clipart"]
    figures = {
        f"recall {origin}": concept_recall(held_out, images, embed, origin, "validation")
        for origin in ("noto", "twemoji")
    }
    figures["style"] = style_accuracy(images, styles, embed, "training")
    figures["style, other words"] = style_accuracy(images, styles, embed, "other")
    figures["clip art names"] = name_accuracy(images[clipart], [held_out[i].names[0] for i in clipart], embed)
    return {name: round(value, 4) for name, value in figures.items()}
