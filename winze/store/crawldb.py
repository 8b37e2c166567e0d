"""The URL table: each URL of a site has exactly one row and one status (Nutch's crawldb)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select, update

from winze.model import ErrorCode, Kind, Link, Status, Verdict, Visit
from winze.store import records, schema
from winze.store.archive import Span
from winze.store.database import insert_new

#: Fetches of one URL before its fetch error is final.
MAX_ATTEMPTS = 3

#: Keys asked for in one query; SQLite takes at most 32,766 parameters.
_KEYS_AT_ONCE = 500

#: Statuses of pages whose content is in the store.
WITH_CONTENT = (Status.FETCHED, Status.UNCHANGED)


@dataclass(frozen=True, slots=True)
class NewUrl:
    """A URL that is to have a row, and the first link that led to it."""

    key: bytes
    link: Link
    host: str
    bucket: int
    depth: int = 0
    #: Key of the page on which the link stood; empty for a start link.
    parent: bytes = b""
    parent_weight: int = 0
    kind: Kind = Kind.OTHER
    status: Status = Status.DISCOVERED
    error: ErrorCode = ErrorCode.OK


@dataclass(frozen=True, slots=True)
class StoredUrl:
    """A row of the URL table, as the crawl and the reports see it."""

    key: bytes
    url: str
    host: str
    kind: Kind
    status: Status
    verdict: Verdict
    error: ErrorCode
    http_status: int
    weight: int
    score: float | None
    depth: int
    parent: bytes
    anchor: str
    tag_path: str
    rank: int
    attempts: int
    update_time: float | None
    location: str | None
    canonical: str | None
    similarity: float | None
    keywords: bool | None
    url_match: bool | None
    links: int | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one visit changes in the store."""

    key: bytes
    visit: Visit
    attempts: int = 1
    new: tuple[NewUrl, ...] = ()
    score: float | None = None
    #: Where the raw answer was archived; None when the page was read from the archive.
    span: Span | None = None


_COLUMNS = tuple(StoredUrl.__dataclass_fields__)
_READ = select(
    *(schema.url.c["error_code" if name == "error" else name].label(name) for name in _COLUMNS)
)

#: What a visit changes in its row.
_VISITED = (
    *("url", "kind", "status", "verdict", "error_code", "http_status", "weight", "score"),
    *("attempts", "has_crawl", "update_time", "etag", "last_modified", "location", "canonical"),
    *("similarity", "keywords", "url_match", "links"),
)
_UPDATE = (
    update(schema.url)
    .where(schema.url.c.site_id == bindparam("_site"), schema.url.c.key == bindparam("_key"))
    .values({name: bindparam(f"_{name}") for name in _VISITED})
)


