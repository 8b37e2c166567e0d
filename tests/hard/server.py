"""A server that behaves as badly as real ones do, byte for byte, on a spare port of 127.0.0.1.

It runs in a thread of its own and knows sockets only: whatever an answer's bytes are, they are
sent. Its log says what was asked and when, which is the truth that politeness is judged by.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import NamedTuple, Self


class Hit(NamedTuple):
    """One request, as it came in."""

    #: Path with query.
    target: str
    #: Monotonic seconds, when the head of the request had arrived.
    time: float
    #: Names in lower case.
    headers: dict[str, str]
    #: How often the target was asked for, this time included.
    number: int


@dataclass(frozen=True)
class Answer:
    """A well-formed answer, unless its headers say otherwise."""

    body: bytes | str = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    #: Sent as they are, after Content-Type and Content-Length.
    headers: tuple[tuple[str, str], ...] = ()
    #: Seconds before it is sent.
    delay: float = 0.0

    def head_and_body(self) -> bytes:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        lines = [f"HTTP/1.1 {self.status} X", f"Content-Length: {len(body)}"]
        if self.content_type:
            lines.append(f"Content-Type: {self.content_type}")
        lines += [f"{name}: {value}" for name, value in self.headers]
        return "\r\n".join([*lines, "\r\n"]).encode("latin-1") + body


#: Bytes that are sent as they come, until None resets the connection or they end and it is closed.
Raw = AsyncIterator[bytes | None]

Behaviour = Callable[[Hit], Answer | Raw]


@dataclass
class HostileServer:
    """Serves one behaviour; a context manager. `tls` makes it speak HTTPS."""

    behave: Behaviour
    #: What robots.txt answers; None lets the behaviour say it.
    robots: Answer | None = field(default_factory=lambda: NOT_FOUND)
    tls: ssl.SSLContext | None = None
    url: str = ""
    log: list[Hit] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = field(
        default_factory=Future
    )
    _thread: threading.Thread | None = None
    _talks: set[asyncio.Task[None]] = field(default_factory=set)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        self._started.result(timeout=10)
        return self

    def __exit__(self, *_: object) -> None:
        loop, leave = self._started.result()
        loop.call_soon_threadsafe(leave.set)
        self._thread.join()

    @property
    def host(self) -> str:
        """Host and port."""
        return self.url.partition("://")[2]

    def asked(self, prefix: str = "/") -> list[str]:
        """Return the targets that were asked for, in order, robots.txt left out."""
        return [
            hit.target
            for hit in self.log
            if hit.target.startswith(prefix) and hit.target != "/robots.txt"
        ]

    def times(self, prefix: str = "/") -> list[float]:
        return [hit.time for hit in self.log if hit.target.startswith(prefix)]

    async def _serve(self) -> None:
        leave = asyncio.Event()
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=500, ssl=self.tls)
        scheme = "https" if self.tls else "http"
        self.url = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        self._started.set_result((asyncio.get_running_loop(), leave))
        async with server:
            await leave.wait()
            for talk in self._talks:
                talk.cancel()
            await asyncio.gather(*self._talks, return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        self._talks.add(task)
        try:
            while await self._exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._talks.discard(task)
            writer.transport.abort()

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; return whether the connection is good for another."""
        head = await reader.readuntil(b"\r\n\r\n")
        hit = self._noted(head)
        is_robots = hit.target == "/robots.txt" and self.robots is not None
        answer = self.robots if is_robots else self.behave(hit)
        if isinstance(answer, Answer):
            if answer.delay:
                await asyncio.sleep(answer.delay)
            writer.write(answer.head_and_body())
            await writer.drain()
            return True
        async for piece in answer:
            if piece is None:
                return False
            writer.write(piece)
            await writer.drain()
        writer.close()
        await writer.wait_closed()
        return False

    def _noted(self, head: bytes) -> Hit:
        first, *lines = head.decode("latin-1").split("\r\n")
        target = first.split(" ")[1]
        pairs = (line.partition(":") for line in lines if line)
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        self._counts[target] += 1
        hit = Hit(target, time.monotonic(), headers, self._counts[target])
        self.log.append(hit)
        return hit


#: What a path without a page answers.
NOT_FOUND = Answer("<h1>404</h1>", 404)


def redirect(location: str, *, status: int = 302, cookie: str = "") -> Answer:
    """Return an answer that points elsewhere, and may set a cookie."""
    cookies = (("Set-Cookie", cookie),) if cookie else ()
    return Answer(b"", status, headers=(("Location", location), *cookies))


def links(*targets: str, title: str = "List") -> str:
    """Return a page that links to these."""
    rows = "".join(f'<li><a href="{target}">{target}</a></li>' for target in targets)
    return f"<!DOCTYPE html><title>{title}</title><ul class=list>{rows}</ul>"


def item(title: str, more: str = "") -> str:
    """Return a page with something to extract."""
    text = "Something that somebody made and somebody else may want. " * 3
    return (
        f"<!DOCTYPE html><title>{title}</title><main class=item><h1>{title}</h1>"
        f"<p class=text>{text}</p>{more}</main>"
    )


def of_pages(pages: dict[str, Answer | str]) -> Behaviour:
    """Return a behaviour that answers with these pages, by target; all others are 404."""

    def behave(hit: Hit) -> Answer:
        page = pages.get(hit.target, NOT_FOUND)
        return page if isinstance(page, Answer) else Answer(page)

    return behave
