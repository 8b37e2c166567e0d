"""The crawl loop: generate, visit, update (Nutch's cycle), until limits or silence."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol

from winze.engine.admission import Admission, From
from winze.engine.order import Order
from winze.engine.site import Site
from winze.engine.visit import examine, visit
from winze.engine.writer import Writer
from winze.frontier.harvest import Harvest
from winze.frontier.queue import Candidate
from winze.frontier.traps import TrapBudget
from winze.learn.link_features import url_form
from winze.model import ErrorCode, Fetcher, Kind, Link, Page, Request, Response, Status, Visit
from winze.store.crawldb import NewUrl, Outcome, StoredUrl
from winze.urls.canonical import clean, host_of, key

#: Redirects of a page to another spelling of itself (www, https, slash) that are followed.
MAX_MOVES = 5

#: Pages that --until-yield waits for before it believes the forecast.
YIELD_AFTER = 200

#: Longest sleep while every host is busy (seconds).
NAP = 0.05


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


class Pace(Protocol):
    """Who knows which hosts may not be asked now (fetch.politeness.Politeness)."""

    def busy_hosts(self, now: float) -> frozenset[str]:
        """Return the hosts that may not be asked now; `now` is monotonic time in seconds."""
        ...


@dataclass(slots=True)
class Report:
    """What a crawl has done so far."""

    pages: int = 0
    targets: int = 0
    records: int = 0
    quarantined: int = 0
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
    stop: Stop | None = None
    given_up: dict[str, ErrorCode] = field(default_factory=dict)


class Crawl:
    """One crawl of one site in one order.

    `spent` pages count against the page limit already. `given_up` names hosts that the fetcher
    does not ask for now. `watch` is called with the report after every page, `hear` with its
    visit.
    """

    def __init__(
        self,
        site: Site,
        order: Order,
        writer: Writer,
        fetch: Fetcher,
        admission: Admission,
        *,
        limits: Limits | None = None,
        pace: Pace | None = None,
        given_up: Callable[[], dict[str, ErrorCode]] = dict,
        concurrency: int = 1,
        spent: int = 0,
        watch: Callable[[Report], None] = lambda report: None,
        hear: Callable[[Visit], None] = lambda story: None,
    ) -> None:
        self.site = site
        self.order = order
        self.report = Report()
        self._writer = writer
        self._fetch = fetch
        self._admission = admission
        self._limits = limits or Limits()
        self._pace = pace
        self._given_up = given_up
        self._concurrency = concurrency
        self._spent = spent
        self._watch = watch
        self._hear = hear
        self._harvest = Harvest()
        self._traps = TrapBudget()
        self._began = time.monotonic()
        self._tasks: dict[asyncio.Task[Visit], Candidate] = {}
        #: Fetched out of turn; the order may still offer them.
        self._taken: set[str] = set()
        self._interrupted = False

    def interrupt(self) -> None:
        """Let the crawl end after what is in flight."""
        self._interrupted = True

    def limit_pages(self, pages: int | None) -> None:
        """Set the page limit anew, `spent` pages included."""
        self._limits = replace(self._limits, pages=pages)

    def resume(self, rows: Sequence[StoredUrl]) -> None:
        """Let the rows wait that an earlier run left and the user's filters still let in."""
        waiting = (candidate_of(row) for row in rows if self.site.wants(row.url))
        self.order.push(one for one in waiting if self._lets_in(one))

    async def inject(self, links: Sequence[Link]) -> list[NewUrl]:
        """Give start links, examples and sitemap entries a row, and let them wait."""
        new = self._admission.admit(links, From(), self.site)
        if new:
            await asyncio.to_thread(self._writer.inject, new)
            self.order.push(self._let_in(new, From()))
        return new

    async def run(self) -> Report:
        """Crawl until a limit or until nothing is left; return what was done."""
        while (stop := self._stop()) is None:
            candidate = self._next()
            if candidate is not None and self._traps.is_trap(url_form(candidate.url)):
                await self._exclude(candidate)
            elif candidate is not None:
                self._start(candidate)
            elif self._tasks:
                await self._settle_some()
            elif self._is_exhausted():
                stop = Stop.HOSTS if len(self.order.queue) else Stop.DONE
                break
            else:
                await asyncio.sleep(NAP)
        while self._tasks:
            await self._settle_some()
        self._note_progress()
        self.report.stop = stop
        self.report.given_up = self._given_up()
        self.report.traps = self._traps.traps()
        return self.report

    async def fetch_now(self, candidate: Candidate) -> Visit:
        """Visit a waiting URL out of turn."""
        self._taken.add(candidate.url)
        story = await visit(_request(candidate), self.site, self._fetch)
        await self._settle(candidate, story)
        return story

    async def take(self, response: Response) -> None:
        """Settle a page that was fetched before the crawl began."""
        url = response.url
        await self.inject([Link(url)])
        self._taken.add(clean(url))
        candidate = Candidate(clean(url), host_of(url))
        await self._settle(candidate, examine(_request(candidate), response, self.site))

    def _next(self) -> Candidate | None:
        """Return the next URL to fetch, or None while there is none or no room for it."""
        if len(self._tasks) >= self._concurrency or not self._may_start():
            return None
        candidate = self.order.pop(self._busy())
        while candidate is not None and candidate.url in self._taken:
            candidate = self.order.pop(self._busy())
        return candidate

    def _busy(self) -> Collection[str]:
        busy = self._pace.busy_hosts(time.monotonic()) if self._pace is not None else frozenset()
        return busy | self._given_up().keys()

    def _is_exhausted(self) -> bool:
        """Can nothing be fetched any more, however long one waits?"""
        lost = self._given_up().keys()
        return not len(self.order.queue) or (bool(lost) and self._only_lost(lost))

    def _only_lost(self, lost: Collection[str]) -> bool:
        candidate = self.order.pop(lost)
        if candidate is None:
            return True
        self.order.push([candidate])
        return False

    def _start(self, candidate: Candidate) -> None:
        task = asyncio.create_task(visit(_request(candidate), self.site, self._fetch))
        self._tasks[task] = candidate

    async def _exclude(self, candidate: Candidate) -> None:
        """Give up a URL of an endless form."""
        page = Page(candidate.url, Status.EXCLUDED, ErrorCode.TRAP)
        story = Visit(_request(candidate), page, weight=candidate.parent_weight)
        await self._writer.put(Outcome(key(candidate.url), story, candidate.attempts))

    async def _settle_some(self) -> None:
        done, _ = await asyncio.wait(
            self._tasks, return_when=asyncio.FIRST_COMPLETED, timeout=self._patience()
        )
        for task in done:
            await self._settle(self._tasks.pop(task), task.result())

    def _patience(self) -> float | None:
        """While there is room for more and something waits, look again soon."""
        room = len(self._tasks) < self._concurrency and self._may_start()
        return NAP if room and len(self.order.queue) else None

    async def _settle(self, candidate: Candidate, story: Visit) -> None:
        """Count a visit, learn from it, admit its links, and let it be written."""
        page = story.page
        if page.error is ErrorCode.RATE_LIMITED and page.http_status == 0:
            self.order.push([candidate])  # not asked: the host wants a longer pause
            return
        self._count(candidate, story)
        identity = key(candidate.url)
        if page.status is Status.REDIRECTED and key(page.location) == identity:
            if candidate.attempts < MAX_MOVES:
                self.order.push([_moved(candidate, page.location)])
                return
            page = replace(page, status=Status.FETCH_ERROR, error=ErrorCode.REDIRECT_LOOP)
            story = replace(story, page=page)
        origin = From(identity, candidate.url, candidate.depth, story.weight)
        new = self._admission.admit(
            _links(candidate, story), _origin_of(candidate, story, origin), self.site
        )
        self._watch_for_traps(candidate, story, new)
        found = self._let_in(new, origin)
        self.order.learn(candidate, story, found)
        self.order.push(found)
        await self._writer.put(
            Outcome(identity, story, candidate.attempts + 1, tuple(new), candidate.score)
        )
        self._note_progress()

    def _watch_for_traps(self, page: Candidate, story: Visit, new: Sequence[NewUrl]) -> None:
        form = url_form(page.url)
        forms = [url_form(row.link.url) for row in new]
        for other in forms:
            self._traps.found(other, on=form)
        earned = story.kind is Kind.TARGET or any(other != form for other in forms)
        self._traps.fetched(form, earned=earned)

    def _let_in(self, new: Sequence[NewUrl], origin: From) -> list[Candidate]:
        waiting = (_candidate(row, origin.url) for row in new if row.status is Status.DISCOVERED)
        return [candidate for candidate in waiting if self._lets_in(candidate)]

    def _lets_in(self, candidate: Candidate) -> bool:
        """May it be fetched in this order? What the plan names stands on no page and always may."""
        return not candidate.tag_path or self.order.lets_in(
            candidate.url, candidate.parent_weight, self.site
        )

    def _count(self, candidate: Candidate, story: Visit) -> None:
        report, page = self.report, story.page
        if page.error is not ErrorCode.ROBOTS_DENIED:
            report.pages += 1
        report.bytes += len(story.response.body) if story.response else 0
        is_target = story.kind is Kind.TARGET
        report.targets += is_target
        if story.record is not None:
            report.quarantined += bool(story.record.reason)
            report.records += not story.record.reason
        if page.error is not ErrorCode.OK:
            report.errors[page.error] += 1
            report.samples.setdefault(page.error, page.url)
        self._harvest.record(is_target=is_target, score=candidate.score)
        self._hear(story)

    def _note_progress(self) -> None:
        report = self.report
        report.waiting = len(self.order.queue)
        report.in_flight = len(self._tasks)
        report.seconds = time.monotonic() - self._began
        self._watch(report)

    def expected_yield(self) -> float:
        """Return the expected number of targets among the next 100 pages."""
        return self._harvest.expected(self.order.scores(), waiting=len(self.order.queue))

    def _may_start(self) -> bool:
        limit = self._limits.pages
        return limit is None or self._spent + self.report.pages + len(self._tasks) < limit

    def _stop(self) -> Stop | None:
        limits, report = self._limits, self.report
        if self._interrupted:
            return Stop.INTERRUPTED
        if limits.pages is not None and self._spent + report.pages >= limits.pages:
            return Stop.PAGES
        if limits.seconds is not None and time.monotonic() - self._began >= limits.seconds:
            return Stop.TIME
        if limits.bytes is not None and report.bytes >= limits.bytes:
            return Stop.BYTES
        if (
            limits.least_yield is not None
            and report.pages >= YIELD_AFTER
            and report.pages % 20 == 0
        ):
            return Stop.YIELD if self.expected_yield() < 100 * limits.least_yield else None
        return None


