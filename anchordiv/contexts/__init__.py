"""Groups of anchors -> a geometry: contexts, anchor models, context files and ready-made contexts."""

from anchordiv.contexts.context import Context
from anchordiv.contexts.groups import OKABE_ITO, Anchor, Group, anchors_from, text_anchors
from anchordiv.contexts.models import ANCHOR_MODELS, AnchorModel
from anchordiv.contexts.ready import ready_contexts

__all__ = [
    "ANCHOR_MODELS",
    "OKABE_ITO",
    "Anchor",
    "AnchorModel",
    "Context",
    "Group",
    "anchors_from",
    "ready_contexts",
    "text_anchors",
]
