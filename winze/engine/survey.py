"""The learn phase: look at the examples, crawl a little, and write down what was learned."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from winze.engine.admission import Admission
from winze.engine.crawl import Crawl
from winze.engine.drift_watch import keep_baseline, tally_of
from winze.engine.examples import (
    Sample,
    check_examples,
    check_starts,
    fetch_sample,
    within,
)
from winze.engine.lessons import (
    Seen,
    fields_of,
    first_verifier,
    host_rules,
    observation,
    proposed,
    refined,
    sharpened,
    urls_of,
)
from winze.engine.network import Network
from winze.engine.order import LearnedOrder
from winze.engine.pinned import pin_more, save_examples
from winze.engine.rendering import ExampleLacks
from winze.engine.report import Report
from winze.engine.site import Site, site_of, spellings
from winze.engine.visit import tell
from winze.engine.workspace import SiteStore
from winze.engine.writer import Writer
from winze.extract.wrapper import Value, Wrapper, apply
from winze.learn.field_types import settled
from winze.learn.order import LinkModel
from winze.learn.samples import with_samples
from winze.learn.url_filters import (
    Observation,
    UrlFilters,
    learn_url_filters,
    next_audit,
)
from winze.learn.wrappers import Example, learn_wrapper
from winze.learned import (
    Learned,
    load_learned,
    merge_by_hand,
    save_learned,
    with_hand_paths,
)
from winze.model import Kind, Link, Request, Status, Visit
from winze.parse.html import Tree
from winze.parse.link_lists import listed_links
from winze.parse.page import read_page
from winze.plan import Plan
from winze.store.crawldb import Outcome

#: Pages of the pre-crawl: a tenth of the URLs known, between these.
LEAST_PAGES, MOST_PAGES = 40, 500

#: The pre-crawl ends early when the filters stayed the same for so many pages.
STABLE_PAGES = 50

#: Start links that are looked at before anything else.
FIRST_STARTS = 3

#: Target pages that give a second opinion on the field paths.
UNLABELLED_PAGES = 20

#: Target pages after which a field never seen absent is required: absent on 3 % at the most, with
#: 95 % confidence (rule of three).
ENOUGH_TARGETS = 100

#: Pages shown to the user with what each field gives there.
SHOWN_PAGES = 5

#: URL and record of some pages.
Table = list[tuple[str, dict[str, Value]]]


@dataclass(frozen=True, slots=True)
class Surveyed:
    """What a survey found, for the user to look at."""

    learned: Learned
    filters: UrlFilters
    site: Site
    #: What the pre-crawl did; its pages count against the page limit.
    report: Report
    examples: Table = field(default_factory=list)
    #: What the fields give on pages that the plan did not name.
    others: Table = field(default_factory=list)


class Survey:
    """The learn phase of one plan; `run` tells its story.

    `most_pages` is the user's `--pages`, `limit` the page limit of the whole job. `watch` gets
    the report after each page, `first_look` what the fields give on the examples, in seconds.
    """

    def __init__(
        self,
        plan: Plan,
        store: SiteStore,
        network: Network,
        *,
        most_pages: int | None = None,
        limit: int | None = None,
        watch: Callable[[Report], None] = lambda report: None,
        hear: Callable[[Visit], None] = lambda story: None,
        first_look: Callable[[Table], None] = lambda table: None,
    ) -> None:
        self.plan = plan
        self.model = LinkModel(plan.expression.words() if plan.expression else ())
        self.crawl: Crawl | None = None
        self._store = store
        self._network = network
        self._order = LearnedOrder(self.model)
        self._most_pages = most_pages
        self._limit = limit
        self._watch = watch
        self._tell = hear
        self._first_look = first_look
        self._heard: list[Observation] = []
        #: Pages that an earlier run left in the archive; they teach as well as new ones.
        self._before = 0

    async def run(self) -> Surveyed:
        """Learn the site and write learned.json.

        Raises PlanError for examples that cannot be learned from, NothingFoundError when the
        site gives nothing to learn from, UsageError for a page limit below the first look.
        """
        fetch = within(self._limit, self._network.samples(ExampleLacks(self.plan)))
        starts = [await fetch_sample(url, fetch) for url in self.plan.starts()[:FIRST_STARTS]]
        check_starts(starts)
        samples = [await fetch_sample(url, fetch) for url in self.plan.examples]
        told = check_examples(self.plan, samples)
        wrapper = self._wrapper(told, [])
        if wrapper is not None:
            self._first_look([(s.page.url, apply(wrapper, s.tree)) for s in samples if s.tree])
        verifier = first_verifier(samples, [start.tree for start in starts if start.tree])
        site = replace(
            site_of(self.plan, verifier=verifier),
            wrapper=wrapper,
            origins=spellings([sample.page.url for sample in [*samples, *starts]]),
        )
        if any(sample.page.noindex or sample.page.nofollow for sample in [*samples, *starts]):
            # Whoever names a page means it, whatever it asks of robots, and so its site.
            site = site.waiving()
        async with Writer(
            self._store, states=self._states, headers=self._network.headers
        ) as writer:
            crawl = self.crawl = await self._begin(site, writer, [*samples, *starts])
            await self._pre_crawl(crawl)
            await writer.settled()
            seen = list(self._read(site))
            samples = samples or proposed(seen, starts[0])
            crawl.site = site = refined(crawl.site, samples, seen, self._known())
            drawn = await self._audit(crawl, sharpened(seen, site), samples)
            await writer.settled()
        # The audit's pages were drawn by chance: they tell best where the threshold lies.
        seen = list(self._read(site))
        site = refined(site, samples, seen, self._known())
        observations = self._observations(sharpened(seen, site), samples, drawn)
        filters = learn_url_filters(
            observations, self._known(), urls_of(samples), likelihoods=self._order.likelihoods()
        )
        return self._conclude(filters, site, samples, told)

    def _states(self) -> dict[str, bytes]:
        crawl = self.crawl.states() if self.crawl is not None else {}
        return {"links": self.model.to_bytes()} | crawl

    def _wrapper(self, told: Sequence[Example], unlabelled: Sequence[Tree]) -> Wrapper | None:
        """Learn the field paths; those written by hand, in the plan or the old file, stay."""
        if not self.plan.fields and not self.plan.select:
            return None
        wrapper = learn_wrapper(told, unlabelled) if self.plan.fields else Wrapper()
        old = load_learned(self.plan.learned_path)
        by_hand = [old.wrapper] if old is not None else []
        by_hand += [Wrapper.from_json(dict(self.plan.select))] if self.plan.select else []
        for existing in by_hand:
            wrapper = with_hand_paths(wrapper, existing)
        return wrapper

    async def _begin(self, site: Site, writer: Writer, samples: Sequence[Sample]) -> Crawl:
        """Let the samples be the first visits, and everything else that is known wait."""
        with self._store.read() as connection:
            admission = Admission(self._store.urls.keys(connection))
            left = self._store.urls.waiting_hosts(connection, before=self._store.clock())
            self._before = sum(1 for _ in self._store.urls.fetched(connection))
        crawl = Crawl(
            site,
            self._order,
            writer,
            self._network,
            admission,
            watch=self._watch,
            hear=self._hear,
        )
        for url in self.plan.examples:
            self.model.observe_example(url)
        crawl.resume(left)
        for sample in samples:
            crawl.report.pages += sample.hops - 1
            await crawl.take(sample.response)
        await crawl.inject([Link(url) for url in self.plan.starts()])
        return crawl

    async def _pre_crawl(self, crawl: Crawl) -> None:
        """Crawl until enough is known: a share of the site, or filters that stay the same."""
        forms: tuple[str, ...] = ()
        changed_at = 0
        while True:
            goal = self._goal()
            if crawl.report.pages >= goal:
                return
            step = min(goal, crawl.report.pages + STABLE_PAGES // 2)
            crawl.limit_pages(step)
            report = await crawl.run()
            now = self._target_forms()
            if now != forms:
                forms, changed_at = now, report.pages
            stable = bool(forms) and report.pages - changed_at >= STABLE_PAGES
            if report.pages < step:
                return
            if stable and self._most_pages is None and report.pages >= LEAST_PAGES:
                return

    def _goal(self) -> int:
        """Return how many pages the pre-crawl may have, by what is known now."""
        with self._store.read() as connection:
            known = sum(self._store.urls.counts(connection).values())
        usual = max(LEAST_PAGES, min(MOST_PAGES, known // 10))
        wanted = self._most_pages if self._most_pages is not None else usual
        goal = max(0, wanted - self._before)
        return goal if self._limit is None else min(goal, self._limit)

    def _target_forms(self) -> tuple[str, ...]:
        """Return the target patterns by what the crawl saw so far."""
        waiting = [candidate.url for candidate in self._order.waiting()]
        filters = learn_url_filters(self._heard, waiting, self.plan.examples)
        return tuple(pattern.regex for pattern in filters.targets) or (filters.decided_by,)

    def _hear(self, visit: Visit) -> None:
        self._tell(visit)
        if visit.page.status is Status.FETCHED:
            self._heard.append(observation(visit))

    def _known(self) -> list[str]:
        with self._store.read() as connection:
            return [row.url for row in self._store.urls.all(connection)]

    def _read(self, site: Site) -> Iterator[Seen]:
        """Yield the pages of the pre-crawl again, judged by what is known now."""
        for row, response in self._store.archived():
            if listed_links(response) is not None:
                continue
            page, tree = read_page(response)
            if tree is not None:
                # The weight of the parent is not kept; a page off topic had one less.
                request = Request(row.url, row.depth, max(0, row.weight - 1))
                paths = tree.tag_paths()
                at = response.fetched_at
                visit = tell(request, page, tree, site, body=response.body, at=at)
                yield Seen(row, response, paths, visit)

    async def _audit(
        self, crawl: Crawl, seen: Sequence[Visit], samples: Sequence[Sample]
    ) -> set[str]:
        """Fetch a few URLs of the examples' form by chance, until it is clear what it tells."""
        examples = urls_of(samples)
        observations = self._observations(seen, samples, set())
        while self._limit is None or crawl.report.pages < self._limit:
            waiting = {candidate.url: candidate for candidate in self._order.waiting()}
            drawn = {one.url for one in observations if one.drawn}
            open_urls = [url for url in waiting if url not in drawn]
            likely = self._order.likelihoods()
            url = next_audit(observations, open_urls, examples, likelihoods=likely)
            if url is None or url not in waiting:
                break
            visit = await crawl.fetch_now(waiting[url])
            # A redirect or an error is a miss of the form that was asked.
            observations.append(replace(observation(visit), url=url, drawn=True))
        return {one.url for one in observations if one.drawn}

    def _observations(
        self, seen: Sequence[Visit], samples: Sequence[Sample], drawn: set[str]
    ) -> list[Observation]:
        """Return what URL filters are learned from; drawn URLs that gave no page are misses."""
        examples = urls_of(samples)
        observations = [
            replace(one, drawn=one.url in drawn)
            for one in (observation(visit, examples) for visit in seen)
        ]
        empty = drawn - {one.url for one in observations}
        return observations + [Observation(url, False, drawn=True) for url in empty]

    def _conclude(
        self, filters: UrlFilters, site: Site, samples: Sequence[Sample], told: Sequence[Example]
    ) -> Surveyed:
        """Write learned.json and judge the pages of the pre-crawl by it."""
        assert self.crawl is not None
        others = list(self._target_trees(site, samples))
        wrapper = self._wrapper(told, others)
        if wrapper is not None:
            trees = [*(one.tree for one in told), *others]
            wrapper = with_samples(settled(wrapper, trees), trees)
        rules = host_rules(filters, site, urls_of(samples))
        old = load_learned(self.plan.learned_path)
        learned = merge_by_hand(Learned(rules, wrapper or Wrapper()), old)
        if old is None:
            required = self._required(self._site_by(learned, site))
            learned = replace(learned, required=required)
        save_learned(self.plan.learned_path, learned)
        site = self._site_by(learned, site)
        table = self._judge_again(site)
        records = [(sample.page.url, fields_of(sample, site)) for sample in samples]
        day = datetime.fromtimestamp(self._store.clock(), UTC).date()
        kept = [(one.page.url, one.tree) for one in samples if one.tree is not None]
        save_examples(self.plan, kept, site, day)
        pin_more(self.plan, self._store, site)
        keep_baseline(self._store, tally_of(table if wrapper is not None else ()))
        named = set(urls_of(samples))
        shown = [row for row in table if row[0] not in named][:SHOWN_PAGES]
        return Surveyed(learned, filters, site, self.crawl.report, records, shown)

    def _target_trees(self, site: Site, samples: Sequence[Sample]) -> Iterator[Tree]:
        """Yield trees of target pages that are no examples."""
        named = set(urls_of(samples))
        found = 0
        for row, response in self._store.archived():
            if row.kind is Kind.TARGET and row.url not in named and found < UNLABELLED_PAGES:
                _, tree = read_page(response)
                if tree is not None:
                    found += 1
                    yield tree

    def _site_by(self, learned: Learned, site: Site) -> Site:
        """Return the site as learned.json tells it, and what only its pages say of it."""
        heeds = site.heeds_wishes
        return replace(site_of(self.plan, learned, site.verifier), heeds_wishes=heeds)

    def _required(self, site: Site) -> tuple[str, ...]:
        """Return the plan's first field, and those that no target page was seen without.

        Fewer pages than ENOUGH_TARGETS say nothing of a field that is rarely absent.
        """
        names = [name for name, values in self.plan.fields.items() if all(values)]
        records = [seen.visit.record for seen in self._read(site) if seen.visit.record]
        always = [
            name
            for name in names[1:]
            if len(records) >= ENOUGH_TARGETS and all(record.fields.get(name) for record in records)
        ]
        return (*names[:1], *always)

    def _judge_again(self, site: Site) -> Table:
        """Commit what the learned rules say of the pages of the pre-crawl; return the records."""
        table: Table = []
        batch: list[Outcome] = []
        for seen in self._read(site):
            batch.append(Outcome(seen.row.key, seen.visit, seen.row.attempts, score=seen.row.score))
            record = seen.visit.record
            if record is not None:
                table.append((record.url, dict(record.fields)))
        with self._store.write() as connection:
            if batch:
                self._store.urls.commit(connection, batch)
        return table
