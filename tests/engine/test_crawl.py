"""The crawl loop on a web of plain strings."""

import asyncio
import time
from itertools import pairwise

import pytest

from tests.engine.web import PLAN, Web, crawl, failed, links, moved, rows, write_site
from winze.engine.job import Wish
from winze.engine.order import OrderName
from winze.engine.report import Limits, Stop
from winze.engine.workspace import open_site
from winze.model import ErrorCode, Kind
from winze.plan import load_plan
from winze.store.records import all_records

ROOT = "http://shop.example"

ITEM = "<title>I</title><h1>Item</h1><p>wanted</p>"

OK = ("fetched", "OK")

WANTED = f'{PLAN}keywords = "wanted"\n'


def item(number: int) -> str:
    return f"<title>I</title><h1>Item {number}</h1><p>wanted</p>"


def shop(items: int = 5) -> Web:
    pages = {f"{ROOT}/p/{n}": item(n) for n in range(items)}
    return Web({f"{ROOT}/": links(*(f"/p/{n}" for n in range(items)))} | pages)


@pytest.mark.parametrize(
    "chain",
    [
        ["http://shop.example/p/0", "https://shop.example/p/0"],
        ["http://shop.example/p/0", "https://www.shop.example/p/0/"],
        ["http://shop.example/p/0", "http://shop.example/p/0/", "https://shop.example/p/0/"],
        ["http://shop.example/p/0", "http://shop.example/p/0/index.html"],
    ],
)
async def test_another_spelling_of_a_page_keeps_one_row(chain, tmp_path):
    web = shop(2)
    for here, there in pairwise(chain):
        web.pages[here] = moved(here, there)
    web.pages[chain[-1]] = item(0)
    path = write_site(tmp_path, WANTED)
    done = await crawl(path, web)
    assert done.records == 2
    assert web.asked.count(chain[-1]) == 1
    assert len(web.asked) == 2 + len(chain) == done.report.pages
    assert rows(path) == {f"{ROOT}/": OK, chain[-1]: OK, f"{ROOT}/p/1": OK}
    await crawl(path, web)
    assert len(web.asked) == 2 + len(chain)


async def test_a_circle_of_spellings_ends(tmp_path):
    web = shop(1)
    url, other = f"{ROOT}/p/0", "https://shop.example/p/0"
    web.pages |= {url: moved(url, other), other: moved(other, url)}
    path = write_site(tmp_path, WANTED)
    await crawl(path, web)
    assert len(web.asked) < 12
    assert list(rows(path).values()).count(("fetch_error", "REDIRECT_LOOP")) == 1


async def test_a_redirect_is_judged_like_a_link(tmp_path):
    web = shop(2)
    old, away, denied = f"{ROOT}/p/0", f"{ROOT}/p/1", f"{ROOT}/no"
    web.pages[f"{ROOT}/"] = links(old, away, "/moved")
    web.pages |= {
        old: moved(old, "/new"),
        f"{ROOT}/new": ITEM,
        away: moved(away, "http://other.example/"),
        f"{ROOT}/moved": moved(f"{ROOT}/moved", denied),
    }
    path = write_site(tmp_path, f"{WANTED}limits = {{depth = 1}}\nfilters = {{deny = ['/no']}}")
    await crawl(path, web)
    assert "http://other.example/" not in web.asked
    assert denied not in web.asked
    assert rows(path) == {
        f"{ROOT}/": OK,
        old: ("redirected", "OK"),
        away: ("redirected", "OK"),
        f"{ROOT}/moved": ("redirected", "OK"),
        f"{ROOT}/new": OK,  # no deeper than the page it stands for
        denied: ("excluded", "FILTER_ERROR"),
    }


async def test_redirect_hops_count_against_the_page_limit(tmp_path):
    web = shop(5)
    web.pages[f"{ROOT}/p/0"] = moved(f"{ROOT}/p/0", "https://shop.example/p/0")
    web.pages["https://shop.example/p/0"] = ITEM
    path = write_site(tmp_path, WANTED)
    done = await crawl(path, web, Wish(order=OrderName.BFS, limits=Limits(pages=3)))
    assert len(web.asked) == 3
    assert done.report.stop is Stop.PAGES


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (Limits(pages=3), Stop.PAGES),
        (Limits(seconds=0.0), Stop.TIME),
        (Limits(bytes=1), Stop.BYTES),
        (Limits(), Stop.DONE),
    ],
)
async def test_why_a_crawl_ends(limits, stop, tmp_path):
    done = await crawl(write_site(tmp_path, WANTED), shop(), Wish(limits=limits))
    assert done.report.stop is stop


async def test_a_limited_crawl_goes_on_where_it_was(tmp_path):
    web, path = shop(20), write_site(tmp_path, WANTED)
    for _ in range(3):
        await crawl(path, web, Wish(limits=Limits(pages=7)))
    assert len(web.asked) == 21
    assert len(set(web.asked)) == 21


