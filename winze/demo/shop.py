"""What the shop is: its items, who links to whom, the plan for it and the table it must give."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypedDict

import tomlkit

from winze.demo.addresses import Addresses, make_addresses
from winze.demo.links import LinkGraph, make_graph
from winze.demo.theme import Theme, make_theme
from winze.demo.words import (
    ADJECTIVES,
    BRANDS,
    CATEGORIES,
    DESCRIPTIONS,
    OFFERS,
    REVIEWS,
    Category,
)

#: Smallest shop whose listings, islands and examples can all be filled.
SMALLEST = 60


class Row(TypedDict):
    """One row of the table that a crawl must give."""

    #: Path below the shop's root, without session and tracking.
    url: str
    fields: dict[str, str | list[str] | None]


class Spec(NamedTuple):
    """One row of an item's specification table."""

    label: str
    value: str


@dataclass(frozen=True, slots=True)
class Item:
    """A product, or an off-topic item that looks like one."""

    #: Place in the shop: the listed products come first, off-topic items last.
    place: int
    #: Number in its URL.
    number: int
    wanted: bool
    category: Category
    title: str
    slug: str
    noun: str
    #: In the shop's currency, what listings are sorted by.
    amount: float
    #: The amount as the page shows it.
    price: str
    #: The crossed-out one; empty when there is none.
    old_price: str
    sku: str
    #: None: the page does not say.
    brand: str | None
    description: str
    in_stock: bool
    specs: tuple[Spec, ...]
    reviews: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DemoPlan:
    """The pieces of a plan, with absolute URLs."""

    start: str
    keywords: str
    examples: tuple[str, str]
    #: Field name to its value on each example page.
    fields: Mapping[str, tuple[str | list[str], str | list[str]]]

    def as_toml(self) -> str:
        """Return the text of a plan.toml."""
        document = tomlkit.document()
        document["start"] = [self.start]
        document["keywords"] = self.keywords
        document["examples"] = list(self.examples)
        document["fields"] = {name: list(values) for name, values in self.fields.items()}
        return tomlkit.dumps(document)


