"""Response bodies: which are worth reading, and how they are unpacked without harm."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator

import brotli  # type: ignore[import-untyped]
import zstandard

#: Bytes that are unpacked at a time.
_PIECE = 64 * 1024

#: Gzip members in one body, far above what any packer writes; each costs a copy of what follows.
_MAX_MEMBERS = 1000

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"

#: Media types that can be a page, a feed or a sitemap.
_PAGE_TYPE = re.compile(
    r"text/(?:html|plain|xml)|application/(?:xml|feed\+json|[\w.-]+\+xml)", re.I
)

#: Media types that say nothing; then the first bytes decide.
_VAGUE_TYPE = re.compile(
    r"|application/(?:octet-stream|x-unknown|unknown)|unknown/unknown|\*/\*", re.I
)

_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<!--.{0,2000}?-->\s*)*+<(?:!doctype\s+html|html|head|body|\?xml|title|meta)\b",
    re.I | re.S,
)


class BodyTooLargeError(Exception):
    """The unpacked body would exceed its cap."""


class BrokenBodyError(Exception):
    """The body is not what its Content-Encoding says."""


def may_be_page(content_type: str, start: bytes) -> bool:
    """Can a body of this Content-Type that begins so be text to parse?

    >>> may_be_page("text/html; charset=gbk", b""), may_be_page("image/png", b"<html>")
    (True, False)
    >>> may_be_page("application/octet-stream", b"<!DOCTYPE html><title>")
    True
    """
    media_type = content_type.partition(";")[0].strip()
    if _VAGUE_TYPE.fullmatch(media_type):
        return _MARKUP.match(start) is not None
    return _PAGE_TYPE.fullmatch(media_type) is not None


def is_vague(content_type: str) -> bool:
    """Does a Content-Type leave open what the body is?"""
    return _VAGUE_TYPE.fullmatch(content_type.partition(";")[0].strip()) is not None


def unpack(body: bytes, content_encoding: str, *, max_bytes: int, cut: bool = False) -> bytes:
    """Undo Content-Encoding; never hold more than `max_bytes` unpacked (plus one piece).

    A body that does not begin as its coding does is taken as it is, as browsers do; one that ends
    early gives what was there. Raises BrokenBodyError, and BodyTooLargeError unless a long body
    may be `cut`.

    >>> unpack(zlib.compress(b"page"), "deflate", max_bytes=100)
    b'page'
    """
    for coding in reversed(content_encoding.split(",")):
        unpacker = _UNPACKERS.get(coding.strip().lower())
        if unpacker is not None and body:
            body = _collected(unpacker(body), max_bytes)
    if len(body) > max_bytes and not cut:
        raise BodyTooLargeError
    return body[:max_bytes]


def _collected(pieces: Iterator[bytes], max_bytes: int) -> bytes:
    """Join pieces until the first byte too many."""
    body = bytearray()
    try:
        for piece in pieces:
            body += piece
            if len(body) > max_bytes:
                break
    except (zlib.error, brotli.error, zstandard.ZstdError) as error:
        raise BrokenBodyError(str(error)) from error
    return bytes(body)


def _gunzip(body: bytes) -> Iterator[bytes]:
    if not body.startswith(_GZIP):
        yield body
    # A gzip file may have several members (RFC 1952, 2.2); what else follows is padding.
    for _ in range(_MAX_MEMBERS):
        if not body.startswith(_GZIP):
            return
        unpacker = zlib.decompressobj(wbits=31)
        yield from _inflated(unpacker, body)
        body = unpacker.unused_data


def _undeflate(body: bytes) -> Iterator[bytes]:
    # "deflate" means zlib's format, and some servers leave its header out (RFC 9110, 8.4.1.2).
    has_header = body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _inflated(zlib.decompressobj(wbits=15 if has_header else -15), body)


def _inflated(unpacker: zlib._Decompress, body: bytes) -> Iterator[bytes]:
    while body and not unpacker.eof:
        yield unpacker.decompress(body, _PIECE)
        body = unpacker.unconsumed_tail


def _unbrotli(body: bytes) -> Iterator[bytes]:
    unpacker = brotli.Decompressor()
    yield unpacker.process(body, output_buffer_limit=_PIECE)
    while not unpacker.is_finished():
        piece = unpacker.process(b"", output_buffer_limit=_PIECE)
        if not piece and unpacker.can_accept_more_data():
            return
        yield piece


def _unzstd(body: bytes) -> Iterator[bytes]:
    if not body.startswith(_ZSTD):
        yield body
        return
    # RFC 9659: windows of 8 MiB at most on the web.
    unpacker = zstandard.ZstdDecompressor(max_window_size=8 * 1024 * 1024)
    reader = unpacker.stream_reader(body, read_across_frames=True)
    while piece := reader.read(_PIECE):
        yield piece


_UNPACKERS: dict[str, Callable[[bytes], Iterator[bytes]]] = {
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _undeflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
