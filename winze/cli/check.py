"""`winze check`: does what was learned still give what it gave on the pages that were kept?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from winze.cli.exits import Exit
from winze.cli.options import PlanPath, StoreAddress
from winze.engine.drift_watch import keep_baseline
from winze.engine.pinned import (
    Difference,
    PinnedPage,
    accept,
    differences,
    pin_more,
    pinned_pages,
)
from winze.engine.site import site_of
from winze.engine.workspace import open_site
from winze.errors import NothingFoundError, UsageError
from winze.extract.wrapper import Value
from winze.judge.drift import Tally
from winze.learned import load_learned
from winze.plan import load_plan


def check(
    plan_path: PlanPath,
    accepts: Annotated[
        bool,
        typer.Option("--accept", help="Keep what the pages give now, and pin more pages."),
    ] = False,
    store: StoreAddress = None,
) -> None:
    """Apply learned.json to the kept pages (pages/DATE/) and compare with their records.

    The records are for people to read, and to mend where they are wrong. Exit code 3: some page
    gives something else. A crawl or extract then does not touch a table with good records.
    """
    plan = load_plan(plan_path)
    learned = load_learned(plan.learned_path)
    if learned is None:
        raise UsageError(f"{plan.learned_path}: is missing: run winze learn {plan.path} first")
    site = site_of(plan, learned)
    pages = pinned_pages(plan.folder)
    if not pages:
        folder = plan.folder / "pages"
        raise NothingFoundError(f"{folder}: no page is kept there: winze learn {plan.path}")
    failing = differences(pages, site)
    for line in _lines(pages, failing):
        typer.echo(line)
    if accepts:
        accept([page for page in pages if any(one.page is page for one in failing)], site)
        with open_site(plan, store) as site_store:
            more = pin_more(plan, site_store, site)
            keep_baseline(site_store, Tally())
        for url in more:
            typer.echo(f"pinned  {url}")
    elif failing:
        raise typer.Exit(Exit.LOOK)


def _lines(pages: Sequence[PinnedPage], failing: Sequence[Difference]) -> Iterator[str]:
    for page in pages:
        wrong = [one for one in failing if one.page is page]
        yield f"{'differs' if wrong else 'ok':7} {page.url}  ({page.path})"
        for one in wrong:
            yield f"        {one.name}: {_shown(one.found)}, not {_shown(one.expected)}"
    failed = len({one.page.path for one in failing})
    yield f"{len(pages) - failed} of {len(pages)} kept pages give what they must"


def _shown(value: Value) -> str:
    if not value:
        return "(absent)"
    return " | ".join(value) if isinstance(value, list) else value
