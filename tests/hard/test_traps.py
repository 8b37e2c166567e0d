"""B1, B2, B5: endless places take neither the real pages' budget nor their rows."""

import itertools
import random
import re

import pytest

from tests.hard.server import NOT_FOUND, Answer, item, links

REAL = 440


class TrapSite:
    """440 real pages beside an endless calendar and facets with random parameters."""

    def __init__(self) -> None:
        self._chance = random.Random(7)

    def __call__(self, hit):
        parts = re.split(r"[/?&]", hit.target.strip("/"))
        match parts[0]:
            case "":
                real = (f"/item/{n}" for n in range(40))
                return Answer(links(*real, "/trap/2024/1?d=1", "/facet?c=red"))
            case "item":
                return self._item(int(parts[1]))
            case "trap":
                return self._month(int(parts[1]), int(parts[2]))
            case "facet":
                more = (f"{hit.target}&c{n}={self._chance.randint(0, 9)}" for n in range(5))
                return Answer(f"<p>Filters</p>{links(*more)}")
        return NOT_FOUND

    def _item(self, number: int):
        further = f"<a href='/item/{number + 40}'>more</a><a href='/trap/2024/1?d={number}'>day</a>"
        return Answer(item(f"real {number}", further if number < REAL - 40 else ""))

    def _month(self, year: int, month: int):
        after = f"/trap/{year + month // 12}/{month % 12 + 1}?d=1"
        days = (f"/trap/{year}/{month}?d={day}" for day in range(1, 29))
        return Answer(f"<p>calendar {year}-{month}</p>{links(*days, after)}")


@pytest.mark.parametrize("order", ["bfs", "learned"])
def test_b1_all_real_pages_within_a_budget_of_2000(order, served, capfd):
    """B1: all 440 real pages beside calendar and facets; both shapes capped and named.

    The peers (Scrapy, Crawlee, Scrapling) reached 41 to 239 of the 440.
    """
    with served(TrapSite()) as (server, site):
        result = site.crawl(capfd, "--max-pages", 2000, "--order", order)
    assert result.code == 0, result.err
    assert {row["title"] for row in site.records()} == {f"real {n}" for n in range(REAL)}
    assert len(server.asked()) <= 2000
    capped = [line for line in result.err.splitlines() if "capped after" in line]
    assert any("/trap/" in line for line in capped), result.err
    assert any("/facet" in line for line in capped), result.err


def session_site(pages: int = 20):
    """Pages whose links carry two session ids that are new on every page."""
    sessions = itertools.count(0x5EED)

    def behave(hit):
        found = re.match(r"/item/(\d+)", hit.target)
        if found is None and hit.target != "/":
            return NOT_FOUND
        one = f"{next(sessions):032X}"
        targets = [f"/item/{n};jsessionid={one}?PHPSESSID={one.lower()}" for n in range(pages)]
        return Answer(item(f"page {found[1] if found else 'start'}", links(*targets)))

    return behave


def short_session_site(pages: int = 20):
    """The same with session ids of digits alone, as short as chance makes them."""
    chance = random.Random(3)

    def behave(hit):
        found = re.match(r"/item/(\d+)", hit.target)
        if found is None and hit.target != "/":
            return NOT_FOUND
        one = chance.randint(0, 10**9)
        targets = [f"/item/{n};jsessionid={one}?PHPSESSID={one}" for n in range(pages)]
        return Answer(item(f"page {found[1] if found else 'start'}", links(*targets)))

    return behave


@pytest.mark.parametrize("sessions", [session_site, short_session_site])
def test_b2_a_page_is_one_page_whatever_session_its_links_carry(sessions, served, capfd):
    """B2: 20 pages with ;jsessionid= and PHPSESSID=: about 20 fetches and exactly 20 rows.

    The peers (Scrapy, Crawlee, Scrapling) made 1,008 fetches and 1,008 "items".
    """
    with served(sessions()) as (server, site):
        result = site.crawl(capfd, "--max-pages", 1000)
        rows = site.by_path(server.url)
    assert result.code == 0, result.err
    assert len(server.asked("/item/")) == 20
    assert rows == dict.fromkeys(["/", *(f"/item/{n}" for n in range(20))], ("fetched", "OK"))
    assert sorted(row["title"] for row in site.records()) == sorted(f"page {n}" for n in range(20))


@pytest.mark.parametrize("limit", [37, 2000])
def test_b5_max_pages_is_never_exceeded(limit, served, capfd):
    """B5: --max-pages 2000 on a site without end fetches exactly 2,000 pages.

    The peers (Scrapy, Crawlee, Scrapling) fetched 2,004.
    """

    def endless(hit):
        number = int(hit.target.rpartition("/")[2] or 0)
        further = links(*(f"/item/{number * 3 + n}" for n in range(1, 4)))
        return Answer(item(f"page {number}", further))

    more = "concurrency = 16\nconcurrency_total = 16\n"
    with served(endless, more=more) as (server, site):
        result = site.crawl(capfd, "--max-pages", limit, "--order", "bfs")
    assert result.code == 0, result.err
    assert len(server.asked()) == limit
    assert "the page limit was reached" in result.err
