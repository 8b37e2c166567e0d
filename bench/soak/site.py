"""The hosts of the soak: pages, links, faults and what a perfect crawl says of each URL.

All of it follows from a seed, so that server and judge need not talk to each other.
"""

from __future__ import annotations

import hashlib
import random
from dataclasses import dataclass
from enum import StrEnum

from winze.model import ErrorCode, Status

#: Items on a list.
PER_LIST = 20

#: Lists that a list leads to: one that is lost hides nothing behind it.
_LISTS_AHEAD = 3

#: Links of an item to others of its host, and of other hosts.
_RELATED, _FOREIGN = 3, 2

#: Of so many items one leads to a page that robots.txt forbids.
_PRIVATE_STEP = 50

#: Words of an item's description: with them a page has about 4 KB.
_WORDS = 300

_SYLLABLES = ("ba", "del", "fir", "go", "hun", "ka", "lim", "mo", "nes", "pu", "ro", "tav")
_VOCABULARY = [first + second for first in _SYLLABLES for second in _SYLLABLES]

ROBOTS = b"User-agent: *\nDisallow: /private/\n"


class Fault(StrEnum):
    """What is wrong with a URL."""

    NONE = "none"
    MISSING = "404"
    GONE = "410"
    FORBIDDEN = "403"
    BROKEN = "500"
    #: 503 at the first request, then fine.
    BUSY_FIRST = "503 first"
    #: 429 with Retry-After at the first request, then fine.
    RATE_FIRST = "429 first"
    SLOW = "slow"
    RESET = "reset"
    #: The connection is reset at the first request, then fine.
    RESET_FIRST = "reset first"


#: How many of 10,000 URLs have which fault: 5 % errors, 2 % slow, 1 % resets. A 429 makes a host
#: slower for its next 100 pages (politeness.RECOVERY): one such page in two hosts, not ten in one.
_SHARES = {
    Fault.MISSING: 150,
    Fault.GONE: 80,
    Fault.FORBIDDEN: 80,
    Fault.BROKEN: 60,
    Fault.BUSY_FIRST: 125,
    Fault.RATE_FIRST: 5,
    Fault.SLOW: 200,
    Fault.RESET: 50,
    Fault.RESET_FIRST: 50,
}

#: What becomes of a faulty URL in the end; every other one is fetched.
_ENDS = {
    Fault.MISSING: (Status.GONE, ErrorCode.URL_404),
    Fault.GONE: (Status.GONE, ErrorCode.URL_404),
    Fault.FORBIDDEN: (Status.FETCH_ERROR, ErrorCode.HTTP_4XX),
    Fault.BROKEN: (Status.FETCH_ERROR, ErrorCode.HTTP_5XX),
    Fault.RESET: (Status.FETCH_ERROR, ErrorCode.CONNECTION),
}


