"""Plug-ins: an example package, really installed, takes part at all five points."""

import csv
import json
import sqlite3

import pytest

from tests.cli.command import winze, write_plan
from tests.cli.site import book_shop
from tests.plugin_package import install_example, winze_with
from winze.demo.server import ShopServer
from winze.demo.shop import Shop
from winze.engine.order import Order, OrderName, order_named
from winze.errors import PlanError
from winze.fetch.cache import cached
from winze.learn.order import LinkModel
from winze.model import ErrorCode, Request, Response
from winze.plan import load_plan
from winze.plugins.builtin import own_words, path_length
from winze.plugins.registry import PluginError, Point, find, find_key, installed, names
from winze.store.export import Csv, format_for

LEARNED = '{"title": "h1", "price": ".price"}'


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The folder into which the example package is installed."""
    return install_example(tmp_path_factory.mktemp("example"))


@pytest.fixture(scope="module")
def books():
    with ShopServer(book_shop(12)) as server:
        yield server


def book_site(folder, root, plugins=""):
    """A plan of the book shop, learned by hand: the crawl's order is that of the pages asked."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "learned.json").write_text(LEARNED, "utf-8")
    head = f"start = ['{root}/']\nsitemap = false\nconcurrency_total = 1\n"
    return write_plan(folder, f"{head}[plugins]\n{plugins}\n")


def rows_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def query(folder, sql):
    with sqlite3.connect(folder / ".winze" / "store.db") as connection:
        rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


# Our own.


def test_ours_are_found_like_anybodys():
    ours = {plugin.key for plugin in installed() if plugin.is_own}
    assert ours >= {f"score.{name}" for name in OrderName}
    assert ours >= {"sink.jsonl", "sink.csv", "fetch.cache", "link_filter.path_length"}
    assert {plugin.point for plugin in installed() if plugin.is_own} == set(Point)
    assert [plugin.key for plugin in installed() if not callable(plugin.load())] == []


def test_orders_and_formats_come_from_the_look_up():
    made = {name: order_named(name, LinkModel()) for name in names(Point.SCORE)}
    assert {type(made[name]).__name__ for name in OrderName} == {
        "Order",
        "WeightOrder",
        "LearnedOrder",
    }
    assert all(isinstance(order, Order) for order in made.values())
    assert isinstance(format_for("out.CSV", ["a"]), Csv)


def test_an_unknown_name_is_told_with_what_there_is():
    with pytest.raises(PluginError, match=r"score.lerned: .* did you mean 'score.learned'\?"):
        find(Point.SCORE, "lerned")
    with pytest.raises(PluginError, match=r"extract.qqqq: .*pip install .*metadata"):
        find(Point.EXTRACT, "qqqq")
    with pytest.raises(PluginError, match="the points are fetch, link_filter, score"):
        find_key("parse.x")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("link_filter.path_lenth = {}", "did you mean 'link_filter.path_length'"),
        ("'link_filter.path_lenth' = {}", "did you mean 'link_filter.path_length'"),
        ("parse.x = {}", "parse: a plug-in is named point.name"),
        ("sink.csv = {}", "-o file.csv"),
        ("extract.metadata = true", "extract.metadata: input should be a valid dict"),
    ],
)
def test_the_plan_says_what_is_wrong_with_a_plug_in(line, message, tmp_path):
    path = write_plan(tmp_path, f"start = ['http://x.example/']\n[plugins]\n{line}\n")
    with pytest.raises(PlanError, match=f"plan.toml: plugins.*{message}") as told:
        load_plan(path)
    assert "\n" not in str(told.value)


def test_names_may_be_quoted_or_bare(tmp_path):
    text = (
        "start = ['http://x.example/']\n[plugins]\nlink_filter.path_length = { most = 3 }\n"
        "'extract.metadata' = {}\n"
    )
    plan = load_plan(write_plan(tmp_path, text))
    assert plan.plugins == {"link_filter.path_length": {"most": 3}, "extract.metadata": {}}


def test_options_that_a_plug_in_cannot_take_are_an_error_of_the_plan(tmp_path, capfd):
    path = book_site(tmp_path, "http://127.0.0.1:9", "link_filter.path_length = { least = 3 }")
    result = winze(capfd, "crawl", path)
    assert result.code == 2
    assert "plugins: link_filter.path_length: its one option is" in result.err
    with pytest.raises(ValueError, match="no options"):
        own_words({"a": 1})
    assert path_length({}).most == 8


