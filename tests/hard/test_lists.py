"""E4: repeated fields of which a page has some, none, or another one in between."""

import json

from tests.cli.command import winze, write_plan
from tests.cli.site import Pages, book_page, book_plan
from winze.demo.server import ShopServer

BOOKS = 24

FIELDS = "comments = [['Comment 1a', 'Comment 1b', 'Comment 1c'], []]"


def comments_of(number):
    """Return a book's comments: three for the odd ones, none for the even ones."""
    return [f"Comment {number}{letter}" for letter in "abc"] if number % 2 else []


def shop():
    """Every third book has a field more, above the comments."""
    links = "".join(f"<li><a href='/book/{n}'>Book {n}</a></li>" for n in range(1, BOOKS + 1))
    pages = {"/": f"<!DOCTYPE html><title>Shop</title><ul class=list>{links}</ul><p>Welcome."}
    for n in range(1, BOOKS + 1):
        extra = f"<p class=award>Award of the year {n}</p>" if n % 3 == 0 else ""
        items = "".join(f"<li class=comment><p>{text}</p></li>" for text in comments_of(n))
        page = book_page(f"Book no. {n}", f"£{n}.50")
        page = page.replace("<p class=text>", f"{extra}<p class=text>")
        pages[f"/book/{n}"] = page.replace("</main>", f"<ul class=comments>{items}</ul></main>")
    return Pages(pages)


def test_e4_lists_of_three_and_of_none_do_not_shift(tmp_path, capfd):
    """E4: 3 comments, 0 comments, an extra field in between: list of 3, empty list, no shift.

    In the peers that learn from examples the columns shifted.
    """
    with ShopServer(shop()) as server:
        plan = write_plan(tmp_path / "shop", book_plan(server.url, fields=FIELDS))
        result = winze(capfd, "crawl", plan)
    assert result.code == 0, result.err
    rows = {
        row["title"]: row for row in map(json.loads, winze(capfd, "export", plan).out.splitlines())
    }
    assert len(rows) == BOOKS
    for n in range(1, BOOKS + 1):
        row = rows[f"Book no. {n}"]
        assert (row["price"], row["comments"]) == (f"£{n}.50", comments_of(n))
