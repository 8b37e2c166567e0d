"""Where a page leads: its links, its buttons, the feeds that it names."""

from __future__ import annotations

from collections.abc import Sequence

from winze.engine.site import Site
from winze.model import Link, Page
from winze.parse.feed import feed_links
from winze.parse.html import Tree
from winze.parse.links import find_links
from winze.parse.more import may_have_more, more_links


def ways_on(page: Page, tree: Tree, body: bytes, site: Site, *, depth: int) -> tuple[Link, ...]:
    """Return the links of a page and of its "load more" buttons, each URL once.

    A start page also leads to its feeds, unless the plan wants no such sources.
    """
    encoding = page.encoding or "utf-8"
    links = find_links(tree, page.url, encoding=encoding)
    if may_have_more(body):
        links = _joined(links, more_links(tree, page.url, encoding=encoding))
    if depth == 0 and site.reads_feeds:
        feeds = [Link(url, tag_path="feed") for url in feed_links(tree, page.url)]
        links = _joined(links, feeds)
    return links


def _joined(links: tuple[Link, ...], more: Sequence[Link]) -> tuple[Link, ...]:
    known = {link.url for link in links}
    return (*links, *(link for link in more if link.url not in known))
