"""The shop's URLs, as paths below its root: each seed has its own scheme."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

#: Patterns of item pages. {word}: a fixed word; {code}: hexadecimal digits of the number.
_ITEMS = (
    "/{word}/{number}.html",
    "/{word}/{slug}-{number}",
    "/shop/{word}/{number}?cat={shelf}",
    "/{word}.php?id={number}",
    "/{category}/{slug}/{number}/",
    "/{word}/{code}.htm",
    "/{word}/{slug}",
    "/catalogue/{slug}_{number}/index.html",
    "/{word}-{number}-{shelf}.shtml",
)

#: First and further pages of a listing.
_LISTINGS = (
    ("/c/{category}/", "/c/{category}/{page}/"),
    ("/list-{shelf}.html", "/list-{shelf}-{page}.html"),
    ("/category.php?c={category}", "/category.php?c={category}&page={page}"),
    ("/browse/{category}", "/browse/{category}?p={page}"),
    ("/{category}/", "/{category}/page/{page}/"),
)

_CALENDARS = (
    "/{word}/{year}/{month:02d}",
    "/{word}?month={year}-{month:02d}",
    "/{word}/{year}-{month}.html",
)

_ARTICLES = (
    "/{word}/2026/{month:02d}/{day:02d}/{number}.html",
    "/{word}/{number}",
    "/{word}.php?article={number}",
)

#: Parameters that only say who came from where.
TRACKING = ("utm_source", "utm_medium", "spm", "gclid", "fbclid")

#: Parameters that hold a session, jsessionid in the path.
SESSIONS = ("sid", "PHPSESSID", "jsessionid")

_PATH_SESSION = re.compile(r";jsessionid=[^?/]*")


@dataclass(frozen=True, slots=True)
class Addresses:
    """One shop's URL scheme."""

    item_pattern: str
    first_listing: str
    further_listing: str
    article_pattern: str
    calendar_pattern: str
    old_pattern: str
    #: Fixed words by their part: item, news, help, guide, calendar, cart, login, promotion.
    words: Mapping[str, str]
    #: Name of the session parameter, and of the tracking parameter, in links that have one.
    session: str
    tracking: str

    def item(self, *, number: int, slug: str, category: str, shelf: int) -> str:
        """Return an item's path."""
        code = hashlib.blake2b(str(number).encode(), digest_size=5).hexdigest()
        return self.item_pattern.format(
            word=self.words["item"],
            number=number,
            slug=slug,
            category=category,
            shelf=shelf,
            code=code,
        )

    def old_item(self, number: int) -> str:
        """Return the path an item had before the site was rebuilt."""
        return self.old_pattern.format(number=number)

    def listing(
        self, category: str, shelf: int, page: int = 1, facets: Mapping[str, object] | None = None
    ) -> str:
        """Return the path of a page (from 1) of a listing, narrowed or sorted by facets."""
        pattern = self.first_listing if page == 1 else self.further_listing
        path = pattern.format(category=category, shelf=shelf, page=page)
        if not facets:
            return path
        return f"{path}{'&' if '?' in path else '?'}{urlencode(dict(facets))}"

    def article(self, part: str, number: int) -> str:
        """Return the path of a text in the news, help or guide section."""
        month, day = number % 12 + 1, number * 7 % 28 + 1
        pattern = self.article_pattern
        return pattern.format(word=self.words[part], number=number, month=month, day=day)

    def calendar(self, year: int, month: int) -> str:
        """Return the path of a month of the endless calendar; months may run over."""
        year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
        return self.calendar_pattern.format(word=self.words["calendar"], year=year, month=month)

    def calendar_month(self, path: str) -> tuple[int, int] | None:
        """Return the year and month of a calendar path, else None."""
        found = re.search(r"/([^/?]+)[/?](?:month=)?(\d{1,4})[/-](\d{1,2})(?:\.html)?$", path)
        if not found or found[1] != self.words["calendar"]:
            return None
        year, month = int(found[2]), int(found[3])
        return (year, month) if year >= 1 and 1 <= month <= 12 else None

    @property
    def disallowed(self) -> str:
        """The path prefix that robots.txt forbids."""
        return f"/{self.words['cart']}/"


def make_addresses(seed: int) -> Addresses:
    """Return the URL scheme of a seed's shop."""
    rng = random.Random(f"addresses {seed}")
    first, further = rng.choice(_LISTINGS)
    return Addresses(
        item_pattern=rng.choice(_ITEMS),
        first_listing=first,
        further_listing=further,
        article_pattern=rng.choice(_ARTICLES),
        calendar_pattern=rng.choice(_CALENDARS),
        old_pattern=rng.choice(
            ("/old/{number}.asp", "/default.aspx?goods={number}", "/v1/product_{number}.htm")
        ),
        words={
            "item": rng.choice(("p", "item", "goods", "product", "detail", "spxq")),
            "news": rng.choice(("news", "journal", "gonggao")),
            "help": rng.choice(("help", "faq", "bangzhu")),
            "guide": rng.choice(("guide", "magazine", "zhinan")),
            "calendar": rng.choice(("calendar", "events", "rili")),
            "cart": rng.choice(("cart", "basket", "checkout", "gouwuche")),
            "login": rng.choice(("login", "signin", "account/login")),
            "promotion": rng.choice(("go", "promo", "huodong")),
        },
        session=rng.choice(SESSIONS),
        tracking=rng.choice(TRACKING),
    )


def route_key(target: str) -> str:
    """Return a request target without session and tracking, its parameters sorted.

    >>> route_key("/p.php;jsessionid=A9?spm=a1.2&page=2&id=7&sid=x")
    '/p.php?id=7&page=2'
    """
    path, _, query = _PATH_SESSION.sub("", target).partition("?")
    kept = sorted(
        pair
        for pair in query.split("&")
        if pair and pair.partition("=")[0] not in (*TRACKING, *SESSIONS)
    )
    return f"{path}?{'&'.join(kept)}" if kept else path
