"""`winze crawl` from plan to table, on the demo shop and on small sites."""

import csv
import json
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.cli.command import finish, running, winze, write_plan
from tests.cli.site import book_page, book_plan, book_shop
from winze.demo.addresses import route_key
from winze.demo.server import ShopServer
from winze.demo.shop import Shop
from winze.demo.site import Answer
from winze.demo.slow import slow_site
from winze.store.database import open_store, writing

#: Requests that are no pages.
NO_PAGES = {"/robots.txt", "/sitemap.xml"}


def pages_asked(server) -> list[str]:
    return [hit.target for hit in server.log if hit.target not in NO_PAGES]


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def query(folder: Path, sql: str) -> list[tuple]:
    with sqlite3.connect(folder / ".winze" / "store.db") as connection:
        rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


@pytest.fixture(scope="module")
def books():
    with ShopServer(book_shop(30)) as server:
        yield server


# The demo shop.


@pytest.mark.parametrize("seed", [101, 102, 160])
def test_every_product_and_nothing_else(seed, tmp_path, capfd):
    shop = Shop(seed, products=60 + seed % 100)
    with ShopServer(shop) as server:
        path = write_plan(tmp_path, shop.plan(server.url).as_toml())
        result = winze(capfd, "crawl", path, "-o", tmp_path / "out.jsonl")
        root = server.url
        disallowed = [hit for hit in server.log if hit.target.startswith(shop.addresses.disallowed)]
    assert result.code == 0, result.err
    assert disallowed == []
    rows = rows_of(tmp_path / "out.jsonl")
    found = {route_key(row["url"].removeprefix(root)): row for row in rows}
    truth = {route_key(row["url"]): row["fields"] for row in shop.truth()}
    assert len(rows) == len(found)
    assert found.keys() == truth.keys()
    for name in ("title", "price", "sku"):
        wrong = [key for key in truth if found[key][name] != truth[key][name]]
        assert len(wrong) <= 0.02 * len(truth), (name, wrong[:3])


@pytest.mark.parametrize(
    ("order", "limit"),
    [("learned", 3), ("learned", 5), ("learned", 30), ("bfs", 70), ("weight", 70), ("learned", 90)],
)
def test_the_page_limit_holds_with_learning_in_it(order, limit, tmp_path, capfd):
    shop = Shop(7, products=60)
    with ShopServer(shop) as server:
        path = write_plan(tmp_path, shop.plan(server.url).as_toml())
        result = winze(capfd, "crawl", path, "--order", order, "--max-pages", limit)
        asked = pages_asked(server)
    assert result.code == 0, result.err
    assert len(asked) == limit, asked
    assert "the page limit was reached" in result.err


@pytest.mark.parametrize("verb", ["learn", "crawl"])
def test_a_page_limit_below_the_examples_is_told(verb, books, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(books.url, "limits = {pages = 2}"))
    before = len(pages_asked(books))
    result = winze(capfd, verb, path)
    assert result.code == 2
    assert "page limit 2: the start and example pages alone are more" in result.err
    assert len(pages_asked(books)) - before <= 2


@pytest.mark.parametrize("order", ["bfs", "weight"])
def test_the_other_orders_find_the_products_too(order, tmp_path, capfd):
    shop = Shop(5, products=60)
    with ShopServer(shop) as server:
        path = write_plan(tmp_path, shop.plan(server.url).as_toml())
        result = winze(capfd, "crawl", path, "--order", order, "-o", tmp_path / "out.jsonl")
        root = server.url
    assert result.code == 0, result.err
    rows = rows_of(tmp_path / "out.jsonl")
    found = {route_key(row["url"].removeprefix(root)) for row in rows}
    truth = {route_key(row["url"]) for row in shop.truth()}
    assert found <= truth
    # P1's order drops what matches no filter; all the others reach everything.
    assert len(found) >= (len(truth) if order == "bfs" else 0.5 * len(truth))


# Reruns and output files.


