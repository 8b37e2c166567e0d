"""Where a value stands on an example page: elements, texts, parts of texts, attributes, JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from winze.extract.linked_data import plain
from winze.learn.page_index import Element, Leaf, PageIndex, Text, quick_fold
from winze.learn.parts import part_regexes
from winze.text.words import squeeze

#: Spots of one sort that are followed up; a value that stands in more places is common wording.
_MAX_SPOTS = 8

#: Levels from a value's first text node up to the element that holds just the value.
_MAX_WRAPPERS = 5

#: Shortest value that is looked for inside a longer text.
_MIN_PART = 2

#: Elements that are the page and no value on it.
_PAGE = frozenset({"html", "head", "body"})

#: Attributes that carry sentences, where a value may be a part.
_WORDY = frozenset({"content", "alt", "title"})

#: Longest text, in lengths of the value, in which a value across several nodes is looked for.
_MAX_ACROSS = 10

#: How sites join several values of linked data into one.
_JOINS = (", ", ",", " ", " / ", "; ")


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """A place that shows a value, as the last step of a path: see `extract.paths.Path`."""

    element: Element | None
    node: str
    css: str = ""
    attr: str = ""
    nth_text: int | None = None
    regex: str = ""
    join: str | None = None
    #: The text node, or the first one, by which labels before it are found.
    text: Text | None = None


def spots(page: PageIndex, value: str, *, many: bool = False) -> list[Spot]:
    """Return the places where a value stands, whole ones before parts; several of each sort."""
    folded = quick_fold(value)
    if not folded:
        return []
    whole = [
        *_limited(_elements(page, folded)),
        *_limited(_texts(page, folded)),
        *_limited(_data(page.linked_data, folded)),
        *_limited(_attributes(page, folded)),
    ]
    parts = _limited(_parts(page, squeeze(value), folded, many=many))
    if not many:
        whole += _limited(_joined(page.linked_data, folded))
    return (
        whole + parts
        or _limited(_across(page, squeeze(value), folded))
        or _limited(_data(page.script_data, folded))
    )


def stands(page: PageIndex, value: str) -> bool:
    """Does a value stand anywhere on a page?"""
    return bool(spots(page, value) or spots(page, value, many=True))


def _limited(found: Iterable[Spot]) -> list[Spot]:
    return list(islice(found, _MAX_SPOTS))


def _elements(page: PageIndex, folded: str) -> Iterator[Spot]:
    """Yield elements whose whole text is the value."""
    seen: set[int] = set()
    for first in page.by_first_letter.get(folded[0], ()):
        if not folded.startswith(first.folded):
            continue
        for element in islice(first.parent.ancestors(), _MAX_WRAPPERS):
            if element.tag in _PAGE or element.node.mem_id in seen:
                break
            text = quick_fold(page.view.text(element.node))
            if len(text) > len(folded):
                break
            node = "element" if text == folded else "spaced"
            if text == folded or quick_fold(element.node.text(separator=" ")) == folded:
                seen.add(element.node.mem_id)
                yield Spot(element, node, text=first)


def _texts(page: PageIndex, folded: str) -> Iterator[Spot]:
    for text in page.by_text.get(folded, ()):
        if text.parent.tag != "title":
            yield Spot(text.parent, "text", nth_text=text.own, text=text)


def _attributes(page: PageIndex, folded: str) -> Iterator[Spot]:
    for element, name, value in page.attributes:
        if value == folded:
            yield Spot(element, "attr", attr=name)


def _data(leaves: list[Leaf], folded: str) -> Iterator[Spot]:
    seen: set[tuple[str, str]] = set()
    for leaf in leaves:
        if leaf.folded == folded and (leaf.css, leaf.path) not in seen:
            seen.add((leaf.css, leaf.path))
            yield Spot(None, "json", css=leaf.css, attr=leaf.path)


def _joined(leaves: list[Leaf], folded: str) -> Iterator[Spot]:
    """Yield lists of linked data that make up the value together."""
    lists: dict[tuple[str, str], list[str]] = {}
    for leaf in leaves:
        if leaf.folded in folded:
            lists.setdefault((leaf.css, leaf.path), []).append(leaf.folded)
    for (css, path), items in lists.items():
        for between in _JOINS:
            if len(items) > 1 and quick_fold(between.join(items)) == folded:
                yield Spot(None, "json", css=css, attr=path, join=between)


def _parts(page: PageIndex, value: str, folded: str, *, many: bool) -> Iterator[Spot]:
    if len(folded) < _MIN_PART:
        return
    if many:
        yield from _lines(page, folded)
    for text in page.texts:
        if len(text.folded) > len(folded) and folded in text.folded:
            node = "element" if text.parent.tag == "title" else "text"
            nth = None if node == "element" else text.own
            for regex in part_regexes(squeeze(text.raw), value):
                yield Spot(text.parent, node, nth_text=nth, regex=regex, text=text)
    for element, name, whole in page.attributes:
        if name in _WORDY and len(whole) > len(folded) and folded in whole:
            for regex in part_regexes(squeeze(element.attributes[name]), value):
                yield Spot(element, "attr", attr=name, regex=regex)


def _lines(page: PageIndex, folded: str) -> Iterator[Spot]:
    """Yield the places where the value is one line of a text in linked data."""
    for leaf in page.linked_data:
        if folded == leaf.folded or folded not in leaf.folded:
            continue
        if folded in map(quick_fold, plain(leaf.raw).split("\n")):
            yield Spot(None, "json", css=leaf.css, attr=leaf.path, regex=r"[^\n]+")


def _across(page: PageIndex, value: str, folded: str) -> Iterator[Spot]:
    """Yield the smallest element in which a value stands across several text nodes."""
    for element in reversed(page.elements):
        if element.tag in _PAGE or len(element.node.text()) > _MAX_ACROSS * len(value):
            continue
        text = page.view.text(element.node)
        if folded in quick_fold(text):
            for regex in part_regexes(squeeze(text), value):
                yield Spot(element, "element", regex=regex)
            return
