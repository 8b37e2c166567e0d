"""Which links get a row in the URL table: by scope, depth, the user's filters, and once each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from winze.engine.site import Site
from winze.model import ErrorCode, Link, Status
from winze.store.crawldb import NewUrl
from winze.urls.canonical import bucket, clean, host_of, key
from winze.urls.files import is_file


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
    of a million pages.
    """

    def __init__(self, keys: Iterable[bytes] = ()) -> None:
        self._seen = {_fingerprint(one) for one in keys}

    def __len__(self) -> int:
        return len(self._seen)

    def admit(self, links: Iterable[Link], origin: From, site: Site) -> list[NewUrl]:
        """Return rows for the links that are new and belong to the crawl.

        Those that the user's filters refuse get an excluded row, so that it can be explained.
        """
        depth = origin.depth + 1
        if site.max_depth is not None and depth > site.max_depth:
            return []
        admitted: list[NewUrl] = []
        for link in links:
            try:
                identity = key(link.url)
            except ValueError:
                continue
            mark = _fingerprint(identity)
            if mark in self._seen or is_file(link.url) or not site.scope.admits(link.url):
                continue
            self._seen.add(mark)
            admitted.append(_row(link, identity, origin, depth, site))
        return admitted


def _row(link: Link, identity: bytes, origin: From, depth: int, site: Site) -> NewUrl:
    url = site.spelled(clean(link.url))
    host = host_of(url)
    wanted = site.wants(link.url)
    return NewUrl(
        identity,
        replace(link, url=url),
        host,
        bucket(host),
        depth,
        origin.key,
        origin.weight,
        status=Status.DISCOVERED if wanted else Status.EXCLUDED,
        error=ErrorCode.OK if wanted else ErrorCode.FILTER_ERROR,
    )


def _fingerprint(identity: bytes) -> int:
    return int.from_bytes(identity[:8], "big")
