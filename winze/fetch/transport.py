"""One HTTP exchange over aiohttp: a URL in, a Response out, every failure an error code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Self
from urllib.parse import quote_from_bytes

import aiohttp
from aiohttp.connector import Connection
from aiohttp.http_exceptions import HttpProcessingError
from multidict import CIMultiDict
from yarl import URL

from winze.fetch.body import BodyTooLargeError, BrokenBodyError, is_vague, may_be_page, unpack
from winze.fetch.stream import Stream
from winze.model import ErrorCode, Response
from winze.urls.canonical import origin_of

#: Longest header line and longest header that is read (bytes); real ones reach 64 KB.
_HEADER_BYTES = 128 * 1024

#: Bytes of an unwanted body that are read to keep the connection; with more it is closed.
_DRAINED = 64 * 1024

#: Bytes of a stream that are given at a time.
_PIECE = 64 * 1024

#: Whatever an exchange raises; the code of each is _code_of.
_FAULTS = (aiohttp.ClientError, HttpProcessingError, OSError, ValueError)


#: Seconds for which an address from DNS is believed.
_DNS_SECONDS = 300

#: What asks for a page only if it changed (RFC 9110, 13.1), in the order of Want.validators.
_CONDITIONS = ("If-None-Match", "If-Modified-Since")

_CODES = {404: ErrorCode.URL_404, 410: ErrorCode.URL_404, 429: ErrorCode.RATE_LIMITED}


@dataclass(frozen=True, slots=True)
class Want:
    """What one exchange may cost and bring."""

    #: Unpacked, and as sent.
    max_bytes: int
    #: Seconds for the whole exchange, the body included.
    timeout: float
    #: Read the body whatever its type (robots.txt, sitemaps), not only pages.
    any_type: bool = False
    #: Cut a long body instead of refusing it.
    cut: bool = False
    #: ETag and Last-Modified of the copy that is at hand.
    validators: tuple[str, str] = ("", "")


class Transport:
    """Connections, cookies, proxy; an async context manager."""

    def __init__(
        self,
        *,
        user_agent: str,
        headers: Mapping[str, str],
        cookies: Mapping[str, str],
        trusted_hosts: Collection[str] | None,
        proxy: str | None,
        connect_to: Mapping[str, str],
        verify_tls: bool,
        sent: Callable[[str], None],
        wall: Callable[[], float],
    ) -> None:
        """Take what every exchange shares; `sent` is told the host of each request that leaves."""
        self._wall = wall
        self._base_headers = CIMultiDict(
            {
                "User-Agent": user_agent,
                "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
                "Accept-Encoding": "gzip, deflate, br, zstd",
            }
        )
        self._headers = dict(headers)
        self._cookies = dict(cookies)
        self._trusted_hosts = None if trusted_hosts is None else frozenset(trusted_hosts)
        self._proxy = proxy
        self._connect_to = {origin_of(site): origin_of(to) for site, to in connect_to.items()}
        self._verify_tls = verify_tls
        self._sent = sent
        self._session: aiohttp.ClientSession | None = None
        self._jar: aiohttp.CookieJar | None = None

    async def __aenter__(self) -> Self:
        # Cookies belong to the site's name, not to the address that connect_to puts in its place.
        self._jar = aiohttp.CookieJar(unsafe=True)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=0, ssl=self._verify_tls, ttl_dns_cache=_DNS_SECONDS
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=self._base_headers,
            auto_decompress=False,
            max_line_size=_HEADER_BYTES,
            max_field_size=_HEADER_BYTES,
            request_class=_request_class(self._sent),
            middlewares=(_once,),
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()
        self._session = None

    async def get(self, url: str, host: str, want: Want) -> Response:
        """Return the answer for a URL of this host; redirects are not followed."""
        try:
            return await self._exchange(url, host, want)
        except _FAULTS as fault:
            return Response(url, error=_code_of(fault), fetched_at=self._wall())

    @asynccontextmanager
    async def stream(self, url: str, host: str, want: Want) -> AsyncIterator[Stream]:
        """Open the answer for a URL of this host; its body comes as it is read, in no coding.

        `max_bytes` cuts it and `timeout` is for all of it.
        """
        async with AsyncExitStack() as opened:
            try:
                asked = self._ask(url, host, want, {"Accept-Encoding": "identity"})
                answer = await opened.enter_async_context(asked)
            except _FAULTS as fault:
                yield Stream(Response(url, error=_code_of(fault), fetched_at=self._wall()))
                return
            self._keep_cookies(url, answer)
            head = (answer.status, _headers_of(answer), b"", error_of(answer.status))
            stream = Stream(Response(url, *head, self._wall()))
            stream.chunks = _chunks(answer, want.max_bytes, stream)
            yield stream

    async def _exchange(self, url: str, host: str, want: Want) -> Response:
        async with self._ask(url, host, want) as answer:
            self._keep_cookies(url, answer)
            error = error_of(answer.status)
            try:
                body = await _body(answer, want)
            except (BodyTooLargeError, BrokenBodyError, aiohttp.ClientError, TimeoutError) as fault:
                body, error = b"", error if error is not ErrorCode.OK else _error_in_body(fault)
            return Response(url, answer.status, _headers_of(answer), body, error, self._wall())

    def _ask(
        self, url: str, host: str, want: Want, headers: Mapping[str, str] | None = None
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse]:
        if self._session is None:
            raise RuntimeError("use the client as `async with Client(...) as client`")
        own = self._headers_for(url, host, want)
        return self._session.get(
            URL(self._mapped(url), encoded=True),
            headers=own if headers is None else {**(own or {}), **headers},
            allow_redirects=False,
            proxy=self._proxy,
            timeout=_timeout(want.timeout),
        )

    def _mapped(self, url: str) -> str:
        if not self._connect_to:
            return url
        origin = origin_of(url)
        to = self._connect_to.get(origin)
        if to is None:
            return url
        rest = url.partition("://")[2]
        _, slash, path = rest.partition("/")
        return f"{to}{slash}{path}"

    def _headers_for(self, url: str, host: str, want: Want) -> CIMultiDict[str] | None:
        """Return the headers of one request besides those of all, None without any."""
        headers: CIMultiDict[str] = CIMultiDict()
        cookies: dict[str, str] = {}
        if self._trusted_hosts is None or host in self._trusted_hosts:
            headers.update(self._headers)
            cookies.update(self._cookies)
        if self._jar is not None and len(self._jar):
            kept = self._jar.filter_cookies(URL(url, encoded=True))
            cookies.update((name, morsel.coded_value) for name, morsel in kept.items())
        if cookies:
            given = headers.get("Cookie")
            pairs = [f"{name}={value}" for name, value in cookies.items()]
            headers["Cookie"] = "; ".join([given, *pairs] if given else pairs)
        if self._connect_to:
            headers["Host"] = host
        for name, value in zip(_CONDITIONS, want.validators, strict=True):
            if value:
                headers[name] = value
        return headers or None

    def _keep_cookies(self, url: str, answer: aiohttp.ClientResponse) -> None:
        if self._jar is not None and "Set-Cookie" in answer.headers:
            self._jar.update_cookies(answer.cookies, URL(url, encoded=True))


def _request_class(sent: Callable[[str], None]) -> type[aiohttp.ClientRequest]:
    """Return a request that tells its host when it has left: a connection may take long to open.

    Told in the loop's next round, since what is written in this one may lie in a buffer till then.
    """

    class TimedRequest(aiohttp.ClientRequest):
        async def send(self, conn: Connection) -> aiohttp.ClientResponse:
            response = await super().send(conn)
            asyncio.get_running_loop().call_soon(sent, self.headers["Host"])
            return response

    return TimedRequest


@lru_cache(maxsize=16)
def _timeout(seconds: float) -> aiohttp.ClientTimeout:
    return aiohttp.ClientTimeout(total=seconds)


async def _once(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Keep aiohttp from asking again at once after a reset: whoever retries must wait first."""
    try:
        return await handler(request)
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as fault:
        raise aiohttp.ClientConnectionError(str(fault)) from fault


