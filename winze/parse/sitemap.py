"""Sitemaps as a stream of entries: XML, index, news, feed or plain text, gzipped or not.

The format is that of sitemaps.org; what Google's extensions add is the title of a news article.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from winze.model import Link
from winze.parse.feed import FEED_FIELDS, FEED_ITEMS, FEED_ROOTS, entry_of
from winze.parse.xml_items import MAX_TEXT, Item, ItemReader
from winze.urls.canonical import join

#: Decoded bytes that are read of one sitemap: twice what the protocol allows (50 MiB).
MAX_BYTES = 2 * 50 * 1024 * 1024

#: Root elements of sitemaps.
SITEMAP_ROOTS = frozenset({"urlset", "sitemapindex"})

#: Bytes that are unpacked and parsed at a time.
_PIECE = 64 * 1024

#: Gzip members in one file, far above what any packer writes; each costs a copy of its piece.
_MAX_MEMBERS = 10_000

_GZIP = b"\x1f\x8b"

_BLANKS = b"\xef\xbb\xbf \t\r\n"

_ITEMS = frozenset({"url", "sitemap"}) | FEED_ITEMS

_FIELDS = frozenset({"loc", "lastmod", "news:news/news:title"}) | FEED_FIELDS


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a sitemap."""

    #: Absolute, without fragment.
    url: str
    #: As written (W3C datetime), or empty.
    lastmod: str = ""
    #: It names another sitemap, not a page.
    is_sitemap: bool = False
    #: Of a news article or a feed's entry, else empty.
    title: str = ""


class SitemapReader:
    """Takes a sitemap piece by piece, as sent, and gives the entries that are whole.

    Memory does not grow with the sitemap, entities are not expanded, nothing is loaded from
    elsewhere, and a broken or cut file gives what stands before the fault. `base` is the sitemap's
    own URL. Reading ends after `max_bytes` decoded bytes.

    >>> reader = SitemapReader("http://shop.example/sitemap.xml")
    >>> reader.feed(b"<urlset><url><loc>/a</loc></u"), reader.feed(b"rl>")
    ([], [Entry(url='http://shop.example/a', lastmod='', is_sitemap=False, title='')])
    """

    def __init__(self, base: str, *, max_bytes: int = MAX_BYTES) -> None:
        self._base = base
        self._left = max_bytes
        self._unpacker = _Unpacker()
        self._start = b""
        self._content: _Xml | _Text | None = None

    @property
    def is_sitemap(self) -> bool:
        """Is this a sitemap, as far as one can see by now? A plain text is one with its first URL.

        An HTML page, which many sites send in place of 404, is none.
        """
        return self._content is not None and self._content.is_sitemap

    @property
    def ended(self) -> bool:
        """Is nothing more worth reading: the cap is reached, or it is no sitemap?"""
        ended = self._left <= 0 or self._unpacker.ended
        return ended or (self._content is not None and self._content.ended)

    def feed(self, chunk: bytes) -> list[Entry]:
        """Read on; return the entries that are whole by now."""
        entries: list[Entry] = []
        for piece in self._unpacker.feed(chunk):
            if self.ended:
                break
            entries += self._read(piece[: self._left])
            self._left -= len(piece)
        return entries

    def close(self) -> list[Entry]:
        """Read to the end; return the entries that are whole by now."""
        if self._content is None and self._start:
            self._content = self._reader()
            return [*self._content.feed(self._start), *self._content.close()]
        return self._content.close() if self._content is not None else []

    def _read(self, piece: bytes) -> list[Entry]:
        if self._content is None:
            self._start += piece
            # Four bytes, not all blank, tell XML in any encoding from text.
            if len(self._start) < 4 or not self._start.strip(_BLANKS):
                return []
            piece, self._content = self._start.lstrip(_BLANKS), self._reader()
        return self._content.feed(piece)

    def _reader(self) -> _Xml | _Text:
        start = self._start.lstrip(_BLANKS)
        is_xml = start.startswith(b"<") or b"\x00" in self._start[:4]
        return _Xml(self._base) if is_xml else _Text(self._base)


def read_sitemap(
    chunks: bytes | Iterable[bytes], base: str, *, max_bytes: int = MAX_BYTES
) -> Iterator[Entry]:
    """Yield a sitemap's entries in order, while it is still being read; see SitemapReader.

    >>> xml = b"<urlset><url><loc> /a?x=1&amp;y=2 </loc><lastmod>2024</lastmod></url></urlset>"
    >>> [(entry.url, entry.lastmod) for entry in read_sitemap(xml, "http://shop.example/s.xml")]
    [('http://shop.example/a?x=1&y=2', '2024')]
    """
    reader = SitemapReader(base, max_bytes=max_bytes)
    for chunk in [chunks] if isinstance(chunks, bytes) else chunks:
        for at in range(0, len(chunk), _PIECE):
            yield from reader.feed(chunk[at : at + _PIECE])
            if reader.ended:
                return
    yield from reader.close()


