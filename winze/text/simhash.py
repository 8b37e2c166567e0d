"""Simhash: whether two texts are nearly the same (Charikar 2002; Manku et al. 2007)."""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Shorter texts have no simhash: one word more or less would move too many of its bits.
LEAST_CHARACTERS = 100

#: Texts that differ in no more bits are nearly the same (Manku et al. 2007, 4.1).
NEAR_BITS = 3

#: Bytes of a shingle: eight letters, or two to three Chinese characters, without blanks.
_SHINGLE = 8

#: Shingles that stand for a text, about: those with the smallest hashes. The same are drawn from
#: two texts that are nearly the same, wherever they stand.
_SAMPLE = 128

#: No more than this, so that a byte counts the votes; only a text that repeats itself has more.
_MOST = 255

#: Shingles that are kept to tell new content from old, about.
_FEW = 32

#: Characters that are looked at, from the beginning and from the end: where pages of one layout
#: differ, and a bound on the cost.
_HEAD, _TAIL = 3072, 1024

#: Lower case; digits, blanks and punctuation go: dates, prices and clocks say nothing new.
_LOWER = bytes.maketrans(bytes(range(65, 91)), bytes(range(97, 123)))
_IDLE_BYTES = bytes(code for code in range(128) if not chr(code).isalpha())

#: Odd multipliers without structure, those of splitmix64 (Steele et al. 2014).
_MIX, _STIR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_HALF = np.uint64(32)

#: Bands of a simhash: two that differ in 3 bits agree in one of 4 bands (Manku et al. 2007, 3).
_BANDS, _BAND_BITS = 4, 16

#: Simhashes that one value of a band remembers; the oldest goes first. 65,536 * 4 * 2 numbers are
#: 4 MB, which hold about 100,000 pages.
_SLOTS = 2

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Sketch:
    """A text in little, drawn by its content."""

    #: 64 bits; None for a text that is too short.
    simhash: int | None
    #: Hashes of a sample of its shingles; none for a text without letters.
    shingles: Hashes


def sketch(text: str) -> Sketch:
    """Return a text's simhash and sample; of a long one's first 3,072 and last 1,024 characters.

    >>> len(sketch("2024-05-01 1 2 3").shingles)
    0
    """
    if len(text) > _HEAD + _TAIL:
        text = text[:_HEAD] + text[-_TAIL:]
    letters = text.encode("utf-8", "replace").translate(_LOWER, _IDLE_BYTES)
    if not letters:
        return Sketch(None, np.empty(0, np.uint64))
    hashes = _loaded(letters.ljust(_SHINGLE, b"\0")) * _MIX
    drawn = hashes[hashes <= _bound(_SAMPLE, len(hashes))][:_MOST]
    if not drawn.size:  # a text that repeats a few words
        drawn = hashes.min(keepdims=True)
    few = drawn[drawn <= _bound(_FEW, len(hashes))]
    mixed = (drawn ^ (drawn >> _HALF)) * _STIR
    return Sketch(
        _vote(mixed) if len(text) >= LEAST_CHARACTERS else None,
        (few if few.size else drawn) * _STIR,
    )


def simhash(text: str) -> int | None:
    """Return the 64-bit simhash of a text's letters; None for fewer than 100 characters.

    >>> near(simhash("Hot food, at 12:30. " * 9), simhash("HOT FOOD! AT 13:45. " * 9))
    True
    """
    return sketch(text).simhash


def near(one: int | None, other: int | None) -> bool:
    """Are these the simhashes of two texts that are nearly the same?

    >>> near(0b1011, 0b0001), near(0b11111, 0b00001), near(None, None)
    (True, False, False)
    """
    return one is not None and other is not None and (one ^ other).bit_count() <= NEAR_BITS


def signed(number: int) -> int:
    """Return 64 bits as a database keeps them: in two's complement.

    >>> signed(2**64 - 1), signed(7)
    (-1, 7)
    """
    return number - (1 << 64) if number >> 63 else number


class SimhashIndex:
    """Finds near simhashes among the newest 100,000 or so, in 4 MB.

    >>> index = SimhashIndex()
    >>> index.add(0xFFFF0000), index.add(0xFFFF0001), index.add(0x0F0F0F0F0F)
    (False, True, False)
    """

    def __init__(self) -> None:
        self._table = array("Q", bytes(8 * _SLOTS * _BANDS << _BAND_BITS))

    def add(self, number: int) -> bool:
        """Remember a simhash; say whether one near to it was known."""
        known = False
        for band in range(_BANDS):
            value = number >> (_BAND_BITS * band) & 0xFFFF
            place = ((band << _BAND_BITS) | value) * _SLOTS
            slots = self._table[place : place + _SLOTS]
            # An empty slot is zero, which no text of a hundred characters is likely to have.
            known = known or any(one and (one ^ number).bit_count() <= NEAR_BITS for one in slots)
            if number not in slots:
                self._table[place + 1 : place + _SLOTS] = slots[:-1]
                self._table[place] = number
        return known


def _loaded(letters: bytes) -> Hashes:
    """Return the eight bytes at every place as a number; a view, nothing is copied."""
    return np.ndarray((len(letters) - _SHINGLE + 1,), np.uint64, letters, 0, (1,))


def _bound(wanted: int, size: int) -> np.uint64:
    """Return the hash that about this many of so many hashes do not exceed."""
    return np.uint64(min((wanted << 64) // size, (1 << 64) - 1))


def _vote(hashes: Hashes) -> int:
    """Return the bits that most of the hashes have (Charikar 2002)."""
    bits = np.unpackbits(hashes.view(np.uint8)).reshape(-1, 64)
    won = bits.sum(axis=0, dtype=np.uint8) > len(hashes) // 2
    return int.from_bytes(np.packbits(won).tobytes(), "big")
