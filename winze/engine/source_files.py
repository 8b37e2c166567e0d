"""Where a site's sitemaps lie, how they are opened, and their entries in batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from winze.fetch.client import Client
from winze.fetch.stream import Stream
from winze.model import Response
from winze.parse.sitemap import Entry
from winze.urls.canonical import folded_origin, join, origin_of

#: Where a sitemap lies when robots.txt names none (sitemaps.org). A second guess is a request more
#: at most sites: what WordPress and its plug-ins call otherwise they list, or redirect to.
GUESS = "/sitemap.xml"

#: Entries in one batch: with their rows a transaction of about 20 ms.
BATCH = 500

#: Bytes of one sitemap: the protocol's 50 MiB (sitemaps.org).
MAX_SITEMAP_BYTES = 50 * 1024 * 1024

#: Seconds for one file: 50 MiB at 3.5 Mbit/s.
FILE_SECONDS = 120.0

#: The copy that is known is still good (RFC 9110, 15.4.5).
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Root:
    """A source to begin with."""

    url: str
    #: robots.txt names it; then it may lie on another host (sitemaps.org).
    listed: bool = False


class Open(Protocol):
    """Whatever opens a URL for reading; failures are values, nothing raises."""

    def __call__(
        self, url: str, validators: tuple[str, str]
    ) -> AbstractAsyncContextManager[Stream]:
        """Ask for a URL; `validators` are ETag and Last-Modified of the copy that was read."""
        ...


async def sitemap_roots(client: Client, starts: Iterable[str]) -> list[Root]:
    """Return the sitemaps that robots.txt of the start links' origins lists, or the usual place."""
    roots: list[Root] = []
    origins = {folded_origin(origin_of(start)): origin_of(start) for start in reversed([*starts])}
    for origin in reversed(origins.values()):
        listed = await client.sitemaps(f"{origin}/")
        roots += [Root(url, listed=True) for url in listed] or [Root(f"{origin}{GUESS}")]
    return roots


def opener(client: Client) -> Open:
    """Return what opens a sitemap on the network; its body is read as it comes."""

    def opened(url: str, validators: tuple[str, str]) -> AbstractAsyncContextManager[Stream]:
        return client.stream(
            url, max_bytes=MAX_SITEMAP_BYTES, timeout=FILE_SECONDS, validators=validators
        )

    return opened


def redirect_of(answer: Response) -> str:
    """Return where an answer sends its reader, absolute, or the empty string."""
    location = answer.header("location").strip()
    if not 300 <= answer.http_status < 400 or not location:
        return ""
    return join(answer.url, location) or ""


@dataclass(slots=True)
class Cutter:
    """Cuts entries into batches and counts them; the first `skip` have rows already.

    >>> cutter = Cutter(skip=1)
    >>> list(cutter.full([Entry("http://shop.example/a"), Entry("http://shop.example/b")]))
    []
    >>> [entry.url for entry in cutter.rest()], cutter.given
    (['http://shop.example/b'], 2)
    """

    skip: int = 0
    #: Entries that were passed over or given so far.
    given: int = 0
    _held: list[Entry] = field(default_factory=list)

    def full(self, entries: list[Entry]) -> Iterator[list[Entry]]:
        """Yield the batches that are full with these entries."""
        self._held += entries
        old = max(0, min(self.skip - self.given, len(self._held)))
        del self._held[:old]
        self.given += old
        while len(self._held) >= BATCH:
            batch, self._held = self._held[:BATCH], self._held[BATCH:]
            self.given += len(batch)
            yield batch

    def rest(self) -> list[Entry]:
        """Return what is left, which may be nothing."""
        batch, self._held = self._held, []
        self.given += len(batch)
        return batch
