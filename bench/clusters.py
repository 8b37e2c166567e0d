"""CPU time of URL clustering: our trie on 50,000 URLs, P1's Algorithm 1 on fewer (design 6.1).

    python -m bench.clusters [--json]

The URLs are made here: the forms of a large shop, so that no site's data is needed.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence

from bench.papers import gwc_clusters
from winze.urls.clusters import cluster

#: URLs, and the CPU seconds that clustering them may take.
URLS, MOST_SECONDS = 50_000, 3.0

#: URLs that the quadratic algorithm is given.
PAPER_URLS = 2_000

_WORDS = ("alpha", "bravo", "camera", "delta", "echo", "film", "garden", "hotel", "index", "jazz")


def shop_urls(count: int, *, seed: int = 0) -> list[str]:
    """Return distinct URLs of a shop: items, listings, members, news, tags, searches."""
    return list(dict.fromkeys(_forms(random.Random(seed), 3 * count)))[:count]


def _forms(chance: random.Random, count: int) -> Iterator[str]:
    root = "https://shop.example"
    for _ in range(count):
        number = chance.randrange(10_000_000)
        words = "-".join(chance.choices(_WORDS, k=3))
        yield chance.choice(
            (
                f"{root}/item/{number}.html",
                f"{root}/{chance.choice(_WORDS)}/{words}-{number}/",
                f"{root}/list/{chance.choice(_WORDS)}/page/{number % 400}",
                f"{root}/member/{words}{number % 9999}/reviews/{number}",
                f"{root}/news/{2000 + number % 25}/{number % 12 + 1:02}/{words}.html",
                f"{root}/tag/%E5%9B%BE%E4%B9%A6{number}",
                f"{root}/search?q={words}&page={number % 50}",
                f"{root}/file/{number:08x}{chance.getrandbits(32):08x}",
            )
        )


def cpu_seconds(work: Callable[[Sequence[str]], Sequence[object]], urls: Sequence[str]) -> float:
    """Return the CPU seconds that the work takes."""
    began = time.process_time()
    work(urls)
    return time.process_time() - began


def main(arguments: list[str] | None = None) -> int:
    """Print both times; return 1 if ours is over the bar."""
    parser = argparse.ArgumentParser(prog="bench.clusters")
    parser.add_argument("--data", help="not used: the URLs are made here")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    urls = shop_urls(URLS)
    found = cluster(urls)
    ours = cpu_seconds(cluster, urls)
    paper_half = cpu_seconds(gwc_clusters.cluster, urls[: PAPER_URLS // 2])
    paper = cpu_seconds(gwc_clusters.cluster, urls[:PAPER_URLS])
    passed = ours < MOST_SECONDS
    if options.json:
        figures = {"urls": URLS, "ours": ours, "clusters": len(found), "paper_urls": PAPER_URLS}
        print(json.dumps({**figures, "paper": paper, "paper_half": paper_half, "passed": passed}))
    else:
        print(f"pattern trie  {len(urls):6} URLs {ours:7.2f} CPU s, {len(found)} clusters")
        print(f"Algorithm 1   {PAPER_URLS // 2:6} URLs {paper_half:7.2f} CPU s")
        print(f"Algorithm 1   {PAPER_URLS:6} URLs {paper:7.2f} CPU s")
        print(f"bar: {URLS} URLs in {MOST_SECONDS} CPU s")
    return 0 if passed else 1


if __name__ == "__main__":
    raise SystemExit(main())
