"""Groups of anchors -> a geometry: contexts, anchor models, context files and ready-made contexts."""

from typing import TYPE_CHECKING

from anchordiv.lazy import public_names

if TYPE_CHECKING:
    from anchordiv.contexts.context import Context as Context
    from anchordiv.contexts.groups import OKABE_ITO as OKABE_ITO
    from anchordiv.contexts.groups import Anchor as Anchor
    from anchordiv.contexts.groups import Group as Group
    from anchordiv.contexts.groups import anchors_from as anchors_from
    from anchordiv.contexts.groups import text_anchors as text_anchors
    from anchordiv.contexts.models import ANCHOR_MODELS as ANCHOR_MODELS
    from anchordiv.contexts.models import AnchorModel as AnchorModel
    from anchordiv.contexts.ready import ready_contexts as ready_contexts

_HOME = {
    "ANCHOR_MODELS": "anchordiv.contexts.models",
    "OKABE_ITO": "anchordiv.contexts.groups",
    "Anchor": "anchordiv.contexts.groups",
    "AnchorModel": "anchordiv.contexts.models",
    "Context": "anchordiv.contexts.context",
    "Group": "anchordiv.contexts.groups",
    "anchors_from": "anchordiv.contexts.groups",
    "ready_contexts": "anchordiv.contexts.ready",
    "text_anchors": "anchordiv.contexts.groups",
}

__getattr__, __dir__, __all__ = public_names(__name__, _HOME)
