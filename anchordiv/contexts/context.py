"""A context: groups of anchors, how their distribution is modelled, and a concentration: one geometry."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
import torch
from numpy.typing import NDArray

from anchordiv.contexts import models
from anchordiv.contexts.groups import OKABE_ITO, Anchor, Group, Vector, anchors_from
from anchordiv.contexts.models import ANCHOR_MODELS, AnchorModel, Examples
from anchordiv.errors import InputError
from anchordiv.geometry import AnchorDistribution, DiscreteAnchors, SumAnchors, UniformSphereAnchors

if TYPE_CHECKING:
    from anchordiv.encoders import Encoder

Kind = Literal["text", "image"]
Embeddings = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Context:
    """What "similar" means: groups of anchors turned into one geometry on frozen embeddings.

    Args:
        groups: at least one; without groups the model must be ``uniform``, which is cosine.
        model: how the anchor law is estimated from the examples.
        concentration: κ > 0, the sharpness; the encoder's own by default.
        encoder_identity: which encoder made the embeddings.
        dim: the embeddings' dimension d.
        text_mean: ``(d,)`` mean embedding of the encoder's prompt bank; needed with texts.

    Raises:
        InputError: for groups that are empty, off or share a name, and for numbers out of range.
    """

    groups: tuple[Group, ...]
    model: AnchorModel
    concentration: float
    encoder_identity: str
    dim: int
    text_mean: Vector | None = None

    def __post_init__(self) -> None:
        if self.model not in ANCHOR_MODELS:
            raise InputError(f"the anchor model must be one of {', '.join(ANCHOR_MODELS)}, got {self.model!r}.")
        if not 0 < self.concentration < float("inf"):
            raise InputError(f"the concentration must be a positive number, got {self.concentration}.")
        names = [group.name for group in self.groups]
        if len(set(names)) < len(names):
            raise InputError(f"every group needs a name of its own, got {names}.")
        for group in self.groups:
            _check_group(group, self.dim)
        if self.model != "uniform" and not any(group.weight for group in self.groups):
            raise InputError("a context needs at least one group that is switched on; add one or raise a weight.")
        if any(a.kind == "text" for g in self.groups for a in g.anchors) and self.text_mean is None:
            raise InputError("a context with text anchors needs the mean of the encoder's prompt bank (text_mean).")

    @classmethod
    def from_groups(
        cls,
        groups: Mapping[str, Sequence[object]],
        *,
        encoder: "Encoder",
        model: AnchorModel = "prototype",
        concentration: float | None = None,
        weights: Mapping[str, float] | None = None,
        templates: Sequence[str] = ("{}",),
    ) -> "Context":
        """Build a context from named examples: texts, PIL pictures, ``(d,)`` embeddings or anchors.

        Args:
            groups: name -> examples.
            encoder: turns texts and pictures into embeddings.
            model: the anchor model.
            concentration: κ; the encoder's own when left out.
            weights: name -> prior mass of the group, 1 where left out.
            templates: each prompt is put into every template and the embeddings averaged.

        Raises:
            InputError: as :class:`Context`, and for examples that are none of these.
        """
        weights = weights or {}
        if unknown := sorted(set(weights) - set(groups)):
            raise InputError(f"weights name groups that are not there: {', '.join(unknown)}.")
        # One call for all groups: the encoder's batches do not care whose examples they hold.
        flat = [example for examples in groups.values() for example in examples]
        anchors = iter(anchors_from(flat, encoder, templates=templates))
        made = tuple(
            Group(name, tuple(islice(anchors, len(examples))), weights.get(name, 1.0), colour)
            for (name, examples), colour in zip(groups.items(), _colours(len(groups)), strict=True)
        )
        return cls(
            made,
            model,
            encoder.concentration if concentration is None else concentration,
            encoder.identity,
            encoder.dim,
            _text_mean(encoder) if any(a.kind == "text" for g in made for a in g.anchors) else None,
        )

    @classmethod
    def cosine(cls, encoder: "Encoder") -> "Context":
        """Return the context without opinion: uniform anchors, whose ranking is cosine's."""
        return cls((), "uniform", encoder.concentration, encoder.identity, encoder.dim)

    @property
    def group_names(self) -> tuple[str, ...]:
        """The groups' names, in order."""
        return tuple(group.name for group in self.groups)

    @property
    def cut_words(self) -> dict[str, str]:
        """Prompt -> the words of it that the encoder could not read."""
        return {a.label: a.cut for group in self.groups for a in group.anchors if a.cut}

    @property
    def has_groups(self) -> bool:
        """Whether pictures can be described by a posterior over groups."""
        return self.model != "uniform"

    def with_model(self, model: AnchorModel, concentration: float | None = None) -> "Context":
        """Return the same groups under another anchor model (and concentration)."""
        return replace(self, model=model, concentration=concentration or self.concentration)

    def digest(self) -> str:
        """Return a short hash of everything that determines the geometry, for cache keys."""
        parts = [self.model, repr(self.concentration), self.encoder_identity]
        parts += [f"{g.name}|{g.weight!r}|{a.kind}|{a.weight!r}" for g in self.groups for a in g.anchors]
        content = "\n".join(parts).encode()
        vectors = b"".join(np.asarray(a.embedding, np.float32).tobytes() for g in self.groups for a in g.anchors)
        vectors += b"" if self.text_mean is None else np.asarray(self.text_mean, np.float32).tobytes()
        return hashlib.sha256(content + vectors).hexdigest()[:32]

    def theta(self, embeddings: Embeddings) -> torch.Tensor:
        """Return natural parameters κ · embedding in float64, the one place that widens: ``(..., d)``."""
        return self.concentration * torch.from_numpy(np.asarray(embeddings, dtype=np.float64))

    def anchor_law(self, reference: Embeddings) -> AnchorDistribution:
        """Return the anchor distribution that defines this context's geometry.

        One softmax over texts and pictures together would side with one modality, so: groups
        that all have both get one law per modality and the divergences add; groups with one
        modality only, where the others have the other, are compared by centred prototypes.

        Args:
            reference: ``(n, d)`` embeddings of the collection; its mean is the pictures' centre.
        """
        if reference.flags.writeable:
            return self._build_law(reference)
        # One picture's results ask for the same law several times; an array that cannot change may be remembered.
        remembered = self.__dict__.get("_law")
        if remembered is None or remembered[0] is not reference:
            remembered = (reference, self._build_law(reference))
            object.__setattr__(self, "_law", remembered)
        law: AnchorDistribution = remembered[1]
        return law

    def _build_law(self, reference: Embeddings) -> AnchorDistribution:
        if self.model == "uniform":
            return UniformSphereAnchors(self.dim)
        kinds = [{anchor.kind for anchor in group.anchors} for group in self.groups]
        if all(kind == kinds[0] for kind in kinds):
            laws = [self._law_of(kind, reference) for kind in ("text", "image") if kind in kinds[0]]
            return laws[0] if len(laws) == 1 else SumAnchors([1.0] * len(laws), laws)
        return self._law_of_centred_prototypes(reference)

    def group_log_probs(self, embeddings: Embeddings, reference: Embeddings) -> NDArray[np.float64]:
        """Return log P(group∣picture), in nats: ``(n, d) -> (n, G)``.

        With one law per modality the two posteriors are pooled log-linearly, which treats the
        modalities as equally informed witnesses.

        Raises:
            InputError: for the uniform model, which has no groups.
        """
        if not self.has_groups:
            raise InputError("cosine has no groups to assign pictures to; choose another anchor model.")
        law, theta = self.anchor_law(reference), self.theta(embeddings)
        parts = law.parts if isinstance(law, SumAnchors) else (law,)
        pooled = torch.stack([_padded_group_log_probs(part, theta, len(self.groups)) for part in parts]).mean(dim=0)
        return torch.log_softmax(pooled, dim=-1).numpy()

    def save(self, path: str | Path) -> None:
        """Write this context to a self-contained ``.anchors.json`` file."""
        from anchordiv.contexts.files import save_context

        save_context(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> "Context":
        """Read a context written by :meth:`save`.

        Raises:
            InputError: for a file that is damaged, foreign, too large or of a newer version.
        """
        from anchordiv.contexts.files import load_context

        return load_context(Path(path))

    def _law_of(self, kind: Kind, reference: Embeddings) -> DiscreteAnchors:
        examples = self._examples(kind, reference)
        if self.model == "empirical":
            return models.empirical(examples)
        if self.model == "prototype":
            return models.prototype(examples)
        within = models.within_covariance(examples)
        return models.discriminant(examples, within, self._centre("image", reference), self.concentration)

    def _examples(self, kind: Kind, reference: Embeddings) -> Examples:
        rows = [
            (anchor, index, group.weight)
            for index, group in enumerate(self.groups)
            for anchor in group.anchors
            if anchor.kind == kind
        ]
        shares = {index: sum(a.weight for a, i, _ in rows if i == index) for _, index, _ in rows}
        return Examples(
            torch.from_numpy(np.stack([anchor.embedding for anchor, _, _ in rows]).astype(np.float64)),
            torch.tensor([index for _, index, _ in rows]),
            torch.tensor([weight * a.weight / shares[index] for a, index, weight in rows], dtype=torch.float64),
            self._centre(kind, reference),
        )

    def _centre(self, kind: Kind, reference: Embeddings) -> torch.Tensor:
        if kind == "text":
            return torch.from_numpy(np.asarray(self.text_mean, dtype=np.float64))
        if not len(reference):
            return torch.zeros(self.dim, dtype=torch.float64)
        return torch.from_numpy(np.asarray(reference, dtype=np.float64).mean(axis=0))

    def _law_of_centred_prototypes(self, reference: Embeddings) -> DiscreteAnchors:
        centres: dict[Kind, torch.Tensor] = {kind: self._centre(kind, reference) for kind in ("text", "image")}
        atoms = []
        for group in self.groups:
            total = sum(anchor.weight for anchor in group.anchors)
            centred = [
                a.weight / total * (torch.tensor(a.embedding, dtype=torch.float64) - centres[a.kind])
                for a in group.anchors
            ]
            atoms.append(torch.stack(centred).sum(dim=0))
        masses = torch.tensor([group.weight for group in self.groups], dtype=torch.float64)
        # Centred anchors meet centred pictures: at the collection's mean no group is preferred.
        balance = self.concentration * (torch.stack(atoms) @ centres["image"])
        return DiscreteAnchors(torch.stack(atoms), masses.log() - balance)


def _check_group(group: Group, dim: int) -> None:
    if not group.anchors:
        raise InputError(f"the group {group.name!r} has no anchors yet; add a text or a picture.")
    if not 0 <= group.weight < float("inf"):
        raise InputError(f"the weight of {group.name!r} must not be negative, got {group.weight}.")
    for anchor in group.anchors:
        if anchor.embedding.shape != (dim,):
            raise InputError(
                f"the anchor {anchor.label!r} has {anchor.embedding.shape} numbers, this encoder makes {dim}; "
                "it was made by another encoder and must be encoded again."
            )
        if not np.isfinite(anchor.embedding).all():
            raise InputError(f"the anchor {anchor.label!r} holds numbers that are not finite; remove it.")
        if not 0 < anchor.weight < float("inf"):
            raise InputError(f"the weight of the anchor {anchor.label!r} must be positive, got {anchor.weight}.")


def _padded_group_log_probs(law: AnchorDistribution, theta: torch.Tensor, n_groups: int) -> torch.Tensor:
    assert isinstance(law, DiscreteAnchors)
    log_probs = law.group_log_probs(theta)
    missing = n_groups - log_probs.shape[-1]
    return torch.nn.functional.pad(log_probs, (0, missing), value=-torch.inf)


def _colours(count: int) -> list[str]:
    return [OKABE_ITO[index % len(OKABE_ITO)] for index in range(count)]


def _text_mean(encoder: "Encoder") -> Vector:
    from anchordiv.encoders import text_mean

    return text_mean(encoder)


__all__ = ["Anchor", "Context", "Group"]