def test_a_rerun_asks_for_nothing_and_fresh_for_everything(books, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(books.url))
    output = tmp_path / "out.jsonl"
    assert winze(capfd, "crawl", path, "-o", output).code == 0
    first = output.read_bytes()
    assert len(rows_of(output)) == 30
    before = len(pages_asked(books))
    again = winze(capfd, "crawl", path, "-o", output)
    assert again.code == 0
    assert "0 new, 31 done; --fresh to start over" in again.err
    assert len(pages_asked(books)) == before
    assert output.read_bytes() == first
    fresh = winze(capfd, "crawl", path, "-o", output, "--fresh")
    assert fresh.code == 0
    assert len(pages_asked(books)) == before + 31, pages_asked(books)[before:]
    assert output.read_bytes() == first, "nothing changed, so nothing is appended"
    assert winze(capfd, "crawl", path, "-O", output).code == 0
    assert sorted(output.read_bytes().splitlines()) == sorted(first.splitlines())


def test_output_is_appended_to_what_others_wrote_and_overwritten_on_wish(books, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(books.url))
    output = tmp_path / "out.jsonl"
    output.write_text('{"url": "old"}\n')
    assert winze(capfd, "crawl", path, "-o", output).code == 0
    assert rows_of(output)[0]["url"] == "old"
    assert len(rows_of(output)) == 31
    assert winze(capfd, "crawl", path, "-O", output).code == 0
    assert len(rows_of(output)) == 30


def test_records_on_stdout_leave_the_rest_to_stderr(books, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(books.url))
    result = winze(capfd, "crawl", path, "-o", "-")
    assert result.code == 0
    titles = {json.loads(line)["title"] for line in result.out.splitlines()}
    assert titles == {f"Book no. {n}" for n in range(1, 31)}


def test_csv_opens_in_a_spreadsheet(tmp_path, capfd):
    pages = book_shop(5)
    pages.pages["/book/3"] = book_page("红楼梦, 第一回", "£9.99")
    with ShopServer(pages) as server:
        path = write_plan(tmp_path, book_plan(server.url))
        result = winze(capfd, "crawl", path, "-O", tmp_path / "out.csv")
    assert result.code == 0, result.err
    raw = (tmp_path / "out.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfurl,title,price\r\n")
    rows = list(csv.DictReader(raw.decode("utf-8-sig").splitlines()))
    assert "红楼梦, 第一回" in {row["title"] for row in rows}
    assert len(rows) == 5


# Stopping.


def test_ctrl_c_ends_cleanly_and_a_rerun_goes_on(tmp_path, capfd):
    site = slow_site(60, delay=0.1)
    output = tmp_path / "out.jsonl"
    with ShopServer(site) as server:
        toml = site.plan(server.url).as_toml()
        path = write_plan(tmp_path, f"concurrency = 4\nsitemap = false\n{toml}")
        (tmp_path / "learned.json").write_text('{"title": "h1", "price": ".price"}')
        with running("crawl", path, "-o", output) as process:
            wait_for(lambda: len(server.log) >= 20)
            process.send_signal(signal.SIGINT)
            result = finish(process)
        assert result.code == 130, result
        assert "interrupted" in result.err
        assert "Traceback" not in result.err
        assert 5 <= len(rows_of(output)) < 60
        last = winze(capfd, "crawl", path, "-o", output)
        asked = pages_asked(server)
    assert last.code == 0, last.err
    assert sorted(row["title"] for row in rows_of(output)) == sorted(
        str(row["fields"]["title"]) for row in site.truth()
    )
    # Nothing that was in flight at Ctrl-C is asked for again.
    assert len(asked) == len(set(asked)) == 60 + 3


def test_ctrl_c_while_learning_ends_cleanly(tmp_path):
    site = slow_site(120, delay=0.1)
    with ShopServer(site) as server:
        path = write_plan(tmp_path, site.plan(server.url).as_toml())
        with running("learn", path) as process:
            wait_for(lambda: len(server.log) >= 8)
            process.send_signal(signal.SIGINT)
            result = finish(process)
    assert result.code == 130, result
    assert "Traceback" not in result.err
    assert query(tmp_path, "select count(*) from lease") == [(0,)]
    ((reason, ended),) = query(tmp_path, "select stop_reason, ended_at from run")
    assert reason == "interrupted"
    assert ended


