"""Ways on that are no links: "load more" buttons, and clicks that scripts turn into a new page."""

from __future__ import annotations

import re

from winze.model import Link
from winze.parse.html import Node, Tree, step
from winze.parse.links import ANCHOR_LENGTH, LINK_PATH_STEPS, base_url
from winze.text.words import squeeze
from winze.urls.canonical import join

#: Attributes whose name says that they hold the next page.
_NEXT = ("data-next", "data-next-url", "data-next-page", "data-next-href", "data-more-url")

#: Attributes that hold many things; what the element calls itself decides. The last two are htmx's.
_ANY = ("data-url", "data-href", "data-load-url", "data-ajax-url", "hx-get", "data-hx-get")

_SELECTOR = ", ".join(f"[{name}]" for name in (*_NEXT, *_ANY, "onclick"))

#: On a page with such a button stands one of these, or a click; in lower case nearly always.
_SIGNS = (b"data-next", b"-url=", b"-href=", b"hx-get")

#: A click that may lead to another page; nearly all do something else.
_MAY_CLICK = re.compile(rb"onclick=.{0,300}?(?:location|window\.open\()", re.S)

#: What such an element calls itself, in its text, class, id or label.
_MORE = re.compile(
    r"\b(?:load|show|view|see)?[-_ ]?more\b|\bnext\b|load-?more|pag(?:er|inat)|older"
    r"|infinite|更多|加载|下一[页頁]|下[页頁]|もっと|次へ|더\s?보기|다음|weiter|suivant|siguiente",
    re.I,
)

#: A click that leads to another page.
_CLICK = re.compile(
    r"(?:\blocation(?:\.href)?\s*=(?!=)|\blocation\.(?:assign|replace)\(|window\.open\()"
    r"\s*(['\"])(?P<url>[^'\"]+)\1\s*(?:[;,)}]|$)"
)

#: A value that is a reference and no number, name or JSON.
_REFERENCE = re.compile(r"(?:https?://|\.{0,2}/|\?)[^\s{}<>]*|[\w%-][\w./%-]*\?[\w%.-]+=[^\s{}<>]*")


def may_have_more(body: bytes) -> bool:
    """Is a page worth `more_links`, which costs half as much as parsing it? This look is cheap.

    >>> may_have_more(b"<a href=/x>x</a>"), may_have_more(b"<button data-url=/x>x</button>")
    (False, True)
    >>> may_have_more(b"<button onclick='vote()'>x</button>")
    False
    """
    return any(sign in body for sign in _SIGNS) or _MAY_CLICK.search(body) is not None


def more_links(tree: Tree, url: str, *, encoding: str = "utf-8") -> tuple[Link, ...]:
    """Return where a page's buttons lead, each URL once; links proper are not among them.

    What a script works out ("page 2 of this list") is not known here: that needs a browser.

    >>> page = Tree('<button class="load-more" data-url="/list?page=2">More</button>')
    >>> [(link.url, link.anchor) for link in more_links(page, "http://shop.example/list")]
    [('http://shop.example/list?page=2', 'More')]
    """
    base = base_url(tree, url)
    found: dict[str, Link] = {}
    for node in tree.select(_SELECTOR):
        target = join(base, _reference(node), encoding=encoding)
        if target is not None and target not in found and target != url:
            anchor = squeeze(node.text())[:ANCHOR_LENGTH]
            found[target] = Link(target, anchor, _path(node))
    return tuple(found.values())


def _reference(node: Node) -> str:
    """Return what an element leads to, or "#" for nothing."""
    attributes = node.attributes
    for name in _NEXT:
        value = (attributes.get(name) or "").strip()
        if _REFERENCE.fullmatch(value):
            return value
    for name in _ANY:
        value = (attributes.get(name) or "").strip()
        if value and _REFERENCE.fullmatch(value) and _is_more(node):
            return value
    click = _CLICK.search(attributes.get("onclick") or "")
    return click["url"] if click else "#"


def _is_more(node: Node) -> bool:
    attributes = node.attributes
    named = [attributes.get(name) or "" for name in ("class", "id", "aria-label", "title")]
    return _MORE.search(" ".join([*named, squeeze(node.text())[:ANCHOR_LENGTH]])) is not None


def _path(node: Node | None, steps: int = LINK_PATH_STEPS) -> str:
    if node is None or not steps or not node.is_element_node:
        return ""
    above = _path(node.parent, steps - 1)
    return f"{above}>{step(node)}" if above else step(node)
