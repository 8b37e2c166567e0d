"""`winze explain`: why a URL was or was not fetched, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated

import typer

from winze.cli.evidence import evidence_lines
from winze.cli.exits import Exit
from winze.cli.options import PlanPath, StoreAddress
from winze.engine.explain import Explanation, why
from winze.engine.explain import explain as explain_url
from winze.engine.workspace import open_site
from winze.errors import UsageError
from winze.plan import load_plan
from winze.store.crawldb import StoredUrl
from winze.store.records import StoredRecord


def explain(
    plan_path: PlanPath,
    url: Annotated[str, typer.Argument(metavar="URL", help="The page in question.")],
    store: StoreAddress = None,
) -> None:
    """Tell why a URL was or was not fetched, from where it came, and what was extracted.

    Exit code 4: the URL is not in the URL table; why is told all the same.
    """
    plan = load_plan(plan_path)
    with open_site(plan, store) as site_store:
        try:
            explanation = explain_url(plan, site_store, url)
        except ValueError as error:
            raise UsageError(
                f"{url!r} is not a web address: write it as 'https://host/path'"
            ) from error
    typer.echo(explanation.url)
    typer.echo(f"  {explanation.why}")
    if explanation.row is None:
        raise typer.Exit(Exit.NOTHING_FOUND)
    for line in _lines(explanation, explanation.row):
        typer.echo(line)


def _lines(explanation: Explanation, row: StoredUrl) -> Iterator[str]:
    if row.url != explanation.url:
        yield f"  asked for as {row.url}"
    yield f"  {_state(row)}"
    yield f"  {_place(row)}"
    if explanation.target is not None:
        yield f"  what {row.location or explanation.target.url} is: {why(explanation.target)}"
    if row.canonical and row.canonical != row.url:
        yield f"  calls itself {row.canonical}"
    yield "found by way of"
    for number, step in enumerate(explanation.chain):
        yield f"  {_step(step, first=number == 0)}"
    evidence = list(
        evidence_lines(
            explanation.site,
            similarity=row.similarity,
            keywords=row.keywords,
            url_match=row.url_match,
        )
    )
    if evidence:
        yield "evidence"
        yield from (f"  {line}" for line in evidence)
    if explanation.record is not None:
        yield from _record_lines(explanation.record)


def _state(row: StoredUrl) -> str:
    """Return the row's own words: what a report or a script would call it."""
    parts = [f"status {row.status}", f"kind {row.kind}", f"verdict {row.verdict}"]
    parts.append(f"error {row.error.name}")
    if row.http_status:
        parts.append(f"HTTP {row.http_status}")
    if row.update_time is not None:
        when = datetime.fromtimestamp(row.update_time).astimezone()
        parts.append(f"{when:%Y-%m-%d %H:%M:%S}, attempt {row.attempts}")
    return "; ".join(parts)


def _place(row: StoredUrl) -> str:
    score = "not scored" if row.score is None else f"score {row.score:.3f}"
    links = "" if row.links is None else f"; {row.links} links"
    return f"depth {row.depth}; weight {row.weight}; {score}{links}"


def _step(row: StoredUrl, *, first: bool) -> str:
    """Return one page on the way, with the link text that led to it."""
    if row.anchor:
        return f"{row.url}  “{row.anchor}”"
    if row.tag_path in ("sitemap", "feed"):
        return f"{row.url}  (from the {row.tag_path})"
    return f"{row.url}  (from the plan)" if first else row.url


def _record_lines(record: StoredRecord) -> Iterator[str]:
    yield "record" if record.valid else f"record, in quarantine: {record.reason}"
    for name, value in record.fields.items():
        shown = " | ".join(value) if isinstance(value, list) else value
        yield f"  {name}: {shown or '(absent)'}"
