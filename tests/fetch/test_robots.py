import asyncio
from itertools import pairwise

import pytest

from tests.fetch.server import page, redirect, running_site
from winze.fetch.robots import ASK_AGAIN, LIFETIME, MAX_BYTES, RobotsCache, read_rules
from winze.model import ErrorCode, Request, Response

AGENT = "winze/0.1 (+test@a.example)"
DENY = b"User-agent: *\nDisallow: /\n"


def rules(body=b"", status=200, error=ErrorCode.OK, content_type="text/plain"):
    headers = (("content-type", content_type),)
    return read_rules(Response("", status, headers, body, error))


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        (b"", True),
        (DENY, False),
        (b"\xef\xbb\xbf" + DENY, False),
        ("# 川菜 机器人\nUser-agent: *\nDisallow: /\n".encode("gbk"), False),
        ("# 这些页面不要抓取\nUser-agent: *\nDisallow: /路径/\n".encode("gbk"), False),
        ("User-agent: *\nDisallow: /路径/\n".encode(), False),
        (b"User-agent: *\nDisallow: /\n# lone lead byte \xb4\nAllow: /\n", True),
        (DENY.decode().encode("utf-16"), False),
        (DENY.replace(b"\n", b"\r"), False),
        (b"User-agent: *\x00\nDisallow: /%E8%B7%AF%E5%BE%84/\n", True),
        (b"<html><body>Disallow: /</body></html>", True),
        (b"\n<!doctype html>User-agent: *\nDisallow: /", True),
        (b"User-agent: Winze\nDisallow: /\n\nUser-agent: *\nAllow: /\n", False),
        (b"User-agent: other\nDisallow: /\n", True),
        (b"User-agent: *\nDisallow: /\nAllow: /%E8%B7%AF\n", True),
        (b"User-agent: *\n" + b"#" * MAX_BYTES + b"\nDisallow: /\n", True),
        (b"User-agent: *\n" + b"#" * (MAX_BYTES - 28) + b"\nDisallow: /zzzzzzz\n", True),
    ],
)
def test_what_the_file_says_is_obeyed(body, allowed):
    url = "http://a.example/%E8%B7%AF%E5%BE%84/p"
    assert rules(body).allows(url, AGENT) is allowed


def test_rules_labelled_as_html_are_read_all_the_same():
    assert not rules(DENY, content_type="text/html").allows("http://a.example/", AGENT)


@pytest.mark.parametrize(
    ("status", "error", "expected"),
    [
        (404, ErrorCode.URL_404, ErrorCode.OK),
        (403, ErrorCode.HTTP_4XX, ErrorCode.OK),
        (302, ErrorCode.OK, ErrorCode.OK),
        (503, ErrorCode.HTTP_5XX, ErrorCode.HTTP_5XX),
        (429, ErrorCode.RATE_LIMITED, ErrorCode.RATE_LIMITED),
        (0, ErrorCode.DNS, ErrorCode.DNS),
        (0, ErrorCode.URL_TIME_OUT, ErrorCode.URL_TIME_OUT),
    ],
)
def test_no_file_allows_and_no_answer_forbids(status, error, expected):
    found = rules(DENY, status, error)
    assert found.error is expected
    assert found.allows("http://a.example/", AGENT) is (expected is ErrorCode.OK)


def test_crawl_delay_and_sitemaps():
    found = rules(
        b"User-agent: *\nCrawl-delay: 2.5\nUser-agent: slow\nRequest-rate: 1/7\n"
        b"Sitemap: http://a.example/s.xml\nSitemap: /t.xml\nSitemap: /t.xml\n"
    )
    assert found.crawl_delay(AGENT) == 2.5
    assert found.crawl_delay("slow/1") == 7
    assert found.sitemaps == ("http://a.example/s.xml", "/t.xml")
    assert rules().crawl_delay(AGENT) == 0


async def test_each_origin_is_asked_once_and_again_when_its_time_is_over():
    asked, now = [], [0.0]

    async def fetch(url):
        asked.append(url)
        await asyncio.sleep(0)
        return Response(url, 503 if "bad" in url else 200, body=DENY, error=ErrorCode.OK)

    cache = RobotsCache(fetch, clock=lambda: now[0])
    await asyncio.gather(*(cache.rules(f"http://a.example/{n}") for n in range(9)))
    await cache.rules("https://a.example/")
    await cache.rules("http://bad.example/")
    assert asked == [
        "http://a.example/robots.txt",
        "https://a.example/robots.txt",
        "http://bad.example/robots.txt",
    ]
    now[0] = ASK_AGAIN + 1
    assert cache.known("http://bad.example/x") is None
    assert cache.known("http://a.example/x") is not None
    now[0] = LIFETIME + 1
    assert cache.known("http://a.example/x") is None


