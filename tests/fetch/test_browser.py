"""Pages drawn by a real Chromium, from servers on 127.0.0.1."""

import asyncio

import pytest
from aiohttp import web

from tests.chromium import DRAWN, Turns, draw, json_answer, make_renderer
from tests.fetch.server import page, redirect, running_site
from winze.model import ErrorCode, Request
from winze.parse.page import read_page

SHOP = """<!DOCTYPE html><title>Shop</title><div id=app></div><script>
fetch("/api/1").then(r => r.json()).then(item => {
  document.querySelector("#app").innerHTML =
    `<h1>${item.title}</h1><p class=price>${item.price}</p><a href=/p/2>next</a>`;
});
</script>"""


async def test_a_record_that_a_script_puts_in(site):
    site.routes["/p/1"] = page(SHOP)
    site.routes["/api/1"] = json_answer({"title": "川菜 Ünïcode", "price": "£5"})
    turns = Turns()
    response = await draw(f"{site.url}/p/1", turns)
    assert (response.url, response.http_status, response.error) == (
        f"{site.url}/p/1",
        200,
        ErrorCode.OK,
    )
    assert response.header("content-type") == "text/html; charset=utf-8"
    assert response.header("x-drawn-by").startswith("Chromium/")
    drawn, tree = read_page(response)
    assert (drawn.title, drawn.encoding) == ("Shop", "utf-8")
    assert [node.text() for node in tree.select("h1, .price")] == ["川菜 Ünïcode", "£5"]
    assert response.body.startswith(b"<!DOCTYPE html>")
    assert [url for url, _ in turns.given] == [f"{site.url}/p/1"]
    assert turns.given[0][1].answer == response
    # When it went out, and when the answer came.
    assert turns.sent == [f"{site.url}/p/1"] * 2


async def test_a_page_in_another_charset_comes_as_utf_8(site):
    html = "<meta charset=gbk><title>川菜</title><p>成都".encode("gbk")
    site.routes["/"] = page(html, charset="gbk")
    drawn, _ = read_page(await draw(f"{site.url}/"))
    assert (drawn.title, drawn.text, drawn.encoding) == ("川菜", "成都", "utf-8")


async def test_what_the_page_says_of_itself_is_not_what_its_scripts_claim(site):
    site.routes["/"] = page(
        "<h1>true</h1><script>"
        "Object.defineProperty(Element.prototype, 'outerHTML', {get: () => 'forged'});"
        "XMLSerializer.prototype.serializeToString = () => 'forged';</script>"
    )
    response = await draw(f"{site.url}/")
    assert b"<h1>true</h1>" in response.body
    assert not response.body.startswith(b"forged")


async def test_a_page_that_never_stops_asking_is_taken_as_it_is(site):
    site.routes["/api"] = json_answer({})
    site.routes["/"] = page(f"{DRAWN}<script>setInterval(() => fetch('/api'), 50)</script>")
    response = await draw(f"{site.url}/", settle=1.0)
    assert response.error is ErrorCode.OK
    assert b"<h1>drawn</h1>" in response.body


async def test_a_url_that_is_a_download_is_no_page(site):
    async def download(_):
        return web.Response(body=b"PK", content_type="application/zip")

    site.routes["/x"] = download
    response = await draw(f"{site.url}/x")
    assert (response.body, response.http_status) == (b"", 200)


async def test_nothing_but_text_is_fetched(site):
    site.routes["/"] = page(
        "<link rel=stylesheet href=/s.css><link rel=icon href=/i.ico><img src=/i.png>"
        "<video src=/v.mp4 autoplay preload=auto></video><audio src=/a.mp3 preload=auto></audio>"
        "<div class=x>text</div><script>new Image().src = '/j.png'</script>"
    )

    async def css(_):
        text = (
            "@font-face {font-family: f; src: url(/f.woff2)}"
            " .x {font-family: f; background: url(/b.png)}"
        )
        return web.Response(text=text, content_type="text/css")

    site.routes["/s.css"] = css
    response = await draw(f"{site.url}/")
    assert b"text" in response.body
    assert sorted(site.paths()) == ["/", "/s.css"]


