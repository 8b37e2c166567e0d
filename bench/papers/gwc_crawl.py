"""P1's crawler as written: the initial phase and the supervised crawl (GWC paper, 3)."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import mean

from bench.papers.gwc_clusters import cluster
from bench.papers.pages import Library, ReadPage
from winze.frontier.weight import follows_links, page_weight, weight_threshold
from winze.judge.keywords import Expression
from winze.urls.canonical import clean, key
from winze.urls.patterns import Pattern, matches_any, pattern_of

#: Classes of URLs that are taken for directories.
DIRECTORIES = 10

#: P1's pre-crawl is 4,000 pages of sites of 10^5; ours are of 10^3, and Algorithm 1 is quadratic.
PRE_CRAWL = 400


@dataclass(frozen=True, slots=True)
class Filters:
    """What the initial phase learns."""

    target: Pattern
    directories: tuple[Pattern, ...]
    #: Rounded mean of the pages' weights, 1 at least (below, not even the entry is followed).
    threshold: int
    mean_weight: float
    pages: int


@dataclass(slots=True)
class Crawled:
    """What a crawl did: URLs in the order of fetching, and those that gave a record."""

    order: list[str] = field(default_factory=list)
    records: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Variant:
    """P1's table 3: the weight threshold (None: the learned one), filter and keywords on or off."""

    threshold: int | None = None
    filters: bool = True
    keywords: bool = True


class Gwc:
    """One crawl of one site; the pages of the initial phase count, too."""

    def __init__(self, library: Library, start: str, keywords: Expression | None) -> None:
        self._library = library
        self._start = clean(start)
        self._keywords = keywords
        self._fetched: set[bytes] = set()
        self.crawled = Crawled()
        #: Every URL seen so far, fetched or not.
        self.known: set[str] = {self._start}

    async def prepare(self, pages: int = PRE_CRAWL) -> Filters:
        """Pre-crawl in the order of keyword weight, then learn the filters (3.1)."""
        seen, heap, number = {key(self._start)}, [(0, 0, self._start)], 0
        weights: dict[str, int] = {}
        counts: dict[str, int] = {}
        while heap and len(self.crawled.order) < pages:
            parent, _, url = heapq.heappop(heap)
            page = await self._get(url)
            if not page.alive:
                continue
            weights[page.url] = 0 if self._holds(page) or url == self._start else parent + 1
            counts[page.url] = len(page.links)
            for link in page.links:
                if key(link.url) not in seen:
                    seen.add(key(link.url))
                    number += 1
                    heapq.heappush(heap, (weights[page.url], number, clean(link.url)))
        return self._filters(counts, weights)

    def _filters(self, counts: dict[str, int], weights: dict[str, int]) -> Filters:
        """The pages with fewer links than the mean; their largest class; the ten largest others."""
        entry = next(iter(counts))
        fewer = {url: counts[entry] - number for url, number in counts.items()}
        least = mean(fewer.values())
        candidates = [url for url, number in fewer.items() if number > least] or list(fewer)
        target = pattern_of(max(cluster(candidates), key=len))
        rest = [urls for urls in cluster(counts) if not _mostly(target, urls)]
        largest = sorted(rest, key=len, reverse=True)[:DIRECTORIES]
        return Filters(
            target,
            tuple(pattern_of(urls) for urls in largest),
            weight_threshold(list(weights.values())),
            mean(weights.values()),
            len(self.crawled.order),
        )

    async def crawl(
        self, filters: Filters, variant: Variant = Variant(), most: int = 8000
    ) -> Crawled:
        """Breadth-first through the filters, off-topic chains cut at the threshold (3.2)."""
        threshold = filters.threshold if variant.threshold is None else variant.threshold
        seen, queue = {key(self._start)}, deque([(self._start, 0)])
        while queue and len(self.crawled.order) < most:
            url, parent = queue.popleft()
            page = await self._get(url)
            if not page.alive:
                continue
            holds = self._holds(page)
            is_target = filters.target.matches(page.url)
            if is_target and (holds or not variant.keywords):
                self.crawled.records.append(page.url)
            leads = any(filters.target.matches(clean(link.url)) for link in page.links)
            # The entry is where the user says the topic begins.
            weight = page_weight(
                parent,
                on_topic=url == self._start or (holds and variant.keywords),
                links_to_target=leads and variant.filters,
            )
            if not follows_links(weight, threshold=threshold):
                continue
            for link in page.links:
                target = clean(link.url)
                if key(target) not in seen and (not variant.filters or _passes(filters, target)):
                    seen.add(key(target))
                    queue.append((target, weight))
        return self.crawled

    async def _get(self, url: str) -> ReadPage:
        page = await self._library.page(url)
        if key(url) not in self._fetched:
            self._fetched.add(key(url))
            self.crawled.order += [url] * page.requests
            self.known.update(clean(link.url) for link in page.links)
        return page

    def _holds(self, page: ReadPage) -> bool:
        return self._keywords is not None and self._keywords.holds(page.text)


def _mostly(pattern: Pattern, urls: Sequence[str]) -> bool:
    return 2 * sum(pattern.matches(url) for url in urls) >= len(urls)


def _passes(filters: Filters, url: str) -> bool:
    return filters.target.matches(url) or matches_any(filters.directories, url)
