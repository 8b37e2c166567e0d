"""When may a host be asked next? Decided from its answers; the clock comes in as an argument."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime

#: The first pause after a refusal that does not say how long (seconds); doubles with each refusal
#: in a row.
FIRST_BACKOFF = 1.0

#: No pause of our own choice is longer (seconds).
MAX_BACKOFF = 300.0

#: The least and greatest delay that a host gets once it asked to be asked less (seconds).
RAISED_DELAY = (0.5, 60.0)

#: Good answers in a row after which a delay that was raised is halved again, never below the
#: plan's: a single bad minute must not slow down a crawl of a week.
RECOVERY = 100

#: Seconds of delay for each second that a host takes to answer, for hosts whose pace nobody set:
#: half of its time is left to others (Scrapy's AutoThrottle takes 1, Heritrix 5).
LATENCY_FACTOR = 2.0

#: The longest delay that slow answers alone lead to (seconds; Heritrix' default).
MAX_LATENCY_DELAY = 30.0

#: What a new answer weighs in the smoothed latency (RFC 6298, 2.3).
_SMOOTHING = 1 / 8

#: Longest pause that a Retry-After is believed (seconds): a week is a wrong clock.
MAX_RETRY_AFTER = 24 * 3600.0

#: Statuses by which a server says that it is asked too much.
REFUSALS = frozenset({429, 503})

#: Too Many Requests (RFC 6585): not an outage, but a wish for a slower pace.
TOO_MANY = 429


@dataclass(slots=True)
class _Host:
    """What is remembered of one host."""

    #: What holds now: the greatest of the three below.
    delay: float
    #: The plans' and robots' delay: the pace never gets faster than this.
    least_delay: float
    #: Requests that may run at a time.
    places: int
    #: Since a refusal, until it is forgotten.
    raised_delay: float = 0.0
    #: Because answers are slow.
    latency_delay: float = 0.0
    #: Smoothed seconds from request to answer; 0 before the first.
    latency: float = 0.0
    #: When the next request may start.
    next_at: float = -math.inf
    #: Until when the host wants to be left alone altogether.
    blocked_until: float = -math.inf
    active: int = 0
    #: The last request has started, but may still be opening its connection.
    unsent: bool = False
    #: Requests that were announced and have not started.
    waiting: int = 0
    #: In a row.
    refusals: int = 0
    #: In a row, since the delay was last changed.
    good: int = 0

    def free_at(self) -> float:
        return max(self.next_at, self.blocked_until)


class Politeness:
    """The pace of every host. Times are seconds of one clock, which may start anywhere.

    The delay lies between the starts of two requests to the same host.

    >>> politeness = Politeness(delay=1.0)
    >>> politeness.start("shop.example", now=10.0)
    >>> politeness.wait("shop.example", now=10.4)
    0.6
    >>> politeness.busy_hosts(now=10.4), politeness.wake_at(now=10.4)
    (frozenset({'shop.example'}), 11.0)
    """

    def __init__(
        self,
        *,
        delay: float = 1.0,
        delays: Mapping[str, float] | None = None,
        concurrency: int = 2,
        total: int = 16,
        latency_factor: float = 0.0,
    ) -> None:
        """Set the delay (seconds; `delays` for single hosts) and how many requests may run.

        With a `latency_factor` (LATENCY_FACTOR) a host that answers slowly is asked less often:
        the delay is at least so many times its smoothed latency. 0 leaves latency aside.
        """
        #: Requests that run at a time, to one host unless `narrow` said less.
        self.concurrency = concurrency
        #: Requests that run at a time, to all hosts.
        self.total = total
        self._latency_factor = latency_factor
        self._delay = delay
        self._delays = dict(delays or {})
        self._hosts: dict[str, _Host] = {}
        #: Hosts that may be busy; others need not be looked at.
        self._touched: dict[str, _Host] = {}

    def delay_of(self, host: str) -> float:
        """Return the seconds that lie between two requests to a host now."""
        return self._host(host).delay

    def slow_down(self, host: str, delay: float) -> None:
        """Heed robots' Crawl-delay or the delay of one more plan: the larger one holds."""
        state = self._host(host)
        if delay > state.least_delay:
            state.least_delay = delay
            _settle_delay(state)

    def narrow(self, host: str, concurrency: int) -> None:
        """Heed how many requests one more plan lets run at a host: the smaller number holds."""
        state = self._host(host)
        state.places = min(state.places, concurrency)

    def is_full(self, host: str) -> bool:
        """Must a request end first, or leave?

        As many run as may; or the delay counts from one that has not left yet, because its
        connection is being opened.
        """
        state = self._host(host)
        return state.active >= state.places or (state.unsent and state.delay > 0)

    def wait(self, host: str, now: float) -> float:
        """Return the seconds until the host may be asked; 0 when it may be asked at once.

        Does not look at the number of running requests.
        """
        state = self._hosts.get(host)
        return 0.0 if state is None else max(0.0, round(state.free_at() - now, 9))

    def blocked_for(self, host: str, now: float) -> float:
        """Return the seconds for which the host wants to be left alone (Retry-After, backoff)."""
        state = self._hosts.get(host)
        return 0.0 if state is None else max(0.0, state.blocked_until - now)

    def announce(self, host: str) -> None:
        """Note that a request is waiting for the host; it is busy until the request has started."""
        state = self._touch(host)
        state.waiting += 1

    def withdraw(self, host: str) -> None:
        """Take back an announcement, because the request starts or will not be made."""
        self._touch(host).waiting -= 1

    def start(self, host: str, now: float) -> None:
        """Note that a request starts now."""
        state = self._touch(host)
        state.active += 1
        state.unsent = True
        state.next_at = now + state.delay

    def sent(self, host: str, now: float) -> None:
        """Note that a request left only now, because a connection had to be opened first."""
        state = self._touch(host)
        state.unsent = False
        state.next_at = max(state.next_at, now + state.delay)

    def finish(
        self,
        host: str,
        now: float,
        *,
        http_status: int = 200,
        retry_after: float | None = None,
        latency: float = 0.0,
    ) -> None:
        """Note that a request ended; a refusal (429, 503) makes the pace slower.

        `http_status` 0 stands for no answer; `retry_after` and `latency`, what the request took,
        are in seconds. Refusals and errors never make the pace faster, however quickly they come.
        """
        state = self._touch(host)
        state.active -= 1
        if not state.active:
            state.unsent = False
        if self._latency_factor:
            self._note_latency(state, latency, is_answer=0 < http_status < 400)
        if http_status in REFUSALS:
            self._refused(state, now, retry_after)
            if http_status == TOO_MANY or retry_after is not None:
                _raise_delay(state)
        elif 0 < http_status < 500:
            self._welcomed(state)

    def busy_hosts(self, now: float) -> frozenset[str]:
        """Return the hosts that may not be asked now; a scheduler picks among the others."""
        for host in [host for host, state in self._touched.items() if self._is_idle(state, now)]:
            del self._touched[host]
        return frozenset(host for host, state in self._touched.items() if self._is_busy(state, now))

    def wake_at(self, now: float) -> float | None:
        """Return when the next busy host becomes free by the mere passing of time.

        None if there is none: then a running request must end first, or no host is busy.
        """
        times = [
            state.free_at()
            for state in self._touched.values()
            if not self._is_full(state) and state.free_at() > now
        ]
        return min(times, default=None)

    def _is_full(self, state: _Host) -> bool:
        return state.waiting > 0 or state.active >= state.places

    def _is_busy(self, state: _Host, now: float) -> bool:
        return self._is_full(state) or state.free_at() > now

    def _is_idle(self, state: _Host, now: float) -> bool:
        return state.active == 0 and state.waiting == 0 and state.free_at() <= now

    def _refused(self, state: _Host, now: float, retry_after: float | None) -> None:
        state.refusals += 1
        state.good = 0
        backoff = min(MAX_BACKOFF, FIRST_BACKOFF * 2.0 ** min(state.refusals - 1, 20))
        pause = backoff if retry_after is None else retry_after
        state.blocked_until = max(state.blocked_until, now + pause)

    def _welcomed(self, state: _Host) -> None:
        state.refusals = 0
        if state.raised_delay > 0:
            state.good += 1
            if state.good >= RECOVERY:
                state.good = 0
                halved = state.raised_delay / 2
                forgotten = halved < max(RAISED_DELAY[0], state.least_delay)
                state.raised_delay = 0.0 if forgotten else halved
                _settle_delay(state)

    def _note_latency(self, state: _Host, latency: float, *, is_answer: bool) -> None:
        """Smooth the latency; errors only raise it, or a broken host would be asked faster."""
        if state.latency == 0:
            smoothed = latency
        else:
            smoothed = state.latency + _SMOOTHING * (latency - state.latency)
        if is_answer or smoothed > state.latency:
            state.latency = smoothed
            state.latency_delay = min(self._latency_factor * smoothed, MAX_LATENCY_DELAY)
            _settle_delay(state)

    def _host(self, host: str) -> _Host:
        state = self._hosts.get(host)
        if state is None:
            delay = self._delays.get(host, self._delay)
            state = self._hosts[host] = _Host(delay, delay, self.concurrency)
        return state

    def _touch(self, host: str) -> _Host:
        state = self._host(host)
        self._touched[host] = state
        return state


def _raise_delay(state: _Host) -> None:
    least, greatest = RAISED_DELAY
    wanted = min(max(2 * state.delay, least), greatest)
    state.raised_delay = max(state.raised_delay, wanted)
    _settle_delay(state)


def _settle_delay(state: _Host) -> None:
    """Let the greatest delay hold, for the turn that is already set, too, if it became longer."""
    delay = max(state.least_delay, state.raised_delay, state.latency_delay)
    if delay > state.delay:
        state.next_at += delay - state.delay
    state.delay = delay


def retry_after(value: str, wall: float) -> float | None:
    """Return the seconds that a Retry-After header asks for, or None (RFC 9110, 10.2.3).

    `wall` is now in seconds since the epoch, against which the form with a date is read; a date in
    the past asks for no pause. More than MAX_RETRY_AFTER is cut to it.

    >>> retry_after("120", wall=0.0), retry_after("Thu, 01 Jan 1970 00:00:30 GMT", wall=10.0)
    (120.0, 20.0)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:9]), MAX_RETRY_AFTER)
    try:
        moment = parsedate_to_datetime(value)
        return min(max(0.0, moment.timestamp() - wall), MAX_RETRY_AFTER)
    except (ValueError, OverflowError):
        return None
