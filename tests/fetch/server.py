"""A site that behaves as a test wants, on a spare port of 127.0.0.1."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from winze.model import Request

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class Site:
    """A running server; routes can be set while it runs."""

    url: str = ""
    #: Path to handler, or to a list of handlers of which each answers once and the last for ever.
    routes: dict[str, Handler | list[Handler]] = field(default_factory=dict)
    #: Time and path of each request.
    log: list[tuple[float, str]] = field(default_factory=list)
    seen: list[web.Request] = field(default_factory=list)

    def paths(self) -> list[str]:
        return [path for _, path in self.log if path != "/robots.txt"]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.log.append((time.monotonic(), request.path_qs))
        self.seen.append(request)
        handler = self.routes.get(request.path)
        if handler is None:
            return web.Response(status=404, text="not found")
        if isinstance(handler, list):
            handler = handler.pop(0) if len(handler) > 1 else handler[0]
        return await handler(request)


@asynccontextmanager
async def running_site() -> AsyncIterator[Site]:
    site = Site()
    runner = web.ServerRunner(web.Server(site.answer), shutdown_timeout=0.1)
    await runner.setup()
    tcp = web.TCPSite(runner, "127.0.0.1", 0)
    await tcp.start()
    site.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield site
    finally:
        await runner.cleanup()


@asynccontextmanager
async def raw_server(*answers: bytes, reset: bool = False) -> AsyncIterator[str]:
    """A server that sends bytes as they are and hangs up; the last answer is repeated."""
    left = list(answers)

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        if reset:
            writer.transport.abort()
            return
        writer.write(left.pop(0) if len(left) > 1 else left[0])
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def page(body: str | bytes = "<h1>ok</h1>", **options: object) -> Handler:
    """Answer with a page, or with what the options of web.Response say."""
    options.setdefault("content_type", "text/html")
    data = body.encode() if isinstance(body, str) else body

    async def handler(_: web.Request) -> web.Response:
        return web.Response(body=data, **options)

    return handler


def redirect(location: str, status: int = 302, **headers: str) -> Handler:
    async def handler(_: web.Request) -> web.Response:
        return web.Response(status=status, headers={"Location": location, **headers})

    return handler


def stream(piece, pause, content_type="text/html"):
    async def handler(request):
        answer = web.StreamResponse(headers={"Content-Type": content_type})
        await answer.prepare(request)
        for _ in range(10_000):
            await answer.write(piece)
            await asyncio.sleep(pause)
        return answer

    return handler


async def get(client, url, **options):
    """Fetch one URL with a client of its own; robots and retries are off unless told."""
    options.setdefault("obey_robots", False)
    options.setdefault("retries", 0)
    async with client(**options) as fetch:
        return await fetch(Request(url))
