"""The main job: learn a site if that was not done, then crawl it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from winze.engine.admission import Admission
from winze.engine.crawl import WAIVED, Crawl
from winze.engine.drift_watch import DriftWatch, keep_evidence
from winze.engine.frontier import candidate_of
from winze.engine.guard import Guard
from winze.engine.interruption import Interruption
from winze.engine.ledger import followed, held
from winze.engine.network import Network, network_for
from winze.engine.order import OrderName, order_named
from winze.engine.pinned import refuse_if_failing, saved_examples
from winze.engine.plugged import order_options
from winze.engine.report import Limits, Report, Stop
from winze.engine.site import Site, column_names, site_of
from winze.engine.source_files import opener, sitemap_roots
from winze.engine.sources import Sources
from winze.engine.survey import Survey, Surveyed, Table
from winze.engine.workspace import SiteStore
from winze.engine.writer import Writer
from winze.fetch.client import Client
from winze.fetch.gate import Gate
from winze.judge.drift import Alarm
from winze.judge.verifier import Verifier
from winze.learn.order import LinkModel
from winze.learned import Learned, load_learned
from winze.model import Kind, Link, Visit
from winze.plan import Plan
from winze.store import records, runs
from winze.store.reports import quarantine_reasons
from winze.store.sources import ask_again, read_sources


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user asks of one run, besides the plan."""

    order: str = OrderName.LEARNED
    limits: Limits = field(default_factory=Limits)
    #: `-o` or `-O`; None writes no file.
    output: str | None = None
    overwrite: bool = False
    #: Visit every known URL again.
    fresh: bool = False
    obey_robots: bool = True
    #: Go on though kept pages fail their check.
    force: bool = False
    #: `--pages` of the pre-crawl.
    survey_pages: int | None = None


@dataclass(slots=True)
class Watcher:
    """Who is told while a job runs; each does nothing unless it is set."""

    first_look: Callable[[Table], None] = lambda table: None
    surveyed: Callable[[Surveyed], None] = lambda surveyed: None
    #: Gets the crawl that runs now; its report is up to date at any time.
    crawling: Callable[[Crawl], None] = lambda crawl: None
    page: Callable[[Report], None] = lambda report: None
    visit: Callable[[Visit], None] = lambda visit: None


@dataclass(frozen=True, slots=True)
class Done:
    """What a job came to."""

    report: Report
    #: URLs that were done before this run's crawl.
    before: int = 0
    #: Pages that this run fetched to learn from; the report does not count them.
    learning: int = 0
    #: Good and quarantined records in the store.
    records: int = 0
    quarantined: int = 0
    #: Why they are in quarantine, and how many: the most frequent first.
    reasons: tuple[tuple[str, int], ...] = ()
    #: Fields that are not what they were in the runs before.
    drift: tuple[Alarm, ...] = ()


