"""The URL table: each URL of a site has exactly one row and one status (Nutch's crawldb)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Update,
    bindparam,
    func,
    select,
    update,
)

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
    #: Grows in the order in which rows were made.
    id: int = 0
    etag: str | None = None
    last_modified: str | None = None
    alias_of: bytes | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one visit changes in the store."""

    key: bytes
    visit: Visit
    attempts: int = 1
    new: tuple[NewUrl, ...] = ()
    score: float | None = None
    #: URL of the page on which the link stood that led here; empty for a start link.
    parent: str = ""
    #: Where the raw answer was archived; None when the page was read from the archive.
    span: Span | None = None
    #: Charikar's fingerprint of the page's text, signed; None for a short one.
    simhash: int | None = None
    #: Key of the row that stands for this one, by what was learned of idle parameters.
    alias_of: bytes | None = None


_COLUMNS = tuple(StoredUrl.__dataclass_fields__)
_READ = select(
    *(schema.url.c["error_code" if name == "error" else name].label(name) for name in _COLUMNS)
)

#: What a visit changes in its row.
_VISITED = (
    *("url", "kind", "status", "verdict", "error_code", "http_status", "weight", "score"),
    *("attempts", "has_crawl", "update_time", "etag", "last_modified", "location", "canonical"),
    *("similarity", "keywords", "url_match", "links", "alias_of"),
)
_UPDATE = (
    update(schema.url)
    .where(schema.url.c.site_id == bindparam("_site"), schema.url.c.key == bindparam("_key"))
    .values({name: bindparam(f"_{name}") for name in _VISITED})
)

#: What "304 Not Modified" changes: nothing of what is known about the page.
_RENEWED = ("status", "error_code", "http_status", "attempts", "update_time")
_RENEW_KEYS = ("_site", "_key", *(f"_{name}" for name in _RENEWED))
_RENEW = (
    update(schema.url)
    .where(schema.url.c.site_id == bindparam("_site"), schema.url.c.key == bindparam("_key"))
    .values({name: bindparam(f"_{name}") for name in _RENEWED})
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
        renewed = [one for one in outcomes if one.visit.page.status is Status.UNCHANGED]
        visited = [one for one in outcomes if one.visit.page.status is not Status.UNCHANGED]
        _execute(connection, _UPDATE, [self._visited_row(one, now) for one in visited])
        _execute(connection, _RENEW, [self._renewed_row(one, now) for one in renewed])
        ids = self._ids(connection, [outcome.key for outcome in outcomes])
        log = records.Log(connection, self.site_id, now)
        records.save_pages(
            log,
            [
                records.NewPage(ids[one.key], one.visit, one.span, one.simhash)
                for one in visited
                if one.span is not None and one.visit.page.status is Status.FETCHED
            ],
        )
        records.save_records(log, {ids[one.key]: one.visit.record for one in visited})
        records.touch_records(log, [ids[one.key] for one in renewed])

    def waiting(
        self, connection: Connection, host: str, after: int, number: int, *, before: float
    ) -> list[StoredUrl]:
        """Return rows of a host to be fetched, by id, from the first above `after`.

        Rows whose fetch failed come again if that was `before` (seconds since the epoch).
        """
        table = schema.url.c
        query = self._read().where(table.host == host, table.id > after, _is_open(before))
        return list(self.rows(connection, query.order_by(table.id).limit(number)))

    def waiting_hosts(self, connection: Connection, *, before: float) -> dict[str, int]:
        """Return how many rows of each host are to be fetched."""
        table = schema.url.c
        query = select(table.host, func.count()).where(
            table.site_id == self.site_id, _is_open(before)
        )
        rows = connection.execute(query.group_by(table.host))
        return {str(host): int(number) for host, number in rows}

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
            "_alias_of": outcome.alias_of,
        }

    def _renewed_row(self, outcome: Outcome, now: float) -> dict[str, Any]:
        row = self._visited_row(outcome, now)
        return {name: row[name] for name in _RENEW_KEYS}


def _is_open(before: float) -> ColumnElement[bool]:
    """Is a row to be fetched, for the first time or again?"""
    table = schema.url.c
    again = (table.status == Status.FETCH_ERROR) & (table.attempts < MAX_ATTEMPTS)
    return (table.status == Status.DISCOVERED) | (again & (table.update_time < before))


def _execute(connection: Connection, statement: Update, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.execute(statement, rows)


def _stored(row: Row[Any]) -> StoredUrl:
    values = row._asdict()
    values.update(
        key=bytes(values["key"]),
        parent=bytes(values["parent"]),
        alias_of=None if values["alias_of"] is None else bytes(values["alias_of"]),
        kind=Kind(values["kind"]),
        status=Status(values["status"]),
        verdict=Verdict(values["verdict"]),
        error=ErrorCode(values["error"]),
    )
    return StoredUrl(**values)
