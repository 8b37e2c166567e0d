"""C5 to C7b: robots.txt in all the forms in which real sites serve it."""

import asyncio

import pytest

from tests.hard.server import NOT_FOUND, Answer, HostileServer, item, links, of_pages, redirect
from winze.engine.job import Job
from winze.engine.workspace import open_site
from winze.fetch import client, robots
from winze.plan import load_plan

DENY = "User-agent: *\nDisallow: /\n"

SITE = {"/": links("/item/1", "/item/2"), "/item/1": item("one"), "/item/2": item("two")}

PAGES = sorted(SITE)


def text(body: str | bytes) -> Answer:
    return Answer(body, content_type="text/plain")


def test_c5_robots_503_means_nothing_now_and_a_question_later(served, capfd):
    """C5: robots.txt answers 503: nothing is fetched, and the next run asks again and goes on.

    The peers (Scrapy, Crawlee, Scrapling) fetched the pages.
    """
    with served(of_pages(SITE), robots=Answer("<html>err</html>", 503)) as (server, site):
        result = site.crawl(capfd)
        assert server.asked() == []
        assert len(server.log) == 3, "asked three times before it was believed"
        assert result.code != 0
        assert f"host given up for now: {server.host} (HTTP_5XX)" in result.err
        server.robots = text("User-agent: *\nAllow: /\n")
        again = site.crawl(capfd)
        assert again.code == 0, again.err
        assert sorted(server.asked()) == PAGES
    assert sorted(row["title"] for row in site.records()) == ["one", "two"]


async def test_c5_within_one_run_a_host_is_asked_again_and_crawled(served, monkeypatch):
    """C5: while another host keeps the crawl alive, the refusing one is asked again in its time.

    The peers (Scrapy, Crawlee, Scrapling) do not wait: they fetch at once.
    """
    seconds = 4.0
    monkeypatch.setattr(client, "ASK_AGAIN", seconds)
    monkeypatch.setattr(robots, "ASK_AGAIN", seconds)
    chain = {
        f"/item/{n}": Answer(item(f"n {n}", f"<a href='/item/{n + 1}'>on</a>"), delay=0.1)
        for n in range(120)
    }
    with HostileServer(of_pages(SITE), Answer("busy", 503)) as shut:

        def behave(hit):
            asked = shut.times("/robots.txt")
            if len(asked) >= 3 and hit.time - asked[-1] > 0.5:
                shut.robots = NOT_FOUND
            return chain.get(hit.target, NOT_FOUND)

        more = f"scope = 'any'\nexamples = ['{shut.url}/']\n"
        with served(behave, start="/item/0", more=more) as (server, site):
            plan = load_plan(site.plan)
            with open_site(plan) as store:
                done = await asyncio.wait_for(Job(plan, store).crawl(), 60)
        assert len(server.asked()) == 121
        assert sorted(shut.asked()) == PAGES
        asked = shut.times("/robots.txt")
        assert len(asked) == 4, "three times, and once again"
        assert asked[3] - asked[2] >= seconds
        assert not done.report.given_up


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\xef\xbb\xbf" + DENY.encode(), id="C6-bom"),
        pytest.param("# 川菜 机器人\n".encode("gbk") + DENY.encode(), id="C7-gbk"),
        pytest.param(DENY.encode("utf-16"), id="utf-16"),
    ],
)
def test_c6_c7_a_bom_and_a_gbk_comment_are_harmless(body, served, capfd):
    """C6, C7: the disallow behind a BOM, and behind a comment that is no UTF-8, is obeyed.

    The peers (Scrapy, Crawlee, Scrapling) fetched the pages: the BOM became part of the first word,
    a decoding error was taken for leave.
    """
    with served(of_pages(SITE), robots=text(body)) as (server, site):
        result = site.crawl(capfd)
        assert site.by_path(server.url) == {"/": ("excluded", "ROBOTS_DENIED")}
    assert result.code != 0
    assert server.asked() == []
    assert len(server.log) == 1


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same-origin", "other-origin"])
def test_c7b_a_redirected_robots_txt_is_followed(elsewhere, served, capfd):
    """C7b redir: five hops lead to the rules, on this origin or another; they are obeyed.

    Beside it the table names no peer.
    """
    hops = {f"/r{n}.txt": redirect(f"/r{n + 1}.txt") for n in range(1, 5)}
    with (
        HostileServer(of_pages({**hops, "/r5.txt": text(DENY)}), None) as other,
        served(of_pages({**SITE, **hops, "/r5.txt": text(DENY)})) as (server, site),
    ):
        server.robots = redirect(f"{other.url if elsewhere else server.url}/r1.txt")
        site.crawl(capfd)
        assert site.by_path(server.url) == {"/": ("excluded", "ROBOTS_DENIED")}
    asked = [*server.asked(), *other.asked()]
    assert asked == [f"/r{n}.txt" for n in range(1, 6)]


def test_c7b_an_html_page_is_no_robots_txt(served, capfd):
    """C7b html: a soft 404 that holds the words of a rule allows everything.

    Beside it the table names no peer.
    """
    page = Answer(f"<html><body>\n{DENY}\n</body></html>")
    with served(of_pages(SITE), robots=page) as (server, site):
        assert site.crawl(capfd).code == 0
    assert sorted(server.asked()) == PAGES


@pytest.mark.parametrize(("before", "expected"), [(600_000, PAGES), (400_000, [])])
def test_c7b_rules_after_500_kib_are_not_read(before, expected, served, capfd):
    """C7b big: of 600 KB the first 500 KiB are read (RFC 9309, 2.5), a rule within them counts.

    Beside it the table names no peer.
    """
    rule = f"User-agent: *\nDisallow: /x1\n#{'#' * before}\nDisallow: /\n"
    with served(of_pages(SITE), robots=text(rule + "#" * 300_000)) as (server, site):
        site.crawl(capfd)
    assert sorted(server.asked()) == expected


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_without_a_robots_txt_everything_is_allowed(status, served, capfd):
    """4xx: there is no file, so nothing is forbidden (RFC 9309, 2.3.1.3)."""
    with served(of_pages(SITE), robots=Answer(DENY, status)) as (server, site):
        assert site.crawl(capfd).code == 0
    assert sorted(server.asked()) == PAGES


@pytest.mark.parametrize(
    ("agent", "asked"),
    [(None, []), ("winze-test/2 (+https://a.example)", PAGES), ("other/1", PAGES)],
)
def test_the_group_of_our_own_agent_holds(agent, asked, served, capfd):
    """Per-agent groups: the product token of the User-Agent finds its group, else "*" holds."""
    rules = f"User-agent: winze\n{DENY[14:]}\nUser-agent: *\nAllow: /\n"
    rules += "User-agent: winze-test\nAllow: /\n"
    more = "" if agent is None else f"user_agent = '{agent}'"
    with served(of_pages(SITE), robots=text(rules), more=more) as (server, site):
        site.crawl(capfd)
    assert sorted(server.asked()) == asked
