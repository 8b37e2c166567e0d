"""Pages and records, and the change log that tells of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, Table, func, insert, select, update

from winze.model import Record, Visit
from winze.store import schema
from winze.store.archive import Span


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record with the address of its page and its place in the change log."""

    url: str
    fields: Mapping[str, str | list[str] | None]
    valid: bool
    reason: str
    #: 0 when the record was not read by way of the change log.
    seq: int = 0


class Log:
    """The change log as one transaction writes it; `now` in seconds since the epoch."""

    def __init__(self, connection: Connection, site_id: int, now: float) -> None:
        self.connection = connection
        self.site_id = site_id
        self.now = now

    def add(self, kind: str, ref: int) -> None:
        """Note that a row of the table `kind` is new or changed."""
        row = {"site_id": self.site_id, "kind": kind, "ref": ref, "at": self.now}
        self.connection.execute(insert(schema.event).values(row))

    def insert(self, table: Table, row: dict[str, Any]) -> None:
        """Insert a row and note it."""
        key = self.connection.execute(insert(table).values(row)).inserted_primary_key
        assert key is not None
        self.add(table.name, key[0])

    def update(self, table: Table, ref: int, values: dict[str, Any]) -> None:
        """Change a row without a note: what changed is no news."""
        self.connection.execute(update(table).where(table.c.id == ref).values(values))


def save_page(log: Log, url_id: int, visit: Visit, span: Span) -> None:
    """Keep a page: a new version when its signature is new, else the newest one's new place."""
    table, page = schema.page, visit.page
    place = {
        "archive": span.file,
        "offset": span.offset,
        "length": span.length,
        "fetched_at": visit.response.fetched_at if visit.response else log.now,
    }
    newest = log.connection.execute(
        select(table.c.id, table.c.signature)
        .where(table.c.url_id == url_id)
        .order_by(table.c.id.desc())
        .limit(1)
    ).first()
    if newest is not None and newest.signature == page.signature:
        log.update(table, newest.id, place)
        return
    text = {
        "url_id": url_id,
        "title": page.title,
        "text": page.text,
        "language": page.language,
        "signature": page.signature,
    }
    log.insert(table, text | place)


def save_record(log: Log, url_id: int, record: Record | None) -> None:
    """Keep a page's record; an unchanged one only gets its `last_seen`.

    A page that gives no record any more sends the one it gave to quarantine.
    """
    table = schema.record
    old = log.connection.execute(select(table).where(table.c.url_id == url_id)).first()
    if record is None and old is None:
        return
    if record is None:
        values = {"valid": False, "reason": "the page gives no record any more"}
    else:
        values = {
            "fields": json.dumps(dict(record.fields), ensure_ascii=False),
            "valid": not record.reason,
            "reason": record.reason,
            "last_seen": log.now,
        }
    if old is None:
        row = {"site_id": log.site_id, "url_id": url_id, "first_seen": log.now}
        log.insert(table, row | values)
        return
    log.update(table, old.id, values)
    if any(getattr(old, name) != values[name] for name in values if name != "last_seen"):
        log.add("record", old.id)


def changed_records(connection: Connection, site_id: int, since: int) -> Iterator[StoredRecord]:
    """Yield each record that changed after `since`, once, by its newest event's seq."""
    newest = (
        select(func.max(schema.event.c.seq).label("seq"), schema.event.c.ref)
        .where(schema.event.c.site_id == site_id, schema.event.c.seq > since)
        .where(schema.event.c.kind == "record")
        .group_by(schema.event.c.ref)
        .subquery()
    )
    query = _read(newest.c.seq).join(newest, newest.c.ref == schema.record.c.id)
    return _stored(connection, query.order_by(newest.c.seq))


def all_records(connection: Connection, site_id: int) -> Iterator[StoredRecord]:
    """Yield the site's records, quarantined ones too, in the order in which they were found."""
    zero = func.abs(0).label("seq")
    query = _read(zero).where(schema.record.c.site_id == site_id).order_by(schema.record.c.id)
    return _stored(connection, query)


def record_of(connection: Connection, site_id: int, key: bytes) -> StoredRecord | None:
    """Return the record of the page with this key, if it has one."""
    query = _read(func.abs(0).label("seq")).where(
        schema.url.c.site_id == site_id, schema.url.c.key == key
    )
    return next(_stored(connection, query), None)


def record_counts(connection: Connection, site_id: int) -> tuple[int, int]:
    """Return how many records are good and how many are in quarantine."""
    table = schema.record.c
    query = select(table.valid, func.count()).where(table.site_id == site_id)
    counts = {bool(valid): n for valid, n in connection.execute(query.group_by(table.valid))}
    return counts.get(True, 0), counts.get(False, 0)


def page_spans(connection: Connection, site_id: int) -> Iterator[tuple[bytes, Span]]:
    """Yield key and place of the newest version of each page, in the order of fetching."""
    page, url = schema.page.c, schema.url.c
    newest = select(func.max(page.id)).group_by(page.url_id)
    query = (
        select(url.key, page.archive, page.offset, page.length)
        .join(schema.url, url.id == page.url_id)
        .where(url.site_id == site_id, page.id.in_(newest))
        .order_by(page.id)
    )
    for key, file, offset, length in connection.execute(query):
        yield bytes(key), Span(file, offset, length)


def archive_ends(connection: Connection, site_id: int) -> dict[str, int]:
    """Return how far the store knows each archive file, in bytes."""
    page, url = schema.page.c, schema.url.c
    query = (
        select(page.archive, func.max(page.offset + page.length))
        .join(schema.url, url.id == page.url_id)
        .where(url.site_id == site_id)
        .group_by(page.archive)
    )
    return {file: int(end) for file, end in connection.execute(query)}


def _read(seq: Any) -> Select[Any]:
    record = schema.record.c
    return select(schema.url.c.url, record.fields, record.valid, record.reason, seq).join(
        schema.url, schema.url.c.id == record.url_id
    )


def _stored(connection: Connection, query: Select[Any]) -> Iterator[StoredRecord]:
    for url, fields, valid, reason, seq in connection.execute(query):
        yield StoredRecord(url, json.loads(fields), bool(valid), reason, int(seq))
