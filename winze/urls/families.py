"""Families of URLs: shapes that stay few, however many names a site makes up."""

from __future__ import annotations

import re
from collections.abc import Iterable

from winze.urls.shapes import Shape, UrlParts, shape_of, split_extension, split_url

#: So many words at one place of a path are sections of the site; more are names of things.
SECTIONS = 16

#: So many sets of query keys on one path are pages; more are choices that are piled up.
KEY_SETS = 8

#: Parts of a path that are told apart; what lies deeper is one family.
DEPTH = 8

#: Parts of a path that stand there for the second time, from which on the path runs in a circle.
REPEATS = 2

#: How choices that are piled up, and paths that go ever deeper, are written.
ANY_KEYS, DEEPER, AGAIN = "?*", "/...", "/(again)"

#: Places and paths that are watched; a site with more is not told apart any further.
_MOST_PLACES = 20_000

#: Directories whose family is remembered, to save the work.
_MOST_HEADS = 4096

#: A year with its month, or a whole date, in a URL. A number alone may be any page's. An endless
#: calendar that is walked year by year soon leaves the two centuries of real pages.
_DATE = re.compile(
    r"(?<![0-9])(?:(?:19|2[0-9])[0-9]{2}[-_./](?:0?[1-9]|1[0-2])"
    r"|(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01]))(?![0-9])"
    r"|[?&]y(?:ea)?r?=(?:19|2[0-9])[0-9]{2}&mo?n?(?:th)?=[01]?[0-9](?![0-9])",
    re.I,
)


class Families:
    """Writes each URL's family; a place with too many names or key sets is folded as it grows.

    So a shape that is not a shape any more, as of a shop's filters that can be piled up in any
    order, becomes one family, and counts by family stay small.

    >>> families = Families()
    >>> families.of("http://shop.example/list/it-books/page/2.html?sort=price&p=3")
    'shop.example/list/slug/page/#.html?p&sort'
    >>> families.of("http://shop.example/b/c/b/c/b")
    'shop.example/b/word/(again)'
    >>> [families.of(f"http://shop.example/f?c{n}=1") for n in range(9)][-1]
    'shop.example/f?*'
    """

    def __init__(self, folded: Iterable[str] = ()) -> None:
        #: Words seen behind a prefix, or key sets seen on a path; None once it was folded.
        self._names: dict[str, set[str] | None] = dict.fromkeys(folded)
        #: Families of URLs up to their last slash, where that slash is not the first.
        self._heads: dict[str, str] = {}

    def of(self, url: str) -> str:
        """Return the family of an absolute URL."""
        path, _, query = url.partition("?")
        head, _, last = path.rpartition("/")
        family = self._heads.get(head) if last else None
        if family is None:
            family = self._path(split_url(path))
            if last and not family.endswith((AGAIN, DEEPER)):
                self._remember(head, family)
        else:
            family = f"{family}/{_last_token(last)}"
        if not query:
            return family
        keys = "&".join(sorted({piece.partition("=")[0] for piece in query.split("&") if piece}))
        return (
            f"{family}?{keys}" if self._is_told(f"{family}?", keys, KEY_SETS) else family + ANY_KEYS
        )

    def folded(self) -> list[str]:
        """Return the places that are folded; `Families(folded)` goes on from there."""
        return [place for place, names in self._names.items() if names is None]

    def _path(self, parts: UrlParts) -> str:
        names, ending = parts.path, ""
        if len(names) > len(set(names)) + 1 and _repeats(names) >= REPEATS:
            names, ending = tuple(dict.fromkeys(names)), AGAIN
        if len(names) > DEPTH:
            names, ending = names[:DEPTH], DEEPER
        family = parts.host
        for position, name in enumerate(names):
            if position and position == len(names) - 1:
                family = f"{family}/{_last_token(name)}"
                break
            stem, extension = split_extension(name)
            kind = shape_of(stem)
            told = kind is Shape.WORD and self._is_told(family, stem, SECTIONS)
            token = stem if told else str(kind)
            family = f"{family}/{token}.{extension}" if extension else f"{family}/{token}"
        return family + ending

    def _remember(self, head: str, family: str) -> None:
        """Remember a directory's family, by that of a URL in it."""
        parts = head.count("/") - 2
        if not 0 < parts < DEPTH - 1 or _repeats(split_url(head).path):
            return
        if len(self._heads) >= _MOST_HEADS:
            self._heads.clear()
        self._heads[head] = family.rpartition("/")[0]

    def _is_told(self, place: str, name: str, most: int) -> bool:
        """Is this one of the few names at a place?"""
        names = self._names.get(place, ...)
        if names is ...:
            names = self._names[place] = set() if len(self._names) < _MOST_PLACES else None
        if names is None:
            return False
        names.add(name)
        if len(names) > most:
            self._names[place] = None
            self._heads.clear()
        return len(names) <= most


def _last_token(name: str) -> str:
    """Return the shape of a path's last part: a word there is a name, seldom a section."""
    stem, extension = split_extension(name)
    return f"{shape_of(stem)}.{extension}" if extension else str(shape_of(stem))


def _repeats(names: tuple[str, ...]) -> int:
    """Return how many parts of a path, numbers aside, stood there before."""
    words = [name for name in names if not name.isdigit()]
    return len(words) - len(set(words))


def names_date(url: str) -> bool:
    """Does a URL name a month or a date behind its host, as those of calendars and archives do?

    >>> [names_date(f"http://shop.example/{rest}") for rest in ("cal/2101/3", "p/2017", "20240301")]
    [True, False, True]
    """
    return _DATE.search(url, url.find("/", 8)) is not None
