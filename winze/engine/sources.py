"""The sitemaps of a site, read in batches with their progress: a half-read one goes on.

Links and progress of a batch belong in one transaction; whoever takes the batches writes them.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from winze.engine.source_files import (
    NOT_MODIFIED,
    Cutter,
    Open,
    Root,
    redirect_of,
)
from winze.fetch.stream import Stream
from winze.model import ErrorCode, Link
from winze.parse.links import ANCHOR_LENGTH
from winze.parse.sitemap import Entry, SitemapReader
from winze.store.sources import MAX_URL, SourceRow
from winze.urls.canonical import folded_origin, key, origin_of

#: Seconds after which a source that was read to its end is asked again, conditionally.
AGAIN = 24 * 3600.0

#: Redirects that a source may take.
_HOPS = 3

#: Faults after which the source is asked again in the next run.
_PASSING = frozenset(
    {
        *(ErrorCode.URL_TIME_OUT, ErrorCode.DNS, ErrorCode.CONNECTION, ErrorCode.TLS),
        *(ErrorCode.HTTP_5XX, ErrorCode.RATE_LIMITED),
    }
)


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """How much is read of what a site offers."""

    #: Files: one index may name 50,000, and each costs the host's delay.
    files: int = 500
    #: Indexes in a row; the protocol has one, and some sites nest a second.
    depth: int = 3
    #: Entries of all files together: 100 full ones.
    entries: int = 5_000_000


@dataclass(frozen=True, slots=True)
class Batch:
    """Some links, and the progress that is true once they have rows."""

    links: tuple[Link, ...]
    #: The source that was read, and those that an index names.
    rows: tuple[SourceRow, ...]


@dataclass(slots=True)
class SourceCounts:
    """What was done with the sources so far."""

    #: Files that gave entries, or could have.
    read: int = 0
    #: Links given.
    links: int = 0
    #: Not asked: read to the end a short while ago.
    still_good: int = 0
    #: Asked, and not changed since.
    unchanged: int = 0
    #: 404, HTML, or broken from the start.
    nothing: int = 0
    #: No answer, or half of one; the next run asks again.
    failed: int = 0
    #: On another host without leave of robots.txt, or nested too deep.
    refused: int = 0
    #: Left out because a limit was reached.
    beyond: int = 0


@dataclass(frozen=True, slots=True)
class _Waiting:
    row: SourceRow
    depth: int = 0


class Sources:
    """The sources of one site; `async for batch in sources.batches()`, once.

    `known` is what the store holds of them: a source that was read to its end is left alone for
    AGAIN seconds, a half-read one goes on behind its last entry unless the site has another copy.
    `clock` is the time of day in seconds.
    """

    def __init__(
        self,
        opens: Open,
        roots: Sequence[Root],
        known: Iterable[SourceRow] = (),
        *,
        clock: Callable[[], float] = time.time,
        limits: SourceLimits | None = None,
    ) -> None:
        self.counts = SourceCounts()
        self._opens = opens
        self._clock = clock
        self._limits = limits or SourceLimits()
        self._known = {key(row.url): row for row in known}
        self._listed = {key(root.url) for root in roots if root.listed}
        self._seen: set[bytes] = set()
        self._waiting: deque[_Waiting] = deque()
        #: Entries of all files, those of earlier runs included.
        self._total = 0
        for root in roots:
            self._add(SourceRow(root.url))
        for row in self._known.values():
            self._add(row)

    async def batches(self) -> AsyncGenerator[Batch, None]:
        """Yield the links of all sources, index files followed, each batch with its progress."""
        while self._waiting and self._total < self._limits.entries:
            one = self._waiting.popleft()
            if one.row.done and self._clock() - one.row.read_at < AGAIN:
                self.counts.still_good += 1
                self._total += one.row.entries
                continue
            async for batch in self._ask(one):
                yield batch
        self.counts.beyond += len(self._waiting)

    def _add(self, row: SourceRow, *, depth: int = 0) -> SourceRow | None:
        """Let a source wait; return its row if it is new to the store."""
        identity = key(row.url)
        if identity in self._seen:
            return None
        if len(self._seen) >= self._limits.files or len(row.url) > MAX_URL:
            self.counts.beyond += 1
            return None
        self._seen.add(identity)
        known = self._known.get(identity)
        self._waiting.append(_Waiting(known or row, depth))
        return None if known else row

    async def _ask(self, one: _Waiting) -> AsyncGenerator[Batch, None]:
        url, row = one.row.url, one.row
        validators = (row.etag, row.last_modified) if row.done and row.entries else ("", "")
        for _ in range(_HOPS + 1):
            async with self._opens(url, validators) as opened:
                target = redirect_of(opened.response)
                if not target:
                    async for batch in self._take(one, opened):
                        yield batch
                    return
            if not self._may_ask(target, row.url):
                self.counts.refused += 1
                yield self._without_entries(one)
                return
            url = target
        self.counts.nothing += 1
        yield self._without_entries(one)

    async def _take(self, one: _Waiting, opened: Stream) -> AsyncGenerator[Batch, None]:
        answer = opened.response
        if answer.http_status == NOT_MODIFIED:
            self.counts.unchanged += 1
            self._total += one.row.entries
            yield Batch((), (replace(one.row, read_at=self._clock()),))
        elif answer.error in _PASSING:
            self.counts.failed += 1
        elif answer.error is not ErrorCode.OK or answer.http_status != 200:
            self.counts.nothing += 1
            yield self._without_entries(one)
        else:
            async for batch in self._read(one, opened):
                yield batch

    async def _read(self, one: _Waiting, opened: Stream) -> AsyncGenerator[Batch, None]:
        copy = _copy_of(one.row, opened, self._clock())
        cutter = Cutter(skip=one.row.entries if _goes_on(one.row, copy) else 0)
        reader = SitemapReader(opened.response.url)
        async for chunk in opened.chunks:
            for entries in cutter.full(reader.feed(chunk)):
                yield self._batch(one, entries, replace(copy, entries=cutter.given))
            if reader.ended or self._total + cutter.given >= self._limits.entries:
                break
            # A long file must not hold up the pages that are in flight.
            await asyncio.sleep(0)
        for entries in cutter.full(reader.close()):
            yield self._batch(one, entries, replace(copy, entries=cutter.given))
        self._count(opened, is_sitemap=reader.is_sitemap)
        rest = cutter.rest()
        done = opened.error not in _PASSING
        last = self._batch(one, rest, replace(copy, entries=cutter.given, done=done))
        self._total += cutter.given
        yield last

    def _batch(self, one: _Waiting, entries: Sequence[Entry], row: SourceRow) -> Batch:
        """Part pages from sitemaps, and let these wait."""
        links = tuple(_link(entry) for entry in entries if not entry.is_sitemap)
        named = [self._named(entry.url, one) for entry in entries if entry.is_sitemap]
        self.counts.links += len(links)
        return Batch(links, (row, *filter(None, named)))

    def _named(self, url: str, index: _Waiting) -> SourceRow | None:
        if index.depth >= self._limits.depth or not self._may_ask(url, index.row.url):
            self.counts.refused += 1
            return None
        return self._add(SourceRow(url), depth=index.depth + 1)

    def _may_ask(self, url: str, index: str) -> bool:
        return key(url) in self._listed or _site(url) == _site(index)

    def _without_entries(self, one: _Waiting) -> Batch:
        return Batch((), (replace(one.row, entries=0, done=True, read_at=self._clock()),))

    def _count(self, opened: Stream, *, is_sitemap: bool) -> None:
        if opened.error is not ErrorCode.OK:
            self.counts.failed += 1
        elif is_sitemap:
            self.counts.read += 1
        else:
            self.counts.nothing += 1


def _copy_of(row: SourceRow, opened: Stream, now: float) -> SourceRow:
    """Return the row of the copy that is being read, none of it read yet."""
    answer = opened.response
    etag, last_modified = answer.header("etag"), answer.header("last-modified")
    return SourceRow(row.url, etag=etag, last_modified=last_modified, read_at=now)


def _goes_on(row: SourceRow, copy: SourceRow) -> bool:
    """Is this the copy of which a part has rows already? Without validators one must suppose so."""
    same = (row.etag, row.last_modified) == (copy.etag, copy.last_modified)
    return same and not row.done


def _link(entry: Entry) -> Link:
    return Link(entry.url, entry.title[:ANCHOR_LENGTH], "sitemap")


def _site(url: str) -> str:
    """Return the host that a URL asks, whatever its scheme and www."""
    return folded_origin(origin_of(url))