def _request(candidate: Candidate) -> Request:
    return Request(candidate.url, candidate.depth, candidate.parent_weight)


def _links(candidate: Candidate, story: Visit) -> Sequence[Link]:
    """Return the page's links; a redirect is one link, with the anchor that led to it."""
    if story.page.status is Status.REDIRECTED:
        page = story.page
        return [Link(page.location, candidate.anchor, candidate.tag_path, candidate.rank)]
    return story.links


def _origin_of(candidate: Candidate, story: Visit, origin: From) -> From:
    """A redirect is no click and no page: what it leads to is as deep and as heavy as it was."""
    if story.page.status is Status.REDIRECTED:
        return replace(origin, depth=candidate.depth - 1, weight=candidate.parent_weight)
    return origin


def _moved(candidate: Candidate, location: str) -> Candidate:
    return replace(candidate, url=clean(location), attempts=candidate.attempts + 1, features=None)


def _candidate(new: NewUrl, parent: str) -> Candidate:
    link = new.link
    return Candidate(
        link.url,
        new.host,
        new.depth,
        parent,
        new.parent_weight,
        link.anchor,
        link.tag_path,
        link.rank,
    )


def candidate_of(row: StoredUrl) -> Candidate:
    """Return what a stored row makes wait in the frontier."""
    # A visited row holds its page's own weight: off topic that is one more than the parent's.
    visited = row.update_time is not None
    return Candidate(
        row.url,
        row.host,
        row.depth,
        parent_weight=max(0, row.weight - 1) if visited else row.weight,
        anchor=row.anchor,
        tag_path=row.tag_path,
        rank=row.rank,
        attempts=row.attempts,
    )