def test_our_own_filter_and_fields_take_part(books, tmp_path, capfd):
    plugins = "link_filter.path_length = { most = 1 }\nextract.metadata = {}"
    path = book_site(tmp_path, books.url, plugins)
    result = winze(capfd, "crawl", path, "-o", tmp_path / "out.csv")
    assert result.code == 4  # every book's path has two parts
    refused = query(tmp_path, "select count(*), min(status) from url where error_code = 9")
    assert refused == [(12, "excluded")]
    path = book_site(tmp_path / "fields", books.url, "extract.metadata = {}")
    assert winze(capfd, "crawl", path, "-o", tmp_path / "fields.csv").code == 0
    rows = list(csv.DictReader((tmp_path / "fields.csv").read_text("utf-8-sig").splitlines()))
    assert list(rows[0]) == ["url", "title", "price", "description", "image", "date"]
    assert {row["title"] for row in rows} >= {f"Book no. {n}" for n in range(1, 13)}


async def test_the_cache_asks_once(tmp_path):
    asked, now = [], [1000.0]

    async def fetch(request):
        asked.append(request.url)
        error = ErrorCode.URL_404 if "gone" in request.url else ErrorCode.OK
        headers = (("content-type", "text/html"), ("x-é", "川菜"))
        return Response(request.url, 200, headers, b"a\nb\xff", error, fetched_at=now[0])

    cache = cached(fetch, {"folder": str(tmp_path), "seconds": 10})
    cache._clock = lambda: now[0]
    first, second = [await cache(Request("http://x.example/a")) for _ in range(2)]
    assert first == second
    assert second.headers[1] == ("x-é", "川菜")
    for _ in range(2):
        await cache(Request("http://x.example/gone"))
    now[0] += 11
    await cache(Request("http://x.example/a"))
    assert [url[-1] for url in asked] == ["a", "e", "e", "a"]
    for torn in tmp_path.iterdir():
        torn.write_bytes(b'{"url"')
    assert (await cache(Request("http://x.example/a"))).body == b"a\nb\xff"
    with pytest.raises(ValueError, match="write a folder"):
        cached(fetch, {})


# A package of somebody else.


def test_one_of_each_in_one_crawl(example, tmp_path):
    shop = Shop(103, products=60)
    with ShopServer(shop) as server:
        diary = tmp_path / "diary.txt"
        plugins = (
            f"\n[plugins]\nfetch.diary = {{ file = '{diary}' }}\n"
            "link_filter.without = { word = '?' }\nextract.word_count = {}\n"
        )
        path = write_plan(tmp_path, shop.plan(server.url).as_toml() + plugins)
        out = tmp_path / "out.tsv"
        result = winze_with(example, "crawl", path, "-o", out, "--order", "last_in")
        asked = [hit.target for hit in server.log]
    assert result.code == 0, result.err
    rows = list(csv.DictReader(out.read_text("utf-8").splitlines(), delimiter="\t"))
    truth = {row["url"].partition("?")[0]: row["fields"] for row in shop.truth()}
    assert len(rows) >= 0.9 * len(truth)
    assert next(iter(rows[0])) == "url"
    assert list(rows[0])[-1] == "words"
    assert all(int(row["words"]) > 5 for row in rows)
    assert "the plan's own wins" not in {row["title"] for row in rows}
    refused = query(tmp_path, "select url, status from url where error_code = 9")
    assert {"?" in url and status == "excluded" for url, status in refused} == {True}
    noted = [line.split(" ", 1)[1] for line in diary.read_text("utf-8").splitlines()]
    own = [target for target in asked if target not in {"/robots.txt", "/sitemap.xml"}]
    pages = query(tmp_path, "select count(*) from url where status = 'fetched'")[0][0]
    assert len(noted) >= pages > 40
    assert {url.removeprefix(server.url) for url in noted} <= set(own)


