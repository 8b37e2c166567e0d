"""Order of the crawl on real sites: area under the harvest curve (design 6.2).

    python -m bench.order [--data DIR] [--quick] [--json]

Simulated: the example pages are fetched first, then the start page, then what the queue gives;
the verdict is the system's own (template and keywords). 1 is a crawl whose every fetch is a target
until all are found. The pages of a dead link count as any other.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.site_graphs import Site, SitePage, Task, data_folder, load_site, page_key, site_names
from winze.frontier.queue import Candidate, FifoQueue, LearnedQueue
from winze.judge.keywords import Expression, parse_all
from winze.judge.verifier import learn_verifier
from winze.learn.order import LinkModel
from winze.model import Link
from winze.urls.shapes import split_url

#: Mean over the tasks, in nAUC; and what every crawl must cover.
LEAST_MEAN, LEAST_COVERAGE = 0.90, 1.0


@dataclass(frozen=True, slots=True)
class Trial:
    """How one simulated crawl went."""

    order: str
    task: str
    nauc: float
    coverage: float
    fetched: int
    #: CPU time of features, learning, scoring and queue, for each page.
    milliseconds: float


class Crawl:
    """A crawl over a site in memory, as the engine makes it over the network."""

    def __init__(self, site: Site, task: Task, examples: Collection[str], *, learned: bool) -> None:
        self.site = site
        self.keywords: Expression | None = parse_all(task.keywords)
        self.model = LinkModel(self.keywords.words() if self.keywords else ())
        self.learned = LearnedQueue(self.model) if learned else None
        self.queue: LearnedQueue | FifoQueue = FifoQueue() if self.learned is None else self.learned
        self.known: set[str] = set()
        self.fetched: list[str] = []
        #: URL to the system's verdict.
        self.verdicts: dict[str, bool] = {}
        self.ordering_seconds = 0.0
        pages = [page for page in map(site.page, examples) if page]
        start = site.page(site.start)
        background = [start.tag_paths] if start else []
        self.verifier = learn_verifier([page.tag_paths for page in pages], background)
        self.first = [candidate_of(Link(url), None) for url in (*examples, site.start)]
        self.known.update(page_key(one.url) for one in self.first)
        if learned:
            for url in examples:
                self.model.observe_example(url)

    def run(self, most: int = sys.maxsize) -> None:
        """Fetch the examples, the start page and what the queue gives, `most` pages in all."""
        for candidate in self.first:
            self.visit(candidate)
        while len(self.fetched) < most and (waiting := self.next()):
            self.visit(waiting)

    def next(self) -> Candidate | None:
        """Take the next candidate; its cost is counted."""
        began = time.process_time()
        candidate = self.queue.pop()
        self.ordering_seconds += time.process_time() - began
        return candidate

    def visit(self, candidate: Candidate) -> None:
        """Fetch one page, judge it, learn from it, let its new links wait."""
        page = self.site.page(candidate.url)
        self.fetched.append(candidate.url)
        holds = self.keywords.holds(page.text) if page and self.keywords else None
        is_target = page is not None and self.judge(page)
        self.verdicts[candidate.url] = is_target
        new, again = self.admit(page)
        began = time.process_time()
        if self.learned is not None:
            again = [one for one in again if self.learned.renew(one)]
            self.model.observe_page(candidate, [*new, *again], is_target=is_target, keywords=holds)
        for one in new:
            self.queue.push(one)
        self.ordering_seconds += time.process_time() - began

    def judge(self, page: SitePage) -> bool:
        """Is a page a target by its template and the keywords?"""
        holds = self.keywords is None or self.keywords.holds(page.text)
        return holds and self.verifier.holds(page.tag_paths)

    def admit(self, page: SitePage | None) -> tuple[list[Candidate], list[Candidate]]:
        """Return the links to unknown pages, and those that name a page which waits nameless."""
        new: list[Candidate] = []
        again: list[Candidate] = []
        nameless = self.learned.nameless if self.learned is not None else ()
        for link in page.links if page else ():
            key = page_key(link.url)
            if key not in self.known:
                self.known.add(key)
                new.append(candidate_of(link, page))
            elif link.anchor and link.url in nameless:
                again.append(candidate_of(link, page))
        return new, again


def candidate_of(link: Link, page: SitePage | None) -> Candidate:
    """Return the candidate that a link on a page makes."""
    return Candidate(
        link.url,
        split_url(link.url).host,
        parent=page.url if page else "",
        anchor=link.anchor,
        tag_path=link.tag_path,
        rank=link.rank,
    )


def harvest_area(order: Collection[str], targets: Collection[str], reachable: int) -> float:
    """Return the area under the harvest curve over that of a perfect crawl, both `reachable` long.

    `order` and `targets` are page keys; a page fetched again costs a fetch and finds nothing.

    >>> harvest_area(["a", "x", "b"], {"a", "b"}, 4)  # found 1 1 2 2 where 1 2 2 2 is perfect
    0.8571428571428571
    """
    hits = np.zeros(reachable)
    seen: set[str] = set()
    for position, key in enumerate(order):
        if position < reachable and key in targets and key not in seen:
            hits[position] = 1
        seen.add(key)
    perfect = np.minimum(np.arange(1, reachable + 1), len(targets))
    return float(hits.cumsum().sum() / perfect.sum())


def trial(site: Site, task: Task, examples: Collection[str], *, learned: bool) -> Trial:
    """Crawl a whole site and score the order."""
    crawl = Crawl(site, task, examples, learned=learned)
    crawl.run()
    order = [page_key(url) for url in crawl.fetched]
    return Trial(
        "learned" if learned else "bfs",
        task.name,
        harvest_area(order, task.targets, site.reachable),
        len(task.targets & set(order)) / len(task.targets),
        len(order),
        1000 * crawl.ordering_seconds / len(order),
    )


def trials(folder: Path, *, quick: bool) -> Iterator[Trial]:
    """Crawl each task with each pair of examples in the learned order, and once breadth-first."""
    for name in site_names(folder):
        site = load_site(folder, name)
        for task in site.tasks:
            yield trial(site, task, task.examples[0], learned=False)
            for examples in task.examples[: 1 if quick else None]:
                yield trial(site, task, examples, learned=True)


def main(arguments: list[str] | None = None) -> int:
    """Print the table; return 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="bench.order", description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder laid out like the test data")
    parser.add_argument("--quick", action="store_true", help="one pair of examples a task")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    rows = list(trials(data_folder(options.data) / "sites", quick=options.quick))
    learned = [row for row in rows if row.order == "learned"]
    names = list(dict.fromkeys(row.task for row in rows))
    table = [_line(name, [row for row in rows if row.task == name]) for name in names]
    mean = float(np.mean([line["nauc"] for line in table]))
    covered = min(row.coverage for row in learned)
    passed = mean >= LEAST_MEAN and covered >= LEAST_COVERAGE
    if options.json:
        print(json.dumps({"tasks": table, "mean": mean, "coverage": covered, "passed": passed}))
    else:
        _print(table, mean, covered)
    return 0 if passed else 1


