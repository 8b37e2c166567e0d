"""What the store says of a crawl at a glance: groups of URLs, P2's queues, quarantine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, func, select

from winze.model import ErrorCode, Kind, Status, Verdict
from winze.store import schema
from winze.store.crawldb import MAX_ATTEMPTS, WITH_CONTENT, CrawlDb, StoredUrl


@dataclass(frozen=True, slots=True)
class UrlGroup:
    """The URLs that are alike in status, kind and error code."""

    status: Status
    kind: Kind
    error: ErrorCode
    number: int
    #: The one of them that was found first.
    sample: str


class QueueName(StrEnum):
    """P2's three queues, as views of the URL table (design 4)."""

    #: Discovered, or waiting for a retry.
    CRAWL = "crawl"
    #: Relevant and fetched.
    DONE = "done"
    #: Off topic, gone, excluded, or retries spent.
    IRRELEVANT = "irrelevant"


def url_groups(connection: Connection, site_id: int) -> list[UrlGroup]:
    """Return the groups of a site's URLs, the largest first."""
    table = schema.url.c
    keys = (table.status, table.kind, table.error_code)
    groups = (
        select(*keys, func.count().label("number"), func.min(table.id).label("first"))
        .where(table.site_id == site_id)
        .group_by(*keys)
        .subquery()
    )
    query = (
        select(groups, table.url)
        .join(schema.url, table.id == groups.c.first)
        .order_by(groups.c.number.desc(), groups.c.first)
    )
    return [
        UrlGroup(Status(row.status), Kind(row.kind), ErrorCode(row.error_code), row.number, row.url)
        for row in connection.execute(query)
    ]


def alias_count(connection: Connection, site_id: int) -> int:
    """Return how many URLs of a site are another one's, by what their pages are."""
    query = select(func.count()).where(
        schema.url.c.site_id == site_id, schema.url.c.alias_of.is_not(None)
    )
    return connection.execute(query).scalar_one()


def quarantine_reasons(connection: Connection, site_id: int) -> list[tuple[str, int]]:
    """Return why records are in quarantine and how many, the most frequent reason first."""
    table = schema.record.c
    number = func.count()
    query = (
        select(table.reason, number)
        .where(table.site_id == site_id, table.valid.is_(False))
        .group_by(table.reason)
        .order_by(number.desc(), table.reason)
    )
    return [(reason, count) for reason, count in connection.execute(query)]


def queue(connection: Connection, urls: CrawlDb, name: QueueName) -> Iterator[StoredUrl]:
    """Yield the rows of a queue, in the order in which they were found."""
    if name is QueueName.CRAWL:
        return urls.pending(connection)
    if name is QueueName.DONE:
        return (row for row in urls.fetched(connection) if row.verdict is Verdict.RELEVANT)
    return (row for row in urls.all(connection) if is_irrelevant(row))


def is_irrelevant(row: StoredUrl) -> bool:
    """Will this URL not be asked for again, because it is no page, not wanted or off topic?"""
    if row.status is Status.FETCH_ERROR:
        return row.attempts >= MAX_ATTEMPTS
    if row.status in WITH_CONTENT:
        return row.verdict is Verdict.IRRELEVANT
    return row.status in (Status.GONE, Status.EXCLUDED)