class CrawlDb:
    """The URL table of one site. Methods run inside the caller's transaction.

    `clock` gives seconds since the epoch.
    """

    def __init__(self, site_id: int, clock: Callable[[], float] = time.time) -> None:
        self.site_id = site_id
        self._clock = clock

    def inject(self, connection: Connection, urls: Iterable[NewUrl]) -> None:
        """Give each URL a row unless its key has one."""
        insert_new(connection, schema.url, [self._new_row(url) for url in urls])

    def commit(self, connection: Connection, outcomes: Sequence[Outcome]) -> None:
        """Write what a batch of visits found: rows, pages, records and their events."""
        self.inject(connection, (url for outcome in outcomes for url in outcome.new))
        now = self._clock()
        connection.execute(_UPDATE, [self._visited_row(outcome, now) for outcome in outcomes])
        ids = self._ids(connection, [outcome.key for outcome in outcomes])
        log = records.Log(connection, self.site_id, now)
        for outcome in outcomes:
            url_id = ids[outcome.key]
            if outcome.span is not None and outcome.visit.page.status in WITH_CONTENT:
                records.save_page(log, url_id, outcome.visit, outcome.span)
            records.save_record(log, url_id, outcome.visit.record)

    def pending(self, connection: Connection) -> Iterator[StoredUrl]:
        """Yield the rows to be fetched, in the order in which they were found."""
        table = schema.url.c
        waiting = table.status == Status.DISCOVERED
        again = (table.status == Status.FETCH_ERROR) & (table.attempts < MAX_ATTEMPTS)
        return self.rows(connection, self._read().where(waiting | again).order_by(table.id))

    def fetched(self, connection: Connection) -> Iterator[StoredUrl]:
        """Yield the rows whose pages are in the store, in the order in which they were found."""
        table = schema.url.c
        query = self._read().where(table.status.in_(WITH_CONTENT)).order_by(table.id)
        return self.rows(connection, query)

    def all(self, connection: Connection) -> Iterator[StoredUrl]:
        """Yield every row."""
        return self.rows(connection, self._read().order_by(schema.url.c.id))

    def keys(self, connection: Connection) -> Iterator[bytes]:
        """Yield the key of every row."""
        query = select(schema.url.c.key).where(schema.url.c.site_id == self.site_id)
        for (key,) in connection.execute(query):
            yield bytes(key)

    def find(self, connection: Connection, key: bytes) -> StoredUrl | None:
        """Return the row of a key, if there is one."""
        return next(self.rows(connection, self._read().where(schema.url.c.key == key)), None)

    def counts(self, connection: Connection) -> dict[tuple[Status, Kind, ErrorCode], int]:
        """Return how many rows there are of each status, kind and error code."""
        table = schema.url.c
        groups = (table.status, table.kind, table.error_code)
        query = select(*groups, func.count()).where(table.site_id == self.site_id)
        return {
            (Status(status), Kind(kind), ErrorCode(error)): number
            for status, kind, error, number in connection.execute(query.group_by(*groups))
        }

    def reset(self, connection: Connection) -> int:
        """Let every URL be fetched anew but what the user's filters refused; return how many.

        Pages and records stay.
        """
        table = schema.url.c
        rows = connection.execute(
            update(schema.url)
            .where(table.site_id == self.site_id, table.error_code != ErrorCode.FILTER_ERROR)
            .values(status=Status.DISCOVERED, attempts=0, error_code=ErrorCode.OK)
        )
        return rows.rowcount

    def rows(self, connection: Connection, query: Select[Any]) -> Iterator[StoredUrl]:
        """Yield the rows of a query over the URL table."""
        return map(_stored, connection.execute(query))

    def _read(self) -> Select[Any]:
        return _READ.where(schema.url.c.site_id == self.site_id)

    def _ids(self, connection: Connection, keys: Sequence[bytes]) -> dict[bytes, int]:
        ids: dict[bytes, int] = {}
        for start in range(0, len(keys), _KEYS_AT_ONCE):
            part = keys[start : start + _KEYS_AT_ONCE]
            query = select(schema.url.c.key, schema.url.c.id).where(
                schema.url.c.site_id == self.site_id, schema.url.c.key.in_(part)
            )
            ids.update((bytes(key), number) for key, number in connection.execute(query))
        return ids

    def _new_row(self, new: NewUrl) -> dict[str, Any]:
        return {
            "site_id": self.site_id,
            "key": new.key,
            "url": new.link.url,
            "host": new.host,
            "bucket": new.bucket,
            "kind": new.kind,
            "status": new.status,
            "verdict": Verdict.NOT_JUDGED,
            "error_code": new.error,
            "http_status": 0,
            "weight": new.parent_weight,
            "depth": new.depth,
            "parent": new.parent,
            "anchor": new.link.anchor,
            "tag_path": new.link.tag_path,
            "rank": new.link.rank,
            "attempts": 0,
            "has_crawl": False,
        }

    def _visited_row(self, outcome: Outcome, now: float) -> dict[str, Any]:
        visit, page, seen = outcome.visit, outcome.visit.page, outcome.visit.evidence
        response = visit.response
        return {
            "_site": self.site_id,
            "_key": outcome.key,
            "_url": page.url,
            "_kind": visit.kind,
            "_status": page.status,
            "_verdict": visit.verdict,
            "_error_code": page.error,
            "_http_status": page.http_status,
            "_weight": visit.weight,
            "_score": outcome.score,
            "_attempts": outcome.attempts,
            "_has_crawl": page.status in WITH_CONTENT,
            "_update_time": response.fetched_at if response else now,
            "_etag": response.header("etag") if response else "",
            "_last_modified": response.header("last-modified") if response else "",
            "_location": page.location,
            "_canonical": page.canonical,
            "_similarity": seen.similarity,
            "_keywords": seen.keywords,
            "_url_match": seen.url_match,
            "_links": len(visit.links),
        }


def _stored(row: Row[Any]) -> StoredUrl:
    values = row._asdict()
    values.update(
        key=bytes(values["key"]),
        parent=bytes(values["parent"]),
        kind=Kind(values["kind"]),
        status=Status(values["status"]),
        verdict=Verdict(values["verdict"]),
        error=ErrorCode(values["error"]),
    )
    return StoredUrl(**values)
