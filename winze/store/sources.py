"""Sitemaps in the store: how far each was read, so that a half-read one goes on.

Every function works in its caller's transaction: progress and the rows of the URLs that it stands
for are written together, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, func, select, update

from winze.store import schema
from winze.store.database import insert_or_update

#: Longest URL that the table takes (characters).
MAX_URL = 700


@dataclass(frozen=True, slots=True)
class SourceRow:
    """One sitemap, and how far it was read."""

    url: str
    #: Entries whose URLs have a row.
    entries: int = 0
    #: Read to its end, or found to be nothing that can be read.
    done: bool = False
    #: What the site said of the copy that was read, for the next conditional request.
    etag: str = ""
    last_modified: str = ""
    #: Seconds since the epoch; 0: not asked yet, or to be asked again.
    read_at: float = 0.0


def read_sources(connection: Connection, site: int) -> list[SourceRow]:
    """Return the sources of a site that are known, in the order of their URLs."""
    table = schema.source.c
    query = select(
        table.url,
        table.entries,
        table.done,
        table.etag,
        table.last_modified,
        table.read_at,
    ).where(table.site_id == site)
    return [SourceRow(*row) for row in connection.execute(query.order_by(table.url))]


def write_sources(connection: Connection, site: int, rows: Iterable[SourceRow]) -> None:
    """Write how far sources were read; URLs longer than MAX_URL characters are not kept."""
    for row in rows:
        if len(row.url) <= MAX_URL:
            insert_or_update(connection, schema.source, _values(site, row), key=("site_id", "url"))


def ask_again(connection: Connection, site: int) -> None:
    """Let every source be asked again (`--fresh`); what the site then calls unchanged is done."""
    table = schema.source
    connection.execute(update(table).where(table.c.site_id == site).values(read_at=0.0))


def count_sources(connection: Connection, site: int) -> tuple[int, int]:
    """Return the number of sources with entries, and of those entries."""
    table = schema.source.c
    query = select(func.count(), func.coalesce(func.sum(table.entries), 0))
    number, entries = connection.execute(
        query.where(table.site_id == site, table.entries > 0)
    ).one()
    return number, int(entries)


def _values(site: int, row: SourceRow) -> dict[str, object]:
    return {
        "site_id": site,
        "url": row.url,
        "entries": row.entries,
        "done": row.done,
        "etag": row.etag,
        "last_modified": row.last_modified,
        "read_at": row.read_at,
    }
