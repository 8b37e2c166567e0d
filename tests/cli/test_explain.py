"""`winze explain` tells of any URL why it was or was not fetched."""

import json

import pytest

from tests.cli.command import finish, winze, winze_process, write_plan
from tests.cli.site import article_page, book_page, book_shop
from winze.demo.server import ShopServer
from winze.demo.site import Answer

PLAN = """
start = ["{url}/"]
keywords = "book && !secondhand"
examples = ["{url}/book/1", "{url}/book/2"]
limits = {{ depth = 3 }}
[filters]
deny = ["/denied"]
[fields]
title = ["Book no. 1", "Book no. 2"]
price = ["£1.50", "£2.50"]
"""


@pytest.fixture(scope="module")
def crawled(tmp_path_factory):
    """A shop with a page of every fate, crawled: server's URL and the plan."""
    shop = book_shop(60, bad=1)
    fates = ("used", "denied", "forbidden", "gone", "broken", "moved")
    shop.pages["/"] += "".join(f"<a href='/{fate}'>To {fate}</a>" for fate in fates)
    shop.pages |= {
        "/robots.txt": Answer(b"User-agent: *\nDisallow: /forbidden", content_type="text/plain"),
        "/used": book_page("A secondhand book", "£1"),
        "/moved": Answer(b"", status=301, location="/book/9"),
        "/broken": Answer(b"", status=501),
        "/article": article_page(),
    }
    with ShopServer(shop) as server:
        plan = write_plan(tmp_path_factory.mktemp("books"), PLAN.format(url=server.url))
        result = finish(winze_process("crawl", plan, "--store", plan.parent / "a.db"))
        assert result.code in (0, 3), result.err
        yield server.url, plan


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("/book/7", ["fetched: a target page", "title: Book no. 7", "price: £7.50", "HTTP 200"]),
        ("/book/7?utm_source=mail#top", ["asked for as", "title: Book no. 7"]),
        ("/book/9", ["“Book 9”", "like the examples", "a target's form"]),
        ("/", ["no target page; its links were followed", "(from the plan)"]),
        ("/used", ["off topic: the keywords do not hold", "“To used”", "they do not hold"]),
        ("/denied", ["not fetched: the plan's filters", "FILTER_ERROR"]),
        ("/forbidden", ["not fetched: robots.txt forbids it", "ROBOTS_DENIED"]),
        ("/gone", ["there is no such page (404)", "URL_404"]),
        ("/broken", ["failed: HTTP_5XX, HTTP 501", "“To broken”"]),
        ("/moved", ["it redirects to", "/book/9 is: fetched: a target page"]),
    ],
)
def test_each_fate_is_explained(capfd, crawled, page, said):
    base, plan = crawled
    result = winze(capfd, "explain", plan, base + page, "--store", plan.parent / "a.db")
    assert (result.code, result.err) == (0, "")
    for text in said:
        assert text in result.out


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("{base}/nobody/links/here", "no page that was followed links to it"),
        ("{base}/cover.jpg", "it is a file and no page"),
        ("{base}/denied/2", "the plan's filters"),
        ("http://elsewhere.example/", "out of scope"),
    ],
)
def test_what_is_not_in_the_table_is_explained_too(capfd, crawled, url, said):
    base, plan = crawled
    url = url.format(base=base)
    result = winze(capfd, "explain", plan, url, "--store", plan.parent / "a.db")
    assert result.code == 4
    assert said in result.out


def test_before_the_crawl_and_bad_addresses(capfd, tmp_path):
    plan = write_plan(tmp_path / "books", 'start = ["http://shop.example/"]')
    unknown = winze(capfd, "explain", plan, "http://shop.example/a")
    assert (unknown.code, "nothing was crawled yet" in unknown.out) == (4, True)
    bad = winze(capfd, "explain", plan, "shop")
    assert (bad.code, bad.out, bad.err.count("\n")) == (2, "", 1)


def test_queues_and_counts_tell_the_same(capfd, crawled):
    base, plan = crawled
    store = ("--store", plan.parent / "a.db")
    irrelevant = winze(capfd, "status", plan, "--queue", "irrelevant", *store).out.splitlines()
    told = dict(line.split("\t") for line in irrelevant)
    assert {url.removeprefix(base) for url in told} >= {"/used", "/denied", "/forbidden", "/gone"}
    assert "keywords" in told[f"{base}/used"]
    done = winze(capfd, "status", plan, "--queue", "done", *store).out.splitlines()
    exported = winze(capfd, "export", plan, *store).out.splitlines()
    held = winze(capfd, "export", plan, "--quarantine", *store)
    held_lines = held.out.splitlines() if held.code == 0 else []
    records = [json.loads(line) for line in exported + held_lines]
    assert {line.split("\t")[0] for line in done} == {record["url"] for record in records}
