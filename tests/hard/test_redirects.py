"""C1, C2, C9: redirects that lead to one page, and a server that says how long to wait."""

import time
from email.utils import formatdate

import pytest

from tests.hard.server import NOT_FOUND, Answer, item, links, of_pages, redirect


def test_c1_one_item_behind_two_redirects_and_a_link_is_one_row(served, capfd):
    """C1: an item reached by a direct link and two redirects gives one row in the table.

    Two of the peers (Scrapy, Crawlee, Scrapling) gave three rows.
    """
    site_of = {
        "/": links("/redir?a=1", "/item/1", "/redir?a=2"),
        "/redir?a=1": redirect("/redir?b=1"),
        "/redir?b=1": redirect("/item/1", status=301),
        "/redir?a=2": redirect("/item/1"),
        "/item/1": item("one"),
    }
    with served(of_pages(site_of)) as (server, site):
        result = site.crawl(capfd)
        rows = site.by_path(server.url)
    assert result.code == 0, result.err
    assert site.records() == [{"url": f"{server.url}/item/1", "title": "one"}]
    assert server.asked("/item/") == ["/item/1"]
    assert rows == {
        "/": ("fetched", "OK"),
        "/item/1": ("fetched", "OK"),
        **{path: ("redirected", "OK") for path in site_of if path.startswith("/redir")},
    }


def test_c2_a_page_behind_a_redirect_to_itself_that_sets_a_cookie(served, capfd):
    """C2: /item/a answers 302 with a cookie to /item/a, then 200: the page is fetched.

    The peers (Scrapy, Crawlee, Scrapling) dropped the second request as a duplicate.
    """

    def behave(hit):
        if hit.target == "/":
            return Answer(links("/item/a"))
        if hit.target == "/item/a" and "seen=1" in hit.headers.get("cookie", ""):
            return Answer(item("inside"))
        return redirect("/item/a", cookie="seen=1; Path=/; HttpOnly")

    with served(behave) as (server, site):
        result = site.crawl(capfd)
        assert site.by_path(server.url)["/item/a"] == ("fetched", "OK")
    assert result.code == 0, result.err
    assert [row["title"] for row in site.records()] == ["inside"]
    assert server.asked("/item/") == ["/item/a", "/item/a"]


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_c9_retry_after_is_waited_for(form, served, capfd):
    """C9: 429 with Retry-After: 3: the host's next request comes 3 s later or more, of any page.

    The peers (Scrapy, Crawlee, Scrapling) asked again after 0.01 to 0.05 s.
    """
    again = []

    def behave(hit):
        if hit.target == "/":
            return Answer(links(*(f"/item/{n}" for n in range(5)), "/item/rl"))
        if hit.target == "/item/rl" and hit.number <= 2:
            wall = time.time()
            moment = wall + 3 if form == "seconds" else float(int(wall) + 4)
            again.append((hit.time, moment - wall))
            value = "3" if form == "seconds" else formatdate(moment, usegmt=True)
            return Answer("slow down", 429, headers=(("Retry-After", value),))
        return Answer(item(hit.target)) if hit.target.startswith("/item/") else NOT_FOUND

    with served(behave, more="concurrency = 1") as (server, site):
        result = site.crawl(capfd)
    assert result.code == 0, result.err
    assert server.asked().count("/item/rl") == 3
    assert len(site.records()) == 6
    assert len(again) == 2
    for when, pause in again:
        following = min(hit.time for hit in server.log if hit.time > when)
        assert following - when >= pause - 0.01, "clocks are read a moment apart"
