"""The order of a crawl: a queue, the rule what may enter it, and what it learns from pages."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from winze.engine.site import Site
from winze.frontier.queue import Candidate, FifoQueue, LearnedQueue, Queue, WeightQueue
from winze.frontier.weight import follows_links
from winze.learn.order import LinkModel
from winze.model import Kind, Visit
from winze.urls.patterns import matches_any


class OrderName(StrEnum):
    """What `--order` may be."""

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


def order_named(name: OrderName, model: LinkModel) -> Order:
    """Return the order of this name; `model` serves the learned one."""
    if name is OrderName.BFS:
        return Order()
    return WeightOrder() if name is OrderName.WEIGHT else LearnedOrder(model)
