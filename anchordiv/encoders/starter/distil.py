"""Teach the small text tower to say what the big text teacher says, in 256 dimensions.

The teacher's vectors are centred and projected on their first principal components; the student's cosine with
this code is raised, and its ranking of the other captions of the batch is made to agree with the teacher's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from anchordiv.encoders.starter.teacher import Teacher

CONTEXT, WIDTH, HEADS, LAYERS, DIM = 32, 192, 4, 3, 256
VOCABULARY = 49408
SHARPNESS = 20.0
KL_WEIGHT = 0.3
PEAK = 1.5e-3


@dataclass(frozen=True)
class Code:
    """An affine map from the teacher's space to ours: ``(x - mean) @ axes``, then to unit length."""

    mean: NDArray[np.float32]
    axes: NDArray[np.float32]

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Codes of teacher vectors: (n, 384) -> (n, d), each of length 1."""
        flat = (vectors - self.mean) @ self.axes
        length = np.linalg.norm(flat, axis=1, keepdims=True)
        return np.asarray(flat / np.maximum(length, 1e-12), dtype=np.float32)


def principal_code(vectors: NDArray[np.float32], dim: int = DIM) -> Code:
    """Centre and keep the ``dim`` directions of largest variance, the largest first; signs are fixed."""
    mean = vectors.mean(axis=0, dtype=np.float64)
    centred = vectors - mean
    _, axes = np.linalg.eigh(centred.T.astype(np.float64) @ centred / len(vectors))
    axes = axes[:, ::-1][:, :dim]
    signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])])
    return Code(mean.astype(np.float32), (axes * signs).astype(np.float32))


def text_tower() -> nn.Module:
    """open_clip's text tower in the starter's size."""
    from open_clip.transformer import TextTransformer

    tower: nn.Module = TextTransformer(
        context_length=CONTEXT, vocab_size=VOCABULARY, width=WIDTH, heads=HEADS, layers=LAYERS, output_dim=DIM
    )
    return tower


def tokenise(captions: Sequence[str]) -> Tensor:
    """Token numbers as the exported tokenizer gives them, (n, 32)."""
    from open_clip.tokenizer import SimpleTokenizer

    tokens: Tensor = SimpleTokenizer(context_length=CONTEXT)(list(captions))
    return tokens


def borrowed_embedding(teacher: Teacher) -> Tensor:
    """First token vectors for the student, (49408, 192): the teacher's vectors of the same letters, reduced."""
    from open_clip.tokenizer import SimpleTokenizer

    decoder = SimpleTokenizer().decoder
    vectors = teacher.word_vectors.numpy()
    code = principal_code(vectors[1000:].astype(np.float32), WIDTH)
    table = np.zeros((VOCABULARY, WIDTH), np.float32)
    for number in range(VOCABULARY):
        letters = str(decoder[number]).replace("</w>", "")
        pieces = [n for word in teacher.tokens.words(letters) for n in teacher.tokens.pieces(word)]
        if pieces:
            table[number] = ((vectors[pieces] - code.mean) @ code.axes).mean(axis=0)
    return torch.from_numpy(table * (0.03 / table.std()))


def length_batches(lengths: NDArray[np.int64], size: int, rng: np.random.Generator) -> list[NDArray[np.int64]]:
    """Batches of captions of similar length, in random order, so that little is computed on padding."""
    order = np.argsort(lengths + rng.uniform(0, 1.5, len(lengths)), kind="stable")
    batches = [order[i : i + size] for i in range(0, len(order), size)]
    return [batches[i] for i in rng.permutation(len(batches))]


def agreement_loss(student: Tensor, target: Tensor) -> Tensor:
    """One minus cosine, plus 0.3 times the divergence of the in-batch similarities, over unit rows (b, d)."""
    cosine = 1 - (student * target).sum(dim=1).mean()
    wanted = functional.log_softmax(SHARPNESS * target @ target.T, dim=1)
    found = functional.log_softmax(SHARPNESS * student @ target.T, dim=1)
    return cosine + KL_WEIGHT * functional.kl_div(found, wanted, log_target=True, reduction="batchmean")


def distil(
    tower: nn.Module,
    tokens: Tensor,
    targets: Tensor,
    *,
    epochs: int,
    seed: int,
    checkpoint: Path,
    batch: int = 512,
) -> nn.Module:
    """Train the tower on (tokens, unit targets) for the epochs and keep it after each."""
    rng = np.random.default_rng(seed)
    lengths = tokens.argmax(dim=1).numpy() + 1
    steps = epochs * math.ceil(len(tokens) / batch)
    decayed = [p for p in tower.parameters() if p.ndim > 1]
    others = [p for p in tower.parameters() if p.ndim <= 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, lr=PEAK, betas=(0.9, 0.98), fused=True)
    began, step = time.monotonic(), 0
    for epoch in range(epochs):
        tower.train()
        total = 0.0
        for rows in length_batches(lengths, batch, rng):
            for group in optimiser.param_groups:
                group["lr"] = PEAK * min(1.0, step / 200) * 0.5 * (1 + math.cos(math.pi * step / steps))
            loss = step_loss(tower, tokens[rows, : lengths[rows].max()], targets[rows])
            optimiser.zero_grad(set_to_none=True)
            torch.autograd.backward(loss)
            nn.utils.clip_grad_norm_(tower.parameters(), 1.0)
            optimiser.step()
            total, step = total + float(loss.detach()), step + 1
        took = time.monotonic() - began
        print(f"text tower: epoch {epoch + 1}/{epochs}, loss {total * epochs / steps:.4f}, {took:.0f} s", flush=True)
        torch.save(tower.state_dict(), checkpoint)
    return tower.eval()


def step_loss(tower: nn.Module, tokens: Tensor, targets: Tensor) -> Tensor:
    """The loss of one batch; the tower runs in bfloat16 where that is faster, the loss in float32."""
    with torch.autocast("cpu", dtype=torch.bfloat16):
        raw = read(tower, tokens)
    return agreement_loss(functional.normalize(raw.float(), dim=1), targets)


def read(tower: Any, tokens: Tensor) -> Tensor:
    """What the tower makes of tokens (b, t) with t <= 32: the padding that no caption of the batch needs is cut.

    Attention is causal and the end mark is what counts, so the cut changes nothing.
    """
    length = tokens.shape[1]
    x = tower.token_embedding(tokens) + tower.positional_embedding[:length]
    x = tower.ln_final(tower.transformer(x, attn_mask=tower.attn_mask[:length, :length]))
    out: Tensor = x[torch.arange(len(x)), tokens.argmax(dim=1)] @ tower.text_projection
    return out


def text_vectors(tower: nn.Module, tokens: Tensor, batch: int = 1024) -> Tensor:
    """Unit vectors of tokenised captions, (n, d), in float32; longer and shorter captions in separate batches."""
    lengths = tokens.argmax(dim=1) + 1
    order = torch.argsort(lengths)
    parts = []
    with torch.inference_mode():
        for rows in torch.split(order, batch):
            parts.append(functional.normalize(read(tower, tokens[rows, : int(lengths[rows].max())]), dim=1))
    out = torch.empty(len(tokens), parts[0].shape[1])
    out[order] = torch.cat(parts)
    return out
