"""`winze crawl`: the main job, from plan to table."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer
from rich.console import Console

from winze.cli.exits import Exit
from winze.cli.learn import first_look, show
from winze.cli.options import IgnoreRobots, MaxPages, PlanPath, StoreAddress
from winze.cli.progress import Progress, duration
from winze.engine.job import Done, Job, Watcher, Wish
from winze.engine.order import OrderName
from winze.engine.report import Limits, Stop
from winze.engine.workspace import open_site
from winze.errors import UsageError
from winze.plan import Plan, load_plan
from winze.store.export import format_for

#: More than this share in quarantine: finished, but look.
MUCH_QUARANTINE = 0.05


def crawl(
    plan_path: PlanPath,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Append records: .jsonl, .csv, or - for stdout."),
    ] = None,
    overwrite: Annotated[
        str | None, typer.Option("-O", "--overwrite", help="Write records to a new file.")
    ] = None,
    order: Annotated[
        OrderName, typer.Option("--order", help="Which URL is next.")
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
    store: StoreAddress = None,
) -> None:
    """Crawl a site; it is learned first if that was not done. A rerun goes on where it was."""
    if output is not None and overwrite is not None:
        raise UsageError("output: give -o to append or -O to overwrite, not both")
    written = overwrite if overwrite is not None else output
    if written is not None:
        format_for(written, ())  # an unknown suffix is told before anything is fetched
    plan = load_plan(plan_path)
    wish = Wish(
        order=order,
        limits=_limits(plan, max_pages, max_time, until_yield),
        output=written,
        overwrite=overwrite is not None,
        fresh=fresh,
        obey_robots=not ignore_robots,
    )
    raise typer.Exit(run(plan, wish, store, Console(stderr=True, markup=False)))


def run(plan: Plan, wish: Wish, store: str | None, console: Console) -> Exit:
    """Do the job, tell of it on the console, and return the exit code."""
    progress = Progress(console, most_pages=wish.limits.pages)
    watcher = Watcher(
        first_look=first_look(plan, console),
        surveyed=lambda surveyed: show(plan, surveyed, console),
        crawling=progress.crawling,
        page=progress.page,
    )
    with open_site(plan, store) as site_store, progress:
        try:
            done = asyncio.run(Job(plan, site_store, wish, watcher).crawl())
        except asyncio.CancelledError:
            return Exit.INTERRUPTED
    tell(done, console)
    return exit_code(done)


def tell(done: Done, console: Console) -> None:
    """Print what came of a crawl."""
    report = done.report
    learning = f" after {done.learning} to learn from" if done.learning else ""
    console.print(
        f"{report.pages} pages{learning}, {report.targets} targets in {duration(report.seconds)}:"
        f" {report.stop}."
    )
    if report.pages == 0 and done.before and not done.learning:
        console.print(f"0 new, {done.before} done; --fresh to start over.")
    console.print(f"The table has {done.records} records, {done.quarantined} are in quarantine.")
    for error, number in report.errors.most_common():
        console.print(f"  {error.name} {number}, such as {report.samples[error]}", soft_wrap=True)
    for form, number in report.traps.items():
        console.print(f"  endless place capped after {number} pages: {form}", soft_wrap=True)
    for host, error in report.given_up.items():
        console.print(f"  host given up for now: {host} ({error.name})")


def exit_code(done: Done) -> Exit:
    """Return what the crawl's end says to a script."""
    if done.report.stop is Stop.INTERRUPTED:
        return Exit.INTERRUPTED
    found = done.records + done.quarantined
    if not found:
        return Exit.NOTHING_FOUND
    if done.report.given_up or done.quarantined > MUCH_QUARANTINE * found:
        return Exit.LOOK
    return Exit.OK


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
