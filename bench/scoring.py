"""Strict value scores of extracted fields: values compared as sets, F1 per site and field."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from winze.text.words import fold

#: Predicted and true values of one field on one page.
Pair = tuple[Iterable[str], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Counts:
    """Values found and true, found only, true only."""

    both: int
    extra: int
    missed: int

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; 1 where nothing is there and nothing found."""
        total = 2 * self.both + self.extra + self.missed
        return 2 * self.both / total if total else 1.0


def count(pairs: Iterable[Pair]) -> Counts:
    """Count the values of one field over its pages; folded, empty ones left out.

    >>> count([(["Ann "], ["ann"]), (["x"], [])])
    Counts(both=1, extra=1, missed=0)
    """
    both = extra = missed = 0
    for predicted, true in pairs:
        got, want = ({fold(value) for value in values} - {""} for values in (predicted, true))
        both += len(got & want)
        extra += len(got - want)
        missed += len(want - got)
    return Counts(both, extra, missed)


def site_f1(fields: Sequence[Counts]) -> float:
    """Return the mean F1 over a site's fields."""
    return fmean(counts.f1 for counts in fields)
