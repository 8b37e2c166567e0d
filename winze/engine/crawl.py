"""The crawl loop: generate, visit, update (Nutch's cycle), until limits or silence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from winze.engine.admission import Admission, From
from winze.engine.frontier import Frontier
from winze.engine.guard import Guard
from winze.engine.network import Network
from winze.engine.order import Order
from winze.engine.report import Limits, Report, Stop
from winze.engine.site import Site
from winze.engine.visit import examine, visit
from winze.engine.writer import Writer
from winze.frontier.harvest import Harvest
from winze.frontier.queue import Candidate
from winze.model import ErrorCode, Kind, Link, Page, Request, Response, Status, Visit
from winze.parse.caching import is_cache_hit
from winze.parse.page import read_page
from winze.store.crawldb import NewUrl, Outcome
from winze.store.sources import SourceRow
from winze.urls.canonical import clean, host_of, key

#: Redirects of a page to another spelling of itself (www, https, slash) that are followed.
MAX_MOVES = 5

#: Pages that --until-yield waits for before it believes the forecast.
YIELD_AFTER = 200

#: The name under which a crawl notes that noindex and nofollow are waived on its site.
WAIVED = "wishes waived"

#: Answers without a status: the URL was not asked for, since its host or robots.txt is unwell.
_NOT_ASKED = frozenset({ErrorCode.RATE_LIMITED, ErrorCode.HTTP_5XX})

#: Longest sleep while every host is busy (seconds).
NAP = 0.05


class Crawl:
    """One crawl of one site in one order.

    `spent` pages count against the page limit already. `watch` is called with the report after
    every page, `hear` with its visit. `guard` goes on from an earlier run.
    """

    def __init__(
        self,
        site: Site,
        order: Order,
        writer: Writer,
        network: Network,
        admission: Admission,
        *,
        limits: Limits | None = None,
        guard: Guard | None = None,
        spent: int = 0,
        watch: Callable[[Report], None] = lambda report: None,
        hear: Callable[[Visit], None] = lambda story: None,
    ) -> None:
        self.report = Report()
        self.order = order
        self.guard = guard or Guard(site, probes=network.probes)
        self.site = site
        self._writer = writer
        self._network = network
        self._admission = admission
        self._limits = limits or Limits()
        self._spent = spent
        self._watch = watch
        self._hear = hear
        self._harvest = Harvest()
        self._frontier = Frontier(order, writer.waiting, self._lets_in)
        self._began = time.monotonic()
        self._running: set[asyncio.Task[None]] = set()
        #: Readers of sources.
        self._feeding: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._failure: BaseException | None = None
        self._interrupted = False

    @property
    def site(self) -> Site:
        """What is known about the site; may grow while it is crawled."""
        return self._site

    @site.setter
    def site(self, site: Site) -> None:
        self._site = self.guard.site = site

    def states(self) -> dict[str, bytes]:
        """Return by name what is to be kept of the crawl beside its rows."""
        waived = self.site.may_waive and not self.site.heeds_wishes
        return {"guard": self.guard.to_bytes()} | ({WAIVED: b"1"} if waived else {})

    def interrupt(self) -> None:
        """Let the crawl end after what is in flight."""
        self._interrupted = True
        self._ended.set()

    def limit_pages(self, pages: int | None) -> None:
        """Set the page limit anew, `spent` pages included."""
        self._limits = replace(self._limits, pages=pages)

    def resume(self, waiting: Mapping[str, int]) -> None:
        """Let the rows wait that an earlier run left: their number by host."""
        self._frontier.await_rows(waiting)

    async def inject(
        self, links: Sequence[Link], sources: Sequence[SourceRow] = ()
    ) -> list[NewUrl]:
        """Give start links, examples and entries of sources a row, and let them wait."""
        new = self._admit(links, From())
        if new or sources:
            await self._writer.inject(new, sources)
            self._frontier.push(self._let_in(new, From()))
            self._ended.set()
        return new

    def feed(self, work: Coroutine[None, None, None]) -> None:
        """Let a source inject its entries while the crawl runs; it is cancelled with the crawl."""
        self._spawn(work, self._feeding)

    async def run(self) -> Report:
        """Crawl until a limit or until nothing is left; return what was done."""
        try:
            stop = await self._until_stop()
        finally:
            await self._end_feeding()
        while self._running:
            await self._any_ended()
        if self._failure is not None:
            raise self._failure
        self._note_progress()
        self._conclude(stop)
        return self.report

    async def _until_stop(self) -> Stop | None:
        while (stop := self._stop()) is None and self._failure is None:
            candidate = await self._next()
            if candidate is not None:
                self._spawn(self._go(candidate), self._running)
            elif self._running or self._feeding:
                await self._any_ended()
            elif self._is_exhausted():
                return Stop.HOSTS if len(self._frontier) else Stop.DONE
            else:
                await asyncio.sleep(NAP)
        return stop

    async def _end_feeding(self) -> None:
        for task in self._feeding:
            task.cancel()
        await asyncio.gather(*self._feeding, return_exceptions=True)

    def _conclude(self, stop: Stop | None) -> None:
        report, seen = self.report, self.guard.report
        report.stop = stop
        report.given_up = dict(self._network.given_up())
        report.traps, report.idle = seen.traps, seen.idle
        report.duplicates, report.near_duplicates = seen.duplicates, seen.near_duplicates

    async def fetch_now(self, candidate: Candidate) -> Visit:
        """Visit a waiting URL out of turn."""
        self._frontier.take(candidate.url)
        story = await self._visit(candidate)
        return await self._settle(candidate, story)

    async def take(self, response: Response) -> None:
        """Settle a page that was fetched before the crawl began."""
        url = clean(response.url)
        await self.inject([Link(response.url)])
        self._frontier.take(url)
        candidate = Candidate(url, host_of(url))
        await self._settle(candidate, examine(_request(candidate), response, self.site))

    async def _next(self) -> Candidate | None:
        """Return the next URL to fetch, or None while there is none or no room for it."""
        if len(self._running) >= self._network.concurrency or not self._may_start():
            return None
        while (candidate := await self._frontier.pop(self._busy())) is not None:
            refusal = self._refusal(candidate)
            if refusal is None:
                return candidate
            self._frontier.settled(candidate.url)
            await self._writer.put(refusal)
        return None

    def _refusal(self, candidate: Candidate) -> Outcome | None:
        """Return the row's end without a fetch: a learned alias, or an endless place."""
        url = candidate.url
        known = self.guard.alias_of(url)
        error = ErrorCode.PRODUCT_EXISTS if known is not None else self.guard.refuses(url)
        if error is ErrorCode.OK:
            return None
        new: list[NewUrl] = []
        if known is not None:
            link = Link(known, candidate.anchor, candidate.tag_path, candidate.rank)
            new = self._admit(
                [link], From(b"", candidate.parent, candidate.depth - 1, candidate.parent_weight)
            )
            self._frontier.push(self._let_in(new, From(url=candidate.parent)))
        story = Visit(
            _request(candidate), Page(url, Status.EXCLUDED, error), weight=candidate.parent_weight
        )
        return Outcome(
            key(url),
            story,
            candidate.attempts,
            tuple(new),
            alias_of=key(known) if known is not None else None,
        )

    def _busy(self) -> Collection[str]:
        pace, lost = self._network.pace, self._network.given_up()
        busy = pace.busy_hosts(time.monotonic()) if pace is not None else frozenset()
        return busy | lost.keys() if lost else busy

    def _is_exhausted(self) -> bool:
        """Can nothing be fetched any more, however long one waits?"""
        return not self._frontier.has_other(self._network.given_up().keys())

    def _spawn(self, work: Coroutine[None, None, None], group: set[asyncio.Task[None]]) -> None:
        task = asyncio.create_task(work)
        group.add(task)
        task.add_done_callback(self._note_end)

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._feeding.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failure = self._failure or failure
        self._ended.set()

    async def _any_ended(self) -> None:
        """Wait until a visit has ended, or a host that something waits for may be asked again."""
        self._ended.clear()
        room = len(self._running) < self._network.concurrency and self._may_start()
        if not (room and len(self._frontier)):
            await self._ended.wait()
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), NAP)

    async def _go(self, candidate: Candidate) -> None:
        await self._settle(candidate, await self._visit(candidate))

    async def _visit(self, candidate: Candidate) -> Visit:
        request, network = _request(candidate), self._network
        if network.rendering is not None:
            return await network.rendering.visit(request, self.site, network.fetch)
        return await visit(request, self.site, network.fetch)

    async def _settle(self, candidate: Candidate, story: Visit) -> Visit:
        """Count a visit, learn from it, admit its links, and let it be written."""
        page = story.page
        self._frontier.settled(candidate.url)
        if page.error in _NOT_ASKED and page.http_status == 0:
            self._frontier.put_back(candidate, candidate.url)
            return story
        if (page.noindex or page.nofollow) and _is_named(candidate):
            # Whoever names a page means it, whatever it asks of robots, and so its site.
            self.site = self.site.waiving()
        identity = key(candidate.url)
        if page.status is Status.REDIRECTED and key(page.location) == identity:
            if candidate.attempts < MAX_MOVES:
                self._count(candidate, story)
                self._frontier.put_back(_moved(candidate, page.location), candidate.url)
                return story
            page = replace(page, status=Status.FETCH_ERROR, error=ErrorCode.REDIRECT_LOOP)
            story = replace(story, page=page)
        origin = From(identity, candidate.url, candidate.depth, story.weight)
        new = self._admit(_links(candidate, story), _origin_of(candidate, story, origin))
        ruling = self.guard.settle(candidate, story, new)
        story = ruling.story
        self._count(candidate, story)
        found = self._let_in(new, origin)
        self.order.learn(candidate, story, found)
        self._frontier.push(found)
        self._probe(story)
        attempts = candidate.attempts + 1
        await self._writer.put(
            Outcome(
                identity,
                story,
                attempts,
                tuple(new),
                candidate.score,
                candidate.parent,
                simhash=ruling.simhash,
            )
        )
        self._note_progress()
        return story

    def _probe(self, story: Visit) -> None:
        """Ask a host for a page that it cannot have; it counts against the page limit."""
        url = self.guard.probe_for(story) if self._may_start() else None
        if url is not None:
            self._spent += 1
            self._spawn(self._ask_made_up(url), self._running)

    async def _ask_made_up(self, url: str) -> None:
        """Learn how a host says "not found"; what it said so before is gone."""
        page, _ = read_page(await self._network.fetch(Request(url)))
        for same in self.guard.probed(url, page):
            gone = Page(same, Status.GONE, ErrorCode.SOFT_404)
            await self._writer.put(Outcome(key(same), Visit(Request(same), gone)))

    def _admit(self, links: Sequence[Link], origin: From) -> list[NewUrl]:
        return self._admission.admit(links, origin, self.site, self.guard.canonical)

    def _let_in(self, new: Sequence[NewUrl], origin: From) -> list[Candidate]:
        waiting = (_candidate(row, origin.url) for row in new if row.status is Status.DISCOVERED)
        return [candidate for candidate in waiting if self._lets_in(candidate)]

    def _lets_in(self, candidate: Candidate) -> bool:
        """May it be fetched in this order? What the plan names stands on no page and always may."""
        if not self.site.wants(candidate.url):
            return False
        return not candidate.tag_path or self.order.lets_in(
            candidate.url, candidate.parent_weight, self.site
        )

    def _count(self, candidate: Candidate, story: Visit) -> None:
        report, page = self.report, story.page
        if page.error is not ErrorCode.ROBOTS_DENIED or page.http_status:
            report.pages += 1
        if story.response is not None:
            report.bytes += len(story.response.body)
            report.cache_hits += is_cache_hit(story.response.headers)
        report.unchanged += page.status is Status.UNCHANGED
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
        report.waiting = len(self._frontier)
        report.in_flight = len(self._running)
        report.seconds = time.monotonic() - self._began
        self._watch(report)

    def expected_yield(self) -> float:
        """Return the expected number of targets among the next 100 pages."""
        return self._harvest.expected(self.order.scores(), waiting=len(self._frontier))

    def _may_start(self) -> bool:
        limit = self._limits.pages
        return limit is None or self._spent + self.report.pages + len(self._running) < limit

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
    return Request(candidate.url, candidate.depth, candidate.parent_weight, candidate.validators)


def _is_named(candidate: Candidate) -> bool:
    """Is it a start link or an example? It stands on no page."""
    return candidate.depth == 0 and not candidate.tag_path


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
