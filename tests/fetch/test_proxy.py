"""A crawl through a real caching proxy, and one to a site that wants cookies and headers."""

import asyncio
import tempfile
from pathlib import Path

import pytest
from aiohttp import web

from tests.cli.command import winze
from tests.engine.web import write_site
from tests.fetch.server import page
from tests.squid import squid_proxy
from winze.engine.job import Job, Watcher, Wish
from winze.engine.workspace import open_site
from winze.parse.caching import is_cache_hit
from winze.plan import load_plan

KEPT = {"Cache-Control": "public, max-age=3600"}


@pytest.fixture(scope="module")
def squid():
    # Not in tmp_path: its parents are closed to Squid's user.
    with (
        tempfile.TemporaryDirectory(prefix="winze-squid-") as folder,
        squid_proxy(Path(folder)) as running,
    ):
        yield running


def shop(number):
    links = "".join(f"<a href='/{n}'>{n}</a>" for n in range(number))
    routes = {"/": page(f"<h1>All</h1>{links}", headers=KEPT)}
    for n in range(number):
        routes[f"/{n}"] = page(f"<h1>Page {n}</h1>", headers=KEPT)
    return routes


async def crawl(path, **wish):
    """Crawl through the real network; return the responses."""
    plan = load_plan(path)
    answers = []
    watcher = Watcher(visit=lambda visit: answers.append(visit.response))
    with open_site(plan) as store:
        await Job(plan, store, Wish(**wish), watcher).crawl()
    return answers


async def test_a_second_crawl_is_answered_by_the_proxy(site, squid, tmp_path, capfd):
    site.routes = shop(9)
    plan = f'start = ["{site.url}/"]\nsitemap = false\nproxy = "{squid.url}"\n'
    path = write_site(tmp_path / "shop", plan)
    first = await crawl(path)
    assert len(first) == 10
    assert [is_cache_hit(answer.headers) for answer in first] == [False] * 10
    assert sorted(site.paths()) == ["/", *(f"/{n}" for n in range(9))]
    second = await crawl(path, fresh=True)
    assert len(second) == 10
    assert [is_cache_hit(answer.headers) for answer in second] == [True] * 10
    assert all(answer.header("x-cache").startswith("HIT from squid.test") for answer in second)
    assert [answer.body for answer in second if answer.url.endswith("/3")] == [b"<h1>Page 3</h1>"]
    # The site was asked for its pages only once.
    assert len(site.paths()) == 10
    results = squid.results()
    assert sum("HIT" in result for result in results) == 10
    # In a thread: a command brings its own event loop.
    told = await asyncio.to_thread(winze, capfd, "status", path)
    newest, first = told.out.splitlines()[-2:]
    assert "; cache_hits 10" in newest
    assert "cache_hits" not in first


async def test_what_may_not_be_kept_is_no_hit(site, squid, client):
    site.routes = {"/": page("<h1>Now</h1>", headers={"Cache-Control": "no-store"})}
    async with client(proxy=squid.url) as fetch:
        answers = [await fetch.fetch(f"{site.url}/") for _ in range(2)]
    assert [answer.http_status for answer in answers] == [200, 200]
    assert [is_cache_hit(answer.headers) for answer in answers] == [False, False]
    assert site.paths() == ["/", "/"]


async def test_a_site_that_the_proxy_cannot_reach_is_an_error(squid, client):
    async with client(proxy=squid.url, retries=0, obey_robots=False) as fetch:
        answer = await fetch.fetch("http://127.0.0.1:9/")
    assert (answer.http_status, answer.error.name) == (503, "HTTP_5XX")


async def test_cookies_and_headers_of_the_plan_open_a_site(site, tmp_path, monkeypatch):
    def guarded(body):
        async def handler(request):
            if request.cookies.get("member") != "yes":
                return web.Response(status=401, text="cookie")
            if request.headers.get("X-Key") != "s3cret":
                return web.Response(status=403, text="header")
            return web.Response(text=body, content_type="text/html")

        return handler

    site.routes = {"/": guarded("<h1>In</h1><a href=/a>a</a>"), "/a": guarded("<h1>A</h1>")}
    monkeypatch.setenv("SHOP_KEY", "s3cret")
    plan = f'start = ["{site.url}/"]\nsitemap = false\n'
    closed = await crawl(write_site(tmp_path / "closed", plan))
    assert [answer.http_status for answer in closed] == [401]
    half = plan + '[cookies]\nmember = "yes"\n'
    assert [one.http_status for one in await crawl(write_site(tmp_path / "half", half))] == [403]
    whole = half + '[headers]\nX-Key = "${SHOP_KEY}"\n'
    answers = await crawl(write_site(tmp_path / "whole", whole))
    assert [(answer.http_status, answer.url.removeprefix(site.url)) for answer in answers] == [
        (200, "/"),
        (200, "/a"),
    ]
