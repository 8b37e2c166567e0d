"""P1's evaluation rerun: its crawler, a pagination collector and ours on the same pages."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import mean

from bench.fetchers import BASE, ShopFetcher, shop_key
from bench.fields import load_field_site, site_folders
from bench.papers.gwc_crawl import PRE_CRAWL, Crawled, Filters, Gwc, Variant
from bench.papers.gwc_wrapper import apply_gwc, learn_gwc
from bench.papers.pages import Library
from bench.papers.pagination import collect
from bench.site_graphs import page_key
from bench.sites import plan_text, should_decide
from bench.snapshots import SnapshotFetcher
from winze.demo.shop import Shop
from winze.engine.job import Job, Watcher
from winze.engine.network import Network
from winze.engine.survey import Surveyed
from winze.engine.workspace import open_site
from winze.model import Fetcher
from winze.plan import Plan, load_plan
from winze.store.records import all_records
from winze.urls.scope import Scope

#: Seeds of the demo shop that were not looked at while anything was developed.
SEEDS = (1009, 2027, 3041, 4057, 5077)

#: Products of a shop; the quick form has fewer.
PRODUCTS, QUICK_PRODUCTS = 1500, 120

#: The bars: share of the products found, share of the records that are off topic.
LEAST_FOUND, MOST_OFF_TOPIC = 0.995, 0.005

#: Requests after which a paper's crawl is ended.
MOST_PAGES = 8000

#: Share of its records until which P1 tells how much of the crawl has gone.
MOST_RECORDS = 0.85


@dataclass(slots=True)
class World:
    """A site with the truth about it, and what a page is called there."""

    name: str
    plan: str
    targets: set[str]
    #: Makes a fetcher that has asked nothing yet.
    fetcher: Callable[[], ShopFetcher | SnapshotFetcher]
    page_name: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Row:
    """One crawler on one site."""

    site: str
    crawler: str
    records: int
    #: Share of the targets that are among the records.
    complete: float
    off_topic: float
    pages: int
    per_100: float
    #: Share of the crawl after which 85 % of its true records were fetched; None without any.
    until_85: float | None
    note: str = ""


@dataclass(slots=True)
class Evaluation:
    """All that is printed."""

    rows: list[Row] = field(default_factory=list)
    #: Weight threshold, filter, keywords: true records, pages (P1's table 3).
    table_3: list[tuple[int, bool, bool, int, int]] = field(default_factory=list)
    #: Group of sites to F1 of P1's wrapper.
    wrapper_f1: dict[str, float] = field(default_factory=dict)

    def faults(self) -> list[str]:
        """Return the bars that ours misses on the demo shops."""
        shops = [row for row in self.rows if row.crawler == "winze" and row.site.startswith("shop")]
        return [
            f"{row.site}: found {row.complete:.4f} (bar {LEAST_FOUND}),"
            f" off topic {row.off_topic:.4f} (bar {MOST_OFF_TOPIC})"
            for row in shops
            if row.complete < LEAST_FOUND or row.off_topic > MOST_OFF_TOPIC
        ]


def evaluate(data: Path, *, quick: bool) -> Evaluation:
    """Run all crawlers; the quick form takes one small shop."""
    evaluation = Evaluation()
    worlds = list(shop_worlds(quick=quick))
    if not quick and (data / "sites").is_dir():
        worlds += open_worlds(data / "sites")
    for world in worlds:
        evaluation.rows += asyncio.run(_compare(world))
    evaluation.table_3 = asyncio.run(_table_3(worlds[0]))
    if not quick and (data / "fields").is_dir():
        evaluation.wrapper_f1 = wrapper_f1(data)
    return evaluation


def shop_worlds(*, quick: bool) -> Iterator[World]:
    """Yield the demo shops."""
    for seed in SEEDS[:1] if quick else SEEDS:
        shop = Shop(seed=seed, products=QUICK_PRODUCTS if quick else PRODUCTS)
        targets = {shop_key(row["url"]) for row in shop.truth()}
        text = shop.plan(BASE).as_toml()
        yield World(f"shop {seed}", text, targets, partial(ShopFetcher, shop), shop_key)


def open_worlds(folder: Path) -> Iterator[World]:
    """Yield the real sites' tasks whose URLs tell the targets: a table of them has a truth."""
    for site, told in json.loads((folder / "tasks.json").read_text("utf-8")).items():
        for name, task in told["tasks"].items():
            targets = {page_key(url) for url in task["targets"]}
            fetcher = partial(SnapshotFetcher, folder / f"{site}.jsonl.xz")
            if should_decide(fetcher().urls, task["examples"][0], targets) == "url":
                text = plan_text(told["start"], task["keywords"], task["examples"][0])
                yield World(name, text, targets, fetcher, page_key)


async def _compare(world: World) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="winze-p1-") as where:
        path = Path(where) / "plan.toml"
        path.write_text(world.plan, "utf-8")
        plan = load_plan(path)
        ours = world.fetcher()
        records, note = await _ours(plan, ours)
        rows = [_row(world, "winze", Crawled(ours.order, records), note)]
        library = _library(world.fetcher(), plan)
        gwc = Gwc(library, plan.start[0], plan.expression)
        filters = await gwc.prepare()
        note = _note(world, filters, gwc.known)
        crawled = await gwc.crawl(filters, most=MOST_PAGES)
        note += ", stopped at the page limit" if len(crawled.order) >= MOST_PAGES else ""
        rows.append(_row(world, "P1 GWC", crawled, note))
        listed = await collect(library, plan.start[0], plan.examples)
        rows.append(_row(world, "pagination", listed))
    return rows


