"""`winze crawl`: the main job, from plan to table."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console

from winze.cli.events import ignore, page_teller, tell_end
from winze.cli.exits import Exit
from winze.cli.fleet import run_all
from winze.cli.learn import first_look, show
from winze.cli.options import Force, IgnoreRobots, MaxPages, PlanPaths, StoreAddress
from winze.cli.outcome import exit_code, tell
from winze.cli.progress import Progress
from winze.engine.job import Job, Watcher, Wish
from winze.engine.order import OrderName, check_order
from winze.engine.report import Limits
from winze.engine.workspace import open_site
from winze.errors import UsageError
from winze.plan import Plan, load_plan
from winze.store.export import format_for


def crawl(
    plan_paths: PlanPaths,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Append records: .jsonl, .csv, or - for stdout."),
    ] = None,
    overwrite: Annotated[
        str | None, typer.Option("-O", "--overwrite", help="Write records to a new file.")
    ] = None,
    order: Annotated[
        str,
        typer.Option("--order", help="Which URL is next: bfs, weight, learned, or a plug-in's."),
    ] = OrderName.LEARNED,
    max_pages: MaxPages = None,
    max_time: Annotated[
        float | None, typer.Option("--max-time", min=0.0, help="Seconds at the most.")
    ] = None,
    until_yield: Annotated[
        float | None,
        typer.Option(
            "--until-yield", min=0.0, max=1.0, help="Stop when fewer of 100 pages promise a target."
        ),
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Visit every known URL again.")] = False,
    ignore_robots: IgnoreRobots = False,
    force: Force = False,
    events: Annotated[
        bool, typer.Option("--json", help="Tell of each page on stdout, a JSON object a line.")
    ] = False,
    store: StoreAddress = None,
) -> None:
    """Crawl a site; it is learned first if that was not done. A rerun goes on where it was.

    Several plans are crawled at once, each host at its own pace; -o and -O then name a folder.
    """
    if output is not None and overwrite is not None:
        raise UsageError("output: give -o to append or -O to overwrite, not both")
    written = overwrite if overwrite is not None else output
    if events and written == "-":
        raise UsageError("output: --json and -o - both write to stdout: give -o a file")
    wish = Wish(
        order=check_order(order),
        output=written,
        overwrite=overwrite is not None,
        fresh=fresh,
        obey_robots=not ignore_robots,
        force=force,
    )
    plans = [load_plan(path) for path in plan_paths]
    limits = [_limits(plan, max_pages, max_time, until_yield) for plan in plans]
    wishes = [replace(wish, limits=limit) for limit in limits]
    console = Console(stderr=True, markup=False)
    if len(plans) > 1:
        raise typer.Exit(run_all(plans, wishes, store, console, events=events))
    if written is not None:
        format_for(written, ())  # an unknown suffix is told before anything is fetched
    raise typer.Exit(run(plans[0], wishes[0], store, console, events=events))


def run(
    plan: Plan, wish: Wish, store: str | None, console: Console, *, events: bool = False
) -> Exit:
    """Do the job, tell of it on the console, and return the exit code."""
    progress = Progress(console, most_pages=wish.limits.pages)
    watcher = Watcher(
        first_look=first_look(plan, console),
        surveyed=lambda surveyed: show(plan, surveyed, console),
        crawling=progress.crawling,
        page=progress.page,
        visit=page_teller(plan.name) if events else ignore,
    )
    with open_site(plan, store) as site_store, progress:
        try:
            done = asyncio.run(Job(plan, site_store, wish, watcher).crawl())
        except asyncio.CancelledError:
            return Exit.INTERRUPTED
    if events:
        tell_end(plan.name, done)
    tell(done, console)
    return exit_code(done)


def _limits(
    plan: Plan, max_pages: int | None, max_time: float | None, until_yield: float | None
) -> Limits:
    """Return the command line's limits, the plan's where it gives none."""
    return Limits(
        pages=max_pages or plan.limits.pages,
        seconds=max_time or plan.limits.time,
        bytes=plan.limits.bytes,
        least_yield=until_yield,
    )
