"""Answers that no client should have to read, each with the row that it must end in."""

from __future__ import annotations

import asyncio
import functools
import gzip
from collections.abc import Callable
from dataclasses import dataclass

import brotli
import zstandard

from tests.hard.server import Answer, Hit, Raw, item, redirect

#: Unpacked bytes of the bombs.
_BOMB = 300_000_000

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"

FETCHED = ("fetched", "OK")
NO_RECORD = ("fetched", "VALIDATE_ERROR")
REDIRECTED = ("redirected", "OK")


def failed(error: str) -> tuple[str, str]:
    return "fetch_error", error


@dataclass(frozen=True)
class Bad:
    """One kind of bad answer."""

    answer: Callable[[Hit], Answer | Raw]
    #: Status and error of its row.
    row: tuple[str, str]
    #: A record is expected of it.
    gives: bool = False


def _bytes(*pieces: bytes | None, pause: float = 0.0) -> Callable[[Hit], Raw]:
    """Send these pieces and close; None resets."""

    async def raw(_: Hit) -> Raw:
        for piece in pieces:
            yield piece
            await asyncio.sleep(pause)

    return raw


def _endless(head: bytes, piece: bytes, pause: float) -> Callable[[Hit], Raw]:
    async def raw(_: Hit) -> Raw:
        yield head
        while True:
            yield piece
            await asyncio.sleep(pause)

    return raw


def _page(body: str | bytes, **options: object) -> Callable[[Hit], Answer]:
    return lambda _: Answer(body, **options)


def _with_header(name: str, value: str) -> Callable[[Hit], Answer]:
    return _page(item(name), headers=((name, value),))


