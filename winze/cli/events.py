"""`--json`: what a crawl does, an object a line on stdout, for programs that listen."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

import typer

from winze.engine.job import Done
from winze.model import Visit


def ignore(visit: Visit) -> None:
    """Tell nobody."""


def page_teller(site: str) -> Callable[[Visit], None]:
    """Return what tells of each visited page of a site."""

    def tell(visit: Visit) -> None:
        page = visit.page
        event: dict[str, object] = {
            "event": "page",
            "site": site,
            "url": page.url,
            "status": page.status,
            "error": page.error.name,
            "http_status": page.http_status,
            "kind": visit.kind,
            "verdict": visit.verdict,
            "links": len(visit.links),
            "at": visit.response.fetched_at if visit.response else None,
        }
        if page.location:
            event["location"] = page.location
        if visit.record is not None:
            event["record"] = dict(visit.record.fields)
            event["reason"] = visit.record.reason
        _say(event)

    return tell


def tell_end(site: str, done: Done) -> None:
    """Tell why a crawl ended and what it came to."""
    report = done.report
    _say(
        {
            "event": "end",
            "site": site,
            "stop": str(report.stop),
            "pages": report.pages,
            "learning": done.learning,
            "targets": report.targets,
            "records": done.records,
            "quarantined": done.quarantined,
            "seconds": round(report.seconds, 3),
            "errors": {
                error.name: {"count": number, "sample": report.samples[error]}
                for error, number in report.errors.items()
            },
            "traps": report.traps,
            "unchanged": report.unchanged,
            "cache_hits": report.cache_hits,
            "duplicates": report.duplicates,
            "near_duplicates": report.near_duplicates,
            "drift": [asdict(alarm) for alarm in done.drift],
            "given_up": {host: error.name for host, error in report.given_up.items()},
        }
    )


def tell_failure(site: str, reason: str) -> None:
    """Tell that a site could not be crawled."""
    _say({"event": "end", "site": site, "stop": "failed", "reason": reason})


def _say(event: dict[str, object]) -> None:
    typer.echo(json.dumps(event, ensure_ascii=False))
