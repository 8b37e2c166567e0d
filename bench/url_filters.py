"""Learned target filters on real sites: precision and recall over all pages (design 6.1).

    python -m bench.url_filters [--data DIR] [--json]

A pre-crawl in the learned order, an audit, then the filters; as `winze learn` does it, in memory.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.order import Crawl
from bench.site_graphs import Site, Task, data_folder, load_site, page_key, site_names
from winze.judge.verifier import learn_verifier
from winze.learn.url_filters import (
    Observation,
    UrlFilters,
    learn_url_filters,
    next_audit,
    same_form,
)
from winze.urls.patterns import matches_any

#: What a filter must reach where URLs decide.
LEAST_PRECISION, LEAST_RECALL = 0.96, 0.99


@dataclass(frozen=True, slots=True)
class Trial:
    """The filters that one pair of examples taught."""

    task: str
    pages: int
    drawn: int
    decided_by: str
    expected: str
    precision: float
    recall: float
    targets: tuple[str, ...]
    directories: int

    @property
    def passed(self) -> bool:
        """Was the right judge chosen, and is the filter good where URLs judge?"""
        good = self.precision >= LEAST_PRECISION and self.recall >= LEAST_RECALL
        return self.decided_by == self.expected and (good or self.decided_by == "page")


def survey(site: Site, task: Task, examples: Collection[str]) -> tuple[UrlFilters, Crawl, int]:
    """Pre-crawl, audit, learn; return the filters, the crawl, and how many were drawn."""
    crawl = Crawl(site, task, examples, learned=True)
    crawl.run(max(40, min(500, site.reachable // 10)))
    refine(crawl, examples)
    drawn: set[str] = set()
    while True:
        seen = list(observations(crawl, examples, drawn))
        waiting = crawl.learned.waiting() if crawl.learned is not None else []
        urls = [one.url for one in waiting if one.url not in drawn]
        likely = crawl.model.likelihoods(waiting)
        url = next_audit(seen, urls, examples, likelihoods=likely)
        if url is None:
            return learn_url_filters(seen, urls, examples, likelihoods=likely), crawl, len(drawn)
        drawn.add(url)
        crawl.visit(next(one for one in waiting if one.url == url))


def refine(crawl: Crawl, examples: Collection[str]) -> None:
    """Learn the verifier again from all pages seen, and judge them again."""
    pages = {url: page for url in crawl.fetched if (page := crawl.site.page(url))}
    kin = same_form(pages, examples)
    crawl.verifier = learn_verifier(
        [pages[url].tag_paths for url in examples],
        [page.tag_paths for url, page in pages.items() if url not in kin],
        [page.tag_paths for url, page in pages.items() if url in kin],
    )
    for url, page in pages.items():
        crawl.verdicts[url] = crawl.judge(page)


def observations(
    crawl: Crawl, examples: Collection[str], drawn: Collection[str]
) -> Iterator[Observation]:
    """Yield what the crawl saw."""
    for url, is_target in crawl.verdicts.items():
        page = crawl.site.page(url)
        links = tuple(link.url for link in page.links) if page else ()
        yield Observation(url, is_target or url in examples, links, drawn=url in drawn)


def trials(folder: Path) -> Iterator[Trial]:
    """Learn the filters of each task from each pair of examples."""
    for name in site_names(folder):
        site = load_site(folder, name)
        for task in site.tasks:
            for examples in task.examples:
                filters, crawl, drawn = survey(site, task, examples)
                matched = {k for k, p in site.pages.items() if matches_any(filters.targets, p.url)}
                hits = len(matched & task.targets)
                yield Trial(
                    task.name,
                    len(crawl.fetched),
                    drawn,
                    filters.decided_by,
                    expected_judge(site, task, examples),
                    hits / max(1, len(matched)),
                    hits / len(task.targets),
                    tuple(pattern.regex for pattern in filters.targets),
                    len(filters.directories),
                )


def expected_judge(site: Site, task: Task, examples: Collection[str]) -> str:
    """Return who should decide: URLs where most pages of the examples' form are targets."""
    kin = same_form([page.url for page in site.pages.values()], examples)
    share = sum(page_key(url) in task.targets for url in kin) / max(1, len(kin))
    return "url" if share >= 0.8 else "page"


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="bench.url_filters")
    parser.add_argument("--data", help="folder laid out like the test data")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rows = list(trials(data_folder(options.data) / "sites"))
    passed = all(row.passed for row in rows)
    if options.json:
        print(json.dumps({"trials": [asdict(row) for row in rows], "passed": passed}))
        return 0 if passed else 1
    print(f"{'task':12} {'pages':>5} {'drawn':>5} {'decided by':10} {'P':>6} {'R':>6}  targets")
    for row in rows:
        mark = "" if row.passed else "  MISSED"
        print(
            f"{row.task:12} {row.pages:5} {row.drawn:5} {row.decided_by:10} {row.precision:6.3f}"
            f" {row.recall:6.3f}  {' '.join(row.targets)} +{row.directories} directories{mark}"
        )
    print(f"bars: the right judge; P {LEAST_PRECISION}, R {LEAST_RECALL} where URLs decide")
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
