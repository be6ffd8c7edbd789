"""The starter's figures, computed from embeddings, so that training and the published benchmark measure alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anchordiv.encoders.starter.pictures import Picture
from anchordiv.encoders.starter.styles import STYLES, with_article

Vectors = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Prompts -> (n, d) unit vectors."""


def recall_at(queries: Vectors, gallery: Vectors, k: int = 10) -> float:
    """How often picture i is among the k nearest pictures of query i: (n, d), (n, d) -> [0, 1]."""
    similarity = queries @ gallery.T
    own = np.diagonal(similarity)[:, None]
    return float(((similarity > own).sum(axis=1) < k).mean())


def balanced_accuracy(predicted: NDArray[Any], labels: NDArray[Any]) -> float:
    """The mean over labels of the share recognised."""
    return float(np.mean([(predicted[labels == label] == label).mean() for label in np.unique(labels)]))


def group_vectors(groups: Sequence[Sequence[str]], embed: Embed) -> Vectors:
    """One unit vector per group of prompts, their renormalised mean, (g, d)."""
    means = np.stack([embed(list(prompts)).mean(axis=0) for prompts in groups])
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True), dtype=np.float32)


def style_prompts(style: str, wording: str) -> list[str]:
    """Prompts of a style in "training" wording or in "other" words that no caption contained."""
    nouns = STYLES[style].nouns if wording == "training" else STYLES[style].other
    return [with_article(noun) for noun in nouns]


def nearest_group(images: Vectors, groups: Vectors, names: Sequence[str]) -> NDArray[np.str_]:
    """The name of the group each picture is most similar to, (n,)."""
    return np.asarray(np.array(names)[(images @ groups.T).argmax(axis=1)], dtype=np.str_)


def style_accuracy(images: Vectors, styles: Sequence[str], embed: Embed, wording: str) -> float:
    """Balanced zero-shot accuracy of the styles that occur among the pictures."""
    labels = np.array(styles)
    names = sorted(set(styles))
    groups = group_vectors([style_prompts(name, wording) for name in names], embed)
    return balanced_accuracy(nearest_group(images, groups, names), labels)


def name_accuracy(
    images: Vectors, labels: Sequence[str], embed: Embed, templates: Sequence[str] = ("{}", "a {}", "a picture of a {}")
) -> float:
    """Balanced zero-shot accuracy over the names that occur among the pictures."""
    names = sorted(set(labels))
    groups = group_vectors([[t.format(name) for t in templates] for name in names], embed)
    return balanced_accuracy(nearest_group(images, groups, names), np.array(labels))


def concept_recall(pictures: Sequence[Picture], images: Vectors, embed: Embed, origin: str, split: str) -> float:
    """R@10 from the short name of each held-out concept to one vendor's pictures of them."""
    rows = [i for i, p in enumerate(pictures) if p.origin == origin and p.split == split and not p.effect]
    return recall_at(embed([pictures[i].names[0] for i in rows]), images[rows])


def posterior_map(images: Vectors, labels: Sequence[str], groups: Vectors, concentration: float) -> float:
    """Mean average precision of "same label" when pictures are ranked by KL between group posteriors."""
    energies = concentration * (images.astype(np.float64) @ groups.T.astype(np.float64))
    log_probs = energies - np.logaddexp.reduce(energies, axis=1, keepdims=True)
    probs = np.exp(log_probs)
    divergence = (probs * log_probs).sum(axis=1)[:, None] - probs @ log_probs.T
    return mean_average_precision(-divergence, np.array(labels))


def cosine_map(images: Vectors, labels: Sequence[str]) -> float:
    """Mean average precision of "same label" when pictures are ranked by cosine."""
    return mean_average_precision(images @ images.T, np.array(labels))


def mean_average_precision(scores: NDArray[Any], labels: NDArray[Any]) -> float:
    """Mean over queries of average precision, the query itself left out: scores (n, n)."""
    precisions = []
    for i in range(len(labels)):
        order = np.argsort(-scores[i], kind="stable")
        hits = labels[order[order != i]] == labels[i]
        if hits.any():
            ranks = np.flatnonzero(hits) + 1
            precisions.append(float(np.mean(np.arange(1, len(ranks) + 1) / ranks)))
    return float(np.mean(precisions))
