"""Pages that mean harm, in a real Chromium: none gets through, none stays."""

import asyncio
import json

import psutil
import pytest
from aiohttp import web

from tests.chromium import DRAWN, USER_AGENT, Turns, draw, json_answer, make_renderer
from tests.fetch.server import page, redirect, running_site
from winze.fetch.chromium import Identity, find_chromium, what_is_missing
from winze.model import ErrorCode, Request


async def test_the_browser_presents_itself_as_the_client_does_to_trusted_hosts_only(site):
    async with running_site() as other:
        places = {"http://shop.example": site.url, "http://other.example": other.url}
        site.routes["/"] = page(
            "<script src='http://other.example/x.js'></script><script src=/y.js></script>"
        )
        identity = Identity(USER_AGENT, {"X-Key": "secret"}, {"region": "cn"}, {"shop.example"})
        async with make_renderer(identity=identity, connect_to=places) as render:
            await render(Request("http://shop.example/"))
            await render(Request("http://other.example/"))
    ours = {request.path: request.headers for request in site.seen}
    theirs = {request.path: request.headers for request in other.seen}
    assert (ours.keys(), theirs.keys()) == ({"/", "/y.js"}, {"/", "/x.js"})
    for headers in ours.values():
        assert (headers["X-Key"], headers["Cookie"]) == ("secret", "region=cn")
    for headers in theirs.values():
        assert not {"X-Key", "Cookie"} & headers.keys()
    agents = {headers["User-Agent"] for headers in (*ours.values(), *theirs.values())}
    assert agents == {USER_AGENT}


async def test_pages_reach_no_private_place_but_their_own_host(site):
    async with running_site() as secret:
        secret.routes["/data"] = json_answer({"secret": 1})
        port = secret.url.rpartition(":")[2]
        site.routes["/hop"] = redirect(f"{secret.url}/data")
        site.routes["/ok"] = json_answer({"ok": 1})
        urls = [
            f"{secret.url}/data",
            f"http://localhost:{port}/data",
            f"http://[::1]:{port}/data",
            f"http://[::ffff:127.0.0.1]:{port}/data",
            f"http://0.0.0.0:{port}/data",
            f"https://127.0.0.1:{port}/data",
            f"http://2130706433:{port}/data",
            "/hop",
        ]
        script = f"""<body><script>
        const urls = {json.dumps(urls)};
        const tries = urls.map(url => fetch(url, {{mode: "no-cors"}}).catch(() => 0));
        const code = `fetch("{secret.url}/data", {{mode: "no-cors"}}).catch(() => 0)`;
        new Worker(URL.createObjectURL(new Blob([code])));
        new WebSocket("ws://127.0.0.1:{port}/data");
        Promise.all([...tries, fetch("/ok")]).then(() => {{ document.body.innerHTML = "done"; }});
        </script><iframe src="{secret.url}/data"></iframe>"""
        site.routes["/"] = page(script)
        response = await draw(f"{site.url}/")
        assert b"done" in response.body
        assert {"/ok", "/hop"} <= set(site.paths())
        assert secret.seen == []


async def test_what_robots_forbids_is_not_asked_for(site):
    response = await draw(f"{site.url}/", Turns(ErrorCode.ROBOTS_DENIED))
    assert (response.error, response.http_status) == (ErrorCode.ROBOTS_DENIED, 0)
    assert site.seen == []


@pytest.mark.parametrize("script", ["for (;;) {}", "setTimeout(() => { for (;;) {} }, 50)"])
async def test_a_script_without_an_end_is_a_time_out_and_the_next_page_is_drawn(site, script):
    site.routes["/loop"] = page(f"<h1>x</h1><script>{script}</script>")
    site.routes["/ok"] = page(DRAWN)
    async with make_renderer(timeout=3.0) as render:
        looped = await render(Request(f"{site.url}/loop"))
        drawn = await render(Request(f"{site.url}/ok"))
    assert (looped.error, looped.body) == (ErrorCode.URL_TIME_OUT, b"")
    assert b"<h1>drawn</h1>" in drawn.body


async def test_a_page_that_eats_all_memory_ends_and_the_next_is_drawn(site):
    site.routes["/eat"] = page(
        "<script>const all = []; for (;;) all.push(new Array(1e7).fill(1.5));</script>"
    )
    site.routes["/ok"] = page(DRAWN)
    async with make_renderer(timeout=20.0) as render:
        eaten = await render(Request(f"{site.url}/eat"))
        drawn = await render(Request(f"{site.url}/ok"))
    assert eaten.error in (ErrorCode.OTHER_ERROR, ErrorCode.URL_TIME_OUT)
    assert b"<h1>drawn</h1>" in drawn.body


async def test_dialogs_downloads_popups_and_service_workers_do_no_harm(site, tmp_path):
    async def download(_):
        return web.Response(
            body=b"x" * 1000, headers={"Content-Disposition": "attachment; filename=x.zip"}
        )

    async def worker(_):
        return web.Response(text="self.x = 1", content_type="text/javascript")

    site.routes["/x.zip"] = download
    site.routes["/sw.js"] = worker
    site.routes["/popup"] = page("<h1>popup</h1>")
    site.routes["/"] = page(
        "<body><script>alert(1); confirm(2); prompt(3);"
        "addEventListener('beforeunload', event => { event.preventDefault(); });"
        "window.open('/popup');"
        "navigator.serviceWorker.register('/sw.js').catch(() => {});"
        "location.href = '/x.zip';"
        "document.body.innerHTML = '<h1>drawn</h1>';</script>"
    )
    response = await draw(f"{site.url}/")
    assert response.error is ErrorCode.OK, response
    assert b"<h1>drawn</h1>" in response.body
    assert "/sw.js" not in site.paths()


def children():
    """The processes that this one has started, and theirs."""
    return {child.pid for child in psutil.Process().children(recursive=True)}


async def test_nothing_is_left_when_it_closes_not_even_after_a_cancellation(site, caplog):
    started = asyncio.Event()

    async def slow(_):
        started.set()
        await asyncio.sleep(60)

    site.routes["/slow"] = slow
    before = children()
    async with make_renderer() as render:
        assert children() == before
        task = asyncio.create_task(render(Request(f"{site.url}/slow")))
        await asyncio.wait_for(started.wait(), 30)
        assert children() > before
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    for _ in range(100):
        if children() == before:
            break
        await asyncio.sleep(0.1)
    assert children() == before
    assert [record.getMessage() for record in caplog.records if record.levelname == "ERROR"] == []


async def test_a_browser_that_was_killed_is_started_anew(site):
    site.routes["/"] = page(DRAWN)
    before = children()
    async with make_renderer() as render:
        await render(Request(f"{site.url}/"))
        for pid in children() - before:
            process = psutil.Process(pid)
            if "chrom" in process.name():
                process.kill()
                break
        await asyncio.sleep(0.5)
        again = await render(Request(f"{site.url}/"))
    assert b"<h1>drawn</h1>" in again.body


def test_what_is_missing_is_told_with_its_remedy():
    assert find_chromium({"google-chrome": "/x/chrome"}.get) == "/x/chrome"
    assert find_chromium(lambda name: None) is None
    assert "apt install chromium" in what_is_missing(lambda name: None)