def error_of(http_status: int) -> ErrorCode:
    """Return the error code of an HTTP status.

    >>> error_of(200).name, error_of(410).name, error_of(403).name, error_of(503).name
    ('OK', 'URL_404', 'HTTP_4XX', 'HTTP_5XX')
    """
    if http_status < 400:
        return ErrorCode.OK
    return _CODES.get(http_status, ErrorCode.HTTP_4XX if http_status < 500 else ErrorCode.HTTP_5XX)


async def _body(answer: aiohttp.ClientResponse, want: Want) -> bytes:
    """Read the body as far as it is wanted, and undo its Content-Encoding."""
    content_type = answer.headers.get("Content-Type", "")
    start = b""
    if not want.any_type and not may_be_page(content_type, b""):
        start = await answer.content.readany() if is_vague(content_type) else b""
        coding = answer.headers.get("Content-Encoding", "")
        if not start or not may_be_page(content_type, _peek(start, coding)):
            await _drain(answer)
            return b""
    if not want.cut and (answer.content_length or 0) > want.max_bytes:
        answer.close()
        raise BodyTooLargeError
    packed = await _read(answer, start, want)
    coding = answer.headers.get("Content-Encoding", "")
    if not coding and len(packed) <= want.max_bytes:
        return packed
    return unpack(packed, coding, max_bytes=want.max_bytes, cut=want.cut)


