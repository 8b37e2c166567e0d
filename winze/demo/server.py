"""Serves a site on loopback, in a running loop, in a thread or as a process of its own."""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import itertools
import sys
import threading
import time
import zlib
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import TracebackType
from typing import NamedTuple, Self

from aiohttp import web

from winze.demo.shop import Shop
from winze.demo.site import Answer, ShopSite, Site
from winze.demo.slow import slow_site

_HOST = "127.0.0.1"


class Hit(NamedTuple):
    """One request, as it came in."""

    #: Path with query.
    target: str
    #: Seconds since the epoch.
    time: float
    #: What it was answered with.
    status: int


@dataclass(frozen=True, slots=True)
class Temper:
    """How a server makes life hard; by default it does not."""

    #: Seconds before each answer, on top of what the site asks for.
    delay: float = 0.0
    #: Share of paths that are slow, and how slow, in seconds.
    slow_share: float = 0.0
    slow_delay: float = 2.0
    #: Share of paths whose first request is answered with 503.
    faults: float = 0.0


@dataclass
class Served:
    """A site that is being served."""

    site: Site
    temper: Temper = field(default_factory=Temper)
    #: Scheme, host and port; empty until the server listens.
    url: str = ""
    #: All requests, in the order of their answers.
    log: list[Hit] = field(default_factory=list)
    _sessions: itertools.count[int] = field(default_factory=itertools.count, repr=False)
    _failed: set[str] = field(default_factory=set, repr=False)

    def hits(self, prefix: str = "/") -> list[Hit]:
        """Return the requests whose path begins with a prefix."""
        return [hit for hit in self.log if hit.target.startswith(prefix)]

    async def respond(self, request: web.BaseRequest) -> web.Response:
        """Answer one request."""
        target = request.raw_path
        answer = self._fault(target) or self._answer(target)
        delay = self.temper.delay + answer.delay
        if _share(target, "slow") < self.temper.slow_share:
            delay += self.temper.slow_delay
        if delay:
            await asyncio.sleep(delay)
        self.log.append(Hit(target, time.time(), answer.status))
        headers = {"Content-Type": answer.content_type}
        if answer.location:
            headers["Location"] = answer.location
        return web.Response(body=answer.body, status=answer.status, headers=headers)

    def _answer(self, target: str) -> Answer:
        number = str(next(self._sessions)).encode()
        session = hashlib.blake2b(number, digest_size=16).hexdigest()
        return self.site.answer(target, base=self.url, session=session)

    def _fault(self, target: str) -> Answer | None:
        if target in self._failed or _share(target, "fault") >= self.temper.faults:
            return None
        self._failed.add(target)
        return Answer(b"<h1>503</h1>", status=503)


@asynccontextmanager
async def serve(
    source: Shop | Site, *, port: int = 0, temper: Temper | None = None
) -> AsyncIterator[Served]:
    """Serve a shop or another site on 127.0.0.1 within the running loop; port 0 takes a free one.

    Raises OSError when the port is taken.
    """
    site = ShopSite(source) if isinstance(source, Shop) else source
    served = Served(site, temper or Temper())
    runner = web.ServerRunner(web.Server(served.respond, access_log=None), shutdown_timeout=0.2)
    await runner.setup()
    try:
        await web.TCPSite(runner, _HOST, port).start()
        served.url = f"http://{_HOST}:{runner.addresses[0][1]}"
        yield served
    finally:
        await runner.cleanup()


class ShopServer:
    """The same server in a thread of its own.

    >>> from urllib.request import urlopen
    >>> with ShopServer(slow_site(3, delay=0)) as server:
    ...     urlopen(server.url + "/item/2").status, [hit.target for hit in server.log]
    (200, ['/item/2'])
    """

    def __init__(self, source: Shop | Site, *, port: int = 0, temper: Temper | None = None) -> None:
        self._source = source
        self._port = port
        self._temper = temper
        self._started: Future[tuple[Served, asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.result()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _, loop, leave = self._started.result()
        loop.call_soon_threadsafe(leave.set)
        self._thread.join()

    @property
    def served(self) -> Served:
        """The site being served; waits until it is."""
        return self._started.result()[0]

    @property
    def url(self) -> str:
        """Scheme, host and port."""
        return self.served.url

    @property
    def log(self) -> list[Hit]:
        """All requests so far."""
        return self.served.log

    def hits(self, prefix: str = "/") -> list[Hit]:
        """Return the requests whose path begins with a prefix."""
        return self.served.hits(prefix)

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        leave = asyncio.Event()
        try:
            async with serve(self._source, port=self._port, temper=self._temper) as served:
                self._started.set_result((served, asyncio.get_running_loop(), leave))
                await leave.wait()
        except OSError as error:
            self._started.set_exception(error)


def _share(target: str, salt: str) -> float:
    """Return a number from 0 to 1 that belongs to a path."""
    return zlib.crc32(f"{salt} {target}".encode()) / 2**32


async def _forever(source: Shop | Site, port: int, temper: Temper) -> None:
    async with serve(source, port=port, temper=temper) as served:
        sys.stdout.write(f"{served.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until interrupted; the first line printed is the URL."""
    parser = argparse.ArgumentParser(prog="python -m winze.demo.server", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    parser.add_argument("--products", type=int, default=1500)
    parser.add_argument("--slow-pages", type=int, help="a plain site of so many pages instead")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds before each answer")
    options = parser.parse_args(arguments)
    source: Shop | Site = Shop(options.seed, options.products)
    if options.slow_pages:
        source = slow_site(options.slow_pages, delay=0.0)
    try:
        asyncio.run(_forever(source, options.port, Temper(delay=options.delay)))
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
