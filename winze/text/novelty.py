"""Whether a text says something that no text of its family said before."""

from __future__ import annotations

from collections.abc import Iterable
from zlib import crc32

import numpy as np

from winze.text.simhash import Hashes

#: Places to remember shingles in, one byte each: few enough to stay in the processor's cache.
_PLACES = 1 << 20

#: Shingles after which a new generation begins; the one before the last is forgotten. Then at most
#: an eighth of the places is taken, and so many new shingles are mistaken for old ones.
_GENERATION = _PLACES // 16

_TOP = np.uint64(64 - 20)


class Novelty:
    """Remembers the shingles (text.simhash.sketch) of the last 4,000 texts or so, in 1 MB.

    >>> from winze.text.simhash import sketch
    >>> novelty = Novelty()
    >>> march, april = sketch("No events in March. " * 9), sketch("No events on 17 March. " * 9)
    >>> novelty.share(march.shingles, "/day"), novelty.share(march.shingles, "/day")
    (1.0, 0.0)
    """

    def __init__(self) -> None:
        self._seen = np.zeros(_PLACES, np.uint8)
        self._generation = 2
        self._taken = 0

    def share(self, shingles: Hashes, family: str) -> float:
        """Return the share of a text's shingles that are new to its family, 0 to 1; learn them."""
        if not len(shingles):
            return 0.0
        places = (shingles ^ np.uint64(crc32(family.encode()) << 32)) >> _TOP
        known = int(np.count_nonzero(self._seen[places] >= self._generation - 1))
        self._seen[places] = self._generation
        new = len(places) - known
        self._taken += new
        if self._taken >= _GENERATION:
            self._age()
        return new / len(places)

    def _age(self) -> None:
        self._taken = 0
        self._generation += 1
        if self._generation > 255:
            self._seen = np.where(self._seen == 255, 2, 0).astype(np.uint8)
            self._generation = 3


def hashes(texts: Iterable[str]) -> Hashes:
    """Return a hash of each text as a whole, to be asked for in place of shingles.

    >>> len(hashes(["http://shop.example/p/1"]))
    1
    """
    return np.fromiter((crc32(text.encode()) for text in texts), np.uint64) << np.uint64(32)
