"""What a page asks of robots by itself: X-Robots-Tag and meta robots."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from winze.model import Response
from winze.parse.html import Tree

#: Our product token, as in the User-Agent and in robots.txt (RFC 9309, 2.2.1).
TOKEN = "winze"  # noqa: S105

#: The start of a header that speaks to one robot only: "otherbot: noindex".
_NAMED = re.compile(r"\s*([\w-]+)\s*:(.*)", re.S)

#: Directives with a value of their own, which look like a robot's name.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a page asks of those who read it by a program."""

    #: Do not keep the page.
    noindex: bool = False
    #: Do not follow its links.
    nofollow: bool = False


def wishes(response: Response, tree: Tree) -> Wishes:
    """Return what header and meta elements ask of us, or of every robot.

    >>> tree = Tree('<meta name="Robots" content="NOINDEX, follow">')
    >>> wishes(Response("http://a.example/"), tree)
    Wishes(noindex=True, nofollow=False)
    """
    words = set(_from_header(response)) | set(_from_metas(tree))
    return Wishes(bool(words & {"noindex", "none"}), bool(words & {"nofollow", "none"}))


def _from_header(response: Response) -> Iterator[str]:
    for name, value in response.headers:
        if name == "x-robots-tag":
            named = _NAMED.match(value)
            if named is None or named[1].lower() in _VALUED:
                yield from _words(value)
            elif named[1].lower() in {TOKEN, "robots"}:
                yield from _words(named[2])


def _from_metas(tree: Tree) -> Iterator[str]:
    for node in tree.elements("meta"):
        attributes = node.attributes
        if (attributes.get("name") or "").strip().lower() in {"robots", TOKEN}:
            yield from _words(attributes.get("content") or "")


def _words(value: str) -> Iterator[str]:
    return (word.strip().lower() for word in value.split(","))
