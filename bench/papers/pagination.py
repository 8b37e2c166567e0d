"""A collector of paginated lists, as P1 describes its rival: lists, further pages, items."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection

from bench.papers.gwc_crawl import Crawled
from bench.papers.pages import Library, ReadPage
from winze.learn.url_filters import same_form
from winze.urls.canonical import clean, key

#: Links to items from which on a page is taken for a list.
LEAST_ITEMS = 5

#: What the anchors of pagination say.
_PAGING = re.compile(r"^(?:\d{1,4}|[<>«»‹›→]+|next.*|more|older.*|下一?页.*|下页|后页|尾页)$", re.I)


async def collect(
    library: Library, start: str, examples: Collection[str], most: int = 8000
) -> Crawled:
    """Take the items linked on the lists that the start page names, and on their further pages.

    The person at such a tool clicks on an item; that it is meant is told here by `examples`. P1's
    rival walks the one list it was configured with; this one walks all that the start page links.
    """
    crawled = Crawled()
    queue = deque([clean(start)])
    seen = {key(start)}
    items: dict[bytes, str] = {}
    while queue and len(crawled.order) < most:
        url = queue.popleft()
        page = await library.page(url)
        crawled.order += [url] * page.requests
        found = _items(page, examples)
        if len(found) >= LEAST_ITEMS:
            items |= {key(item): item for item in found}
        first = url == clean(start)
        for link in page.links:
            target = clean(link.url)
            follows = first or (len(found) >= LEAST_ITEMS and _PAGING.match(link.anchor.strip()))
            if follows and target not in found and key(target) not in seen:
                seen.add(key(target))
                queue.append(target)
    for item in items.values():
        page = await library.page(item)
        crawled.order += [item] * page.requests
        if page.alive:
            crawled.records.append(page.url)
    return crawled


def _items(page: ReadPage, examples: Collection[str]) -> frozenset[str]:
    return same_form([clean(link.url) for link in page.links], examples)
