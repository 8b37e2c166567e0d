"""A small site that takes its time: for tests that stop a crawl in the middle."""

from __future__ import annotations

from dataclasses import dataclass

from winze.demo.addresses import route_key
from winze.demo.shop import DemoPlan, Row
from winze.demo.site import Answer

#: Items on an index page.
_INDEX = 20


@dataclass(frozen=True, slots=True)
class SlowSite:
    """Numbered items on a chain of index pages, all of them slow."""

    #: Items; index pages come on top.
    pages: int
    #: Seconds before each answer.
    delay: float

    def answer(self, target: str, *, base: str = "", session: str = "") -> Answer:
        """Return the answer for a path; the site has no sessions and only relative links."""
        parts = route_key(target).strip("/").split("/")
        match parts:
            case [""]:
                html = self._index(0)
            case ["list", number] if number.isdecimal() and int(number) * _INDEX < self.pages:
                html = self._index(int(number))
            case ["item", number] if number.isdecimal() and 1 <= int(number) <= self.pages:
                html = _item(int(number))
            case _:
                return Answer(b"<h1>404</h1>", status=404)
        return Answer(html.encode(), delay=self.delay)

    def truth(self) -> list[Row]:
        """Return the table that a perfect crawl gives."""
        return [
            {"url": f"/item/{number}", "fields": {"title": _title(number), "price": _price(number)}}
            for number in range(1, self.pages + 1)
        ]

    def plan(self, base: str) -> DemoPlan:
        """Return the pieces of a plan for the site at `base`; every item has its keyword."""
        root = base.rstrip("/")
        return DemoPlan(
            start=f"{root}/",
            keywords="serial",
            examples=(f"{root}/item/1", f"{root}/item/2"),
            fields={"title": (_title(1), _title(2)), "price": (_price(1), _price(2))},
        )

    def _index(self, number: int) -> str:
        first = number * _INDEX + 1
        last = min(first + _INDEX - 1, self.pages)
        rows = "".join(
            f'<li><a href="/item/{item}">{_title(item)}</a></li>' for item in range(first, last + 1)
        )
        further = f'<a href="/list/{number + 1}">Next</a>' if last < self.pages else ""
        return f"<!DOCTYPE html><title>List {number}</title><ul class=items>{rows}</ul>{further}"


def slow_site(pages: int = 600, delay: float = 0.05) -> SlowSite:
    """Return a site of `pages` items that waits `delay` seconds before each answer.

    >>> slow_site(3).answer("/item/3").status, slow_site(3).answer("/item/4").status
    (200, 404)
    """
    return SlowSite(pages, delay)


def _title(number: int) -> str:
    return f"Slow thing {number * 7919 % 100003}"


def _price(number: int) -> str:
    return f"${number * 37 % 900 + 9}.{number % 90 + 10}"


def _item(number: int) -> str:
    return (
        f"<!DOCTYPE html><title>{_title(number)}</title>"
        f"<div class=item><h1>{_title(number)}</h1><p class=price>{_price(number)}</p>"
        f'<p>Serial no. {number}</p></div><p><a href="/">Home</a></p>'
    )
