"""Collections: bytes become verified pictures, pictures become items with vectors, labels and thumbnails."""

from anchordiv.collection.collection import Collection, Item, Progress
from anchordiv.collection.pixels import read_image, thumbnail
from anchordiv.collection.report import IngestReport

__all__ = ["Collection", "IngestReport", "Item", "Progress", "read_image", "thumbnail"]
