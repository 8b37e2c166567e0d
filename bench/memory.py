"""Memory and CPU of the frontier when most of what is known is never fetched.

    python -m bench.memory [--pages 100000] [--order learned] [--quick]

A site without end in memory: each page links to ten new ones, so 100,000 pages make 1,000,000
known URLs. The crawl is the product's own (survey aside), its store and archive on disk, in a
process of its own. A small crawl of 1,000 pages is weighed as well.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

# The command's own imports are part of what a crawl weighs.
import winze.cli.app  # noqa: F401
from bench.cpu_shares import CpuShares, part_of
from winze.engine.job import Job, Watcher, Wish
from winze.engine.network import Network
from winze.engine.order import OrderName
from winze.engine.report import Limits, Report
from winze.engine.workspace import open_site
from winze.model import Request, Response
from winze.plan import load_plan

#: The bars of the issue: MB for the big and the small crawl, share of the CPU.
MOST_MB, MOST_SMALL_MB, MOST_SHARE = 400, 150, 0.10

#: Pages of the big crawl, of the quick one, and of the small one.
PAGES, QUICK_PAGES, SMALL_PAGES = 100_000, 10_000, 1_000

#: New links on each page.
LINKS = 10

#: Hosts of the site.
_HOSTS = 20

#: Requests in flight.
_IN_FLIGHT = 16

#: Pages between two looks at the memory, and the share of them that is warm-up.
_STEP, _WARM_UP = 250, 1 / 3

_HEADERS = (("content-type", "text/html; charset=utf-8"),)


@dataclass(frozen=True, slots=True)
class Weighed:
    """What one crawl cost."""

    pages: int
    known: int
    #: Resident set in KB: before the crawl, and at most.
    before: int
    peak: int
    #: Growth after the warm-up, bytes for each URL known.
    bytes_per_url: float
    cpu_seconds: float
    #: Of the CPU time: queue and admission, learning the order, the store.
    frontier: float
    learning: float
    store: float


class EndlessSite:
    """A Fetcher: every page is a small record with ten links to pages that nothing else names."""

    async def __call__(self, request: Request) -> Response:
        """Return a page."""
        number = int(request.url.rpartition("-")[2])
        return Response(request.url, 200, _HEADERS, page(number).encode(), fetched_at=time.time())


def page(number: int) -> str:
    """Return the HTML of a page."""
    links = "".join(
        f'<li class=card><a href="{url_of(child)}">Thing no. {child}</a></li>'
        for child in children(number)
    )
    words = " ".join(map(str, random.Random(number).choices(range(1000), k=200)))
    return (
        f"<!DOCTYPE html><html lang=en><title>Thing {number}</title><body><main><h1>Thing {number}"
        f"</h1><p class=price>${number % 900 + 9}.50</p><p>{words}</p></main><ul>{links}</ul>"
    )


def children(number: int) -> list[int]:
    """Return the pages that a page links to; chance meets twice once in 10^6 of them.

    >>> len({child for number in range(1000) for child in children(number)})
    10000
    """
    return [(number * LINKS + k + 1) * 6364136223846793005 % 2**40 for k in range(LINKS)]


def url_of(number: int) -> str:
    """Return the URL of a page.

    >>> url_of(1_000_007)
    'http://shop7.example/c34/thing-1000007'
    """
    return f"http://shop{number % _HOSTS}.example/c{number % 97}/thing-{number}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures beside their bars; return 1 if one is missed."""
    parser = argparse.ArgumentParser(prog="bench.memory", description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_PAGES} pages")
    parser.add_argument("--order", choices=[str(name) for name in OrderName], default="learned")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    pages = options.pages or (QUICK_PAGES if options.quick else PAGES)
    if options.child:
        weighed = weigh(Path(options.child), pages, OrderName(options.order))
        print(json.dumps(asdict(weighed)))
        return 0
    small, big = (apart(number, options.order) for number in (SMALL_PAGES, pages))
    return 1 if print_table(small, big) else 0


