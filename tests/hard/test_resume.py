"""A1, A3: killed in the middle of pages and of output, a crawl goes on as if nothing had been."""

import json
import signal
import time
from collections import Counter

from tests.hard.server import NOT_FOUND, Answer, item, links
from winze.engine.writer import BATCH

PAGES = 600
IN_FLIGHT = 16

MORE = f"concurrency = {IN_FLIGHT}\nconcurrency_total = {IN_FLIGHT}\n"


def slow_site(hit):
    """600 items of 50 ms, all linked from the first page."""
    if hit.target == "/":
        return Answer(links(*(f"/item/{n}" for n in range(PAGES))))
    if hit.target.startswith("/item/"):
        return Answer(item(hit.target), delay=0.05)
    return NOT_FOUND


def kill_when(process, ready) -> None:
    end = time.monotonic() + 60
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.002)
    assert process.poll() is None, "the crawl was over before it could be killed"
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a1_sigkill_loses_no_page_and_doubles_no_row(served, capfd):
    """A1: 600 slow pages, SIGKILL, run again: all fetched, one row each, few asked twice.

    Scrapy never fetched 549 and 416 of 600, Scrapling fetched 250 again, Crawlee doubled a row.
    """
    with served(slow_site, more=MORE) as (server, site):
        with site.crawling() as process:
            kill_when(process, lambda: len(server.asked("/item/")) >= 250)
        result = site.crawl(capfd)
        assert result.code == 0, result.err
        asked = Counter(server.asked("/item/"))
        rows = site.by_path(server.url)
    assert asked.keys() == {f"/item/{n}" for n in range(PAGES)}
    # The writer lets twice a batch be put and not yet committed; a slow disk leaves them all.
    assert asked.total() - PAGES <= IN_FLIGHT + 2 * BATCH
    assert rows == dict.fromkeys(["/", *asked], ("fetched", "OK"))
    titles = Counter(row["title"] for row in site.records())
    assert titles == Counter(asked.keys())


def test_a3_a_kill_while_output_is_written_leaves_every_line_whole(served, capfd):
    """A3: killed at three batches, one line torn besides: nothing missing, doubled or broken.

    The peers (Scrapy, Crawlee, Scrapling) left a broken last line or an overwritten batch.
    """
    with served(slow_site, more=MORE) as (_, site):
        for lines in (20, 150, 300):

            def is_written(lines=lines):
                return site.output.exists() and site.output.read_bytes().count(b"\n") > lines

            with site.crawling() as process:
                kill_when(process, is_written)
            # What a kill inside write(2) leaves, which no test can time.
            with site.output.open("ab") as torn:
                torn.write(b'{"url": "http://127.0.0.1/item/x", "tit')
        result = site.crawl(capfd)
        assert result.code == 0, result.err
    titles = [row["title"] for row in site.records()]
    assert sorted(titles) == sorted(f"/item/{n}" for n in range(PAGES))
    for line in site.output.read_text("utf-8").splitlines():
        assert json.loads(line).keys() == {"url", "title"}
