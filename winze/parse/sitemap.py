"""Sitemaps as a stream of entries: XML, index or plain text, gzipped or not (sitemaps.org)."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lxml import etree

from winze.urls.canonical import join

#: Decoded bytes that are read of one sitemap: twice what the protocol allows (50 MiB).
MAX_BYTES = 2 * 50 * 1024 * 1024

#: Bytes that are unpacked and parsed at a time.
_PIECE = 64 * 1024

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a sitemap."""

    #: Absolute, without fragment.
    url: str
    #: As written (W3C datetime), or empty.
    lastmod: str = ""
    #: It names another sitemap, not a page.
    is_sitemap: bool = False


def read_sitemap(
    chunks: bytes | Iterable[bytes], base: str, *, max_bytes: int = MAX_BYTES
) -> Iterator[Entry]:
    """Yield a sitemap's entries in order, while it is still being read.

    Memory does not grow with the sitemap, entities are not expanded, nothing is loaded from
    elsewhere, and a broken or cut file gives what stands before the fault. `base` is the sitemap's
    own URL. Reading ends after `max_bytes` decoded bytes.

    >>> xml = b"<urlset><url><loc> /a?x=1&amp;y=2 </loc><lastmod>2024</lastmod></url></urlset>"
    >>> list(read_sitemap(xml, "http://shop.example/sitemap.xml"))
    [Entry(url='http://shop.example/a?x=1&y=2', lastmod='2024', is_sitemap=False)]
    """
    source = [chunks] if isinstance(chunks, bytes) else chunks
    pieces = _up_to(_unpacked(source), max_bytes)
    start = b""
    while len(start) < 3 or not start.strip(b"\xef\xbb\xbf \t\r\n"):
        piece = next(pieces, b"")
        if not piece:
            break
        start += piece
    content = _with_first(start, pieces)
    is_xml = start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") or b"\x00" in start[:4]
    named = _xml_entries(content) if is_xml else _text_entries(content)
    for loc, lastmod, is_sitemap in named:
        url = join(base, loc)
        if url is not None:
            yield Entry(url, lastmod, is_sitemap)


def _xml_entries(pieces: Iterable[bytes]) -> Iterator[tuple[str, str, bool]]:
    parser = etree.XMLPullParser(
        events=("end",), recover=True, resolve_entities=False, no_network=True, load_dtd=False
    )
    for piece in pieces:
        try:
            parser.feed(piece)
        except etree.XMLSyntaxError:
            yield from _finished(parser)
            return
        yield from _finished(parser)


def _finished(parser: etree.XMLPullParser) -> Iterator[tuple[str, str, bool]]:
    for _, element in parser.read_events():
        name = _local_name(element)
        if name not in {"url", "sitemap"}:
            continue
        # The direct children: an image's or video's own loc is another matter.
        texts = {_local_name(child): (child.text or "").strip() for child in element}
        if texts.get("loc"):
            yield texts["loc"], texts.get("lastmod", ""), name == "sitemap"
        _forget(element)


def _forget(element: etree._Element) -> None:
    """Free an element that was read and what stands before it, so that memory stays flat."""
    element.clear()
    parent = element.getparent()
    if parent is not None:
        while element.getprevious() is not None:
            del parent[0]


def _local_name(element: etree._Element) -> str:
    # Comments and entities have a function as their tag.
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _text_entries(pieces: Iterable[bytes]) -> Iterator[tuple[str, str, bool]]:
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from _urls(lines)
    yield from _urls([rest])


def _urls(lines: Iterable[bytes]) -> Iterator[tuple[str, str, bool]]:
    for line in lines:
        text = line.strip(b"\xef\xbb\xbf \t\r").decode("utf-8", "replace")
        if text.startswith(("http://", "https://")):
            yield text, "", False


def _unpacked(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Undo gzip, known by its first two bytes; a broken end is dropped."""
    source = iter(chunks)
    first = b""
    while len(first) < len(_GZIP) and (chunk := next(source, b"")):
        first += chunk
    if not first.startswith(_GZIP):
        for chunk in _with_first(first, source):
            yield from (chunk[at : at + _PIECE] for at in range(0, len(chunk), _PIECE))
        return
    unpacker = zlib.decompressobj(wbits=31)
    for chunk in _with_first(first, source):
        data = chunk
        while data:
            try:
                piece = unpacker.decompress(data, _PIECE)
            except zlib.error:
                return
            data = unpacker.unconsumed_tail
            if unpacker.eof:
                data, unpacker = unpacker.unused_data, zlib.decompressobj(wbits=31)
            yield piece


def _up_to(pieces: Iterator[bytes], max_bytes: int) -> Iterator[bytes]:
    left = max_bytes
    for piece in pieces:
        if piece:
            yield piece[:left]
            left -= len(piece)
            if left <= 0:
                return


def _with_first(first: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield first
    yield from rest
