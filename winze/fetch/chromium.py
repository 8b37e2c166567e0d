"""The system's Chromium: found, started by Playwright, and set up for drawing pages only."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING

from winze.urls.canonical import host_of

if TYPE_CHECKING:
    from playwright.async_api import BrowserContext, Page, Playwright, Request, Route

#: What Chromium is called by the systems that package it.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

#: Seconds that it may take to start, and to close; then it is killed.
START_SECONDS = 30.0
CLOSE_SECONDS = 5.0

#: Megabytes of JavaScript objects that a page may hold.
HEAP_MB = 512

#: Pages are text to us: no pictures, no fonts, no sound; and nothing beside the proxy.
_FLAGS = (
    "--blink-settings=imagesEnabled=false",
    "--disable-remote-fonts",
    "--autoplay-policy=user-gesture-required",
    "--disable-notifications",
    "--disable-gpu",
    "--no-pings",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    f"--js-flags=--max-old-space-size={HEAP_MB}",
)

#: What a page must not fetch that the flags do not keep from it.
UNWANTED = tuple(
    f"*.{ending}{tail}"
    for ending in (
        "ico",
        "mp4",
        "webm",
        "m3u8",
        "ts",
        "mp3",
        "ogg",
        "wav",
        "m4a",
        "woff",
        "woff2",
        "ttf",
    )
    for tail in ("", "?*")
)


@dataclass(frozen=True, slots=True)
class Identity:
    """How the browser presents itself; the same as the client."""

    user_agent: str
    #: For trusted hosts only, for all if that is None.
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: Mapping[str, str] = field(default_factory=dict)
    trusted_hosts: Collection[str] | None = None

    def trusts(self, url: str) -> bool:
        """May a URL's host have the headers and cookies?"""
        if self.trusted_hosts is None:
            return True
        try:
            return host_of(url) in self.trusted_hosts
        except ValueError:
            return False


def find_chromium(which: Callable[[str], str | None] = shutil.which) -> str | None:
    """Return the path of the system's Chromium, or None."""
    return next(filter(None, map(which, NAMES)), None)


def what_is_missing(which: Callable[[str], str | None] = shutil.which) -> str:
    """Return what pages cannot be drawn without, and how to get it; empty if all is there."""
    if find_spec("playwright") is None:
        return "Playwright is not installed: pip install 'winze[browser]'"
    if find_chromium(which) is None:
        return "there is no Chromium: apt install chromium, or your system's package of it"
    return ""


class Chromium:
    """One process with one profile, which is gone when it closes."""

    def __init__(self, playwright: Playwright, context: BrowserContext, identity: Identity) -> None:
        self._playwright = playwright
        self._context = context
        self._identity = identity
        self._greeted: set[str] = set()
        self._closing: set[asyncio.Task[bool]] = set()

    @classmethod
    async def start(cls, identity: Identity, proxy: str) -> Chromium:
        """Start the system's Chromium behind a proxy.

        Raises OSError when it does not start.
        """
        # Importing it takes 0.2 s; only who draws pages shall pay.
        from playwright.async_api import Error, async_playwright  # noqa: PLC0415

        playwright = await async_playwright().start()
        try:
            browser = await playwright.chromium.launch(
                executable_path=find_chromium(),
                args=list(_FLAGS),
                # The sandbox does not run as root, so there it has to be left out.
                chromium_sandbox=os.geteuid() != 0,
                proxy={"server": proxy},
                timeout=START_SECONDS * 1000,
                # Ctrl-C ends the crawl first, and the crawl the browser.
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
            context = await browser.new_context(
                user_agent=identity.user_agent,
                accept_downloads=False,
                service_workers="block",
            )
            await _send_headers(context, identity)
        except Error as error:
            await playwright.stop()
            raise OSError(f"Chromium does not start: {str(error).splitlines()[0]}") from error
        except BaseException:
            await playwright.stop()
            raise
        return cls(playwright, context, identity)

    @property
    def lives(self) -> bool:
        """Is the process still there?"""
        browser = self._context.browser
        return browser is not None and browser.is_connected()

    async def open_page(self, url: str) -> Page:
        """Return an empty page that is about to show a URL; what it pops up is closed."""
        await self._greet(url)
        page = await self._context.new_page()
        page.on("popup", self._close_soon)
        return page

    async def close(self) -> None:
        """End the process, whatever its pages are doing."""
        from playwright.async_api import Error  # noqa: PLC0415

        for task in self._closing:
            task.cancel()
        browser = self._context.browser
        with suppress(Error, TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                if browser is not None:
                    await browser.close()
        # The driver takes with it what has not ended by then.
        await self._playwright.stop()

    async def _greet(self, url: str) -> None:
        """Give the browser the plan's cookies for a host, once."""
        cookies, host = self._identity.cookies, host_of(url)
        if not cookies or host in self._greeted or not self._identity.trusts(url):
            return
        self._greeted.add(host)
        await self._context.add_cookies(
            [
                {"name": name, "value": value, "url": f"http://{host}/"}
                for name, value in cookies.items()
            ]
        )

    def _close_soon(self, page: Page) -> None:
        task = asyncio.create_task(close_page(page))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def close_page(page: Page) -> bool:
    """Close a page, without asking it; return whether it went."""
    from playwright.async_api import Error  # noqa: PLC0415

    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await page.close(run_before_unload=False)
    except (Error, TimeoutError):
        return False
    return True


async def _send_headers(context: BrowserContext, identity: Identity) -> None:
    if not identity.headers:
        return
    if identity.trusted_hosts is None:
        await context.set_extra_http_headers(dict(identity.headers))
        return

    async def add(route: Route, request: Request) -> None:
        await route.continue_(headers={**request.headers, **_lower(identity.headers)})

    def trusts(url: str) -> bool:
        return identity.trusts(url)

    # This switches the browser's cache off; without headers of the plan it stays.
    await context.route(trusts, add)


def _lower(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}