async def _ours(plan: Plan, fetch: Fetcher) -> tuple[list[str], str]:
    surveys: list[Surveyed] = []
    with open_site(plan) as store:
        watcher = Watcher(surveyed=surveys.append)
        await Job(plan, store, watcher=watcher, network=Network(fetch)).crawl()
        with store.read() as connection:
            good = [r.url for r in all_records(connection, store.site_id) if r.valid]
    (survey,) = surveys
    filters = survey.filters
    note = f"pre-crawl {survey.report.pages}, threshold {filters.weight_threshold}"
    return good, f"{note}, target URLs {filters.precision:.0%} right, by {filters.decided_by}"


def _library(fetch: Fetcher, plan: Plan) -> Library:
    return Library(fetch, Scope.around([*plan.start, *plan.examples]))


def _note(world: World, filters: Filters, known: Collection[str]) -> str:
    """Return P1's figures 6 to 8: pages of the pre-crawl, mean weight, target accuracy."""
    matched = {world.page_name(url) for url in known if filters.target.matches(url)}
    accuracy = len(matched & world.targets) / max(1, len(matched))
    return (
        f"pre-crawl {filters.pages}, threshold {filters.threshold}, target URLs {accuracy:.0%}"
        f" right, mean weight {filters.mean_weight:.2f}"
    )


def _row(world: World, crawler: str, crawled: Crawled, note: str = "") -> Row:
    records = {world.page_name(url) for url in crawled.records}
    right = records & world.targets
    pages = len(crawled.order)
    return Row(
        world.name,
        crawler,
        len(records),
        len(right) / len(world.targets),
        len(records - world.targets) / max(1, len(records)),
        pages,
        100 * len(right) / max(1, pages),
        _until(crawled, right, world.page_name),
        note,
    )


def _until(crawled: Crawled, right: set[str], page_name: Callable[[str], str]) -> float | None:
    """Return the share of the crawl after which most of its true records were fetched."""
    needed = MOST_RECORDS * len(right)
    found: set[str] = set()
    for position, url in enumerate(crawled.order, 1):
        found |= {page_name(url)} & right
        if right and len(found) >= needed:
            return position / len(crawled.order)
    return None


async def _table_3(world: World) -> list[tuple[int, bool, bool, int, int]]:
    """Crawl as P1 with each threshold, the filter and the keywords on and off."""
    with tempfile.TemporaryDirectory(prefix="winze-p1-") as where:
        path = Path(where) / "plan.toml"
        path.write_text(world.plan, "utf-8")
        plan = load_plan(path)
    library = _library(world.fetcher(), plan)
    table = []
    for filters_on in (True, False):
        for keywords_on in (True, False):
            for threshold in range(4):
                gwc = Gwc(library, plan.start[0], plan.expression)
                filters = await gwc.prepare()
                variant = Variant(threshold, filters_on, keywords_on)
                crawled = await gwc.crawl(filters, variant)
                right = {world.page_name(url) for url in crawled.records} & world.targets
                table.append((threshold, filters_on, keywords_on, len(right), len(crawled.order)))
    return table


def wrapper_f1(data: Path) -> dict[str, float]:
    """Return the mean F1 of P1's Algorithms 2 and 3 on each group of the field sites."""
    groups: dict[str, list[float]] = {}
    for folder in site_folders(data):
        site = load_field_site(folder)
        places = learn_gwc(site.examples)
        score = site.score([apply_gwc(places, tree) for tree in site.trees])
        groups.setdefault(site.group, []).append(score)
    return {name: mean(scores) for name, scores in groups.items()}


def as_json(evaluation: Evaluation) -> str:
    """Return all figures as one JSON object."""
    return json.dumps(asdict(evaluation) | {"faults": evaluation.faults()}, ensure_ascii=False)


def as_text(evaluation: Evaluation) -> str:
    """Return the tables as a person reads them."""
    lines = [
        f"{'site':12} {'crawler':10} {'records':>7} {'complete':>8} {'off topic':>9} {'pages':>6}"
        f" {'per 100':>7} {'85 % at':>7}"
    ]
    lines += [_line(row) for row in evaluation.rows]
    lines += ["", "P1's table 3 on the first shop: true records / pages by weight threshold"]
    lines += [f"(pre-crawl of {PRE_CRAWL} pages; P1's is 4,000 of far larger sites)"]
    lines += _table_3_lines(evaluation.table_3)
    if evaluation.wrapper_f1:
        scores = ", ".join(f"{name} {f1:.3f}" for name, f1 in evaluation.wrapper_f1.items())
        lines += ["", f"P1's Algorithms 2 and 3, strict value F1: {scores} (ours: bench.fields)"]
    lines += [f"MISSED {fault}" for fault in evaluation.faults()]
    return "\n".join(lines)


def _line(row: Row) -> str:
    until = "-" if row.until_85 is None else f"{row.until_85:.0%}"
    return (
        f"{row.site:12} {row.crawler:10} {row.records:7} {row.complete:8.1%} {row.off_topic:9.1%}"
        f" {row.pages:6} {row.per_100:7.1f} {until:>7}  {row.note}"
    )


def _table_3_lines(table: Sequence[tuple[int, bool, bool, int, int]]) -> Iterator[str]:
    yield f"{'filter':>6} {'keywords':>8} " + "".join(f"{f'TH {n}':>14}" for n in range(4))
    for start in range(0, len(table), 4):
        _, filters, keywords, _, _ = table[start]
        cells = "".join(
            f"{f'{right}/{pages}':>14}" for *_, right, pages in table[start : start + 4]
        )
        yield f"{'on' if filters else 'off':>6} {'on' if keywords else 'off':>8} {cells}"
