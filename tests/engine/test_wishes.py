"""noindex and nofollow: obeyed, unless the pages that the plan names bear them."""

import asyncio

from tests.engine.web import PLAN, Web, crawl, links, rows, write_site

NOT_FOLLOWED = "<meta name=robots content=nofollow><h1>B</h1><a href=/c>c</a>"
NOT_KEPT = "<meta name=robots content=noindex><h1>B</h1><a href=/c>c</a>"
ROOT = "http://shop.example/"


def crawled(tmp_path, b: str, plan: str = PLAN, start: str = "") -> tuple[list[str], dict]:
    web = Web({ROOT: start + links("/b"), f"{ROOT}b": b, f"{ROOT}c": "<h1>C</h1>"})
    path = write_site(tmp_path / "shop", plan)
    asyncio.run(crawl(path, web))
    return web.asked, rows(path)


def test_links_of_a_nofollow_page_are_left_alone(tmp_path):
    asked, found = crawled(tmp_path, NOT_FOLLOWED)
    assert asked == [ROOT, f"{ROOT}b"]
    assert found[f"{ROOT}b"] == ("fetched", "OK")


def test_a_noindex_page_is_not_kept_but_followed(tmp_path):
    asked, found = crawled(tmp_path, NOT_KEPT)
    assert asked == [ROOT, f"{ROOT}b", f"{ROOT}c"]
    assert found[f"{ROOT}b"] == ("excluded", "ROBOTS_DENIED")
    assert found[f"{ROOT}c"] == ("fetched", "OK")


def test_the_plan_may_ignore_them(tmp_path):
    asked, found = crawled(tmp_path, NOT_FOLLOWED, f'meta_robots = "ignore"\n{PLAN}')
    assert f"{ROOT}c" in asked
    assert found[f"{ROOT}b"] == ("fetched", "OK")


def test_a_start_page_that_bears_them_waives_them_for_its_site(tmp_path):
    mark = "<meta name=robots content='noindex, nofollow'>"
    asked, found = crawled(tmp_path, mark + NOT_FOLLOWED, start=mark)
    assert asked == [ROOT, f"{ROOT}b", f"{ROOT}c"]
    assert set(found.values()) == {("fetched", "OK")}


def test_a_waiver_outlives_the_run(tmp_path):
    mark = "<meta name=robots content='noindex, nofollow'>"
    web = Web({ROOT: mark + links("/b"), f"{ROOT}b": NOT_FOLLOWED, f"{ROOT}c": "<h1>C</h1>"})
    path = write_site(tmp_path / "shop", f"{PLAN}[limits]\npages = 1\n")
    asyncio.run(crawl(path, web))
    path.write_text(PLAN, "utf-8")
    asyncio.run(crawl(path, web))
    assert web.asked == [ROOT, f"{ROOT}b", f"{ROOT}c"]


def test_who_wants_them_obeyed_gets_nothing_from_such_a_site(tmp_path):
    mark = "<meta name=robots content=nofollow>"
    asked, _ = crawled(tmp_path, NOT_FOLLOWED, f'meta_robots = "obey"\n{PLAN}', start=mark)
    assert asked == [ROOT]
