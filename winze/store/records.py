"""Pages and records, and the change log that tells of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Select, Table, bindparam, func, insert, select, update

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
    #: The fields that have a type, as JSON values.
    typed: Mapping[str, Any] = field(default_factory=dict)
    #: 0 when the record was not read by way of the change log.
    seq: int = 0


@dataclass(frozen=True, slots=True)
class NewPage:
    """A fetched page, where its raw answer lies, and the fingerprint of its text."""

    url_id: int
    visit: Visit
    span: Span
    simhash: int | None = None


class Log:
    """The change log as one transaction writes it; `now` in seconds since the epoch."""

    def __init__(self, connection: Connection, site_id: int, now: float) -> None:
        self.connection = connection
        self.site_id = site_id
        self.now = now

    def add(self, kind: str, refs: Iterable[int]) -> None:
        """Note that rows of the table `kind` are new or changed."""
        rows = [{"site_id": self.site_id, "kind": kind, "ref": ref, "at": self.now} for ref in refs]
        if rows:
            self.connection.execute(insert(schema.event), rows)

    def insert(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows and note them."""
        if rows:
            returning = insert(table).returning(table.c.id, sort_by_parameter_order=True)
            self.add(table.name, self.connection.execute(returning, rows).scalars())

    def update(self, table: Table, rows: Sequence[dict[str, Any]]) -> None:
        """Change the rows of these `id`s without a note: what changed is no news."""
        if rows:
            names = [name for name in rows[0] if name != "id"]
            statement = (
                update(table)
                .where(table.c.id == bindparam("_id"))
                .values({name: bindparam(f"_{name}") for name in names})
            )
            self.connection.execute(
                statement, [{f"_{name}": value for name, value in row.items()} for row in rows]
            )


def save_pages(log: Log, pages: Iterable[NewPage]) -> None:
    """Keep pages: a new version where the signature is new, else the newest one's new place."""
    by_url = {page.url_id: page for page in pages}
    if not by_url:
        return
    known = _newest_pages(log.connection, list(by_url))
    new, seen = [], []
    for url_id, page in by_url.items():
        old = known.get(url_id)
        if old is not None and old.signature == page.visit.page.signature:
            seen.append({"id": old.id} | _place(page, log.now))
        else:
            new.append(_version(page) | _place(page, log.now))
    log.update(schema.page, seen)
    log.insert(schema.page, new)


def _newest_pages(connection: Connection, url_ids: Sequence[int]) -> dict[int, Row[Any]]:
    table = schema.page.c
    query = select(table.url_id, table.id, table.signature).where(table.url_id.in_(url_ids))
    rows: Iterable[Row[Any]] = connection.execute(query.order_by(table.id))
    return {row.url_id: row for row in rows}


def _place(page: NewPage, now: float) -> dict[str, Any]:
    response = page.visit.response
    return {
        "archive": page.span.file,
        "offset": page.span.offset,
        "length": page.span.length,
        "fetched_at": response.fetched_at if response else now,
    }


def _version(page: NewPage) -> dict[str, Any]:
    read = page.visit.page
    return {
        "url_id": page.url_id,
        "title": read.title,
        "text": read.text,
        "language": read.language,
        "signature": read.signature,
        "simhash": page.simhash,
    }


def save_records(log: Log, found: Mapping[int, Record | None]) -> None:
    """Keep the records of pages, by url id; an unchanged one only gets its `last_seen`.

    A page that gives no record any more sends the one it gave to quarantine.
    """
    known = _known_records(log.connection, list(found))
    new, changed, seen = [], [], []
    for url_id, record in found.items():
        old = known.get(url_id)
        if record is None and old is None:
            continue
        values = _values(record, old, log.now)
        if old is None:
            new.append({"site_id": log.site_id, "url_id": url_id, "first_seen": log.now} | values)
        elif any(getattr(old, name) != value for name, value in values.items() if name in _TOLD):
            changed.append({"id": old.id} | values)
        else:
            seen.append({"id": old.id} | values)
    log.insert(schema.record, new)
    log.update(schema.record, changed + seen)
    log.add("record", [row["id"] for row in changed])


#: Columns of a record whose change is news.
_TOLD = ("fields", "valid", "reason")


def touch_records(log: Log, url_ids: Sequence[int]) -> None:
    """Note that pages which did not change were seen with their records."""
    if url_ids:
        table = schema.record
        log.connection.execute(
            update(table).where(table.c.url_id.in_(url_ids)).values(last_seen=log.now)
        )


def _known_records(connection: Connection, url_ids: Sequence[int]) -> dict[int, Row[Any]]:
    table = schema.record
    query = select(table).where(table.c.url_id.in_(url_ids))
    return {row.url_id: row for row in connection.execute(query)} if url_ids else {}


def _values(record: Record | None, old: Row[Any] | None, now: float) -> dict[str, Any]:
    if record is not None:
        return {
            "fields": json.dumps(dict(record.fields), ensure_ascii=False),
            "typed": json.dumps(dict(record.typed), ensure_ascii=False),
            "valid": not record.reason,
            "reason": record.reason,
            "last_seen": now,
        }
    assert old is not None
    return {
        "fields": old.fields,
        "typed": old.typed,
        "valid": False,
        "reason": "the page gives no record any more",
        "last_seen": old.last_seen,
    }


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


def good_urls(connection: Connection, site_id: int) -> Iterator[str]:
    """Yield the URL of each record that is not in quarantine, in the order of finding."""
    record = schema.record.c
    query = select(schema.url.c.url).join(schema.url, schema.url.c.id == record.url_id)
    query = query.where(record.site_id == site_id, record.valid).order_by(record.id)
    yield from connection.execute(query).scalars()


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
    columns = (record.fields, record.valid, record.reason, record.typed)
    return select(schema.url.c.url, *columns, seq).join(
        schema.url, schema.url.c.id == record.url_id
    )


def _stored(connection: Connection, query: Select[Any]) -> Iterator[StoredRecord]:
    for url, fields, valid, reason, typed, seq in connection.execute(query):
        values = json.loads(typed) if typed else {}
        yield StoredRecord(url, json.loads(fields), bool(valid), reason, values, int(seq))
