"""Winze on the engine benchmark's site: `python -m bench.engine.ours KIND OUT FOLDER [SHARES]`.

KIND is bare or shipped. Writes the line that every engine writes for a page to OUT, and crawls as
`winze crawl` does. With SHARES, the CPU time of the program's parts is sampled into that file.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import TextIO

import uvloop

from bench.cpu_shares import CpuShares, part_of
from winze.engine.job import Job, Watcher, Wish
from winze.engine.order import OrderName
from winze.engine.workspace import open_site
from winze.model import Status, Visit
from winze.plan import load_plan

#: The benchmark's site; the peers' scripts read the same variable.
BASE = os.environ.get("BENCH_BASE", "http://127.0.0.1:28590")

#: What the peers follow: paths that end in "/" or ".html".
_COMMON = f"""
start = ["{BASE}/index.html"]
user_agent = "benchbot/1.0"
concurrency = 32
concurrency_total = 32
delay = 0
sitemap = false

[filters]
allow = ['^{BASE}/[^?#]*(/|\\.html)$']
"""

#: Breadth first, a record of every page, no verifier, no archive.
_BARE = f"archive = false\n{_COMMON}"

#: Learned from two pages: order, verifier, keywords, wrapper, and all answers archived.
_SHIPPED = f"""
keywords = "function || class || method || module"
examples = [
    "{BASE}/python/library/zipfile.html",
    "{BASE}/python/library/heapq.html",
]
{_COMMON}
[fields]
name = ["zipfile — Work with ZIP archives¶", "heapq — Heap queue algorithm¶"]
"""


def main(kind: str, out: str, folder: str, shares: str | None = None) -> None:
    """Crawl the whole site as a fresh plan in this folder."""
    path = Path(folder) / "plan.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(_BARE if kind == "bare" else _SHIPPED, "utf-8")
    if kind == "bare":
        path.with_name("learned.json").write_text('{"title": "title"}', "utf-8")
    order = OrderName.BFS if kind == "bare" else OrderName.LEARNED
    plan = load_plan(path)
    with open_site(plan) as store, Path(out).open("w", encoding="utf-8") as lines:
        watcher = Watcher(visit=lambda visit: _write(lines, visit))
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            job = Job(plan, store, Wish(order=order), watcher)
            if shares is None:
                runner.run(job.crawl())
            else:
                with CpuShares(part_of) as sampled:
                    runner.run(job.crawl())
                told = {part: sampled.share(part) for part in sampled.seconds}
                Path(shares).write_text(json.dumps(told))


def _write(lines: TextIO, visit: Visit) -> None:
    page = visit.page
    if page.status is Status.FETCHED:
        row = {
            "url": page.url,
            "title": page.title,
            "text_len": visit.evidence.text_length,
            "n_links": len(visit.links),
        }
        lines.write(json.dumps(row, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
