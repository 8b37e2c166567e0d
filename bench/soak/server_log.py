"""What the server's log says of a crawl's manners."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from bench.soak.server import RETRY_AFTER

#: The crawl notes a request's start a moment before the kernel passes it on (seconds).
TOLERANCE = 0.005

#: A request may be on its way already when a refusal is (seconds).
_CROSSING = 0.1

#: Answers after which a page needs not be asked for again.
_FINAL = frozenset({200, 404, 410})


class Asked(NamedTuple):
    """One request, as the server saw it."""

    #: When the kernel received it, seconds since the epoch.
    time: float
    host: int
    #: 0 is a reset.
    status: int
    #: Requests that ran at the host, this one included.
    running: int
    path: str


@dataclass(frozen=True, slots=True)
class Gaps:
    """The times between the starts of two requests in a row to a host."""

    number: int
    #: Shorter than the delay by more than the tolerance.
    short: int
    #: Seconds.
    shortest: float


def read_log(path: Path) -> list[Asked]:
    """Return the requests in the order of their arrival."""
    asked = []
    for line in path.read_text("ascii").splitlines():
        moment, host, status, running, target = line.split(" ", 4)
        asked.append(Asked(float(moment), int(host), int(status), int(running), target))
    return sorted(asked)


def gaps(asked: Sequence[Asked], delay: float) -> Gaps:
    """Judge the pace at every host, restarts included.

    >>> times = (1.0, 1.2, 1.25)
    >>> gaps([Asked(time, 0, 200, 1, "/") for time in times], delay=0.1)
    Gaps(number=2, short=1, shortest=0.05)
    """
    found = [round(later.time - one.time, 6) for one, later in _neighbours(asked)]
    short = sum(gap < delay - TOLERANCE for gap in found)
    return Gaps(len(found), short, min(found, default=0.0))


def short_gaps(asked: Sequence[Asked], delay: float) -> list[tuple[Asked, Asked]]:
    """Return the pairs of requests that came too fast, the worst first."""
    pairs = [(a, b) for a, b in _neighbours(asked) if b.time - a.time < delay - TOLERANCE]
    return sorted(pairs, key=lambda pair: pair[1].time - pair[0].time)


def longest_silence(asked: Sequence[Asked]) -> float:
    """Return the longest time between two requests to a host (seconds): was one given up?"""
    return max((later.time - one.time for one, later in _neighbours(asked)), default=0.0)


def asked_in_pause(asked: Sequence[Asked]) -> int:
    """Return how many requests came while a 429 had asked for a pause."""
    until: dict[int, tuple[float, float]] = {}
    found = 0
    for one in asked:
        begin, end = until.get(one.host, (0.0, 0.0))
        found += begin < one.time < end
        if one.status == 429:
            until[one.host] = one.time + _CROSSING, one.time + RETRY_AFTER - TOLERANCE
    return found


def fetched_again(asked: Sequence[Asked]) -> int:
    """Return how many requests were for pages that had been answered for good."""
    answers = Counter(
        (one.host, one.path) for one in asked if one.status in _FINAL and one.path != "/robots.txt"
    )
    return answers.total() - len(answers)


def most_asked(asked: Sequence[Asked]) -> int:
    """Return how often the most-asked page was asked for."""
    pages = Counter((one.host, one.path) for one in asked if one.path != "/robots.txt")
    return max(pages.values(), default=0)


def _neighbours(asked: Sequence[Asked]) -> Iterator[tuple[Asked, Asked]]:
    by_host: defaultdict[int, list[Asked]] = defaultdict(list)
    for one in asked:
        by_host[one.host].append(one)
    for requests in by_host.values():
        yield from pairwise(requests)
