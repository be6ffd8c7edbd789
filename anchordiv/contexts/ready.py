"""Ready contexts: groups of prompts that fit the sample collections, one click away."""

from collections.abc import Mapping

Prompts = Mapping[str, tuple[str, ...]]


def ready_contexts(sample: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return ready contexts for a sample collection: name -> group -> prompts; empty for an unknown one.

    The names are the sample's label columns and the groups that column's values, so each
    context can be judged against the labels.
    """
    return {name: dict(groups) for name, groups in _READY.get(sample, {}).items()}


def _prompted(template: str, values: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {value: (template.format(value),) for value in values}


_ATELIER: dict[str, Prompts] = {
    "style": {
        "flat icon": ("a flat icon",),
        "ink outline": ("an ink outline drawing",),
        "pencil": ("a pencil sketch",),
        "watercolour": ("a watercolour painting",),
        "pixel art": ("pixel art",),
        "stained glass": ("a stained glass window",),
        "pointillism": ("a pointillist painting",),
        "blueprint": ("a blueprint",),
        "neon": ("a neon sign",),
        "charcoal": ("a charcoal drawing",),
    },
    "object": _prompted(
        "a picture of a {}",
        (
            *("cat", "dog", "rabbit", "bird", "owl", "fish", "whale", "butterfly", "snail", "turtle"),
            *("apple", "pear", "cherries", "strawberry", "mushroom", "flower", "tree", "cactus"),
            *("car", "bicycle", "sailboat", "airplane", "hot-air balloon", "rocket", "house", "lighthouse"),
            *("cup", "teapot", "umbrella", "guitar", "lamp", "key"),
        ),
    ),
    "colour": _prompted(
        "a {} picture",
        ("red", "orange", "yellow", "green", "turquoise", "blue", "purple", "pink", "black"),
    ),
}

_READY: dict[str, dict[str, Prompts]] = {"atelier": _ATELIER}
