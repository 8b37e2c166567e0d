"""Paths that start from a label: the short text before a value that says what it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from winze.extract.paths import Path
from winze.learn.page_index import Element, PageIndex, Text
from winze.learn.selectors import classes, escape
from winze.learn.spots import Spot

#: Texts before a value that may be its label.
_NEAR = 3

#: Headings before a value that may be its label, for lists.
_HEADINGS = 2

#: Longest label, in characters.
_MAX_LABEL = 40

#: Levels between a label and the ancestor it shares with its value.
_MAX_UP = 4

#: Texts between a heading and a value of its list.
_MAX_BETWEEN = 300

_LABEL_TAGS = frozenset({"th", "dt", "b", "strong", "label", "h2", "h3", "h4", "h5", "h6"})
_HEADING_TAGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "dt", "th", "legend", "caption"})


def label_paths(page: PageIndex, spot: Spot, *, many: bool = False) -> Iterator[Path]:
    """Yield the paths by which a spot is reached from the labels before it."""
    if spot.element is None or spot.text is None or spot.element.tag == "title":
        return
    for label in _labels(page, spot.text, spot.element, many=many):
        up = _levels(label.parent, spot.element)
        if up is None:
            continue
        for css in _target_css(spot.element, many=many):
            path = Path(
                css=css,
                node=spot.node,
                after_label=label.folded,
                label_css=_plain_css(label.parent),
                up=up,
                regex=spot.regex,
            )
            yield path


def _labels(page: PageIndex, first: Text, element: Element, *, many: bool) -> Iterator[Text]:
    """Yield texts before a value that read like labels, the nearest first."""
    before = reversed(page.texts[max(first.at - _MAX_BETWEEN, 0) : first.at])
    headings = 0
    for distance, text in enumerate(before):
        if not is_label(text.folded):
            continue
        if distance < _NEAR:
            yield text
        elif many and text.parent.tag in _HEADING_TAGS and headings < _HEADINGS:
            headings += 1
            yield text
        elif not many:
            return


def is_label(folded: str) -> bool:
    """Could this text be a label? Short, with a letter.

    >>> is_label("isbn:"), is_label("12"), is_label("a" * 50)
    (True, False, False)
    """
    return 1 < len(folded) <= _MAX_LABEL and any(char.isalpha() for char in folded)


def reads_like_label(path: Path) -> bool:
    """Does a path's label look like one: a colon behind it, or an element for labels around it?

    >>> reads_like_label(Path("td", after_label="year", label_css="th"))
    True
    """
    tag = path.label_css.partition(".")[0]
    return path.after_label.endswith((":", "：")) or tag in _LABEL_TAGS


def _levels(label: Element, target: Element) -> int | None:
    """Return how many levels above a label an ancestor of the target stands, if not too many."""
    above = {id(element) for element in target.ancestors()}
    for up, element in enumerate(islice(label.ancestors(), _MAX_UP + 1)):
        if id(element) in above:
            return up
    return None


def _target_css(element: Element, *, many: bool) -> list[str]:
    plain = _plain_css(element)
    return [plain] if plain == element.tag or not many else [plain, element.tag]


def _plain_css(element: Element) -> str:
    names = classes(element)
    return f"{element.tag}.{escape(names[0])}" if names else element.tag
