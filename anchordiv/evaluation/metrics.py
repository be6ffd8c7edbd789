"""Retrieval metrics over a ranking."""

import numpy as np
from numpy.typing import NDArray


def average_precision(relevant: NDArray[np.bool_]) -> float:
    """Return the mean of precision@k over the ranks k that hold a relevant item: ``(n,)`` best first.

    NaN when nothing is relevant, which has no precision to speak of.

    >>> average_precision(np.array([True, False, True]))
    0.8333333333333333
    """
    ranks = np.flatnonzero(relevant) + 1
    if not len(ranks):
        return float("nan")
    return float(np.mean(np.arange(1, len(ranks) + 1) / ranks))
