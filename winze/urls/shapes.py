"""URLs taken apart, and what a single part looks like."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote


class Shape(StrEnum):
    """What kind of text a part of a path or a query value is."""

    NUMBER = "#"
    DATE = "date"
    HEX = "hex"
    #: Letters only, of any script.
    WORD = "word"
    #: Letters, digits and underscores.
    NAME = "name"
    #: Words or numbers joined by hyphens, dots and the like.
    SLUG = "slug"
    EMPTY = ""


#: Extensions are letters, with a digit as in mp3, and short.
_EXTENSION = re.compile(r"^(.+)\.([a-zA-Z][a-zA-Z0-9]{1,4})$", re.DOTALL)

_DATE = re.compile(r"^(?:19|20)\d\d[-_.](?:0?[1-9]|1[0-2])(?:[-_.](?:0?[1-9]|[12]\d|3[01]))?$")

#: Eight digits that read as year, month, day.
_COMPACT_DATE = re.compile(r"^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$")

_HEX = re.compile(r"^(?=.*\d)(?=.*[a-f])[0-9a-f]{8,}$|^(?=.*\d)(?=.*[A-F])[0-9A-F]{8,}$")


class UrlParts(NamedTuple):
    """A URL taken apart; percent-escapes are left as they are."""

    #: In lower case, with its port, if one is written.
    host: str
    #: Without the empty part that a trailing slash would give.
    path: tuple[str, ...]
    #: In the order in which they are written; a key without "=" has the value None.
    query: tuple[tuple[str, str | None], ...]


def split_url(url: str) -> UrlParts:
    """Take an absolute URL apart; a fragment is dropped.

    >>> split_url("http://shop.example/p/1.html?a=1&b")
    UrlParts(host='shop.example', path=('p', '1.html'), query=(('a', '1'), ('b', None)))
    """
    rest, _, query = url.partition("#")[0].partition("?")
    host, _, path = rest.partition("://")[2].partition("/")
    parts = path.split("/")
    if parts[-1] == "":
        parts.pop()
    return UrlParts(host.lower(), tuple(parts), _pairs(query))


def split_extension(part: str) -> tuple[str, str]:
    """Return a path part without its extension, and the extension without its dot.

    >>> split_extension("044667.htm"), split_extension("v1.2"), split_extension(".htaccess")
    (('044667', 'htm'), ('v1.2', ''), ('.htaccess', ''))
    """
    found = _EXTENSION.match(part)
    return (found[1], found[2]) if found else (part, "")


@lru_cache(maxsize=1 << 16)
def shape_of(text: str) -> Shape:
    """Return the shape of a path part without extension, or of a query value.

    >>> [shape_of(text).name for text in ("17", "2015-04", "redis", "3f2a9c81", "%E4%B8%AD")]
    ['NUMBER', 'DATE', 'WORD', 'HEX', 'WORD']
    """
    if not text:
        return Shape.EMPTY
    if text.isascii() and text.isdigit():
        return Shape.DATE if _COMPACT_DATE.match(text) else Shape.NUMBER
    if _DATE.match(text):
        return Shape.DATE
    if _HEX.match(text):
        return Shape.HEX
    plain = unquote(text) if "%" in text else text
    if plain.isalpha():
        return Shape.WORD
    return Shape.NAME if plain.replace("_", "a").isalnum() else Shape.SLUG


def _pairs(query: str) -> tuple[tuple[str, str | None], ...]:
    found: list[tuple[str, str | None]] = []
    for piece in query.split("&") if query else ():
        key, equals, value = piece.partition("=")
        if piece:
            found.append((key, value if equals else None))
    return tuple(found)
