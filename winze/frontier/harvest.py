"""How many targets the next pages will give: for the progress line and --until-yield."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

#: Pages that the forecast looks ahead, and that it looks back to correct itself.
WINDOW = 100


class Harvest:
    """The recent harvest, and what the scores of the waiting URLs promise in its light.

    >>> harvest = Harvest()
    >>> for is_target in [True, False] * 50:
    ...     harvest.record(is_target=is_target, score=0.5)
    >>> harvest.rate, round(harvest.expected(np.full(1000, 0.1)), 6)
    (0.5, 10.0)
    """

    def __init__(self) -> None:
        self._recent: deque[tuple[bool, float]] = deque(maxlen=WINDOW)

    def record(self, *, is_target: bool, score: float | None = None) -> None:
        """Count one fetched page, with the score it was fetched for if it had one."""
        self._recent.append((is_target, float(is_target) if score is None else score))

    @property
    def rate(self) -> float:
        """Targets per page among the last pages; 0 before the first."""
        if not self._recent:
            return 0.0
        return sum(is_target for is_target, _ in self._recent) / len(self._recent)

    def expected(self, scores: NDArray[np.floating] | None, *, waiting: int | None = None) -> float:
        """Return the expected number of targets among the next 100 pages.

        `scores` are those of the waiting URLs, corrected by how far the recent ones promised too
        much or too little; without scores the recent rate goes on. `waiting` caps the pages.
        """
        if scores is None:
            return self.rate * min(WINDOW, WINDOW if waiting is None else waiting)
        count = min(WINDOW, len(scores))
        if count == 0:
            return 0.0
        best = np.partition(scores, len(scores) - count)[len(scores) - count :]
        return min(float(count), float(best.sum(dtype=np.float64)) * self._correction())

    def _correction(self) -> float:
        """Return found over promised targets, drawn towards 1 while few pages speak."""
        found = sum(is_target for is_target, _ in self._recent)
        promised = sum(score for _, score in self._recent)
        return (found + 1.0) / (promised + 1.0)
