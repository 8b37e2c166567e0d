"""Markup that would take a parser minutes or gigabytes: told before it is parsed.

HTML's own rules make a small page large: an unclosed <font> is opened anew in every paragraph that
follows (WHATWG HTML, 13.2.4.3), so that 100 KB become millions of elements. Nesting and attributes
cost the square of their number (lexbor, measured: 50,000 of either 4 s, 200,000 minutes).
What is told is what servers send by accident or habit; who hides a bomb on purpose, among end tags
that close nothing, still can.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

#: Elements that a page may come to; each costs up to 700 bytes with its text.
MAX_ELEMENTS = 250_000

#: Open elements at a time. Browsers stop at 512; what stands deeper is still found here.
MAX_DEPTH = 10_000

#: Attributes of one element.
MAX_ATTRIBUTES = 5_000

#: A page is looked at closely from so many tags without an end tag on, if they are such a share of
#: all: void elements are fewer on real pages, and the close look takes as long as parsing.
_UNCLOSED = (1_000, 0.1)

#: Characters without a ">" from which on attributes are counted.
_LONG_TAG = 2 * MAX_ATTRIBUTES

_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)([^>]*)>?")

#: Elements that are opened anew until they are closed (13.2.4.3); an <a> closes the one before.
_FORMATTING = frozenset(
    {
        *("b", "big", "code", "em", "font", "i", "nobr"),
        *("s", "small", "strike", "strong", "tt", "u"),
    }
)

#: No more of the same are kept open (the "Noah's Ark clause").
_SAME = 3

#: Elements that hold none, or are closed by the next of their kind.
_NOT_NESTED = frozenset(
    {
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr", "a", "p", "li", "dt", "dd", "option", "optgroup", "tr", "td"),
        *("th", "thead", "tbody", "tfoot", "colgroup", "caption", "rp", "rt"),
    }
)


def is_bomb(body: bytes, html: str) -> bool:
    """Would parsing this page cost out of all proportion? `html` is what `body` was decoded to.

    >>> [is_bomb(b"<div>" * depth, "<div>" * depth) for depth in (5_000, 50_000)]
    [False, True]
    """
    least, share = _UNCLOSED
    # Of a page's bytes: in a string the same count takes five times as long.
    signs = np.frombuffer(body, np.uint8)
    starts = signs == ord("<")
    tags = np.count_nonzero(starts)
    if tags > least:
        ends = np.count_nonzero(starts[:-1] & (signs[1:] == ord("/")))
        if tags - ends > MAX_ELEMENTS:
            return True
        if tags - 2 * ends > max(least, share * tags) and _explodes(html):
            return True
    return len(html) > _LONG_TAG and _has_many_attributes(html)


def _explodes(html: str) -> bool:
    """Follow nesting and formatting elements roughly as a parser would."""
    depth = elements = kept = 0
    formatting: dict[str, Counter[str]] = {name: Counter() for name in _FORMATTING}
    for tag in _TAG.finditer(html):
        name = tag[2].lower()
        nested = name not in _NOT_NESTED
        if tag[1]:
            depth = max(0, depth - nested)
            if name in _FORMATTING:
                kept -= _close(formatting[name])
            continue
        depth += nested
        elements += 1 + kept
        if name in _FORMATTING:
            formatting[name][tag[3]] += 1
            kept += formatting[name][tag[3]] <= _SAME
        if depth > MAX_DEPTH or elements > MAX_ELEMENTS:
            return True
    return False


def _close(opened: Counter[str]) -> int:
    """Forget one of the elements of a name; return how many fewer are opened anew."""
    if not opened:
        return 0
    attributes, number = opened.popitem()
    if number > 1:
        opened[attributes] = number - 1
    return int(number <= _SAME)


def _has_many_attributes(html: str) -> bool:
    """Look for a tag without end, in steps of which nearly each meets a ">" at once."""
    start = 0
    while start < len(html):
        if html.find(">", start, start + _LONG_TAG) >= 0:
            start += _LONG_TAG
            continue
        begin = html.rfind("<", 0, start + _LONG_TAG)
        found = html.find(">", start)
        end = found if found >= 0 else len(html)
        is_tag = (
            begin >= 0
            and html.find(">", begin, start) < 0
            and html[begin + 1 : begin + 2].isalpha()
        )
        if is_tag and len(html[begin:end].split(None, MAX_ATTRIBUTES + 1)) > MAX_ATTRIBUTES:
            return True
        start = end + 1
    return False
