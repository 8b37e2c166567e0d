"""Where a site's sitemaps and feeds lie, how they are opened, and their entries in batches."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from winze.fetch.client import Client
from winze.model import ErrorCode, Request, Response
from winze.parse.feed import START, is_feed, read_feed
from winze.parse.sitemap import Entry, SitemapReader
from winze.urls.canonical import folded_origin, join, origin_of

#: Where a sitemap lies when robots.txt names none (sitemaps.org). A second guess is a request more
#: at most sites: what WordPress and its plug-ins call otherwise they list, or redirect to.
GUESS = "/sitemap.xml"

#: Entries in one batch: with their rows a transaction of about 20 ms.
BATCH = 500

#: Bytes of one sitemap: the protocol's 50 MiB (sitemaps.org).
MAX_SITEMAP_BYTES = 50 * 1024 * 1024

#: Bytes of one feed, which is read as a whole.
MAX_FEED_BYTES = 10 * 1024 * 1024

#: Seconds for one file: 50 MiB at 3.5 Mbit/s.
FILE_SECONDS = 120.0

_PIECE = 64 * 1024

#: The copy that is known is still good (RFC 9110, 15.4.5).
NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True)
class Root:
    """A source to begin with."""

    url: str
    #: "sitemap" or "feed".
    kind: str = "sitemap"
    #: robots.txt names it; then it may lie on another host (sitemaps.org).
    listed: bool = False


@dataclass(slots=True)
class Opened:
    """An answer whose body is read piece by piece."""

    #: Without its body.
    response: Response
    chunks: AsyncIterator[bytes]
    #: Why there is no whole body; known when the chunks have come to their end.
    error: ErrorCode = ErrorCode.OK


class Open(Protocol):
    """Whatever opens a URL for reading; failures are values, nothing raises."""

    def __call__(
        self, url: str, validators: tuple[str, str]
    ) -> AbstractAsyncContextManager[Opened]:
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


def whole_bodies(client: Client) -> Open:
    """Return an opener that holds one body in memory, as large as the file was sent."""

    @asynccontextmanager
    async def opened(url: str, validators: tuple[str, str]) -> AsyncIterator[Opened]:
        answer = await _asked(client, url, validators)
        yield Opened(replace(answer, body=b""), _pieces(answer.body), answer.error)

    return opened


async def _asked(client: Client, url: str, validators: tuple[str, str]) -> Response:
    if any(validators):
        answer = await client(Request(url, validators=validators))
        if answer.http_status == NOT_MODIFIED:
            return answer
    return await client.fetch(url, any_type=True, max_bytes=MAX_SITEMAP_BYTES, timeout=FILE_SECONDS)


async def _pieces(body: bytes) -> AsyncIterator[bytes]:
    for at in range(0, len(body), _PIECE):
        yield body[at : at + _PIECE]


def redirect_of(answer: Response) -> str:
    """Return where an answer sends its reader, absolute, or the empty string."""
    location = answer.header("location").strip()
    if not 300 <= answer.http_status < 400 or not location:
        return ""
    return join(answer.url, location) or ""


class Reader(Protocol):
    """Takes the bytes of a source and gives its entries."""

    @property
    def is_sitemap(self) -> bool:
        """Is it what it should be, as far as one can see by now?"""
        ...

    @property
    def ended(self) -> bool:
        """Is nothing more worth reading?"""
        ...

    def feed(self, chunk: bytes) -> list[Entry]:
        """Read on; return the entries that are whole by now."""
        ...

    def close(self) -> list[Entry]:
        """Return the last entries."""
        ...


def reader_for(kind: str, answer: Response) -> Reader:
    """Return the reader for a source of a kind, "sitemap" or "feed"."""
    return _FeedReader(answer) if kind == "feed" else SitemapReader(answer.url)


class _FeedReader:
    """Holds a feed to its end: its encoding, or whether it is JSON, shows only then."""

    def __init__(self, answer: Response) -> None:
        self._answer = answer
        self._body = bytearray()
        self.is_sitemap = False

    @property
    def ended(self) -> bool:
        return len(self._body) >= MAX_FEED_BYTES

    def feed(self, chunk: bytes) -> list[Entry]:
        self._body += chunk
        return []

    def close(self) -> list[Entry]:
        body, content_type = bytes(self._body), self._answer.header("content-type")
        self.is_sitemap = is_feed(content_type, body[:START])
        if not self.is_sitemap:
            return []
        entries = read_feed(body, self._answer.url, content_type)
        return [Entry(entry.url, title=entry.title) for entry in entries]


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
