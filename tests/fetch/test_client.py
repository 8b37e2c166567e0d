import asyncio
import gzip
import resource
import time
from itertools import pairwise

import pytest
from aiohttp import web

from tests.fetch.server import get, page, raw_server, redirect, running_site, stream
from winze.fetch.client import FAILURES, MAX_SELF_REDIRECTS, SILENCE
from winze.model import ErrorCode, Request

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


async def test_a_page_arrives_with_all_that_is_known_of_it(site, client):
    site.routes["/p"] = page("<h1>川菜</h1>".encode("gbk"), headers={"X-Robots-Tag": "noindex"})
    response = await get(client, f"{site.url}/p?q=%B4%A8")
    assert response.url == f"{site.url}/p?q=%B4%A8"
    assert (response.http_status, response.error) == (200, ErrorCode.OK)
    assert response.body == "<h1>川菜</h1>".encode("gbk")
    assert response.header("x-robots-tag") == "noindex"
    assert abs(response.fetched_at - time.time()) < 5
    assert site.paths() == ["/p?q=%B4%A8"], "percent-encoding goes out as it stands"
    assert site.seen[0].headers["User-Agent"] == "winze/0 (+test@a.example)"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (204, ErrorCode.OK),
        (304, ErrorCode.OK),
        (401, ErrorCode.HTTP_4XX),
        (403, ErrorCode.HTTP_4XX),
        (404, ErrorCode.URL_404),
        (410, ErrorCode.URL_404),
        (429, ErrorCode.RATE_LIMITED),
        (500, ErrorCode.HTTP_5XX),
        (503, ErrorCode.HTTP_5XX),
    ],
)
async def test_statuses_become_error_codes(site, client, status, error):
    site.routes["/p"] = page("body", status=status)
    response = await get(client, f"{site.url}/p")
    assert (response.http_status, response.error) == (status, error)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_comes_back_as_it_is(site, client, status):
    site.routes = {"/old": redirect("/new?a=1", status), "/new": page()}
    response = await get(client, f"{site.url}/old")
    assert (response.http_status, response.error) == (status, ErrorCode.OK)
    assert response.header("location") == "/new?a=1"
    assert site.paths() == ["/old"]


async def test_a_location_in_any_charset_is_percent_encoded(client):
    raw = "/路径?q=1%20".encode("gbk")
    async with raw_server(
        b"HTTP/1.1 302 Found\r\nLocation: " + raw + b"\r\nContent-Length: 0\r\n\r\n"
    ) as url:
        response = await get(client, url + "/p")
    assert response.header("location") == "/%C2%B7%BE%B6?q=1%20"


async def test_a_self_redirect_that_sets_a_cookie_is_tried_again(site, client):
    async def gate(request):
        if request.cookies.get("seen") == "1":
            return web.Response(text="<h1>in</h1>", content_type="text/html")
        return web.Response(
            status=302, headers={"Location": "/a?x=1", "Set-Cookie": "seen=1; Path=/"}
        )

    site.routes["/a"] = gate
    response = await get(client, f"{site.url}/a?x=1")
    assert (response.http_status, response.body) == (200, b"<h1>in</h1>")
    assert len(site.paths()) == 2


@pytest.mark.parametrize(
    ("cookie", "asked"), [({}, 1), ({"Set-Cookie": "a=1"}, 1 + MAX_SELF_REDIRECTS)]
)
async def test_a_self_redirect_without_end_is_a_loop(site, client, cookie, asked):
    site.routes["/a"] = redirect("/a?utm_source=x", **cookie)
    response = await get(client, f"{site.url}/a")
    assert response.error is ErrorCode.REDIRECT_LOOP
    assert len(site.paths()) == asked


async def test_faults_that_may_pass_are_tried_again(site, client):
    site.routes["/p"] = [page("x", status=500), page("x", status=502), page()]
    async with client(obey_robots=False) as fetch:
        response = await fetch(Request(f"{site.url}/p"))
        assert (response.error, fetch.counts.retries, fetch.counts.requests) == (ErrorCode.OK, 2, 3)
        assert (await fetch(Request(f"{site.url}/gone"))).error is ErrorCode.URL_404
        assert fetch.counts.requests == 4, "a 404 is final"