def test_an_order_of_somebody_else(books, example, tmp_path):
    path = book_site(tmp_path, books.url)
    before = len(books.log)
    assert winze_with(example, "crawl", path, "--order", "last_in").code == 0
    asked = [hit.target for hit in books.log[before:] if hit.target.startswith("/book/")]
    assert asked[:12] == [f"/book/{n}" for n in range(12, 0, -1)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--order", "last"], "order last: score.last: no such plug-in is installed: did you mean"),
        (["-o", "out.tsx"], "unknown suffix '.tsx': use .jsonl or .csv, .broken, .tsv"),
    ],
)
def test_unknown_names_on_the_command_line(arguments, message, books, example, tmp_path):
    path = book_site(tmp_path, books.url)
    result = winze_with(example, "crawl", path, *arguments)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_extraction_that_always_fails_ends_with_a_reason(books, example, tmp_path):
    """Case G1. Scrapy exits with 0."""
    path = book_site(tmp_path, books.url, "extract.broken = {}")
    result = winze_with(example, "crawl", path, "-o", tmp_path / "out.jsonl")
    assert result.code == 4, result.err
    assert "extract.broken: KeyError: 'no extra here'" in result.err
    assert "Traceback" not in result.err
    assert rows_of(tmp_path / "out.jsonl") == []
    stored = query(tmp_path, "select count(*) from url where error_code = 10 and status='fetched'")
    assert stored[0][0] >= 12
    reasons = query(tmp_path, "select distinct reason from record")
    assert reasons == [("extract.broken: KeyError: 'no extra here'",)]


def test_extraction_that_fails_once_costs_that_record(books, example, tmp_path):
    path = book_site(tmp_path, books.url, "extract.broken = { pages = ['/book/7'] }")
    result = winze_with(example, "crawl", path, "-o", tmp_path / "out.jsonl")
    assert result.code == 3, result.err
    rows = {row["url"].removeprefix(books.url): row for row in rows_of(tmp_path / "out.jsonl")}
    assert {f"/book/{n}" for n in range(1, 13)} - rows.keys() == {"/book/7"}
    assert rows["/book/8"]["extra"] == "yes"
    kept = query(tmp_path, "select fields from record where reason != ''")
    assert json.loads(kept[0][0])["title"] == "Book no. 7"
    # The plug-in is mended: the archive is enough.
    book_site(tmp_path, books.url, "extract.broken = { pages = ['/nowhere'] }")
    asked = len(books.log)
    result = winze_with(example, "extract", path, "-o", tmp_path / "out.jsonl")
    assert result.code == 0, result.err
    assert len(books.log) == asked
    assert f"{books.url}/book/7" in {row["url"] for row in rows_of(tmp_path / "out.jsonl")}


def test_a_filter_that_fails_keeps_its_urls_out(books, example, tmp_path):
    path = book_site(tmp_path, books.url, "link_filter.broken = {}")
    result = winze_with(example, "crawl", path)
    assert result.code == 4
    assert "plug-in link_filter.broken failed at" in result.err
    assert result.err.count("ZeroDivisionError") == 1
    rows = query(tmp_path, "select status, error_code, count(*) from url group by 1, 2")
    assert rows == [("excluded", 10, 1)]


def test_a_fetcher_that_fails_costs_its_pages(books, example, tmp_path):
    path = book_site(tmp_path, books.url, "fetch.broken = { page = '/book/7' }")
    result = winze_with(example, "crawl", path, "-o", tmp_path / "out.jsonl")
    assert result.code == 0, result.err
    assert "plug-in fetch.broken failed at" in result.err
    rows = query(tmp_path, "select url, status from url where error_code = 10")
    assert rows == [(f"{books.url}/book/7", "fetch_error")]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--order", "broken"],
            "order broken: its plug-in failed: IndexError: the queue is broken",
        ),
        (["-o", "out.broken"], "output: the plug-in for .broken failed: TypeError"),
    ],
)
def test_what_cannot_be_gone_round_ends_in_one_line(arguments, message, books, example, tmp_path):
    path = book_site(tmp_path, books.url)
    result = winze_with(example, "crawl", path, *arguments, cwd=tmp_path)
    assert result.code == 1, result.err
    assert message in result.err
    assert "Traceback" not in result.err


def test_a_plug_in_that_cannot_be_imported_names_its_package(books, example, tmp_path):
    path = book_site(tmp_path, books.url, "extract.missing = {}")
    result = winze_with(example, "crawl", path)
    assert result.code == 2
    assert "extract.missing of the package winze-example 0.3 cannot be imported" in result.err
    assert len(result.err.splitlines()) == 1


def test_nothing_is_imported_before_it_is_asked_for(books, example, tmp_path):
    """The package's broken import harms only those who ask for it."""
    path = book_site(tmp_path, books.url)
    assert winze_with(example, "crawl", path, "-o", tmp_path / "out.jsonl").code == 0
