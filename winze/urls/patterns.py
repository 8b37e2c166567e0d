"""A group of URLs as one regex, by P1's rule table (GWC paper, 3.1.1, table 2)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from winze.urls.shapes import Shape, UrlParts, shape_of, split_extension, split_url

#: URLs shown with a pattern, so that a person sees what it stands for.
SAMPLES = 5

#: The rules in order: the first that all parts of a place obey is written for them. None of them
#: matches "/", so matching is linear in the URL.
_RULES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (rule, re.compile(rule, re.ASCII))
    for rule in (
        r"[0-9]+",
        r"[0-9]{4}[-_.][0-9]{1,2}(?:[-_.][0-9]{1,2})?",
        r"[a-zA-Z]+",
        r"\w+",
        r"[\w%-]+",
        r"[^/?#.]+",
        r"[^/?#]+",
    )
)

#: Stands for queries that differ in their keys (P1); only at the end of a regex.
_ANYTHING = ".*"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A regex that whole URLs match, and what speaks for it."""

    regex: str
    #: URLs it was learned from.
    support: int = 0
    samples: tuple[str, ...] = ()
    by: Literal["learned", "hand"] = "learned"

    def matches(self, url: str) -> bool:
        """Does the whole URL, fragment aside, match?

        Raises ValueError for a regex written by hand that is none.

        >>> Pattern(r"https?://shop\\.example/p/[0-9]+/?").matches("http://shop.example/p/17")
        True
        """
        return _compiled(self.regex).fullmatch(url.partition("#")[0]) is not None


def matches_any(patterns: Iterable[Pattern], url: str) -> bool:
    """Does one of the patterns match the URL?"""
    return any(pattern.matches(url) for pattern in patterns)


def pattern_of(urls: Collection[str]) -> Pattern:
    """Return the pattern of URLs of one form (a Cluster's members).

    The host is kept, path parts and query values are generalised, http and https and a slash at
    the end are one. Raises ValueError if hosts or numbers of parts differ.

    >>> pattern_of(["http://s.example/p/1.html", "http://s.example/p/27.html"]).regex
    'https?://s\\\\.example/p/[0-9]+\\\\.html/?'
    """
    parts = [split_url(url) for url in urls]
    if len({(one.host, len(one.path)) for one in parts}) != 1:
        raise ValueError("only URLs of one host and one number of parts have a pattern")
    path = "".join(
        "/" + (_last_rule(place) if number == len(parts[0].path) else _rule(place))
        for number, place in enumerate(zip(*(one.path for one in parts), strict=True), start=1)
    )
    regex = f"https?://{re.escape(parts[0].host)}{path}/?{_query_rule(parts)}"
    return Pattern(regex, len(parts), tuple(list(urls)[:SAMPLES]))


def _rule(values: Sequence[str]) -> str:
    """Return the rule for the texts that stand at one place."""
    distinct = set(values)
    if len(distinct) == 1:
        return re.escape(values[0])
    for rule, compiled in _RULES:
        if all(map(compiled.fullmatch, distinct)):
            return rule
    return r"[^/?#]*"  # an empty part among them: two slashes in a row


def _last_rule(values: Sequence[str]) -> str:
    """Return the rule for the last parts; the extension is optional where some have none."""
    if len(set(values)) == 1:
        return re.escape(values[0])
    pairs = [split_extension(value) for value in values]
    extensions = {extension for _, extension in pairs}
    stem = _rule([stem for stem, _ in pairs])
    if extensions == {""}:
        return _rule(values)
    if "." in stem.replace("[^/?#.]", ""):
        return _rule(values)  # the stem would eat the extension, at a quadratic cost
    if len(extensions) == 1:
        return stem + re.escape("." + pairs[0][1])
    return stem + (r"(?:\.[a-zA-Z0-9]+)?" if "" in extensions else r"\.[a-zA-Z0-9]+")


def _query_rule(parts: Sequence[UrlParts]) -> str:
    """Return the rule for the queries: key by key if all have the same keys in the same order."""
    orders = {tuple(key for key, _ in one.query) for one in parts}
    if orders == {()}:
        return ""
    if len(orders) > 1:
        return r"\?" + _ANYTHING if () not in orders else rf"(?:\?{_ANYTHING})?"
    places = zip(*(one.query for one in parts), strict=True)
    return r"\?" + "&".join(_pair_rule(place) for place in places)


def _pair_rule(pairs: Sequence[tuple[str, str | None]]) -> str:
    key = re.escape(pairs[0][0])
    values = [value for _, value in pairs if value is not None]
    if not values:
        return key
    if len(values) < len(pairs):
        return f"{key}(?:=[^&]*)?"
    if len(set(values)) == 1 and shape_of(values[0]) is not Shape.NUMBER:
        return f"{key}={re.escape(values[0])}"
    rule = next((rule for rule, compiled in _RULES[:5] if all(map(compiled.fullmatch, values))), "")
    return f"{key}={rule or '[^&]*'}"


@lru_cache(maxsize=4096)
def _compiled(regex: str) -> re.Pattern[str]:
    try:
        return re.compile(regex, re.ASCII)
    except re.error as error:
        raise ValueError(f"not a regex: {regex} ({error})") from error
