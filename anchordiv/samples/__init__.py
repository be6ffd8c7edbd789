"""Sample collections drawn by our own code, shipped with their embeddings."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from anchordiv.samples.store import open_sample, sample_names

__all__ = ["open_sample", "sample_names"]


def __getattr__(name: str) -> object:
    """Import the store only when it is asked for."""
    if name in __all__:
        from anchordiv.samples import store

        return getattr(store, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
