"""Soak a crawl: many hosts, random faults, two kills, and nothing may be lost, doubled or rude.

    python -m bench.soak [--hosts 50] [--pages 50000] [--seed 1] [--quick] [--keep FOLDER]

`winze crawl` runs as a user runs it, over hosts at loopback addresses of their own; 5 % of the
pages err, 2 % are slow, 1 % reset the connection.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.soak.crawls import crawl_with_kills, serving, write_plan
from bench.soak.judge import Figure, Soaked, judge
from bench.soak.site import SoakSite

#: Seconds between two requests to a host. At 50 hosts it binds: 500 pages a second at the most.
DELAY = 0.1

#: The whole soak, and the quick one: hosts and pages in all.
FULL, QUICK = (50, 50_000), (10, 3_000)

#: Kills at these shares of the pages. Between them the number of URLs that wait is stationary: what
#: the memory grows by there is neither the queue's nor hidden by its shrinking.
KILLS = (0.1, 0.6)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="bench.soak", description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int)
    parser.add_argument("--pages", type=int, help="of all hosts together")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help=f"{QUICK[1]} pages, {QUICK[0]} hosts")
    parser.add_argument("--keep", type=Path, help="leave store, log and output in this folder")
    options = parser.parse_args(arguments)
    hosts, pages = QUICK if options.quick else FULL
    hosts, pages = options.hosts or hosts, options.pages or pages
    site = SoakSite(hosts, max(1, pages // hosts), options.seed)
    with tempfile.TemporaryDirectory(prefix="winze-soak-") as folder:
        figures = soak(site, options.keep or Path(folder))
    print_figures(figures)
    return 0 if all(figure.met for figure in figures) else 1


def soak(
    site: SoakSite, folder: Path, *, delay: float = DELAY, kills: Sequence[float] = KILLS
) -> list[Figure]:
    """Serve, crawl, kill and judge; `folder` gets the plan, the store, the log, the output and
    `runs.json`, the memory of every run.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log, output = folder / "server.log", folder / "out.jsonl"
    moments = [int(share * site.hosts * site.pages) for share in kills]
    with serving(site, log) as port:
        plan = write_plan(folder / "soak", site, port, delay)
        runs = crawl_with_kills(plan, output, log, moments)
    (folder / "runs.json").write_text(json.dumps([asdict(run) for run in runs]))
    return judge(Soaked(site, port, delay, plan, output, log, runs))


def print_figures(figures: Sequence[Figure]) -> None:
    """Print each figure beside its bar."""
    for figure in figures:
        bar = f"bar {figure.bar}" if figure.bar else ""
        print(f"{'' if figure.met else 'MISSED':7}{figure.name:40} {figure.value:>16}  {bar}")


if __name__ == "__main__":
    raise SystemExit(main())