@pytest.mark.parametrize(
    ("answer", "asked", "row"),
    [
        (failed(f"{ROOT}/p/0", ErrorCode.HTTP_5XX, 503), 3, ("fetch_error", "HTTP_5XX")),
        (failed(f"{ROOT}/p/0", ErrorCode.URL_TIME_OUT), 3, ("fetch_error", "URL_TIME_OUT")),
        (failed(f"{ROOT}/p/0", ErrorCode.URL_404, 404), 1, ("gone", "URL_404")),
        (failed(f"{ROOT}/p/0", ErrorCode.ROBOTS_DENIED), 1, ("excluded", "ROBOTS_DENIED")),
    ],
)
async def test_faults_are_tried_again_by_reruns_three_times(answer, asked, row, tmp_path):
    web, path = shop(2), write_site(tmp_path, WANTED)
    web.pages[f"{ROOT}/p/0"] = answer
    for _ in range(5):
        done = await crawl(path, web)
    assert web.asked.count(f"{ROOT}/p/0") == asked
    assert rows(path)[f"{ROOT}/p/0"] == row
    assert done.records == 1


async def test_fresh_keeps_records_and_notes_what_changed(tmp_path):
    web, path = shop(3), write_site(tmp_path, WANTED)
    await crawl(path, web)
    web.pages[f"{ROOT}/p/0"] = item(0).replace("Item 0", "Renamed")
    web.pages[f"{ROOT}/p/1"] = "<h1>Sold</h1>"
    done = await crawl(path, web, Wish(fresh=True))
    assert len(web.asked) == 8
    assert (done.records, done.quarantined) == (2, 1)
    with open_site(load_plan(path)) as store, store.read() as connection:
        found = {record.url: record for record in all_records(connection, store.site_id)}
    assert found[f"{ROOT}/p/0"].fields == {"title": "Renamed"}
    assert found[f"{ROOT}/p/1"].reason == "the page gives no record any more"


class Endless(Web):
    """A shop with a calendar that leads on and on."""

    async def __call__(self, request):
        if "/calendar/" in request.url:
            month = int(request.url.rpartition("/")[2])
            self.pages[request.url] = links(f"/calendar/{month + 1}", f"/calendar/{month + 2}")
        return await super().__call__(request)


async def test_an_endless_place_is_capped_and_named(tmp_path):
    web = Endless(shop(10).pages)
    web.pages[f"{ROOT}/"] += links("/calendar/1")
    path = write_site(tmp_path, WANTED)
    done = await asyncio.wait_for(crawl(path, web), 30)
    assert done.records == 10
    assert done.report.stop is Stop.DONE
    assert list(done.report.traps) == ["shop.example/calendar/#"]
    assert 100 <= sum("/calendar/" in url for url in web.asked) < 150
    assert ("excluded", "TRAP") in rows(path).values()


async def test_p1s_order_goes_no_further_than_its_weight(tmp_path):
    learned = """{"version": 1, "hosts": {"shop.example": {"weight_threshold": 2,
        "targets": ["http://shop.example/p/[0-9]+"],
        "directories": ["http://shop.example/d/[0-9]+"]}},
        "templates": [{"id": "t", "fields": {"title": "h1"}}]}"""
    chain = {f"{ROOT}/d/{n}": links(f"/d/{n + 1}") for n in range(1, 6)}
    web = Web({f"{ROOT}/": links("/d/1", "/about")} | chain)
    await crawl(write_site(tmp_path, WANTED, learned), web, Wish(order=OrderName.WEIGHT))
    # The start has weight 1, /d/1 weight 2: its links are not fetched; /about matches no filter.
    assert web.asked == [f"{ROOT}/", f"{ROOT}/d/1"]


async def test_hosts_given_up_end_the_crawl(tmp_path):
    lost: dict[str, ErrorCode] = {}

    class Dying(Web):
        async def __call__(self, request):
            lost["shop.example"] = ErrorCode.CONNECTION
            return await super().__call__(request)

    web = Dying(shop(10).pages)
    path = write_site(tmp_path, WANTED)
    done = await asyncio.wait_for(crawl(path, web, given_up=lambda: lost), 10)
    assert done.report.stop is Stop.HOSTS
    assert done.report.given_up == {"shop.example": ErrorCode.CONNECTION}
    assert list(rows(path).values()).count(("discovered", "OK")) == 10


async def test_a_refusal_to_ask_is_no_page(tmp_path):
    web = shop(3)
    answers = [failed(f"{ROOT}/p/0", ErrorCode.RATE_LIMITED)] * 3

    class Limited(Web):
        async def __call__(self, request):
            if request.url == f"{ROOT}/p/0" and answers:
                return answers.pop()
            return await super().__call__(request)

    began = time.monotonic()
    done = await crawl(write_site(tmp_path, WANTED), Limited(web.pages))
    assert (done.report.pages, done.records) == (4, 3)
    assert time.monotonic() - began < 5


async def test_pages_go_to_the_archive_and_come_back(tmp_path):
    path = write_site(tmp_path, WANTED)
    await crawl(path, shop(3))
    with open_site(load_plan(path)) as store:
        kept = {row.url: (row.kind, response.body) for row, response in store.archived()}
    assert len(kept) == 4
    assert kept[f"{ROOT}/p/2"] == (Kind.TARGET, item(2).encode())