def _peek(start: bytes, coding: str) -> bytes:
    """Return the first unpacked bytes, for a look at them."""
    try:
        return unpack(start, coding, max_bytes=_DRAINED, cut=True)
    except BrokenBodyError:
        return b""


async def _read(answer: aiohttp.ClientResponse, start: bytes, want: Want) -> bytes:
    pieces, size = [start] if start else [], len(start)
    while piece := await answer.content.readany():
        pieces.append(piece)
        size += len(piece)
        if size > want.max_bytes:
            answer.close()
            if not want.cut:
                raise BodyTooLargeError
            break
    # One piece need not be copied, and most pages are one.
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


async def _drain(answer: aiohttp.ClientResponse) -> None:
    """Read a small unwanted body, so that the connection can be used again."""
    length = answer.content_length
    if length is not None and length <= _DRAINED:
        await answer.read()
    else:
        answer.close()


async def _chunks(
    answer: aiohttp.ClientResponse, max_bytes: int, stream: Stream
) -> AsyncIterator[bytes]:
    """Yield the body as it comes, and note in the stream what ended it too early."""
    left = max_bytes
    try:
        async for piece in answer.content.iter_chunked(_PIECE):
            yield piece[:left]
            left -= len(piece)
            if left < 0:
                stream.error = ErrorCode.TOO_LARGE
                return
    except (aiohttp.ClientError, TimeoutError) as fault:
        stream.error = _error_in_body(fault)


def _code_of(fault: Exception) -> ErrorCode:
    """Return the error code of an exchange that brought no answer."""
    if isinstance(fault, TimeoutError):
        return ErrorCode.URL_TIME_OUT
    if isinstance(fault, aiohttp.ClientConnectorDNSError):
        return ErrorCode.DNS
    if isinstance(fault, aiohttp.ClientSSLError | aiohttp.ServerFingerprintMismatch):
        return ErrorCode.TLS
    is_protocol = isinstance(fault, aiohttp.ClientResponseError | HttpProcessingError)
    if is_protocol or isinstance(fault, ValueError):
        # A broken answer, or a URL that ada takes and yarl does not.
        return ErrorCode.OTHER_ERROR
    return ErrorCode.CONNECTION


def _error_in_body(fault: Exception) -> ErrorCode:
    if isinstance(fault, BodyTooLargeError):
        return ErrorCode.TOO_LARGE
    if isinstance(fault, BrokenBodyError):
        return ErrorCode.BAD_ENCODING
    return ErrorCode.URL_TIME_OUT if isinstance(fault, TimeoutError) else ErrorCode.CONNECTION


def _headers_of(answer: aiohttp.ClientResponse) -> tuple[tuple[str, str], ...]:
    return tuple(
        (lower, value if value.isascii() else _readable(lower, value))
        for name, value in answer.headers.items()
        for lower in (_lower(name),)
    )


#: The names of headers are few; each is made lower once, and kept once.
_lower = lru_cache(maxsize=512)(str.lower)


def _readable(name: str, value: str) -> str:
    """Return a value beyond ASCII without the marks that stand for bytes beyond ASCII.

    A Location is percent-encoded, byte for byte: its charset is known to the server alone.
    """
    raw = value.encode("utf-8", "surrogateescape")
    if name == "location":
        return quote_from_bytes(raw, safe="".join(map(chr, range(0x21, 0x7F))))
    return raw.decode("utf-8", "replace")
