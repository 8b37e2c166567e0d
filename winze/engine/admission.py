"""Which links get a row in the URL table: by scope, depth, the user's filters, and once each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from winze.engine.site import Site
from winze.model import ErrorCode, Link, Status
from winze.store.crawldb import NewUrl
from winze.urls.canonical import bucket, clean, host_of, key
from winze.urls.files import is_file

#: Spellings that are remembered, about 70 bytes each; then all are forgotten and met anew.
MOST_SPELLINGS = 200_000


@dataclass(frozen=True, slots=True)
class From:
    """The page on which links stand; the default stands for the plan."""

    key: bytes = b""
    url: str = ""
    depth: int = -1
    weight: int = 0


class Admission:
    """Remembers every URL that was seen, as 64-bit fingerprints; the table's key decides.

    In RAM a URL costs about 70 bytes; two different ones share a fingerprint once in 10^7 crawls
    of a million pages. Spellings met before are known without a look at what they mean: a menu's
    links come back on every page.
    """

    def __init__(self, keys: Iterable[bytes] = ()) -> None:
        self._seen = {_fingerprint(one) for one in keys}
        #: Hashes of spellings that need no second look.
        self._spellings: set[int] = set()

    def __len__(self) -> int:
        return len(self._seen)

    def admit(
        self,
        links: Iterable[Link],
        origin: From,
        site: Site,
        canonical: Callable[[str], str] = str,
    ) -> list[NewUrl]:
        """Return rows for the links that are new and belong to the crawl.

        Those that the user's filters refuse get an excluded row, so that it can be explained.
        `canonical` takes away what was learned to change nothing.
        """
        depth = origin.depth + 1
        if site.max_depth is not None and depth > site.max_depth:
            return []
        if len(self._spellings) > MOST_SPELLINGS:
            self._spellings.clear()
        admitted: list[NewUrl] = []
        for link in links:
            spelling = hash(link.url)
            if spelling in self._spellings:
                continue
            self._spellings.add(spelling)
            new = self._first_time(link, origin, depth, site, canonical)
            if new is not None:
                admitted.append(new)
        return admitted

    def _first_time(
        self, link: Link, origin: From, depth: int, site: Site, canonical: Callable[[str], str]
    ) -> NewUrl | None:
        try:
            if is_file(link.url) or not site.scope.admits(link.url):
                return None
            url = canonical(clean(link.url))
            identity = key(url)
        except ValueError:
            return None
        mark = _fingerprint(identity)
        if mark in self._seen:
            return None
        self._seen.add(mark)
        return _row(replace(link, url=site.spelled(url)), identity, origin, depth, site)


def _row(link: Link, identity: bytes, origin: From, depth: int, site: Site) -> NewUrl:
    host = host_of(link.url)
    refusal = site.refusal(link.url)
    return NewUrl(
        identity,
        link,
        host,
        bucket(host),
        depth,
        origin.key,
        origin.weight,
        status=Status.DISCOVERED if refusal is ErrorCode.OK else Status.EXCLUDED,
        error=refusal,
    )


def _fingerprint(identity: bytes) -> int:
    return int.from_bytes(identity[:8], "big")
