"""The browser's only way out: a proxy on loopback that lets no page reach private addresses.

Requests could be looked at inside the browser instead, but then its cache is off, and redirects,
workers and names that change their address between two look-ups slip through.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Self

from winze.fetch.proxy_head import PORTS, Head, Place, answer, asked, forwarded, place_of, read_head
from winze.model import ErrorCode
from winze.urls.canonical import origin_of

#: Seconds for a connection to be made.
CONNECT_SECONDS = 10.0

#: Bytes that one connection may bring: scripts of a page are a few MB, streams have no end.
MAX_BYTES = 50_000_000

#: Longest head of a request (bytes).
_HEAD_BYTES = 128 * 1024

#: Bytes moved at a time.
_CHUNK = 64 * 1024

#: Hosts of which the last fault is remembered.
_FAULTS = 256


class _RefusedError(Exception):
    """A place that must not or cannot be reached."""

    def __init__(self, error: ErrorCode) -> None:
        self.error = error


Resolve = Callable[[Place], Awaitable[list[str]]]


async def resolve(place: Place) -> list[str]:
    """Return the addresses of a host. Raises OSError if it has none."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def is_public(address: str) -> bool:
    """Is an address one of the open internet?

    >>> [is_public(one) for one in ("93.184.216.34", "10.0.0.1", "::1", "::ffff:169.254.169.254")]
    [True, False, False, False]
    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    return parsed.is_global and not parsed.is_multicast


class Egress:
    """A forwarding proxy for one browser; an async context manager.

    `is_own` tells the places that may be private: those of the pages that are drawn now. `proxy` is
    the next one behind it, `connect_to` maps an origin to the one that is asked in its place.
    """

    def __init__(
        self,
        *,
        is_own: Callable[[Place], bool],
        proxy: str | None = None,
        connect_to: Mapping[str, str] | None = None,
        resolve: Resolve = resolve,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._is_own = is_own
        self._proxy = proxy
        self._connect_to = {
            origin_of(site): origin_of(to) for site, to in (connect_to or {}).items()
        }
        self._resolve = resolve
        self._max_bytes = max_bytes
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()
        self._faults: OrderedDict[Place, ErrorCode] = OrderedDict()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=_HEAD_BYTES)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)
        self._server = None

    @property
    def address(self) -> str:
        """Where the browser finds this proxy."""
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def fault(self, place: Place) -> ErrorCode:
        """Return why a place could not be reached when it was last asked; OK if it could."""
        return self._faults.get(place, ErrorCode.OK)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        assert talk is not None
        self._talks.add(talk)
        try:
            with suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await self._talk(reader, writer)
        except asyncio.CancelledError:
            # Only our own end cancels; asyncio's server would log it.
            pass
        finally:
            self._talks.discard(talk)
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = read_head(await reader.readuntil(b"\r\n\r\n"))
        place = None if head is None else asked(head)
        if head is None or place is None:
            writer.write(answer(400, "Bad Request"))
            return
        try:
            there = await self._reach(head, place)
        except _RefusedError as refusal:
            self._remember(place, refusal.error)
            forbidden = refusal.error is ErrorCode.OUT_OF_SCOPE
            writer.write(answer(*((403, "Forbidden") if forbidden else (502, "Bad Gateway"))))
            await writer.drain()
            return
        self._faults.pop(place, None)
        try:
            await self._exchange(head, (reader, writer), there)
        finally:
            there[1].close()

    async def _exchange(
        self,
        head: Head,
        here: tuple[asyncio.StreamReader, asyncio.StreamWriter],
        there: tuple[asyncio.StreamReader, asyncio.StreamWriter],
    ) -> None:
        """Move bytes both ways until one end has no more, or the far one too much."""
        reader, writer = here
        if head.method == "CONNECT" and self._proxy is None:
            writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        else:
            there[1].write(forwarded(head, self._proxy))
        ways = [
            asyncio.create_task(_pump(reader, there[1], None)),
            asyncio.create_task(_pump(there[0], writer, self._max_bytes)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)

    async def _reach(
        self, head: Head, place: Place
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Connect to where a request goes. Raises _RefusedError."""
        scheme = "https" if head.method == "CONNECT" else "http"
        to, scheme = self._mapped(scheme, place)
        if self._proxy is not None:
            await self._check_behind_proxy(place)
            return await _connect(place_of(self._proxy), tls=self._proxy.startswith("https:"))
        tls = scheme == "https" and head.method != "CONNECT"
        addresses = await self._allowed(place, to)
        for address in addresses[:-1]:
            with suppress(_RefusedError):
                return await _connect(Place(address, to.port), tls=tls, name=to.host)
        return await _connect(Place(addresses[-1], to.port), tls=tls, name=to.host)

    def _mapped(self, scheme: str, place: Place) -> tuple[Place, str]:
        default = "" if place.port == PORTS[scheme] else f":{place.port}"
        host = f"[{place.host}]" if ":" in place.host else place.host
        to = self._connect_to.get(f"{scheme}://{host}{default}")
        return (place, scheme) if to is None else (place_of(to), to.partition(":")[0])

    async def _allowed(self, place: Place, to: Place) -> list[str]:
        """Return the addresses of a place that may be asked."""
        try:
            addresses = await self._resolve(to)
        except (OSError, UnicodeError) as error:
            raise _RefusedError(ErrorCode.DNS) from error
        # Where connect_to leads is the plan's own wish.
        if to == place and not self._is_own(place):
            addresses = [address for address in addresses if is_public(address)]
        if not addresses:
            raise _RefusedError(ErrorCode.OUT_OF_SCOPE)
        return addresses

    async def _check_behind_proxy(self, place: Place) -> None:
        """Refuse what is known here to be private; names are the next proxy's business."""
        if self._is_own(place):
            return
        try:
            addresses = await self._resolve(place)
        except (OSError, UnicodeError):
            return
        if not all(map(is_public, addresses)):
            raise _RefusedError(ErrorCode.OUT_OF_SCOPE)

    def _remember(self, place: Place, error: ErrorCode) -> None:
        self._faults[place] = error
        self._faults.move_to_end(place)
        while len(self._faults) > _FAULTS:
            self._faults.popitem(last=False)


async def _connect(
    place: Place, *, tls: bool, name: str | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await asyncio.open_connection(
                place.host,
                place.port,
                ssl=tls or None,
                server_hostname=(name or place.host) if tls else None,
            )
    except TimeoutError as error:
        raise _RefusedError(ErrorCode.URL_TIME_OUT) from error
    except OSError as error:
        raise _RefusedError(ErrorCode.CONNECTION) from error


async def _pump(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None
) -> None:
    moved = 0
    while chunk := await reader.read(_CHUNK):
        moved += len(chunk)
        if most is not None and moved > most:
            break
        writer.write(chunk)
        await writer.drain()
