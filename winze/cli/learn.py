"""`winze learn`: find out which pages are targets and where the fields stand."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from winze.cli.exits import Exit
from winze.cli.options import IgnoreRobots, MaxPages, PlanPath, StoreAddress
from winze.cli.progress import Progress, duration, record_table
from winze.engine.field_evidence import evidence_of
from winze.engine.job import Job, Watcher, Wish
from winze.engine.pinned import pinned_pages
from winze.engine.report import Limits
from winze.engine.survey import LEAST_PAGES, MOST_PAGES, Surveyed
from winze.engine.survey import Table as Records
from winze.engine.workspace import open_site
from winze.errors import NothingFoundError, UsageError
from winze.extract.paths import Path
from winze.learned import load_learned
from winze.plan import Plan, load_plan

#: Directory patterns shown; the file has all.
SHOWN_DIRECTORIES = 5


def learn(
    plan_path: PlanPath,
    pages: Annotated[
        int | None, typer.Option("--pages", min=1, help="Pages of the pre-crawl (P1: 4000).")
    ] = None,
    max_pages: MaxPages = None,
    ignore_robots: IgnoreRobots = False,
    field: Annotated[
        str | None,
        typer.Option("--explain", metavar="FIELD", help="Learn nothing; tell why it is read so."),
    ] = None,
    store: StoreAddress = None,
) -> None:
    """Learn a site from the plan's examples and write learned.json."""
    plan = load_plan(plan_path)
    if field is not None:
        explain_field(plan, field, Console(markup=False))
        return
    console = Console(stderr=True, markup=False)
    with open_site(plan, store) as site_store, Progress(console) as progress:
        wish = Wish(
            limits=Limits(pages=max_pages or plan.limits.pages),
            survey_pages=pages,
            obey_robots=not ignore_robots,
        )
        watcher = Watcher(first_look=first_look(plan, console), page=progress.page)
        surveyed = asyncio.run(Job(plan, site_store, wish, watcher).learn())
    show(plan, surveyed, Console(markup=False))
    if not surveyed.others and not surveyed.examples:
        raise NothingFoundError(f"{plan.path}: no target page was found")
    raise typer.Exit(Exit.OK)


def explain_field(plan: Plan, name: str, console: Console) -> None:
    """Print the paths of a field, each with what it gives on the kept pages."""
    learned = load_learned(plan.learned_path)
    if learned is None:
        raise UsageError(f"{plan.learned_path}: is missing: run winze learn {plan.path} first")
    for one in evidence_of(name, learned.wrapper, pinned_pages(plan.folder)):
        kind = f"list of {one.field.type}" if one.field.many else one.field.type
        table = Table(title=f"{name} ({kind}), template {one.template}", title_justify="left")
        for column in ("where", "rests on", "sure", "right", "wrong", "silent", "gives"):
            table.add_column(column, overflow="fold")
        for path in one.paths:
            counts = (str(path.right), str(path.wrong), str(path.silent))
            table.add_row(*_path_cells(path.path), *counts, path.sample)
        console.print(table)
        console.print(
            f"Together they are right on {one.right} of {one.pages} kept pages. A path by hand that"
            " finds a value wins; the others vote, each with its sureness, and those that rest on"
            " the same thing count less each time."
        )


def _path_cells(path: Path) -> tuple[str, str, str]:
    parts = [path.css, f"attribute {path.attr}" if path.node == "attr" else path.attr]
    parts.append(f"behind “{path.after_label}”" if path.after_label else "")
    parts.append(f"text {path.nth_text}" if path.nth_text is not None else "")
    parts.append(f"/{path.regex}/" if path.regex else "")
    sure = "by hand" if path.by == "hand" else f"{path.confidence:.0%}"
    return " ".join(filter(None, parts)), path.family, sure


def first_look(plan: Plan, console: Console) -> Callable[[Records], None]:
    """Return what shows the fields on the example pages, within seconds."""

    def show_examples(rows: Records) -> None:
        console.print(record_table("The fields on your example pages", rows))
        pace = max(plan.pace, 0.05)
        console.print(
            f"Now a pre-crawl of {LEAST_PAGES} to {MOST_PAGES} pages:"
            f" {duration(LEAST_PAGES * pace)} to {duration(MOST_PAGES * pace)}."
        )

    return show_examples


def show(plan: Plan, surveyed: Surveyed, console: Console) -> None:
    """Print which groups of URLs are targets, which directories, and what the fields give."""
    filters = surveyed.filters
    table = Table(title=f"Learned from {surveyed.report.pages} pages", title_justify="left")
    table.add_column("group")
    table.add_column("URL pattern", overflow="fold")
    table.add_column("known", justify="right")
    for pattern in filters.targets:
        table.add_row("target", pattern.regex, str(pattern.support))
    for pattern in filters.directories[:SHOWN_DIRECTORIES]:
        table.add_row("directory", pattern.regex, str(pattern.support))
    console.print(table)
    if filters.decided_by == "url":
        console.print(f"URLs tell the targets ({filters.precision:.0%} of the form are).")
    else:
        console.print(
            "URLs do not tell the targets"
            f" (about {filters.precision:.0%} of the examples' form are): each page is looked at."
        )
    _show_fields(surveyed, console)
    if surveyed.others:
        console.print(record_table("The fields on other pages", surveyed.others))
    console.print(f"Written to {plan.learned_path}; edit it as you like, then: winze crawl")


def _show_fields(surveyed: Surveyed, console: Console) -> None:
    fields = [field for template in surveyed.learned.wrapper.templates for field in template.fields]
    if not fields:
        console.print("The plan names no fields: records hold what pages say of themselves.")
        return
    table = Table(title="Fields", title_justify="left")
    for column in ("field", "type", "best path", "sure"):
        table.add_column(column, overflow="fold")
    for field in fields:
        best = field.paths[0] if field.paths else None
        kind = f"list of {field.type}" if field.many else field.type
        sure = "by hand" if best and best.by == "hand" else f"{best.confidence:.0%}" if best else ""
        table.add_row(field.name, kind, best.css if best else "found nowhere", sure)
    console.print(table)
