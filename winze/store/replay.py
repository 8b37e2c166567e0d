"""Where a site's pages lie in its archive, a batch at a time, so that all can be read again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Select, distinct, exists, func, select

from winze.store import schema
from winze.store.archive import Span
from winze.store.crawldb import WITH_CONTENT


@dataclass(frozen=True, slots=True)
class Place:
    """The newest version of a page, and where its raw answer lies."""

    #: Number of the version; they are in the order of fetching.
    version: int
    #: Key of the page's row in the URL table.
    key: bytes
    span: Span


def places(connection: Connection, site_id: int, *, after: int, limit: int) -> list[Place]:
    """Return the newest versions behind a number, for pages whose content is in the store."""
    query = _newest(site_id).where(schema.page.c.id > after).order_by(schema.page.c.id)
    return _places(connection, query.limit(limit))


def place_of(connection: Connection, site_id: int, key: bytes) -> Place | None:
    """Return where the page with this key lies, if its content is in the store."""
    found = _places(connection, _newest(site_id).where(schema.url.c.key == key))
    return found[0] if found else None


def number_of_places(connection: Connection, site_id: int) -> int:
    """Return how many pages `places` gives in all."""
    query = _newest(site_id).with_only_columns(func.count())
    return int(connection.execute(query).scalar_one())


def last_event(connection: Connection, site_id: int) -> int:
    """Return the newest number of the site's change log; 0 while it is empty."""
    event = schema.event.c
    query = select(func.max(event.seq)).where(event.site_id == site_id)
    return int(connection.execute(query).scalar() or 0)


def records_changed(connection: Connection, site_id: int, since: int) -> int:
    """Return how many records are new or changed after a number of the change log."""
    event = schema.event.c
    query = select(func.count(distinct(event.ref))).where(
        event.site_id == site_id, event.seq > since, event.kind == "record"
    )
    return int(connection.execute(query).scalar_one())


def _newest(site_id: int) -> Select[Any]:
    page, url, later = schema.page.c, schema.url.c, schema.page.alias("later")
    superseded = exists().where(later.c.url_id == page.url_id, later.c.id > page.id)
    return (
        select(page.id, url.key, page.archive, page.offset, page.length)
        .join(schema.url, url.id == page.url_id)
        .where(url.site_id == site_id, url.status.in_(WITH_CONTENT), ~superseded)
    )


def _places(connection: Connection, query: Select[Any]) -> list[Place]:
    return [
        Place(version, bytes(key), Span(file, offset, length))
        for version, key, file, offset, length in connection.execute(query)
    ]
