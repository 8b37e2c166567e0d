"""The central promise: `kill -9` at any moment loses nothing and doubles nothing."""

import json
import random
import signal
import sys
import time
from collections import Counter

import pytest

from tests.cli.command import running, winze, write_plan
from winze.demo.server import ShopServer
from winze.demo.slow import slow_site
from winze.engine.workspace import open_site
from winze.engine.writer import BATCH
from winze.plan import load_plan
from winze.store.records import all_records, page_spans

PAGES = 600

#: Index pages besides the items; the root is the first.
INDEX_PAGES = 30

IN_FLIGHT = 16

#: Pages that the learn phase asks for again when it was cut off: the start and two examples.
SAMPLES = 3

KILLS = 3


def learned_by_hand(host: str) -> str:
    target = {"regex": f"http://{host}/item/[0-9]+", "by": "hand"}
    rules = {"targets": [target], "decided_by": "url"}
    fields = {"title": "h1", "price": ".price"}
    templates = [{"id": "item", "fields": fields}]
    return json.dumps({"version": 1, "hosts": {host: rules}, "templates": templates})


def kill_at(process, server, hits: int, pause: float) -> None:
    """Kill the crawl when the server has counted so many hits, and a moment later."""
    end = time.monotonic() + 60
    while len(server.log) < hits:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, f"{len(server.log)} of {hits} pages in 60 s"
        time.sleep(0.005)
    time.sleep(pause)
    assert process.poll() is None, "the crawl was over before it could be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.fixture
def rng():
    """Chance, its seed printed with a failure."""
    seed = random.randrange(10**6)
    sys.stdout.write(f"seed {seed}\n")
    return random.Random(seed)


@pytest.mark.parametrize("by_hand", [True, False], ids=["learned by hand", "learning"])
def test_three_kills_lose_nothing(rng, by_hand, tmp_path, capfd):
    # The learn phase reads 60 pages or so; without learned.json the first kill lies in it.
    moments = [rng.randint(5, 55 if not by_hand else 200)]
    moments += sorted(rng.sample(range(220, 550), KILLS - 1))
    output = tmp_path / "out.jsonl"
    with ShopServer(slow_site(PAGES, delay=0.05)) as server:
        plan = slow_site(PAGES).plan(server.url).as_toml()
        path = write_plan(tmp_path, f"concurrency = {IN_FLIGHT}\nsitemap = false\n{plan}")
        if by_hand:
            host = server.url.partition("://")[2]
            (tmp_path / "learned.json").write_text(learned_by_hand(host))
        for moment in moments:
            with running("crawl", path, "-o", output) as process:
                kill_at(process, server, moment, rng.uniform(0, 0.2))
        last = winze(capfd, "crawl", path, "-o", output)
        assert last.code == 0, last.err
        hits = Counter(hit.target for hit in server.log if hit.target != "/robots.txt")
        again = winze(capfd, "crawl", path, "-o", output)
        assert "0 new, 630 done; --fresh to start over" in again.err
        assert len(server.log) == hits.total() + len(server.hits("/robots.txt"))
    assert set(hits) == {f"/item/{n}" for n in range(1, PAGES + 1)} | index_paths()
    assert_refetched(hits, samples=0 if by_hand else SAMPLES)
    assert_whole(load_plan(path), output, server.url)


def index_paths() -> set[str]:
    return {"/"} | {f"/list/{n}" for n in range(1, INDEX_PAGES)}


def assert_refetched(hits: Counter[str], *, samples: int) -> None:
    """Each kill may cost what was in flight and one uncommitted batch."""
    again = hits.total() - len(hits)
    sys.stdout.write(f"fetched again: {again}\n")
    assert again <= KILLS * (IN_FLIGHT + BATCH + samples)


def assert_whole(plan, output, root: str) -> None:
    """Store, archive and file hold every item once, with its values."""
    truth = {root + str(row["url"]): row["fields"] for row in slow_site(PAGES).truth()}
    with open_site(plan) as store, store.read() as connection:
        rows = list(store.urls.all(connection))
        found = list(all_records(connection, store.site_id))
        spans = dict(page_spans(connection, store.site_id))
        bodies = {row.url: store.archive.read(spans[row.key]) for row in rows}
    assert len(rows) == len({row.url for row in rows}) == PAGES + INDEX_PAGES
    assert len(found) == PAGES
    assert {record.url: dict(record.fields) for record in found} == truth
    assert all(record.valid for record in found)
    for url, answer in bodies.items():
        assert answer.url == url
        assert answer.body.startswith(b"<!DOCTYPE html>")
    lines = [json.loads(line) for line in output.read_text("utf-8").splitlines()]
    assert len(lines) == PAGES
    assert {line.pop("url"): line for line in lines} == truth
