"""`winze status` and `winze export` on a generated shop that was crawled."""

import csv
import json
import subprocess
import sys

import pytest

from tests.cli.command import finish, winze, winze_process, write_plan
from tests.cli.site import book_shop
from winze.demo.server import ShopServer
from winze.demo.shop import Shop

PRODUCTS = 60

#: A plan for tests.cli.site.book_shop; another field may follow.
BOOKS = """
start = ["{url}/"]
examples = ["{url}/book/1", "{url}/book/2"]
[fields]
price = ["£1.50", "£2.50"]
"""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A generated shop, crawled to a page limit: the plan's path, the server still there."""
    source = Shop(seed=3, products=PRODUCTS)
    with ShopServer(source) as server:
        plan = write_plan(tmp_path_factory.mktemp("shop"), source.plan(server.url).as_toml())
        result = finish(
            winze_process("crawl", plan, "--max-pages", 150, "-o", plan.parent / "table.csv")
        )
        assert result.code in (0, 3), result.err
        yield plan


def test_status_counts_every_url_once(capfd, shop):
    result = winze(capfd, "status", shop)
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert "learned (learned.json)" in lines[0]
    total = int(next(line for line in lines if line.endswith(" URLs")).split()[0])
    groups = [line.split() for line in lines if "http://" in line]
    assert sum(int(parts[0]) for parts in groups) == total
    assert any("ROBOTS_DENIED" in parts for parts in groups)
    run = next(line for line in lines if "  crawl, " in line)
    assert "the page limit was reached" in run
    assert "pages " in run


def test_status_before_anything(capfd, tmp_path):
    plan = write_plan(tmp_path / "new", 'start = ["http://shop.example/"]')
    result = winze(capfd, "status", plan)
    assert result.code == 0
    assert "not learned yet" in result.out
    assert "nothing was crawled yet" in result.out


def test_ignored_robots_are_noted(capfd, tmp_path):
    with ShopServer(book_shop(3)) as server:
        plan = write_plan(tmp_path / "books", f'start = ["{server.url}/"]\nkeywords = "book"')
        winze(capfd, "crawl", plan, "--ignore-robots")
    result = winze(capfd, "status", plan)
    assert "robots.txt ignored" in result.out


def test_the_queues_are_listed_up_to_the_limit(capfd, shop):
    done = winze(capfd, "status", shop, "--queue", "done").out.splitlines()
    few = winze(capfd, "status", shop, "--queue", "done", "--limit", 3).out.splitlines()
    waiting = winze(capfd, "status", shop, "--queue", "crawl").out.splitlines()
    assert few == done[:3]
    assert len(few) == 3
    assert waiting
    assert not {line.split("\t")[0] for line in done} & {line.split("\t")[0] for line in waiting}


def test_an_unknown_queue_is_a_usage_error(capfd, shop):
    assert winze(capfd, "status", shop, "--queue", "other").code == 2


def test_the_whole_table_in_each_format(capfd, shop, tmp_path):
    lines = winze(capfd, "export", shop).out.splitlines()
    records = {record["url"]: record for record in map(json.loads, lines)}
    assert len(records) == len(lines) > 10
    result = winze(capfd, "export", shop, "-o", tmp_path / "all.jsonl")
    assert result.code == 0
    assert f"{len(lines)} records" in result.err
    again = (tmp_path / "all.jsonl").read_text("utf-8").splitlines()
    assert {line["url"]: line for line in map(json.loads, again)} == records
    winze(capfd, "export", shop, "-o", tmp_path / "all.csv")
    with (tmp_path / "all.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["url", "title", "price", "sku", "brand", "reviews"]
    assert {row["url"]: row["title"] for row in rows} == {
        url: record["title"] for url, record in records.items()
    }


def test_a_crawl_goes_on_in_an_exported_file(capfd, tmp_path):
    with ShopServer(book_shop(50)) as server:
        plan = write_plan(
            tmp_path / "books",
            BOOKS.format(url=server.url) + 'title = ["Book no. 1", "Book no. 2"]',
        )
        table = tmp_path / "table.jsonl"
        winze(capfd, "crawl", plan, "--max-pages", 45, "-o", table)
        before = len(table.read_text("utf-8").splitlines())
        winze(capfd, "export", plan, "-o", table)
        assert len(table.read_text("utf-8").splitlines()) == before
        winze(capfd, "crawl", plan, "-o", table)
    urls = [json.loads(line)["url"] for line in table.read_text("utf-8").splitlines()]
    assert len(urls) == len(set(urls)) == 50
    assert before < 50


def test_quarantine_is_exported_apart_with_its_reasons(capfd, tmp_path):
    with ShopServer(book_shop(50, bad=2)) as server:
        plan = write_plan(
            tmp_path / "books",
            BOOKS.format(url=server.url) + 'reason = ["Book no. 1", "Book no. 2"]',
        )
        winze(capfd, "crawl", plan)
    held = winze(capfd, "export", plan, "--quarantine", "-o", tmp_path / "held.csv")
    assert (held.code, "2 records in quarantine" in held.err) == (0, True)
    with (tmp_path / "held.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert sorted((row["reason_"], row["reason"]) for row in rows) == [
        ("price: missing", "Book no. 49"),
        ("price: missing", "Book no. 50"),
    ]
    good = winze(capfd, "export", plan).out
    assert "Book no. 48" in good
    assert "Book no. 49" not in good
    told = winze(capfd, "status", plan).out
    assert "2 in quarantine" in told
    assert "       2  price: missing" in told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-o", "table.xls"], (2, "unknown suffix")),
        (["-o", "{folder}/file/table.csv"], (1, "cannot be written")),
        (["--quarantine", "-o", "{folder}/file/table.csv"], (4, "nothing is in quarantine")),
    ],
)
def test_bad_outputs_are_one_line(capfd, shop, tmp_path, arguments, said):
    (tmp_path / "file").write_text("", "utf-8")
    filled = [argument.format(folder=tmp_path) for argument in arguments]
    result = winze(capfd, "export", shop, *filled)
    assert (result.code, result.err.count("\n")) == (said[0], 1)
    assert said[1] in result.err


def test_an_empty_table_has_nothing_to_export(capfd, tmp_path):
    plan = write_plan(tmp_path / "new", 'start = ["http://shop.example/"]')
    result = winze(capfd, "export", plan)
    assert (result.code, result.out) == (4, "")
    assert "the table is empty" in result.err


def test_a_reader_that_leaves_is_no_error(shop):
    command = f"{sys.executable} -c 'from winze.cli.app import main; main()' export {shop}"
    done = subprocess.run(
        f"{command} | head -n 1", shell=True, capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout.count("\n")) == ("", 1)