@dataclass(frozen=True)
class Shop:
    """A shop that grows from its seed: the same seed, the same shop.

    One product in fifteen is listed; the others hang on "related" links (P1, 5.3.2: 1,000 of
    14,000 restaurants). One off-topic item comes with five products. Raises ValueError when
    there are too few products to build it.

    >>> shop = Shop(seed=1)
    >>> len(shop.wanted), len(shop.off_topic), shop.listed
    (1500, 300, 100)
    """

    seed: int = 1
    products: int = 1500

    def __post_init__(self) -> None:
        if self.products < SMALLEST:
            raise ValueError(
                f"products: {self.products} are too few for a shop, {SMALLEST} will do"
            )

    @cached_property
    def theme(self) -> Theme:
        """How the pages look and speak."""
        return make_theme(self.seed)

    @cached_property
    def addresses(self) -> Addresses:
        """The URL scheme."""
        return make_addresses(self.seed)

    @property
    def listed(self) -> int:
        """How many products stand on listing pages."""
        return self.products // 15

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        """The ten categories on sale, Chinese and English ones in turn."""
        rng = random.Random(f"categories {self.seed}")
        chinese = rng.sample([c for c in CATEGORIES if c.language == "zh"], 5)
        english = rng.sample([c for c in CATEGORIES if c.language == "en"], 5)
        return tuple(category for pair in zip(chinese, english, strict=True) for category in pair)

    @property
    def legacy(self) -> Category:
        """The category that is still served in GBK."""
        return self.categories[0]

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All items: the listed products, the other products, the off-topic items."""
        total = self.products + self.products // 5
        rng = random.Random(f"items {self.seed} {self.products}")
        numbers = rng.sample(range(1000, 1000 + 20 * total), total)
        models = rng.sample(range(100, 100 + 4 * total), total)
        return tuple(
            self._item(rng, place, number, model)
            for place, (number, model) in enumerate(zip(numbers, models, strict=True))
        )

    @property
    def wanted(self) -> Sequence[Item]:
        """The products of the wanted kind."""
        return self.items[: self.products]

    @property
    def off_topic(self) -> Sequence[Item]:
        """Private adverts in the products' template, under URLs of the same shape."""
        return self.items[self.products :]

    @cached_property
    def graph(self) -> LinkGraph:
        """Which item pages link to which."""
        return make_graph(
            random.Random(f"links {self.seed} {self.products}"),
            products=self.products,
            off_topic=len(self.off_topic),
            listed=self.listed,
        )

    def path(self, item: Item) -> str:
        """Return the path of an item's page."""
        return self.addresses.item(
            number=item.number,
            slug=item.slug,
            category=item.category.slug,
            shelf=item.category.number,
        )

    def truth(self) -> list[Row]:
        """Return the table that a perfect crawl gives, one row a wanted product."""
        return [{"url": self.path(item), "fields": self._fields(item)} for item in self.wanted]

    def plan(self, base: str) -> DemoPlan:
        """Return what a user would write after a look at two pages of the shop at `base`."""
        root = base.rstrip("/")
        first, second = self._examples()
        fields = {}
        for name in ("title", "price", "sku", "brand", "reviews"):
            pair = (self._fields(first)[name], self._fields(second)[name])
            fields[name] = (pair[0] or "", pair[1] or "")
        return DemoPlan(
            start=f"{root}/",
            keywords=self.theme.keywords.expression,
            examples=(root + self.path(first), root + self.path(second)),
            fields=fields,
        )

    def _examples(self) -> tuple[Item, Item]:
        """Choose a Chinese and an English product that show every field, listed ones if any."""
        rng = random.Random(f"examples {self.seed}")
        shown = [item for item in self.wanted if item.brand and len(item.reviews) > 1]
        shown.sort(key=lambda item: item.place >= self.listed)
        first, second = (
            [item for item in shown if item.category.language == language][:5]
            for language in ("zh", "en")
        )
        return rng.choice(first), rng.choice(second)

    def _fields(self, item: Item) -> dict[str, str | list[str] | None]:
        return {
            "title": item.title,
            "price": item.price,
            "sku": item.sku,
            "brand": item.brand,
            "category": item.category.name,
            "description": item.description,
            "stock": self.theme.labels["in stock" if item.in_stock else "sold out"],
            "reviews": list(item.reviews),
        }

    def _item(self, rng: random.Random, place: int, number: int, model: int) -> Item:
        wanted = place < self.products
        category = rng.choice(self.categories)
        language = category.language
        noun = rng.choice(category.nouns)
        brand = rng.choice(BRANDS[language])
        opening = rng.choice(ADJECTIVES[language] if wanted else OFFERS[language])
        letter = rng.choice("ABCDEFGHKMRSTX")
        cents = rng.choice((0, 0, 50, 90, 95, 99))
        amount = round(10 ** rng.uniform(0.9, 3.4)) + cents / 100
        price = self.theme.price
        kept = sorted(rng.sample(range(len(category.specs)), rng.randint(2, len(category.specs))))
        sentences = rng.sample(DESCRIPTIONS[language], rng.randint(3, 6))
        join = "" if language == "zh" else " "
        return Item(
            place=place,
            number=number,
            wanted=wanted,
            category=category,
            title=f"{brand.text} {opening.text} {noun.text} {letter}-{model}",
            slug=f"{brand.slug}-{opening.slug}-{noun.slug}-{letter.lower()}{model}",
            noun=noun.text,
            amount=amount,
            price=price.format(amount),
            old_price=price.format(amount * 1.25) if rng.random() < 0.3 else "",
            sku=self._sku(letter, model, number),
            brand=brand.text if rng.random() < 0.95 else None,
            description=join.join(sentences).format(noun=_in_sentence(noun.text)),
            in_stock=rng.random() < 0.85,
            specs=tuple(Spec(label, rng.choice(values)) for label, values in _rows(category, kept)),
            reviews=_reviews(rng, category, noun.text),
        )

    def _sku(self, letter: str, model: int, number: int) -> str:
        styles = (f"{letter}{model:04d}-{number % 97:02d}", f"{number * 7919:09d}", f"WZ.{number}")
        return styles[self.seed % len(styles)]


def _rows(category: Category, kept: Sequence[int]) -> list[tuple[str, tuple[str, ...]]]:
    return [category.specs[place] for place in kept]


def _reviews(rng: random.Random, category: Category, noun: str) -> tuple[str, ...]:
    openings, bodies, closings = REVIEWS[category.language]
    count = rng.randint(0, 5)
    told = zip(rng.sample(openings, count), rng.sample(bodies, count), strict=True)
    return tuple(
        (opening + body).format(noun=_in_sentence(noun)) + rng.choice(closings)
        for opening, body in told
    )


def _in_sentence(noun: str) -> str:
    return noun.lower()
