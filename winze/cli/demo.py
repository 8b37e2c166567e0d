"""`winze demo`: a generated shop on loopback, learned and crawled, from plan to table."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer
from rich.console import Console
from rich.table import Table

from winze.cli.crawl import run
from winze.cli.exits import Exit
from winze.cli.progress import record_table
from winze.demo.addresses import route_key
from winze.demo.server import ShopServer
from winze.demo.shop import Shop
from winze.engine.job import Wish
from winze.engine.workspace import open_site
from winze.plan import load_plan
from winze.store.records import StoredRecord, all_records

#: Records printed at the end.
SHOWN = 3


def demo(
    seed: Annotated[int, typer.Option("--seed", help="Another seed is another shop.")] = 1,
    products: Annotated[int, typer.Option("--products", min=60)] = 1500,
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Where plan and table go.", show_default=False)
    ] = None,
) -> None:
    """Generate a shop, learn it from two pages, crawl it, and compare the table with the truth."""
    console = Console(stderr=True, markup=False)
    where = folder or Path(tempfile.mkdtemp(prefix="winze-demo-"))
    where.mkdir(parents=True, exist_ok=True)
    shop = Shop(seed=seed, products=products)
    with ShopServer(shop) as server:
        (where / "plan.toml").write_text(shop.plan(server.url).as_toml(), "utf-8")
        plan = load_plan(where)
        console.rule(f"The plan: {plan.path}")
        console.print((where / "plan.toml").read_text("utf-8"), highlight=False, markup=False)
        output = str(where / "products.csv")
        code = run(plan, Wish(output=output, overwrite=True), None, console)
    with open_site(plan) as store, store.read() as connection:
        records = list(all_records(connection, store.site_id))
    good = [record for record in records if record.valid]
    out = Console(markup=False)
    rows = [(record.url, dict(record.fields)) for record in good[:SHOWN]]
    out.print(record_table(f"{len(good)} records in {output}", rows))
    out.print(_against_truth(shop, good))
    raise typer.Exit(code if code is not Exit.LOOK else Exit.OK)


def _against_truth(shop: Shop, records: list[StoredRecord]) -> Table:
    """Return how the table compares with what the shop knows that it sells."""
    truth = {route_key(row["url"]): row["fields"] for row in shop.truth()}
    found = {route_key(_target(record.url)): record for record in records}
    right = truth.keys() & found.keys()
    table = Table(title="Against the truth", title_justify="left")
    table.add_column("what")
    table.add_column("share", justify="right")
    table.add_row("products found", f"{len(right)} of {len(truth)}")
    table.add_row("off topic in the table", f"{len(found.keys() - truth.keys())}")
    for name in records[0].fields if records else ():
        same = sum(
            (found[key].fields.get(name) or None) == (truth[key][name] or None) for key in right
        )
        table.add_row(f"{name} exactly right", f"{same / max(1, len(right)):.1%}")
    return table


def _target(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path