@dataclass(frozen=True, slots=True)
class Job:
    """One run for one plan on its open store."""

    plan: Plan
    store: SiteStore
    wish: Wish = field(default_factory=Wish)
    watcher: Watcher = field(default_factory=Watcher)
    #: None: the real one.
    network: Network | None = None
    #: Shared by the jobs of one run; None: the job has its own.
    gate: Gate | None = None
    interruption: Interruption = field(default_factory=Interruption)

    async def learn(self) -> Surveyed:
        """Run the learn phase alone and write learned.json."""
        with held(self.store, "learn", robots_ignored=not self.wish.obey_robots) as entry:
            async with self._network() as network:
                surveyed = await self._survey(network)
            entry.reason = str(Stop.DONE)
            pages, errors = surveyed.report.pages, surveyed.report.errors
            entry.counters = _counters(Report(pages=pages, errors=errors))
        return surveyed

    async def crawl(self) -> Done:
        """Learn the site unless learned.json is there, then crawl it to the end or a limit."""
        with held(self.store, "crawl", robots_ignored=not self.wish.obey_robots) as entry:
            learned = load_learned(self.plan.learned_path)
            if learned is not None and not self.wish.force:
                refuse_if_failing(self.plan, site_of(self.plan, learned), self.store)
            if self.wish.fresh:
                with self.store.write() as connection:
                    self.store.urls.reset(connection)
                    ask_again(connection, self.store.site_id)
            async with self._network() as network:
                spent = Report()
                if learned is None:
                    surveyed = await self._survey(network)
                    learned, spent = surveyed.learned, surveyed.report
                    self.watcher.surveyed(surveyed)
                done = await self._crawl(network, learned, spent)
            entry.reason, entry.counters = str(done.report.stop), _counters(done.report)
        return done

    @asynccontextmanager
    async def _network(self) -> AsyncIterator[Network]:
        if self.network is not None:
            yield self.network
            return
        async with network_for(
            self.plan, obey_robots=self.wish.obey_robots, gate=self.gate
        ) as network:
            yield network

    def _plan(self) -> Plan:
        """Return the plan; who has robots ignored means the wishes of pages, too."""
        ignoring = {"meta_robots": "ignore"}
        return self.plan if self.wish.obey_robots else self.plan.model_copy(update=ignoring)

    async def _survey(self, network: Network) -> Surveyed:
        survey = Survey(
            self._plan(),
            self.store,
            network,
            most_pages=self.wish.survey_pages,
            limit=self.wish.limits.pages,
            watch=self.watcher.page,
            hear=self.watcher.visit,
            first_look=self.watcher.first_look,
        )
        return await survey.run()

    async def _crawl(self, network: Network, learned: Learned, spent: Report) -> Done:
        plan, store, order = self._plan(), self.store, self.wish.order
        site = site_of(plan, learned, saved_verifier(plan, learned))
        with store.read() as connection:
            admission = Admission(store.urls.keys(connection))
            left = store.urls.waiting_hosts(connection, before=store.clock())
            model = _model(plan, store, runs.load_model(connection, store.site_id, "links"))
            if runs.load_model(connection, store.site_id, WAIVED) is not None:
                site = site.waiving()
            guard = _guard(site, network, runs.load_model(connection, store.site_id, "guard"))
        before = len(admission) - sum(left.values())
        names = site.wrapper.field_names() if site.wrapper is not None else []
        drift = DriftWatch(store, names, fresh=self.wish.fresh)

        def hear(visit: Visit) -> None:
            drift.hear(visit)
            self.watcher.visit(visit)

        output = followed(
            store, self.wish.output, column_names(plan, site), anew=self.wish.overwrite
        )
        with output as file:
            async with Writer(
                store,
                file,
                lambda: {"links": model.to_bytes()} | crawl.states(),
                archives=plan.archive,
                headers=network.headers,
            ) as writer:
                crawl = Crawl(
                    site,
                    order_named(order, model, order_options(plan, order)),
                    writer,
                    network,
                    admission,
                    limits=self.wish.limits,
                    guard=guard,
                    spent=spent.pages,
                    watch=self.watcher.page,
                    hear=hear,
                )
                crawl.report.go_on_from(spent)
                crawl.resume(left)
                self.watcher.crawling(crawl)
                with self.interruption.heeded_by(crawl):
                    links = [Link(url) for url in [*self.plan.starts(), *self.plan.examples]]
                    await crawl.inject(links)
                    if plan.sitemap and network.client is not None:
                        crawl.feed(self._read_sources(crawl, network.client))
                    report = await crawl.run()
        alarms = drift.conclude()
        keep_evidence(plan, store, alarms)
        with store.read() as connection:
            good, quarantined = records.record_counts(connection, store.site_id)
            reasons = quarantine_reasons(connection, store.site_id)
        return Done(report, before, spent.pages, good, quarantined, tuple(reasons), tuple(alarms))

    async def _read_sources(self, crawl: Crawl, client: Client) -> None:
        """Let what the site's sitemaps list wait, each batch with the progress that it makes."""
        roots = await sitemap_roots(client, self.plan.starts())
        with self.store.read() as connection:
            known = read_sources(connection, self.store.site_id)
        sources = Sources(opener(client), roots, known, clock=self.store.clock)
        async with aclosing(sources.batches()) as batches:
            async for batch in batches:
                await crawl.inject(batch.links, batch.rows)


def saved_verifier(plan: Plan, learned: Learned) -> Verifier | None:
    """Return the verifier of learned.json, its examples read from the saved pages."""
    thresholds = [rule.similarity for rule in learned.rules if rule.similarity is not None]
    examples = tuple(tree.tag_paths() for _, tree in saved_examples(plan.folder))
    return Verifier(min(thresholds), examples) if thresholds and examples else None


def _model(plan: Plan, store: SiteStore, state: bytes | None) -> LinkModel:
    """Return the kept link model, or one that learns from the pages fetched so far."""
    words = plan.expression.words() if plan.expression else ()
    if state is not None:
        try:
            return LinkModel.from_bytes(state, words)
        except ValueError:
            pass  # another version's: learn anew below
    model = LinkModel(words)
    for url in plan.examples:
        model.observe_example(url)
    with store.read() as connection:
        for row in store.urls.fetched(connection):
            model.observe(model.features(candidate_of(row)), target=float(row.kind is Kind.TARGET))
    return model


def _guard(site: Site, network: Network, state: bytes | None) -> Guard:
    """Return the guard of an earlier run, or a new one."""
    if state is not None:
        try:
            return Guard.from_bytes(site, state, probes=network.probes)
        except ValueError:
            pass  # another version's: learn anew
    return Guard(site, probes=network.probes)


def _counters(report: Report) -> dict[str, object]:
    return {
        "pages": report.pages,
        "targets": report.targets,
        "records": report.records,
        "quarantined": report.quarantined,
        "unchanged": report.unchanged,
        "cache_hits": report.cache_hits,
        "duplicates": report.duplicates,
        "near_duplicates": report.near_duplicates,
        "traps": report.traps,
        "errors": {error.name: number for error, number in report.errors.items()},
    }
