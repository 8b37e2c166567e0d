"""From a request target to the answer: routes, encodings, redirects."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from winze.demo.addresses import route_key
from winze.demo.frame import BASE_MARK, SESSION_MARK, Frame
from winze.demo.listings import home_page, listing_page, listings, views
from winze.demo.pages import item_page
from winze.demo.shop import Item, Shop
from winze.demo.traps import (
    HELP,
    NEWS,
    article_page,
    calendar_page,
    cart_page,
    dead_paths,
    guide_page,
    login_page,
    nothing_page,
    refresh_page,
    robots_txt,
    sitemap_xml,
)

#: Of how many pages one has links with a session, and one a base element.
SESSION_PAGES, REBASED_PAGES = 4, 7

_HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Answer:
    """What a site says to a request."""

    body: bytes = b""
    status: int = 200
    content_type: str = _HTML
    #: Where a redirect leads; empty for none.
    location: str = ""
    #: Seconds that the server waits before it answers.
    delay: float = 0.0


class Site(Protocol):
    """What the server serves."""

    def answer(self, target: str, *, base: str = "", session: str = "") -> Answer:
        """Return the answer for a path with its query.

        `base` is the server's scheme, host and port, `session` the visitor's token.
        """
        ...


@dataclass(frozen=True, slots=True)
class _Page:
    """A page that can be drawn when it is asked for."""

    draw: Callable[[Frame], str]
    #: Encoded in GBK, as the old part of the site is.
    legacy: bool = False
    status: int = 200


@dataclass
class ShopSite:
    """A shop's answers; pages are drawn when they are first asked for and kept."""

    shop: Shop
    _pages: dict[str, _Page] = field(init=False, repr=False)
    _moved: dict[str, str] = field(init=False, repr=False)
    _drawn: dict[str, Answer] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._pages = _pages(self.shop)
        self._moved = {
            self.shop.addresses.old_item(item.number): self.shop.path(item)
            for item in self.shop.items
        }

    def answer(self, target: str, *, base: str = "", session: str = "") -> Answer:
        """Return the answer for a path with its query."""
        key = route_key(target)
        if key in self._moved:
            return Answer(status=301, location=self._moved[key])
        plain = self._plain(key)
        if plain is not None:
            return _filled(plain, base, session)
        if key not in self._drawn:
            page = self._pages.get(key)
            if page is None:
                return _filled(self._unlisted(key), base, session)
            self._drawn[key] = _draw(self.shop, key, page)
        return _filled(self._drawn[key], base, session)

    def _plain(self, key: str) -> Answer | None:
        """Return the files that are no pages."""
        if key == "/robots.txt":
            return Answer(robots_txt(self.shop).encode(), content_type="text/plain")
        if key == "/sitemap.xml":
            return Answer(sitemap_xml(self.shop).encode(), content_type="application/xml")
        if key.startswith("/img/"):
            picture = _picture(key, self.shop.theme.colour)
            return Answer(picture.encode(), content_type="image/svg+xml")
        return None

    def _unlisted(self, key: str) -> Answer:
        """Return what has too many URLs for a table: the calendar, the cart, all that is wrong."""
        month = self.shop.addresses.calendar_month(key)
        if month is not None:
            page = _Page(partial(calendar_page, year=month[0], month=month[1]))
        elif key.startswith(self.shop.addresses.disallowed):
            page = _Page(cart_page)
        else:
            page = _Page(nothing_page, status=200 if key.startswith("/search") else 404)
        return _draw(self.shop, key, page)


def _pages(shop: Shop) -> dict[str, _Page]:
    """Return the pages of the shop by their route keys."""
    urls = shop.addresses
    promotion, login = urls.words["promotion"], urls.words["login"]
    soft = dead_paths(shop)[-1]
    pages = {"/": _Page(home_page), f"/{login}": _Page(login_page), soft: _Page(nothing_page)}
    for item in shop.items:
        pages[shop.path(item)] = _Page(_drawing(item), item.category == shop.legacy)
    for place, listing in enumerate(listings(shop)):
        for view in views(listing):
            legacy = listing.category == shop.legacy
            pages[view.path(shop)] = _Page(partial(listing_page, view=view), legacy)
        # The second listing, the market, has no promotion: numbers follow the home page's.
        if place != 1:
            path = urls.listing(listing.slug, listing.shelf)
            pages[f"/{promotion}/{max(0, place - 1)}"] = _Page(partial(refresh_page, path=path))
    for part, last in (("news", NEWS), ("help", HELP)):
        for number in range(last + 1):
            page = _Page(partial(article_page, part=part, number=number))
            pages[urls.article(part, number)] = page
    for number in range(2 * len(shop.graph.islands)):
        pages[urls.article("guide", number)] = _Page(partial(guide_page, number=number))
    return {route_key(path): page for path, page in pages.items()}


def _drawing(item: Item) -> Callable[[Frame], str]:
    return partial(item_page, item=item)


def _draw(shop: Shop, key: str, page: _Page) -> Answer:
    """Draw a page; what kind of links and encoding it has depends on its path alone."""
    mark = zlib.crc32(key.encode())
    encoding, label, header = "utf-8", "utf-8", _HTML
    if page.legacy:
        encoding, label = "gbk", "gb2312"
        # Half of the old pages leave it to the meta element, which names a smaller set.
        header = "text/html; charset=gbk" if mark % 2 else "text/html"
    frame = Frame(
        shop,
        session=mark % SESSION_PAGES == 1,
        rebased=mark // 64 % REBASED_PAGES == 1,
        charset=label,
    )
    body = page.draw(frame).encode(encoding, "xmlcharrefreplace")
    return Answer(body, page.status, header)


def _filled(answer: Answer, base: str, session: str) -> Answer:
    body = answer.body.replace(BASE_MARK.encode(), base.encode())
    body = body.replace(SESSION_MARK.encode(), session.encode())
    return Answer(body, answer.status, answer.content_type, answer.location, answer.delay)


def _picture(key: str, colour: str) -> str:
    """Return a drawing instead of a photograph."""
    mark = zlib.crc32(key.encode())
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 90">'
        f'<rect width="120" height="90" fill="hsl({mark % 360},28%,88%)"/>'
        f'<circle cx="{30 + mark % 60}" cy="48" r="{14 + mark // 60 % 18}" fill="{colour}"'
        ' fill-opacity=".55"/></svg>'
    )
