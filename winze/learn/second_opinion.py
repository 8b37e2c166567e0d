"""What pages without labels say about a field's paths: do they find something, and the same?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from winze.extract.page_view import PageView
from winze.extract.paths import Path
from winze.extract.value_types import fits
from winze.extract.wrapper import Field, first_value, vote
from winze.learn.page_index import quick_fold
from winze.learn.trials import Trial, set_f1

#: Pages asked at most; more say the same again (bench.fields).
MAX_PAGES = 8

#: What is left of a path's confidence if it never agrees with the vote.
_LEAST = 0.7

#: What is left if it gives one value on every page while the examples differ.
_CONSTANT = 0.5

#: Pages it takes to call a value constant, or to weigh as much as the examples.
_ENOUGH = 4

#: Mark for finding nothing: the value may be absent there.
_NOTHING = 0.3

#: Mark for an example's value: it may be the site's and not the page's.
_SAME = 0.7

#: What a path finds on each page.
Findings = list[list[str]]


def behaviour(trial: Trial, kind: str, pages: Sequence[PageView]) -> float:
    """Return how well a path behaves on pages without labels, 0 to 1.

    Best is another value than on the examples, of the field's type. Few pages say little: as
    many as `_ENOUGH` are taken to be well.
    """
    known = {values[0] for values in trial.found if values} if len(trial.found) == 1 else set()
    marks = (_mark(next(trial.candidate.path.values(page), ""), kind, known) for page in pages)
    return (sum(marks) + _ENOUGH) / (len(pages) + _ENOUGH)


def _mark(value: str, kind: str, known: set[str]) -> float:
    if not value:
        return _NOTHING
    if not fits(kind, value):
        return 0.0
    return _SAME if quick_fold(value) in known else 1.0


def reconsidered(field: Field, pages: Sequence[PageView], *, varies: bool) -> Field:
    """Return a field with its paths' confidence as far as they agree with the others.

    `varies`: the value differs between the examples. Hand-written paths stay as they are.
    """
    if not pages or not field.paths:
        return field
    found = {path: [_found(field, path, page) for page in pages] for path in field.paths}
    agreed = {
        part: [vote(field, [p for p in field.paths if p.part == part], page) for page in pages]
        for part in {path.part for path in field.paths}
    }
    paths = []
    for path in field.paths:
        factor = _LEAST + (1 - _LEAST) * _agreement(field, found[path], agreed[path.part])
        if varies and _constant(found[path]) and not _constant(agreed[path.part]):
            factor *= _CONSTANT
        known = path if path.by == "hand" else replace(path, confidence=path.confidence * factor)
        paths.append(known)
    return replace(field, paths=tuple(paths))


def _found(field: Field, path: Path, page: PageView) -> list[str]:
    return list(path.values(page)) if field.many else first_value(path, page)


def _agreement(field: Field, found: Findings, agreed: Findings) -> float:
    """Return how far a path gives the agreed values, 0 to 1; few pages say little."""
    likeness = [
        set_f1(map(quick_fold, mine), map(quick_fold, ours))
        if all(fits(field.type, text) for text in mine)
        else 0.0
        for mine, ours in zip(found, agreed, strict=True)
        if ours
    ]
    return (sum(likeness) + _ENOUGH) / (len(likeness) + _ENOUGH)


def _constant(found: Findings) -> bool:
    given = [tuple(values) for values in found if values]
    return len(given) >= _ENOUGH and len(set(given)) == 1
