"""A learned site's own test: kept pages, what they must give, and what a failure stops."""

import json

import pytest

from tests.cli.command import winze, write_plan
from tests.cli.site import book_plan, book_shop
from winze.demo.server import ShopServer

BOOKS = 30


@pytest.fixture
def shop(tmp_path, capfd):
    """A crawled shop that still answers: its plan."""
    with ShopServer(book_shop(BOOKS)) as server:
        plan = write_plan(tmp_path / "shop", book_plan(server.url))
        result = winze(capfd, "crawl", plan)
        assert result.code == 0, result.err
        yield plan


def edit(plan, field, css):
    """Let a field be read elsewhere, by hand."""
    path = plan.with_name("learned.json")
    learned = json.loads(path.read_text("utf-8"))
    learned["templates"][0]["fields"][field] = css
    path.write_text(json.dumps(learned), "utf-8")


def prices(capfd, plan):
    rows = winze(capfd, "export", plan).out.splitlines()
    return sorted(json.loads(row)["price"] for row in rows)


def records(plan):
    return sorted(plan.parent.glob("pages/*/**/*.json"))


def test_examples_and_five_more_pages_are_kept_and_pass(shop, capfd):
    kept = [json.loads(path.read_text("utf-8")) for path in records(shop)]
    assert len(kept) == 2 + 5
    assert len({one["url"] for one in kept}) == 7
    for one in kept:
        number = one["url"].rpartition("/")[2]
        assert one["fields"] == {"title": f"Book no. {number}", "price": f"£{number}.50"}
    result = winze(capfd, "check", shop)
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[-1] == "7 of 7 kept pages give what they must"


def test_an_edit_that_spoils_a_field_stops_what_would_write_over_good_records(shop, capfd):
    before = prices(capfd, shop)
    edit(shop, "price", "p.text")
    result = winze(capfd, "check", shop)
    assert result.code == 3
    assert "0 of 7" in result.out
    assert "price: A book that somebody wrote" in result.out
    assert ", not £1.50" in result.out
    for verb in (["extract"], ["crawl", "--fresh"]):
        stopped = winze(capfd, *verb, shop)
        assert stopped.code == 3
        assert len(stopped.err.splitlines()) == 1
        assert "7 of the kept pages give other values (price)" in stopped.err
        assert "--force" in stopped.err
    assert prices(capfd, shop) == before
    assert winze(capfd, "extract", shop, "--force").code == 0
    assert prices(capfd, shop)[0].startswith("A book that somebody wrote")


def test_what_is_accepted_passes(shop, capfd):
    edit(shop, "title", "p.price")
    assert winze(capfd, "check", shop).code == 3
    assert winze(capfd, "check", shop, "--accept").code == 0
    assert winze(capfd, "check", shop).code == 0
    assert winze(capfd, "extract", shop).code == 0
    rows = winze(capfd, "export", shop).out.splitlines()
    assert "£7.50" in {json.loads(row)["title"] for row in rows}


def test_a_record_that_a_person_mended_counts(shop, capfd):
    path = next(path for path in records(shop) if path.name == "1.json")
    told = json.loads(path.read_text("utf-8"))
    told["fields"]["price"] = "£9.99"
    path.write_text(json.dumps(told), "utf-8")
    result = winze(capfd, "check", shop)
    assert result.code == 3
    assert ", not £9.99" in result.out
    assert "6 of 7" in result.out


def test_pages_that_were_taken_away_are_pinned_anew(shop, capfd):
    gone = [path for path in records(shop) if path.parent.name == "pinned"][:3]
    for path in gone:
        path.unlink()
        path.with_suffix(".html").unlink()
    result = winze(capfd, "check", shop, "--accept")
    assert result.code == 0
    assert sum(line.startswith("pinned") for line in result.out.splitlines()) == 3
    assert len(records(shop)) == 7
    assert len({json.loads(path.read_text("utf-8"))["url"] for path in records(shop)}) == 7
    assert winze(capfd, "check", shop).code == 0


def test_a_damaged_record_is_one_line(shop, capfd):
    records(shop)[0].write_text("{", "utf-8")
    result = winze(capfd, "check", shop)
    assert result.code == 2
    assert len(result.err.splitlines()) == 1
    assert "1.json" in result.err


def test_learn_explains_a_field_by_its_paths(shop, capfd, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    before = shop.with_name("learned.json").read_bytes()
    result = winze(capfd, "learn", shop, "--explain", "price")
    assert result.code == 0, result.err
    assert "price (price), template" in result.out
    assert "£1.50" in result.out
    assert "right on 7 of 7 kept pages" in " ".join(result.out.split())
    assert shop.with_name("learned.json").read_bytes() == before
    edit(shop, "price", "p.text")
    spoiled = winze(capfd, "learn", shop, "--explain", "price")
    assert "by hand" in spoiled.out
    assert "right on 0 of 7 kept pages" in " ".join(spoiled.out.split())
    unknown = winze(capfd, "learn", shop, "--explain", "prise")
    assert unknown.code == 2
    assert "it has title, price" in unknown.err


def test_without_anything_learned(capfd, tmp_path):
    plan = write_plan(tmp_path / "new", 'start = ["http://shop.example/"]')
    result = winze(capfd, "check", plan)
    assert result.code == 2
    assert "winze learn" in result.err
    plan.with_name("learned.json").write_text('{"title": "h1"}', "utf-8")
    assert winze(capfd, "check", plan).code == 4