async def test_redirects_come_back_as_they_are(site):
    site.routes["/old"] = redirect("/new", 301)
    site.routes["/new"] = page("<h1>new</h1>")
    site.routes["/script"] = page("<script>location.replace('/new')</script>")
    site.routes["/state"] = page(f"{DRAWN}<script>history.pushState({{}}, '', '/x')</script>")
    async with make_renderer() as render:
        old = await render(Request(f"{site.url}/old"))
        script = await render(Request(f"{site.url}/script"))
        state = await render(Request(f"{site.url}/state"))
    assert (old.url, old.http_status, old.header("location")) == (f"{site.url}/old", 301, "/new")
    assert (script.http_status, script.header("location")) == (302, f"{site.url}/new")
    assert (script.body, old.body) == (b"", b"")
    # What only changes its address stays the page that was asked for.
    assert state.url == f"{site.url}/state"
    assert b"<h1>drawn</h1>" in state.body


async def test_a_self_redirect_that_sets_a_cookie_ends_at_the_page(site):
    site.routes["/"] = [redirect("/", **{"Set-Cookie": "a=1; Path=/"}), page(DRAWN)]
    response = await draw(f"{site.url}/")
    assert response.http_status == 200
    assert b"<h1>drawn</h1>" in response.body


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, ErrorCode.URL_404), (429, ErrorCode.RATE_LIMITED), (503, ErrorCode.HTTP_5XX)],
)
async def test_error_pages_have_their_code(site, status, error):
    site.routes["/"] = page("<h1>no</h1>", status=status)
    turns = Turns()
    response = await draw(f"{site.url}/", turns)
    assert (response.http_status, response.error, response.body) == (status, error, b"")
    assert turns.given[0][1].answer == response


async def test_error_answers_without_a_body_have_their_code_too(site):
    site.routes["/gone"] = page("", status=410)
    site.routes["/busy"] = page("", status=503, headers={"Retry-After": "7"})
    site.routes["/lost"] = redirect("http://no-such-host.invalid/")
    async with make_renderer() as render:
        gone = await render(Request(f"{site.url}/gone"))
        busy = await render(Request(f"{site.url}/busy"))
        lost = await render(Request(f"{site.url}/lost"))
        rooted = await render(Request(site.url))
    assert (gone.http_status, gone.error) == (410, ErrorCode.URL_404)
    assert (busy.http_status, busy.header("retry-after")) == (503, "7")
    assert (lost.http_status, lost.header("location")) == (302, "http://no-such-host.invalid/")
    assert (rooted.url, rooted.error) == (site.url, ErrorCode.URL_404)


async def test_a_host_without_a_server_and_one_without_an_address():
    async with running_site() as gone:
        pass
    async with make_renderer() as render:
        dead = await render(Request(gone.url))
        nameless = await render(Request("https://no-such-host.invalid/"))
        unreadable = await render(Request("ftp://a.example/"))
    assert (dead.error, dead.http_status) == (ErrorCode.CONNECTION, 0)
    assert nameless.error is ErrorCode.DNS
    assert unreadable.error is ErrorCode.OTHER_ERROR


async def test_a_page_larger_than_the_cap_is_too_large(site):
    site.routes["/"] = page("<body><script>document.body.append('x'.repeat(300000))</script>")
    response = await draw(f"{site.url}/", max_characters=200_000)
    assert (response.error, response.body) == (ErrorCode.TOO_LARGE, b"")


async def test_only_a_few_pages_are_open_at_a_time_and_the_browser_is_started_anew(site):
    for n in range(6):
        site.routes[f"/{n}"] = page(DRAWN)
    turns = Turns()
    async with make_renderer(turns, pages=2, restart_after=3) as render:
        requests = [Request(f"{site.url}/{n}") for n in range(6)]
        responses = await asyncio.gather(*map(render, requests))
    assert [b"<h1>drawn</h1>" in response.body for response in responses] == [True] * 6
    assert turns.most_active == 2


async def test_the_site_is_reached_where_connect_to_says(site):
    site.routes["/"] = page(DRAWN)
    response = await draw("http://shop.example/", connect_to={"http://shop.example": site.url})
    assert b"<h1>drawn</h1>" in response.body
    assert [request.headers["Host"] for request in site.seen] == ["shop.example"]
