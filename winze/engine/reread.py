"""The archive read again by what is known of a site now, without the network."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from winze.engine.crawl import WAIVED
from winze.engine.job import saved_verifier
from winze.engine.ledger import followed, held
from winze.engine.new_fields import with_new_fields
from winze.engine.pinned import refuse_if_failing
from winze.engine.report import Report, Stop
from winze.engine.site import Site, column_names, site_of
from winze.engine.visit import examine
from winze.engine.workspace import SiteStore
from winze.engine.writer import BATCH, UPKEEP_SECONDS
from winze.errors import NothingFoundError, UsageError
from winze.learned import Learned, load_learned, save_learned
from winze.model import Kind, Request, Response, Status, Visit
from winze.plan import Plan
from winze.store import records, replay, runs
from winze.store.crawldb import Outcome, StoredUrl
from winze.store.export import OutputFile


@dataclass(frozen=True, slots=True)
class Reread:
    """What came of reading the archive again."""

    report: Report
    #: Records that are new or have other values now.
    changed: int
    #: Good and quarantined records in the store.
    records: int
    quarantined: int
    #: Pages whose raw answer is not in the archive any more.
    lost: int = 0
    #: Fields of the plan that learned.json did not have, learned from the archived examples.
    new_fields: tuple[str, ...] = ()


def reread(
    plan: Plan,
    store: SiteStore,
    *,
    output: str | None = None,
    anew: bool = False,
    force: bool = False,
    watch: Callable[[Report], None] = lambda report: None,
    clock: Callable[[], float] = time.monotonic,
) -> Reread:
    """Examine each archived page again and keep what has changed: records, verdicts, evidence.

    Nothing is fetched, links are not followed. To an `output` the records that changed are added;
    `anew` writes the whole table. `watch` gets the report after each batch, `clock` gives seconds.
    Raises UsageError for a site that was not learned, NothingFoundError for an empty archive,
    BusyError while the site is being crawled, CheckFailedError when kept pages give other values
    and it is not forced.
    """
    with held(store, "extract") as entry:
        learned, new_fields = _learned(plan, store)
        site = site_of(plan, learned, saved_verifier(plan, learned))
        if not force:
            refuse_if_failing(plan, site, store)
        with store.read() as connection:
            if runs.load_model(connection, store.site_id, WAIVED) is not None:
                site = site.waiving()
            since = replay.last_event(connection, store.site_id)
        reading = _Reading(store, site, clock)
        with _output(store, output, column_names(plan, site), anew=anew) as reading.output:
            for report in reading.batches():
                watch(report)
        if not reading.report.pages:
            folder = store.archive.folder
            raise NothingFoundError(f"{plan.name}: the archived pages are gone from {folder}")
        done = _done(store, since, reading, new_fields)
        entry.reason = "the archive was read to its end"
        pages, targets = done.report.pages, done.report.targets
        entry.counters = {"pages": pages, "targets": targets, "changed": done.changed}
    return done


@contextmanager
def _output(
    store: SiteStore, path: str | None, columns: Sequence[str], *, anew: bool
) -> Iterator[OutputFile | None]:
    """Open a file that goes on with a line for each change; one that begins anew comes at the end.

    So the new one holds the table as it is then, and an interruption leaves the old one.
    """
    whole = anew or path == "-"
    with followed(store, None if whole else path, columns, anew=False) as file:
        yield file
    if whole:
        with followed(store, path, columns, anew=True):
            pass


def _done(store: SiteStore, since: int, reading: _Reading, new_fields: tuple[str, ...]) -> Reread:
    with store.read() as connection:
        changed = replay.records_changed(connection, store.site_id, since)
        good, quarantined = records.record_counts(connection, store.site_id)
    report = replace(reading.report, stop=Stop.DONE)
    return Reread(report, changed, good, quarantined, reading.lost, new_fields)


def _learned(plan: Plan, store: SiteStore) -> tuple[Learned, tuple[str, ...]]:
    """Return what is learned, with the fields that the plan has had since; their names, too."""
    learned = load_learned(plan.learned_path)
    if learned is None:
        raise UsageError(f"{plan.learned_path}: is missing: run winze learn {plan.path} first")
    with store.read() as connection:
        if not replay.number_of_places(connection, store.site_id):
            raise NothingFoundError(f"{plan.name}: no page is archived: winze crawl {plan.path}")
    grown, names = with_new_fields(plan, learned, store)
    if names:
        save_learned(plan.learned_path, grown)
    return grown, names


class _Reading:
    """Reads the archive in batches, each committed with the output behind it."""

    def __init__(self, store: SiteStore, site: Site, clock: Callable[[], float]) -> None:
        self.report = Report()
        self.lost = 0
        #: Follows each batch.
        self.output: OutputFile | None = None
        self._store = store
        self._site = site
        self._clock = clock

    def batches(self) -> Iterator[Report]:
        """Read on to the end; yield the report after each batch."""
        store, began, after = self._store, self._clock(), 0
        renewed = began
        with store.read() as connection:
            total = replay.number_of_places(connection, store.site_id)
        while places := self._next_places(after):
            after = places[-1].version
            self._commit([one for place in places if (one := self._examined(place)) is not None])
            now = self._clock()
            if now - renewed >= UPKEEP_SECONDS:
                store.take_lease()
                renewed = now
            self.report.seconds = now - began
            self.report.waiting = max(0, total - self.report.pages - self.lost)
            yield self.report

    def _next_places(self, after: int) -> list[replay.Place]:
        with self._store.read() as connection:
            return replay.places(connection, self._store.site_id, after=after, limit=BATCH)

    def _examined(self, place: replay.Place) -> Outcome | None:
        """Return what is to be written of a page; None if it is lost or no page any more."""
        response = self._store.answer_at(place.span)
        with self._store.read() as connection:
            row = self._store.urls.find(connection, place.key)
        if response is None or row is None:
            self.lost += 1
            return None
        # The weight of the parent is not kept; a page off topic had one less.
        request = Request(row.url, row.depth, max(0, row.weight - 1))
        visit = examine(request, response, self._site)
        self._count(visit)
        if visit.page.status is not Status.FETCHED:
            return None
        return _outcome(row, response, visit)

    def _count(self, visit: Visit) -> None:
        self.report.pages += 1
        self.report.targets += visit.kind is Kind.TARGET
        if visit.record is not None:
            self.report.records += not visit.record.reason
            self.report.quarantined += bool(visit.record.reason)

    def _commit(self, outcomes: Sequence[Outcome]) -> None:
        with self._store.write() as connection:
            if outcomes:
                self._store.urls.commit(connection, outcomes)
            if self.output is not None:
                self.output.follow(connection)


def _outcome(row: StoredUrl, response: Response, visit: Visit) -> Outcome:
    """Return a page's outcome: what is known of its fetching stays as it is."""
    page = replace(visit.page, status=row.status)
    response = replace(response, fetched_at=row.update_time or response.fetched_at)
    story = replace(visit, page=page, response=response)
    return Outcome(row.key, story, row.attempts, score=row.score)
