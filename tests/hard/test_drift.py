"""E1, E2: a site changed under its wrapper, and a value that was rightly absent."""

import json

import pytest

from tests.cli.command import winze, write_plan
from tests.cli.site import Pages, book_page, book_plan
from winze.demo.server import ShopServer

BOOKS = 20

FIELDS = "sale = ['£1.00', '']"


def shop():
    """Books with a price; the odd ones have a sale price, too."""
    links = "".join(f"<li><a href='/book/{n}'>Book {n}</a></li>" for n in range(1, BOOKS + 1))
    pages = {"/": f"<!DOCTYPE html><title>Shop</title><ul class=list>{links}</ul><p>Welcome."}
    for n in range(1, BOOKS + 1):
        sale = f"<p class=sale><b>{'now'}</b> <i>£{n}.00</i></p>" if n % 2 else ""
        page = book_page(f"Book no. {n}", f"£{n}.50")
        pages[f"/book/{n}"] = page.replace("<p class=text>", f"{sale}<p class=text>")
    return Pages(pages)


def replace(site, old, new):
    site.pages.update((path, html.replace(old, new)) for path, html in list(site.pages.items()))


@pytest.fixture
def crawled(tmp_path, capfd):
    """A crawled shop: site, plan."""
    site = shop()
    with ShopServer(site) as server:
        plan = write_plan(tmp_path / "shop", book_plan(server.url, fields=FIELDS))
        result = winze(capfd, "crawl", plan)
        assert result.code == 0, result.err
        yield site, plan


def learned_paths(plan, *only):
    """Let price be read by one path alone, as hand-written rules would."""
    path = plan.with_name("learned.json")
    learned = json.loads(path.read_text("utf-8"))
    learned["templates"][0]["fields"]["price"] = only[0]
    path.write_text(json.dumps(learned), "utf-8")


def test_e1_a_renamed_class_is_an_alarm(crawled, capfd):
    """E1: 20 product pages, then the price's class is renamed: alarm, exit 3, a page as evidence.

    The peers wrote 20 rows, every price empty, and ended with success.
    """
    site, plan = crawled
    learned_paths(plan, "p.price")
    replace(site, "<p class=price>", "<p class=cost-new>")
    result = winze(capfd, "crawl", plan, "--fresh")
    assert result.code == 3
    assert f"changed: price: found 0% after 100%, on {BOOKS} pages; first http" in result.err
    assert "changed: title" not in result.err
    assert "changed: sale" not in result.err
    (kept,) = plan.parent.glob("drift/*/price.html")
    assert "cost-new" in kept.read_text("utf-8")
    # It is told again until somebody does something about it.
    again = winze(capfd, "crawl", plan, "--fresh", "--json")
    assert again.code == 3
    end = json.loads(again.out.splitlines()[-1])
    (alarm,) = end["drift"]
    assert (alarm["name"], alarm["before"], alarm["now"]) == ("price", 1.0, 0.0)
    replace(site, "<p class=cost-new>", "<p class=price>")
    assert winze(capfd, "crawl", plan, "--fresh").code == 0


def test_e2_a_value_that_is_rightly_absent_is_null_and_no_alarm(crawled, capfd):
    """E2: the sale price is absent on half of the pages: null there, and no other price.

    The peer that heals selectors gave the normal price.
    """
    _, plan = crawled
    rows = map(json.loads, winze(capfd, "export", plan).out.splitlines())
    sales = {row["title"]: row["sale"] for row in rows}
    assert sales == {f"Book no. {n}": f"£{n}.00" if n % 2 else None for n in range(1, BOOKS + 1)}
    assert winze(capfd, "crawl", plan, "--fresh").code == 0


def test_what_is_accepted_is_no_alarm(crawled, capfd):
    site, plan = crawled
    learned_paths(plan, "p.price")
    replace(site, "<p class=price>", "<p class=cost-new>")
    assert "changed: price" in winze(capfd, "crawl", plan, "--fresh").err
    assert winze(capfd, "check", plan, "--accept").code == 0
    assert "changed: " not in winze(capfd, "crawl", plan, "--fresh").err
    assert "changed: " not in winze(capfd, "crawl", plan, "--fresh").err
