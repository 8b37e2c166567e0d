"""`winze status`: how far a site's crawl is, at a glance."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Any

import typer

from winze.cli.options import PlanPath, StoreAddress
from winze.cli.progress import duration
from winze.engine.explain import why
from winze.engine.workspace import SiteStore, open_site
from winze.learned import Learned, load_learned
from winze.model import ErrorCode
from winze.plan import Plan, load_plan
from winze.store.records import record_counts
from winze.store.reports import (
    QueueName,
    UrlGroup,
    alias_count,
    quarantine_reasons,
    queue,
    url_groups,
)
from winze.store.runs import last_runs
from winze.store.sources import count_sources

#: Reasons for quarantine that are shown.
SHOWN_REASONS = 10


def status(
    plan_path: PlanPath,
    queue_name: Annotated[
        QueueName | None,
        typer.Option("--queue", help="List a queue: each URL, a tab, and what became of it."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="URLs of the queue at the most; else all."),
    ] = None,
    store: StoreAddress = None,
) -> None:
    """Show how far a crawl is: URLs by what became of them, records, quarantine, last runs.

    The queues: crawl (waiting, or to be tried again), done (relevant and fetched), irrelevant
    (off topic, gone, excluded, or retries spent). Pages that only lead on are in none.
    """
    plan = load_plan(plan_path)
    with open_site(plan, store) as site_store:
        lines = _report(plan, site_store) if queue_name is None else _queue(site_store, queue_name)
        for line in islice(lines, limit if queue_name is not None else None):
            typer.echo(line)


def _queue(store: SiteStore, name: QueueName) -> Iterator[str]:
    with store.read() as connection:
        for row in queue(connection, store.urls, name):
            yield f"{row.url}\t{why(row)}"


def _report(plan: Plan, store: SiteStore) -> Iterator[str]:
    with store.read() as connection:
        groups = url_groups(connection, store.site_id)
        aliases = alias_count(connection, store.site_id)
        good, quarantined = record_counts(connection, store.site_id)
        reasons = quarantine_reasons(connection, store.site_id)
        runs = last_runs(connection, store.site_id)
        sitemaps, entries = count_sources(connection, store.site_id)
    yield f"{plan.name}: {_learned(plan, load_learned(plan.learned_path))}"
    if not groups:
        yield f"nothing was crawled yet: winze crawl {plan.path}"
    else:
        yield f"{sum(group.number for group in groups)} URLs"
    yield from map(_group, groups)
    if aliases:
        yield f"{aliases} of them are another URL's page"
    if sitemaps:
        yield f"{sitemaps} sitemaps with {entries} entries"
    yield f"{good} records, {quarantined} in quarantine"
    for reason, number in reasons[:SHOWN_REASONS]:
        yield f"{number:>8}  {reason}"
    if runs:
        yield "last runs, newest first"
    for run in runs:
        yield f"  {_run(run)}"


def _learned(plan: Plan, learned: Learned | None) -> str:
    if learned is None:
        return "not learned yet"
    ways = {rule.decided_by for rule in learned.rules}
    how = "URLs tell the targets" if ways == {"url"} else "each page is looked at"
    fields = ", ".join(learned.wrapper.field_names()) or "what pages say of themselves"
    return f"learned ({plan.learned_path.name}): {how}; fields: {fields}"


def _group(group: UrlGroup) -> str:
    error = "" if group.error is ErrorCode.OK else f" {group.error.name}"
    what = f"{group.status} {group.kind}{error}"
    return f"{group.number:>8}  {what:<36}  {group.sample}"


def _run(run: dict[str, Any]) -> str:
    began = datetime.fromtimestamp(run["started_at"]).astimezone()
    robots = "; robots.txt ignored" if run["robots_ignored"] else ""
    if run["ended_at"] is None:
        return f"{began:%Y-%m-%d %H:%M:%S}  {run['verb']}: running, or was killed{robots}"
    took = duration(run["ended_at"] - run["started_at"])
    counters = json.loads(run["counters"] or "{}")
    told = "".join(f"; {name} {_count(value)}" for name, value in counters.items() if value)
    return f"{began:%Y-%m-%d %H:%M:%S}  {run['verb']}, {took}: {run['stop_reason']}{told}{robots}"


def _count(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {number}" for name, number in value.items())
    return str(value)
