"""Collections: bytes become verified pictures, pictures become items with vectors, labels and thumbnails."""

from anchordiv.collection.collection import Collection, Item, Progress
from anchordiv.collection.pixels import read_image, thumbnail
from anchordiv.collection.report import IngestReport
from anchordiv.collection.store import Store

__all__ = ["Collection", "IngestReport", "Item", "Progress", "Store", "read_image", "thumbnail"]
