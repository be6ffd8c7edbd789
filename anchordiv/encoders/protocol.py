"""What every encoder offers: pictures and prompts become unit vectors of one shared space."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from PIL.Image import Image


@dataclass(frozen=True)
class EncodedTexts:
    """The vectors of some prompts, and what of each prompt the model could not read.

    Args:
        embeddings: (n, d) float32, unit length.
        cut: per prompt, the words that did not fit into the model's context; "" if all of it was read.
    """

    embeddings: NDArray[np.float32]
    cut: tuple[str, ...]


@dataclass(frozen=True)
class EncoderCard:
    """What a person should know about an encoder before trusting it.

    Args:
        name: the name it was loaded by.
        description: one sentence about what it is.
        good_at: what it does well.
        bad_at: what to expect little of.
        languages: the languages its prompts may be written in.
        context_length: tokens a prompt may have, end marks included.
        image_size: side in pixels at which it sees a picture.
        parameters: number of weights.
        device: where it runs ("cpu", "cuda", "mps").
    """

    name: str
    description: str
    good_at: str
    bad_at: str
    languages: str
    context_length: int
    image_size: int
    parameters: int
    device: str


class Encoder(Protocol):
    """A dual encoder; ``theta = concentration * embedding`` is the natural parameter of the geometry."""

    @property
    def identity(self) -> str:
        """Everything that determines a vector, as a readable name and a digest: the key of every cache."""
        ...

    @property
    def dim(self) -> int:
        """The width d of the embeddings."""
        ...

    @property
    def concentration(self) -> float:
        """The model's own inverse temperature, exp(logit_scale)."""
        ...

    @property
    def card(self) -> EncoderCard:
        """What a person should know about this encoder."""
        ...

    def encode_images(
        self,
        images: "Sequence[Image]",
        *,
        batch_size: int = 32,
        progress: Callable[[int, int], None] | None = None,
    ) -> NDArray[np.float32]:
        """Embed pictures: n pictures -> (n, d) float32 of unit length; ``progress(done, total)`` per batch."""
        ...

    def encode_texts(self, prompts: Sequence[str], *, templates: Sequence[str] = ("{}",)) -> EncodedTexts:
        """Embed prompts, each as the mean over the templates (renormalised): n prompts -> (n, d)."""
        ...