def links_of_sitemap(body: bytes, url: str) -> tuple[Link, ...]:
    """Return the entries of a sitemap that was visited as a page, sitemaps of an index included.

    >>> links_of_sitemap(b"<urlset><url><loc>/a</loc></url></urlset>", "http://shop.example/s.xml")
    (Link(url='http://shop.example/a', anchor='', tag_path='sitemap', rank=0, nofollow=False),)
    """
    entries = {entry.url: entry for entry in read_sitemap(body, url)}
    return tuple(
        Link(entry.url, entry.title, "sitemap", rank) for rank, entry in enumerate(entries.values())
    )


class _Xml:
    def __init__(self, base: str) -> None:
        self._base = base
        self._items = ItemReader(_ITEMS, _FIELDS, base)

    @property
    def is_sitemap(self) -> bool:
        return self._items.root in SITEMAP_ROOTS | FEED_ROOTS

    @property
    def ended(self) -> bool:
        root = self._items.root
        return self._items.ended or bool(root and not self.is_sitemap and root not in _ITEMS)

    def feed(self, piece: bytes) -> list[Entry]:
        return self._entries(self._items.feed(piece))

    def close(self) -> list[Entry]:
        return self._entries(self._items.close())

    def _entries(self, items: Iterable[Item]) -> list[Entry]:
        return [entry for item in items if (entry := _entry(item, self._base)) is not None]


def _entry(item: Item, base: str) -> Entry | None:
    if item.name in FEED_ITEMS:
        found = entry_of(item)
        return None if found is None else Entry(found.url, title=found.title)
    loc = item.text("loc")
    url = join(base, loc) if 0 < len(loc) < MAX_TEXT else None
    if url is None:
        return None
    title = item.text("news:news/news:title")
    return Entry(url, item.text("lastmod"), item.name == "sitemap", title)


class _Text:
    """A plain text with one URL a line."""

    def __init__(self, base: str) -> None:
        self._base = base
        self._rest = b""
        self.is_sitemap = False
        #: A text goes on to its end.
        self.ended = False

    def feed(self, piece: bytes) -> list[Entry]:
        *lines, rest = (self._rest + piece).split(b"\n")
        # A longer line is no URL; what of it comes later is none either.
        self._rest = rest[:MAX_TEXT]
        return self._entries(lines)

    def close(self) -> list[Entry]:
        return self._entries([self._rest])

    def _entries(self, lines: Iterable[bytes]) -> list[Entry]:
        entries = []
        for line in lines:
            text = line.strip(_BLANKS).decode("utf-8", "replace")
            if text.startswith(("http://", "https://")) and len(text) < MAX_TEXT:
                url = join(self._base, text)
                entries += [Entry(url)] if url is not None else []
        self.is_sitemap = self.is_sitemap or bool(entries)
        return entries


class _Unpacker:
    """Undoes gzip, known by its first two bytes, in pieces; a broken end is dropped."""

    def __init__(self) -> None:
        self._start = b""
        self._gzip: zlib._Decompress | None = None
        self._is_plain = False
        self._members = 0

    @property
    def ended(self) -> bool:
        """Is it broken, or in more members than any packer writes?"""
        return self._members >= _MAX_MEMBERS

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield pieces of what a chunk unpacks to."""
        if self._gzip is None and not self._is_plain:
            chunk = self._start + chunk
            if len(chunk) < len(_GZIP):
                self._start = chunk
                return
            self._start = b""
            if chunk.startswith(_GZIP):
                self._gzip = zlib.decompressobj(wbits=31)
            else:
                self._is_plain = True
        # In small pieces, because what is left over of each is copied at every step.
        for at in range(0, len(chunk), _PIECE):
            piece = chunk[at : at + _PIECE]
            yield from [piece] if self._gzip is None else self._inflated(piece)

    def _inflated(self, packed: bytes) -> Iterator[bytes]:
        while packed and self._gzip is not None and not self.ended:
            try:
                piece = self._gzip.decompress(packed, _PIECE)
            except zlib.error:
                self._members = _MAX_MEMBERS
                return
            packed = self._gzip.unconsumed_tail
            if self._gzip.eof:
                packed = self._gzip.unused_data
                self._gzip = zlib.decompressobj(wbits=31)
                self._members += 1
            if piece:
                yield piece