async def test_a_cut_body_is_tried_again(client):
    cut = HTML + b"Content-Length: 999\r\n\r\n<p>"
    async with raw_server(cut, HTML + b"Content-Length: 4\r\n\r\n<p>a") as url:
        assert (await get(client, url + "/p", retries=1)).body == b"<p>a"


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_retry_after_is_waited_for_by_every_request_to_the_host(site, client, form):
    now, wall = [100.0], 1_445_412_450.0
    value = {"seconds": "30", "date": "Wed, 21 Oct 2015 07:28:00 GMT"}[form]
    times = []

    async def timed(request):
        times.append(now[0])
        headers = {"Retry-After": value} if len(times) == 1 else {}
        return web.Response(status=429 if len(times) == 1 else 200, headers=headers)

    async def sleep(seconds):
        now[0] += seconds
        await asyncio.sleep(0)

    site.routes = {"/rl": timed, "/other": timed}
    async with client(
        obey_robots=False, clock=lambda: now[0], wall=lambda: wall, sleep=sleep, concurrency=1
    ) as fetch:
        urls = [f"{site.url}/rl", f"{site.url}/other"]
        responses = await asyncio.gather(*(fetch(Request(url)) for url in urls))
    assert [response.http_status for response in responses] == [200, 200]
    assert times[0] == 100
    assert min(times[1:]) >= 130


async def test_a_pause_too_long_to_wait_for_is_reported(site, client):
    site.routes["/p"] = page("slow down", status=429, headers={"Retry-After": "3600"})
    async with client(obey_robots=False) as fetch:
        first = await fetch(Request(f"{site.url}/p"))
        second = await fetch(Request(f"{site.url}/q"))
        assert (first.error, first.http_status) == (ErrorCode.RATE_LIMITED, 429)
        assert (second.error, second.http_status) == (ErrorCode.RATE_LIMITED, 0)
        assert len(site.paths()) == 1
        assert fetch.politeness.wake_at(time.monotonic()) > time.monotonic() + 3500


async def test_the_delay_and_the_places_of_a_host_are_kept(site, client):
    running, most = 0, 0

    async def slow(_):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.05)
        running -= 1
        return web.Response(text="ok", content_type="text/html")

    site.routes["/p"] = slow
    async with client(delay=0.02, concurrency=2, obey_robots=False) as fetch:
        await asyncio.gather(*(fetch(Request(f"{site.url}/p")) for _ in range(8)))
    times = [when for when, _ in site.log]
    assert most == 2
    assert all(later - earlier >= 0.019 for earlier, later in pairwise(times))


async def test_a_slow_host_keeps_nobody_waiting(site, client):
    async with running_site() as other:
        site.routes["/p"] = other.routes["/p"] = page()
        async with client(delay=0.4, total=1, obey_robots=False) as fetch:
            slow = [asyncio.create_task(fetch(Request(f"{site.url}/p"))) for _ in range(3)]
            await asyncio.sleep(0.05)
            start = time.monotonic()
            await fetch(Request(f"{other.url}/p"))
            assert time.monotonic() - start < 0.3
            await asyncio.gather(*slow)


async def test_a_request_that_is_given_up_frees_its_place(site, client):
    site.routes = {"/slow": stream(b"x", 0.05), "/p": page()}
    async with client(concurrency=1, total=1, obey_robots=False) as fetch:
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(fetch(Request(f"{site.url}/slow")), 0.05)
        assert (await fetch(Request(f"{site.url}/p"))).http_status == 200
        assert fetch.politeness.busy_hosts(time.monotonic()) == frozenset()


async def test_a_host_without_answers_is_given_up_for_a_while(client):
    now = [0.0]
    async with (
        raw_server(b"", reset=True) as url,
        client(obey_robots=False, retries=0, clock=lambda: now[0]) as fetch,
    ):
        for _ in range(FAILURES):
            assert not fetch.given_up
            await fetch(Request(f"{url}/p"))
        host = url.removeprefix("http://")
        assert fetch.given_up == {host: ErrorCode.CONNECTION}
        assert (await fetch(Request(f"{url}/q"))).error is ErrorCode.CONNECTION
        assert fetch.counts.requests == FAILURES, "it was not asked any more"
        now[0] += 3600
        assert not fetch.given_up, "it may be asked again"
        await fetch(Request(f"{url}/q"))
        assert fetch.counts.requests == FAILURES + 1


