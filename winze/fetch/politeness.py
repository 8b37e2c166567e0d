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

#: Statuses by which a server says that it is asked too much.
REFUSALS = frozenset({429, 503})

#: Too Many Requests (RFC 6585): not an outage, but a wish for a slower pace.
TOO_MANY = 429


@dataclass(slots=True)
class _Host:
    """What is remembered of one host."""

    delay: float
    #: The plan's and robots' delay: the pace never gets faster than this.
    least_delay: float
    #: When the next request may start.
    next_at: float = -math.inf
    #: Until when the host wants to be left alone altogether.
    blocked_until: float = -math.inf
    active: int = 0
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
    ) -> None:
        """Set the delay (seconds; `delays` for single hosts) and how many requests may run."""
        self.concurrency = concurrency
        #: Requests that run at a time, to all hosts.
        self.total = total
        self._delay = delay
        self._delays = dict(delays or {})
        self._hosts: dict[str, _Host] = {}
        #: Hosts that may be busy; others need not be looked at.
        self._touched: dict[str, _Host] = {}

    def delay_of(self, host: str) -> float:
        """Return the seconds that lie between two requests to a host now."""
        return self._host(host).delay

    def slow_down(self, host: str, crawl_delay: float) -> None:
        """Heed robots' Crawl-delay: the larger of it and the plan's delay holds."""
        state = self._host(host)
        state.least_delay = max(state.least_delay, crawl_delay)
        if state.delay < state.least_delay:
            if state.next_at > -math.inf:
                state.next_at += state.least_delay - state.delay
            state.delay = state.least_delay

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
        state.next_at = now + state.delay

    def connected(self, host: str, now: float) -> None:
        """Note that a connection was opened only now, so that the server saw the request later."""
        state = self._touch(host)
        state.next_at = max(state.next_at, now + state.delay)

    def finish(
        self, host: str, now: float, *, http_status: int = 200, retry_after: float | None = None
    ) -> None:
        """Note that a request ended; a refusal (429, 503) makes the pace slower.

        `http_status` 0 stands for no answer, which changes no pace; `retry_after` is in seconds.
        """
        state = self._touch(host)
        state.active -= 1
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
        return state.waiting > 0 or state.active >= self.concurrency

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
        if state.delay > state.least_delay:
            state.good += 1
            if state.good >= RECOVERY:
                state.good = 0
                halved = state.delay / 2
                state.delay = state.least_delay if halved < RAISED_DELAY[0] else halved
                state.delay = max(state.delay, state.least_delay)

    def _host(self, host: str) -> _Host:
        state = self._hosts.get(host)
        if state is None:
            delay = self._delays.get(host, self._delay)
            state = self._hosts[host] = _Host(delay=delay, least_delay=delay)
        return state

    def _touch(self, host: str) -> _Host:
        state = self._host(host)
        self._touched[host] = state
        return state


def _raise_delay(state: _Host) -> None:
    least, greatest = RAISED_DELAY
    state.delay = max(state.delay, min(max(2 * state.delay, least), greatest))


def retry_after(value: str, wall: float) -> float | None:
    """Return the seconds that a Retry-After header asks for, or None (RFC 9110, 10.2.3).

    `wall` is now in seconds since the epoch, against which the form with a date is read.

    >>> retry_after("120", wall=0.0), retry_after("Thu, 01 Jan 1970 00:00:30 GMT", wall=10.0)
    (120.0, 20.0)
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    try:
        moment = parsedate_to_datetime(value)
        return max(0.0, moment.timestamp() - wall)
    except (ValueError, OverflowError):
        return None
