"""One page in Chromium: what happens in its main frame, and what its document is at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from winze.model import Response

if TYPE_CHECKING:
    from playwright.async_api import CDPSession, Page
    from playwright.async_api import Response as Answer

#: In a world of its own, where the page's scripts have changed nothing.
_SERIALISE = """(() => {
  const type = document.doctype ? new XMLSerializer().serializeToString(document.doctype) : "";
  const root = document.documentElement;
  const text = type + (root ? root.outerHTML : "");
  return text.length > %d ? null : text;
})()"""


@dataclass(slots=True)
class Seen:
    """What happened in a page's main frame."""

    #: Called when its request goes out, and again when it is answered.
    sent: Callable[[], None] = lambda: None
    #: The answer to its first request, before any redirect.
    first: Answer | None = None
    #: Documents that came to stand there, oldest first.
    documents: list[str] = field(default_factory=list)


async def watch(page: Page, session: CDPSession, seen: Seen, unwanted: Sequence[str]) -> None:
    """Note what comes to stand in the main frame; keep URLs of unwanted forms away."""

    def answered(answer: Answer) -> None:
        request = answer.request
        if seen.first is None and request.is_navigation_request():
            seen.first = answer
            seen.sent()

    def navigated(event: dict[str, Any]) -> None:
        frame = event["frame"]
        if "parentId" not in frame:
            seen.documents.append(frame["url"])

    page.on("response", answered)
    session.on("Page.frameNavigated", navigated)
    await session.send("Page.enable")
    await session.send("Network.enable")
    await session.send("Network.setBlockedURLs", {"urls": list(unwanted)})


async def unless_it_crashes(page: Page, story: Coroutine[None, None, Response]) -> Response | None:
    """Return what came of a page; None if its process died of it."""
    crashed = asyncio.Event()
    page.on("crash", lambda _: crashed.set())
    telling, dying = asyncio.create_task(story), asyncio.create_task(crashed.wait())
    try:
        await asyncio.wait((telling, dying), return_when=asyncio.FIRST_COMPLETED)
        return None if crashed.is_set() else telling.result()
    finally:
        telling.cancel()
        dying.cancel()
        await asyncio.gather(telling, dying, return_exceptions=True)


async def settle(page: Page, seconds: float) -> None:
    """Wait until a page asks for nothing more, but not for ever."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await page.wait_for_load_state("load", timeout=0)
            await page.wait_for_load_state("networkidle", timeout=0)


async def document_text(session: CDPSession, most: int) -> str | None:
    """Return a page's document as text; None if it is longer than `most` characters."""
    tree = await session.send("Page.getFrameTree")
    world = await session.send(
        "Page.createIsolatedWorld", {"frameId": tree["frameTree"]["frame"]["id"]}
    )
    told = await session.send(
        "Runtime.evaluate",
        {
            "expression": _SERIALISE % most,
            "contextId": world["executionContextId"],
            "returnByValue": True,
        },
    )
    text = told["result"].get("value")
    return text if isinstance(text, str) else None
