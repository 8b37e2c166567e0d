"""`winze extract`: sites that were crawled once, their servers gone."""

import csv
import json
import sqlite3
import time

import pytest

from tests.cli.command import finish, running, winze, winze_process, write_plan
from tests.cli.site import book_page, book_shop
from winze.demo.server import ShopServer
from winze.demo.shop import Shop

PRODUCTS = 60

BOOKS = 50

RECORDS = "select fields from record where valid"

#: The pages of tests.cli.site.book_shop: the books and the list.
BOOK_PAGES = BOOKS + 1


def rows_of(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def newest(path):
    """The table as its lines say last."""
    return {row["url"]: row for row in rows_of(path)}


def query(folder, sql):
    connection = sqlite3.connect(folder / ".winze" / "store.db")
    with connection:
        rows = connection.execute(sql).fetchall()
    connection.close()
    return rows


def edit(folder, change):
    path = folder / "learned.json"
    learned = json.loads(path.read_text("utf-8"))
    change(learned)
    path.write_text(json.dumps(learned), "utf-8")


def set_path(name, css):
    def change(learned):
        for template in learned["templates"]:
            if name in template["fields"]:
                template["fields"][name] = css

    return change


def book_plan(url, *, fields='price = ["£1.50", "£2.50"]'):
    return f"start = ['{url}/']\nexamples = ['{url}/book/1', '{url}/book/2']\n[fields]\n{fields}\n"


@pytest.fixture
def books(tmp_path, capfd):
    """A shop of books, learned and crawled by price alone, its server stopped."""
    with ShopServer(book_shop(BOOKS)) as server:
        path = write_plan(tmp_path / "books", book_plan(server.url))
        result = winze(capfd, "crawl", path, "-o", tmp_path / "table.jsonl")
        assert result.code == 0, result.err
        url = server.url
    return path, url


def test_a_path_changed_by_hand_changes_every_record_of_the_shop(tmp_path, capfd):
    shop = Shop(5, products=PRODUCTS)
    with ShopServer(shop) as server:
        path = write_plan(tmp_path, shop.plan(server.url).as_toml())
        crawled = winze(capfd, "crawl", path, "-o", tmp_path / "out.jsonl")
        assert crawled.code == 0, crawled.err
    before = newest(tmp_path / "out.jsonl")
    assert len(before) == PRODUCTS
    edit(tmp_path, set_path("brand", "title"))
    result = winze(capfd, "extract", path, "--force", "-o", tmp_path / "out.jsonl")
    assert result.code == 0, result.err
    assert f"{PRODUCTS} records changed" in result.err
    after = newest(tmp_path / "out.jsonl")
    titles = dict(
        query(tmp_path, "select url.url, page.title from page join url on url.id = page.url_id")
    )
    assert after.keys() == before.keys()
    for url, row in after.items():
        assert row["brand"] == titles[url] != before[url]["brand"]
        assert row | {"brand": None} == before[url] | {"brand": None}
    # Each changed record is one more line, and nothing else is.
    assert len(rows_of(tmp_path / "out.jsonl")) == 2 * PRODUCTS


def test_what_is_known_of_fetching_stays_as_it_is(books, tmp_path, capfd):
    path, _ = books
    columns = "url, status, http_status, attempts, update_time, depth, has_crawl, links, score"
    rows = f"select {columns} from url order by id"
    pages = 'select id, url_id, archive, "offset", length, fetched_at from page order by id'
    before = query(path.parent, rows), query(path.parent, pages)
    edit(path.parent, set_path("price", "h1"))
    result = winze(capfd, "extract", path, "--force")
    assert result.code == 0, result.err
    assert (query(path.parent, rows), query(path.parent, pages)) == before
    prices = {json.loads(fields)["price"] for (fields,) in query(path.parent, RECORDS)}
    assert prices == {f"Book no. {n}" for n in range(1, BOOKS + 1)}


def test_a_second_time_changes_nothing(books, tmp_path, capfd):
    path, _ = books
    table = (tmp_path / "table.jsonl").read_bytes()
    for _ in range(2):
        result = winze(capfd, "extract", path, "-o", tmp_path / "table.jsonl")
        assert result.code == 0, result.err
        assert f"{BOOK_PAGES} pages read again" in result.err
        assert f"{BOOKS} targets; 0 records changed" in result.err
    assert (tmp_path / "table.jsonl").read_bytes() == table
    runs = query(path.parent, "select verb, stop_reason, counters from run order by id desc")
    assert runs[0][:2] == ("extract", "the archive was read to its end")
    assert json.loads(runs[0][2]) == {"pages": BOOK_PAGES, "targets": BOOKS, "changed": 0}
    assert query(path.parent, "select count(*) from lease") == [(0,)]


def test_other_targets_are_other_records(books, tmp_path, capfd):
    path, url = books

    def one_digit_only(learned):
        for rules in learned["hosts"].values():
            rules["targets"] = [r"https?://[^/]+/book/\d$"]
            rules["decided_by"] = "url"

    edit(path.parent, one_digit_only)
    result = winze(capfd, "extract", path, "-O", tmp_path / "new.jsonl")
    assert result.code == 3, result.err
    assert newest(tmp_path / "new.jsonl").keys() == {f"{url}/book/{n}" for n in range(1, 10)}
    reasons = query(path.parent, "select distinct reason from record where not valid")
    assert reasons == [("the page gives no record any more",)]


def test_a_field_added_to_the_plan_is_learned_from_the_archive(books, tmp_path, capfd):
    path, url = books
    edit(path.parent, set_path("price", "p.price"))
    fields = 'price = ["£1.50", "£2.50"]\ntitle = ["Book no. 1", "Book no. 2"]\n'
    select = '[select]\nmenu = "nav a"\n'
    path.write_text(book_plan(url, fields=fields + select), "utf-8")
    result = winze(capfd, "extract", path, "-o", tmp_path / "new.csv")
    assert result.code == 0, result.err
    assert "Learned from the archived examples: title, menu." in result.err
    with (tmp_path / "new.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["url"]: row for row in csv.DictReader(file)}
    # The books' rows stand in the file as they were before, then as they are now.
    assert rows == {
        f"{url}/book/{n}": {
            "url": f"{url}/book/{n}",
            "price": f"£{n}.50",
            "title": f"Book no. {n}",
            "menu": "Home",
        }
        for n in range(1, BOOKS + 1)
    }
    learned = json.loads((path.parent / "learned.json").read_text("utf-8"))
    kept = [template["fields"].get("price") for template in learned["templates"]]
    assert [field["paths"][0]["by"] for field in kept if field] == ["hand"]


def test_a_value_that_no_archived_example_shows_is_a_plan_error(books, capfd):
    path, url = books
    path.write_text(book_plan(url, fields='price = "£1.50"\nisbn = "978-3"'), "utf-8")
    before = (path.parent / "learned.json").read_bytes()
    result = winze(capfd, "extract", path)
    assert result.code == 2
    assert "fields.isbn: '978-3' stands nowhere" in result.err
    assert (path.parent / "learned.json").read_bytes() == before


def test_examples_that_were_never_archived_are_told(books, capfd):
    path, url = books
    text = book_plan(url, fields='price = "£1.50"\ntitle = "Book no. 1"')
    path.write_text(text.replace("/book/1'", "/book/99'"), "utf-8")
    result = winze(capfd, "extract", path)
    assert result.code == 2
    assert f"examples[0]: {url}/book/99 is not in the archive: run winze learn" in result.err


def test_a_table_of_other_columns_is_not_gone_on_with(books, tmp_path, capfd):
    path, _ = books
    table = tmp_path / "table.csv"
    table.write_text("url,title\nhttp://a.example/,x\n", "utf-8")
    before = table.read_bytes()
    result = winze(capfd, "extract", path, "-o", table)
    assert result.code == 2
    assert f"output {table}: its columns are others: -O writes it anew" in result.err
    assert table.read_bytes() == before
    assert winze(capfd, "extract", path, "-O", table).code == 0
    assert len(table.read_text("utf-8-sig").splitlines()) == BOOKS + 1


def test_pages_gone_from_the_archive_are_counted_and_their_records_stay(books, capfd):
    path, _ = books
    archive = path.parent / ".winze" / "archive"
    (file,) = archive.glob("*.warc.gz")
    places = query(path.parent, 'select "offset", length from page order by "offset"')
    offset, length = places[-1]
    with file.open("r+b") as damaged:
        damaged.seek(offset)
        damaged.write(b"\0" * length)
    edit(path.parent, set_path("price", "h1"))
    result = winze(capfd, "extract", path, "--force")
    assert result.code == 3
    assert f"{BOOK_PAGES - 1} pages read again" in result.err
    assert "1 pages are not in the archive any more" in result.err
    assert query(path.parent, "select count(*) from record where valid") == [(BOOKS,)]
    file.unlink()
    result = winze(capfd, "extract", path, "--force")
    assert result.code == 4
    assert "the archived pages are gone" in result.err
    assert query(path.parent, "select count(*) from record where valid") == [(BOOKS,)]


def test_before_anything_was_learned(tmp_path, capfd):
    path = write_plan(tmp_path / "new", 'start = ["http://shop.example/"]')
    result = winze(capfd, "extract", path)
    assert result.code == 2
    assert "learned.json: is missing: run winze learn" in result.err
    assert len(result.err.splitlines()) == 1
    (path.parent / "learned.json").write_text('{"title": "h1"}', "utf-8")
    result = winze(capfd, "extract", path)
    assert (result.code, result.out) == (4, "")
    assert "new: no page is archived: winze crawl" in result.err


def test_both_outputs_and_unknown_ones_are_usage_errors(books, capfd):
    path, _ = books
    assert winze(capfd, "extract", path, "-o", "a.jsonl", "-O", "b.jsonl").code == 2
    result = winze(capfd, "extract", path, "-o", "a.xls")
    assert result.code == 2
    assert "unknown suffix '.xls'" in result.err


def test_records_on_stdout(books, capfd):
    path, _ = books
    edit(path.parent, set_path("price", "h1"))
    result = winze(capfd, "extract", path, "--force", "-o", "-")
    prices = [json.loads(line)["price"] for line in result.out.splitlines()]
    assert sorted(prices) == sorted(f"Book no. {n}" for n in range(1, BOOKS + 1))


def test_a_site_that_is_being_crawled_is_left_alone(tmp_path, capfd):
    site = book_shop(BOOKS)
    with ShopServer(site) as server:
        plan = book_plan(server.url)
        path = write_plan(tmp_path / "books", plan)
        assert finish(winze_process("learn", path)).code == 0
        path.write_text(f"delay = 30.0\n{plan}", "utf-8")
        site.pages["/book/51"] = book_page("Book no. 51", "£51.50")
        with running("crawl", path, "--fresh") as crawl:
            wait_for_lease(path.parent)
            result = winze(capfd, "extract", path)
            assert crawl.poll() is None
    assert result.code == 1
    assert "is at work on it" in result.err


def wait_for_lease(folder):
    for _ in range(300):
        if query(folder, "select count(*) from lease") == [(1,)]:
            return
        time.sleep(0.1)
    pytest.fail("no crawl began in 30 s")
