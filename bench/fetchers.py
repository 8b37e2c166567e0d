"""The demo shop behind the Fetcher seam: no network, every request noted."""

from __future__ import annotations

import secrets
import time
from urllib.parse import urlsplit

from winze.demo.addresses import route_key
from winze.demo.shop import Shop
from winze.demo.site import ShopSite
from winze.model import ErrorCode, Request, Response

#: Where the shop in memory says that it lies.
BASE = "http://shop.example"


class ShopFetcher:
    """Answers as the demo's server does, robots.txt obeyed. `order` lists what was asked."""

    def __init__(self, shop: Shop) -> None:
        self.order: list[str] = []
        self._site = ShopSite(shop)
        self._disallowed = shop.addresses.disallowed

    async def __call__(self, request: Request) -> Response:
        """Return the page of a URL; each answer writes another session into its links."""
        target = target_of(request.url)
        if target.startswith(self._disallowed):
            return Response(request.url, error=ErrorCode.ROBOTS_DENIED, fetched_at=time.time())
        self.order.append(request.url)
        answer = self._site.answer(target, base=BASE, session=secrets.token_hex(16))
        headers = [("content-type", answer.content_type)]
        if answer.location:
            headers.append(("location", answer.location))
        error = ErrorCode.OK if answer.status < 400 else ErrorCode.URL_404
        return Response(
            request.url, answer.status, tuple(headers), answer.body, error, fetched_at=time.time()
        )


def target_of(url: str) -> str:
    """Return the path and query of a URL."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def shop_key(url: str) -> str:
    """Return what the shop's truth calls the page of a URL."""
    return route_key(target_of(url))
