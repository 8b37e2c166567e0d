"""What a crawl did, where it may end, and why it ended."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

from winze.model import ErrorCode


class Stop(StrEnum):
    """Why a crawl ended."""

    DONE = "nothing is left to fetch"
    PAGES = "the page limit was reached"
    TIME = "the time limit was reached"
    BYTES = "the byte limit was reached"
    YIELD = "the expected yield fell below the limit"
    HOSTS = "the hosts that are left were given up for now"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a crawl stops by itself; None is nowhere."""

    pages: int | None = None
    #: Seconds.
    seconds: float | None = None
    bytes: int | None = None
    #: Expected targets among the next 100 pages, as a share.
    least_yield: float | None = None


@dataclass(slots=True)
class Report:
    """What a crawl has done so far."""

    pages: int = 0
    targets: int = 0
    records: int = 0
    quarantined: int = 0
    #: Answered with 304: the stored copy is good.
    unchanged: int = 0
    #: Answered by a cache on the way; the site was not asked.
    cache_hits: int = 0
    bytes: int = 0
    #: Chosen, fetched or still waiting.
    waiting: int = 0
    in_flight: int = 0
    errors: Counter[ErrorCode] = field(default_factory=Counter)
    #: A URL for each error code.
    samples: dict[ErrorCode, str] = field(default_factory=dict)
    seconds: float = 0.0
    #: URL forms that were capped as endless, with the pages each had.
    traps: dict[str, int] = field(default_factory=dict)
    #: Pages with the text of another one, and with nearly the text of another one.
    duplicates: int = 0
    near_duplicates: int = 0
    #: Path shapes, and the parameters that were learned to change nothing there.
    idle: dict[str, tuple[str, ...]] = field(default_factory=dict)
    stop: Stop | None = None
    given_up: dict[str, ErrorCode] = field(default_factory=dict)

    def go_on_from(self, earlier: Report) -> None:
        """Count what the learn phase met, too: its pages are not asked for again."""
        self.cache_hits += earlier.cache_hits
        self.bytes += earlier.bytes
        self.errors.update(earlier.errors)
        self.samples = earlier.samples | self.samples
