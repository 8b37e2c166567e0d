"""Markup that would take a parser minutes or gigabytes: told before it is parsed.

HTML's own rules make a small page large: an unclosed <font> is opened anew in every paragraph that
follows (WHATWG HTML, 13.2.4.3), so that 100 KB become millions of elements; nesting and attributes
cost the square of their number (lexbor, measured: 50,000 of either 4 s, 200,000 minutes).
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

#: Elements that a page may come to; each costs up to 700 bytes with its text.
MAX_ELEMENTS = 250_000

#: Open elements at a time; browsers stop at 512, but what follows is still found here.
MAX_DEPTH = 10_000

#: Attributes of one element.
MAX_ATTRIBUTES = 5_000

#: Tags without an end tag, from which on a page is looked at closely: void elements are as many on
#: long pages, while what is cheap to parse must be cheap to let through.
_UNCLOSED = 1_000

#: Characters of one tag from which on its attributes are counted.
_LONG_TAG = 4 * MAX_ATTRIBUTES

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)>?")

#: Elements that are opened anew until they are closed (13.2.4.3).
_FORMATTING = frozenset("a b big code em font i nobr s small strike strong tt u".split())

#: No more of the same are kept open (the "Noah's Ark clause").
_SAME = 3

#: Elements that hold none or are closed by the next of their kind.
_NOT_NESTED = frozenset(
    (
        "area base br col embed hr img input link meta param source track wbr p li dt dd option"
        " optgroup tr td th thead tbody tfoot colgroup caption rp rt"
    ).split()
)


def is_bomb(body: bytes, html: str) -> bool:
    """Would parsing this page cost out of all proportion? `html` is what `body` was decoded to.

    >>> [is_bomb(b"<div>" * depth, "<div>" * depth) for depth in (5_000, 50_000)]
    [False, True]
    """
    # Of a page's bytes; in a string the same count takes five times as long.
    tags = np.count_nonzero(np.frombuffer(body, np.uint8) == ord("<"))
    if tags > _UNCLOSED:
        ends = html.count("</")
        if tags - ends > MAX_ELEMENTS:
            return True
        if tags - 2 * ends > _UNCLOSED and _explodes(html):
            return True
    return len(html) > _LONG_TAG and _has_many_attributes(html)


def _explodes(html: str) -> bool:
    """Follow nesting and formatting elements roughly as a parser would."""
    depth = elements = kept = 0
    formatting: Counter[str] = Counter()
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        if tag[1]:
            depth = max(0, depth - (name not in _NOT_NESTED))
            kept -= _close(formatting, name)
            continue
        depth += name not in _NOT_NESTED
        elements += 1 + kept
        if name in _FORMATTING:
            formatting[f"{name} {tag[3]}"] += 1
            kept += formatting[f"{name} {tag[3]}"] <= _SAME
        if depth > MAX_DEPTH or elements > MAX_ELEMENTS:
            return True
    return False


def _close(formatting: Counter[str], name: str) -> int:
    """Forget the last formatting element of a name; return how many fewer are opened anew."""
    if name not in _FORMATTING:
        return 0
    for written in reversed(formatting):
        if written.partition(" ")[0] == name:
            formatting[written] -= 1
            fewer = formatting[written] < _SAME
            if not formatting[written]:
                del formatting[written]
            return int(fewer)
    return 0


def _has_many_attributes(html: str) -> bool:
    """Look for a long stretch without ">", by windows of which each is nearly always left at once."""
    for start in range(0, len(html), _LONG_TAG):
        if html.find(">", start, start + _LONG_TAG) < 0:
            begin = html.rfind("<", 0, start + _LONG_TAG)
            end = html.find(">", start)
            tag = html[begin : end if end >= 0 else None]
            if len(tag.split(None, MAX_ATTRIBUTES + 1)) > MAX_ATTRIBUTES:
                return True
    return False
