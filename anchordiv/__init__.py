"""Say what "similar" means by pointing at anchors; retrieval and the map of a collection follow.

Everything public is reachable from here and imported on first use, so that
``import anchordiv`` stays light and ``anchordiv.geometry`` loads torch and nothing heavier.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from anchordiv.collection import Collection as Collection
    from anchordiv.contexts import Context as Context
    from anchordiv.encoders import load_encoder as load_encoder
    from anchordiv.errors import AnchordivError as AnchordivError
    from anchordiv.evaluation import evaluate as evaluate
    from anchordiv.projection import project as project
    from anchordiv.retrieval import search as search
    from anchordiv.samples import open_sample as open_sample

__version__ = "0.1.0"

_HOME = {
    "AnchordivError": "anchordiv.errors",
    "Collection": "anchordiv.collection",
    "Context": "anchordiv.contexts",
    "evaluate": "anchordiv.evaluation",
    "load_encoder": "anchordiv.encoders",
    "open_sample": "anchordiv.samples",
    "project": "anchordiv.projection",
    "search": "anchordiv.retrieval",
}

__all__ = [
    "AnchordivError",
    "Collection",
    "Context",
    "evaluate",
    "load_encoder",
    "open_sample",
    "project",
    "search",
]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'anchordiv' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})
