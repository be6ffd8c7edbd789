"""Two rankings of the same pictures: who entered the first k, who left, who moved, who stayed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anchordiv.errors import InputError

Ranks = NDArray[np.int64]


@dataclass(frozen=True)
class Comparison:
    """How the first ``k`` of a ranking differ from the first ``k`` of another.

    Args:
        entered: rows only among its own first ``k``, nearest first.
        left: rows only among the other's first ``k``, in the other's order.
        moved: rows among both at another rank, nearest first.
        stayed: rows among both at the same rank, nearest first.
    """

    entered: tuple[int, ...]
    left: tuple[int, ...]
    moved: tuple[int, ...]
    stayed: tuple[int, ...]

    def sentence(self) -> str:
        """Say the counts, without those that are zero.

        >>> Comparison(entered=(4, 7), left=(1, 2), moved=(), stayed=(0,)).sentence()
        '2 entered, 2 left, 1 stayed'
        """
        if not (self.entered or self.left or self.moved):
            return "nothing changed"
        counts = {"entered": self.entered, "left": self.left, "moved": self.moved, "stayed": self.stayed}
        return ", ".join(f"{len(rows)} {what}" for what, rows in counts.items() if rows)


def ranks_of(
    scores: NDArray[np.floating], leave_out: int | None = None, allowed: NDArray[np.bool_] | None = None
) -> Ranks:
    """Return each row's rank by ascending score, 1 for the lowest: ``(n,) -> (n,)``.

    Rows that take no part have rank 0 and do not count in the others' ranks.

    Args:
        scores: ``(n,)``, such as divergences in nats or negated cosines.
        leave_out: a row that takes no part, such as the query's own.
        allowed: ``(n,)``, False for rows that take no part; None allows all.

    Raises:
        InputError: when ``allowed`` is of another length or ``leave_out`` is no row.
    """
    takes_part = np.ones(len(scores), dtype=bool) if allowed is None else np.array(allowed, dtype=bool)
    if takes_part.shape != scores.shape:
        raise InputError(f"allowed must say yes or no to each of {len(scores)} rows, got shape {takes_part.shape}.")
    if leave_out is not None:
        if not 0 <= leave_out < len(scores):
            raise InputError(f"there are rows 0 to {len(scores) - 1} to leave out, got {leave_out}.")
        takes_part[leave_out] = False
    candidates = np.flatnonzero(takes_part)
    ranks = np.zeros(len(scores), dtype=np.int64)
    # Ties keep the rows' order, so that a ranking is the same on every run.
    ranks[candidates[np.argsort(scores[candidates], kind="stable")]] = np.arange(1, len(candidates) + 1)
    return ranks


def compare_rankings(ranks: Ranks, other: Ranks, k: int) -> Comparison:
    """Return how the first ``k`` of ``ranks`` differ from the first ``k`` of ``other``: ``(n,), (n,)``.

    Args:
        ranks: 1 for the nearest, 0 for rows that take no part.
        other: the ranking to compare with, of the same rows.
        k: how many of each count, at least 1.

    Raises:
        InputError: for rankings of unequal length or ``k`` below 1.
    """
    if k < 1:
        raise InputError(f"k must be at least 1, got {k}.")
    if ranks.shape != other.shape:
        raise InputError(f"both rankings must be of the same rows, got {len(ranks)} and {len(other)}.")
    first, first_other = _first(ranks, k), _first(other, k)
    in_first, in_other = set(first), set(first_other)
    kept = [row for row in first if row in in_other]
    return Comparison(
        entered=tuple(row for row in first if row not in in_other),
        left=tuple(row for row in first_other if row not in in_first),
        moved=tuple(row for row in kept if ranks[row] != other[row]),
        stayed=tuple(row for row in kept if ranks[row] == other[row]),
    )


def _first(ranks: Ranks, k: int) -> list[int]:
    """Return the rows of rank 1 to ``k``, nearest first."""
    rows = np.flatnonzero((ranks >= 1) & (ranks <= k))
    near: list[int] = rows[np.argsort(ranks[rows])].tolist()
    return near
