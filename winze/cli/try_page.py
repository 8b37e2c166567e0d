"""`winze try`: what the plan gets from one page."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.console import Console

from winze.cli.evidence import evidence_lines
from winze.cli.exits import Exit
from winze.cli.options import IgnoreRobots, PlanPath
from winze.cli.progress import record_table
from winze.engine.examples import NEEDS_BROWSER
from winze.engine.network import network_for
from winze.engine.trial import Trial, try_page
from winze.errors import UsageError
from winze.model import Kind
from winze.plan import Plan, load_plan
from winze.urls.canonical import canonicalize


def try_(
    plan_path: PlanPath,
    url: Annotated[str, typer.Argument(metavar="URL", help="The page to look at.")],
    ignore_robots: IgnoreRobots = False,
) -> None:
    """Show what the plan gets from one page: verdict, evidence, record. Nothing is kept.

    It goes by learned.json if there is one, else by what the plan's examples teach on the spot.
    Exit code 4: there is no page.
    """
    plan = load_plan(plan_path)
    try:
        canonicalize(url)
    except ValueError as error:
        raise UsageError(
            f"{url!r} is not a web address: write it as 'https://host/path'"
        ) from error
    trial = asyncio.run(_try(plan, url, obey_robots=not ignore_robots))
    _tell(trial, url)
    raise typer.Exit(Exit.OK if trial.record is not None else Exit.NOTHING_FOUND)


async def _try(plan: Plan, url: str, *, obey_robots: bool) -> Trial:
    async with network_for(plan, obey_robots=obey_robots) as network:
        return await try_page(plan, url, network)


def _tell(trial: Trial, asked: str) -> None:
    page, site, seen = trial.visit.page, trial.site, trial.visit.evidence
    source = "learned.json" if trial.by_learned else "the plan's examples (the site is not learned)"
    typer.echo(f"Judged by {source}.")
    if page.url != asked:
        typer.echo(f"redirected to {page.url}")
    if not site.scope.admits(page.url):
        typer.echo("It is out of the plan's scope: a crawl does not fetch it.")
    elif not site.wants(page.url):
        typer.echo("The plan's filters refuse it: a crawl does not fetch it.")
    if trial.record is None:
        answer = f"HTTP {page.http_status}, " if page.http_status else ""
        typer.echo(f"No page: {answer}{page.error.name}.")
        return
    typer.echo(_verdict(trial))
    for line in evidence_lines(
        site, similarity=seen.similarity, keywords=seen.keywords, url_match=seen.url_match
    ):
        typer.echo(f"  {line}")
    if trial.record.reason:
        typer.echo(f"  fields: {trial.record.reason}")
    if trial.needs_browser:
        typer.echo(f"  {NEEDS_BROWSER}")
    table = record_table("The record", [(page.url, dict(trial.record.fields))])
    Console(markup=False).print(table)


def _verdict(trial: Trial) -> str:
    record, site = trial.visit.record, trial.site
    if site.verifier is None and site.keywords is None and not site.targets:
        return "Nothing to judge it by: the plan has no examples, and the site is not learned."
    if trial.visit.kind is not Kind.TARGET or record is None:
        return (
            "Not a target: the table gets no record from it. What the fields would give is below."
        )
    if record.reason:
        return f"A target, but its record goes to quarantine: {record.reason}."
    return "A target: its record goes to the table."
