"""The links of a page, each with the place where it stands."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

from winze.model import Link
from winze.parse.html import Node, Tree, step
from winze.text.words import squeeze
from winze.urls.canonical import join

#: Steps of a link's tag path: enough to tell a menu from a list (prototype, design 6.2).
LINK_PATH_STEPS = 4

#: Longest anchor text that is kept; more is a teaser, not a name.
ANCHOR_LENGTH = 120

_REFRESH = re.compile(
    r"^\s*(\d+)(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?['\"]?\s*([^'\"]+?)\s*['\"]?\s*$", re.I
)

#: A meta refresh later than this is a page that renews itself, not a redirect (seconds).
REFRESH_SECONDS = 10


def find_links(tree: Tree, url: str, *, encoding: str = "utf-8") -> tuple[Link, ...]:
    """Return the page's links in document order, each URL once.

    `encoding` is the page's charset, in which browsers write the query of a link (WHATWG URL, 4.3).

    >>> tree = Tree('<ul class="menu"><li><a href="/a#top">A</a><li><a href="/b">B</a></ul>')
    >>> [(link.url, link.anchor, link.tag_path, link.rank)
    ...  for link in find_links(tree, "http://shop.example/")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('http://shop.example/a', 'A', 'body>ul.menu>li>a', 0),
     ('http://shop.example/b', 'B', 'body>ul.menu>li>a', 1)]
    """
    base = base_url(tree, url)
    links: dict[str, Link] = {}
    targets: dict[str, str | None] = {}
    ranks: Counter[str] = Counter()
    places = _Places()
    for node, attribute in _link_nodes(tree):
        attributes = node.attrs
        # Few links of a page differ in more than their fragment: the others need no joining.
        href = (attributes.get(attribute) or "").partition("#")[0]
        if not href:
            continue
        if href not in targets:
            targets[href] = join(base, href, encoding=encoding)
        target = targets[href]
        if target is None:
            continue
        known = links.get(target)
        if known is None:
            path = places.path(node)
            nofollow = "nofollow" in (attributes.get("rel") or "").lower().split()
            links[target] = Link(target, _anchor(node), path, ranks[path], nofollow)
            ranks[path] += 1
        elif not known.anchor and (anchor := _anchor(node)):
            links[target] = replace(known, anchor=anchor)
    return tuple(links.values())


def _link_nodes(tree: Tree) -> list[tuple[Node, str]]:
    """Return the elements that lead to another page, each with the attribute that says where."""
    pages = [node for node in tree.elements("link") if _rel(node) & {"next", "prev"}]
    hrefs = [*tree.elements("a"), *tree.elements("area"), *pages]
    frames = [*tree.elements("iframe"), *tree.elements("frame")]
    return [(node, "href") for node in hrefs] + [(node, "src") for node in frames]


def _rel(node: Node) -> set[str]:
    return set((node.attributes.get("rel") or "").lower().split())


def base_url(tree: Tree, url: str) -> str:
    """Return the URL against which the page's links are read: its base element's, or its own."""
    hrefs = (node.attributes.get("href") for node in tree.elements("base"))
    href = next((href for href in hrefs if href is not None), None)
    return (join(url, href) if href else None) or url


def canonical_link(tree: Tree, url: str) -> str:
    """Return the page's canonical link as an absolute URL, or the empty string (RFC 6596)."""
    for node in tree.elements("link"):
        href = node.attributes.get("href")
        if href is not None and "canonical" in _rel(node):
            return join(base_url(tree, url), href) or ""
    return ""


def meta_refresh(tree: Tree, url: str) -> str:
    """Return where a page sends its reader at once by meta refresh, or the empty string.

    >>> tree = Tree('<meta http-equiv="Refresh" content="0; url=/new">')
    >>> meta_refresh(tree, "http://shop.example/old")
    'http://shop.example/new'
    """
    for node in tree.elements("meta"):
        attributes = node.attributes
        if (attributes.get("http-equiv") or "").lower() != "refresh":
            continue
        content = attributes.get("content") or ""
        found = _REFRESH.match(content)
        if found and int(found[1]) <= REFRESH_SECONDS:
            return join(base_url(tree, url), found[2]) or ""
    return ""


class _Places:
    """The tag paths of a page's links; what links of one list share is looked at once."""

    def __init__(self) -> None:
        self._paths: dict[tuple[int, int], str] = {}

    def path(self, node: Node | None, steps: int = LINK_PATH_STEPS) -> str:
        """Return the last steps from the root to an element, joined by ">"."""
        if node is None or not steps or not node.is_element_node:
            return ""
        place = (node.mem_id, steps)
        path = self._paths.get(place)
        if path is None:
            above = self.path(node.parent, steps - 1)
            path = self._paths[place] = f"{above}>{step(node)}" if above else step(node)
        return path


def _anchor(node: Node) -> str:
    text = squeeze(node.text())
    return (text or _picture_text(node))[:ANCHOR_LENGTH]


def _picture_text(node: Node) -> str:
    """Return what a link without text is called: its title, or its picture's alternative text."""
    named = [(node, "title"), *((picture, "alt") for picture in node.css("img[alt]"))]
    texts = (squeeze(element.attributes.get(name) or "") for element, name in named)
    return next(filter(None, texts), "")
