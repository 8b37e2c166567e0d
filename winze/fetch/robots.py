"""robots.txt: what an origin allows, read as RFC 9309 says, once a day (protego)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from protego import Protego

from winze.fetch.robots_prefilter import Prefilter, prefilter
from winze.model import ErrorCode, Response
from winze.parse.encoding import decode
from winze.urls.canonical import clean, join, origin_of

#: Bytes of a robots.txt that are read (RFC 9309, 2.5).
MAX_BYTES = 500 * 1024

#: Redirects that are followed to find it (RFC 9309, 2.3.1.2).
MAX_REDIRECTS = 5

#: Seconds for which an answer is believed (RFC 9309, 2.4).
LIFETIME = 24 * 3600.0

#: Seconds until a robots.txt that could not be had is asked for again.
ASK_AGAIN = 600.0

#: Client errors that are about our pace or about time, not about a file that is not there.
_NOT_FOR_GOOD = frozenset({408, 425, 429})


@dataclass(frozen=True, slots=True)
class Rules:
    """What one origin allows."""

    #: None: everything, or nothing if there is an error.
    parsed: Protego | None = None
    #: Why nothing is allowed for now; OK otherwise.
    error: ErrorCode = ErrorCode.OK
    #: The file that was parsed.
    text: str = field(default="", repr=False)
    _prefilters: dict[str, Prefilter] = field(default_factory=dict, repr=False, compare=False)

    def allows(self, url: str, user_agent: str) -> bool:
        """May this user agent ask for a URL?"""
        if self.error is not ErrorCode.OK:
            return False
        if self.parsed is None:
            return True
        quick = self._prefilters.get(user_agent)
        if quick is None:
            quick = self._prefilters[user_agent] = prefilter(self.text, user_agent)
        return not quick.may_be_forbidden(url) or self.parsed.can_fetch(url, user_agent)

    def crawl_delay(self, user_agent: str) -> float:
        """Return the seconds that shall lie between two requests; 0 if nothing is said."""
        delay = None if self.parsed is None else self.parsed.crawl_delay(user_agent)
        rate = None if self.parsed is None else self.parsed.request_rate(user_agent)
        from_rate = rate.seconds / rate.requests if rate and rate.requests else 0.0
        return max(delay or 0.0, from_rate)

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps that the file lists, as written."""
        return () if self.parsed is None else tuple(dict.fromkeys(self.parsed.sitemaps))


def read_rules(response: Response) -> Rules:
    """Return the rules in the answer for a robots.txt.

    No answer and server errors forbid everything for now, client errors allow everything, and so
    does an HTML page that poses as robots.txt (RFC 9309, 2.3.1).

    >>> rules = read_rules(Response("", 200, body=b"User-agent: *\\nDisallow: /cart"))
    >>> rules.allows("http://a.example/cart/1", "winze"), rules.allows("http://a.example/", "winze")
    (False, True)
    >>> read_rules(Response("", 404)).allows("http://a.example/", "winze")
    True
    """
    status = response.http_status
    if status == 0 or status >= 500 or status in _NOT_FOR_GOOD:
        return Rules(error=response.error or ErrorCode.HTTP_5XX)
    if status >= 300 or response.error is not ErrorCode.OK:
        return Rules()
    text = decode(_whole_lines(response.body), response.header("content-type")).text
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return Rules()
    return Rules(Protego.parse(text), text=text)


def _whole_lines(body: bytes) -> bytes:
    """Cut a long file after its last whole line: half a path would forbid too much."""
    if len(body) <= MAX_BYTES:
        return body
    start = body[:MAX_BYTES]
    return start[: start.rfind(b"\n") + 1]


class RobotsCache:
    """The rules of every origin that was asked for; each is fetched once at a time.

    `fetch` gets one URL, politely, with retries and without following redirects, and returns at
    least `MAX_BYTES` of a long body.
    """

    def __init__(
        self, fetch: Callable[[str], Awaitable[Response]], clock: Callable[[], float]
    ) -> None:
        self._fetch = fetch
        self._clock = clock
        self._rules: dict[str, tuple[Rules, float]] = {}
        self._pending: dict[str, asyncio.Task[Rules]] = {}

    def known(self, url: str) -> Rules | None:
        """Return the rules for a URL if they are at hand."""
        rules, until = self._rules.get(origin_of(url), (None, 0.0))
        return rules if self._clock() < until else None

    async def rules(self, url: str) -> Rules:
        """Return the rules for a URL, asking its origin if need be."""
        known = self.known(url)
        if known is not None:
            return known
        origin = origin_of(url)
        task = self._pending.get(origin)
        if task is None:
            task = asyncio.ensure_future(self._ask(origin))
            self._pending[origin] = task
            task.add_done_callback(lambda _: self._pending.pop(origin, None))
        # One caller who gives up must not take the answer from the others.
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Drop the questions that are still on their way."""
        tasks = list(self._pending.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, origin: str) -> Rules:
        rules = read_rules(await self._follow(f"{origin}/robots.txt"))
        lifetime = LIFETIME if rules.error is ErrorCode.OK else ASK_AGAIN
        self._rules[origin] = (rules, self._clock() + lifetime)
        return rules

    async def _follow(self, url: str) -> Response:
        response = await self._fetch(url)
        for _ in range(MAX_REDIRECTS):
            location = response.header("location")
            target = join(url, location) if location else None
            if not 300 <= response.http_status < 400 or target is None:
                break
            url = clean(target)
            response = await self._fetch(url)
        return response
