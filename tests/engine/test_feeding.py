"""Crawls that live on sitemaps, feeds and buttons: what stands on no page is found, once."""

import asyncio
import gzip
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from tests.engine.web import write_site
from tests.fetch.server import page, running_site
from winze.engine.job import Job, Wish
from winze.engine.report import Limits
from winze.engine.workspace import open_site
from winze.model import Status
from winze.plan import load_plan
from winze.store.records import all_records
from winze.store.sources import read_sources

LEARNED = """{"version": 1, "templates": [{"id": "a", "fields": {"title": "h1"}}]}"""


@pytest.fixture
async def site():
    async with running_site() as running:
        running.routes["/"] = page("<title>Start</title><p>Welcome.")
        yield running


def item(name):
    return page(f"<title>{name}</title><h1>{name}</h1><p>All about {name}, told at length.")


def urlset(urls):
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


@asynccontextmanager
async def crawled(tmp_path, site, wish=None, plan=""):
    path = tmp_path / "plan.toml"
    if not path.exists():
        text = f'start = ["{site.url}/"]\ndelay = 0\nbrowser = "never"\n{plan}'
        write_site(tmp_path, text, LEARNED)
    loaded = load_plan(path)
    with open_site(loaded) as store:
        done = await Job(loaded, store, wish or Wish()).crawl()
        with store.read() as connection:
            rows = {row.url.removeprefix(site.url): row for row in store.urls.all(connection)}
            titles = [record.fields["title"] for record in all_records(connection, store.site_id)]
            sources = read_sources(connection, store.site_id)
    yield done, rows, titles, sources


async def test_pages_are_fetched_while_a_sitemap_still_comes(tmp_path, site):
    asked = asyncio.Event()

    async def slow(request):
        answer = web.StreamResponse(headers={"Content-Type": "application/xml"})
        await answer.prepare(request)
        # A batch and more; what is left comes only when a page of these was asked for.
        await answer.write(b"<urlset>" + urlset(f"/p/{n}" for n in range(600)).encode()[8:-9])
        await asyncio.wait_for(asked.wait(), 20)
        await answer.write(b"<url><loc>/last</loc></url></urlset>")
        return answer

    async def early(request):
        asked.set()
        return await item("0")(request)

    site.routes |= {"/sitemap.xml": slow, "/last": item("last")}
    site.routes |= {f"/p/{n}": item(n) for n in range(1, 600)} | {"/p/0": early}
    async with crawled(tmp_path, site) as (done, rows, titles, sources):
        assert rows["/last"].status is Status.FETCHED
        assert done.report.pages == 602
        assert sorted(titles) == sorted([*map(str, range(600)), "last"])
        assert [(source.entries, source.done) for source in sources] == [(601, True)]


async def test_a_limit_ends_the_reading_and_the_next_run_goes_on(tmp_path, site):
    async def endless(request):
        answer = web.StreamResponse(headers={"Content-Type": "application/xml"})
        await answer.prepare(request)
        await answer.write(b"<urlset>" + urlset(f"/p/{n}" for n in range(500)).encode()[8:-9])
        await asyncio.sleep(30)
        return answer

    names = [f"/p/{n}" for n in range(520)]
    whole = page(urlset(names), content_type="application/xml")
    site.routes |= {"/sitemap.xml": [endless, whole]} | {name: item(name) for name in names}
    began = asyncio.get_running_loop().time()
    limits = Wish(limits=Limits(pages=50))
    async with crawled(tmp_path, site, limits) as (done, rows, _, sources):
        assert done.report.pages == 50
        assert len(rows) == 501
        assert [(source.entries, source.done) for source in sources] == [(500, False)]
    assert asyncio.get_running_loop().time() - began < 20
    async with crawled(tmp_path, site) as (_, rows, titles, sources):
        assert sorted(titles) == sorted(names)
        assert [(source.entries, source.done) for source in sources] == [(520, True)]
    assert len(site.paths()) == len(set(site.paths())) + 1  # the sitemap, twice


async def test_a_sitemap_that_did_not_change_is_not_read_again(tmp_path, site):
    site.routes |= {
        "/sitemap.xml": page(
            gzip.compress(urlset(["/a", "/b"]).encode()), content_type="application/gzip"
        ),
        "/a": item("a"),
        "/b": item("b"),
    }
    async with crawled(tmp_path, site) as (_, _, titles, _):
        assert sorted(titles) == ["a", "b"]
    site.log.clear()
    async with crawled(tmp_path, site) as (done, _, _, _):
        assert (site.paths(), done.report.pages) == ([], 0)
    async with crawled(tmp_path, site, Wish(fresh=True)) as (done, _, titles, _):
        assert sorted(site.paths()) == ["/", "/a", "/b", "/sitemap.xml"]
        assert sorted(titles) == ["a", "b"]


FEED = (
    "<rss><channel><item><link>/post/1</link><title>First post</title></item>"
    "<item><link>/post/2</link></item></channel></rss>"
)


@pytest.mark.parametrize("wanted", [True, False])
async def test_a_feed_that_the_start_page_names_is_visited_as_a_page(tmp_path, site, wanted):
    site.routes |= {
        "/": page("<link rel=alternate type='application/rss+xml' href=/feed><p>Hello."),
        "/feed": page(FEED, content_type="application/rss+xml"),
        "/post/1": item("1"),
        "/post/2": item("2"),
    }
    plan = "" if wanted else "sitemap = false\n"
    async with crawled(tmp_path, site, plan=plan) as (_, rows, titles, _):
        assert sorted(titles) == (["1", "2"] if wanted else [])
        if wanted:
            assert (rows["/feed"].status, rows["/feed"].tag_path) == (Status.FETCHED, "feed")
            assert (rows["/post/1"].anchor, rows["/post/1"].tag_path) == ("First post", "feed")


async def test_a_button_that_loads_more_is_a_way_on(tmp_path, site):
    button = "<button class=load-more data-url='/list?page=2'>Load more</button>"
    site.routes |= {
        "/": page(f"<a href=/a>a</a>{button}"),
        "/list": page("<a href=/b>b</a>"),
        "/a": item("a"),
        "/b": item("b"),
    }
    async with crawled(tmp_path, site, plan="sitemap = false\n") as (_, rows, titles, _):
        assert sorted(titles) == ["a", "b"]
        assert rows["/list?page=2"].anchor == "Load more"
