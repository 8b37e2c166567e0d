"""Typed values from the examples to the table: learned, overridden, refused, exported."""

import csv
import io
import json

import pytest

from tests.cli.command import winze, write_plan
from tests.cli.site import Pages, book_page
from winze.demo.server import ShopServer

BOOKS = 40


def shop(*, odd=()):
    """Books with a price, a date and an answer; the `odd` ones have no price but a word."""
    links = "".join(f"<li><a href='/book/{n}'>Book {n}</a></li>" for n in range(1, BOOKS + 1))
    pages = {"/": f"<!DOCTYPE html><title>Shop</title><ul class=list>{links}</ul><p>Welcome."}
    for n in range(1, BOOKS + 1):
        price = "Sold out" if n in odd else f"£{n}.50"
        more = f"<p class=day>2024年3月{n % 28 + 1}日</p><p class=new>{'是' if n % 2 else '否'}</p>"
        page = book_page(f"Book no. {n}", price)
        pages[f"/book/{n}"] = page.replace("<p class=text>", f"{more}<p class=text>")
    return Pages(pages)


def plan_of(root, more=""):
    return (
        f"start = ['{root}/']\nexamples = ['{root}/book/1', '{root}/book/2']\n"
        "[fields]\ntitle = ['Book no. 1', 'Book no. 2']\nprice = ['£1.50', '£2.50']\n"
        f"day = ['2024年3月2日', '2024年3月3日']\nnew = ['是', '否']\n{more}\n"
    )


def crawled(capfd, folder, site, more=""):
    with ShopServer(site) as server:
        plan = write_plan(folder, plan_of(server.url, more))
        return plan, winze(capfd, "crawl", plan)


def types_of(plan):
    learned = json.loads(plan.with_name("learned.json").read_text("utf-8"))
    return {name: one["type"] for name, one in learned["templates"][0]["fields"].items()}


def test_types_are_learned_and_exported(capfd, tmp_path):
    plan, result = crawled(capfd, tmp_path / "shop", shop())
    assert result.code == 0, result.err
    assert types_of(plan) == {"title": "text", "price": "price", "day": "date", "new": "boolean"}
    lines = winze(capfd, "export", plan, "--typed", "-o", "-").out.splitlines()
    rows = {row["title"]: row for row in map(json.loads, lines)}
    assert len(rows) == BOOKS
    book = {name: value for name, value in rows["Book no. 7"].items() if name != "url"}
    assert book == {
        "title": "Book no. 7",
        "price": "7.50",
        "price_currency": "GBP",
        "day": "2024-03-08",
        "new": True,
    }
    raw = [json.loads(line) for line in winze(capfd, "export", plan).out.splitlines()]
    assert {row["price"] for row in raw} == {f"£{n}.50" for n in range(1, BOOKS + 1)}
    table = tmp_path / "table.csv"
    assert winze(capfd, "export", plan, "--typed", "-o", table).code == 0
    found = list(csv.DictReader(io.StringIO(table.read_text("utf-8-sig"))))
    assert [name for name in found[0] if name != "url"] == list(book)
    assert {row["new"] for row in found} == {"true", "false"}


def test_learned_json_shows_three_values_of_each_field(capfd, tmp_path):
    plan, _ = crawled(capfd, tmp_path / "shop", shop())
    learned = json.loads(plan.with_name("learned.json").read_text("utf-8"))
    fields = learned["templates"][0]["fields"]
    assert fields["title"]["samples"][:2] == ["Book no. 1", "Book no. 2"]
    assert {len(one["samples"]) for one in fields.values()} == {2, 3}
    assert set(fields["new"]["samples"]) == {"是", "否"}


def test_a_value_that_does_not_fit_sends_the_record_to_quarantine(capfd, tmp_path):
    plan, result = crawled(capfd, tmp_path / "shop", shop(odd=(30,)))
    assert types_of(plan)["price"] == "price"
    assert "1 in quarantine" in winze(capfd, "status", plan).out
    assert "price: no price" in winze(capfd, "status", plan).out
    bad = json.loads(winze(capfd, "export", plan, "--quarantine").out)
    assert (bad["reason"], bad["price"]) == ("price: no price", "Sold out")
    typed = json.loads(winze(capfd, "export", plan, "--quarantine", "--typed").out)
    assert (typed["price"], typed["day"]) == (None, "2024-03-03")
    assert result.code == 0, result.err


def test_a_type_that_other_pages_refute_is_dropped(capfd, tmp_path):
    plan, result = crawled(capfd, tmp_path / "shop", shop(odd=range(10, 36)))
    assert result.code == 0, result.err
    assert types_of(plan)["price"] == "text"
    assert f"{BOOKS} records, 0 in quarantine" in winze(capfd, "status", plan).out


def test_the_plan_has_the_last_word(capfd, tmp_path):
    more = "[types]\nprice = 'text'\nnew = 'text'"
    plan, result = crawled(capfd, tmp_path / "shop", shop(odd=(30,)), more)
    assert result.code == 0, result.err
    assert "0 in quarantine" in winze(capfd, "status", plan).out
    lines = winze(capfd, "export", plan, "--typed").out.splitlines()
    rows = {row["title"]: row for row in map(json.loads, lines)}
    assert rows["Book no. 30"]["price"] == "Sold out"
    assert rows["Book no. 7"]["new"] == "是"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ("[types]\nprice = 'money'", "'money' is no type: choose among image, url, price"),
        ("[types]\nprise = 'price'", "do you mean 'price'?"),
    ],
)
def test_a_bad_type_is_one_line(more, said, capfd, tmp_path):
    plan = write_plan(tmp_path / "shop", plan_of("http://127.0.0.1:9", more))
    result = winze(capfd, "crawl", plan)
    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    assert said in result.err
