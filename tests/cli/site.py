"""Small sites out of a dictionary, served by the demo's server."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from winze.demo.site import Answer


@dataclass
class Pages:
    """A site of the pages given; every other path has the same answer."""

    pages: Mapping[str, str | Answer] = field(default_factory=dict)
    other: Answer = field(default_factory=lambda: Answer(b"<h1>404</h1>", status=404))

    def answer(self, target: str, *, base: str = "", session: str = "") -> Answer:
        page = self.pages.get(target.partition("?")[0], self.other)
        return page if isinstance(page, Answer) else Answer(page.encode())


def book_page(title: str, price: str) -> str:
    """Return a page of a shop with a little text, so that nothing needs a browser."""
    return (
        f"<!DOCTYPE html><title>{title}</title><nav class=top><a href='/'>Home</a></nav>"
        f"<main class=book><h1>{title}</h1><p class=price>{price}</p>"
        f"<p class=text>{'A book that somebody wrote and somebody else may read. ' * 4}</p></main>"
    )


def book_plan(root: str, more: str = "", fields: str = "") -> str:
    """Return a plan for the shop at `root` with more keys, and more fields."""
    return (
        f"start = ['{root}/']\nexamples = ['{root}/book/1', '{root}/book/2']\n{more}\n"
        "[fields]\ntitle = ['Book no. 1', 'Book no. 2']\nprice = ['£1.50', '£2.50']\n"
        f"{fields}\n"
    )


def article_page() -> str:
    """Return a page that shares nothing with a book's."""
    rows = "".join(f"<tr class=r{n}><td class=c{n}><em>{n}</em></td></tr>" for n in range(30))
    return f"<section id=x><table class=t>{rows}</table></section><p>{'Other words. ' * 30}</p>"


def book_shop(books: int = 12, *, bad: int = 0) -> Pages:
    """Return a shop of books on one list; the last `bad` ones have no price."""
    numbers = range(1, books + 1)
    links = "".join(f"<li><a href='/book/{n}'>Book {n}</a></li>" for n in numbers)
    text = "<p>Welcome to the shop. " + "We have books of every kind. " * 8
    pages: dict[str, str | Answer] = {
        "/": f"<!DOCTYPE html><title>Shop</title><ul class=list>{links}</ul>{text}",
        "/article": article_page(),
    }
    for n in numbers:
        page = book_page(f"Book no. {n}", f"£{n}.50")
        pages[f"/book/{n}"] = page.replace(f"£{n}.50", "") if n > books - bad else page
    return Pages(pages)
