"""Pages as a browser shows them: a Fetcher that lets Chromium run a page's scripts."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from winze.fetch.body import may_be_page
from winze.fetch.chromium import UNWANTED, Chromium, Identity, close_page
from winze.fetch.drawn_page import (
    Seen,
    document_text,
    settle,
    unless_it_crashes,
    watch,
)
from winze.fetch.egress import Egress
from winze.fetch.proxy_head import Place, place_of
from winze.fetch.transport import error_of
from winze.fetch.turn import Turns
from winze.model import ErrorCode, Request, Response

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page
    from playwright.async_api import Response as Answer

#: Pages that are drawn at a time; each takes some 100 MB.
PAGES = 4

#: Seconds for one page in all, from its request to its text.
TIMEOUT = 30.0

#: Seconds that a page may go on loading; what it has by then counts. Playwright calls a page idle
#: after half a second without requests.
SETTLE_SECONDS = 8.0

#: Characters of a drawn page.
MAX_CHARACTERS = 10_000_000

#: Pages after which the browser is started anew, so that it does not grow for ever.
RESTART_AFTER = 300

#: The header that tells a drawn page, in the archive too.
DRAWN_BY = "x-drawn-by"

_TYPE = ("content-type", "text/html; charset=utf-8")

#: Headers that describe the page as it was sent; that it has not changed says nothing of what its
#: scripts bring.
_WIRE = frozenset(
    {
        *("content-type", "content-encoding", "content-length", "transfer-encoding"),
        *("etag", "last-modified"),
    }
)

_NET_ERRORS = (
    ("ERR_NAME_", ErrorCode.DNS),
    ("ERR_CERT_", ErrorCode.TLS),
    ("ERR_SSL_", ErrorCode.TLS),
    ("ERR_TIMED_OUT", ErrorCode.URL_TIME_OUT),
    ("ERR_TOO_MANY_REDIRECTS", ErrorCode.REDIRECT_LOOP),
    ("ERR_ABORTED", ErrorCode.OTHER_ERROR),
    ("ERR_INVALID_", ErrorCode.OTHER_ERROR),
    ("ERR_", ErrorCode.CONNECTION),
)


@dataclass(slots=True)
class _Run:
    """One life of the browser."""

    chromium: Chromium
    #: Pages that are open, and that were opened so far.
    active: int = 0
    served: int = 0


class Renderer:
    """A Fetcher over Chromium; `async with Renderer(...) as render`, then `await render(request)`.

    The browser starts with the first page. `turns` waits for a host's turn and says what robots.txt
    forbids. Nothing a site does raises; OSError says that Chromium does not start.
    """

    def __init__(
        self,
        *,
        identity: Identity,
        turns: Turns,
        proxy: str | None = None,
        connect_to: Mapping[str, str] | None = None,
        timeout: float = TIMEOUT,
        settle: float = SETTLE_SECONDS,
        max_characters: int = MAX_CHARACTERS,
        pages: int = PAGES,
        restart_after: int = RESTART_AFTER,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._identity = identity
        self._turns = turns
        self._timeout = timeout
        self._settle = min(settle, timeout / 2)
        self._max_characters = max_characters
        self._restart_after = restart_after
        self._wall = wall
        self._places = asyncio.Semaphore(pages)
        self._own: Counter[Place] = Counter()
        self._egress = Egress(
            is_own=lambda place: place in self._own, proxy=proxy, connect_to=connect_to
        )
        self._run: _Run | None = None
        self._starting = asyncio.Lock()

    async def __aenter__(self) -> Self:
        await self._egress.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        run, self._run = self._run, None
        try:
            if run is not None:
                await run.chromium.close()
        finally:
            await self._egress.__aexit__(*exception)

    async def __call__(self, request: Request) -> Response:
        """Draw a page; its body is what the scripts made of it. Redirects come back as they are."""
        url = request.url
        try:
            place = place_of(url)
        except (KeyError, ValueError):
            return self._failed(url, ErrorCode.OTHER_ERROR)
        async with self._places:
            self._own[place] += 1
            try:
                return await self._drawn(url, place)
            finally:
                self._own[place] -= 1
                self._own += Counter()

    async def _drawn(self, url: str, place: Place) -> Response:
        """Draw a page in a browser that runs, or a new one."""
        from playwright.async_api import Error  # noqa: PLC0415 - see Chromium.start

        run = await self._enter()
        page, seen = None, Seen()
        try:
            async with asyncio.timeout(self._timeout):
                page = await run.chromium.open_page(url)
                session = await page.context.new_cdp_session(page)
                await watch(page, session, seen, UNWANTED)
            # The turn comes last: what is slow before it would bring two requests close together.
            async with self._turns(url) as turn:
                if turn.refusal is not ErrorCode.OK:
                    return self._failed(url, turn.refusal)
                seen.sent = turn.sent
                turn.answer = await self._within_time(page, session, place, url, seen)
            return turn.answer
        except (TimeoutError, Error):
            return self._failed(url, ErrorCode.OTHER_ERROR)
        finally:
            await self._leave(run, page)

    async def _within_time(
        self, page: Page, session: CDPSession, place: Place, url: str, seen: Seen
    ) -> Response:
        """Return what came of a page, whatever it does."""
        from playwright.async_api import Error  # noqa: PLC0415 - see Chromium.start

        try:
            async with asyncio.timeout(self._timeout):
                response = await unless_it_crashes(page, self._story(page, session, url, seen))
        except TimeoutError:
            return self._failed(url, ErrorCode.URL_TIME_OUT)
        except Error as error:
            return await self._broken(url, place, seen, str(error))
        return response or self._failed(url, ErrorCode.OTHER_ERROR)

    async def _story(self, page: Page, session: CDPSession, url: str, seen: Seen) -> Response:
        """Let a page load and say what came of it."""
        seen.sent()
        answer = await page.goto(url, wait_until="commit", timeout=0)
        if answer is None or seen.first is None:
            return self._failed(url, ErrorCode.OTHER_ERROR)
        if answer.url != seen.first.url:
            return await self._bare(url, seen.first)
        bare = await self._bare(url, answer)
        if not answer.ok or not may_be_page(bare.header("content-type") or "text/html", b""):
            return bare
        await settle(page, self._settle)
        if seen.documents[-1:] != seen.documents[:1]:
            return self._led_away(url, seen.documents[-1])
        text = await document_text(session, self._max_characters)
        if text is None:
            return replace(bare, error=ErrorCode.TOO_LARGE)
        kept = [pair for pair in bare.headers if pair[0] not in _WIRE]
        browser = page.context.browser
        drawn_by = (DRAWN_BY, f"Chromium/{browser.version if browser is not None else '?'}")
        return replace(bare, headers=(*kept, _TYPE, drawn_by), body=text.encode("utf-8", "replace"))

    async def _bare(self, url: str, answer: Answer) -> Response:
        """Return an answer without its body."""
        headers = tuple(
            (header["name"].lower(), header["value"]) for header in await answer.headers_array()
        )
        return Response(url, answer.status, headers, b"", error_of(answer.status), self._wall())

    def _led_away(self, url: str, location: str) -> Response:
        """Return what a script's going elsewhere is: a redirect for now."""
        return Response(url, 302, (("location", location),), b"", fetched_at=self._wall())

    async def _broken(self, url: str, place: Place, seen: Seen, message: str) -> Response:
        """Return the response for a page that the browser could not load."""
        fault, first = self._egress.fault(place), seen.first
        if fault is not ErrorCode.OK:
            return self._failed(url, fault)
        if first is not None and (first.status >= 300 or "Download is starting" in message):
            # An error without a body, or a redirect to what is none.
            return await self._bare(url, first)
        codes = (code for sign, code in _NET_ERRORS if f"net::{sign}" in message)
        return self._failed(url, next(codes, ErrorCode.OTHER_ERROR))

    def _failed(self, url: str, error: ErrorCode) -> Response:
        return Response(url, error=error, fetched_at=self._wall())

    async def _enter(self) -> _Run:
        """Return the browser that runs, or a new one."""
        async with self._starting:
            run = self._run
            if run is None or not run.chromium.lives or run.served >= self._restart_after:
                if run is not None and not run.active:
                    await run.chromium.close()
                self._run = None
                chromium = await Chromium.start(self._identity, self._egress.address)
                run = self._run = _Run(chromium)
            run.active += 1
            run.served += 1
        return run

    async def _leave(self, run: _Run, page: Page | None) -> None:
        """Close a page, and its browser with it where that does not help or was left behind."""
        gone = page is None or await close_page(page)
        run.active -= 1
        if not gone and run is self._run:
            self._run = None
        if run is not self._run and not run.active:
            await run.chromium.close()