async def test_503_means_nothing_for_now_and_a_question_later(site, client):
    now = [0.0]
    site.routes = {"/robots.txt": page("busy", status=503), "/p": page()}

    async def sleep(seconds):
        now[0] += seconds

    async with client(clock=lambda: now[0], sleep=sleep) as fetch:
        first = await fetch(Request(f"{site.url}/p"))
        second = await fetch(Request(f"{site.url}/q"))
        assert (first.error, second.error) == (ErrorCode.HTTP_5XX, ErrorCode.HTTP_5XX)
        assert list(fetch.given_up.values()) == [ErrorCode.HTTP_5XX]
        assert site.paths() == []
        assert len(site.log) == 3, "the first request and two retries"
        site.routes["/robots.txt"] = page("", status=404)
        now[0] += ASK_AGAIN
        assert not fetch.given_up, "a scheduler lets its pages go again"
        assert (await fetch(Request(f"{site.url}/p"))).error is ErrorCode.OK
        assert not fetch.given_up


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ({"/robots.txt": redirect("/r2.txt"), "/r2.txt": page(DENY)}, ErrorCode.ROBOTS_DENIED),
        ({"/robots.txt": redirect("/r2.txt")}, ErrorCode.OK),
        ({"/robots.txt": redirect("/robots.txt?again")}, ErrorCode.OK),
        (
            {"/robots.txt": page(DENY, content_type="application/octet-stream")},
            ErrorCode.ROBOTS_DENIED,
        ),
        ({"/robots.txt": page(b"<html>soft 404</html>")}, ErrorCode.OK),
        (
            {"/robots.txt": page(b"User-agent: *\n" + b"#" * 600_000 + b"\nDisallow: /")},
            ErrorCode.OK,
        ),
        ({"/robots.txt": page(DENY + b"#" * 600_000)}, ErrorCode.ROBOTS_DENIED),
    ],
)
async def test_robots_over_the_network(site, client, routes, expected):
    site.routes = {"/p": page(), **routes}
    async with client() as fetch:
        assert (await fetch(Request(f"{site.url}/p"))).error is expected
    assert ("/p" in site.paths()) is (expected is ErrorCode.OK)
    assert fetch.counts.robots == len(site.log) - (expected is ErrorCode.OK)


@pytest.mark.parametrize(("hops", "expected"), [(5, ErrorCode.ROBOTS_DENIED), (6, ErrorCode.OK)])
async def test_five_redirects_to_other_origins_are_followed(hops, expected, site, client):
    async with running_site() as other:
        for number in range(1, hops):
            here, there = (site, other) if number % 2 else (other, site)
            here.routes[f"/r{number}"] = redirect(f"{there.url}/r{number + 1}")
        last = other if hops % 2 == 0 else site
        last.routes[f"/r{hops}"] = page(DENY)
        site.routes["/robots.txt"] = redirect(f"{site.url}/r1")
        site.routes["/p"] = page()
        async with client() as fetch:
            assert (await fetch(Request(f"{site.url}/p"))).error is expected
            assert fetch.counts.robots == 6


async def test_robots_can_be_left_aside_by_name(site, client):
    site.routes = {"/robots.txt": page(DENY), "/p": page()}
    async with client(obey_robots=False) as fetch:
        assert (await fetch(Request(f"{site.url}/p"))).error is ErrorCode.OK
    assert site.paths() == ["/p"]


async def test_crawl_delay_sets_the_pace_and_robots_itself_counts(site, client):
    site.routes = {"/robots.txt": page(b"User-agent: *\nCrawl-delay: 0.2\n"), "/p": page()}
    async with client() as fetch:
        await asyncio.gather(*(fetch(Request(f"{site.url}/p")) for _ in range(3)))
    times = [when for when, _ in site.log]
    assert len(times) == 4
    assert all(later - earlier >= 0.19 for earlier, later in pairwise(times))


async def test_sitemaps_are_named_absolutely(site, client):
    site.routes = {"/robots.txt": page(b"Sitemap: /s.xml\nSitemap: mailto:x\n")}
    async with client() as fetch:
        assert await fetch.sitemaps(f"{site.url}/deep/p") == (f"{site.url}/s.xml",)
