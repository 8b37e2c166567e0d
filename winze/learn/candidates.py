"""The paths that may lead to a value, with what is known of each before it is tried."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from winze.extract.paths import Path
from winze.learn.labels import label_paths, reads_like_label
from winze.learn.page_index import Element, PageIndex
from winze.learn.parts import hangs_on_words
from winze.learn.selectors import Selector, selectors
from winze.learn.spots import Spot
from winze.text.words import fold

#: Selectors tried for a part of a text; each is tried with several regexes.
_PART_SELECTORS = 8

#: Hits behind a label among which the value is looked for.
_MAX_HITS = 4

#: What each kind of anchor is worth when nothing else is known (bench.fields, one-page).
_ANCHOR_PRIOR = {"name": 1.0, "id": 1.0, "class": 1.0, "tag": 0.95, "root": 0.6}

#: Each step down from the anchor, and each position counted, makes a path more brittle.
_STEP_PRIOR = 0.97
_POSITION_PRIOR = 0.95

#: Linked data is written for machines and stays when the layout changes.
_DATA_PRIOR = 1.1

#: A label says what its value is.
_LABEL_PRIOR = 1.0

#: A part of a text hangs on the words around it.
_PART_PRIOR = 0.9

#: A part between words of the running text: they may be this page's own.
_WORDING_PRIOR = 0.5

#: A text before the value that doesn't look like a label may be this page's own.
_NEIGHBOUR_PRIOR = 0.6

#: A hit behind the first one belongs to another label.
_LATER_HIT_PRIOR = 0.7

#: Navigation is the site's, not the page's.
_FRAME_PRIOR = 0.6
_FRAME_TAGS = frozenset({"nav", "footer", "aside"})
_FRAME_NAMES = re.compile(r"(?:^|[\s_-])(?:menu|nav|navbar|footer|sidebar|related)(?:$|[\s_-])")

#: Attributes such as alt and title repeat the value, sometimes shortened.
_ATTRIBUTE_PRIOR = 0.85

#: An own text misses what other pages put into child elements.
_TEXT_PRIOR = 0.97

#: A link in a paragraph names things by the way.
_RUNNING_PRIOR = 0.7
_INLINE = frozenset({"a", "em", "i", "b", "strong", "span"})

#: The field's name stands in the path (`author`: `.author-name`).
NAMED_PRIOR = 1.2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A path and how far it is trusted before it is tried."""

    path: Path
    #: "data", "label", "name", "id", "class", "tag", "root", with "-part" for regexes.
    family: str
    prior: float
    #: The spot's element, 0 for data: paths to one place err together.
    place: int = 0


def names_field(path: Path, field: str) -> bool:
    """Does a word of the field's name stand in the path?

    >>> names_field(Path("span.author-name"), "author"), names_field(Path("span"), "author")
    (True, False)
    """
    where = fold(f"{path.css} {path.attr} {path.after_label}")
    words = re.findall(r"[^\W\d_]{3,}|[\u4e00-\u9fff]{2,}", fold(field))
    return any(word.rstrip("s") in where for word in words)


def candidates(page: PageIndex, spot: Spot, *, many: bool) -> Iterator[Candidate]:
    """Yield the paths that may lead from a page to a spot."""
    if spot.element is None:
        path = Path(spot.css, "json", spot.attr, regex=spot.regex, join=spot.join)
        yield Candidate(path, "data", _DATA_PRIOR)
        if many and (loose := _any_depth(spot.attr)):
            yield Candidate(replace(path, attr=loose), "data", _DATA_PRIOR)
        return
    prior = spot_prior(spot)
    suffix = "-part" if spot.regex else ""
    place = spot.element.node.mem_id
    found = selectors(spot.element, many=many)
    for selector in found[:_PART_SELECTORS] if spot.regex else found:
        for path in _placed(spot, selector, many=many):
            amount = prior * selector_prior(selector)
            yield Candidate(path, selector.anchor + suffix, amount, place)
    for path in label_paths(page, spot, many=many):
        told = _LABEL_PRIOR if reads_like_label(path) else _NEIGHBOUR_PRIOR
        for numbered in _numbered(path, page, spot, many=many):
            near = _LATER_HIT_PRIOR if numbered.nth_text else 1.0
            yield Candidate(numbered, "label" + suffix, prior * told * near, place)


def spot_prior(spot: Spot) -> float:
    """Return what a place is worth, however it is reached."""
    prior = 1.0
    if spot.regex:
        prior *= _WORDING_PRIOR if hangs_on_words(spot.regex) else _PART_PRIOR
    if spot.node == "text":
        prior *= _TEXT_PRIOR
    if spot.element is not None:
        if spot.node == "attr" and spot.element.tag != "meta":
            prior *= _ATTRIBUTE_PRIOR
        if spot.element.tag in _INLINE and any(e.tag == "p" for e in _above(spot.element)):
            prior *= _RUNNING_PRIOR
        if any(map(_is_frame, spot.element.ancestors())):
            prior *= _FRAME_PRIOR
    return prior


def _is_frame(element: Element) -> bool:
    """Is an element a page's frame: navigation, sidebar, footer?"""
    names = f"{element.attributes.get('class', '')} {element.attributes.get('id', '')}"
    framed = _FRAME_NAMES.search(names.casefold()) is not None
    return element.tag not in ("html", "body") and (element.tag in _FRAME_TAGS or framed)


def _above(element: Element) -> Iterator[Element]:
    return islice(element.ancestors(), 1, 3)


def selector_prior(selector: Selector) -> float:
    """Return what a selector is worth before it is tried."""
    shape: float = _STEP_PRIOR**selector.steps * _POSITION_PRIOR**selector.positions
    return _ANCHOR_PRIOR[selector.anchor] * shape


def _placed(spot: Spot, selector: Selector, *, many: bool) -> Iterator[Path]:
    path = Path(selector.css, spot.node, spot.attr, spot.nth_text, regex=spot.regex)
    yield path
    if many and spot.node == "text":
        yield replace(path, nth_text=None)


def _numbered(path: Path, page: PageIndex, spot: Spot, *, many: bool) -> Iterator[Path]:
    """Yield a label's path with the number of the hit that is the spot."""
    if many:
        yield path
    for at, hit in enumerate(islice(replace(path, regex="").values(page.view), _MAX_HITS)):
        if spot.text is not None and fold(hit).startswith(spot.text.folded):
            yield replace(path, nth_text=at)
            return


def _any_depth(path: str) -> str:
    """Return a key path that reaches the same key below its first one, however deep.

    >>> _any_depth("Recipe/recipeInstructions/itemListElement/text")
    'Recipe/recipeInstructions//text'
    """
    keys = path.split("/")
    return f"{keys[0]}/{keys[1]}//{keys[-1]}" if len(keys) > 2 else ""
