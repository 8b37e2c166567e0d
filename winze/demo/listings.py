"""The home page and the listings: paginated, with facets, and showing few of the products."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from winze.demo.frame import Frame
from winze.demo.pages import card
from winze.demo.shop import Item, Shop
from winze.demo.words import BRANDS, HEADLINES, Category

#: Ways to sort a listing, by their labels.
SORTS = ("cheap", "dear", "newest")

#: Off-topic items on the market's listing; the others hang on related links as well.
_MARKET = 20


@dataclass(frozen=True, slots=True)
class Listing:
    """Items under one heading."""

    slug: str
    #: Its number, where URLs have numbers.
    shelf: int
    heading: str
    page_size: int
    items: tuple[Item, ...]
    #: The category, which can be narrowed by brand; None for the whole shop and the market.
    category: Category | None = None


@dataclass(frozen=True, slots=True)
class View:
    """One page of a listing, as its URL asks for it."""

    listing: Listing
    page: int = 1
    sort: str = ""
    #: Place of a brand among its language's, from 1; 0 for all brands.
    brand: int = 0

    def items(self) -> list[Item]:
        """Return the items of all pages, narrowed and sorted."""
        items = list(self.listing.items)
        if self.brand and self.listing.category is not None:
            wanted = BRANDS[self.listing.category.language][self.brand - 1].text
            items = [item for item in items if item.brand == wanted]
        match self.sort:
            case "cheap":
                items.sort(key=lambda item: item.amount)
            case "dear":
                items.sort(key=lambda item: -item.amount)
            case "newest":
                items.sort(key=lambda item: -item.number)
        return items

    @property
    def pages(self) -> int:
        """How many pages there are; an empty listing has one."""
        return max(1, -(-len(self.items()) // self.listing.page_size))

    def path(self, shop: Shop, *, sort_first: bool = True) -> str:
        """Return the path of this view; sites write its facets in either order."""
        facets: list[tuple[str, object]] = [("sort", self.sort), ("brand", self.brand)]
        chosen = {name: value for name, value in facets if value}
        if not sort_first:
            chosen = dict(reversed(chosen.items()))
        return shop.addresses.listing(self.listing.slug, self.listing.shelf, self.page, chosen)


def listings(shop: Shop) -> tuple[Listing, ...]:
    """Return the listings: the whole shop, the market of private adverts, the categories."""
    shown = tuple(shop.wanted[: shop.listed])
    labels = shop.theme.labels
    market = tuple(shop.off_topic[:_MARKET])
    shelves = tuple(
        Listing(
            category.slug,
            category.number,
            category.name,
            6,
            tuple(item for item in shown if item.category == category),
            category,
        )
        for category in shop.categories
    )
    return (
        Listing("all", 1, labels["all"], 20, shown),
        Listing("market", 2, labels["market"], 10, market),
        *shelves,
    )


def views(listing: Listing) -> Iterator[View]:
    """Yield every page of a listing under every choice of facets."""
    brands = 0 if listing.category is None else len(BRANDS[listing.category.language])
    for sort in ("", *SORTS):
        for brand in range(brands + 1):
            for page in range(1, View(listing, 1, sort, brand).pages + 1):
                yield View(listing, page, sort, brand)


def listing_page(frame: Frame, view: View) -> str:
    """Return the HTML of one page of a listing."""
    first = (view.page - 1) * view.listing.page_size
    items = view.items()[first : first + view.listing.page_size]
    words = frame.shop.theme.keywords
    # Listings speak of the keywords too: they lead to targets and are none.
    word = words.unwanted if view.listing.slug == "market" else words.wanted[0]
    parts = (
        f"<h1 {frame.css('title')}>{escape(view.listing.heading)}</h1>",
        f"<p {frame.css('banner')}>{escape(word)} · {escape(words.shared)}</p>",
        _facets(frame, view),
        grid(frame, items),
        _pager(frame, view),
    )
    side = frame.best_sellers(list(range(min(5, frame.shop.listed))))
    return frame.document(view.listing.heading, "\n".join(parts), side=side)


def grid(frame: Frame, items: Sequence[Item], track: str = "") -> str:
    """Return items as tiles."""
    cards = "\n".join(card(frame, item, track=track) for item in items)
    return f"<ul {frame.css('grid')}>\n{cards}\n</ul>"


def home_page(frame: Frame) -> str:
    """Return the HTML of the start page."""
    shop = frame.shop
    urls = shop.addresses
    language = shop.theme.language
    word = urls.words["promotion"]
    promotions = "\n".join(
        f"<li>{frame.link(f'/{word}/{place}', category.name)}</li>"
        for place, category in enumerate(shop.categories, start=1)
    )
    teasers = "\n".join(
        f"<li>{frame.link(urls.article('news', place), headline)}</li>"
        for place, headline in enumerate(HEADLINES[language][:3], start=1)
    )
    parts = (
        f"<h1>{shop.theme.name}</h1>",
        f"<h2>{escape(frame.label('newest'))}</h2>",
        grid(frame, shop.wanted[:8], "home"),
        f"<h2>{escape(frame.label('promotion'))}</h2>\n<ul>\n{promotions}\n</ul>",
        f"<h2>{escape(frame.label('news'))}</h2>\n<ul>\n{teasers}\n</ul>",
    )
    return frame.document(frame.label("home"), "\n".join(parts))


def _facets(frame: Frame, view: View) -> str:
    listing = view.listing
    links = [
        frame.link(
            View(listing, 1, sort, view.brand).path(frame.shop, sort_first=bool(view.page % 2)),
            frame.label(sort),
        )
        for sort in SORTS
    ]
    if listing.category is not None:
        for number, brand in enumerate(BRANDS[listing.category.language], start=1):
            narrowed = View(listing, 1, view.sort, number)
            links.append(frame.link(narrowed.path(frame.shop, sort_first=False), brand.text))
    rows = "\n".join(f"<li>{link}</li>" for link in links)
    heading = f"<b>{escape(frame.label('sort'))}</b>"
    return f"<div {frame.css('facets')}>{heading}\n<ul>\n{rows}\n</ul></div>"


def _pager(frame: Frame, view: View) -> str:
    def at(page: int) -> str:
        return View(view.listing, page, view.sort, view.brand).path(frame.shop)

    numbers = [
        f"<b>{page}</b>" if page == view.page else frame.link(at(page), str(page))
        for page in range(1, view.pages + 1)
    ]
    if view.page > 1:
        numbers.insert(0, frame.link(at(view.page - 1), frame.label("previous")))
    if view.page < view.pages:
        numbers.append(frame.link(at(view.page + 1), frame.label("next")))
    return f"<div {frame.css('pager')}>{' '.join(numbers)}</div>"