@dataclass(frozen=True, slots=True)
class Expected:
    """What the store must say of a URL in the end."""

    status: Status
    error: ErrorCode
    #: Title and price; None for a page that gives no record.
    record: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class SoakSite:
    """All hosts; `pages` is the number of pages of each."""

    hosts: int
    pages: int
    seed: int = 1

    @property
    def lists(self) -> int:
        """Lists of a host; the root is the first."""
        return -(-self.pages // (PER_LIST + 1))

    @property
    def items(self) -> int:
        """Items of a host."""
        return self.pages - self.lists

    def fault(self, host: int, path: str) -> Fault:
        """Return what is wrong with a page; roots, where the crawl starts, are sound.

        >>> site = SoakSite(1, 100)
        >>> site.fault(0, "/"), sum(site.fault(0, f"/item/{n}") is Fault.SLOW for n in range(10**4))
        (<Fault.NONE: 'none'>, 201)
        """
        draw = self._number("fault", host, path) % 10_000
        for fault, share in _SHARES.items():
            draw -= share
            if draw < 0:
                return fault if path != "/" else Fault.NONE
        return Fault.NONE

    def has(self, path: str) -> bool:
        """Is there such a page at a host?"""
        if path == "/":
            return True
        kind, _, number = path[1:].partition("/")
        last = {"list": self.lists - 1, "item": self.items}.get(kind, 0)
        return number.isdecimal() and 1 <= int(number) <= last

    def links(self, host: int, path: str) -> list[tuple[int, str]]:
        """Return host and path of the links on a page."""
        number = int(path.rpartition("/")[2] or 0)
        if path.startswith("/item/"):
            return self._item_links(host, number)
        first = number * PER_LIST + 1
        items = range(first, min(first + PER_LIST, self.items + 1))
        ahead = range(number + 1, min(number + 1 + _LISTS_AHEAD, self.lists))
        return [(host, f"/item/{n}") for n in items] + [(host, f"/list/{n}") for n in ahead]

    def _item_links(self, host: int, item: int) -> list[tuple[int, str]]:
        rng = self._chance("links", host, item)
        found = [(host, f"/item/{rng.randint(1, self.items)}") for _ in range(_RELATED)]
        others = [rng.randrange(self.hosts) for _ in range(_FOREIGN)]
        found += [(other, f"/item/{rng.randint(1, self.items)}") for other in others]
        if item % _PRIVATE_STEP == 0:
            found.append((host, f"/private/{item}"))
        return [(host, "/"), *found]

    def html(self, host: int, path: str, port: int) -> str:
        """Return a page; all hosts listen at one port."""
        links = "".join(
            f'<li><a href="{to if other == host else url_of(other, to, port)}">'
            f"{to.strip('/') or 'home'} of {other}</a></li>"
            for other, to in self.links(host, path)
        )
        main = self._item(host, path) if path.startswith("/item/") else ""
        main += f"<ul class=links>{links}</ul>"
        return _FRAME.format(title=f"{path} of host {host}", main=main)

    def _item(self, host: int, path: str) -> str:
        title, price = self.record(host, path)
        words = self._chance("words", host, path).choices(_VOCABULARY, k=_WORDS)
        return (
            f"<article><h1>{title}</h1><p class=price>{price}</p>"
            f"<p class=text>{' '.join(words)}.</p></article>"
        )

    def record(self, host: int, path: str) -> tuple[str, str]:
        """Return title and price of an item."""
        number = self._number("item", host, path)
        words = (_VOCABULARY[number % 144], _VOCABULARY[number // 144 % 144])
        serial = f"{host}-{path.rpartition('/')[2]}"
        return f"{' '.join(words).title()} {serial}", f"${number % 900 + 9}.{number % 90 + 10}"

    def truth(self) -> dict[tuple[int, str], Expected]:
        """Return what must become of every page that can be reached from the roots."""
        waiting = [(host, "/") for host in range(self.hosts)]
        found: dict[tuple[int, str], Expected] = {}
        while waiting:
            page = waiting.pop()
            if page not in found:
                found[page] = self._end(*page)
                if found[page].status is Status.FETCHED:
                    waiting += self.links(*page)
        return found

    def _end(self, host: int, path: str) -> Expected:
        if path.startswith("/private/"):
            return Expected(Status.EXCLUDED, ErrorCode.ROBOTS_DENIED)
        ends = _ENDS.get(self.fault(host, path))
        if ends is not None:
            return Expected(*ends)
        record = self.record(host, path) if path.startswith("/item/") else None
        return Expected(Status.FETCHED, ErrorCode.OK, record)

    def _number(self, *what: object) -> int:
        text = " ".join(map(str, (self.seed, *what)))
        return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")

    def _chance(self, *what: object) -> random.Random:
        return random.Random(self._number(*what))


def address(host: int) -> str:
    """Return where a host listens: each has a loopback address, and so a pace, of its own.

    >>> address(0), address(49)
    ('127.0.0.1', '127.0.0.50')
    """
    return f"127.0.0.{host + 1}"


def url_of(host: int, path: str, port: int) -> str:
    """Return the URL of a page."""
    return f"http://{address(host)}:{port}{path}"


#: The markup around a page.
_FRAME = (
    "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{title}</title></head><body>"
    '<nav><a href="/">Home</a></nav><main>{main}</main><footer><ul>'
    + "".join(f"<li class=foot{n}><span>A line on every page</span></li>" for n in range(20))
    + "</ul></footer></body></html>"
)
