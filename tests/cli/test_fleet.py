"""`winze crawl` with several plans, and `--json` for programs that listen."""

import json
from itertools import pairwise

import pytest

from tests.cli.command import winze, write_plan
from tests.cli.site import book_plan, book_shop
from winze.demo.server import ShopServer


@pytest.fixture
def two_shops():
    with ShopServer(book_shop(20)) as one, ShopServer(book_shop(30)) as two:
        yield one, two


def events_of(text):
    return [json.loads(line) for line in text.splitlines()]


def test_each_site_gets_its_own_file_and_its_own_summary(two_shops, tmp_path, capfd):
    plans = [
        write_plan(tmp_path / name, book_plan(server.url))
        for name, server in zip(("small", "large"), two_shops, strict=True)
    ]
    result = winze(capfd, "crawl", *plans, "-o", tmp_path / "out")
    assert result.code == 0, result.err
    titles = {
        name: [row["title"] for row in events_of((tmp_path / "out" / f"{name}.jsonl").read_text())]
        for name in ("small", "large")
    }
    assert sorted(titles["small"]) == sorted(f"Book no. {n}" for n in range(1, 21))
    assert sorted(titles["large"]) == sorted(f"Book no. {n}" for n in range(1, 31))
    assert "small: " in result.err
    assert "large: " in result.err


def test_hosts_are_interleaved_and_each_keeps_its_pace(two_shops, tmp_path, capfd):
    slow, quick = two_shops
    plans = [
        write_plan(tmp_path / "slow", book_plan(slow.url, "delay = 0.1\nsitemap = false")),
        write_plan(tmp_path / "quick", book_plan(quick.url, "delay = 0\nsitemap = false")),
    ]
    assert winze(capfd, "crawl", *plans).code == 0
    times = [hit.time for hit in slow.log]
    assert min(b - a for a, b in pairwise(times)) > 0.07
    # The quick one did not wait for the slow one.
    assert quick.log[-1].time < slow.log[-1].time - 0.5
    assert quick.log[0].time < slow.log[3].time


def test_a_site_that_is_down_does_not_touch_the_others(two_shops, tmp_path, capfd):
    up = write_plan(tmp_path / "up", book_plan(two_shops[0].url))
    down = write_plan(tmp_path / "down", book_plan("http://127.0.0.1:9"))
    result = winze(capfd, "crawl", up, down, "--json")
    assert result.code == 4
    ends = {one["site"]: one for one in events_of(result.out) if one["event"] == "end"}
    assert ends["up"]["records"] == 20
    assert ends["down"]["stop"] == "failed"
    assert "http://127.0.0.1:9" in ends["down"]["reason"]


@pytest.mark.parametrize(("output", "said"), [("-", "need a folder"), ("all.csv", "need a folder")])
def test_several_plans_need_a_folder(output, said, two_shops, tmp_path, capfd):
    plans = [write_plan(tmp_path / str(n), book_plan(one.url)) for n, one in enumerate(two_shops)]
    result = winze(capfd, "crawl", *plans, "-o", output)
    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    assert said in result.err
    assert not any(one.log for one in two_shops)


def test_two_plans_of_one_name_are_refused(two_shops, tmp_path, capfd):
    plans = [write_plan(tmp_path / top / "shop", book_plan(two_shops[0].url)) for top in "ab"]
    result = winze(capfd, "crawl", *plans)
    assert result.code == 2
    assert "rename a folder" in result.err


def test_events_tell_every_page_once_and_the_end(two_shops, tmp_path, capfd):
    server = two_shops[0]
    server_pages = {f"{server.url}/book/{n}" for n in range(1, 21)}
    plan = write_plan(tmp_path / "shop", book_plan(server.url))
    result = winze(capfd, "crawl", plan, "--json")
    assert result.code == 0, result.err
    *pages, end = events_of(result.out)
    assert {one["event"] for one in pages} == {"page"}
    urls = [one["url"] for one in pages]
    assert len(urls) == len(set(urls))
    targets = {one["url"]: one for one in pages if one["kind"] == "target"}
    book = targets.get(f"{server.url}/book/7")
    assert targets.keys() <= server_pages
    assert book is not None
    assert book["record"] == {"title": "Book no. 7", "price": "£7.50"}
    assert (book["status"], book["http_status"], book["error"]) == ("fetched", 200, "OK")
    assert (end["event"], end["records"], end["quarantined"]) == ("end", 20, 0)
    assert end["learning"] + end["pages"] == len(pages)


def test_errors_are_told_by_code_with_a_sample(tmp_path, capfd):
    shop = book_shop(120)
    dead = [f"/book/{n}" for n in range(900, 905)]
    shop.pages["/"] += "".join(f"<a href='{path}'>Old</a>" for path in dead)
    with ShopServer(shop) as server:
        plan = write_plan(tmp_path / "shop", book_plan(server.url))
        result = winze(capfd, "crawl", plan, "--json")
    error = events_of(result.out)[-1]["errors"]["URL_404"]
    assert error["count"] == len(dead)
    assert error["sample"].removeprefix(server.url) in dead