async def test_a_few_bad_pages_among_good_ones_do_not_cost_the_host(client):
    now = [0.0]
    good = HTML + b"Content-Length: 4\r\n\r\n<p>a"
    async with (
        raw_server(good, b"") as url,
        client(obey_robots=False, retries=0, clock=lambda: now[0]) as fetch,
    ):
        assert (await fetch(Request(f"{url}/p"))).http_status == 200
        for _ in range(FAILURES + 1):
            assert (await fetch(Request(f"{url}/q"))).error is ErrorCode.CONNECTION
        assert not fetch.given_up
        now[0] += SILENCE
        await fetch(Request(f"{url}/q"))
        assert list(fetch.given_up.values()) == [ErrorCode.CONNECTION]


async def test_an_unreachable_site_is_known_by_its_robots(client):
    async with client(retries=0) as fetch:
        response = await fetch(Request("http://127.0.0.1:1/p"))
        assert response.error is ErrorCode.CONNECTION
        assert fetch.given_up == {"127.0.0.1:1": ErrorCode.CONNECTION}


async def test_connect_to_asks_elsewhere_under_the_sites_own_name(site, client):
    site.routes["/p"] = page(headers={"Set-Cookie": "id=1; Domain=shop.example; Path=/"})
    names = {"https://www.shop.example": site.url, "https://m.shop.example:8443": site.url}
    async with client(connect_to=names) as fetch:
        for origin in (*names, "https://www.shop.example"):
            response = await fetch(Request(f"{origin}/p?a=%20"))
            assert response.url == f"{origin}/p?a=%20"
            assert response.http_status == 200
    pages = [request for request in site.seen if request.path == "/p"]
    assert [request.headers["Host"] for request in pages] == [
        "www.shop.example",
        "m.shop.example:8443",
        "www.shop.example",
    ]
    assert [request.headers.get("Cookie") for request in pages] == [None, "id=1", "id=1"]


async def test_cookies_stay_with_their_site(site, client):
    async with running_site() as other:
        site.routes["/p"] = page(headers={"Set-Cookie": "id=1"})
        other.routes["/p"] = page()
        names = {"http://a.example": site.url, "http://b.example": other.url}
        async with client(connect_to=names, obey_robots=False) as fetch:
            for url in ("http://a.example/p", "http://b.example/p", "http://a.example/p"):
                await fetch(Request(url))
    assert [request.headers.get("Cookie") for request in site.seen] == [None, "id=1"]
    assert [request.headers.get("Cookie") for request in other.seen] == [None]


async def test_headers_and_cookies_of_the_plan_go_to_trusted_hosts_only(site, client):
    site.routes["/p"] = page()
    names = {"http://a.example": site.url, "http://b.example": site.url}
    async with client(
        connect_to=names,
        obey_robots=False,
        headers={"authorization": "secret", "user-agent": "own"},
        cookies={"login": "1"},
        trusted_hosts={"a.example"},
    ) as fetch:
        for url in ("http://a.example/p", "http://b.example/p"):
            await fetch(Request(url))
    trusted, other = (request.headers for request in site.seen)
    assert (trusted["Authorization"], trusted["Cookie"]) == ("secret", "login=1")
    assert trusted.getall("User-Agent") == ["own"]
    assert "Authorization" not in other
    assert "Cookie" not in other


async def test_a_proxy_is_asked_in_the_sites_place(site, client):
    proxied = []

    async def proxy(request):
        proxied.append(str(request.url))
        return web.Response(text="from cache", content_type="text/html")

    site.routes["/p"] = proxy
    response = await get(client, "http://shop.example/p", proxy=site.url)
    assert response.body == b"from cache"
    assert site.seen[0].headers["Host"] == "shop.example"


@pytest.mark.parametrize(
    "url",
    ["http://a_b.example:0/", "http://a.example/%zz\x7f", "http://%41.example/", "mailto:x", ""],
)
async def test_odd_urls_raise_nothing(client, url):
    assert (await get(client, url, timeout=1.0)).error is not ErrorCode.OK


async def test_memory_is_flat_over_many_large_pages(site, client):
    site.routes["/p"] = page(gzip.compress(b"x" * 4_000_000), headers={"Content-Encoding": "gzip"})
    async with client(obey_robots=False) as fetch:
        await fetch(Request(f"{site.url}/p"))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(20):
            await fetch(Request(f"{site.url}/p"))
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000