def test_two_ctrl_c_end_at_once(tmp_path):
    site = slow_site(60, delay=5.0)
    with ShopServer(site) as server:
        path = write_plan(tmp_path, f"sitemap = false\n{site.plan(server.url).as_toml()}")
        (tmp_path / "learned.json").write_text('{"title": "h1"}')
        with running("crawl", path) as process:
            wait_for(lambda: server.hits("/robots.txt"))
            time.sleep(0.3)
            began = time.monotonic()
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
            result = finish(process)
    assert time.monotonic() - began < 4
    assert result.code == 130, result
    assert "Traceback" not in result.err


def test_one_crawl_of_a_site_at_a_time(tmp_path, capfd):
    site = slow_site(60, delay=0.2)
    with ShopServer(site) as server:
        path = write_plan(tmp_path, site.plan(server.url).as_toml())
        with running("crawl", path):
            wait_for(lambda: len(server.log) >= 3)
            result = winze(capfd, "crawl", path)
    assert result.code == 1
    (line,) = result.err.splitlines()
    assert "is at work on it; wait for it or stop it" in line


def wait_for(condition, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)


# Robots.


@pytest.fixture
def forbidden():
    pages = book_shop(6)
    robots = b"User-agent: *\nDisallow: /book/3\nDisallow: /book/4\n"
    pages.pages["/robots.txt"] = Answer(robots, content_type="text/plain")
    with ShopServer(pages) as server:
        yield server


def test_what_robots_forbid_is_not_asked_for(forbidden, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(forbidden.url))
    result = winze(capfd, "crawl", path)
    assert result.code == 0
    assert not {"/book/3", "/book/4"} & set(pages_asked(forbidden))
    assert query(tmp_path, "select robots_ignored from run") == [(0,)]
    forbidden_rows = "select count(*) from url where status = 'excluded' and error_code = 20"
    assert query(tmp_path, forbidden_rows) == [(2,)]


def test_ignoring_robots_is_noted(forbidden, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(forbidden.url))
    result = winze(capfd, "crawl", path, "--ignore-robots", "-o", tmp_path / "out.jsonl")
    assert result.code == 0
    assert {"/book/3", "/book/4"} <= set(pages_asked(forbidden))
    assert len(rows_of(tmp_path / "out.jsonl")) == 6
    assert query(tmp_path, "select verb, robots_ignored from run") == [("crawl", 1)]


# Exit codes that say more.


def test_much_quarantine_asks_for_a_look(tmp_path, capfd):
    with ShopServer(book_shop(20, bad=4)) as server:
        path = write_plan(tmp_path, book_plan(server.url))
        rules = {"targets": [{"regex": f"{server.url}/book/[0-9]+", "by": "hand"}]}
        host = server.url.partition("://")[2]
        fields = {"title": "h1", "price": ".price"}
        learned = {
            "version": 1,
            "hosts": {host: rules | {"decided_by": "url"}},
            "required": ["price"],
            "templates": [{"id": "book", "fields": fields}],
        }
        (tmp_path / "learned.json").write_text(json.dumps(learned))
        result = winze(capfd, "crawl", path, "-o", tmp_path / "out.jsonl")
    assert result.code == 3, result.err
    assert "16 records, 4 are in quarantine" in result.err
    assert len(rows_of(tmp_path / "out.jsonl")) == 16
    bad = query(tmp_path, "select distinct reason from record where not valid")
    assert bad == [("price: missing",)]


def test_a_host_given_up_asks_for_a_look(books, tmp_path, capfd):
    gone = "http://127.0.0.1:9"
    plan = book_plan(books.url).replace("start = [", f"start = ['{gone}/', ")
    path = write_plan(tmp_path, plan)
    result = winze(capfd, "crawl", path)
    assert result.code == 3, result.err
    assert "host given up for now: 127.0.0.1:9" in result.err
    assert "30 records" in result.err


