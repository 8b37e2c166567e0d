"""The links of a page, each with the place where it stands."""

from __future__ import annotations

import re
from collections import Counter

from winze.model import Link
from winze.parse.html import Node, Tree, step
from winze.text.words import squeeze
from winze.urls.canonical import join

#: Steps of a link's tag path: enough to tell a menu from a list (prototype, design 6.2).
LINK_PATH_STEPS = 4

#: Longest anchor text that is kept; more is a teaser, not a name.
ANCHOR_LENGTH = 120

#: Elements that lead to another page, with the attribute that says where.
_SELECTOR = (
    "a[href], area[href], link[rel~=next][href], link[rel~=prev][href], iframe[src], frame[src]"
)

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
    ranks: Counter[str] = Counter()
    joined: dict[str, str | None] = {}
    for node in tree.select(_SELECTOR):
        attributes = node.attributes
        href = attributes.get("href") or attributes.get("src")
        if not href or href.startswith("#"):
            continue
        if href not in joined:
            joined[href] = join(base, href, encoding=encoding)
        target = joined[href]
        if target is None:
            continue
        anchor = _anchor(node)
        if target in links:
            links[target] = _with_anchor(links[target], anchor)
            continue
        path = tag_path(node)
        rel = attributes.get("rel") or ""
        links[target] = Link(target, anchor, path, ranks[path], "nofollow" in rel.lower().split())
        ranks[path] += 1
    return tuple(links.values())


def base_url(tree: Tree, url: str) -> str:
    """Return the URL against which the page's links are read: its base element's, or its own."""
    for node in tree.select("base[href]")[:1]:
        href = node.attributes.get("href")
        return (join(url, href) if href else None) or url
    return url


def canonical_link(tree: Tree, url: str) -> str:
    """Return the page's canonical link as an absolute URL, or the empty string (RFC 6596)."""
    for node in tree.select('link[rel~="canonical"][href]')[:1]:
        return join(base_url(tree, url), node.attributes.get("href") or "") or ""
    return ""


def meta_refresh(tree: Tree, url: str) -> str:
    """Return where a page sends its reader at once by meta refresh, or the empty string.

    >>> tree = Tree('<meta http-equiv="Refresh" content="0; url=/new">')
    >>> meta_refresh(tree, "http://shop.example/old")
    'http://shop.example/new'
    """
    for node in tree.select("meta[http-equiv][content]"):
        attributes = node.attributes
        if (attributes.get("http-equiv") or "").lower() != "refresh":
            continue
        content = attributes.get("content") or ""
        found = _REFRESH.match(content)
        if found and int(found[1]) <= REFRESH_SECONDS:
            return join(base_url(tree, url), found[2]) or ""
    return ""


def tag_path(node: Node) -> str:
    """Return the last steps from the root to a link, joined by ">"."""
    steps: list[str] = []
    above: Node | None = node
    while above is not None and above.is_element_node and len(steps) < LINK_PATH_STEPS:
        steps.append(step(above))
        above = above.parent
    return ">".join(reversed(steps))


def _anchor(node: Node) -> str:
    text = squeeze(node.text())
    return (text or _picture_text(node))[:ANCHOR_LENGTH]


def _picture_text(node: Node) -> str:
    """Return what a link without text is called: its title, or its picture's alternative text."""
    named = [(node, "title"), *((picture, "alt") for picture in node.css("img[alt]"))]
    texts = (squeeze(element.attributes.get(name) or "") for element, name in named)
    return next(filter(None, texts), "")


def _with_anchor(link: Link, anchor: str) -> Link:
    """Keep the first anchor text that says something."""
    if link.anchor or not anchor:
        return link
    return Link(link.url, anchor, link.tag_path, link.rank, link.nofollow)
