"""Rows within a page: the repeating container that holds one value of each of several lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from winze.extract.page_view import subtree
from winze.learn.page_index import Element, PageIndex, quick_fold
from winze.learn.selectors import marks
from winze.learn.spots import spots
from winze.parse.html import Node, Tree, visible_texts

#: Places of a list's first value from which a container is looked for.
_PLACES = 3

#: Levels from a value up to its container.
_MAX_LEVELS = 8

#: A container that stands this many times as often as there are values is another thing.
_MAX_RATIO = 4

#: Shortest value that may be part of a longer text in its container.
_MIN_PART = 8


@dataclass(frozen=True, slots=True)
class Row:
    """One container's own tree and the values of the fields in it; "" where one is absent."""

    tree: Tree
    values: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Rows:
    """A page's repeating container."""

    container: str
    rows: tuple[Row, ...]


def find_rows(page: PageIndex, lists: Mapping[str, Sequence[str]]) -> Rows | None:
    """Return the smallest container that holds one value of each of the most lists.

    None unless at least two lists of two values or more share it, in their order.
    """
    long = {name: values for name, values in lists.items() if len(values) > 1}
    best: Rows | None = None
    if len(long) < 2:
        return None
    for css in dict.fromkeys(_container_selectors(page, long)):
        found = _rows(page, css, long)
        if found and (best is None or _width(found) > _width(best)):
            best = found
    return best


def _width(rows: Rows) -> int:
    return len(rows.rows[0].values)


def _container_selectors(page: PageIndex, lists: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield selectors of what stands around the lists' first values, the smallest first."""
    most = max(map(len, lists.values()))
    for values in lists.values():
        for spot in spots(page, values[0], many=True)[:_PLACES]:
            if spot.element is None:
                continue
            for element in islice(spot.element.ancestors(), _MAX_LEVELS):
                for css in _selectors(element):
                    if most <= len(page.view.select(css)) <= most * _MAX_RATIO:
                        yield css


def _selectors(element: Element) -> Iterator[str]:
    yield from (mark.css for mark in marks(element) if mark.anchor in ("class", "name"))
    if element.parent is not None:
        for mark in marks(element.parent)[:1]:
            yield f"{mark.css} > {element.tag}"


def _rows(page: PageIndex, css: str, lists: Mapping[str, Sequence[str]]) -> Rows | None:
    containers = page.view.select(css)
    texts = [_texts(node) for node in containers]
    columns: dict[str, list[str]] = {}
    for name, values in lists.items():
        column = [_value_in(each, values) for each in texts]
        if None not in column and [v for v in column if v] == list(values):
            columns[name] = [value or "" for value in column]
    if len(columns) < 2:
        return None
    filled = [at for at in range(len(containers)) if any(col[at] for col in columns.values())]
    return Rows(
        css,
        tuple(
            Row(subtree(containers[at]), {name: col[at] for name, col in columns.items()})
            for at in filled
        ),
    )


def _texts(node: Node) -> tuple[frozenset[str], str]:
    folded = [quick_fold(text) for text in visible_texts(node)]
    return frozenset(folded), " ".join(folded)


def _value_in(texts: tuple[frozenset[str], str], values: Sequence[str]) -> str | None:
    """Return the one value that stands in a container, "" for none, None for several."""
    whole, joined = texts
    found = {
        value
        for value in values
        if (folded := quick_fold(value)) in whole or (len(folded) >= _MIN_PART and folded in joined)
    }
    if len(found) > 1:
        return None
    return found.pop() if found else ""