@functools.cache
def bomb(coding: str) -> bytes:
    """Return some 300 MB of one page, packed; made piece by piece, so that it costs no memory."""
    piece = b"<p>aaaaaaaaaaaaaaaaaaaaaaaaaaaa</p>" * 30_000
    pieces = [piece] * (_BOMB // len(piece))
    if coding == "gzip":
        return gzip.compress(piece, 9) * len(pieces)
    if coding == "br":
        brotli_packer = brotli.Compressor(quality=1)
        packed = [brotli_packer.process(piece) for piece in pieces]
        return b"".join([*packed, brotli_packer.finish()])
    zstd_packer = zstandard.ZstdCompressor().compressobj()
    return b"".join([*(zstd_packer.compress(piece) for piece in pieces), zstd_packer.flush()])


def _bomb(coding: str) -> Callable[[Hit], Answer]:
    # Made when it is asked for: packing 300 MB takes a second.
    return lambda _: Answer(bomb(coding), headers=(("Content-Encoding", coding),))


def _coded(coding: str, body: bytes) -> Callable[[Hit], Answer]:
    return _page(body, headers=(("Content-Encoding", coding),))


def _self_redirect(hit: Hit) -> Answer:
    return redirect(hit.target)


def _baking_redirect(hit: Hit) -> Answer:
    return redirect(hit.target, cookie=f"n={hit.number}")


def _cookie_garbage(_: Hit) -> Answer:
    garbage = ("=;;;", "\x01\xff=\xfe; Path=\xff", "a" * 8000, "x=1; Expires=never; Domain=.", "")
    return Answer(item("cookies"), headers=tuple(("Set-Cookie", value) for value in garbage))


_TOO_LARGE, _TIME_OUT = failed("TOO_LARGE"), failed("URL_TIME_OUT")
_CONNECTION, _OTHER = failed("CONNECTION"), failed("OTHER_ERROR")

_5_MB = "x" * 5_000_000
_LONG = HTML + b"Content-Length: 999\r\n\r\n<p>"
_CHUNKED = HTML + b"Transfer-Encoding: chunked\r\n\r\n"

_MEGABYTE = b"<p>" + b"x" * 999_997
_100_MB = [_MEGABYTE] * 100

#: By name, which is the last part of the path.
BAD: dict[str, Bad] = {
    # More than anybody wants.
    "gzip-bomb": Bad(_bomb("gzip"), _TOO_LARGE),
    "br-bomb": Bad(_bomb("br"), _TOO_LARGE),
    "zstd-bomb": Bad(_bomb("zstd"), _TOO_LARGE),
    "endless": Bad(_endless(HTML + b"\r\n", _MEGABYTE, 0), _TOO_LARGE),
    "100-mb": Bad(_bytes(HTML + b"Content-Length: 100000000\r\n\r\n", *_100_MB), _TOO_LARGE),
    "100-mb-undeclared": Bad(_bytes(HTML + b"\r\n", *_100_MB), _TOO_LARGE),
    "many-tags": Bad(_page("<p>a" * 400_000), _TOO_LARGE),
    "slow-drip": Bad(_endless(HTML + b"\r\n", b"x", 0.1), _TIME_OUT),
    "slow-head": Bad(_endless(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n", 0.1), _TIME_OUT),
    "endless-continue": Bad(_endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n", 0.01), _TIME_OUT),
    # Bodies that are not what was announced.
    "length-too-great": Bad(_bytes(HTML + b"Content-Length: 999\r\n\r\n<p>short"), _CONNECTION),
    "length-too-small": Bad(_bytes(HTML + b"Content-Length: 4\r\n\r\n<p>ab, and more"), _OTHER),
    "length-no-number": Bad(_bytes(HTML + b"Content-Length: nine\r\n\r\n<p>"), _OTHER),
    "length-twice": Bad(_bytes(HTML + b"Content-Length: 3\r\n" * 2 + b"\r\n<p>"), _OTHER),
    "chunks-cut": Bad(_bytes(_CHUNKED + b"ff\r\n<p>ab"), _CONNECTION),
    "chunk-size-no-number": Bad(_bytes(_CHUNKED + b"zz\r\n<p>ab\r\n0\r\n\r\n"), _OTHER),
    "chunk-size-negative": Bad(_bytes(_CHUNKED + b"-5\r\n<p>ab\r\n0\r\n\r\n"), _OTHER),
    "chunk-size-huge": Bad(_bytes(_CHUNKED + b"f" * 40 + b"\r\n<p>ab"), _OTHER),
    "no-gzip": Bad(_coded("gzip", b"\x1f\x8b<p>"), failed("BAD_ENCODING")),
    "no-br": Bad(_coded("br", b"<p>plain"), failed("BAD_ENCODING")),
    "reset-in-body": Bad(_bytes(_LONG, None, pause=0.05), _CONNECTION),
    "reset": Bad(_bytes(None), _CONNECTION),
    "empty-reply": Bad(_bytes(b""), _CONNECTION),
    # Heads that are none.
    "http-0.9": Bad(_bytes(b"<html><h1>no head at all</h1>"), _OTHER),
    "ssh": Bad(_bytes(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"), _OTHER),
    "no-status": Bad(_bytes(b"HTTP/1.1\r\nContent-Length: 3\r\n\r\n<p>"), _OTHER),
    "status-999": Bad(_page("<p>go away", status=999), failed("HTTP_5XX")),
    "status-word": Bad(_bytes(b"HTTP/1.1 OK 200\r\nContent-Length: 3\r\n\r\n<p>"), _OTHER),
    "header-64-kb": Bad(_with_header("X-Long", "x" * 65_536), FETCHED, gives=True),
    "header-1-mb": Bad(_with_header("X-Long", "x" * 1_000_000), _OTHER),
    "cookie-garbage": Bad(_cookie_garbage, FETCHED, gives=True),
    # Places that are none.
    "loop-of-two": Bad(lambda _: redirect("loop-of-2"), REDIRECTED),
    "loop-of-2": Bad(lambda _: redirect("loop-of-two"), REDIRECTED),
    "self-redirect": Bad(_self_redirect, failed("REDIRECT_LOOP")),
    "self-redirect-with-cookie": Bad(_baking_redirect, failed("REDIRECT_LOOP")),
    "location-bytes": Bad(lambda _: redirect("/gone/\xff\xfe\xb4"), REDIRECTED),
    "location-empty": Bad(lambda _: redirect(""), _OTHER),
    "location-javascript": Bad(lambda _: redirect("javascript:alert(1)"), _OTHER),
    "location-no-host": Bad(lambda _: redirect("http://"), _OTHER),
    # Pages that come, and are odd.
    "image-type": Bad(_page(item("image"), content_type="image/png"), FETCHED),
    "no-type": Bad(_page(item("no type"), content_type=""), FETCHED, gives=True),
    "png-as-html": Bad(_page(b"\x89PNG\r\n" + bytes(range(256)) * 400), NO_RECORD),
    "nested": Bad(_page(f"{'<div>' * 5000}{item('nested')}"), FETCHED, gives=True),
    "two-ends": Bad(_page(f"<html><p>a</p></html>{item('two ends')}</html>"), FETCHED, gives=True),
    "nul-bytes": Bad(_page(b"\0<!doctype html>\0" + item("n\0ul").encode()), FETCHED, gives=True),
    "huge-attribute": Bad(_page(item("huge", f"<p title='{_5_MB}'>")), FETCHED, gives=True),
    "huge-comment": Bad(_page(f"<!--{_5_MB}-->{item('comment')}"), FETCHED, gives=True),
    "never-closed": Bad(_page(item("open", "<a href='" + "/x" * 1_000_000)), FETCHED, gives=True),
    "huge-title": Bad(_page(item("y" * 1_000_000)), FETCHED, gives=True),
}  # fmt: skip