def apart(pages: int, order: str) -> Weighed:
    """Weigh a crawl in a process of its own."""
    with tempfile.TemporaryDirectory(prefix="winze-memory-") as folder:
        words = ["--child", folder, "--pages", str(pages), "--order", order]
        command = [sys.executable, "-m", "bench.memory", *words]
        told = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout
    return Weighed(**json.loads(told))


def weigh(folder: Path, pages: int, order: OrderName) -> Weighed:
    """Crawl so many pages in this process; `folder` gets plan and store."""
    samples: list[tuple[int, int]] = []

    def look(report: Report) -> None:
        if report.pages % _STEP == 0:
            samples.append((report.pages, rss()))

    plan = load_plan(_write_plan(folder / "endless"))
    with open_site(plan) as store:
        wish = Wish(order=order, limits=Limits(pages=pages))
        job = Job(plan, store, wish, Watcher(page=look), Network(EndlessSite()))
        before, began = rss(), time.process_time()
        with CpuShares(part_of) as shares:
            done = asyncio.run(job.crawl())
        seconds = time.process_time() - began
        with store.read() as connection:
            known = sum(store.urls.counts(connection).values())
    return Weighed(
        pages=done.report.pages,
        known=known,
        before=before,
        # The kernel's own peak lags behind by some 100 KB.
        peak=max(before, rss(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss),
        bytes_per_url=growth(samples) * 1024 * done.report.pages / known,
        cpu_seconds=seconds,
        frontier=shares.share("frontier"),
        learning=shares.share("learning"),
        store=shares.share("store"),
    )


def growth(samples: Sequence[tuple[int, int]]) -> float:
    """Return the slope of the second value over the first, by least squares after the warm-up.

    >>> round(growth([(n, 100 + 3 * n) for n in range(30)]), 3)
    3.0
    """
    kept = np.array(samples[int(len(samples) * _WARM_UP) :], dtype=float)
    if len(kept) < 2:
        return 0.0
    spread = kept[:, 0] - kept[:, 0].mean()
    return float(spread @ kept[:, 1] / max(1.0, float(spread @ spread)))


def rss() -> int:
    """Return this process' resident set in KB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


def print_table(small: Weighed, big: Weighed) -> list[str]:
    """Print the figures; return the names of those that miss their bar."""
    rows = [
        (f"peak MB, {small.pages:,} pages", small.peak / 1024, MOST_SMALL_MB),
        (f"peak MB, {big.pages:,} pages, {big.known:,} URLs", big.peak / 1024, MOST_MB),
        ("frontier, % of the CPU", 100 * big.frontier, 100 * MOST_SHARE),
    ]
    missed = [name for name, value, bar in rows if value > bar]
    for name, value, bar in rows:
        print(f"{'MISSED' if name in missed else '':7}{name:45} {value:8.1f}  bar {bar:g}")
    told = {
        "bytes for each URL known": big.bytes_per_url,
        "MB before the crawl": big.before / 1024,
        "learning the order, % of the CPU": 100 * big.learning,
        "store, % of the CPU": 100 * big.store,
        "CPU seconds for 1,000 pages": 1000 * big.cpu_seconds / big.pages,
    }
    for name, value in told.items():
        print(f"{'':7}{name:45} {value:8.1f}")
    return missed


def _write_plan(folder: Path) -> Path:
    """Write plan and learned.json, so that there is nothing to learn."""
    folder.mkdir(parents=True)
    starts = [url_of(number) for number in range(_HOSTS)]
    path = folder / "plan.toml"
    path.write_text(f"start = {json.dumps(starts)}\nconcurrency_total = {_IN_FLIGHT}\n")
    target = {"regex": r"http://shop[0-9]+\.example/c[0-9]+/thing-[0-9]+", "by": "hand"}
    rules = {"shop0.example": {"targets": [target], "decided_by": "url"}}
    templates = [{"id": "thing", "fields": {"title": "h1", "price": ".price"}}]
    learned = {"version": 1, "hosts": rules, "templates": templates}
    (folder / "learned.json").write_text(json.dumps(learned))
    return path


if __name__ == "__main__":
    raise SystemExit(main())
