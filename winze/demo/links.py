"""Who links to whom: every item can be reached, most of them through other items only."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

#: Related links of an item page, from and to.
RELATED = (6, 8)

#: Items that a page may be the only way to.
_CHILDREN = 4

#: Products that hide behind two guide pages in a row (P1, 3.2.1: topic islands), one in so many.
_ISLANDERS = 75

#: Guides with an island behind them.
ISLANDS = 4


@dataclass(frozen=True, slots=True)
class LinkGraph:
    """Links between items, by their places in the shop."""

    #: Related items of each item.
    related: tuple[tuple[int, ...], ...]
    #: Products that only a chain of two guide pages leads to, one group a guide.
    islands: tuple[tuple[int, ...], ...]
    #: The product whose page mentions each guide.
    guides_at: tuple[int, ...]


def make_graph(rng: random.Random, *, products: int, off_topic: int, listed: int) -> LinkGraph:
    """Return a graph in which all items can be reached from the first `listed` ones.

    A random tree over the unlisted items guarantees it; further links up to the usual number
    prefer popular items, so that about one product in ten hangs on a single link.
    """
    islanders = max(ISLANDS, products // _ISLANDERS)
    mainland = products - islanders
    related: list[list[int]] = [[] for _ in range(products + off_topic)]
    adverts = range(products, products + off_topic)
    grown = list(range(listed))
    for place in (*range(listed, mainland), *adverts):
        related[_parent(rng, grown, related)].append(place)
        grown.append(place)
    for place, links in enumerate(related):
        share = 0.9 if place < products else 0.5
        _fill(rng, place, links, mainland, adverts, wanted_share=share)
        rng.shuffle(links)
    island = list(range(mainland, products))
    return LinkGraph(
        related=tuple(map(tuple, related)),
        islands=tuple(tuple(island[group::ISLANDS]) for group in range(ISLANDS)),
        guides_at=tuple(rng.sample(range(listed, mainland), ISLANDS)),
    )


def _parent(rng: random.Random, grown: Sequence[int], related: Sequence[Sequence[int]]) -> int:
    """Choose an item that has room for one more link; there always is one, as in any tree."""
    while True:
        place = rng.choice(grown)
        if len(related[place]) < _CHILDREN:
            return place


def _fill(
    rng: random.Random,
    place: int,
    links: list[int],
    mainland: int,
    off_topic: range,
    *,
    wanted_share: float,
) -> None:
    size = rng.randint(*RELATED)
    while len(links) < size:
        if rng.random() < wanted_share:
            choice = int(mainland * rng.random() ** 2)
        else:
            choice = rng.choice(off_topic)
        if choice != place and choice not in links:
            links.append(choice)