def _line(name: str, rows: list[Trial]) -> dict[str, str | float | list[float]]:
    learned = [row for row in rows if row.order == "learned"]
    return {
        "task": name,
        "nauc": float(np.mean([row.nauc for row in learned])),
        "trials": [round(row.nauc, 3) for row in learned],
        "bfs": next(row.nauc for row in rows if row.order == "bfs"),
        "coverage": min(row.coverage for row in learned),
        "fetched": float(max(row.fetched for row in learned)),
        "ms_page": float(np.mean([row.milliseconds for row in learned])),
    }


def _print(table: list[dict[str, str | float | list[float]]], mean: float, covered: float) -> None:
    print(f"{'task':12} {'nAUC':>6} {'bfs':>6} {'cover':>6} {'pages':>6} {'ms/page':>8}  trials")
    for line in table:
        print(
            f"{line['task']:12} {line['nauc']:6.3f} {line['bfs']:6.3f} {line['coverage']:6.3f}"
            f" {line['fetched']:6.0f} {line['ms_page']:8.2f}  {line['trials']}"
        )
    print(f"mean nAUC {mean:.3f} (bar {LEAST_MEAN}), coverage {covered:.3f} (bar {LEAST_COVERAGE})")


if __name__ == "__main__":
    raise SystemExit(main())
