"""Maps: exact neighbours under a divergence, warm UMAP layouts."""

from anchordiv.projection.layout import Layout, aligned, project, warm_up
from anchordiv.projection.neighbours import nearest_neighbours

__all__ = ["Layout", "aligned", "nearest_neighbours", "project", "warm_up"]
