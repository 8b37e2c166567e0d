"""The order of a crawl: a queue, the rule what may enter it, and what it learns from pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from types import MappingProxyType
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from winze.engine.site import Site
from winze.errors import UsageError, WinzeError
from winze.frontier.queue import Candidate, FifoQueue, LearnedQueue, Queue, WeightQueue
from winze.frontier.weight import follows_links
from winze.learn.order import LinkModel
from winze.model import Kind, Visit
from winze.plugins.points import Options
from winze.plugins.registry import PluginError, Point, fault_of, find
from winze.urls.patterns import matches_any

_NO_OPTIONS: Options = MappingProxyType({})


class OrderName(StrEnum):
    """Our own orders; plug-ins bring more."""

    BFS = "bfs"
    WEIGHT = "weight"
    LEARNED = "learned"


class Order:
    """Breadth first: everything enters, first in, first out. The others differ where they say."""

    #: Must what comes later wait behind what came before?
    keeps_order = True

    def __init__(self, queue: Queue | None = None) -> None:
        self.queue: Queue = FifoQueue() if queue is None else queue

    def lets_in(self, url: str, parent_weight: int, site: Site) -> bool:
        """May a URL found on a page of this weight be fetched at all?"""
        return True

    def push(self, candidates: Iterable[Candidate]) -> None:
        """Let URLs wait."""
        for candidate in candidates:
            self.queue.push(candidate)

    def pop(self, busy: Collection[str]) -> Candidate | None:
        """Take the best URL whose host is not busy."""
        return self.queue.pop(busy)

    def waiting(self) -> Sequence[Candidate]:
        """Return what waits, in no order."""
        return self.queue.waiting()

    def shed(self, kept: int) -> list[Candidate]:
        """Let go of the least promising URLs, so that only `kept` wait; return them."""
        return []

    def learn(self, page: Candidate, visit: Visit, found: list[Candidate]) -> None:
        """Learn from a fetched page and the new URLs on it, before they are pushed."""

    def scores(self) -> NDArray[np.float32] | None:
        """Return the scores of what waits, if the order has any."""
        return None


class WeightOrder(Order):
    """P1's: only links that match a filter, only from pages below the weight threshold."""

    def __init__(self) -> None:
        super().__init__(WeightQueue())

    def lets_in(self, url: str, parent_weight: int, site: Site) -> bool:
        """Does the weight allow it, and does a learned filter match? (GWC paper, 3.1 and 3.2)."""
        if not follows_links(parent_weight, threshold=site.weight_threshold):
            return False
        filters = site.targets + site.directories
        return not filters or matches_any(filters, url)


class LearnedOrder(Order):
    """Highest max(p, y) first (design 6.2); it orders and discards nothing."""

    keeps_order = False

    def __init__(self, model: LinkModel) -> None:
        self._learned = LearnedQueue(model)
        super().__init__(self._learned)
        self.model = model

    def learn(self, page: Candidate, visit: Visit, found: list[Candidate]) -> None:
        """Learn the page's verdict and value; waiting URLs take over better anchor texts."""
        again = [one for one in self._named_again(page, visit) if self._learned.renew(one)]
        self.model.observe_page(
            page,
            [*found, *again],
            is_target=visit.kind is Kind.TARGET,
            keywords=visit.evidence.keywords,
        )

    def scores(self) -> NDArray[np.float32] | None:
        """Return the scores of what waits."""
        return self._learned.scores()

    def likelihoods(self) -> dict[str, float]:
        """Return for each waiting URL how likely a target lies behind it."""
        return self.model.likelihoods(self._learned.waiting())

    def shed(self, kept: int) -> list[Candidate]:
        """Let go of the URLs with the lowest scores."""
        return self._learned.shed(kept)

    def _named_again(self, page: Candidate, visit: Visit) -> list[Candidate]:
        nameless = self._learned.nameless
        if not nameless:
            return []
        named = (link for link in visit.links if link.anchor and link.url in nameless)
        return [
            Candidate(
                link.url,
                "",
                parent=page.url,
                anchor=link.anchor,
                tag_path=link.tag_path,
                rank=link.rank,
            )
            for link in named
        ]


class PluggedOrder(Order):
    """A plug-in's order; an error of its own ends the crawl in one line, and a rerun goes on."""

    def __init__(self, order: Order, name: str) -> None:
        super().__init__(order.queue)
        self.keeps_order = order.keeps_order
        self._order = order
        self._name = name

    def lets_in(self, url: str, parent_weight: int, site: Site) -> bool:
        """May a URL found on a page of this weight be fetched at all?"""
        with self._one_line():
            return self._order.lets_in(url, parent_weight, site)

    def push(self, candidates: Iterable[Candidate]) -> None:
        """Let URLs wait."""
        with self._one_line():
            self._order.push(candidates)

    def pop(self, busy: Collection[str]) -> Candidate | None:
        """Take the best URL whose host is not busy."""
        with self._one_line():
            return self._order.pop(busy)

    def waiting(self) -> Sequence[Candidate]:
        """Return what waits, in no order."""
        with self._one_line():
            return self._order.waiting()

    def shed(self, kept: int) -> list[Candidate]:
        """Let go of the least promising URLs."""
        with self._one_line():
            return self._order.shed(kept)

    def learn(self, page: Candidate, visit: Visit, found: list[Candidate]) -> None:
        """Learn from a fetched page and the new URLs on it."""
        with self._one_line():
            self._order.learn(page, visit, found)

    def scores(self) -> NDArray[np.float32] | None:
        """Return the scores of what waits, if the order has any."""
        with self._one_line():
            return self._order.scores()

    @contextmanager
    def _one_line(self) -> Iterator[None]:
        try:
            yield
        except WinzeError:
            raise
        except Exception as error:
            raise WinzeError(
                f"order {self._name}: its plug-in failed: {fault_of(error)}: take another --order;"
                " what was crawled is kept"
            ) from error


class MakeOrder(Protocol):
    """Makes an order: what a `score` plug-in is."""

    def __call__(self, model: LinkModel, options: Options) -> Order:
        """Return a fresh order; `model` rates links, and is kept from run to run."""
        ...


def breadth_first(model: LinkModel, options: Options) -> Order:
    """Make `score.bfs`."""
    return Order()


def by_weight(model: LinkModel, options: Options) -> Order:
    """Make `score.weight`."""
    return WeightOrder()


def by_learning(model: LinkModel, options: Options) -> Order:
    """Make `score.learned`."""
    return LearnedOrder(model)


def check_order(name: str) -> str:
    """Return the name of an order that there is; raises UsageError for another one."""
    try:
        find(Point.SCORE, name)
    except PluginError as error:
        raise UsageError(f"order {name}: {error}") from error
    return name


def order_named(name: str, model: LinkModel, options: Options = _NO_OPTIONS) -> Order:
    """Return the order of this name, a plug-in's too; `model` serves the learned one.

    Raises UsageError for a name that is not there, or a plug-in that cannot be made.
    """
    plugin = find(Point.SCORE, name)
    make = cast(MakeOrder, plugin.load())
    if plugin.is_own:
        return make(model, options)
    try:
        order = make(model, options)
    except Exception as error:
        raise UsageError(f"order {name}: cannot be made: {fault_of(error)}") from error
    if not isinstance(order, Order):
        raise UsageError(f"order {name}: its plug-in makes no winze.engine.order.Order")
    return PluggedOrder(order, name)
