"""Say what "similar" means by pointing at anchors; retrieval and the map of a collection follow.

Everything public is reachable from here and imported on first use, so that
``import anchordiv`` stays light and ``anchordiv.geometry`` loads torch and nothing heavier.
"""

from typing import TYPE_CHECKING

from anchordiv.lazy import public_names

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

__getattr__, __dir__, __all__ = public_names(__name__, _HOME)
