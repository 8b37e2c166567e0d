"""The network as a Fetcher: robots, politeness, retries, and a Response for whatever happens."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Self

from winze.fetch.gate import Gate
from winze.fetch.politeness import REFUSALS, Politeness, retry_after
from winze.fetch.robots import ASK_AGAIN, RobotsCache, Rules
from winze.fetch.robots import MAX_BYTES as ROBOTS_BYTES
from winze.fetch.stream import Stream
from winze.fetch.transport import Transport, Want
from winze.fetch.turn import Turn
from winze.model import ErrorCode, Request, Response
from winze.urls.canonical import clean, host_of, join

#: Unpacked bytes of a page; larger ones are archives or accidents.
MAX_BYTES = 10 * 1024 * 1024

#: Seconds for one exchange, the body included.
TIMEOUT = 30.0

#: Times that a URL is asked for again when the fault may pass.
RETRIES = 2

#: Seconds before the first retry; doubles with each.
BACKOFF = 1.0

#: Longest pause that a host may ask for while a request is kept waiting for it (seconds).
PATIENCE = 30.0

#: Redirects to itself by which a site hands out a cookie; browsers allow 20 of any kind.
MAX_SELF_REDIRECTS = 5

#: Requests in a row without any answer after which a host is given up for a while.
FAILURES = 3

#: Seconds that it must have been silent besides: a few bad pages among good ones are no outage.
SILENCE = 10.0

#: Server faults that pass (RFC 9110; 520 to 524 are Cloudflare's).
_PASSING = frozenset({408, 425, 429, 500, 502, 503, 504, *range(520, 525)})

#: Statuses whose Location is followed (RFC 9110, 15.4).
_REDIRECTS = frozenset({301, 302, 303, 307, 308})

_PASSING_ERRORS = frozenset({ErrorCode.URL_TIME_OUT, ErrorCode.DNS, ErrorCode.CONNECTION})

_UNREACHABLE = _PASSING_ERRORS | {ErrorCode.TLS}


@dataclass(slots=True)
class Counts:
    """What was asked of the network so far."""

    #: All exchanges: pages, retries, robots.txt.
    requests: int = 0
    #: Asked again after a fault.
    retries: int = 0
    #: For robots.txt, its redirects included.
    robots: int = 0
    #: Repeats because of a self-redirect that set a cookie.
    self_redirects: int = 0


class Client:
    """A Fetcher over HTTP; `async with Client(...) as client`, then `await client(request)`.

    It waits for the host's turn itself, so whoever calls it is polite; a scheduler asks
    `politeness.busy_hosts` first, so that it need not wait. Nothing a site does raises.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        politeness: Politeness,
        gate: Gate | None = None,
        delay: float = 0.0,
        concurrency: int | None = None,
        obey_robots: bool = True,
        timeout: float = TIMEOUT,
        max_bytes: int = MAX_BYTES,
        retries: int = RETRIES,
        backoff: float = BACKOFF,
        patience: float = PATIENCE,
        headers: Mapping[str, str] | None = None,
        cookies: Mapping[str, str] | None = None,
        trusted_hosts: Collection[str] | None = None,
        proxy: str | None = None,
        connect_to: Mapping[str, str] | None = None,
        verify_tls: bool = True,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Set how to ask. Times are in seconds, sizes in bytes.

        Clients of one run share `politeness` and `gate`: each then says with `delay` and
        `concurrency` how its own plan wants the hosts that it asks to be treated; of what several
        want of one host the gentlest holds.
        `headers` and `cookies` go to `trusted_hosts` only, to all hosts if that is None.
        `connect_to` maps an origin to the one that is asked in its place, the Host header kept.
        `clock` is politeness' time, `wall` the time of day.
        """
        self.politeness = politeness
        #: What other clients of this run are given to share.
        self.gate = gate or Gate(politeness, clock=clock, sleep=sleep)
        if self.gate.politeness is not politeness:
            raise ValueError("a shared gate looks after one politeness: give the client the same")
        self.counts = Counts()
        self._delay = delay
        self._concurrency = concurrency
        #: Hosts that know how this client's plan wants them to be treated.
        self._joined: set[str] = set()
        self._user_agent = user_agent
        self._obey_robots = obey_robots
        self._want = Want(max_bytes=max_bytes, timeout=timeout)
        self._retries = retries
        self._backoff = backoff
        self._patience = patience
        self._clock = clock
        self._wall = wall
        self._sleep = sleep
        self._robots = RobotsCache(self._robots_answer, clock)
        self._failures: Counter[str] = Counter()
        self._answered: dict[str, float] = {}
        self._given_up: dict[str, ErrorCode] = {}
        self._ask_again: dict[str, float] = {}
        self._transport = Transport(
            user_agent=user_agent,
            headers=headers or {},
            cookies=cookies or {},
            trusted_hosts=trusted_hosts,
            proxy=proxy,
            connect_to=connect_to or {},
            verify_tls=verify_tls,
            sent=self.gate.sent,
            wall=wall,
        )

    async def __aenter__(self) -> Self:
        await self._transport.__aenter__()
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self._robots.close()
        await self._transport.__aexit__(*exception)

    @property
    def given_up(self) -> Mapping[str, ErrorCode]:
        """Hosts that are not asked for now, with the reason: no answers, or no robots.txt.

        After a while they leave it by themselves, and may be asked again.
        """
        if self._given_up:
            now = self._clock()
            for host in [host for host in self._given_up if now >= self._ask_again[host]]:
                del self._given_up[host]
        return MappingProxyType(self._given_up)

    async def __call__(self, request: Request) -> Response:
        """Fetch a page; redirects come back as they are.

        A request with validators is conditional: 304 without a body says that the copy is good.
        """
        return await self._fetch(request.url, self._want_of(request))

    async def fetch(
        self,
        url: str,
        *,
        max_bytes: int | None = None,
        timeout: float | None = None,
        any_type: bool = False,
    ) -> Response:
        """Fetch a URL with limits of its own; `any_type` reads bodies that are no pages, too."""
        want = Want(
            max_bytes=max_bytes or self._want.max_bytes,
            timeout=timeout or self._want.timeout,
            any_type=any_type,
        )
        return await self._fetch(url, want)

    @asynccontextmanager
    async def stream(
        self, url: str, *, max_bytes: int, timeout: float, validators: tuple[str, str] = ("", "")
    ) -> AsyncIterator[Stream]:
        """Open a large file of any type; its host's turn lasts until the context ends.

        Asked again after a fault that may pass, as long as no byte of the body was given.
        """
        want = Want(max_bytes=max_bytes, timeout=timeout, any_type=True, validators=validators)
        for attempt in range(self._retries + 1):
            self.counts.retries += bool(attempt)
            async with self._stream(url, want) as stream:
                if attempt == self._retries or not _may_pass(stream.response):
                    yield stream
                    return
            if stream.response.http_status not in REFUSALS:
                await self._sleep(self._backoff * 2**attempt)

    @asynccontextmanager
    async def _stream(self, url: str, want: Want) -> AsyncIterator[Stream]:
        async with self.turn(url) as turn:
            if turn.refusal is not ErrorCode.OK:
                yield Stream(Response(url, error=turn.refusal, fetched_at=self._wall()))
                return
            host = host_of(url)
            async with self._transport.stream(url, host, want) as stream:
                turn.answer = stream.response
                self._note_health(host, stream.response)
                yield stream

    def _want_of(self, request: Request) -> Want:
        if any(request.validators):
            return replace(self._want, validators=request.validators)
        return self._want

    async def _fetch(self, url: str, want: Want) -> Response:
        try:
            host = host_of(url)
        except ValueError:
            return Response(url, error=ErrorCode.OTHER_ERROR, fetched_at=self._wall())
        self._join(host)
        refusal = self._given_up_error(host) or await self._robots_error(url, host)
        if refusal is not ErrorCode.OK:
            return Response(url, error=refusal, fetched_at=self._wall())
        response = await self._past_self_redirects(url, host, want)
        self._note_health(host, response)
        return response

    def _join(self, host: str) -> None:
        """Tell politeness once how this client's plan wants a host to be treated."""
        if host not in self._joined:
            self._joined.add(host)
            self.politeness.slow_down(host, self._delay)
            if self._concurrency is not None:
                self.politeness.narrow(host, self._concurrency)

    @asynccontextmanager
    async def turn(self, url: str) -> AsyncIterator[Turn]:
        """Wait for the turn of a URL's host, for whoever asks it by other means; see Turn."""
        try:
            host = host_of(url)
        except ValueError:
            yield Turn(ErrorCode.OTHER_ERROR)
            return
        self._join(host)
        refusal = self._given_up_error(host) or await self._robots_error(url, host)
        if refusal is not ErrorCode.OK:
            yield Turn(refusal)
            return
        if self.politeness.blocked_for(host, self._clock()) > self._patience:
            yield Turn(ErrorCode.RATE_LIMITED)
            return
        began = await self.gate.enter(host)
        self.counts.requests += 1
        turn = Turn(sent=lambda: self.gate.sent(host))
        try:
            yield turn
        finally:
            self._leave(host, began, turn.answer)

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """Return the sitemaps that the robots.txt of a URL's origin lists, absolute."""
        rules = await self._rules(url, host_of(url))
        return tuple(filter(None, (join(url, sitemap) for sitemap in rules.sitemaps)))

    async def _robots_error(self, url: str, host: str) -> ErrorCode:
        if not self._obey_robots:
            return ErrorCode.OK
        rules = await self._rules(url, host)
        if rules.allows(url, self._user_agent):
            return ErrorCode.OK
        return rules.error or ErrorCode.ROBOTS_DENIED

    async def _rules(self, url: str, host: str) -> Rules:
        known = self._robots.known(url)
        if known is not None:
            return known
        self.politeness.announce(host)
        try:
            rules = await self._robots.rules(url)
        finally:
            self.politeness.withdraw(host)
        self.politeness.slow_down(host, rules.crawl_delay(self._user_agent))
        if rules.error is not ErrorCode.OK:
            self._give_up(host, rules.error)
        return rules

    async def _robots_answer(self, url: str) -> Response:
        self.counts.robots += 1
        want = replace(self._want, max_bytes=ROBOTS_BYTES + 1, any_type=True, cut=True)
        return await self._past_self_redirects(url, host_of(url), want)

    async def _past_self_redirects(self, url: str, host: str, want: Want) -> Response:
        """Ask again where a site answers with a cookie and a redirect to the same URL."""
        response = await self._with_retries(url, host, want)
        for _ in range(MAX_SELF_REDIRECTS):
            if not (_is_self_redirect(response) and response.header("set-cookie")):
                break
            self.counts.self_redirects += 1
            response = await self._with_retries(url, host, want)
        if _is_self_redirect(response):
            return replace(response, error=ErrorCode.REDIRECT_LOOP)
        return response

    async def _with_retries(self, url: str, host: str, want: Want) -> Response:
        response = None
        for attempt in range(self._retries + 1):
            if self.politeness.blocked_for(host, self._clock()) > self._patience:
                break
            if attempt:
                self.counts.retries += 1
            response = await self._once(url, host, want)
            if attempt == self._retries or not _may_pass(response):
                break
            # After a refusal politeness knows how long to wait.
            if response.http_status not in REFUSALS:
                await self._sleep(self._backoff * 2**attempt)
        return response or Response(url, error=ErrorCode.RATE_LIMITED, fetched_at=self._wall())

    async def _once(self, url: str, host: str, want: Want) -> Response:
        began = await self.gate.enter(host)
        self.counts.requests += 1
        response = None
        try:
            response = await self._transport.get(url, host, want)
            return response
        finally:
            self._leave(host, began, response)

    def _leave(self, host: str, began: float, answer: Response | None) -> None:
        """End a host's turn: tell politeness what came of it, and let the next one in."""
        http_status, pause = 0 if answer is None else answer.http_status, None
        if answer is not None and http_status in REFUSALS:
            pause = retry_after(answer.header("retry-after"), self._wall())
        now = self._clock()
        self.politeness.finish(
            host, now, http_status=http_status, retry_after=pause, latency=now - began
        )
        self.gate.leave(host)

    def _given_up_error(self, host: str) -> ErrorCode:
        """Return why a host is not asked for now, or OK."""
        return self.given_up.get(host, ErrorCode.OK) if self._given_up else ErrorCode.OK

    def _note_health(self, host: str, response: Response) -> None:
        if response.http_status == 0 and response.error in _UNREACHABLE:
            self._failures[host] += 1
            silence = self._clock() - self._answered.get(host, -math.inf)
            if self._failures[host] >= FAILURES and silence >= SILENCE:
                self._give_up(host, response.error)
        elif response.http_status:
            self._answered[host] = self._clock()
            self._failures.pop(host, None)
            self._given_up.pop(host, None)

    def _give_up(self, host: str, error: ErrorCode) -> None:
        self._given_up[host] = error
        self._ask_again[host] = self._clock() + ASK_AGAIN


def _may_pass(response: Response) -> bool:
    return response.error in _PASSING_ERRORS or response.http_status in _PASSING


def _is_self_redirect(response: Response) -> bool:
    if response.http_status not in _REDIRECTS:
        return False
    location = response.header("location")
    target = join(response.url, location) if location else None
    return target is not None and clean(target) == clean(response.url)