def test_nothing_found(tmp_path, capfd):
    with ShopServer(book_shop(5)) as server:
        path = write_plan(tmp_path, book_plan(server.url, 'keywords = "dragon"'))
        (tmp_path / "learned.json").write_text('{"title": "h1"}')
        result = winze(capfd, "crawl", path)
    assert result.code == 4, result.err


def test_filters_and_depth_of_the_plan_hold(books, tmp_path, capfd):
    plan = book_plan(books.url, "limits = {depth = 1}\nfilters = {deny = ['/book/2[0-9]']}")
    before = len(books.log)
    result = winze(capfd, "crawl", write_plan(tmp_path, plan), "-o", tmp_path / "out.jsonl")
    assert result.code == 0, result.err
    asked = {hit.target for hit in books.log[before:]}
    assert not {target for target in asked if target.startswith("/book/2") and len(target) == 8}
    assert len(rows_of(tmp_path / "out.jsonl")) == 20


def test_the_store_may_be_postgresql(books, postgres, tmp_path, capfd):
    engine = open_store(postgres)
    with writing(engine) as connection:
        connection.execute(text("drop schema public cascade"))
        connection.execute(text("create schema public"))
    engine.dispose()
    path = write_plan(tmp_path / "books", book_plan(books.url))
    for expected in ("30 records", "0 new, 31 done"):
        result = winze(
            capfd, "crawl", path, "--store", postgres, "-o", tmp_path / "books" / "out.jsonl"
        )
        assert result.code == 0, result.err
        assert expected in result.err
        assert len({row["url"] for row in rows_of(tmp_path / "books" / "out.jsonl")}) == 30
    assert not (tmp_path / "books" / ".winze" / "store.db").exists()


def test_a_pattern_is_shown_as_it_is(books, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(books.url))
    result = winze(capfd, "learn", path)
    assert result.code == 0
    learned = json.loads((tmp_path / "learned.json").read_text())
    (rules,) = learned["hosts"].values()
    (target,) = rules["targets"]
    assert "/book/[0-9]+" in target["regex"]
    assert "/book/[0-9]+" in "".join(result.out.split())


def test_hand_edits_survive_learning_again(books, tmp_path, capfd):
    path = write_plan(tmp_path, book_plan(books.url) + "[select]\nprice = 'h1'\n")
    assert winze(capfd, "learn", path).code == 0
    learned = tmp_path / "learned.json"
    edited = json.loads(learned.read_text())
    (rules,) = edited["hosts"].values()
    rules["targets"] = [{"regex": f"{books.url}/book/1[0-9]*", "by": "hand"}]
    fields = edited["templates"][-1]["fields"]
    fields["title"]["paths"] = [{"css": ".price", "node": "text", "by": "hand"}]
    learned.write_text(json.dumps(edited))
    for _ in range(2):
        assert winze(capfd, "learn", path).code == 0
    # The records of pages that are no targets any more go to quarantine: finished, but look.
    assert winze(capfd, "crawl", path, "--fresh", "-O", tmp_path / "out.jsonl").code == 3
    rows = {row["url"]: row for row in rows_of(tmp_path / "out.jsonl")}
    assert len(rows) == 11
    first = rows[f"{books.url}/book/1"]
    assert (first["title"], first["price"]) == ("£1.50", "Book no. 1")
    (hand, page) = json.loads(learned.read_text())["templates"]
    assert len(hand["fields"]["price"]["paths"]) == 1
    assert [one["by"] for one in page["fields"]["title"]["paths"]].count("hand") == 1


def test_pages_without_fields_say_what_they_say_of_themselves(books, tmp_path, capfd):
    path = write_plan(tmp_path, f"start = ['{books.url}/']\nkeywords = '“Book no”'\n")
    result = winze(capfd, "crawl", path, "-o", tmp_path / "out.jsonl")
    assert result.code == 0, result.err
    titles = {row["title"] for row in rows_of(tmp_path / "out.jsonl")}
    assert titles == {f"Book no. {n}" for n in range(1, 31)}
