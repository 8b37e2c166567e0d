"""Feeds and sitemaps that are visited as pages: lists of links, written for machines."""

from __future__ import annotations

import re

from winze.model import ErrorCode, Link, Response
from winze.parse.feed import START, is_feed, links_of_feed
from winze.parse.sitemap import links_of_sitemap

#: The root of a sitemap behind what may stand before it; blanks are already gone.
_SITEMAP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?[^>]*>\s*|<!--.*?-->\s*)*+<(?:\w+:)?(?:urlset|sitemapindex)\b",
    re.S,
)


def listed_links(response: Response) -> tuple[Link, ...] | None:
    """Return the links of a feed or an XML sitemap, or None if the response is another thing.

    >>> feed = b"<rss><channel><item><title>A</title><link>/a</link></item></channel></rss>"
    >>> answer = Response("http://shop.example/feed", 200, (("content-type", "text/xml"),), feed)
    >>> [(link.url, link.anchor) for link in listed_links(answer) or ()]
    [('http://shop.example/a', 'A')]
    >>> listed_links(Response("http://shop.example/", 200, (), b"<html><a href=/a>")) is None
    True
    """
    body = response.body
    if response.error is not ErrorCode.OK or not 200 <= response.http_status < 300 or not body:
        return None
    content_type = response.header("content-type")
    if is_feed(content_type, body[:START]):
        return links_of_feed(body, response.url, content_type)
    if _SITEMAP.match(body[:START].replace(b"\x00", b"")):
        return links_of_sitemap(body, response.url)
    return None
