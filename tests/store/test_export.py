import json

import pytest

from tests.store.test_crawldb import new_url, row, visited
from winze.errors import WinzeError
from winze.store import runs
from winze.store.crawldb import CrawlDb
from winze.store.database import writing
from winze.store.export import Csv, JsonLines, OutputFile, format_for, write_records
from winze.store.records import StoredRecord


@pytest.fixture
def crawldb(engine):
    with writing(engine) as connection:
        crawldb = CrawlDb(runs.site_id(connection, "shop"))
        crawldb.inject(connection, [new_url(name) for name in "abc"])
    return crawldb


@pytest.fixture
def output(crawldb, request):
    def make(path) -> OutputFile:
        out = OutputFile(str(path), JsonLines(), site_id=crawldb.site_id)
        request.addfinalizer(out.close)
        return out

    return make


def prices(path) -> list[str]:
    return [json.loads(line)["price"] for line in path.read_text().splitlines()]


def crawl(engine, crawldb, out, *pages) -> None:
    for name, price in pages:
        with writing(engine) as connection:
            crawldb.commit(connection, [visited(name, record=row(price))])
            out.follow(connection)


def test_the_file_holds_each_record_once_after_a_torn_line(engine, crawldb, output, tmp_path):
    path = tmp_path / "out.jsonl"
    first = output(path)
    with writing(engine) as connection:
        first.open(connection)
    crawl(engine, crawldb, first, ("a", "1"), ("b", "2"))
    with path.open("ab") as file:
        file.write(b'{"url": "http://shop.example/c", "pri')
    second = output(path)
    with writing(engine) as connection:
        second.open(connection)
    crawl(engine, crawldb, second, ("a", "1"), ("c", "3"))
    assert prices(path) == ["1", "2", "3"]


def test_a_lost_transaction_leaves_no_line(engine, crawldb, output, tmp_path):
    path = tmp_path / "out.jsonl"
    first = output(path)
    with writing(engine) as connection:
        first.open(connection)
    with pytest.raises(RuntimeError), writing(engine) as connection:
        crawldb.commit(connection, [visited("a", record=row("1"))])
        first.follow(connection)
        raise RuntimeError
    assert prices(path) == ["1"]
    second = output(path)
    with writing(engine) as connection:
        second.open(connection)
    crawl(engine, crawldb, second, ("b", "2"))
    assert prices(path) == ["2"]


def test_append_goes_on_and_overwrite_begins_anew(engine, crawldb, output, tmp_path):
    path = tmp_path / "out.jsonl"
    path.write_text('{"price": "mine"}\n')
    for anew, expected in ((False, ["mine", "1"]), (True, ["1"]), (False, ["1"])):
        out = output(path)
        with writing(engine) as connection:
            out.open(connection, anew=anew)
        crawl(engine, crawldb, out, ("a", "1"))
        assert prices(path) == expected


def test_quarantined_records_stay_out(engine, crawldb, output, tmp_path):
    out = output(tmp_path / "out.jsonl")
    with writing(engine) as connection:
        out.open(connection)
        crawldb.commit(connection, [visited("a", record=row("1", "title: missing"))])
        out.follow(connection)
    assert prices(tmp_path / "out.jsonl") == []


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("川菜", "川菜"),
        (None, ""),
        (["a", "b"], "a | b"),
        ("=1+1", "'=1+1"),
        ("+cmd", "'+cmd"),
        ("-5.20", "-5.20"),
        ('say "hi", you', '"say ""hi"", you"'),
    ],
)
def test_csv_opens_in_a_spreadsheet(value, cell):
    form = Csv(["name"])
    assert form.head().startswith(b"\xef\xbb\xbfurl,name")
    line = form.line(StoredRecord("http://x/", {"name": value}, True, ""))
    assert line.decode() == f"http://x/,{cell}\r\n"


def test_an_unknown_suffix_is_said(tmp_path):
    with pytest.raises(WinzeError, match=r"unknown suffix '.xlsx': use .jsonl or .csv"):
        format_for("out.xlsx", [])


def test_export_writes_everything_from_the_beginning(tmp_path):
    path = tmp_path / "out.csv"
    rows = [StoredRecord("http://x/", {"name": "川菜"}, True, "")]
    assert write_records(str(path), format_for(str(path), ["name"]), rows) == 1
    assert path.read_bytes().decode("utf-8-sig").splitlines() == ["url,name", "http://x/,川菜"]
