"""Candidate paths tried on the examples and on pages without labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from winze.extract.page_view import PageView
from winze.extract.paths import Path
from winze.learn.candidates import Candidate
from winze.learn.page_index import PageIndex, quick_fold

#: Values of one path that are looked at.
_MAX_VALUES = 150


@dataclass(frozen=True, slots=True)
class Told:
    """What a field is on an example page: its folded values, none if it is absent."""

    page: PageIndex
    raw: tuple[str, ...]
    folded: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """How a candidate did on the examples."""

    candidate: Candidate
    #: Mean F1 of its values, 1 for silence where the field is absent.
    score: float
    #: Examples on which it gives something that is wrong.
    wrong: int
    #: What it gives on each example, folded.
    found: tuple[tuple[str, ...], ...]
    #: How it stands for one value: 1 when it gives no second one.
    uniqueness: float = 1.0


def try_single(candidate: Candidate, told: Sequence[Told]) -> Trial:
    """Return how a candidate does where the field has one value."""
    found = [tuple(found_on(candidate.path, each.page.view, 3)) for each in told]
    right = [hits[:1] == each.folded[:1] for hits, each in zip(found, told, strict=True)]
    wrong = sum(bool(hits) and not ok for hits, ok in zip(found, right, strict=True))
    hits = max(map(len, found), default=1)
    return Trial(
        candidate,
        score=sum(right) / len(told),
        wrong=wrong,
        found=tuple(values[:1] for values in found),
        uniqueness=0.5 + 0.5 / max(hits, 1),
    )


def try_many(candidate: Candidate, told: Sequence[Told]) -> Trial:
    """Return how a candidate does where the field has several values."""
    found = tuple(
        tuple(dict.fromkeys(found_on(candidate.path, each.page.view, _MAX_VALUES))) for each in told
    )
    scores = [set_f1(hits, each.folded) for hits, each in zip(found, told, strict=True)]
    wrong = sum(bool(set(hits) - set(each.folded)) for hits, each in zip(found, told, strict=True))
    return Trial(candidate, sum(scores) / len(scores), wrong, found)


def found_on(path: Path, view: PageView, limit: int) -> Iterable[str]:
    """Return the folded values of a path, at most so many."""
    return map(quick_fold, islice(path.values(view), limit))


def set_f1(found: Iterable[str], true: Iterable[str]) -> float:
    """Return the F1 of values compared as sets; 1 if both are empty.

    >>> set_f1(["a", "b"], ["b"]), set_f1([], [])
    (0.6666666666666666, 1.0)
    """
    got, want = set(found), set(true)
    if not got and not want:
        return 1.0
    return 2 * len(got & want) / (len(got) + len(want))
